// The endpoint: reads one message, lets the official library speak the protocol over a server made for this request, and
// hands back its answer. Nothing is kept between requests, so there are no sessions. Knows no HTTP beyond headers and a status.
import { validationError } from '#shared/errors.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireOpenRecords } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { ServerParts } from './service/protocol-server.ts'
import { createServerOf } from './service/protocol-server.ts'

/** An answer of the endpoint; without a body where the message asks for none. */
export interface McpReply {
  readonly status: number
  readonly body: unknown
}

/** The endpoint. */
export interface McpEndpoint {
  /**
   * Answers one message with the rights of the caller.
   * @param headers in lower case; those of the protocol are read
   * @throws validation_error for what is no message, permission_denied where records are closed to the caller
   */
  answer(
    ctx: RequestContext,
    message: unknown,
    headers: Readonly<Record<string, string | undefined>>,
  ): Promise<McpReply>
}

/** What the endpoint works with. */
export interface EndpointParts extends ServerParts {
  readonly authorizer: () => Authorizer
  readonly log: Logger
}

/** Headers of the protocol that the library looks at. */
const protocolHeaders = ['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const

/** The library wants an address; nothing is ever sent to it. */
const nowhere = 'http://mcp.invalid/mcp'

/** Makes the endpoint. */
export function createMcpEndpoint(parts: EndpointParts): McpEndpoint {
  return {
    async answer(ctx, message, headers) {
      requireOpenRecords(parts.authorizer(), ctx)
      requireMessage(message)
      // Not loaded before somebody speaks the protocol: no start pays for it.
      const library = await import('@modelcontextprotocol/server')
      const request = new Request(nowhere, {
        method: 'POST',
        headers: headersFor(headers),
        body: '{}',
        signal: ctx.signal,
      })
      const server = createServerOf(library, parts, ctx)
      const options = { parsedBody: message }
      try {
        if (await library.isLegacyRequest(request, message)) {
          const transport = new library.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
          await server.connect(transport)
          return await replyOf(await transport.handleRequest(request, options))
        }
        const handler = library.createMcpHandler(() => server, {
          legacy: 'reject',
          // Changes are told by realtime, not here.
          maxSubscriptions: 0,
          onerror: (error) =>
            parts.log.debug({ err: error, requestId: ctx.requestId }, 'The protocol refused a message.'),
        })
        return await replyOf(await handler.fetch(request, options))
      } finally {
        await server.close()
      }
    },
  }
}

/** @throws validation_error */
function requireMessage(message: unknown): void {
  const refuse = (field: string, code: 'required' | 'invalid_type' | 'invalid_option', text: string): never => {
    throw validationError([{ field, code, message: text }])
  }
  if (message === undefined || message === null) refuse('', 'required', 'The body is one JSON-RPC 2.0 message.')
  if (Array.isArray(message)) refuse('', 'invalid_type', 'The body is one JSON-RPC 2.0 message, not a list of them.')
  if (typeof message !== 'object') refuse('', 'invalid_type', 'The body is one JSON-RPC 2.0 message.')
  const { jsonrpc, method } = message as { jsonrpc?: unknown; method?: unknown }
  if (jsonrpc !== '2.0') refuse('jsonrpc', 'invalid_option', 'The message says "jsonrpc": "2.0".')
  if (typeof method !== 'string') refuse('method', 'required', 'The message names a method.')
}

function headersFor(given: Readonly<Record<string, string | undefined>>): Headers {
  const headers = new Headers({
    'content-type': 'application/json',
    // Answers are JSON whatever is asked for, which every client has to take.
    accept: 'application/json, text/event-stream',
  })
  for (const name of protocolHeaders) {
    const value = given[name]
    if (value !== undefined) headers.set(name, value)
  }
  return headers
}

async function replyOf(response: Response): Promise<McpReply> {
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) }
}
