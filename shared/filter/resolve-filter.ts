// Gives every condition of a filter its field and its column values, or says why that cannot be. Pure.
import { formatInstant, startOfDate } from '#shared/calendar/iso.ts'
import { evaluateDateRange } from '#shared/calendar/macros.ts'
import { invalidQuery } from '#shared/errors.ts'
import type { PlatformError } from '#shared/errors.ts'
import { normalizeText } from '#shared/field-types/code-points.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { OperandResult } from '#shared/field-types/field-type.ts'
import type { FilterOperator } from '#shared/field-types/operator-classes.ts'
import { operatorClasses } from '#shared/field-types/operator-classes.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Filter, FilterAmong, FilterCondition, FilterRelated, FilterSome, Operand } from './filter.ts'
import { elementName } from './filter.ts'
import { isFieldMacro } from './filter-reader.ts'
import type { QueryEnv } from './query-env.ts'
import type { Comparison, FieldTest, ResolvedFilter, SearchOperator, TestValue } from './resolved-filter.ts'
import type { ResolvedPath } from './resolve-path.ts'
import { resolvePath } from './resolve-path.ts'
import { applyFunctions, resultField } from './value-functions.ts'

/**
 * Resolves a filter against an object.
 * @throws invalid_query for unknown fields, operators the type does not have, and operands that are not of the type
 * @source D-81, D-82, D-84, D-85, D-94
 */
export function resolveFilter(
  schema: ObjectSchema,
  filter: Filter,
  env: QueryEnv,
  parameter = 'filter',
): ResolvedFilter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return {
        kind: filter.kind,
        children: filter.children.map((child) => resolveFilter(schema, child, env, parameter)),
      }
    case 'not':
      return { kind: 'not', child: resolveFilter(schema, filter.child, env, parameter) }
    case 'search':
      return resolveSearch(schema, filter.query, filter.fields, env, parameter)
    case 'condition':
      return resolveCondition(schema, filter, env, parameter)
    case 'some':
      return resolveSome(schema, filter, env, parameter)
    case 'among':
    case 'related':
      return resolveRight(schema, filter, env, parameter)
  }
}

/** Parts of rights name what is there; a relation that is gone meanwhile lets nothing through. */
function resolveRight(
  schema: ObjectSchema,
  filter: FilterAmong | FilterRelated,
  env: QueryEnv,
  parameter: string,
): ResolvedFilter {
  const field = schema.byName.get(filter.field)
  if (field === undefined) return { kind: 'or', children: [] }
  if (filter.kind === 'among') return { kind: 'among', field, ids: filter.ids }
  const target = field.reference === null || field.multiple ? undefined : env.schemaOf(field.reference)
  if (target === undefined) return { kind: 'or', children: [] }
  return { kind: 'related', field, target, child: resolveFilter(target, filter.child, env, parameter) }
}

/** Elements are rows of one column, so that their conditions are those of fields. */
function resolveSome(schema: ObjectSchema, filter: FilterSome, env: QueryEnv, parameter: string): ResolvedFilter {
  const path = filter.path.join('.')
  const target = resolvePath(schema, filter.path, env, { parameter, path })
  const { field } = target
  const type = fieldTypeOf(field)
  const elementType = type.relation === true ? field.type : type.elementType
  if (!field.multiple || elementType === undefined)
    throw invalidQuery(parameter, `The field "${field.name}" is no list of values.`, { path })
  const plain = resultField(field, elementType)
  const element: FieldSchema = {
    ...plain,
    name: elementName,
    column: 'value',
    system: true,
    options: field.options,
    reference: field.reference,
  }
  const elements: ObjectSchema = {
    ...schema,
    table: '',
    fields: [],
    systemFields: [],
    visibleFields: [],
    searchFields: [],
    indexes: [],
    byName: new Map([[elementName, element]]),
    enable: { ...schema.enable, searchable: false },
    abstract: true,
  }
  return { kind: 'some', ...target, elements, child: resolveFilter(elements, filter.child, env, parameter) }
}

/**
 * Resolves a full-text condition; unnamed fields mean every searchable field.
 * @throws invalid_query when the object is not searchable or a field is not searched
 * @source D-88
 */
export function resolveSearch(
  schema: ObjectSchema,
  query: string,
  fields: readonly string[],
  env: QueryEnv,
  parameter = 'search',
  operator: SearchOperator = 'and',
): ResolvedFilter {
  if (!schema.enable.searchable) throw invalidQuery(parameter, 'The object is not searchable.', { path: '$search' })
  const readable = schema.searchFields.filter(
    (field) => !env.canRead || field.system || env.canRead(schema.name, field.name),
  )
  if (query.trim() === '') return { kind: 'and', children: [] }
  const chosen = fields.map((name) => {
    const field = readable.find((candidate) => candidate.name === name)
    if (!field) throw invalidQuery(parameter, `"${name.slice(0, 100)}" is not a searched field.`, { path: name })
    return field
  })
  // No field at all would mean every field to the index.
  if (readable.length === 0 && schema.searchFields.length > 0) return { kind: 'or', children: [] }
  return { kind: 'search', query, fields: chosen.length > 0 ? chosen : readable, operator }
}

