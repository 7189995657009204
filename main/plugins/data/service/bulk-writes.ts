// The bulk operations of the service: the batch of one object, createMany, and the batch across objects (D-63 to D-66).
// Rights and gates are checked here; bulk.ts decides about transactions, bulk-items.ts about single records.
import { PlatformError } from '#shared/errors.ts'
import { requireApiMethods } from '#shared/object-api.ts'
import type { RecordAction } from '#shared/route.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { requireObjectAction } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { BatchStep, BulkItem, BulkOperation, BulkOptions, DataService } from '../api.ts'
import { checkBulkSize, createAll, runBulk } from './bulk.ts'
import type { BulkStep } from './bulk-items.ts'
import { createBulkItems } from './bulk-items.ts'
import type { PrepareEnv } from './prepare.ts'
import type { WriteParts } from './write-parts.ts'
import { requireDepth } from './write-parts.ts'

const bulkActions: Readonly<Record<BulkOperation, RecordAction>> = {
  create: 'create',
  update: 'edit',
  upsert: 'edit',
  delete: 'delete',
}

/** Makes the operations. */
export function createBulkWrites(parts: WriteParts): Pick<DataService, 'bulk' | 'createMany' | 'batch'> {
  const { write, isBusy, rules, summaries, access } = parts

  /** The steps of a batch across objects; what is wrong with one of them is that one's failure. */
  const stepOf = (ctx: RequestContext, envs: Map<ObjectSchema, PrepareEnv>, given: BatchStep): BulkStep => {
    const { object, action, ...item } = given
    try {
      const schema = parts.schemaFor(ctx, object, bulkActions[action])
      requireApiMethods(schema, 'bulk', action)
      if (action === 'upsert') requireObjectAction(parts.authorizer(), ctx, object, 'create')
      const env = envs.get(schema) ?? parts.envFor(ctx, schema)
      envs.set(schema, env)
      return { schema, operation: action, item: item as BulkItem, env, purge: false }
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      return { failure: error, item: item as BulkItem }
    }
  }

  /** Answers when nothing of what was purged is left in a search index either. */
  const runToEnd = async (
    run: Pick<Parameters<typeof runBulk>[0], 'ctx' | 'operation' | 'options' | 'items' | 'alongside'>,
  ): ReturnType<typeof runBulk> => {
    const result = await runBulk({ ...run, write, isBusy, rules, access, summaries })
    await parts.rows.settled(run.ctx)
    return result
  }

  return {
    async bulk(ctx, input) {
      const { object, operation, records, options, maxRecords, purge = false, alongside, listName = 'records' } = input
      const { problems, clearsSearch = false } = input
      const schema = parts.schemaFor(ctx, object, purge ? 'purge' : bulkActions[operation])
      if (operation === 'upsert') requireObjectAction(parts.authorizer(), ctx, object, 'create')
      requireDepth(ctx)
      checkBulkSize(
        listName,
        records.map(({ id, data }) => id ?? (operation === 'create' && data !== undefined ? givenId(data) : undefined)),
        maxRecords ?? parts.maxBatchRecords(),
      )
      const env = parts.envFor(ctx, schema)
      const steps = records.map((item, index): BulkStep => {
        const known = problems?.get(index)
        return { schema, operation, item, env, purge, clearsSearch, ...(known !== undefined && { problems: known }) }
      })
      const items = createBulkItems(parts, triedBy(ctx, options), steps, { references: false })
      return runToEnd({ ctx, operation, options, items, alongside })
    },

    async createMany(ctx, { object, records }) {
      const schema = parts.schemaFor(ctx, object, 'create')
      requireDepth(ctx)
      checkBulkSize('records', records.map(givenId), parts.maxBatchRecords())
      const env = parts.envFor(ctx, schema)
      const steps = records.map((data): BulkStep => ({
        schema,
        operation: 'create',
        item: { data },
        env,
        purge: false,
      }))
      const items = createBulkItems(parts, ctx, steps, { references: false })
      const done = await createAll({ ctx, items, write, isBusy, rules, access, summaries })
      return {
        records: done.map(({ record }) => record),
        warnings: done.flatMap(({ warnings }, index) => warnings.map((warning) => ({ index, ...warning }))),
      }
    },

    async batch(ctx, { operations, options }) {
      requireDepth(ctx)
      const limit = parts.maxBatchRecords()
      // A record may be named again by later operations: they are done in the order of the request.
      checkBulkSize(
        'operations',
        operations.map(() => undefined),
        limit,
      )
      const envs = new Map<ObjectSchema, PrepareEnv>()
      const steps = operations.map((given) => stepOf(ctx, envs, given))
      const items = createBulkItems(parts, triedBy(ctx, options), steps, { references: true })
      return runToEnd({ ctx, operation: undefined, options, items })
    },
  }
}

/** The context of hooks, which are told when nothing is to stay. */
function triedBy(ctx: RequestContext, { validateOnly }: BulkOptions): RequestContext {
  return validateOnly ? { ...ctx, validateOnly } : ctx
}

function givenId(data: Record<string, unknown>): string | undefined {
  return typeof data['id'] === 'string' ? data['id'] : undefined
}
