// Properties of a field's definition that say which values it takes, and make no other values of those there are. Pure.

/** The limits of a field; `fields` are those of the parts of a group. @source D-93, D-94 */
export const fieldLimits = [
  'required',
  'min',
  'max',
  'precision',
  'minLength',
  'maxLength',
  'pattern',
  'options',
  'minItems',
  'maxItems',
  'maxRating',
  'step',
  'allowHalf',
  'fields',
] as const

/** A limit of a field. */
export type FieldLimit = (typeof fieldLimits)[number]
