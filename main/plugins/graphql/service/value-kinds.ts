// Which scalar of the schema holds the values of a field, and which operators its filter has. Derived from the entry of
// the field's type, so that a new type takes part by itself. Pure.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { FilterOperator } from '#shared/field-types/operator-classes.ts'
import { operatorClasses } from '#shared/field-types/operator-classes.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'

/** The scalars of D-181. */
export const scalarNames = [
  'ID',
  'String',
  'Int',
  'Float',
  'Boolean',
  'DateTime',
  'Date',
  'Time',
  'JSON',
  'URL',
  'Email',
] as const

/** A name of {@link scalarNames}. */
export type ScalarName = (typeof scalarNames)[number]

/** What the values of a field are. */
export interface ValueKind {
  readonly scalar: ScalarName
  readonly isList: boolean
}

const calendarScalars = { date: 'Date', datetime: 'DateTime', time: 'Time' } as const

/** The scalar of a field that is no relation, or of the ids of one that is. @source D-94, D-181 */
export function valueKindOf(field: FieldSchema): ValueKind {
  const type = fieldTypeOf(field)
  if (type.relation === true) return { scalar: 'ID', isList: field.multiple }
  if (field.type === 'id') return { scalar: 'ID', isList: false }
  if (type.calendar !== undefined) return { scalar: calendarScalars[type.calendar], isList: false }
  if (type.concealed !== undefined) return { scalar: 'String', isList: false }
  const schema = type.jsonSchema(field)
  if (schema['type'] !== 'array') return { scalar: scalarOf(schema), isList: field.multiple }
  return { scalar: scalarOf((schema['items'] ?? {}) as Readonly<Record<string, unknown>>), isList: true }
}

function scalarOf(schema: Readonly<Record<string, unknown>>): ScalarName {
  switch (schema['type']) {
    case 'boolean':
      return 'Boolean'
    case 'integer':
      return 'Int'
    case 'number':
      return 'Float'
    case 'string':
      return schema['format'] === 'uri' ? 'URL' : schema['format'] === 'email' ? 'Email' : 'String'
    default:
      return 'JSON'
  }
}

/** The filter of a field: its type's name, its operators and their operand. */
export interface FilterKind {
  readonly name: string
  readonly operand: ScalarName
  /** Without `$`; `$null` is called `isNull`. */
  readonly operators: readonly string[]
}

/** The class of operators that the plain name stands for. */
const plainClass: Readonly<Record<ScalarName, string>> = {
  ID: 'O',
  String: 'T',
  Int: 'O',
  Float: 'O',
  Boolean: 'E',
  DateTime: 'D',
  Date: 'D',
  Time: 'O',
  JSON: 'E',
  URL: 'T',
  Email: 'T',
}

const classWords = { E: 'Equality', O: 'Order', T: 'Text', P: 'Match', M: 'List', D: 'Day' } as const

/** The filter of a field; null for one that no filter may name. @source D-94, D-181 */
export function filterKindOf(field: FieldSchema): FilterKind | null {
  const { scalar } = valueKindOf(field)
  const letter = fieldTypeOf(field).operators(field)
  if (letter === 'X') return null
  if (letter === 'N') return { name: 'NullFilter', operand: 'Boolean', operators: ['isNull'] }
  // Money that names its currency compares by its amount.
  const operand = scalar === 'JSON' && letter === 'O' ? 'Float' : scalar
  const word = letter === plainClass[operand] ? '' : classWords[letter]
  return { name: `${operand}${word}Filter`, operand, operators: operatorsOf(operatorClasses[letter]) }
}

/** The filter of the ids of a relation. */
export function idFilterKindOf(isList: boolean): FilterKind {
  return isList
    ? { name: 'IDListFilter', operand: 'ID', operators: operatorsOf(operatorClasses.M) }
    : { name: 'IDEqualityFilter', operand: 'ID', operators: operatorsOf(operatorClasses.E) }
}

function operatorsOf(operators: ReadonlySet<FilterOperator>): string[] {
  return [...operators].filter((name) => name !== '$like').map((name) => (name === '$null' ? 'isNull' : name.slice(1)))
}

/** The operator of the filter language behind one of a filter type. */
export function operatorOf(name: string): string {
  return name === 'isNull' ? '$null' : `$${name}`
}

/** Operators whose operand is a list. */
export const listOperators: ReadonlySet<string> = new Set(['in', 'nin', 'between', 'any', 'all'])

/** Operators whose operand is a part of a text, or a word. */
export const textOperators: ReadonlySet<string> = new Set([
  'contains',
  'notContains',
  'startsWith',
  'endsWith',
  'during',
])
