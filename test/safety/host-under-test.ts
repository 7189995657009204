// A host for checks that look at it from outside: raw requests with exactly the headers a check wants, every route of
// the running server with its parameters filled in. Knows no promise.
import { setTimeout } from 'node:timers/promises'
import { hash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import { allGuards } from '#main/http/guard.ts'
import type { Guards } from '#main/http/guard.ts'
import type { RouteEntry } from '#main/http/server.ts'
import { startHost } from '#main/index.ts'
import type { RunningHost } from '#main/index.ts'
import type { PluginDefinition } from '#main/kernel/plugin.ts'
import { createApiCall } from '../support/api-call.ts'
import { createRandom } from './random.ts'
import type { CheckContext } from './registry.ts'

/** A request of which nothing is added or corrected; `headers` is a flat list of names and values. */
export interface RawRequest {
  readonly method: string
  readonly path: string
  readonly headers: readonly string[]
  readonly body?: string | Uint8Array
}

/** An answer; status 0 when the connection broke before one came. */
export interface RawAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** A running host with an object `task` that has a live and a deleted record. */
export interface HostUnderTest {
  readonly host: RunningHost
  readonly dataDir: string
  /** `127.0.0.1:<port>`. */
  readonly authority: string
  readonly liveId: string
  readonly deletedId: string
  send(request: RawRequest): Promise<RawAnswer>
  /** The cookie of a new browser session. */
  openSession(): Promise<string>
  /** A path of the route with every parameter filled in; `:id` becomes the given id. */
  pathOf(route: RouteEntry, id?: string): string
  /** One digest per table, without those that the clock or looking alone changes. */
  tableHashes(): Promise<Map<string, string>>
}

/** How the host is started. */
export interface HostUnderTestOptions {
  /** Guards to replace. */
  readonly guards?: Partial<Guards>
  /** Plugins beside all of the program's own. */
  readonly plugins?: readonly PluginDefinition[]
  /** Replaces plugins of the program: twins switch parts of them off. */
  readonly change?: (plugins: PluginDefinition[]) => PluginDefinition[]
  /** Puts files into the data folder before the start. */
  readonly prepare?: (dataDir: string) => void | Promise<void>
}

/** Longest wait for one answer: a request that hangs longer counts as broken. */
const patienceMs = 30_000

/** Tables no request is judged by: their rows follow the clock, or tell who looked (an export is a GET with an entry). */
const uncountedTables: ReadonlySet<string> = new Set(['_job', 'sqlite_stat1', 'sqlite_stat4', 'audit_entry'])

/** Starts a host, runs `fn` and takes everything away again. */
export async function withHost<T>(
  options: HostUnderTestOptions,
  fn: (subject: HostUnderTest) => Promise<T>,
): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-safety-'))
  await options.prepare?.(dataDir)
  const own = [...corePlugins, ...optionalPlugins]
  const host = await startHost({
    dataDir,
    port: 0,
    durable: false,
    validateResponses: true,
    guards: { ...allGuards, ...options.guards },
    plugins: [...(options.change?.(own) ?? own), ...(options.plugins ?? [])],
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  try {
    const [liveId, deletedId] = await seed(host)
    return await fn({
      host,
      dataDir,
      authority: `127.0.0.1:${host.port}`,
      liveId,
      deletedId,
      send: (raw) => sendRaw(host.port, raw, agent),
      openSession: async () => {
        const response = await fetch(`${host.url}/_console/session`, {
          method: 'POST',
          headers: { origin: host.url, 'content-type': 'application/json' },
          body: JSON.stringify({ code: host.mintCode() }),
        })
        return response.headers.get('set-cookie')!.split(';')[0]!
      },
      pathOf: (route, id = liveId) => fillPath(route.url, id),
      tableHashes: async () => {
        await indexCleaned(host)
        return hashTables(host)
      },
    })
  } finally {
    agent.destroy()
    await host.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Sends one request byte for byte as described. */
export function sendRaw(port: number, raw: RawRequest, agent?: Agent): Promise<RawAnswer> {
  return new Promise((resolve) => {
    // Without it Node would announce a chunked body, which no browser does for an empty one.
    const hasLength = raw.body !== undefined || !['GET', 'HEAD', 'OPTIONS'].includes(raw.method)
    const length = hasLength ? ['Content-Length', String(Buffer.byteLength(raw.body ?? ''))] : []
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        method: raw.method,
        path: raw.path,
        headers: [...raw.headers, ...length],
        setHost: false,
        timeout: patienceMs,
        ...(agent === undefined ? {} : { agent }),
      },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('end', () =>
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        )
        incoming.on('error', () => resolve({ status: 0, headers: {}, text: '' }))
      },
    )
    outgoing.on('timeout', () => outgoing.destroy())
    outgoing.on('error', () => resolve({ status: 0, headers: {}, text: '' }))
    if (raw.body !== undefined) outgoing.write(raw.body)
    outgoing.end()
  })
}

/** The code of an error body; '' when the text is none. */
export function codeOf(answer: RawAnswer): string {
  try {
    return (JSON.parse(answer.text) as { error?: { code?: string } }).error?.code ?? ''
  } catch {
    // Not JSON, so not an error body.
    return ''
  }
}

/** A share of the cases of a matrix of thousands at a commit, drawn by the seed; all of them otherwise. */
export function drawCases<T>(context: CheckContext, cases: readonly T[], share = 0.2): readonly T[] {
  const random = createRandom(context.seed)
  return context.size === 'commit' ? cases.filter(() => random() < share) : cases
}

/** Runs `fn` over all items, a few at a time, and answers the results in order. */
export async function inParallel<T, R>(items: readonly T[], fn: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++
      results[index] = await fn(items[index]!)
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  return results
}

async function seed(host: RunningHost): Promise<[string, string]> {
  const call = createApiCall(host.url, host.token)
  const fields = {
    title: { type: 'text' },
    status: { type: 'select', options: [{ value: 'open' }] },
    rank: { type: 'number' },
  }
  await call('PUT', '/api/v1/meta/object/task', { type: 'object', name: 'task', item: { name: 'task', fields } })
  const ids: string[] = []
  for (const title of ['kept', 'deleted']) {
    const { body } = await call('POST', '/api/v1/data/task', { title })
    ids.push((body as { id: string }).id)
  }
  const [liveId, deletedId] = ids as [string, string]
  const { status } = await call('DELETE', `/api/v1/data/task/${deletedId}`)
  if (status !== 200) throw new Error('the records to look at could not be made')
  return [liveId, deletedId]
}

function fillPath(url: string, id: string): string {
  const values: Record<string, string> = { object: 'task', id, type: 'object', name: 'task', seq: '1' }
  return url.replaceAll(/:([A-Za-z]+)/g, (_match, name: string) => values[name] ?? 'x').replace('*', 'index.html')
}

/** Resolves when the words of deleted records have left the search index, which changes its tables by itself. */
async function indexCleaned({ database: { read } }: RunningHost): Promise<void> {
  const tables = read.all<{ name: string }>({
    sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'search_*_stale'",
    parameters: [],
  })
  const isStale = (): boolean =>
    tables.some(({ name }) => read.get({ sql: `SELECT 1 FROM "${name}"`, parameters: [] }) !== undefined)
  for (let tries = 0; isStale(); tries += 1) {
    if (tries === 400) throw new Error('the index of what was deleted is not cleaned')
    await setTimeout(50)
  }
}

function hashTables(host: RunningHost): Map<string, string> {
  const { read } = host.database
  const tables = read.all<{ name: string }>({
    sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name",
    parameters: [],
  })
  return new Map(
    tables
      .filter(({ name }) => !uncountedTables.has(name))
      .map(({ name }) => [
        name,
        hash('sha256', JSON.stringify(read.all({ sql: `SELECT * FROM "${name}"`, parameters: [] }))),
      ]),
  )
}
