// Freezes JSON values. Pure.

/** Freezes a JSON value at every depth; a part that is frozen already is taken as frozen throughout. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const member of Object.values(value)) deepFreeze(member)
  }
  return value
}
