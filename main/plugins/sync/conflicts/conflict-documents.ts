// What a decision means for the documents of a record: every entry of the field gives way to one, and the beginnings of a
// text were seen. Knows documents; no table and no right.
import type { DocWriter } from '../engine/docs.ts'
import { formerTextKey, isFormerText, parseKey } from '#main/replication/core/register-keys.ts'
import { readRegister, setEntries } from '#main/replication/core/register.ts'
import type { Register } from '#main/replication/core/register.ts'
import { keepTexts } from '#main/replication/core/text-doc.ts'
import type { Json } from '#main/replication/core/types.ts'
import { textHashes } from '../store/doc-store.ts'
import { syncedFields } from '../write/synced-fields.ts'
import type { ConflictDocuments } from './conflict-parts.ts'

/** Makes the documents' side of decisions over the one that writes them. */
export function createConflictDocuments(
  docs: Pick<DocWriter, 'edit'>,
  keepDeleted: ConflictDocuments['keepDeleted'],
): ConflictDocuments {
  return {
    settleField(tx, ctx, { object, recordId, schema }, field, value) {
      docs.edit(tx, ctx, { kind: 'record', object, record: recordId }, ({ doc, hlc, inc }) => {
        const register = readRegister(doc)
        const former = formerTextKey(field)
        // What the text of a former time says was seen by whoever decided.
        const hash = register.has(former) ? textHashes(tx, object, recordId)[field] : undefined
        const seen = hash === undefined ? {} : { [former]: hash }
        // A long text has its value in a document of its own: nothing of it stays in the record.
        const kept = syncedFields(schema).texts.some(({ uid }) => uid === field) ? null : value
        setEntries(doc, { ...settlingPatch(register, field, kept), ...seen }, hlc, inc)
      })
    },
    settleText(tx, ctx, { object, recordId }, field) {
      docs.edit(tx, ctx, { kind: 'text', object, record: recordId, field }, ({ doc }) => keepTexts(doc))
    },
    keepDeleted,
  }
}

/**
 * What makes a value the only one of a field. Nothing for a field that shows no conflict and has the value already;
 * members of a list are decided one by one, as the list has them now.
 */
export function settlingPatch(register: Register, field: string, value: Json): Record<string, Json> {
  const patch: Record<string, Json> = {}
  let isInParts = false
  for (const [key, { winner, losers }] of register) {
    const { uid, part } = parseKey(key)
    if (uid !== field || part === null || isFormerText(part)) continue
    isInParts = true
    if (losers.length > 0) patch[key] = winner[1]
  }
  const whole = register.get(field)
  if (isInParts) {
    if (whole !== undefined && whole.losers.length > 0) patch[field] = whole.winner[1]
  } else if (whole === undefined ? value !== null : whole.losers.length > 0 || !isEqual(whole.winner[1], value)) {
    patch[field] = value
  }
  return patch
}

function isEqual(a: Json, b: Json): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
