// Which fields of a record a document asks for, so that no others are read. Knows the syntax tree, no schema.
import type { FieldNode, GraphQLResolveInfo, SelectionNode } from 'graphql'

/**
 * Names of the fields that are asked for below a field, in the order they first come.
 * @param path fields that lead further down, such as from a page to its records
 */
export function selectedFields(
  info: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>,
  ...path: string[]
): string[] {
  let nodes: readonly FieldNode[] = info.fieldNodes
  for (const name of path) nodes = below(info, nodes).filter((node) => node.name.value === name)
  return [...new Set(below(info, nodes).map((node) => node.name.value))]
}

function below({ fragments }: Pick<GraphQLResolveInfo, 'fragments'>, nodes: readonly FieldNode[]): FieldNode[] {
  const found: FieldNode[] = []
  const visited = new Set<string>()
  const walk = (selections: readonly SelectionNode[]): void => {
    for (const selection of selections) {
      if (selection.kind === 'Field') found.push(selection)
      else if (selection.kind === 'InlineFragment') walk(selection.selectionSet.selections)
      else if (!visited.has(selection.name.value)) {
        visited.add(selection.name.value)
        walk(fragments[selection.name.value]?.selectionSet.selections ?? [])
      }
    }
  }
  for (const node of nodes) walk(node.selectionSet?.selections ?? [])
  return found
}
