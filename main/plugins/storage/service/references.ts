// What names a file: fields of records and items of their feeds, kept in the transaction of the write that changes them.
import type { FileUse } from '#shared/contracts/storage.ts'
import type { PlatformEvent } from '#shared/events.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { Reads, Tx, Write } from '#main/kernel/database.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { FeedService } from '#main/plugins/feed/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { StorageService } from '../api.ts'
import { readFile } from '../store.ts'
import type { ReferenceRow } from './reference-store.ts'
import { dropRecord, dropSome, putReferences, referencesTo } from './reference-store.ts'

/** Live records that name a file. */
export interface Dependents {
  readonly count: number
  /** Of one that the caller may see, field too; undefined when there is none. */
  readonly shown: { readonly object: string; readonly field: string; readonly count: number } | undefined
}

/** The references of a host. */
export interface FileReferences {
  /** Whether the caller may read a record that names the file, and what of it names it. */
  isSeenBy(read: Pick<Reads, 'all'>, ctx: RequestContext, fileId: string): boolean
  /** The live records that name the file. */
  dependents(read: Pick<Reads, 'all'>, ctx: RequestContext, fileId: string): Dependents
  /** {@link StorageService.recordsNaming} */
  recordsNaming: StorageService['recordsNaming']
  /** The places of live records that name the file, as far as the caller may see them. */
  uses(read: Pick<Reads, 'all'>, ctx: RequestContext, fileId: string): FileUse[]
  /** Listeners of events, in the transaction. */
  recordWritten(event: PlatformEvent, tx: Tx): void
  recordPurged(event: PlatformEvent, tx: Tx): void
  itemWritten(event: PlatformEvent, tx: Tx): void
  itemDeleted(event: PlatformEvent, tx: Tx): void
  /** The last of a deleted object is gone (D-101). */
  objectExpired(event: PlatformEvent, tx: Tx): void
  /** {@link StorageService.onMissing} */
  onMissing: StorageService['onMissing']
}

/** What references are kept with. */
export interface ReferenceParts {
  readonly write: Write
  readonly metadata: Pick<MetadataService, 'objectSchema' | 'exchange'>
  readonly data: Pick<DataService, 'readable' | 'canReadField'>
  readonly feed: () => FeedService | undefined
  readonly log: Logger
}

const system = internalContext('storage')
const rowsPerWrite = 500

