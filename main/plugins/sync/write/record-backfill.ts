// Makes documents of the records that exist when sync is turned on: object by object, newest records first, a slice of
// rows at a time. What is in documents and was removed for good meanwhile is marked so. Knows how rows become documents,
// not how they travel.
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import { countRows, isStored } from '#main/database/query/object-rows.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import { closeOthers, conflictId, hasOpen, readConflict } from '../conflicts/conflict-store.ts'
import { formatDocName, parseDocName } from '#main/replication/core/doc-names.ts'
import { mergeValues } from '#main/replication/core/merge-values.ts'
import { parseKey } from '#main/replication/core/register-keys.ts'
import type { DocKindHandler, BackfillWriter } from '../engine/docs.ts'
import type { Register } from '#main/replication/core/register.ts'
import type { EditPlace } from '#main/replication/core/sync-document.ts'
import { isKeptAside } from '../store/aside-store.ts'
import {
  needsProject,
  putFlags,
  readDoc,
  readDocument,
  readNames,
  textFieldsOf,
  textHashes,
} from '../store/doc-store.ts'
import { emptyingEdits, feedStamps } from './purge-capture.ts'
import { CREATED_KEY, markPurged, newRecordEdits, PURGED_KEY } from './record-edits.ts'
import type { KnownRecord } from './record-edits.ts'
import { syncedFields } from './synced-fields.ts'

/** Records of one slice. */
const sliceRows = 200

/** Where a backfill is that goes through the records of one object. */
interface RecordPlace {
  readonly object: string
  readonly id: string
  readonly gone?: string
  readonly isAlone?: true
  readonly isOwn?: true
}

/** The records of one object, by uid; only those that were made on this machine where `isOwn` says so. */
export interface RecordsOfObject {
  readonly object: string
  readonly isOwn?: true
}

/** Where a backfill begins that goes through the records of one object. */
export function recordsOf(records: RecordsOfObject): string {
  return JSON.stringify({ ...records, id: '', isAlone: true } satisfies RecordPlace)
}

/** Objects with tables whose records travel. */
export function syncedObjects(metadata: Pick<MetadataService, 'objectSchemas'>): readonly ObjectSchema[] {
  return metadata.objectSchemas().filter((schema) => schema.enable.sync && !schema.abstract)
}

/** Fields, by uid, of a record with values beside what they say: in the place they had before they became another type. */
export type MovedFields = (
  tx: Tx,
  record: { readonly schema: ObjectSchema; readonly recordId: string; readonly register: Register },
) => readonly string[]

/** Makes the two functions of the backfill of records. */
export function createRecordBackfill(
  data: Pick<DataService, 'wholeRecords'>,
  metadata: Pick<MetadataService, 'objectSchemas'>,
  isOwn: (inc: number) => boolean,
  movedFields: MovedFields,
): Required<Pick<DocKindHandler, 'backfill' | 'backfillTotal'>> {
  return {
    backfillTotal: (reads: Pick<Reads, 'all' | 'get'>) =>
      syncedObjects(metadata).reduce((sum, schema) => sum + countRows(reads, schema), 0),
    backfill(tx, after, write) {
      const objects = syncedObjects(metadata)
      const place = after === null ? null : (JSON.parse(after) as RecordPlace)
      if (place?.gone !== undefined) return markGone(tx, objects, { object: place.object, after: place.gone }, write)
      const isAlone = place?.isAlone === true
      const at = place === null ? 0 : objects.findIndex(({ uid }) => uid === place.object)
      // An object that is gone by now: its place in the order is lost, and what is made already is passed over.
      const schema = objects[Math.max(at, 0)]
      if (schema === undefined || (isAlone && at < 0)) return { next: null, done: 0 }
      const below = at < 0 || place === null || place.id === '' ? null : place.id
      const rows = data.wholeRecords(tx, schema, { below, limit: sliceRows })
      const hasConflicts = hasOpen(tx, schema.uid)
      for (const { record, deleted: mark } of rows) {
        if (isKeptAside(tx, schema.uid, record['id'] as string)) continue
        const texts = (): Record<string, string> => textHashes(tx, schema.uid, record['id'] as string)
        const deleted = mark === null ? null : { ...mark, texts }
        // What a change of the object did to records, nobody wrote.
        const author = !isAlone && typeof record['created_by'] === 'string' ? record['created_by'] : 'system'
        // Whose definition came from elsewhere has agreed to no loss.
        const seen = { ...knownRecord(tx, schema, record['id'] as string), hashes: texts }
        const known = place?.isOwn === true ? { ...seen, ...keepsAll } : { ...seen, isConverted: isAlone }
        for (const { name, edit } of newRecordEdits(schema, record, deleted, known)) {
          const isRecord = name.kind === 'record'
          // A text that two machines begin stands there twice.
          if (place?.isOwn === true && !isRecord) continue
          let isElsewhere = false
          const mend = (at: EditPlace): void => {
            isElsewhere = place?.isOwn === true && !isMadeBy(at.register(), isOwn)
            if (isElsewhere) return
            edit(at)
            if (!isRecord || !hasConflicts) return
            const moved = movedFields(tx, { schema, recordId: name.record, register: at.register() })
            closeSettled(tx, { doc: formatDocName(name), schema, moved }, at)
          }
          write(name, author, mend, { mend: true })
          // Others judge what a deleted record became by what is written here; so does this machine.
          if (place?.isOwn === true && deleted !== null && !isElsewhere) flag(tx, formatDocName(name))
        }
      }
      if (rows.length === sliceRows) {
        const next: RecordPlace = { ...(isAlone && place), object: schema.uid, id: rows.at(-1)!.id }
        return { next: JSON.stringify(next), done: rows.length }
      }
      if (isAlone) return { next: null, done: rows.length }
      const following = objects[objects.indexOf(schema) + 1]
      return {
        next: JSON.stringify(
          following === undefined ? { object: objects[0]!.uid, id: '', gone: '' } : { object: following.uid, id: '' },
        ),
        done: rows.length,
      }
    },
  }
}

