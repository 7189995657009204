// The id form of D-09. Knows no fields.

/** Any version, and the two without one: nil and max. @source RFC 9562 sections 4, 5.9 and 5.10 */
const pattern =
  /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|0{8}-(?:0{4}-){3}0{12}|f{8}-(?:f{4}-){3}f{12})$/

/** The lower-case UUID a text stands for, or null. */
export function parseUuid(text: unknown): string | null {
  if (typeof text !== 'string' || text.length !== 36) return null
  const lower = text.toLowerCase()
  return pattern.test(lower) ? lower : null
}
