// What the files of node types share: a way to declare one, and words of their schemas.
import { z } from 'zod'
import type { NodeType } from '../../api.ts'

/** Declares a node type; the configuration's type is that of its schema. */
export function defineNodeType<C>(type: Omit<NodeType<C>, 'version'>): NodeType {
  return Object.freeze({ version: '1.0.0', ...type }) as unknown as NodeType
}

/** CEL as text, or `{dialect: "cel", source}`. */
export const Cel = z.union([z.string().min(1), z.looseObject({ source: z.string().min(1) })])

/** A map of names to values. */
export const FreeMap = z.record(z.string(), z.unknown())

/** Nodes and edges inside of a node. */
export const Body = z.looseObject({ nodes: z.array(FreeMap).min(1), edges: z.array(FreeMap).default([]) })
