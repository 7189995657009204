// Handlers of the data routes: request words to service calls and back. Holds the gates of an object's API (D-71).
import type { dataRoutes } from '#shared/contracts/data.ts'
import { notFound, validationError } from '#shared/errors.ts'
import { listMethods, requireApiMethods } from '#shared/object-api.ts'
import type { ApiMethod } from '#shared/object-api.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads } from '#main/kernel/database.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import { Reply } from '#main/kernel/reply.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { BulkOptions, CreatedMany, DataService, RecordQuery, StoredRecord } from './api.ts'
import { bodyQuery, listQuery } from './service/list-query.ts'
import { readFlag } from './service/query-reader.ts'
import { inlineName, inlineTriggers } from './service/triggers/trigger-list.ts'
import { readRuns } from './service/triggers/trigger-store.ts'

const defaults: BulkOptions = { atomic: true, returnRecords: false, continueOnError: false, validateOnly: false }

/** Makes the handlers over the service. */
export function dataHandlers(
  data: DataService,
  metadata: MetadataService,
  read: Pick<Reads, 'all'>,
  isWithin: (ctx: RequestContext, object: string, recordId: string) => boolean,
): Handlers<typeof dataRoutes> {
  /** @throws resource_not_found, method_not_allowed */
  const gate = (object: string, ...methods: readonly ApiMethod[]): void =>
    requireApiMethods(metadata.objectSchema(object), ...methods)
  const find = (ctx: Parameters<DataService['find']>[0], object: string, query: RecordQuery) => {
    gate(object, ...listMethods(query))
    return data.list(ctx, object, query)
  }

  /** Whether there is such a trigger, as an item or written in an object. */
  const isTrigger = (name: string): boolean =>
    metadata.get('trigger', name) !== undefined ||
    metadata
      .objectSchemas()
      .some((schema) => inlineTriggers(schema).some((item, index) => inlineName(schema, item, index) === name))

  return {
    listRecords: (ctx, { params, query }) => find(ctx, params.object, listQuery(ctx, query)),
    queryRecords: (ctx, { params, body }) => find(ctx, params.object, bodyQuery(body ?? {})),
    getRecord(ctx, { params, query }) {
      gate(params.object, 'get')
      const select = query.select ?? query.fields
      const found = data.get(ctx, { ...params, select, expand: query.expand })
      return found instanceof Promise ? found.then(versioned) : versioned(found)
    },
    createRecord(ctx, { params, body }) {
      gate(params.object, 'create')
      return data.create(ctx, { object: params.object, data: body }, ctx.effectKey?.keep)
    },
    updateRecord(ctx, { params, body, headers }) {
      gate(params.object, 'update')
      const { expectedVersion, ...values } = body
      const version = expectedVersionOf(versionText(expectedVersion), headers['if-match'])
      const input = { ...params, data: values, expectedVersion: version }
      return data.update(ctx, input, undefined, ctx.effectKey?.keep)
    },
    async deleteRecord(ctx, { params, query, body, headers }) {
      const purge = readFlag(lastOf(query.purge), 'purge')
      gate(params.object, purge ? 'purge' : 'delete')
      const expectedVersion = expectedVersionOf(query.expectedVersion ?? body?.expectedVersion, headers['if-match'])
      const { object, id, purged, ...rest } = await data.remove(ctx, { ...params, purge, expectedVersion })
      return { object, id, success: true, deleted: true, ...(purged ? { purged } : {}), ...rest }
    },
    restoreRecord(ctx, { params, body, headers }) {
      gate(params.object, 'restore')
      const expectedVersion = expectedVersionOf(body?.expectedVersion, headers['if-match'])
      return data.restore(ctx, { ...params, expectedVersion }, ctx.effectKey?.keep)
    },
    batchRecords(ctx, { params, body: { operation, records, options = defaults } }) {
      gate(params.object, 'bulk', operation)
      return data.bulk(ctx, { ...params, operation, records, options }, ctx.effectKey?.keep)
    },
    async createManyRecords(ctx, { params, body }) {
      gate(params.object, 'bulk', 'create')
      const { object } = params
      const given = Array.isArray(body) ? body : body.records
      const answerOf = ({ records, warnings }: CreatedMany) => {
        return { object, records, count: records.length, ...(warnings.length === 0 ? {} : { warnings }) }
      }
      return answerOf(
        await data.createMany(ctx, { object, records: given }, (tx, made) => ctx.effectKey?.keep?.(tx, answerOf(made))),
      )
    },
    updateManyRecords(ctx, { params, body: { records, options = defaults } }) {
      gate(params.object, 'bulk', 'update')
      return data.bulk(ctx, { ...params, operation: 'update', records, options }, ctx.effectKey?.keep)
    },
    deleteManyRecords(ctx, { params, body: { ids, options = defaults } }) {
      gate(params.object, 'bulk', 'delete')
      const records = ids.map((id) => ({ id }))
      const input = { ...params, operation: 'delete', records, listName: 'ids', options } as const
      return data.bulk(ctx, input, ctx.effectKey?.keep)
    },
    // The gates of each object are asked with its operations: what one of them does not offer is that one's failure.
    batchAcrossObjects: (ctx, { body }) =>
      data.write(ctx, body.operations, body.options ?? defaults, ctx.effectKey?.keep),
    listTriggerRuns(ctx, { params, query }) {
      const limit = checkedLimit(query.limit ?? 50)
      const found = readRuns(read, params.name, runCursor(query.cursor), limit + 1)
      if (found.length === 0 && !isTrigger(params.name)) throw notFound('trigger', params.name)
      const page = found.slice(0, limit)
      // What was done about a record of another organization, and why it failed, is not told (D-41).
      const shown = page.filter(({ object, recordId }) => isWithin(ctx, object, recordId))
      const runs = shown.map((run) => ({ ...run, eventId: String(run.eventId) }))
      const hasMore = found.length > limit
      return { runs, hasMore, ...(hasMore ? { nextCursor: `${page.at(-1)!.eventId}.${page.at(-1)!.action}` } : {}) }
    },
    cloneRecord(ctx, { params, body }) {
      gate(params.object, 'clone')
      return data.clone(ctx, { ...params, overrides: body?.overrides }, ctx.effectKey?.keep)
    },
    transferRecord(ctx, { params, body, headers }) {
      gate(params.object, 'update')
      const version = expectedVersionOf(body.expectedVersion, headers['if-match'])
      return data.transfer(ctx, { ...params, owner: body.owner, expectedVersion: version }, ctx.effectKey?.keep)
    },
    revealSecret(ctx, { params, body }) {
      gate(params.object, 'get')
      return data.reveal(ctx, { ...params, field: body.field })
    },
  }
}

