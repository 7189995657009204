// Quoting of SQL identifiers. Metadata names may be SQL keywords, so every identifier is quoted (D-92).

/** Quotes an identifier for SQL text. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
