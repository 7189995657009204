// How commands call the running program: where it is, with which credential, and what it answered. Knows no route.
import { defaultPrefix } from '#shared/api-prefix.ts'
import type { ErrorObject } from '#shared/errors.ts'
import { readConnectionFile } from '#main/data-dir.ts'
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

/** The running program, called with one credential. */
export interface HostClient {
  /** Sends a request and hands back whatever the answer is. @throws CommandFailed when nobody answers */
  send(request: HostRequest): Promise<Response>
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
  if (connection === undefined || !(await verifyHost(connection)))
    throw new CommandFailed(`Cairn is not running on ${dataDir}. Start it first.`)
  const key = process.env['CAIRN_API_KEY']
  const authorization = key === undefined || key === '' ? `Bearer ${connection.token}` : `ApiKey ${key}`
  const base = `${connection.url}${connection.prefix ?? defaultPrefix}`

  const send: HostClient['send'] = async ({ method, path, json, bytes, headers }) => {
    const body = bytes?.content ?? (json === undefined ? undefined : JSON.stringify(json))
    const type = bytes?.type ?? (json === undefined ? undefined : 'application/json')
    try {
      return await fetch(`${base}${path}`, {
        method,
        headers: { authorization, ...(type === undefined ? {} : { 'content-type': type }), ...headers },
        ...(body === undefined ? {} : { body }),
        redirect: 'error',
      })
    } catch (error) {
      throw new CommandFailed(`Cairn at ${connection.url} does not answer: ${reasonOf(error)}.`)
    }
  }
  return {
    send,
    async json(request) {
      const response = await send(request)
      const text = await response.text()
      if (!response.ok) throw refusalOf(response.status, text)
      return JSON.parse(text) as Record<string, unknown>
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
  const { cause, message } = error as Error & { cause?: { code?: string } }
  return cause?.code ?? message
}
