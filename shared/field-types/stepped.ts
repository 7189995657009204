// The field types `progress`, `slider` and `rating`: numbers of a scale with steps.
import { z } from 'zod'
import { roundHalfAwayFromZero } from './decimal.ts'
import type { FieldSettings } from './field-schema.ts'
import type { FieldType } from './field-type.ts'
import { parsed, refused } from './field-type.ts'
import { numericType, parseNumber } from './numeric.ts'

/** Bounds and step of a scale. */
interface Scale {
  readonly min: number
  readonly max: number
  readonly step: number
}

/** Relative error below which a quotient of doubles counts as whole. */
const tolerance = 1e-9

function steppedType(scaleOf: (settings: FieldSettings) => Scale, settings: FieldType['settings']): FieldType {
  const base = numericType({ scale: () => undefined, settings }, { family: 'number', listRank: 3, stepped: true })
  return {
    ...base,
    sqlType: () => 'REAL',
    parse(value, field) {
      const number = parseNumber(value, field, undefined)
      if (!number.ok) return number
      const { min, max, step } = scaleOf(field.settings)
      const given = number.value as number
      if (given < min) return refused(field, 'min_value', `The number is smaller than ${min}.`, value, min)
      if (given > max) return refused(field, 'max_value', `The number is larger than ${max}.`, value, max)
      const steps = (given - min) / step
      const whole = Math.round(steps)
      if (Math.abs(steps - whole) > tolerance * Math.max(1, Math.abs(whole))) {
        return refused(field, 'invalid_number', `The number is not on a step of ${step} from ${min}.`, value, step)
      }
      // 0.1 + 0.2 is stored as 0.3: what is left of the addition is cut at the twelfth digit.
      return parsed(roundHalfAwayFromZero(min + whole * step, 12) || 0)
    },
    jsonSchema(field) {
      const { min, max } = scaleOf(field.settings)
      return { type: 'number', minimum: min, maximum: max }
    },
  }
}

const rangeSettings = {
  min: z.number().optional(),
  max: z.number().optional(),
  step: z.number().positive().optional(),
} as const

const rangeOf = ({ min, max, step }: FieldSettings): Scale => ({
  min: typeof min === 'number' ? min : 0,
  max: typeof max === 'number' ? max : 100,
  step: step ?? 1,
})

/** A number from min (0) to max (100) in steps (1) from min; a number between two steps is refused. @source D-94 */
export const sliderType: FieldType = steppedType(rangeOf, rangeSettings)

/** A rating from 0 to maxRating (5), in whole numbers, or halves with allowHalf. @source D-94 */
export const ratingType: FieldType = steppedType(
  ({ maxRating, allowHalf }) => ({ min: 0, max: maxRating ?? 5, step: allowHalf === true ? 0.5 : 1 }),
  { maxRating: z.int().min(1).max(100).optional(), allowHalf: z.boolean().optional() },
)
