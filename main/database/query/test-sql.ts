// One test of one value as SQL. True means satisfied; false and NULL both mean not (D-82).
import { invalidQuery } from '#shared/errors.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import { foldCase } from '#shared/filter/fold-case.ts'
import type { Comparison, FieldTest, TestValue } from '#shared/filter/resolved-filter.ts'
import { physicalIndexes } from '../schema/physical-indexes.ts'
import { quoteLiteral } from '../schema/sql-text.ts'
import type { Scope } from './scope.ts'
import { bind, bindEqual, column } from './scope.ts'

/** What is tested: a column, or a value inside a JSON column. */
export interface Subject {
  /** SQL of the value. */
  readonly sql: string
  readonly field: FieldSchema
  /** Inside of a JSON value: SQL of the name of the JSON type that the value has; null for a column. */
  readonly jsonType: string | null
}

const symbols: Record<Comparison, string> = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' }
/** Longer lists are bound as one JSON text, so that their length does not change the statement. */
const maxInlineList = 8
const maxPatternLength = 10_000
const maxWildcards = 20

/** Writes a test. */
export function writeTest(scope: Scope, subject: Subject, test: FieldTest): string {
  switch (test.test) {
    case 'eq':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return writeComparison(scope, subject, test.test, test.value)
    case 'in':
      return writeMembership(scope, subject, test.values)
    case 'range':
      return `(${writeComparison(scope, subject, 'gte', test.from)} AND ${writeComparison(scope, subject, 'lt', test.before)})`
    case 'contains':
      return writeLike(scope, subject, `%${escapeLike(test.text)}%`, test.text)
    case 'startsWith':
      return writeLike(scope, subject, `${escapeLike(test.text)}%`, test.text)
    case 'endsWith':
      return writeLike(scope, subject, `%${escapeLike(test.text)}`, test.text)
    case 'like':
      return writeLike(scope, subject, test.pattern.replace(/\\/g, '\\\\').replace(/%+/g, '%'), test.pattern)
    case 'hasAny':
      return `EXISTS (SELECT 1 FROM json_each(${subject.sql}) AS e WHERE ${valueList(scope, 'e.value', test.values)})`
    case 'hasAll':
      return test.values
        .map((value) => `EXISTS (SELECT 1 FROM json_each(${subject.sql}) AS e WHERE e.value = ${bind(scope, value)})`)
        .join(' AND ')
    case 'present':
      return writePresent(subject)
    case 'field':
      return writeFieldComparison(scope, subject, test.comparison, test.other)
    case 'any':
      return `(${test.tests.map((inner) => writeTest(scope, subject, inner)).join(' OR ')})`
    case 'every':
      return `(${test.tests.map((inner) => writeTest(scope, subject, inner)).join(' AND ')})`
  }
}

/** Position of a select's value among the options; values that are no option come last, null stays null. */
export function optionOrder(sql: string, field: FieldSchema): string {
  if (field.options.length === 0) return sql
  const cases = field.options.map((option, index) => `WHEN ${quoteLiteral(option.value)} THEN ${index}`)
  return `CASE WHEN ${sql} IS NULL THEN NULL ELSE CASE ${sql} ${cases.join(' ')} ELSE ${field.options.length} END END`
}

function writeComparison(scope: Scope, subject: Subject, comparison: Comparison, value: TestValue): string {
  const { sql, field, jsonType } = subject
  if (jsonType !== null) return writeJsonComparison(scope, { sql, jsonType }, comparison, value)
  if (fieldTypeOf(field).collation !== 'text') {
    return `${sql} ${symbols[comparison]} ${comparison === 'eq' ? bindEqual(scope, value) : bind(scope, value)}`
  }
  if (comparison !== 'eq') {
    // The order of D-78: by ASCII fold, then binary; the same as ORDER BY and the same index.
    return `(${sql} COLLATE NOCASE, ${sql}) ${symbols[comparison]} (${bind(scope, value)}, ${bind(scope, value)})`
  }
  if (!field.caseSensitive) return writeInsensitive(scope, sql, String(value))
  if (!isKeyed(scope, field)) return `${sql} = ${bindEqual(scope, value)}`
  return `(${sql} COLLATE NOCASE = ${bindEqual(scope, value)} AND ${sql} = ${bindEqual(scope, value)})`
}

