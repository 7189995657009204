// The handlers: a message in, the protocol's answer out; and what came in lately.
import type { mcpRoutes } from '#shared/contracts/mcp.ts'
import type { RouteResult } from '#shared/route.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import { ByteStream, Reply } from '#main/kernel/reply.ts'
import type { McpEndpoint } from './service.ts'
import type { RecentActs } from './service/recent-acts.ts'

/** Binds the routes. */
export function mcpHandlers(endpoint: McpEndpoint, acts: Pick<RecentActs, 'of'>): Handlers<typeof mcpRoutes> {
  return {
    listMcpActs: ({ actor }) => ({ acts: [...acts.of(actor.id)] }),
    async callMcp(ctx, { body, headers }) {
      const { status, body: answer } = await endpoint.answer(ctx, body, headers)
      if (answer === undefined) return new Reply(new ByteStream('', 'application/json'), { status })
      return new Reply(answer as RouteResult<(typeof mcpRoutes)['callMcp']>, { status })
    },
  }
}