/** Keeps the references. */
export function createFileReferences({ write, metadata, data, feed, log }: ReferenceParts): FileReferences {
  let missing: Parameters<StorageService['onMissing']>[0] | undefined
  const schemaOf = (uid: string): ObjectSchema | undefined => {
    const name = metadata.exchange.nameOf({ type: 'object', uid })
    return name === undefined ? undefined : metadata.objectSchema(name)
  }

  /** The references that live records of a caller hold, with the name of the field; null for items of feeds. */
  const heldFor = (
    ctx: RequestContext,
    rows: readonly ReferenceRow[],
  ): { row: ReferenceRow; object: string; field: string | null }[] => {
    const held: { row: ReferenceRow; object: string; field: string | null }[] = []
    for (const [uid, some] of Map.groupBy(rows, ({ object }) => object)) {
      const schema = schemaOf(uid)
      if (schema === undefined) continue
      const readable = data.readable(ctx, schema.name, [...new Set(some.map((row) => row.record_id))])
      const fields = fileFieldsOf(schema)
      for (const row of some) {
        if (!readable.has(row.record_id)) continue
        const field = row.item === '' ? fields.find((one) => one.uid === row.field) : null
        if (field !== undefined) held.push({ row, object: schema.name, field: field === null ? null : field.name })
      }
    }
    return held
  }

  const canSee = (ctx: RequestContext, { row, object, field }: ReturnType<typeof heldFor>[number]): boolean =>
    field === null
      ? feed()?.sees(ctx, { object, recordId: row.record_id }, row.item) === true
      : data.canReadField(ctx, object, field)

  const dropAll = async (object: string): Promise<void> => {
    try {
      while (await write('storage.clear', (tx) => dropSome(tx, object, rowsPerWrite)));
    } catch (error) {
      log.error({ err: error }, 'References of a deleted object to files could not be removed.')
    }
  }

  return {
    isSeenBy: (read, ctx, fileId) =>
      heldFor(ctx, referencesTo(read, fileId)).some((reference) => canSee(ctx, reference)),
    uses: (read, ctx, fileId) =>
      heldFor(ctx, referencesTo(read, fileId))
        .filter((reference) => canSee(ctx, reference))
        .map(({ row, object, field }) => ({ object, recordId: row.record_id, field })),
    recordsNaming: (read, fileId) =>
      heldFor(system, referencesTo(read, fileId)).map(({ row }) => ({ object: row.object, record: row.record_id })),
    dependents(read, ctx, fileId) {
      const rows = referencesTo(read, fileId)
      const recordsOf = (held: ReturnType<typeof heldFor>): number =>
        new Set(held.map(({ row }) => `${row.object}/${row.record_id}`)).size
      const count = recordsOf(heldFor(system, rows))
      const seen = heldFor(ctx, rows).filter((reference) => canSee(ctx, reference))
      const [first] = seen
      return {
        count,
        shown:
          first === undefined
            ? undefined
            : { object: first.object, field: first.field ?? 'attachments', count: recordsOf(seen) },
      }
    },
    recordWritten({ type, object, recordId, payload }, tx) {
      const schema = metadata.objectSchema(object!)
      if (schema === undefined) return
      const fields = fileFieldsOf(schema)
      if (fields.length === 0) return
      const { record, changes } = payload as { record: Record<string, unknown>; changes?: Record<string, unknown> }
      for (const field of fields) {
        const value = record[field.name]
        // What a record in the trash named may have been deleted, and nothing has named it since.
        const isTouched = type === 'record.updated' ? changes?.[field.name] !== undefined : value != null
        if (!isTouched) continue
        const ids = [value ?? []].flat().map((one) => (one as { fileId: string }).fileId)
        putReferences(tx, { object: schema.uid, record_id: recordId!, field: field.uid, item: '' }, ids)
        if (missing === undefined) continue
        for (const id of ids) if (readFile(tx, id) === undefined) missing(tx, id)
      }
    },
    recordPurged({ object, recordId }, tx) {
      const schema = metadata.objectSchema(object!)
      if (schema !== undefined) dropRecord(tx, schema.uid, recordId!)
    },
    itemWritten({ object, recordId, payload }, tx) {
      const schema = metadata.objectSchema(object!)
      const { item } = payload as { item: { id: string; attachments?: readonly { fileId: string }[] } }
      const ids = (item.attachments ?? []).map(({ fileId }) => fileId)
      if (schema === undefined || ids.length === 0) return
      putReferences(tx, { object: schema.uid, record_id: recordId!, field: '', item: item.id }, ids)
    },
    itemDeleted({ object, recordId, payload }, tx) {
      const schema = metadata.objectSchema(object!)
      const { item } = payload as { item: { id: string } }
      if (schema !== undefined)
        putReferences(tx, { object: schema.uid, record_id: recordId!, field: '', item: item.id }, [])
    },
    objectExpired({ payload }, tx) {
      const { kind, objectUid } = payload as { kind: string; objectUid: string | null }
      if (kind === 'object' && objectUid !== null) tx.afterCommit(() => void dropAll(objectUid))
    },
    onMissing: (listener) => void (missing = listener),
  }
}

const fileFields = new WeakMap<ObjectSchema, readonly FieldSchema[]>()

/** The fields of an object that hold files. */
function fileFieldsOf(schema: ObjectSchema): readonly FieldSchema[] {
  let fields = fileFields.get(schema)
  if (fields === undefined) {
    fields = schema.fields.filter((field) => fieldTypeOf(field).file === true)
    fileFields.set(schema, fields)
  }
  return fields
}
