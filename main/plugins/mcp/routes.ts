// The handler of the endpoint: a message in, the protocol's answer out.
import type { mcpRoutes } from '#shared/contracts/mcp.ts'
import type { RouteResult } from '#shared/route.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import { ByteStream, Reply } from '#main/kernel/reply.ts'
import type { McpEndpoint } from './service.ts'

/** Binds the route to the endpoint. */
export function mcpHandlers(endpoint: McpEndpoint): Handlers<typeof mcpRoutes> {
  return {
    async callMcp(ctx, { body, headers }) {
      const { status, body: answer } = await endpoint.answer(ctx, body, headers)
      if (answer === undefined) return new Reply(new ByteStream('', 'application/json'), { status })
      return new Reply(answer as RouteResult<(typeof mcpRoutes)['callMcp']>, { status })
    },
  }
}
