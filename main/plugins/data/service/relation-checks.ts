// What a save of an object must know of other objects: how long the chain of its masters is, and
// whether its summaries can be kept (D-94); besides, whether filters of its indexes can be asked. Asked before the tables are changed.
import { PlatformError, validationError } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import { parseFilter } from '#shared/filter/parse-filter.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { resolveFilter } from '#shared/filter/resolve-filter.ts'
import type { ResolvedFilter } from '#shared/filter/resolved-filter.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { MetadataService, TypeHook } from '#main/plugins/metadata/api.ts'
import { compile } from './schema-change/change-parts.ts'
import { indexFilterProblems } from './schema-change/index-filters.ts'
import { summaryRelation } from './summary-rules.ts'

/** How many levels may own each other. */
const maxLevels = 3

/** The hook of type `object`, with relations and summaries checked before it plans. */
export function withRelationChecks(hook: TypeHook, metadata: MetadataService, queryEnv: () => QueryEnv): TypeHook {
  return {
    ...hook,
    plan(previous, next, reads, mayWait) {
      const schema = compile(next)
      if (schema !== null) refuseRelations(compile(previous), schema, metadata.objectSchemas(), queryEnv())
      return hook.plan(previous, next, reads, mayWait)
    },
  }
}

/**
 * Refuses an object whose masters or summaries could not be kept.
 * @param others every object there is; the checked one may be among them as it was
 * @throws validation_error
 */
export function refuseRelations(
  before: ObjectSchema | null,
  schema: ObjectSchema,
  others: readonly ObjectSchema[],
  env: QueryEnv,
): void {
  const world = new Map(others.filter((other) => other.uid !== schema.uid).map((other) => [other.name, other]))
  world.set(schema.name, schema)
  const problems = [
    ...masterProblems(schema, world),
    ...summaryProblems(before, schema, world, env),
    ...referenceFilterProblems(before, schema, world, env),
    ...indexFilterProblems(schema, env),
  ]
  if (problems.length > 0) throw validationError(problems)
}

type World = ReadonlyMap<string, ObjectSchema>

function masterProblems(schema: ObjectSchema, world: World): FieldError[] {
  const fields = schema.fields.filter((field) => field.type === 'master_detail')
  const problems: FieldError[] = []
  if (fields.length === 0) return problems
  const below = longest(schema, (at) => [...world.values()].filter((other) => mastersOf(other).includes(at.name)))
  for (const field of fields) {
    const master = world.get(field.reference!)
    if (master === undefined) continue
    const above = longest(master, (at) => mastersOf(at).flatMap((name) => world.get(name) ?? []))
    if (above === Infinity || below === Infinity) {
      problems.push(problem(field, 'reference', 'The object would own itself.', maxLevels))
    } else if (above + 1 + below > maxLevels) {
      problems.push(problem(field, 'reference', `Masters own details over at most ${maxLevels} levels.`, maxLevels))
    }
  }
  return problems
}

function mastersOf(schema: ObjectSchema): string[] {
  return schema.fields.flatMap((field) => (field.type === 'master_detail' ? [field.reference!] : []))
}

/** Steps of the longest way; infinite when a way comes back to where it was. */
function longest(
  from: ObjectSchema,
  next: (at: ObjectSchema) => readonly ObjectSchema[],
  path: readonly string[] = [],
): number {
  if (path.includes(from.name)) return Infinity
  const way = [...path, from.name]
  return next(from).reduce((most, other) => Math.max(most, 1 + longest(other, next, way)), 0)
}

function summaryProblems(before: ObjectSchema | null, schema: ObjectSchema, world: World, env: QueryEnv): FieldError[] {
  return schema.fields.flatMap((field) => {
    const operations = field.type === 'summary' ? field.settings.summaryOperations : undefined
    const child = operations === undefined ? undefined : world.get(operations.object)
    // An object that is not there yet is checked by nobody: the summary begins when it and its relation exist.
    if (operations === undefined || child === undefined) return []
    const problems: FieldError[] = []
    const { relationField } = operations
    const relation = relationField === undefined ? undefined : child.byName.get(relationField)
    // While the object is renamed, others still lead to its old name.
    const names = before === null ? [schema.name] : [schema.name, before.name]
    if (relation !== undefined && !names.some((name) => summaryRelation(child, name, relationField) !== undefined))
      problems.push(problem(field, 'summaryOperations.relationField', 'The field does not lead here.', relation.type))
    const source = operations.field === undefined ? undefined : child.byName.get(operations.field)
    if (source !== undefined && operations.function !== 'count') {
      if (fieldTypeOf(source).flags.aggregatable !== 'all')
        problems.push(problem(field, 'summaryOperations.field', 'The field is no number.', source.type))
      else if (feeds(schema, field, child, source, world))
        problems.push(problem(field, 'summaryOperations.field', 'The summary would follow from itself.'))
    }
    if (operations.filter !== undefined && operations.filter !== null) {
      const reason = filterProblem(child, operations.filter, { ...env, schemaOf: (name) => world.get(name) })
      const known = before?.fields.find((other) => other.uid === field.uid)?.settings.summaryOperations?.filter
      if (reason !== null && !isRenamed(known, operations.filter))
        problems.push(problem(field, 'summaryOperations.filter', reason))
    }
    return problems
  })
}

