// Contracts of the Model Context Protocol over Streamable HTTP (beyond the specification, D-295 to D-298, D-320): one endpoint that
// takes one JSON-RPC message per request, and what came in lately.
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'

/** A call may take this long: imports and flows are among them. */
export const mcpTimeoutMs = 60_000

/** What the endpoint answers: the answer to the message, or an error of the protocol. */
export const McpAnswer = z
  .looseObject({ jsonrpc: z.literal('2.0'), id: z.union([z.string(), z.number()]).nullish() })
  .meta({ id: 'McpAnswer', description: 'A JSON-RPC 2.0 response.' })

const shared = { rateLimit: 'heavy', channel: 'mcp', tag: 'mcp', permission: 'session' } as const

/** The routes of the `mcp` plugin. */
export const mcpRoutes = defineRoutes({
  callMcp: defineRoute({
    ...shared,
    operationId: 'callMcp',
    method: 'POST',
    mount: 'versioned',
    path: '/mcp',
    aliases: [
      { mount: 'root', path: '/mcp' },
      { mount: 'api', path: '/mcp' },
    ],
    body: z.unknown().meta({ description: 'One JSON-RPC 2.0 message of the Model Context Protocol.' }),
    response: McpAnswer,
    bodiless: [202],
    takesReadOnlyKeys: true,
    keepsAnswer: false,
    timeoutMs: mcpTimeoutMs,
    errors: ['permission_denied', 'timeout'],
    reads: ['MCP-Method', 'MCP-Name', 'MCP-Protocol-Version'],
    summary: 'Speaks the Model Context Protocol: tools, resources and prompts over the records the caller may reach.',
  }),
  listMcpActs: defineRoute({
    ...shared,
    operationId: 'listMcpActs',
    method: 'GET',
    mount: 'versioned',
    path: '/mcp/acts',
    rateLimit: 'read',
    response: z.object({
      acts: z.array(
        z.object({
          keyId: z.string(),
          at: z.string(),
          tool: z.string(),
          object: z.string().nullable(),
          refused: z.boolean(),
        }),
      ),
    }),
    errors: [],
    summary: 'What assistants did last with the keys of the caller, since the host was started.',
  }),
})
