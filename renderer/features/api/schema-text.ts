// Owns reading the text of a GraphQL schema, as the host prints it, into types and their fields. Pure.

/** A field, an argument or a member of an input. */
export interface SchemaMember {
  readonly name: string
  /** The type as it is written. */
  readonly type: string
  /** Arguments of a field. */
  readonly args: readonly SchemaMember[]
}

/** The types of a schema by name: their members, or the words of an enumeration. */
export type SchemaTypes = ReadonlyMap<string, readonly SchemaMember[]>

/** Reads the text. What is no type with members is left out. */
export function readSchemaText(text: string): SchemaTypes {
  const types = new Map<string, SchemaMember[]>()
  let members: SchemaMember[] | undefined
  // Descriptions say nothing about what fits where.
  for (const line of text.replaceAll(/"""[\s\S]*?"""/g, '').split('\n')) {
    const head = /^(?:type|input|enum) (\w+)/.exec(line)
    if (head) types.set(head[1]!, (members = []))
    else if (line.startsWith('}')) members = undefined
    else members?.push(...memberOf(line.trim()))
  }
  return types
}

function memberOf(line: string): SchemaMember[] {
  const [, name, args, type = ''] = /^(\w+)(?:\((.*)\))?(?:: ([^\s=]+))?/.exec(line) ?? []
  return name === undefined ? [] : [{ name, type, args: argumentsOf(args ?? '') }]
}

function argumentsOf(text: string): SchemaMember[] {
  return [...text.matchAll(/(\w+): ([[\]!\w]+)/g)].map(([, name, type]) => ({ name: name!, type: type!, args: [] }))
}

/** The name of a type without brackets and marks. */
export function plainType(type: string): string {
  return type.replaceAll(/[[\]!]/g, '')
}
