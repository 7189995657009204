// What scripts may do with records: five calls, each through the data service with the rights of the actor (D-99).
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
      return JSON.stringify((await data.create(ctx, { object, data: mapOf(second, method) })).record)
    case 'update': {
      const written = await data.update(ctx, { object, id: textOf(second, method), data: mapOf(third, method) })
      return JSON.stringify(written.record)
    }
    case 'delete':
      return JSON.stringify(await data.remove(ctx, { object, id: textOf(second, method) }))
  }
}

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
