// The catalogue of actions (D-162): every node type with the schema of its configuration.
import type { z } from 'zod'
import { z as schema } from 'zod'
import type { ActionDescriptor } from '#shared/contracts/automation.ts'
import type { NodeType } from '../api.ts'
import type { NodeTypes } from './node-types.ts'

type Descriptor = z.input<typeof ActionDescriptor>

/** Describes the node types that fit a query; a source, category or paradigm nobody has answers none. */
export function describeActions(
  types: NodeTypes,
  query: { paradigm?: string | undefined; source?: string | undefined; category?: string | undefined },
): { actions: Descriptor[]; total: number } {
  const actions = types
    .all()
    .map((type) => describe(types, type))
    .filter(({ source }) => query.source === undefined || query.source === source)
    .filter(({ category }) => query.category === undefined || query.category === category)
    .filter(() => query.paradigm === undefined || query.paradigm === 'flow')
  return { actions, total: actions.length }
}

function describe(types: NodeTypes, type: NodeType): Descriptor {
  return {
    type: type.type,
    version: type.version,
    name: type.name,
    description: type.description,
    icon: type.icon,
    category: type.category,
    paradigms: ['flow'],
    configSchema: types.schemaOf(type),
    ...(type.outputSchema === undefined
      ? {}
      : {
          outputSchema: schema.toJSONSchema(type.outputSchema, { unrepresentable: 'any' }) as Record<string, unknown>,
        }),
    supportsPause: type.supportsPause ?? false,
    supportsCancellation: type.supportsCancellation ?? true,
    supportsRetry: type.supportsRetry ?? true,
    isAsync: type.supportsPause ?? false,
    source: types.sourceOf(type.type),
    deprecated: false,
  }
}
