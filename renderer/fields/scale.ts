// Owns the scales of numbers with steps: bounds, steps, and stars as text. Pure. @source D-94 progress, slider, rating

import type { FieldDefinition } from './field-definition.ts'

/** Bounds and step of a field's scale. */
export interface Scale {
  min: number
  max: number
  step: number
}

// Relative error below which a quotient of doubles counts as whole: the host's.
const tolerance = 1e-9

/** The scale of a field; 0 to 100 by 1, or 0 to 5 stars, where the definition says nothing. */
export function scaleOf(field: FieldDefinition): Scale {
  if (field.type === 'rating') return { min: 0, max: field.maxRating ?? 5, step: field.allowHalf === true ? 0.5 : 1 }
  const { min, max, step } = field
  return {
    min: typeof min === 'number' ? min : 0,
    max: typeof max === 'number' ? max : 100,
    step: typeof step === 'number' && step > 0 ? step : 1,
  }
}

/** The number cleaned of what is left of floating additions; null between two steps. */
export function onStep(value: number, field: FieldDefinition): number | null {
  const { min, step } = scaleOf(field)
  const steps = (value - min) / step
  const whole = Math.round(steps)
  if (Math.abs(steps - whole) > tolerance * Math.max(1, Math.abs(whole))) return null
  return Number((min + whole * step).toFixed(12)) || 0
}

/** The next value of a scale in one direction, inside its bounds; null counts as the lowest. */
export function nextOnScale(value: number | null, steps: number, field: FieldDefinition): number {
  const { min, max, step } = scaleOf(field)
  const from = value ?? min
  return Math.min(max, Math.max(min, onStep(from + steps * step, field) ?? min))
}

/** A rating as stars up to ten, as a fraction beyond; empty for none. */
export function starsText(value: number | null, field: FieldDefinition): string {
  if (value === null) return ''
  const { max } = scaleOf(field)
  if (max > 10 || value < 0 || value > max) return `${value} / ${max}`
  const whole = Math.floor(value)
  const half = value - whole >= 0.5
  return '★'.repeat(whole) + (half ? '⯪' : '') + '☆'.repeat(max - whole - (half ? 1 : 0))
}
