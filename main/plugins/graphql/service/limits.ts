// What a document may ask for at most (D-182), judged before it is validated: depth, complexity, aliases, and lists of the
// schema inside of each other. Fragments are measured once each, so that what they multiply costs nothing to find.
import type { DocumentNode, FieldNode, FragmentDefinitionNode, GraphQLSchema, SelectionNode, ValueNode } from 'graphql'
import type { GraphQLNamedType } from 'graphql'
import { invalidQuery } from '#shared/errors.ts'
import type { PlatformError } from '#shared/errors.ts'

/** Most records of one list (D-75). */
export const maxTop = 1_000

/** The limits of D-182. */
export const documentLimits = {
  depth: 10,
  complexity: 5_000,
  aliases: 15,
  tokens: 1_000,
  characters: 100_000,
} as const

/** What a field costs beside one for itself, as an extension of its definition. */
export interface FieldCost {
  /** Records of a list without `top`. */
  readonly top?: number
  /** Most records, whatever `top` says; {@link maxTop} where absent. */
  readonly most?: number
  /** An argument that holds one record per element. */
  readonly perElementOf?: string
  /** Work that is not records. */
  readonly flat?: number
}

/** Key of {@link FieldCost} in the extensions of a field. */
export const costKey = 'cost'

interface Measure {
  depth: number
  cost: number
  aliases: number
}

/** Lists of the introspection schema: one of them inside of another has no end. */
const schemaLists = new Set(['fields', 'inputFields', 'interfaces', 'possibleTypes', 'enumValues'])

/**
 * What is too much in a document; null when nothing is.
 * @param given variables as they came; what is not valid counts as absent
 */
export function excessOf(
  library: Pick<typeof import('graphql'), 'isCompositeType' | 'getNamedType'>,
  schema: GraphQLSchema,
  document: DocumentNode,
  given: Readonly<Record<string, unknown>>,
): PlatformError | null {
  const variables = withDefaults(document, given)
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === 'FragmentDefinition') fragments.set(definition.name.value, definition)
  }
  const measured = new Map<string, Measure | null>()
  const none: Measure = { depth: 0, cost: 0, aliases: 0 }
  let isNested = false

  const ofFragment = (name: string, inList: boolean): Measure => {
    const definition = fragments.get(name)
    if (definition === undefined) return none
    const key = `${name} ${inList}`
    const known = measured.get(key)
    // A circle is refused by the rule for it.
    if (known !== undefined) return known ?? none
    measured.set(key, null)
    const type = schema.getType(definition.typeCondition.name.value)
    const found = ofSelections(definition.selectionSet.selections, type, inList)
    measured.set(key, found)
    return found
  }

  const ofSelections = (
    selections: readonly SelectionNode[],
    type: GraphQLNamedType | undefined,
    inList: boolean,
  ): Measure => {
    const sum: Measure = { depth: 0, cost: 0, aliases: 0 }
    for (const selection of selections) {
      const part =
        selection.kind === 'Field'
          ? ofField(selection, type, inList)
          : selection.kind === 'FragmentSpread'
            ? ofFragment(selection.name.value, inList)
            : ofSelections(
                selection.selectionSet.selections,
                selection.typeCondition === undefined ? type : schema.getType(selection.typeCondition.name.value),
                inList,
              )
      sum.depth = Math.max(sum.depth, part.depth)
      sum.cost += part.cost
      sum.aliases += part.aliases
    }
    return sum
  }

  const ofField = (node: FieldNode, parent: GraphQLNamedType | undefined, inList: boolean): Measure => {
    const name = node.name.value
    const own = node.alias === undefined ? 0 : 1
    const field = fieldOf(schema, parent, name)
    const type = field === undefined ? undefined : library.getNamedType(field.type)
    const isIntrospection = type?.name.startsWith('__') === true
    const isList = isIntrospection && schemaLists.has(name)
    if (isList && inList) isNested = true
    const inner = ofSelections(node.selectionSet?.selections ?? [], type, inList || isList)
    const aliases = own + inner.aliases
    // Introspection is bounded by the schema; its own rule is that no list stands in another one.
    if (isIntrospection) return { depth: 0, cost: 1, aliases }
    const cost = (field?.extensions[costKey] ?? {}) as FieldCost
    const isComposite = type !== undefined && library.isCompositeType(type)
    const records = recordsOf(node, cost, variables)
    return {
      depth: 1 + inner.depth,
      cost: (isComposite ? 1 + records * inner.cost : 0) + (cost.flat ?? 0),
      aliases,
    }
  }

  let aliases = 0
  let depth = 0
  let complexity = 0
  for (const definition of document.definitions) {
    if (definition.kind !== 'OperationDefinition') continue
    const root = schema.getRootType(definition.operation) ?? undefined
    const measure = ofSelections(definition.selectionSet.selections, root, false)
    depth = Math.max(depth, measure.depth)
    complexity = Math.max(complexity, measure.cost)
    aliases += measure.aliases
  }
  if (depth > documentLimits.depth) return tooMuch('depth', depth)
  if (aliases > documentLimits.aliases) return tooMuch('aliases', aliases)
  if (complexity > documentLimits.complexity) return tooMuch('complexity', complexity)
  return isNested ? invalidQuery('query', 'Lists of the schema cannot stand inside of each other.', { path: '' }) : null
}

