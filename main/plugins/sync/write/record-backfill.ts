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
import { markAt } from '#main/replication/core/register.ts'
import type { Register } from '#main/replication/core/register.ts'
import type { EditPlace } from '#main/replication/core/sync-document.ts'
import { isKeptAside } from '../store/aside-store.ts'
import {
  hasFlagged,
  isBehind,
  isPlaced,
  needsProject,
  putFlags,
  readDoc,
  readDocument,
  readFlags,
  readNames,
  textFieldsOf,
  textHashes,
  textsBehind,
} from '../store/doc-store.ts'
import { emptyingEdits, purgeSeen } from './purge-capture.ts'
import { CREATED_KEY, markPurged, newRecordEdits, PURGED_KEY } from './record-edits.ts'
import type { KnownRecord } from './record-edits.ts'
import { syncedFields } from './synced-fields.ts'

/** Records of one slice, and of one in which some may have to be projected. */
const sliceRows = 200
const sliceBehind = 64

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

/** What the backfill of records works with. */
export interface RecordBackfillParts {
  readonly data: Pick<DataService, 'wholeRecords'>
  readonly metadata: Pick<MetadataService, 'objectSchemas'>
  /** An object by its uid. */
  schemaOf(uid: string): ObjectSchema | undefined
  /** Whether an incarnation is one of this machine's. */
  isOwn(inc: number): boolean
  /** Makes the rows of a document what it says. */
  place(tx: Tx, doc: string): void
  readonly movedFields: MovedFields
}

type WholeRecord = ReturnType<DataService['wholeRecords']>[number]

/** Which records are looked at, and whose definition was changed here. */
type Pass = Pick<RecordPlace, 'isAlone' | 'isOwn'>

