// A real host on a temporary data folder with a client that holds its token; what black-box tests start from.
// Every answer is checked against the OpenAPI document.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PlatformEvent } from '#shared/events.ts'
import { startHost } from '#main/index.ts'
import type { HostOptions, RunningHost } from '#main/index.ts'
import { findResponseProblem } from './response-validator.ts'

/** An answer with its parsed body; text when it is no JSON, undefined when it is empty. */
export interface Answer {
  readonly status: number
  // oxlint-disable-next-line no-explicit-any -- tests reach into bodies freely; the OpenAPI check guards their shape
  readonly body: any
  readonly headers: Headers
}

/** One call of the host. Paths without `/api` or `/_console` are taken below `/api/v1`. */
export type Call = (path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>

/** A running host under test. */
export interface TestHost {
  readonly host: RunningHost
  readonly dataDir: string
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Answer>
  readonly post: Call
  readonly put: Call
  readonly patch: Call
  readonly delete: (path: string, headers?: Record<string, string>) => Promise<Answer>
  /** A call without any credential. */
  readonly anonymous: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Answer>
  /** A request as it is; nothing of its answer is checked. The token of the host in it may give way to that of the next one. */
  readonly ask: (path: string, init: RequestInit) => Promise<Response>
  /** Committed events since the last call of `takeEvents`. */
  takeEvents(): PlatformEvent[]
  /** Saves an object definition; fails the test when it is refused. */
  defineObject(name: string, fields: Record<string, unknown>, rest?: Record<string, unknown>): Promise<void>
  /** Stops the host and starts another one on the same folder. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts a host as {@link startHost} does, behind the door of a hub where tests ask through one.
 * @param begun hears of the host, and of each that leads after it
 */
export async function beginHost(
  options: HostOptions,
  begun: (host: RunningHost) => void = () => undefined,
): Promise<RunningHost> {
  if (process.env['CAIRN_DOOR'] !== undefined) {
    const { startBehindDoor } = await import('./hub-door.ts')
    return startBehindDoor(options, begun)
  }
  const host = await startHost(options)
  begun(host)
  return host
}

/** Starts a host; `durable` is off unless asked for. */
export async function createTestHost(options: Partial<HostOptions> = {}): Promise<TestHost> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'cairn-host-'))
  let events: PlatformEvent[] = []
  const listen = ({ bus }: RunningHost): void => {
    bus.onCommitted('*', (event) => events.push(event))
  }
  const start = (): Promise<RunningHost> =>
    beginHost({ port: 0, durable: false, validateResponses: true, ...options, dataDir }, listen)
  const ask: typeof askAt =
    process.env['CAIRN_DOOR'] === 'handover' ? (await import('./hub-door.ts')).askBehindDoor : askAt
  let host = await start()

  const send = async (
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string>,
    withToken: boolean,
  ): Promise<Answer> => {
    const full = /^\/(api|_console|healthz|readyz|\.well-known)/.test(path) ? path : `/api/v1${path}`
    const raw = typeof body === 'string' || body instanceof Uint8Array
    const response = await ask(host, full, {
      method,
      headers: {
        ...(withToken ? { authorization: `Bearer ${host.token}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
      redirect: 'manual',
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    const parsed: unknown = text === '' ? undefined : isJson ? JSON.parse(text) : text
    if (method !== 'HEAD') {
      const problem = findResponseProblem(method, full, response, parsed)
      if (problem !== null) throw new Error(problem)
    }
    return { status: response.status, body: parsed, headers: response.headers }
  }

  return {
    get host() {
      return host
    },
    dataDir,
    get: (path, headers = {}) => send('GET', path, undefined, headers, true),
    post: (path, body, headers = {}) => send('POST', path, body, headers, true),
    put: (path, body, headers = {}) => send('PUT', path, body, headers, true),
    patch: (path, body, headers = {}) => send('PATCH', path, body, headers, true),
    delete: (path, headers = {}) => send('DELETE', path, undefined, headers, true),
    anonymous: (method, path, body, headers = {}) => send(method, path, body, headers, false),
    ask: (path, init) => ask(host, path, init),
    takeEvents() {
      const taken = events
      events = []
      return taken
    },
    async defineObject(name, fields, rest = {}) {
      const answer = await send(
        'PUT',
        `/meta/object/${name}`,
        { type: 'object', name, item: { name, fields, ...rest } },
        {},
        true,
      )
      if (answer.status !== 200) throw new Error(`The object ${name} was refused: ${JSON.stringify(answer.body)}`)
    },
    async restart() {
      await host.stop()
      host = await start()
    },
    async stop() {
      await host.stop()
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function askAt({ url }: RunningHost, path: string, init: RequestInit): Promise<Response> {
  return fetch(`${url}${path}`, init)
}
