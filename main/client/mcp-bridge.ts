// `cairn mcp`: carries messages of the Model Context Protocol between standard input and output and the running program. One
// message a line each way; nothing else is ever written to the output.
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { isJsonMap } from '#shared/merge-patch.ts'
import { commonOptions, exitCodeOf } from './command-line.ts'
import type { HostClient } from './host-client.ts'
import { CommandFailed, connectToHost, refusalOf } from './host-client.ts'

const usage = `Usage: cairn mcp [--data DIR]

  Speaks the Model Context Protocol over standard input and output for an assistant, with the rights of CAIRN_API_KEY
  when there is one, else with yours. Cairn has to run.
`

interface Message {
  readonly id?: string | number | null
  readonly method?: unknown
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
}

/** Codes of JSON-RPC. */
const parseError = -32_700
const invalidRequest = -32_600
const serverError = -32_000

/** Carries messages until the input ends, and answers the exit code. */
export function runMcpBridge(argv: readonly string[]): Promise<number> {
  const read = () => parseArgs({ args: [...argv], options: commonOptions })
  return exitCodeOf(usage, read, async (_given, dataDir) => {
    const bridge = createBridge(await connectToHost(dataDir), () => connectToHost(dataDir))
    const open = new Set<Promise<void>>()
    for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
      if (line.trim() === '') continue
      const work = bridge(line).then((answer) => {
        if (answer !== undefined) process.stdout.write(`${JSON.stringify(answer)}\n`)
      })
      open.add(work)
      void work.finally(() => open.delete(work))
    }
    await Promise.all(open)
    return 0
  })
}

/**
 * Makes what answers one line.
 * @param reconnect finds the program again, which has another token after each of its starts
 */
function createBridge(first: HostClient, reconnect: () => Promise<HostClient>): (line: string) => Promise<unknown> {
  let host = first
  /** What was agreed on at the beginning; goes with every later message. */
  let version: string | undefined

  const post = (message: Message) =>
    host.send({ method: 'POST', path: '/mcp', json: message, headers: headersOf(message, version) })

  return async (line) => {
    const given = parse(line)
    if (given === undefined) return failure(null, parseError, 'The line is no JSON.')
    if (!isJsonMap(given)) return failure(null, invalidRequest, 'The line is not one message.')
    const message = given as Message
    try {
      let response = await post(message).catch(async (error: unknown) => {
        if (!(error instanceof CommandFailed)) throw error
        host = await reconnect()
        return post(message)
      })
      if (response.status === 401) {
        host = await reconnect()
        response = await post(message)
      }
      const text = await response.text()
      if (text === '') return undefined
      const answer = JSON.parse(text) as Message & { jsonrpc?: unknown }
      if (answer.jsonrpc !== '2.0') throw refusalOf(response.status, text)
      const agreed = message.method === 'initialize' ? answer.result?.['protocolVersion'] : undefined
      if (typeof agreed === 'string') version = agreed
      return answer
    } catch (error) {
      const { message: reason } = error as Error
      process.stderr.write(`${reason}\n`)
      return message.id === undefined ? undefined : failure(message.id, serverError, reason)
    }
  }
}

/** The headers of a message: later versions of the protocol repeat in them what the message says. */
function headersOf({ method, params }: Message, agreed: string | undefined): Record<string, string> {
  const meta = params?.['_meta'] as Readonly<Record<string, unknown>> | undefined
  const claimed = meta?.['io.modelcontextprotocol/protocolVersion']
  const version = typeof claimed === 'string' ? claimed : method === 'initialize' ? undefined : agreed
  const name = params?.['name'] ?? params?.['uri']
  return {
    ...(version === undefined ? {} : { 'mcp-protocol-version': headerText(version) }),
    ...(typeof claimed === 'string' && typeof method === 'string' ? { 'mcp-method': headerText(method) } : {}),
    ...(typeof claimed === 'string' && typeof name === 'string' ? { 'mcp-name': headerText(name) } : {}),
  }
}

/** A text as a header carries it: Base64 in the protocol's marks where it is not plain. */
function headerText(text: string): string {
  return /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`
}

function failure(id: string | number | null, code: number, message: string): unknown {
  return { jsonrpc: '2.0', id, error: { code, message } }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // Answered as the protocol wants it.
    return undefined
  }
}
