// Owns lists of words: their text form, comma-separated and quoted where a word holds a comma or a quote, and reading a
// multi-value as one. Knows no fields.

/** Writes a list so that {@link parseList} reads it back. */
export function listToText(items: readonly string[]): string {
  return items.map((item) => (/[",;\n]|^\s|\s$|^$/.test(item) ? `"${item.replaceAll('"', '""')}"` : item)).join(', ')
}

/** Reads a list: items are separated by commas, semicolons or line breaks, trimmed unless quoted; empty ones are dropped. */
export function parseList(text: string): string[] {
  const items: string[] = []
  const item = /\s*(?:"((?:[^"]|"")*)"(?=\s*(?:[,;\n]|$))|([^,;\n]*))\s*(?:[,;\n]|$)/gy
  while (item.lastIndex < text.length) {
    const found = item.exec(text)
    if (!found) break
    const word = found[1] === undefined ? (found[2] ?? '').trim() : found[1].replaceAll('""', '"')
    if (word !== '') items.push(word)
  }
  return items
}

/** Elements of a multi-value as texts; a single value is a list of one, null is empty. */
export function textItems(value: unknown): string[] {
  if (value == null || value === '') return []
  const items: readonly unknown[] = Array.isArray(value) ? value : [value]
  return items
    .filter((item) => item != null)
    .map((item) => (typeof item === 'object' ? JSON.stringify(item) : String(item)))
}