/** One condition while it is resolved. */
interface Place {
  readonly target: ResolvedPath
  readonly condition: FilterCondition
  readonly schema: ObjectSchema
  readonly env: QueryEnv
  readonly parameter: string
}

const positiveOf: Partial<Record<FilterOperator, FilterOperator>> = {
  $ne: '$eq',
  $nin: '$in',
  $notContains: '$contains',
}

function resolveCondition(
  schema: ObjectSchema,
  condition: FilterCondition,
  env: QueryEnv,
  parameter: string,
): ResolvedFilter {
  const path = condition.path.join('.')
  const found = resolvePath(schema, condition.path, env, { parameter, path })
  if (condition.functions !== undefined) return resolveApplied(found, { condition, schema, env, parameter })
  return resolveTest({ target: found, condition, schema, env, parameter })
}

/** A condition on what functions make of a value: that value is a field of its own, in the column of the other. */
function resolveApplied(found: ResolvedPath, place: Omit<Place, 'target'>): ResolvedFilter {
  const besides = (name: string): FieldSchema => ownField({ ...place, target: found }, name)
  const result = applyFunctions(found.field, found.inner.length > 0, place.condition.functions!, besides)
  if ('refused' in result)
    throw failure(
      { ...place, target: found },
      `The function "${result.refused}" does not take values of the field type "${found.field.type}".`,
    )
  const { inner } = found
  const apply = (filter: ResolvedFilter): ResolvedFilter => {
    if (filter.kind === 'not') return { kind: 'not', child: apply(filter.child) }
    return filter.kind === 'condition' ? { ...filter, inner, functions: result.applied } : filter
  }
  return apply(resolveTest({ ...place, target: { hops: found.hops, field: result.field, inner: [] } }))
}

function resolveTest(place: Place): ResolvedFilter {
  const { target, condition } = place
  const { operator } = condition
  const allowed =
    target.inner.length > 0 ? operatorClasses.T : operatorClasses[fieldTypeOf(target.field).operators(target.field)]
  if (!allowed.has(operator)) {
    throw failure(place, `The operator ${operator} is not offered by the field type "${target.field.type}".`)
  }
  if (operator === '$null') {
    const present: ResolvedFilter = { kind: 'condition', ...target, test: { test: 'present' } }
    return condition.operand === true ? { kind: 'not', child: present } : present
  }
  const positive = positiveOf[operator]
  if (positive === undefined) return { kind: 'condition', ...target, test: testOf(place, operator) }
  return { kind: 'not', child: { kind: 'condition', ...target, test: testOf(place, positive) } }
}

function testOf(place: Place, operator: FilterOperator): FieldTest {
  const { target, condition } = place
  if (target.inner.length > 0) return innerTest(place, operator)
  if (target.field.multiple) return elementTest(place, operator)
  const operand = condition.operand as Operand
  switch (operator) {
    case '$eq':
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      return comparisonTest(place, operator.slice(1) as Comparison, operand)
    case '$in':
      return membershipTest((condition.operand as readonly Operand[]).map((item) => comparisonTest(place, 'eq', item)))
    case '$between': {
      const [low, high] = condition.operand as readonly Operand[]
      return { test: 'every', tests: [comparisonTest(place, 'gte', low!), comparisonTest(place, 'lte', high!)] }
    }
    case '$contains':
    case '$startsWith':
    case '$endsWith':
      return { test: operator.slice(1) as 'contains' | 'startsWith' | 'endsWith', text: textOperand(place, operand) }
    case '$like':
      return { test: 'like', pattern: textOperand(place, operand) }
    case '$during':
      return duringTest(place, operand as string)
    default:
      throw failure(place, `The operator ${operator} is not offered here.`)
  }
}

function comparisonTest(place: Place, comparison: Comparison, operand: Operand): FieldTest {
  const { field } = place.target
  if (isFieldMacro(operand)) return fieldTest(place, comparison, operand.$field)
  const type = fieldTypeOf(field)
  if (comparison !== 'eq' && type.collation === 'options') return optionTest(place, comparison, operand)
  const result = type.coerceOperand(operand, `$${comparison}`, field, place.env)
  const value = accept(place, result)
  if (typeof value !== 'object') return { test: comparison, value }
  switch (comparison) {
    case 'eq':
      return { test: 'range', ...value }
    case 'gt':
      return { test: 'gte', value: value.before }
    case 'gte':
      return { test: 'gte', value: value.from }
    case 'lt':
      return { test: 'lt', value: value.from }
    case 'lte':
      return { test: 'lt', value: value.before }
  }
}

/** Order of a select is the order of its options, so a comparison is membership in a slice of them. */
function optionTest(place: Place, comparison: Comparison, operand: Operand): FieldTest {
  const { options } = place.target.field
  const at = options.findIndex((option) => option.value === operand)
  if (at < 0) throw failure(place, 'The operand must be an option of the field.')
  const start = comparison === 'gt' ? at + 1 : comparison === 'gte' ? at : 0
  const end = comparison === 'lt' ? at : comparison === 'lte' ? at + 1 : options.length
  return { test: 'in', values: options.slice(start, end).map((option) => option.value) }
}

