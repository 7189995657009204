// Row rules as filters (D-44, D-50): checked when they are saved, made for one user when they are asked.
import { PlatformError } from '#shared/errors.ts'
import { ExpressionError } from '#shared/expression/compile-expression.ts'
import type { Filter } from '#shared/filter/filter.ts'
import { parseFilter } from '#shared/filter/parse-filter.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { resolveFilter } from '#shared/filter/resolve-filter.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { ConditionUser } from './cel-condition.ts'
import { conditionFilter } from './cel-condition.ts'
import type { RowRule } from './right-set.ts'

type SchemaOf = (object: string) => ObjectSchema | undefined

/** Somebody for whom every condition can be made. */
const anybody: ConditionUser = {
  id: '00000000-0000-7000-8000-000000000000',
  email: 'somebody@example.org',
  roles: ['somebody'],
  profile: 'standard',
  organizationId: '00000000-0000-7000-8000-000000000000',
}

/** The rule's filter for a user; null when it no longer fits its object: it then covers nothing. */
export function ruleFilter(
  rule: RowRule,
  schema: ObjectSchema,
  user: ConditionUser,
  schemaOf: SchemaOf,
): Filter | null {
  try {
    const filter = writtenFilter(rule.condition, user)
    resolveFilter(schema, filter, envOf(schemaOf, user.id))
    return filter
  } catch (error) {
    if (error instanceof PlatformError || error instanceof ExpressionError) return null
    throw error
  }
}

/** Why a condition cannot be asked in a list. */
export interface RuleProblem {
  readonly message: string
  /** Whether it names something the object does not have, or not under this name. */
  readonly isName: boolean
}

/** What is wrong with a condition; null for nothing. An unknown object is judged by its text alone. */
export function ruleProblem(
  condition: unknown,
  schema: ObjectSchema | undefined,
  schemaOf: SchemaOf,
): RuleProblem | null {
  try {
    const filter = writtenFilter(condition, anybody)
    if (schema !== undefined) resolveFilter(schema, filter, envOf(schemaOf, anybody.id), 'condition')
    return null
  } catch (error) {
    if (error instanceof ExpressionError) return { message: error.message, isName: false }
    if (!(error instanceof PlatformError)) throw error
    return { message: String(error.details['reason'] ?? error.message), isName: error.details['field'] !== undefined }
  }
}

/** CEL text, `{dialect, source}`, or a filter object. @throws ExpressionError, invalid_query */
function writtenFilter(condition: unknown, user: ConditionUser): Filter {
  const isMap = typeof condition === 'object' && condition !== null
  if (typeof condition === 'string' || (isMap && Object.hasOwn(condition, 'source'))) {
    return conditionFilter(condition, user)
  }
  const filter = parseFilter(condition, 'condition')
  if (holdsSearch(filter)) throw new ExpressionError('value', 'A row rule cannot search.')
  return filter
}

/** A search answers by an index that may be rebuilding; rights must not hang on it. */
function holdsSearch(filter: Filter): boolean {
  if (filter.kind === 'and' || filter.kind === 'or') return filter.children.some(holdsSearch)
  return filter.kind === 'not' ? holdsSearch(filter.child) : filter.kind === 'search'
}

/** Only whether the filter fits matters here, so the moment and the zone do not. */
function envOf(schemaOf: SchemaOf, userId: string): QueryEnv {
  return { timeZone: 'UTC', defaultCurrency: 'USD', now: 0, userId, schemaOf }
}
