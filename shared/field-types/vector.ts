// The field type `vector`: numbers of fixed count, for similarity.
import { z } from 'zod'
import type { FieldType } from './field-type.ts'
import { parsed, problem, refused } from './field-type.ts'

/** Bytes of one number: a double, little endian. */
const width = 8
/** Problems reported of one value; a vector of text would otherwise answer with thousands. */
const maxProblems = 10

/** A list of exactly `vectorConfig.dimensions` numbers, stored as doubles. @source D-94 */
export const vectorType: FieldType = {
  listRank: null,
  expressionType: 'list',
  outerOnly: true,
  storage: 'converted',
  collation: 'binary',
  flags: { search: 'never', sortable: false, groupable: false, aggregatable: 'none' },
  settings: {
    vectorConfig: z.looseObject({
      dimensions: z.int().min(1).max(10_000),
      distanceMetric: z.enum(['cosine', 'euclidean', 'dot']).optional(),
    }),
  },
  blankIsNull: true,
  sqlType: () => 'BLOB',
  operators: () => 'N',
  parse(value, field) {
    if (!Array.isArray(value)) return refused(field, 'invalid_type', 'The value must be a list of numbers.', undefined)
    const dimensions = field.settings.vectorConfig?.dimensions ?? value.length
    if (value.length !== dimensions) {
      const code = value.length < dimensions ? 'min_items' : 'max_items'
      return refused(field, code, `The list must have ${dimensions} numbers.`, undefined, dimensions)
    }
    const errors = value.flatMap((item: unknown, index) =>
      typeof item === 'number' && Number.isFinite(item)
        ? []
        : [problem(`${field.name}.${index}`, 'invalid_number', 'The value must be a number.', item)],
    )
    if (errors.length > 0) return { ok: false, errors: errors.slice(0, maxProblems) }
    return parsed(value.map((item: number) => (item === 0 ? 0 : item)))
  },
  fromText(text) {
    try {
      return JSON.parse(text) as unknown
    } catch {
      return undefined
    }
  },
  toColumn(value) {
    if (value === null) return null
    const numbers = value as readonly number[]
    const bytes = new Uint8Array(numbers.length * width)
    const view = new DataView(bytes.buffer)
    numbers.forEach((number, index) => view.setFloat64(index * width, number, true))
    return bytes
  },
  fromColumn(value) {
    if (!(value instanceof Uint8Array)) return null
    const view = new DataView(value.buffer, value.byteOffset, value.byteLength)
    return Array.from({ length: Math.floor(value.byteLength / width) }, (_, index) =>
      view.getFloat64(index * width, true),
    )
  },
  coerceOperand: () => ({ ok: false, reason: 'A vector is not compared.' }),
  jsonSchema(field) {
    const dimensions = field.settings.vectorConfig?.dimensions
    const bounds = dimensions === undefined ? {} : { minItems: dimensions, maxItems: dimensions }
    return { type: 'array', items: { type: 'number' }, ...bounds }
  },
}
