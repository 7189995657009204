// The server of one request: what it can do, bound to the caller. Speaks through the official library and holds no rules.
import { isJsonMap } from '#shared/merge-patch.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { Prompt } from './prompts.ts'
import type { RecentActs } from './recent-acts.ts'
import type { Resources } from './resources.ts'
import type { Tool } from './tool.ts'
import { listedTool, dataNotice } from './tool.ts'
import { failedResult, platformErrorOf } from './tool-errors.ts'

/** The library, loaded with the first use. */
export type McpLibrary = typeof import('@modelcontextprotocol/server')

/** The library's server. */
export type ProtocolServer = InstanceType<McpLibrary['Server']>

/** What a server offers. */
export interface ServerParts {
  /** The tools there are; what the caller may do with them each of them asks. */
  readonly tools: () => readonly Tool[]
  readonly resources: Resources
  readonly prompts: readonly Prompt[]
  readonly acts: Pick<RecentActs, 'add'>
  readonly log: Logger
  /** Of the program. */
  readonly version: string
}

/** What a client is told before anything else. */
const instructions = `Cairn holds records of objects people define. Begin with list_objects, then describe_object. ${dataNotice} Calls that would lose something answer status confirmation_required with a plan: show it to the user, and call again with the confirmToken only if they agree.`

/** Makes the server of a request; the caller closes it. */
export function createServerOf(library: McpLibrary, parts: ServerParts, ctx: RequestContext): ProtocolServer {
  const { ProtocolError, ProtocolErrorCode } = library
  const server = new library.Server(
    { name: 'cairn', title: 'Cairn', version: parts.version },
    { capabilities: { tools: {}, resources: {}, prompts: {}, logging: {} }, instructions },
  )
  const refuse = (message: string): never => {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message)
  }
  const { tools, resources, prompts, acts, log } = parts

  server.setRequestHandler('tools/list', () => ({ tools: tools().map(listedOnce) }) as never)
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = tools().find(({ name }) => name === params.name) ?? refuse(`There is no tool "${cut(params.name)}".`)
    const note = (refused: boolean): void => acts.add(ctx, { tool: tool.name, args: params.arguments, refused })
    try {
      const found = await tool.run(ctx, params.arguments ?? {})
      note(false)
      // Through JSON: what is shown is what is checked, without members that are undefined.
      const text = JSON.stringify(found)
      return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) as Record<string, unknown> }
    } catch (error) {
      note(true)
      return failedResult(platformErrorOf(error, ctx.requestId, log), ctx.requestId) as never
    }
  })
  server.setRequestHandler('resources/list', () => ({ resources: resources.list(ctx) }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [...resources.templates] }))
  server.setRequestHandler('resources/read', async ({ params }) => {
    const { uri } = params
    try {
      const found = await resources.read(ctx, uri)
      return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(found) }] }
    } catch (error) {
      const failure = platformErrorOf(error, ctx.requestId, log)
      if (failure.code === 'resource_not_found') throw new library.ResourceNotFoundError(uri)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, failure.message, { code: failure.code, uri: cut(uri) })
    }
  })
  server.setRequestHandler('prompts/list', () => ({ prompts: prompts.map(({ listed }) => listed) }))
  server.setRequestHandler('prompts/get', ({ params }) => {
    const prompt = prompts.find(({ listed }) => listed.name === params.name)
    if (prompt === undefined) return refuse(`There is no prompt "${cut(params.name)}".`)
    const given: Readonly<Record<string, unknown>> = isJsonMap(params.arguments) ? params.arguments : {}
    const missing = prompt.listed.arguments.find((one) => one.required && typeof given[one.name] !== 'string')
    if (missing !== undefined) return refuse(`The argument "${missing.name}" is required.`)
    const text = prompt.text(given as Readonly<Record<string, string>>)
    return {
      description: prompt.listed.description,
      messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
    }
  })
  return server
}

const listed = new WeakMap<Tool, Record<string, unknown>>()

function listedOnce(tool: Tool): Record<string, unknown> {
  const known = listed.get(tool) ?? listedTool(tool)
  listed.set(tool, known)
  return known
}

function cut(text: string): string {
  return text.slice(0, 200)
}
