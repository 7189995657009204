// Owns comparing stored values: links without what they were expanded to, everything by content. Pure.

/** A stored value without the linked records it was expanded to; a missing one is null. */
export function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainValue)
  if (typeof value === 'object' && value !== null && 'id' in value && 'updated_at' in value) return value.id
  return value ?? null
}

/** Whether two stored values say the same; null and missing do. */
export function sameContent(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null)
}
