// Owns reading a multi-value as a list of texts, whatever form it arrives in.

/** Elements of a multi-value as texts; a single value is a list of one, null is empty. */
export function textItems(value: unknown): string[] {
  if (value == null || value === '') return []
  const items: readonly unknown[] = Array.isArray(value) ? value : [value]
  return items
    .filter((item) => item != null)
    .map((item) => (typeof item === 'object' ? JSON.stringify(item) : String(item)))
}
