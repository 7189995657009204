// How commands call the running program: where it is, with which credential, and what it answered. Knows no route.
import type { IncomingMessage } from 'node:http'
import { request } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { defaultPrefix } from '#shared/api-prefix.ts'
import type { ErrorObject } from '#shared/errors.ts'
import { noHostOn, readConnectionFile } from '#main/data-dir.ts'
import { verifyHost } from '#main/http/running-host.ts'

/** A refusal of the program, or what keeps a command from being carried out; the message is for people. */
export class CommandFailed extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'CommandFailed'
  }
}

/** A call of the program. */
export interface HostRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the prefix, with its query. */
  readonly path: string
  /** A value that is sent as JSON. */
  readonly json?: unknown
  /** Bytes, with their media type. */
  readonly bytes?: { readonly type: string; readonly content: Uint8Array }
  readonly headers?: Readonly<Record<string, string>>
}

/** What the program answered. */
export interface HostAnswer {
  readonly status: number
  readonly isOk: boolean
  /** The bytes as they come; to be read once. */
  readonly content: AsyncIterable<Uint8Array>
  /** All of them as text. */
  text(): Promise<string>
}

/** The running program, called with one credential. */
export interface HostClient {
  /** Sends a request and hands back whatever the answer is. @throws CommandFailed when nobody answers */
  send(request: HostRequest): Promise<HostAnswer>
  /** The JSON of a good answer. @throws CommandFailed for a refusal, in its words */
  json(request: HostRequest): Promise<Record<string, unknown>>
}

/**
 * Finds the program that runs on a data folder; `CAIRN_API_KEY` narrows what is done to the rights of that key.
 * @throws CommandFailed when none runs there
 */
export async function connectToHost(dataDir: string): Promise<HostClient> {
  const connection = readConnectionFile(dataDir)
  // The secret is sent to nobody but the program that wrote the file.
  if (connection === undefined || !(await verifyHost(connection))) throw new CommandFailed(noHostOn(dataDir))
  const key = process.env['CAIRN_API_KEY']
  const authorization = key === undefined || key === '' ? `Bearer ${connection.token}` : `ApiKey ${key}`
  const base = `${connection.url}${connection.prefix ?? defaultPrefix}`

  const send: HostClient['send'] = ({ method, path, json, bytes, headers }) => {
    const body = bytes?.content ?? (json === undefined ? undefined : JSON.stringify(json))
    const type = bytes?.type ?? (json === undefined ? undefined : 'application/json')
    return new Promise((resolve, reject) => {
      const outgoing = request(`${base}${path}`, {
        method,
        headers: {
          authorization,
          ...(type === undefined ? {} : { 'content-type': type }),
          ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
          ...headers,
        },
      })
      outgoing.on('response', (incoming: IncomingMessage) => resolve(answerOf(incoming)))
      outgoing.on('error', (error) => {
        reject(new CommandFailed(`Cairn at ${connection.url} does not answer: ${reasonOf(error)}.`))
      })
      outgoing.end(body)
    })
  }
  return {
    send,
    async json(asked) {
      const response = await send(asked)
      const answer = await response.text()
      if (!response.isOk) throw refusalOf(response.status, answer)
      return JSON.parse(answer) as Record<string, unknown>
    },
  }
}

/** A refusal in words: code and sentence, then a line for each field. */
export function refusalOf(status: number, text: string): CommandFailed {
  const error = errorOf(text)
  if (error === undefined) return new CommandFailed(`Cairn answered ${status}.`)
  const { code, message, details } = error
  return new CommandFailed([`${code}: ${message}`, ...reasonsOf(details)].join('\n'))
}

function answerOf(incoming: IncomingMessage): HostAnswer {
  const status = incoming.statusCode ?? 0
  return { status, isOk: status >= 200 && status < 300, content: incoming, text: () => textOf(incoming) }
}

function errorOf(text: string): ErrorObject | undefined {
  try {
    return (JSON.parse(text) as { error?: ErrorObject }).error
  } catch {
    // A stranger may answer anything.
    return undefined
  }
}

function reasonsOf(details: Readonly<Record<string, unknown>>): string[] {
  const { fieldErrors, parameter, reason, resource, id, permission } = details
  if (Array.isArray(fieldErrors))
    return (fieldErrors as { field: string; message: string }[]).map(
      ({ field, message }) => `  ${field === '' ? '(all)' : field}: ${message}`,
    )
  const told = [parameter, reason, resource, id, permission].filter((one) => typeof one === 'string')
  return told.length === 0 ? [] : [`  ${told.join(': ')}`]
}

function reasonOf(error: unknown): string {
  const { code, message } = error as Error & { code?: string }
  return code ?? message
}
