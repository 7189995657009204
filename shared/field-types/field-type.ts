// The interface every field type implements, and the results its functions give. One file per type implements it.
import type { z } from 'zod'
import type { FieldError, FieldErrorCode } from '#shared/errors.ts'
import type { FieldSchema, SqlType, SqlValue } from './field-schema.ts'
import type { FilterOperator, OperatorClass } from './operator-classes.ts'

/** One mismatch of a value with a JSON Schema. */
export interface JsonSchemaProblem {
  /** Dotted path inside the value; empty for the value itself. */
  readonly path: string
  readonly message: string
}

/** What parsing needs to know of the workspace. */
export interface ParseEnv {
  /** IANA zone of the workspace (D-10). */
  readonly timeZone: string
  /** ISO 4217 code taken where a currency field names none. */
  readonly defaultCurrency?: string
  /** Takes everything that runs out of HTML; the host gives it, a client that only previews does not. */
  readonly sanitizeHtml?: (html: string) => string
  /** Problems of a value with a JSON Schema (2020-12), by dotted path inside the value; given by the host likewise. */
  readonly checkJsonSchema?: (schema: unknown, value: unknown) => readonly JsonSchemaProblem[]
}

/** What filter operands need beside that. */
export interface OperandEnv extends ParseEnv {
  /** The present instant in milliseconds. */
  readonly now: number
  /** Id of the caller, the value of `{"$user": "id"}` and `{me}`. */
  readonly userId: string
}

/** A normalised value, or every problem with it. */
export type ParseResult =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly errors: FieldError[] }

/** A half-open range of column values: an operand that means a whole day on a datetime. */
export interface OperandRange {
  readonly from: string
  readonly before: string
}

/** An operand as column value or range, or the reason why it is none. */
export type OperandResult =
  | { readonly ok: true; readonly value: string | number }
  | { readonly ok: true; readonly range: OperandRange }
  | { readonly ok: false; readonly reason: string }

/** Where a type may take part; the flags of D-94. */
export interface FieldTypeFlags {
  /** `default` S, `optional` s, `never`. */
  readonly search: 'default' | 'optional' | 'never'
  readonly sortable: boolean
  readonly groupable: boolean
  /** `all` sum, avg, min and max; `range` min and max only. */
  readonly aggregatable: 'all' | 'range' | 'none'
}

/** JSON Schema (2020-12) as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** One field type. Functions are pure; a value they receive from `parse` is in the JSON form of D-94. */
export interface FieldType {
  /** How a column of one value is read back: as it is, from 0 and 1, from JSON text, or by `fromColumn` alone. */
  readonly storage: 'plain' | 'boolean' | 'json' | 'converted'
  /** How values compare and sort: as text (ASCII fold, then binary), as they are, or by option order. */
  readonly collation: 'text' | 'binary' | 'options'
  readonly flags: FieldTypeFlags
  /** Zod shape of the definition keys that only this type reads; all optional unless the type needs them. */
  readonly settings: z.ZodRawShape
  /** True when the server alone writes the value. */
  readonly computed?: boolean
  /** True for relations: paths may continue into the referenced object. */
  readonly relation?: boolean
  /** True when the definition may say `multiple`. */
  readonly canBeMultiple?: boolean
  /** True when a value is required whatever the definition says. */
  readonly alwaysRequired?: boolean
  /** True for references to stored files; the storage plugin counts them. */
  readonly file?: boolean
  /**
   * How the host keeps the value out of sight: `hashed` is never read back, `encrypted` reads as a mask. Such a value is in
   * no error, index, sort or filter beyond null, and `toColumn` takes nothing but what the host has sealed.
   */
  readonly concealed?: 'hashed' | 'encrypted'
  /** Whether a written value stands for "leave it as it is"; the writer asks before it parses. */
  readonly isUnchanged?: (value: unknown) => boolean
  /** The type that serves a field with these settings, where they decide: a formula acts as its result. */
  readonly variant?: (settings: FieldSchema['settings']) => FieldType
  /** True for values with inner paths (JSON). */
  readonly innerPaths?: boolean
  /** True when the value is an array whatever `multiple` says. */
  readonly alwaysMultiple?: boolean
  /** True when a missing value and a blank text are the same thing. */
  readonly blankIsNull: boolean
  sqlType(settings: FieldSchema['settings']): SqlType
  /** Suffixes and types of further columns. */
  extraColumns?(settings: FieldSchema['settings']): readonly { readonly suffix: string; readonly sqlType: SqlType }[]
  operators(field: FieldSchema): OperatorClass
  /**
   * Validates and normalises a value that is neither null nor undefined.
   * @param stored the value the record has now; lets inactive options stay
   */
  parse(value: unknown, field: FieldSchema, env: ParseEnv, stored?: unknown): ParseResult
  /** The JSON value a CSV cell or query string stands for; undefined when there is none. The result still needs `parse`. */
  fromText(text: string, field: FieldSchema, env: ParseEnv): unknown
  /** The bound value of a parsed value; null stays null. */
  toColumn(value: unknown, field: FieldSchema): SqlValue
  fromColumn(value: SqlValue, field: FieldSchema): unknown
  /** Values of the extra columns, in their order. */
  toExtraColumns?(value: unknown, field: FieldSchema): readonly SqlValue[]
  /** Builds the value from main and extra columns. */
  fromColumns?(value: SqlValue, extra: readonly SqlValue[], field: FieldSchema): unknown
  coerceOperand(value: unknown, operator: FilterOperator, field: FieldSchema, env: OperandEnv): OperandResult
  /** Describes the JSON value; `multiple` and null are added by the caller of the registry. */
  jsonSchema(field: FieldSchema): JsonSchema
}

/** The result of a good value. */
export function parsed(value: unknown): ParseResult {
  return { ok: true, value }
}

/** The result of one problem with a field. */
export function refused(
  field: FieldSchema,
  code: FieldErrorCode,
  message: string,
  value: unknown,
  constraint?: unknown,
): ParseResult {
  return { ok: false, errors: [problem(field.name, code, message, value, constraint)] }
}

/** One entry of `fieldErrors` (D-22). */
export function problem(
  path: string,
  code: FieldErrorCode,
  message: string,
  value: unknown,
  constraint?: unknown,
): FieldError {
  return { field: path, code, message, value, ...(constraint === undefined ? {} : { constraint }) }
}
