// The data service: rights, preparation outside the transaction, the write job, and what callers get back.
// How a row is written, deleted or found is in service/.
import { notFound, platformError } from '#shared/errors.ts'
import type { RecordAction } from '#shared/route.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { parseUuid } from '#shared/field-types/uuid.ts'
import { dateInZone } from '#shared/calendar/iso.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireObjectAction } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { localOwnerId } from '#main/kernel/context.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { CursorKey } from '#main/database/query/cursor.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { SettingsService } from '#main/plugins/settings/api.ts'
import type { BulkItem, BulkOperation, DataService, RecordHooks, StoredRecord } from './api.ts'
import { checkBulkSize, createAll, requireItemData, requireItemId, runBulk } from './service/bulk.ts'
import type { ItemWrite } from './service/bulk.ts'
import type { Row } from './service/codec.ts'
import { codecOf } from './service/codec.ts'
import { createRecordDeletion } from './service/deletion.ts'
import { createRecordFinder } from './service/finder.ts'
import { prepareCreate, prepareUpdate } from './service/prepare.ts'
import type { PrepareEnv } from './service/prepare.ts'
import { createIncomingReferences } from './service/references.ts'
import { sanitizeHtml } from './service/sanitize-html.ts'
import { findUpsertMatch } from './service/upsert.ts'
import { requireVersion } from './service/versions.ts'
import { createRecordWriter } from './service/writer.ts'
import { getRow } from './store.ts'

/** What the service is made from. */
export type DataServiceHost = Pick<
  PluginHost,
  'read' | 'write' | 'heavy' | 'clock' | 'ids' | 'optionalService' | 'database'
> & {
  authorizer(): Authorizer
  metadata: MetadataService
  settings: SettingsService
  cursorKey: CursorKey
}

const bulkActions: Readonly<Record<BulkOperation, RecordAction>> = {
  create: 'create',
  update: 'edit',
  upsert: 'edit',
  delete: 'delete',
}

