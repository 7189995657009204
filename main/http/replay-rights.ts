// Whether the answer of an earlier write may be told again: rights may have changed since. Knows no permission.
import type { RequestContext } from '#main/kernel/context.ts'
import type { ReplayRights } from './idempotency.ts'

/** Whether a caller may read a record now. */
export type SeesRecord = (ctx: RequestContext, object: string, id: string) => boolean

/** The rights of a caller, as far as kept answers ask. @source D-401 */
export function replayRights(
  ctx: RequestContext,
  object: unknown,
  { fingerprint, sees }: { readonly fingerprint: (ctx: RequestContext) => string; readonly sees: SeesRecord },
): ReplayRights {
  return {
    stamp: () => fingerprint(ctx),
    mayTell: (body) => recordsIn(JSON.parse(body), object).every(([name, id]) => sees(ctx, name, id)),
  }
}

type Named = readonly [object: string, id: string]

/** The records whose values an answer holds: those below `record`, `records` and `currentRecord`, of the nearest `object`. */
function recordsIn(value: unknown, around: unknown): Named[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((one: unknown) => recordsIn(one, around))
  const { object = around, record, currentRecord, records, ...rest } = value as Readonly<Record<string, unknown>>
  const own = [record, currentRecord, ...(Array.isArray(records) ? (records as unknown[]) : [])].flatMap(
    (one): Named[] => {
      const id = typeof one === 'object' && one !== null && 'id' in one ? one.id : undefined
      return typeof object === 'string' && typeof id === 'string' ? [[object, id]] : []
    },
  )
  return [...own, ...Object.values(rest).flatMap((part) => recordsIn(part, object))]
}
