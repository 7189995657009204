// The pieces shapes of metadata items are made of: texts, names, expressions, filters and the form of a shape itself.
import { Cron } from 'croner'
import { z } from 'zod'
import type { FieldError } from '#shared/errors.ts'
import { ExpressionError, compileExpression } from '#shared/expression/compile-expression.ts'

/** The shape of one type's items beside the keys all items share; unknown keys pass everywhere. */
export interface ItemShape {
  readonly keys: z.ZodRawShape
  /** Keys that count when the key `by` has one of these values. */
  readonly variants?: {
    readonly by: string
    readonly cases: Readonly<Record<string, z.ZodRawShape>>
    /** True when `check` finds what the variants would: then they only describe. */
    readonly checkedBelow?: true
  }
  /** Lists of keys of which at least one must be there; a variant's value narrows where it applies. */
  readonly needs?: readonly { readonly oneOf: readonly string[]; readonly when?: readonly string[] }[]
  /** What no JSON Schema can say; runs on items whose keys have the right types. */
  readonly check?: (item: Readonly<Record<string, unknown>>) => FieldError[]
}

/** A key that was kept although nothing reads it. */
export interface ItemWarning {
  readonly path: string
  readonly message: string
}

/** What a check found. */
export interface ItemCheck {
  readonly errors: readonly FieldError[]
  readonly warnings: readonly ItemWarning[]
}

/** A line of text. */
export const text = z.string().max(10_000)

/** A body of text. */
export const long = z.string().max(1_000_000)

/** The name of something. */
export const name = z.string().min(1).max(127)

/** Names of several things. */
export const names = z.array(name).max(1000)

/** True or false. */
export const flag = z.boolean()

/** Any JSON object. */
export const map = z.record(z.string(), z.unknown())

/** A number of milliseconds that something may take. */
export const milliseconds = z.int().min(1).max(86_400_000)

/** An id inside an item, of a widget or a node. */
export const localId = z.string().min(1).max(200)

/** A list of at most so many, which may be absent. */
export function listOf<T extends z.ZodType>(element: T, most: number) {
  return z.array(element).max(most).optional()
}

/** An object inside of an item, which may be absent; unknown keys pass. */
export function part<T extends z.ZodRawShape>(keys: T) {
  return z.looseObject(keys).optional()
}

const celText = z
  .string()
  .min(1)
  .max(20_000)
  .superRefine((source, context) => {
    try {
      compileExpression(source)
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
      context.addIssue({ code: 'custom', message: error.message, params: { fieldCode: 'expression_error' } })
    }
  })

/** CEL as text, or `{dialect: "cel", source}`; it must compile (D-97). */
export const cel = z.union([celText, z.looseObject({ dialect: z.literal('cel').optional(), source: celText })])

/** A filter in any form of D-79 and D-80. */
export const filter = z.union([map, z.array(z.unknown()).max(1000)])

/** A sort: text, or a list or map of terms. */
export const sort = z.union([z.string().max(1000), map, z.array(z.unknown()).max(100)])

/** An IANA time zone. */
export const timeZone = z
  .string()
  .max(100)
  .refine((zone) => {
    try {
      return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
    } catch {
      return false
    }
  }, 'There is no such time zone.')

/** A language tag (BCP 47). */
export const languageTag = z
  .string()
  .max(35)
  .refine((tag) => {
    try {
      return Intl.getCanonicalLocales(tag).length === 1
    } catch {
      return false
    }
  }, 'Expected a BCP-47 language tag.')

/** A cron line of five fields (D-160). */
export const cronLine = z
  .string()
  .max(200)
  .refine((line) => {
    if (line.trim().split(/\s+/).length !== 5) return false
    try {
      new Cron(line, { paused: true }).stop()
      return true
    } catch {
      return false
    }
  }, 'Expected a cron line of five fields.')

/** The problems of ids that occur twice in a list; `path` leads to the list. */
export function duplicateIds(list: unknown, path: string, key = 'id'): FieldError[] {
  if (!Array.isArray(list)) return []
  const seen = new Set<unknown>()
  return list.flatMap((entry: unknown, index): FieldError[] => {
    const id = typeof entry === 'object' && entry !== null ? (entry as Record<string, unknown>)[key] : undefined
    const isSecond = id !== undefined && seen.has(id)
    seen.add(id)
    if (!isSecond) return []
    return [
      { field: `${path}.${index}.${key}`, code: 'duplicate_value', message: 'The value occurs twice.', value: id },
    ]
  })
}