/** Makes the data service of one host. */
export function createDataService(host: DataServiceHost): DataService {
  const { metadata, settings, clock } = host
  const search = host.optionalService('search')
  const today = (): string => dateInZone(clock.now(), settings.get('timezone'))
  const queryEnv = (): QueryEnv => ({
    timeZone: settings.get('timezone'),
    defaultCurrency: settings.get('currency'),
    now: clock.now(),
    userId: localOwnerId,
    schemaOf: metadata.objectSchema,
  })
  const writer = createRecordWriter({ metadata, search, clock, ids: host.ids, today, queryEnv })
  const incoming = createIncomingReferences(metadata)
  const deletion = createRecordDeletion({ metadata, search, clock, incoming, writer })
  const finder = createRecordFinder({ ...host, search, incoming })

  const schemaFor = (ctx: RequestContext, object: string, action: RecordAction): ObjectSchema => {
    const schema = metadata.objectSchema(object)
    if (schema === undefined || schema.abstract) throw notFound('object', object)
    requireObjectAction(host.authorizer(), ctx, object, action)
    return schema
  }

  const envFor = (ctx: RequestContext, object: string): PrepareEnv => {
    const authorizer = host.authorizer()
    return {
      timeZone: settings.get('timezone'),
      defaultCurrency: settings.get('currency'),
      sanitizeHtml,
      userId: ctx.actor.id,
      now: clock.iso(),
      today: today(),
      userExists: (id) => id === localOwnerId || id === ctx.actor.id,
      ...(authorizer.isUnrestricted(ctx)
        ? {}
        : { canEdit: (field: string) => authorizer.canField(ctx, object, field, 'editable') }),
    }
  }

  /** The live row, or 404; ids that are no UUID name nothing. */
  const requireRow = (
    read: Parameters<typeof getRow>[0],
    schema: ObjectSchema,
    id: string,
    deletedToo = false,
  ): Row => {
    const uuid = parseUuid(id)
    const row = uuid === null ? undefined : getRow(read, schema, uuid)
    if (row === undefined || (row['deleted_at'] !== null && !deletedToo)) throw notFound('record', id, schema.name)
    return row
  }

  const stored = (schema: ObjectSchema, written: { id: string; record: Record<string, unknown> }): StoredRecord => ({
    object: schema.name,
    id: written.id,
    record: written.record,
  })

  const itemWrite = (
    ctx: RequestContext,
    schema: ObjectSchema,
    env: PrepareEnv,
    operation: BulkOperation,
    item: BulkItem,
    purge = false,
  ): ItemWrite => {
    if (operation === 'delete') {
      const id = requireItemId(item)
      return (tx) => {
        const row = requireRow(tx, schema, id, purge)
        requireVersion(item.expectedVersion, row['updated_at'] as string, () => codecOf(schema).toRecord(row))
        deletion.remove(tx, ctx, schema, row, purge)
        return { id: row['id'] as string, operation: 'delete' }
      }
    }
    const data = requireItemData(item)
    if (operation === 'create') {
      const prepared = prepareCreate(schema, item.id === undefined ? data : { id: item.id, ...data }, env)
      return (tx) => ({ ...writer.create(tx, ctx, schema, prepared), operation: 'create' })
    }
    if (operation === 'update') {
      const id = requireItemId(item)
      return (tx) => {
        const row = requireRow(tx, schema, id)
        requireVersion(item.expectedVersion, row['updated_at'] as string, () => codecOf(schema).toRecord(row))
        return { ...writer.update(tx, ctx, schema, row, prepareUpdate(schema, data, row, env)), operation: 'update' }
      }
    }
    return (tx) => {
      const match = findUpsertMatch(tx, schema, item, env, queryEnv())
      if (match.row === undefined) {
        const prepared = prepareCreate(schema, { ...match.values, ...data }, env)
        return { ...writer.create(tx, ctx, schema, prepared), operation: 'create' }
      }
      let { row } = match
      requireVersion(item.expectedVersion, row['updated_at'] as string, () => codecOf(schema).toRecord(row))
      if (row['deleted_at'] !== null) {
        if (!host.authorizer().canObject(ctx, schema.name, 'restore'))
          throw platformError('conflict', { reason: 'deleted' })
        deletion.restore(tx, ctx, schema, row)
        row = requireRow(tx, schema, row['id'] as string)
      }
      return { ...writer.update(tx, ctx, schema, row, prepareUpdate(schema, data, row, env)), operation: 'update' }
    }
  }

  let hooks: RecordHooks | undefined

  return {
    setHooks(given) {
      if (hooks !== undefined) throw new Error('The data service has hooks already.')
      hooks = given
    },

    get: (ctx, input) => finder.get(ctx, schemaFor(ctx, input.object, 'read'), input),

    find: (ctx, object, query) => finder.find(ctx, schemaFor(ctx, object, 'read'), query),

    explain: (ctx, object, query) => finder.explain(ctx, schemaFor(ctx, object, 'read'), query),

    async create(ctx, { object, data }) {
      const schema = schemaFor(ctx, object, 'create')
      const prepared = prepareCreate(schema, data, envFor(ctx, object))
      return stored(schema, await host.write('data.create', (tx) => writer.create(tx, ctx, schema, prepared)))
    },

    async update(ctx, { object, id, data, expectedVersion }) {
      const schema = schemaFor(ctx, object, 'edit')
      const env = envFor(ctx, object)
      const seen = requireRow(host.read, schema, id)
      const record = (row: Row) => () => codecOf(schema).toRecord(row)
      requireVersion(expectedVersion, seen['updated_at'] as string, record(seen))
      const prepared = prepareUpdate(schema, data, seen, env)
      const written = await host.write('data.update', (tx) => {
        const row = requireRow(tx, schema, id)
        if (row['updated_at'] === seen['updated_at']) return writer.update(tx, ctx, schema, row, prepared)
        // Somebody wrote in between: the change is judged again against the row as it is now.
        requireVersion(expectedVersion, row['updated_at'] as string, record(row))
        return writer.update(tx, ctx, schema, row, prepareUpdate(schema, data, row, env))
      })
      return stored(schema, written)
    },

    async remove(ctx, { object, id, expectedVersion, purge = false }) {
      const schema = schemaFor(ctx, object, purge ? 'purge' : 'delete')
      const done = await host.write('data.delete', (tx) => {
        const row = requireRow(tx, schema, id, purge)
        requireVersion(expectedVersion, row['updated_at'] as string, () => codecOf(schema).toRecord(row))
        return { id: row['id'] as string, ...deletion.remove(tx, ctx, schema, row, purge) }
      })
      return { object: schema.name, ...done }
    },

    async restore(ctx, { object, id, expectedVersion }) {
      const schema = schemaFor(ctx, object, 'restore')
      const written = await host.write('data.restore', (tx) => {
        const row = requireRow(tx, schema, id, true)
        requireVersion(expectedVersion, row['updated_at'] as string, () => codecOf(schema).toRecord(row))
        return deletion.restore(tx, ctx, schema, row)
      })
      return stored(schema, written)
    },

    async createMany(ctx, { object, records }) {
      const schema = schemaFor(ctx, object, 'create')
      checkBulkSize('records', records.map(givenId), settings.get('maxBatchRecords'))
      const env = envFor(ctx, object)
      const done = await createAll({
        ctx,
        schema,
        records: records.map((data) => ({ data })),
        prepare: (item) => itemWrite(ctx, schema, env, 'create', item),
        write: host.write,
      })
      return done.map((item) => item.record)
    },

    stream: (ctx, object, query) => finder.stream(ctx, schemaFor(ctx, object, 'read'), query),

    async bulk(ctx, { object, operation, records, options, maxRecords, purge = false, alongside }) {
      const schema = schemaFor(ctx, object, purge ? 'purge' : bulkActions[operation])
      if (operation === 'upsert') requireObjectAction(host.authorizer(), ctx, object, 'create')
      checkBulkSize(
        'records',
        records.map((item) => item.id),
        maxRecords ?? settings.get('maxBatchRecords'),
      )
      const env = envFor(ctx, object)
      const prepare = (item: BulkItem): ItemWrite => itemWrite(ctx, schema, env, operation, item, purge)
      return runBulk({ ctx, schema, operation, records, options, prepare, write: host.write, alongside })
    },
  }
}

function givenId(data: Record<string, unknown>): string | undefined {
  return typeof data['id'] === 'string' ? data['id'] : undefined
}