/** Makes the functions of the backfill of records. */
export function createRecordBackfill(
  parts: RecordBackfillParts,
): Required<Pick<DocKindHandler, 'backfill' | 'backfillTotal' | 'compare'>> {
  const { data, metadata, schemaOf, isOwn, place: projected, movedFields } = parts

  const wholeRecord = (tx: Tx, schema: ObjectSchema, id: string): WholeRecord | undefined => {
    // The greatest id that is not above this one is this one, when there is such a record.
    const [row] = data.wholeRecords(tx, schema, { below: `${id}!`, limit: 1 })
    return row?.id === id ? row : undefined
  }

  /** Writes what a row has and its documents have not; nothing where the row is behind them. */
  const mend = (
    tx: Tx,
    { schema, hasConflicts }: { readonly schema: ObjectSchema; readonly hasConflicts: boolean },
    { id, record, deleted: mark }: WholeRecord,
    pass: Pass,
    write: BackfillWriter,
  ): void => {
    if (isKeptAside(tx, schema.uid, id)) return
    const isAlone = pass.isAlone === true
    const texts = (): Record<string, string> => textHashes(tx, schema.uid, id)
    const deleted = mark === null ? null : { ...mark, texts }
    // What a change of the object did to records, nobody wrote.
    const author = !isAlone && typeof record['created_by'] === 'string' ? record['created_by'] : 'system'
    // Whose definition came from elsewhere has agreed to no loss.
    const seen = { ...knownRecord(tx, schema, id), hashes: texts }
    const known = pass.isOwn === true ? { ...seen, ...keepsAll } : { ...seen, isConverted: isAlone }
    const behind = hasFlagged(tx) ? textsBehind(tx, schema.uid, id) : none
    for (const { name, edit } of newRecordEdits(schema, record, deleted, known)) {
      const isRecord = name.kind === 'record'
      // A text that two machines begin stands there twice.
      if (pass.isOwn === true && !isRecord) continue
      if (name.kind === 'text' && behind.has(name.field)) continue
      let isElsewhere = false
      const writing = (at: EditPlace): void => {
        isElsewhere = pass.isOwn === true && !isMadeBy(at.register(), isOwn)
        if (isElsewhere) return
        edit(at)
        if (!isRecord || !hasConflicts) return
        const moved = movedFields(tx, { schema, recordId: name.record, register: at.register() })
        closeSettled(tx, { doc: formatDocName(name), schema, moved }, at)
      }
      write(name, author, writing, { mend: true })
      // Others judge what a deleted record became by what is written here; so does this machine.
      if (pass.isOwn === true && deleted !== null && !isElsewhere) flag(tx, formatDocName(name))
    }
  }

  /** The row once its documents are projected that it is behind; null while its table is being changed. */
  const caughtUp = (tx: Tx, schema: ObjectSchema, row: WholeRecord): WholeRecord | null | undefined => {
    const doc = formatDocName({ kind: 'record', object: schema.uid, record: row.id })
    const isRowBehind = isBehind(readFlags(tx, doc) ?? 0)
    if (isRowBehind) tx.savepoint(() => projected(tx, doc))
    if (isBehind(readFlags(tx, doc) ?? 0)) return null
    const texts = textsBehind(tx, schema.uid, row.id)
    for (const field of texts)
      tx.savepoint(() => projected(tx, formatDocName({ kind: 'text', object: schema.uid, record: row.id, field })))
    return isRowBehind || texts.size > 0 ? wholeRecord(tx, schema, row.id) : row
  }

  return {
    compare(tx, name, write) {
      if (name.kind !== 'record' && name.kind !== 'text') return
      const schema = schemaOf(name.object)
      if (schema?.enable.sync !== true || schema.abstract) return
      const doc = formatDocName({ kind: 'record', object: name.object, record: name.record })
      const flags = readFlags(tx, doc)
      if (flags !== undefined && isBehind(flags)) return
      const row = wholeRecord(tx, schema, name.record)
      if (row !== undefined) mend(tx, { schema, hasConflicts: hasOpen(tx, schema.uid) }, row, {}, write)
      else if (flags !== undefined) markAsGone(tx, schema.uid, name.record, write)
    },
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
      const mayBeBehind = hasFlagged(tx)
      const limit = mayBeBehind ? sliceBehind : sliceRows
      const rows = data.wholeRecords(tx, schema, { below, limit })
      const nextBelow = (id: string): string =>
        JSON.stringify({ ...(isAlone && place), object: schema.uid, id } satisfies RecordPlace)
      const scene = { schema, hasConflicts: hasOpen(tx, schema.uid) }
      for (const [done, row] of rows.entries()) {
        const found = mayBeBehind ? caughtUp(tx, schema, row) : row
        if (found === null) return { next: nextBelow(rows[done - 1]?.id ?? below ?? ''), done, waits: true }
        if (found !== undefined) mend(tx, scene, found, place ?? {}, write)
      }
      if (rows.length === limit) return { next: nextBelow(rows.at(-1)!.id), done: rows.length }
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
  if (stored !== undefined) putFlags(tx, stored.doc, (stored.flags | needsProject) & ~isPlaced)
}

/** Whether a record was made under a number of this machine. */
function isMadeBy(register: Register, isOwn: (inc: number) => boolean): boolean {
  const made = register.get(CREATED_KEY)?.winner
  return made !== undefined && isOwn(made[4])
}

const none: ReadonlySet<string> = new Set()

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

/** Marks a record that has no row as removed for good, where its document does not say so. */
function markAsGone(tx: Tx, object: string, record: string, write: BackfillWriter): void {
  const name = { kind: 'record', object, record } as const
  const register = readDocument(tx, formatDocName(name))?.register
  if (register !== undefined && markAt(register, PURGED_KEY) !== null) return
  const seen = purgeSeen(tx, object, record)
  write(name, 'system', (edit) => markPurged(edit, seen), { mend: true })
  for (const empty of emptyingEdits(tx, object, record))
    write(empty.name, 'system', empty.edit, { mend: true, order: 'after' })
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
    // What waits for a table has no row yet.
    if (parsed?.kind !== 'record' || isBehind(flags)) continue
    if (!isStored(tx, schema, parsed.record)) markAsGone(tx, schema.uid, parsed.record, write)
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
