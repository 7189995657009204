// Formulas that follow the clock: their value is made when a record is read. Objects without one pay a look-up.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Formula, FormulaMoment } from './formulas-of.ts'
import { evaluateFormula, formulasOf } from './formulas-of.ts'

/** Completes records that were read with certain fields. */
export interface ReadingFormulas {
  /** Fields to read besides the wanted ones; `complete` takes them out of the record again. */
  readonly besides: readonly FieldSchema[]
  /** Sets the computed values of a record, in place. */
  complete(record: Record<string, unknown>): void
}

/** What completing needs for the wanted fields; null when none of them follows the clock. */
export function readingFormulas(
  schema: ObjectSchema,
  fields: readonly FieldSchema[],
  moment: FormulaMoment,
): ReadingFormulas | null {
  const { stored, onRead } = formulasOf(schema)
  if (onRead.length === 0) return null
  const wanted = new Set(fields)
  const shown = onRead.filter((formula) => wanted.has(formula.schema))
  if (shown.length === 0) return null
  // One that reads another is made from that one's value: everything before it is computed, and what is not wanted goes.
  const needed = onRead.slice(0, onRead.indexOf(shown.at(-1)!) + 1)
  const inputs = new Set<FieldSchema>(needed.flatMap((formula) => inputsOf(formula, schema, stored)))
  const besides = [...inputs].filter((field) => !wanted.has(field))
  const leave = [...besides, ...needed.map((formula) => formula.schema)].filter((field) => !wanted.has(field))
  return {
    besides,
    complete(record) {
      for (const formula of needed) record[formula.field] = evaluateFormula(formula, record, moment)
      for (const field of leave) delete record[field.name]
    },
  }
}

/** The stored fields a formula names itself, stored formulas among them. */
function inputsOf(formula: Formula, schema: ObjectSchema, stored: readonly Formula[]): FieldSchema[] {
  const storedNames = new Set(stored.map((other) => other.field))
  return formula.expression.fields.flatMap((name) => {
    const field = schema.byName.get(name)
    return field !== undefined && (field.type !== 'formula' || storedNames.has(name)) ? [field] : []
  })
}