/** Merges equalities into one list test; days keep their ranges. */
function membershipTest(tests: readonly FieldTest[]): FieldTest {
  const values = tests.flatMap((test) => (test.test === 'eq' ? [test.value] : []))
  const others = tests.filter((test) => test.test !== 'eq')
  if (others.length === 0) return { test: 'in', values: [...new Set(values)] }
  return { test: 'any', tests: values.length === 0 ? others : [{ test: 'in', values }, ...others] }
}

function elementTest(place: Place, operator: FilterOperator): FieldTest {
  const { operand } = place.condition
  const items = (Array.isArray(operand) ? operand : [operand]) as readonly Operand[]
  const values = items.map((item) => {
    const value = accept(
      place,
      fieldTypeOf(place.target.field).coerceOperand(item, operator, place.target.field, place.env),
    )
    return String(value)
  })
  return { test: operator === '$all' ? 'hasAll' : 'hasAny', values: [...new Set(values)] }
}

/**
 * JSON scalars compare with operands of their own kind. Texts inside of JSON are stored as they came, so their operands
 * are not normalised either.
 */
function innerTest(place: Place, operator: FilterOperator): FieldTest {
  const scalar = (operand: Operand): TestValue => {
    if (typeof operand !== 'object') return operand
    throw failure(place, 'A path inside a value is compared with text, numbers or booleans.')
  }
  const ordered = (operand: Operand): string | number => {
    const value = scalar(operand)
    if (typeof value !== 'boolean') return value
    throw failure(place, 'Booleans have no order.')
  }
  const { operand } = place.condition
  const items = (Array.isArray(operand) ? operand : [operand]) as readonly Operand[]
  switch (operator) {
    case '$eq':
      return { test: 'eq', value: scalar(operand as Operand) }
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      return { test: operator.slice(1) as Comparison, value: ordered(operand as Operand) }
    case '$in':
      return { test: 'in', values: items.map(scalar) }
    case '$between': {
      const [low, high] = [ordered(items[0]!), ordered(items[1]!)]
      return {
        test: 'every',
        tests: [
          { test: 'gte', value: low },
          { test: 'lte', value: high },
        ],
      }
    }
    case '$contains':
    case '$startsWith':
    case '$endsWith':
      return { test: operator.slice(1) as 'contains', text: textOperand(place, operand as Operand) }
    default:
      return { test: 'like', pattern: textOperand(place, operand as Operand) }
  }
}

function duringTest(place: Place, name: string): FieldTest {
  const range = evaluateDateRange(name, place.env)
  if (!range) throw failure(place, `There is no date range "${name.slice(0, 50)}".`)
  if (fieldTypeOf(place.target.field).calendar === 'date') return { test: 'range', ...range }
  const zone = place.env.timeZone
  return {
    test: 'range',
    from: formatInstant(startOfDate(range.from, zone)),
    before: formatInstant(startOfDate(range.before, zone)),
  }
}

/** Another field that a condition names: one of the same record that the caller may read. */
function ownField(place: Place, name: string): FieldSchema {
  const words = { parameter: place.parameter, path: place.condition.path.join('.') }
  const { field, hops, inner } = resolvePath(place.schema, name.split('.'), place.env, words)
  if (place.target.hops.length === 0 && hops.length === 0 && inner.length === 0) return field
  throw failure(place, '$field compares fields of the record itself.')
}

function fieldTest(place: Place, comparison: Comparison, name: string): FieldTest {
  const { field } = place.target
  const other = ownField(place, name)
  const [type, otherType] = [fieldTypeOf(field), fieldTypeOf(other)]
  // What no condition may compare cannot be the other side of one either.
  const isReadable = operatorClasses[otherType.operators(other)].has('$eq')
  const comparable = isReadable && !other.multiple && kindOf(field) === kindOf(other)
  if (!comparable) throw failure(place, `The fields "${field.name}" and "${other.name}" cannot be compared.`)
  if (comparison !== 'eq' && (type.collation === 'options') !== (otherType.collation === 'options')) {
    throw failure(place, `The fields "${field.name}" and "${other.name}" have different orders.`)
  }
  return { test: 'field', comparison, other }
}

/** Fields of one kind can be compared with each other. */
function kindOf(field: FieldSchema): string {
  const { calendar, storage } = fieldTypeOf(field)
  if (calendar === 'date' || calendar === 'datetime') return calendar
  if (field.sqlType === 'TEXT') return 'text'
  return storage === 'boolean' ? 'boolean' : 'number'
}

function textOperand(place: Place, operand: Operand): string {
  if (typeof operand !== 'string') throw failure(place, 'The operand must be text.')
  return place.target.inner.length > 0 ? operand : normalizeText(operand)
}

function accept(place: Place, result: OperandResult): string | number | { from: string; before: string } {
  if (!result.ok) throw failure(place, result.reason)
  return 'range' in result ? result.range : result.value
}

function failure(place: Place, reason: string): PlatformError {
  return invalidQuery(place.parameter, reason, { path: place.condition.path.join('.') })
}