/** A JSON scalar compares with values of its own kind: 1 is not true, and "1" is not 1. */
function writeJsonComparison(
  scope: Scope,
  { sql, jsonType }: { sql: string; jsonType: string },
  comparison: Comparison,
  value: TestValue,
): string {
  if (typeof value === 'boolean') return `${jsonType} = '${value ? 'true' : 'false'}'`
  const kind = typeof value === 'number' ? `IN ('integer', 'real')` : `= 'text'`
  return `(${jsonType} ${kind} AND ${sql} ${symbols[comparison]} ${bind(scope, value)})`
}

/** Equality without case. ASCII operands fold in SQLite itself, where an index can help. */
function writeInsensitive(scope: Scope, sql: string, value: string): string {
  const folded = foldCase(value)
  if (!isAscii(folded)) return `cairn_fold(${sql}) = ${bind(scope, folded)}`
  const noCase = `${sql} COLLATE NOCASE = ${bindEqual(scope, folded)}`
  if (!folded.includes('s')) return noCase
  // The long s folds to s; it is the only letter beyond ASCII that does so and survives NFC.
  return `(${noCase} OR (instr(${sql}, '\u017f') > 0 AND cairn_fold(${sql}) = ${bind(scope, folded)}))`
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text)
}

function writeMembership(scope: Scope, subject: Subject, values: readonly TestValue[]): string {
  const { sql, field, jsonType } = subject
  if (jsonType !== null) {
    return `(${values.map((value) => writeJsonComparison(scope, { sql, jsonType }, 'eq', value)).join(' OR ') || '0'})`
  }
  if (fieldTypeOf(field).collation === 'text') {
    if (!field.caseSensitive) {
      return `(${values.map((value) => writeInsensitive(scope, sql, String(value))).join(' OR ') || '0'})`
    }
    if (isKeyed(scope, field)) {
      return `(${valueList(scope, `${sql} COLLATE NOCASE`, values)} AND ${valueList(scope, sql, values)})`
    }
  }
  return valueList(scope, sql, values)
}

function valueList(scope: Scope, sql: string, values: readonly TestValue[]): string {
  if (values.length === 0) return '0'
  if (values.length === 1) return `${sql} = ${bindEqual(scope, values[0])}`
  if (values.length <= maxInlineList) return `${sql} IN (${values.map((value) => bind(scope, value)).join(', ')})`
  return `${sql} IN (SELECT value FROM json_each(${bind(scope, JSON.stringify(values))}))`
}

/** LIKE folds ASCII only, so other texts are folded first. */
function writeLike(scope: Scope, subject: Subject, pattern: string, text: string): string {
  if (pattern.length > maxPatternLength)
    throw invalidQuery('filter', 'The text to look for is too long.', { path: subject.field.name })
  if (text.split('%').length > maxWildcards) {
    throw invalidQuery('filter', 'The pattern has too many wildcards.', { path: subject.field.name })
  }
  const { jsonType } = subject
  const value = jsonType === null ? subject.sql : `CASE WHEN ${jsonType} = 'text' THEN ${subject.sql} END`
  const folded = foldCase(pattern)
  let target = value
  if (!isAscii(folded)) target = `cairn_fold(${value})`
  else if (folded.includes('s')) target = `replace(${value}, '\u017f', 's')`
  return `${target} LIKE ${bind(scope, folded)} ESCAPE '\\'`
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

function writePresent({ sql, field, jsonType }: Subject): string {
  if (jsonType === null && field.multiple) return `(${sql} IS NOT NULL AND ${sql} <> '[]')`
  return `${sql} IS NOT NULL`
}

function writeFieldComparison(scope: Scope, subject: Subject, comparison: Comparison, other: FieldSchema): string {
  const { field } = subject
  const left = subject.sql
  const right = column(scope, other.column)
  if (comparison !== 'eq' && fieldTypeOf(field).collation === 'options') {
    return `${optionOrder(left, field)} ${symbols[comparison]} ${optionOrder(right, field)}`
  }
  if (fieldTypeOf(field).collation !== 'text') return `${left} ${symbols[comparison]} ${right}`
  if (comparison !== 'eq') return `(${left} COLLATE NOCASE, ${left}) ${symbols[comparison]} (${right}, ${right})`
  if (!field.caseSensitive || !other.caseSensitive) return `cairn_fold(${left}) = cairn_fold(${right})`
  return `${left} = ${right}`
}

/** Whether an index of the table begins with the field, so that an equality should also be written on its fold. */
function isKeyed(scope: Scope, field: FieldSchema): boolean {
  return physicalIndexes(scope.schema).some((index) => index.fields.includes(field))
}
