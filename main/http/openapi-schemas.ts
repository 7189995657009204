// Turns zod schemas into JSON Schema with shared components. Schemas with `.meta({ id })` become components once.
// Knows no route.
import { z } from 'zod'

/** A JSON Schema as a plain object. */
export type JsonSchema = { [key: string]: unknown }

/** Collects the schemas of one document: ask for each, then read the components. */
export interface SchemaCollector {
  /** The schema of something the server sends. */
  output(schema: z.ZodType): JsonSchema
  /** The schema of something the server reads. */
  input(schema: z.ZodType): JsonSchema
  /** Resolves every reference and answers the components by name, in alphabetical order. Call once, last. */
  finish(): Record<string, JsonSchema>
}

type Direction = 'input' | 'output'

const placeholder = '#/$defs/'

/**
 * Makes a collector. A component whose two directions differ (defaults, transformations) gets a second one named
 * `<Name>Input`.
 */
export function createSchemaCollector(): SchemaCollector {
  const parts: { direction: Direction; schema: JsonSchema }[] = []
  const defs: Record<Direction, Map<string, JsonSchema>> = { input: new Map(), output: new Map() }

  const convert = (schema: z.ZodType, direction: Direction): JsonSchema => {
    const converted = z.toJSONSchema(schema, { io: direction, unrepresentable: 'any' }) as JsonSchema
    const { $schema: _dialect, $defs, ...rest } = converted
    for (const [name, definition] of Object.entries(($defs ?? {}) as Record<string, JsonSchema>)) {
      defs[direction].set(name, direction === 'output' ? opened(definition) : definition)
    }
    const part = { direction, schema: direction === 'output' ? opened(rest) : rest }
    parts.push(part)
    return part.schema
  }

  return {
    output: (schema) => convert(schema, 'output'),
    input: (schema) => convert(schema, 'input'),
    finish() {
      const renamed = differing(defs)
      const nameOf = (name: string, direction: Direction): string =>
        direction === 'input' && renamed.has(name) ? `${name}Input` : name
      for (const { direction, schema } of parts) repoint(schema, (name) => nameOf(name, direction))
      const components = new Map<string, JsonSchema>()
      for (const direction of ['output', 'input'] as const) {
        for (const [name, schema] of defs[direction]) {
          repoint(schema, (other) => nameOf(other, direction))
          components.set(nameOf(name, direction), schema)
        }
      }
      return Object.fromEntries([...components].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    },
  }
}

/** Components whose two directions differ, directly or through what they refer to. */
function differing(defs: Record<Direction, ReadonlyMap<string, JsonSchema>>): Set<string> {
  const found = new Set<string>()
  const shared = [...defs.input.keys()].filter((name) => defs.output.has(name))
  const texts = new Map(shared.map((name) => [name, JSON.stringify(defs.input.get(name))]))
  for (const name of shared) if (texts.get(name) !== JSON.stringify(defs.output.get(name))) found.add(name)
  for (let before = -1; before !== found.size;) {
    before = found.size
    for (const name of shared) {
      if ([...found].some((other) => texts.get(name)!.includes(`"${placeholder}${other}"`))) found.add(name)
    }
  }
  return found
}

/** Answers may gain members at any time (D-201), so no object the server sends is closed. */
function opened(schema: JsonSchema): JsonSchema {
  walk(schema, (node) => {
    if (node['additionalProperties'] === false) delete node['additionalProperties']
  })
  return schema
}

function repoint(schema: JsonSchema, nameOf: (name: string) => string): void {
  walk(schema, (node) => {
    const ref = node['$ref']
    if (typeof ref === 'string' && ref.startsWith(placeholder)) {
      node['$ref'] = `#/components/schemas/${nameOf(ref.slice(placeholder.length))}`
    }
  })
}

function walk(value: unknown, visit: (node: JsonSchema) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, visit)
  } else if (typeof value === 'object' && value !== null) {
    visit(value as JsonSchema)
    for (const inner of Object.values(value)) walk(inner, visit)
  }
}
