// Empties the documents of a record that is removed for good: its values, its long texts, its feed, its approvals. What is left is that it
// was removed. Knows documents, no rows.
import type { Reads, Tx } from '#main/kernel/database.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { DocName } from '#main/replication/core/doc-names.ts'
import { formatDocName, parseDocName } from '#main/replication/core/doc-names.ts'
import type { HlcClock } from '#main/replication/core/hlc.ts'
import { markAt } from '#main/replication/core/register.ts'
import { nameOfEntry } from '#main/replication/core/replaced.ts'
import type { EditPlace } from '#main/replication/core/sync-document.ts'
import type { DocWriter } from '../engine/docs.ts'
import { hasDoc, readDocument, readNames, textLetters } from '../store/doc-store.ts'
import { isSeen, seenStamps } from './deletion-mark.ts'
import type { Deletion, DeletionMark } from './deletion-mark.ts'
import { PURGED_KEY } from './record-edits.ts'
import type { NamedEdit } from './record-edits.ts'

/** Segments of a feed and texts of a record are few. */
const mostDocs = 10_000

/** Begins to empty the documents of records that are removed here. `docs()` answers undefined while sync is off. */
export function capturePurges(
  host: Pick<PluginHost, 'on'>,
  metadata: Pick<MetadataService, 'objectSchema'>,
  docs: () => DocWriter | undefined,
): void {
  host.on('record.purged', ({ object, recordId }, tx, ctx) => {
    const writer = docs()
    const schema = metadata.objectSchema(object ?? '')
    if (writer === undefined || !writer.isRecording(ctx) || schema?.enable.sync !== true || recordId === undefined)
      return
    for (const { name, edit } of emptyingEdits(tx, schema.uid, recordId)) writer.edit(tx, ctx, name, edit, 'after')
  })
}

/**
 * What empties the documents a record has. What others wrote without knowing of the removal stays until they know of it,
 * and is listed as a conflict.
 */
export function emptyingEdits(tx: Tx, object: string, record: string): NamedEdit[] {
  const name: DocName = { kind: 'record', object, record }
  if (!hasDoc(tx, formatDocName(name))) return []
  const edits: NamedEdit[] = [{ name, edit: emptyRecord }]
  for (const text of namesBelow(tx, `t/${object}/${record}/`))
    edits.push({ name: text, edit: (place) => void place.text.change('') })
  for (const feed of feedNames(tx, object, record)) edits.push({ name: feed, edit: emptyRegister })
  return edits
}

/** What whoever removes a record for good has seen of it besides its values. */
export function purgeSeen(tx: Tx, object: string, record: string): Required<Pick<Deletion, 'feed' | 'letters'>> {
  const registers = feedNames(tx, object, record).map((name) => readDocument(tx, formatDocName(name))!.register)
  const entries = registers.flatMap((register, at) =>
    [...register].map(([key, held]) => [`${at}${key}`, held] as const),
  )
  return { feed: seenStamps(new Map(entries)), letters: () => textLetters(tx, object, record) }
}

/**
 * What takes away of a feed, or of approvals, what whoever removed their record for good had seen of them; null where nothing of
 * that is here. For what that person wrote to empty them cannot be merged, should it build on what is lost.
 */
export function seenRemoval(
  read: Pick<Reads, 'get'>,
  name: Extract<DocName, { kind: 'feed' | 'workflow' }>,
  clock: Pick<HlcClock, 'tick'>,
): Uint8Array | null {
  const { object, record } = name
  const register = readDocument(read, formatDocName({ kind: 'record', object, record }))?.register
  const { feed: seen } = (register === undefined ? null : (markAt(register, PURGED_KEY) as DeletionMark | null)) ?? {}
  const document = seen === undefined ? undefined : readDocument(read, formatDocName(name))
  if (seen === undefined || document === undefined) return null
  const keys = [...document.register]
    .filter(([, { winner, losers }]) => [winner, ...losers].every((entry) => isSeen(nameOfEntry(entry), { seen })))
    .map(([key]) => key)
  return document.edit({ inc: 0, clock }, [(place) => place.remove(keys)])?.update ?? null
}

/** The documents of the feed and the approvals of a record. */
export function feedNames(tx: Tx, object: string, record: string): Extract<DocName, { kind: 'feed' | 'workflow' }>[] {
  const workflow = { kind: 'workflow', object, record } as const
  const feeds = namesBelow(tx, `f/${object}/${record}/`).filter((name) => name.kind === 'feed')
  return [...(hasDoc(tx, formatDocName(workflow)) ? [workflow] : []), ...feeds]
}

function namesBelow(tx: Tx, prefix: string): DocName[] {
  return readNames(tx, prefix, '', mostDocs).flatMap(({ name }) => parseDocName(name) ?? [])
}

/** The mark stays, and with it what its writer had seen. */
function emptyRecord(place: EditPlace): void {
  place.remove([...place.register().keys()].filter((key) => key !== PURGED_KEY))
}

function emptyRegister(place: EditPlace): void {
  place.remove(place.register().keys())
}
