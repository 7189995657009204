// Values a JSON Schema describes: enough of it to call a route with a request that its contract takes.

type Schema = Readonly<Record<string, unknown>>

const formats: Readonly<Record<string, string>> = {
  email: 'nobody@example.org',
  // Nobody listens there: what is called is on this machine.
  uri: 'http://127.0.0.1:9/',
  uuid: '00000000-0000-7000-8000-000000000000',
  'date-time': '2026-01-31T08:00:00.000Z',
  date: '2026-01-31',
}

/** Texts tried against a pattern; the first that matches is the sample. */
const texts = [
  'x',
  'none',
  'nothing_here',
  '00000000-0000-7000-8000-000000000000',
  '1',
  'a'.repeat(64),
  'com.example.x',
]

/**
 * One value of a schema.
 * @param schemas what `#/components/schemas/` refers to
 * @param full whether members that may be absent are there
 */
export function sampleOf(schema: Schema, schemas: Readonly<Record<string, Schema>>, full: boolean, depth = 0): unknown {
  const of = (inner: unknown): unknown => sampleOf((inner ?? {}) as Schema, schemas, full && depth < 4, depth + 1)
  const reference = schema['$ref']
  if (typeof reference === 'string') return depth > 8 ? null : of(schemas[reference.split('/').at(-1)!])
  if ('const' in schema) return schema['const']
  const choices = schema['enum'] ?? schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(choices)) return 'enum' in schema ? choices[0] : of(choices[0])
  const all = schema['allOf']
  if (Array.isArray(all)) return Object.assign({}, ...all.map(of)) as unknown
  const type = Array.isArray(schema['type']) ? (schema['type'][0] as unknown) : schema['type']
  switch (type) {
    case 'string':
      return textOf(schema)
    case 'integer':
    case 'number':
      return Math.max(1, Number(schema['minimum'] ?? 1))
    case 'boolean':
      return false
    case 'array':
      return full || Number(schema['minItems'] ?? 0) > 0 ? [of(schema['items'])] : []
    case 'object': {
      const required = new Set((schema['required'] ?? []) as string[])
      const members = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)
      return Object.fromEntries(
        members.filter(([name]) => full || required.has(name)).map(([name, one]) => [name, of(one)]),
      )
    }
    default:
      return full ? {} : 'x'
  }
}

function textOf(schema: Schema): string {
  const { format, pattern, minLength = 0 } = schema as { format?: string; pattern?: string; minLength?: number }
  const known = format === undefined ? undefined : formats[format]
  if (known !== undefined) return known
  const matcher = pattern === undefined ? undefined : new RegExp(pattern)
  return (
    texts.find((text) => text.length >= minLength && (matcher === undefined || matcher.test(text))) ??
    'x'.padEnd(minLength, 'x')
  )
}
