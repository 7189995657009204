// The interface every field type implements, and the results its functions give. One file per type implements it.
import type { z } from 'zod'
import type { FieldError, FieldErrorCode } from '#shared/errors.ts'
import type { ValueType } from '#shared/expression/infer-type.ts'
import type { FieldSchema, FileReference, SqlType, SqlValue } from './field-schema.ts'
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
  /** Options that fields are about to get: they count as there. */
  readonly newOptions?: ReadonlyMap<FieldSchema, ReadonlySet<string>>
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
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly errors: FieldError[] }

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

/**
 * What a type can do beyond holding values, each asked in one place of the platform. What an entry leaves out, its type
 * does not do.
 */
export interface FieldTypeTraits {
  /** Types of one family keep their column when a field goes from one to the other (D-100). */
  readonly family?: 'text' | 'number' | 'choice' | 'flag' | 'list' | 'link'
  /** Types outside of the family that take the column as it is. */
  readonly becomes?: readonly string[]
  /** Values may be pages long: matching them is dear, a list has no column for them, a form gives them a whole line. */
  readonly long?: true
  /** The text is HTML: what comes from elsewhere is sanitised, and searched without its tags. */
  readonly markup?: true
  /** A day, an instant or a time of day. */
  readonly calendar?: 'date' | 'datetime' | 'time'
  /** Place among the columns of a generated list, the smallest first; last where absent, no column for null (D-114). */
  readonly listRank?: number | null
  /** Searched although neither the object nor the field says so (D-88). */
  readonly searchedUnasked?: true
  /** What is searched of a column that is not plain text: labels of options, or the texts inside of JSON. */
  readonly searchAs?: 'labels' | 'json'
  /** The stored value is what people call a record by, so that an import finds the record by it. */
  readonly names?: true
  /** An import may add the options that its rows use and the field has not. */
  readonly takesNewOptions?: true
  /** A cell that is no text is taken as its JSON text. */
  readonly takesAnyCell?: true
  /** Words that mean a missing value elsewhere, such as `none`, are words in its cells. */
  readonly keepsBlankWords?: true
  /** The text of a value in a table, which `fromText` reads back; undefined where the form of all values serves. */
  readonly toText?: (value: unknown) => string | undefined
  /** Name of the type of one element of a list. */
  readonly elementType?: string
  /** What an expression meets that reads the field; text where absent. Definitions are asked before they are compiled. */
  readonly expressionType?: ValueType | ((definition: Readonly<Record<string, unknown>>) => ValueType)
  /** What machines add to a field at the same time can be summed up: one plain number. */
  readonly summable?: true
  /** Most fraction digits a value has, so that sums of it are exact; undefined for any number of them. */
  readonly fractionDigits?: (settings: FieldSchema['settings']) => number | undefined
  /** Numbers on a scale; without its ends and steps they are ordinary ones. */
  readonly stepped?: true
  /** The server gives the value once, at create; it is a value of its own and follows from no other. */
  readonly issued?: true
  /** The value means something to the platform beyond the record, so that it cannot hide inside of a group. */
  readonly outerOnly?: true
  /** The definition holds further fields. */
  readonly holdsFields?: true
  /** Equality ignores case whatever the definition says. */
  readonly ignoresCase?: true
  /** Words of D-93 that a default may be. */
  readonly defaultWords?: readonly string[]
  /** The default of a field whose definition gives none. */
  readonly impliedDefault?: (definition: { readonly required?: boolean | undefined }) => unknown
  /** The type word of a dimension where it does not follow from the column. */
  readonly dimension?: 'geo'
}

/** One field type. Functions are pure; a value they receive from `parse` is in the JSON form of D-94. */
export interface FieldType extends FieldTypeTraits {
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
  /** What the limits of a field say to a file whose name, type and size are known; only of types with {@link file}. */
  readonly judgeFile?: (path: string, file: FileReference, field: FieldSchema) => FieldError[]
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
