// Properties of a field's definition that say which values it takes, and make no other values of those there are. Pure.

/** The limits of a field. @source D-93, D-94 */
export const fieldLimits = ['required', 'min', 'max', 'minLength', 'maxLength', 'pattern', 'options'] as const

/** A limit of a field. */
export type FieldLimit = (typeof fieldLimits)[number]
