// Every node type of the program, in one list: a new one is a file here and a line below.
import type { NodeCall, NodeOutcome, NodeType } from '../../api.ts'
import { loopNode, parallelNode, tryCatchNode } from './bodies.ts'
import { httpRequestNode } from './http-request.ts'
import type { MessageParts } from './messages.ts'
import { messageNodes } from './messages.ts'
import type { SubflowInput } from './other-services.ts'
import { analyticsNode, scriptNode, subflowNode } from './other-services.ts'
import { recordNodes } from './records.ts'
import { endNode, startNode } from './start-and-end.ts'
import { assignmentNode, decisionNode, logNode, transformNode } from './values.ts'
import { screenNode, waitNode } from './waiting.ts'

export { declaredNodes } from './other-services.ts'

/** Older names by the type they mean. */
export const nodeAliases: Readonly<Record<string, string>> = { http: 'http_request' }

/** What the node types work with. */
export interface NodeParts extends MessageParts {
  readonly data: Parameters<typeof recordNodes>[0]
  readonly outbound: Parameters<typeof httpRequestNode>[0]
  readonly scripts: Parameters<typeof scriptNode>[0]
  readonly analytics: Parameters<typeof analyticsNode>[0]
  readonly clock: Parameters<typeof waitNode>[0]['clock']
  readonly timeZone: () => string
  readonly subflow: (call: NodeCall, input: SubflowInput) => Promise<NodeOutcome>
}

/** Makes the node types. */
export function builtinNodes(parts: NodeParts): readonly NodeType[] {
  return [
    startNode,
    endNode,
    decisionNode,
    assignmentNode,
    transformNode,
    logNode,
    loopNode,
    parallelNode,
    tryCatchNode,
    ...recordNodes(parts.data),
    httpRequestNode(parts.outbound),
    ...messageNodes(parts),
    scriptNode(parts.scripts),
    analyticsNode(parts.analytics),
    screenNode,
    waitNode(parts),
    subflowNode(parts.subflow),
  ]
}
