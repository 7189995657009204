// The field type `number`.
import type { FieldType } from './field-type.ts'
import { numericType } from './numeric.ts'

/** A number; an integer when scale is 0; every fraction digit kept when no scale is given. @source D-94 */
export const numberType: FieldType = numericType(
  { scale: (settings) => settings.scale },
  { family: 'number', listRank: 3, summable: true },
)
