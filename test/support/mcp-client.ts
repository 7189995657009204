// The official client of the Model Context Protocol, over HTTP against a host under test.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** What a tool answered. */
export interface ToolAnswer {
  readonly isError: boolean
  // oxlint-disable-next-line no-explicit-any -- tests reach into answers freely; the client checks them against the schema
  readonly found: any
  readonly text: string
}

/** A client that is connected. */
export interface McpTestClient {
  readonly client: Client
  /** Calls a tool; the client checks what is answered against the tool's output schema. */
  call(name: string, args?: Record<string, unknown>): Promise<ToolAnswer>
  close(): Promise<void>
}

/** Connects a client that brings these headers. */
export async function connectMcp(
  url: string,
  headers: Readonly<Record<string, string>>,
  path = '/mcp',
): Promise<McpTestClient> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(path, url), { requestInit: { headers } }))
  // The client only knows what answers look like once it has seen the list.
  await client.listTools()
  return { client, call: (name, args) => callTool(client, name, args), close: () => client.close() }
}

/** Calls a tool and takes its answer apart. */
export async function callTool(client: Client, name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
  const answer = await client.callTool({ name, arguments: args })
  const [first] = answer.content
  const text = first?.type === 'text' ? first.text : ''
  return { isError: answer.isError === true, found: answer.structuredContent, text }
}
