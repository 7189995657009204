// The node types there are: those of the program and those plugins add.
import { z } from 'zod'
import type { NodeType } from '../api.ts'

/** The node types of one host. */
export interface NodeTypes {
  /** Undefined for a type nobody knows. */
  get(type: string): NodeType | undefined
  /** All of them by name. */
  all(): readonly NodeType[]
  /** Whether the program only declares the type, and nobody carries it out (yet). */
  isDeclared(type: string): boolean
  /** A type the program declares is its own, whoever carries it out. */
  sourceOf(type: string): 'builtin' | 'plugin'
  /** The type an older name means; undefined for a name of its own. */
  aliasOf(type: string): string | undefined
  /** @throws Error when somebody carries the type out already */
  register(type: NodeType): void
  /** Rises with every registration. */
  version(): number
  /** The configuration as JSON Schema 2020-12. */
  schemaOf(type: NodeType): Record<string, unknown>
}

/**
 * Makes the list.
 * @param declared types whose executor a plugin brings
 * @param aliases older names by the type they mean
 */
export function createNodeTypes(
  builtin: readonly NodeType[],
  declared: readonly NodeType[],
  aliases: Readonly<Record<string, string>>,
): NodeTypes {
  const types = new Map([...builtin, ...declared].map((type) => [type.type, type]))
  const open = new Set(declared.map(({ type }) => type))
  const own = new Set(types.keys())
  const schemas = new WeakMap<NodeType, Record<string, unknown>>()
  let version = 0
  const get = (type: string): NodeType | undefined => types.get(aliases[type] ?? type)
  return {
    get,
    all: () => [...types.values()].toSorted((one, other) => (one.type < other.type ? -1 : 1)),
    isDeclared: (type) => open.has(type),
    sourceOf: (type) => (own.has(type) ? 'builtin' : 'plugin'),
    aliasOf: (type) => (Object.hasOwn(aliases, type) ? aliases[type] : undefined),
    register(type) {
      if (types.has(type.type) && !open.has(type.type)) throw new Error(`The node type "${type.type}" is taken.`)
      types.set(type.type, type)
      open.delete(type.type)
      version += 1
    },
    version: () => version,
    schemaOf(type) {
      let schema = schemas.get(type)
      if (schema === undefined) {
        schema = z.toJSONSchema(type.configSchema, { io: 'input', unrepresentable: 'any' }) as Record<string, unknown>
        schemas.set(type, schema)
      }
      return schema
    },
  }
}
