// The field type `formula`: a value computed from the record by an expression. Evaluation is the host's work.
import { z } from 'zod'
import { booleanType } from './boolean.ts'
import { dateType } from './date.ts'
import { datetimeType } from './datetime.ts'
import type { FieldSettings } from './field-schema.ts'
import type { FieldType, FieldTypeFlags } from './field-type.ts'
import { refused } from './field-type.ts'
import { numericType } from './numeric.ts'
import { textualType } from './textual.ts'

/** What a formula may answer. */
export const formulaReturnTypes = ['text', 'number', 'boolean', 'date', 'datetime'] as const

type ReturnType = (typeof formulaReturnTypes)[number]

/** CEL as definitions write it: text, or `{dialect: "cel", source}` (D-97). */
export const expressionZod = z.union([
  z.string().min(1).max(10_000),
  z.looseObject({ dialect: z.literal('cel'), source: z.string().min(1).max(10_000) }),
])

const settings = { expression: expressionZod, returnType: z.enum(formulaReturnTypes).optional() } as const

const bases: Readonly<Record<ReturnType, FieldType>> = {
  text: textualType({
    operators: 'T',
    flags: { search: 'optional', sortable: true, groupable: true, aggregatable: 'none' },
    maxLength: null,
  }),
  number: { ...numericType({ scale: () => undefined }), sqlType: () => 'REAL' },
  boolean: booleanType,
  date: dateType,
  datetime: datetimeType,
}

const readOnly: FieldType['parse'] = (value, field) =>
  refused(field, 'read_only', 'The server computes this value.', value)

const unstored: FieldTypeFlags = { search: 'never', sortable: false, groupable: false, aggregatable: 'none' }

const stored = variants((base) => ({ ...base, settings, computed: true, parse: readOnly }))
const unsteady = variants((base) => ({
  ...base,
  settings,
  computed: true,
  parse: readOnly,
  flags: unstored,
  // There is no stored value, so that not even its absence can be asked of the database.
  operators: () => 'X' as const,
}))

function variants(make: (base: FieldType) => FieldType): Readonly<Record<ReturnType, FieldType>> {
  return Object.fromEntries(formulaReturnTypes.map((name) => [name, make(bases[name])])) as Record<
    ReturnType,
    FieldType
  >
}

const known = new WeakMap<FieldSettings, FieldType>()

function variantOf(of: FieldSettings): FieldType {
  let variant = known.get(of)
  if (variant === undefined) {
    variant = (of.computedOnRead === true ? unsteady : stored)[of.returnType ?? 'text']
    known.set(of, variant)
  }
  return variant
}

/** A computed value that stores, filters and sorts as its `returnType`. @source D-94 */
export const formulaType: FieldType = { ...stored.text, listRank: 3, variant: variantOf }