function fieldOf(schema: GraphQLSchema, parent: GraphQLNamedType | undefined, name: string) {
  return parent !== undefined && 'getInterfaces' in parent ? schema.getField(parent, name) : undefined
}

function recordsOf(node: FieldNode, cost: FieldCost, variables: Readonly<Record<string, unknown>>): number {
  const read = (argument: string): unknown => {
    const given = node.arguments?.find(({ name }) => name.value === argument)?.value
    return given === undefined ? undefined : plainValue(given, variables)
  }
  if (cost.perElementOf !== undefined) {
    const list = read(cost.perElementOf)
    return Array.isArray(list) ? list.length : 1
  }
  if (cost.top === undefined) return 1
  const top = read('top')
  return typeof top === 'number' ? Math.min(Math.max(top, 0), cost.most ?? maxTop) : cost.top
}

/** Variables with the defaults of the document; where operations give several, the largest number counts. */
function withDefaults(document: DocumentNode, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const defaults: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const definition of document.definitions) {
    if (definition.kind !== 'OperationDefinition') continue
    for (const { variable, defaultValue } of definition.variableDefinitions ?? []) {
      const value = defaultValue === undefined ? undefined : plainValue(defaultValue, {})
      const before = defaults[variable.name.value]
      if (value === undefined || (typeof before === 'number' && typeof value === 'number' && before > value)) continue
      defaults[variable.name.value] = value
    }
  }
  for (const [name, value] of Object.entries(given)) if (value !== undefined) defaults[name] = value
  return defaults
}

/** A number, or a list of any length; other values do not count. */
function plainValue(node: ValueNode, variables: Readonly<Record<string, unknown>>): unknown {
  if (node.kind === 'Variable')
    return Object.hasOwn(variables, node.name.value) ? variables[node.name.value] : undefined
  if (node.kind === 'IntValue') return Number(node.value)
  return node.kind === 'ListValue' ? node.values : undefined
}

/** The refusal of a document that goes beyond a limit. */
export function tooMuch(limit: keyof typeof documentLimits, asked?: number): PlatformError {
  const words = { depth: 'levels', complexity: 'points of complexity', aliases: 'aliases', tokens: 'tokens' } as const
  const unit = limit === 'characters' ? 'characters' : words[limit]
  return invalidQuery('query', `A document has at most ${documentLimits[limit]} ${unit}.`, {
    path: '',
    limit: documentLimits[limit],
    limitName: limit,
    ...(asked === undefined || !Number.isFinite(asked) ? {} : { asked }),
  })
}
