// Finds the fields of a table that has only column names and values: a name, a label and a definition that takes every
// value without losing any. Pure; used by imports on both sides of the API.
import type { FieldDefinition } from '#shared/object-definition.ts'
import { compileObject } from '#shared/object-schema.ts'
import type { FieldSchema } from './field-schema.ts'
import { fieldNameOf, freeFieldName } from './field-name.ts'
import type { ParseEnv } from './field-type.ts'
import { guessDefinitions } from './infer-definition.ts'
import { parseField } from './parse-field.ts'
import { readCell } from './read-cell.ts'

/** A column as it was read: CSV cells are text, cells of JSON rows any JSON value. */
export interface SourceColumn {
  readonly name: string
  readonly values: readonly unknown[]
}

/** The field a column becomes. */
export interface InferredField {
  /** Name of the column. */
  readonly column: string
  /** Field name of the form of D-92, unique among the fields and the names taken. */
  readonly name: string
  readonly label: string
  /** Type and settings; never `required`, because the next row may have a gap. */
  readonly definition: FieldDefinition
}

/** What inferring may be told. */
export interface InferOptions {
  /** IANA zone of timestamps without an offset; UTC when absent. */
  readonly timeZone?: string
  /** Texts that mean a missing value, for example `NA`; such cells must be left out of the records too. */
  readonly nullValues?: readonly string[]
  /** Field names the object has already. */
  readonly taken?: readonly string[]
}

/**
 * Infers one field per column, in order. Every value of a column passes `readCell` and `parseField` of its field; in
 * doubt a column is text. 0 and 1 are numbers, not booleans, and days written with slashes stay text, because one cell
 * does not tell day from month.
 * @source D-94
 */
export function inferFields(columns: readonly SourceColumn[], options: InferOptions = {}): InferredField[] {
  const taken = new Set(options.taken)
  const nulls = new Set(options.nullValues)
  const env: ParseEnv = { timeZone: options.timeZone ?? 'UTC' }
  return columns.map(({ name: column, values }) => {
    const name = freeFieldName(fieldNameOf(column), taken)
    taken.add(name)
    const known = nulls.size === 0 ? values : values.filter((value) => !nulls.has(value as string))
    const definition = inferDefinition(known, env)
    const label = column.trim().slice(0, 200)
    return { column, name, label: label === '' ? name : label, definition }
  })
}

function inferDefinition(values: readonly unknown[], env: ParseEnv): FieldDefinition {
  const guesses = guessDefinitions(values)
  const last = guesses.at(-1)!
  return guesses.find((guess) => guess === last || takesAll(guess, values, env)) ?? last
}

function takesAll(definition: FieldDefinition, values: readonly unknown[], env: ParseEnv): boolean {
  const field = compileObject({ name: 'sample', fields: { value: definition } }).byName.get('value')!
  return values.every((value) => takes(field, value, env))
}

function takes(field: FieldSchema, value: unknown, env: ParseEnv): boolean {
  return parseField(field, readCell(value, field, env), env).ok
}