/** Filters of relations that cannot be asked of the records they narrow: they would refuse every write. */
function referenceFilterProblems(
  before: ObjectSchema | null,
  schema: ObjectSchema,
  world: World,
  env: QueryEnv,
): FieldError[] {
  return schema.fields.flatMap((field) => {
    const filter = field.settings.referenceFilters
    const target = field.type === 'tree' ? schema : world.get(field.reference ?? '')
    if (filter === undefined || filter === null || target === undefined) return []
    const known = before?.fields.find((other) => other.uid === field.uid)?.settings.referenceFilters
    if (isRenamed(known, filter)) return []
    try {
      resolveFilter(target, parseFilter(filter), { ...env, schemaOf: (name) => world.get(name) })
      return []
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      return [problem(field, 'referenceFilters', String(error.details['reason'] ?? error.message))]
    }
  })
}

/** Whether a summary's source follows, over other summaries, from the summary itself; trees of one object may. */
function feeds(
  target: ObjectSchema,
  targetField: FieldSchema,
  child: ObjectSchema,
  source: FieldSchema,
  world: World,
): boolean {
  const seen = new Set<string>()
  let [at, field]: [ObjectSchema, FieldSchema] = [child, source]
  for (;;) {
    const key = `${at.name}.${field.name}`
    if (at.name === target.name && field.name === targetField.name) return child.name !== target.name
    const operations = field.type === 'summary' ? field.settings.summaryOperations : undefined
    const next = operations?.field === undefined ? undefined : world.get(operations.object)
    const nextField = next?.byName.get(operations!.field!)
    if (seen.has(key) || next === undefined || nextField === undefined) return false
    seen.add(key)
    ;[at, field] = [next, nextField]
  }
}

/** Why a filter cannot be kept up to date; null when it can. */
function filterProblem(child: ObjectSchema, filter: unknown, env: QueryEnv): string | null {
  try {
    return foreignTerm(resolveFilter(child, parseFilter(filter), env))
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    const reason = error.details['reason']
    return typeof reason === 'string' ? reason : error.message
  }
}

/** Whether two filters differ in names only: fields that are renamed in the same save have their new names already. */
function isRenamed(before: unknown, after: unknown): boolean {
  return before !== undefined && JSON.stringify(before) !== JSON.stringify(after) && shape(before) === shape(after)
}

function shape(filter: unknown): string {
  if (Array.isArray(filter)) {
    const [first, ...rest] = filter as unknown[]
    return `[${[typeof first === 'string' ? '*' : shape(first), ...rest.map(shape)].join(',')}]`
  }
  if (typeof filter !== 'object' || filter === null) return JSON.stringify(filter)
  return `{${Object.entries(filter).map(([key, value]) => `${key.startsWith('$') ? key : '*'}:${shape(value)}`)}}`
}

function foreignTerm(filter: ResolvedFilter): string | null {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.children.reduce<string | null>((found, part) => found ?? foreignTerm(part), null)
    case 'not':
      return foreignTerm(filter.child)
    case 'search':
      return 'The filter of a summary cannot search.'
    case 'some':
      return foreignTerm(filter.child)
    case 'among':
    case 'related':
      return 'Rights are no part of summaries.'
    case 'condition':
      return filter.hops.length > 0 ? 'The filter of a summary looks at fields of the summed object only.' : null
  }
}

function problem(field: FieldSchema, key: string, message: string, constraint?: unknown): FieldError {
  const path = `fields.${field.name}.${key}`
  return { field: path, code: 'not_allowed', message, ...(constraint === undefined ? {} : { constraint }) }
}
