// What bodies of other systems say: JSON, the fields of a form, or any other text. Knows no route.

/**
 * Reads a body that is also kept as it arrived.
 * @returns undefined without a body
 * @throws validation_error for JSON that is none
 */
export function readRawBody(bytes: Buffer, contentType: string, parseJson: (bytes: Buffer) => unknown): unknown {
  if (bytes.length === 0) return undefined
  const type = contentType.split(';', 1)[0]!.trim().toLowerCase()
  if (type === 'application/x-www-form-urlencoded') {
    const fields = new Map<string, string | string[]>()
    for (const [name, value] of new URLSearchParams(bytes.toString('utf8'))) {
      // An own "__proto__" is dangerous wherever the map is copied.
      if (name === '__proto__') continue
      const held = fields.get(name)
      // Added to, never copied: a body may be one name, half a million times.
      if (Array.isArray(held)) held.push(value)
      else fields.set(name, held === undefined ? value : [held, value])
    }
    return Object.fromEntries(fields)
  }
  return type.startsWith('text/') ? { text: bytes.toString('utf8') } : parseJson(bytes)
}
