// Values that break a limit of their field's definition, or name a file that somebody deleted by force, and were written by
// somebody who did not know of that: found from the documents of the record, its object and its files alone, so that every
// machine with all of them lists the same.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import { formatDocName } from '#main/replication/core/doc-names.ts'
import { parseKey } from '#main/replication/core/register-keys.ts'
import { markAt } from '#main/replication/core/register.ts'
import type { Register } from '#main/replication/core/register.ts'
import { nameOfEntry } from '#main/replication/core/replaced.ts'
import type { Json, RegisterEntry } from '#main/replication/core/types.ts'
import type { ConflictDraft } from '../conflicts/conflict-store.ts'
import { saidFile } from '../files/file-entries.ts'
import { limitsIn } from '../metadata/limits.ts'
import { readDocument, readHash } from '../store/doc-store.ts'
import { isSeen } from '../write/deletion-mark.ts'
import { CREATED_KEY, PURGED_KEY } from '../write/record-edits.ts'
import { syncedFields } from '../write/synced-fields.ts'
import type { ConflictScene } from './record-conflicts.ts'
import { sideOf } from './record-conflicts.ts'

type Limits = ReturnType<typeof limitsIn>

/** What a record is judged in. */
export type LimitScene = Pick<ConflictScene, 'doc' | 'schema' | 'recordId' | 'register' | 'merged' | 'writerOf'>

/** Makes the judge of one host. */
export function createLimitJudge(data: Pick<DataService, 'brokenLimit'>) {
  const known = new Map<string, { readonly hash: string; readonly limits: Limits }>()

  const limitsAt = (tx: Tx, object: string): Limits | undefined => {
    const doc = formatDocName({ kind: 'metadata', type: 'object', uid: object })
    const hash = readHash(tx, doc)
    if (hash === undefined) return undefined
    let found = known.get(object)
    if (found?.hash !== hash) {
      found = { hash, limits: limitsIn(readDocument(tx, doc)?.register ?? new Map()) }
      known.set(object, found)
    }
    return found.limits
  }

  return (tx: Tx, { doc, schema, recordId, register, merged, writerOf }: LimitScene): ConflictDraft[] => {
    const limits = limitsAt(tx, schema.uid) ?? new Map()
    const { scalars } = syncedFields(schema)
    if (limits.size === 0 && !scalars.some(({ field }) => isFile(field))) return []
    // One in the trash may come back as it is.
    if (markAt(register, PURGED_KEY) !== null) return []
    const draftOf = (
      field: FieldSchema,
      entries: readonly RegisterEntry[],
      { limit, ...said }: { limit: string; message: string; value: Json },
    ): ConflictDraft => {
      const latest = entries.toSorted((a, b) => a[2] - b[2] || a[3] - b[3]).at(-1)!
      const side = sideOf(latest, writerOf, { rule: `${field.name}.${limit}`, limit, ...said })
      return { doc, object: schema.uid, recordId, kind: 'validation', field: field.uid, winner: side, losers: [side] }
    }
    return scalars.flatMap(({ field }): ConflictDraft[] => {
      const ofField = limits.get(field.uid) ?? new Map()
      if (ofField.size === 0 && !isFile(field)) return []
      const entries = entriesOf(register, field.uid)
      const value = merged.values.get(field.uid) ?? null
      for (const [limit, makers] of ofField) {
        // Whoever made it has seen the value, and left it as it is.
        const isKnown = ({ seen }: (typeof makers)[number]): boolean =>
          entries.every((entry) => isSeen(nameOfEntry(entry), { seen }))
        if (makers.every(isKnown)) continue
        const message = data.brokenLimit(schema.name, field.name, limit, value)
        if (message === null) continue
        return [draftOf(field, entries, { limit, message, value })]
      }
      const message = isFile(field) ? lostFile(tx, value, entries) : null
      return message === null ? [] : [draftOf(field, entries, { limit: 'file', message, value })]
    })
  }
}

function isFile(field: FieldSchema): boolean {
  return fieldTypeOf(field).file === true
}

/** A file that somebody deleted by force who did not know that it is named here, in a sentence; null for none. */
function lostFile(tx: Tx, value: Json, entries: readonly RegisterEntry[]): string | null {
  for (const named of [value ?? []].flat()) {
    const id = (named as { fileId?: unknown } | null)?.fileId
    const register =
      typeof id === 'string' ? readDocument(tx, formatDocName({ kind: 'file', file: id }))?.register : undefined
    if (register === undefined) continue
    const { file, gone } = saidFile(id as string, register)
    if (gone?.force !== true || gone.seen === undefined) continue
    const { seen } = gone
    if (entries.every((entry) => isSeen(nameOfEntry(entry), { seen }))) continue
    return `The file "${file?.name ?? id}" was deleted, with its bytes, by somebody who did not know that it is named here.`
  }
  return null
}

/** What says the value of a field; what made the record where nothing says one. */
function entriesOf(register: Register, uid: string): readonly RegisterEntry[] {
  const found = [...register].flatMap(([key, { winner }]) => (parseKey(key).uid === uid ? [winner] : []))
  const made = register.get(CREATED_KEY)?.winner
  return found.length === 0 && made !== undefined ? [made] : found
}