/** Ends the conflicts of fields whose document tells of none any more: what was written took the place of all sides. */
function closeSettled(
  tx: Tx,
  { doc, schema, moved }: { readonly doc: string; readonly schema: ObjectSchema; readonly moved: readonly string[] },
  { register, hlc }: EditPlace,
): void {
  const open = [...register()].filter(([, { losers }]) => losers.length > 0)
  const { strays } = mergeValues(register(), syncedFields(schema).merged)
  const still = new Set([...open.map(([key]) => parseKey(key).uid), ...strays.keys(), ...moved])
  closeOthers(tx, { doc }, ['field'], { has: (_id, { field }) => still.has(field) }, new Date(hlc.ms).toISOString())
}

/** Has a document projected again. */
function flag(tx: Tx, doc: string): void {
  const stored = readDoc(tx, doc)
  if (stored !== undefined) putFlags(tx, stored.doc, stored.flags | needsProject)
}

/** Whether a record was made under a number of this machine. */
function isMadeBy(register: Register, isOwn: (inc: number) => boolean): boolean {
  const made = register.get(CREATED_KEY)?.winner
  return made !== undefined && isOwn(made[4])
}

/** Nothing of the record is written as empty. */
const keepsAll = { isOpen: () => true, hadText: () => false, isConverted: false }

function knownRecord(
  tx: Tx,
  schema: ObjectSchema,
  record: string,
): Pick<KnownRecord, 'isOpen' | 'hasOther' | 'hadText'> {
  const doc = formatDocName({ kind: 'record', object: schema.uid, record })
  const isOpen = (kind: 'type' | 'field', field: string): boolean =>
    readConflict(tx, conflictId({ kind, doc, field }))?.state === 'open'
  let texts: ReadonlySet<string> | undefined
  return {
    isOpen: (field) => isOpen('type', field),
    hasOther: (field) => isOpen('field', field),
    hadText: (field) => (texts ??= textFieldsOf(tx, schema.uid, record)).has(field),
  }
}

/** Documents without a row: of records that were removed for good while nothing was recorded. */
function markGone(
  tx: Tx,
  objects: readonly ObjectSchema[],
  place: { readonly object: string; readonly after: string },
  write: BackfillWriter,
): { next: string | null; done: number } {
  const at = objects.findIndex(({ uid }) => uid === place.object)
  const schema = objects[at]
  // An object that was removed meanwhile; what is left of it is looked at when sync is turned on the next time.
  if (schema === undefined) return { next: null, done: 0 }
  const names = readNames(tx, `r/${schema.uid}/`, place.after, sliceRows)
  for (const { name, flags } of names) {
    const parsed = parseDocName(name)
    // What waits for a field or a table has no row yet.
    if (parsed?.kind !== 'record' || (flags & needsProject) !== 0) continue
    if (isStored(tx, schema, parsed.record)) continue
    if (readDocument(tx, name)?.register.has(PURGED_KEY) === true) continue
    const feed = feedStamps(tx, schema.uid, parsed.record)
    write(parsed, 'system', (edit) => markPurged(edit, feed), { mend: true })
    for (const empty of emptyingEdits(tx, schema.uid, parsed.record))
      write(empty.name, 'system', empty.edit, { mend: true })
  }
  const last = names.at(-1)
  if (names.length === sliceRows && last !== undefined)
    return { next: JSON.stringify({ object: schema.uid, id: '', gone: last.name }), done: 0 }
  const following = objects[at + 1]
  return {
    next: following === undefined ? null : JSON.stringify({ object: following.uid, id: '', gone: '' }),
    done: 0,
  }
}