/**
 * Chooses the expected version of a write: body or query first, then `If-Match`. Quotes and `W/` are taken off.
 * Undefined means no check, `*` mere existence.
 * @source D-55
 */
function expectedVersionOf(given: string | undefined, ifMatch: string | undefined): string | undefined {
  const token = given ?? ifMatch
  if (token === undefined) return undefined
  return token
    .trim()
    .replace(/^W\//, '')
    .replace(/^"(.*)"$/, '$1')
}

/** A record with the version writes compare with. */
function versioned(found: StoredRecord): Reply<StoredRecord> {
  return new Reply(found, { headers: { ETag: `"${String(found.record['updated_at'])}"` } })
}

/** @throws validation_error for a limit outside of 1 to 200 (D-14) */
function checkedLimit(limit: number): number {
  if (limit >= 1 && limit <= 200) return limit
  const code = limit < 1 ? 'min_value' : 'max_value'
  throw validationError([{ field: 'limit', code, message: 'The limit is 1 to 200.', value: limit }])
}

/** Where a list of runs goes on. @throws validation_error */
function runCursor(text: string | undefined): { eventId: number; action: number } {
  if (!text) return { eventId: Number.MAX_SAFE_INTEGER, action: 0 }
  const parts = /^(\d{1,16})\.(\d{1,3})$/.exec(text)
  if (parts !== null) return { eventId: Number(parts[1]), action: Number(parts[2]) }
  throw validationError([{ field: 'cursor', code: 'invalid_format', message: 'The cursor is not one of this list.' }])
}

/** @throws validation_error for a version that is no text: a write that expects one is never done without looking (D-55) */
function versionText(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  throw validationError([{ field: 'expectedVersion', code: 'invalid_type', message: 'Expected a text.', value }])
}

function lastOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value.at(-1) : value
}
