// What scripts may do with records: five calls, each through the data service with the rights of the actor (D-99).
import { PlatformError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { ScriptMethod } from '#main/kernel/script-messages.ts'
import type { DataService, RecordQuery } from '#main/plugins/data/api.ts'

/** Members of a list call that a script may set. */
const queryMembers = [
  'filter',
  'select',
  'sort',
  'top',
  'skip',
  'expand',
  'search',
  'searchFields',
  'distinct',
  'count',
  'aggregations',
  'groupBy',
  'having',
  'cursor',
] as const satisfies readonly (keyof RecordQuery)[]

/**
 * Answers a call with JSON text; a refusal becomes an error the script can catch. Writes caused by writes count up.
 * @param args JSON text of the arguments
 */
export async function answerCall(
  data: DataService,
  caller: RequestContext,
  method: ScriptMethod,
  args: string,
): Promise<string> {
  // What the caller's own write stands for is nothing a script writes because of it.
  const { entrySource: _own, ...rest } = caller
  const ctx: RequestContext = { ...rest, source: 'automation', depth: caller.depth + 1 }
  const [object, second, third] = JSON.parse(args) as [unknown, unknown, unknown]
  if (typeof object !== 'string') throw new Error(`records.${method} needs the name of an object.`)
  switch (method) {
    case 'get':
      return JSON.stringify((await data.get(ctx, { object, id: textOf(second, method) })).record)
    case 'list': {
      const page = await data.find(ctx, object, queryOf(second))
      return JSON.stringify(page)
    }
    case 'create':
      return JSON.stringify(await write(data, ctx, { object, operation: 'create', data: mapOf(second, method) }))
    case 'update': {
      const id = textOf(second, method)
      return JSON.stringify(await write(data, ctx, { object, operation: 'update', id, data: mapOf(third, method) }))
    }
    case 'delete':
      return JSON.stringify(await write(data, ctx, { object, operation: 'delete', id: textOf(second, method) }))
  }
}

/** One write of a script. */
type ScriptWrite =
  | { readonly object: string; readonly operation: 'create'; readonly data: Record<string, unknown> }
  | {
      readonly object: string
      readonly operation: 'update'
      readonly id: string
      readonly data: Record<string, unknown>
    }
  | { readonly object: string; readonly operation: 'delete'; readonly id: string }

/** What a script is answered: the record, or what a deletion says of it. */
async function write(data: DataService, ctx: RequestContext, asked: ScriptWrite): Promise<unknown> {
  if (ctx.validateOnly === true) return tryWrite(data, ctx, asked)
  if (asked.operation === 'create') return (await data.create(ctx, asked)).record
  if (asked.operation === 'update') return (await data.update(ctx, asked)).record
  return data.remove(ctx, asked)
}

/** The same in a transaction that is rolled back, where the write around the script is one as well. */
async function tryWrite(data: DataService, ctx: RequestContext, asked: ScriptWrite): Promise<unknown> {
  const { object, operation, ...record } = asked
  const { results } = await data.bulk(ctx, { object, operation, records: [record], options: triedOptions })
  const [result] = results
  const error = result!.errors?.[0]
  if (error !== undefined) throw new PlatformError(error.code, error, error.details)
  return operation === 'delete' ? { object, id: asked.id, purged: false } : result!.record
}

const triedOptions = { atomic: true, returnRecords: true, continueOnError: false, validateOnly: true } as const

function queryOf(value: unknown): RecordQuery {
  if (value === undefined || value === null) return {}
  const given = mapOf(value, 'list')
  const query: RecordQuery = {}
  for (const member of queryMembers) if (Object.hasOwn(given, member)) query[member] = given[member]
  return query
}

function textOf(value: unknown, method: string): string {
  if (typeof value === 'string') return value
  throw new Error(`records.${method} needs the id of a record.`)
}

function mapOf(value: unknown, method: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new Error(`records.${method} needs an object of values.`)
}
