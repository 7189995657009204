// A host in a process of its own that founded a workspace, as the checks of sync attack it: calls over its API, and what
// is in its file. Knows how to start, ask and look, no attack.
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { loadDoc } from '#main/replication/core/record-doc.ts'
import { readRegister } from '#main/replication/core/register.ts'
import { until } from '../../support/synced-hosts.ts'
import { asTestUser } from '../../support/test-identities.ts'
import { childEntry, startChildServer } from '../child-server.ts'
import type { ChildServer } from '../child-server.ts'
import type { SyncGuard } from './mutations.ts'

/** A parsed answer. */
export interface SyncAnswer {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line no-explicit-any -- checks reach into bodies freely
  readonly body: any
  readonly text: string
}

/** The host. */
export interface SyncHost {
  readonly dataDir: string
  server(): ChildServer
  /** Whether the process has not ended. */
  isAlive(): boolean
  /** A call below `/api/v1`, of the owner unless another person is named. */
  call(method: string, path: string, body?: unknown, person?: number): Promise<SyncAnswer>
  get(path: string): Promise<SyncAnswer>
  post(path: string, body?: unknown): Promise<SyncAnswer>
  /** A call that has to go well. @throws Error for another answer */
  expect(method: string, path: string, body?: unknown): Promise<SyncAnswer['body']>
  all<T>(sql: string, ...values: readonly unknown[]): T[]
  /** The state of a document as it is stored; null for none. */
  stateOf(doc: string): Uint8Array | null
  /** The name of a document of a record, a text or a feed by the names of its parts. */
  docOf(object: string, record: string, text?: string): string
  uidOf(object: string, field: string): string
  /** A number that changes with every change of rows, metadata, feeds and documents. */
  fingerprint(): string
  /** Bytes of living objects. */
  heap(): Promise<number>
  /** Ends the process. */
  end(signal: NodeJS.Signals): Promise<void>
  /** Starts it again after {@link SyncHost.end}. */
  start(): Promise<void>
  /** Ends the process in order and starts it again. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Starts a host that listens for other machines on loopback. @param role what it does about a workspace */
export async function startSyncHost(guard: SyncGuard | null, role: 'founds' | 'joins' = 'founds'): Promise<SyncHost> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-sync-check-'))
  let server = await start(dataDir, guard)
  let view = new BetterSqlite3(join(dataDir, 'cairn.db'), { readonly: true })
  const host: SyncHost = {
    dataDir,
    server: () => server,
    isAlive: () => server.process.exitCode === null && server.process.signalCode === null,
    async call(method, path, body, person) {
      const response = await fetch(`${server.url.replace(/\/$/, '')}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${server.token}`,
          ...(person === undefined ? {} : asTestUser(person)),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
      return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : text }
    },
    get: (path) => host.call('GET', path),
    post: (path, body) => host.call('POST', path, body),
    async expect(method, path, body) {
      const answer = await host.call(method, path, body)
      if (answer.status >= 300) throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.text}`)
      return answer.body
    },
    all: (sql, ...values) => view.prepare(sql).all(...values) as never[],
    stateOf(doc) {
      const [row] = host.all<{ state: Uint8Array }>('SELECT state FROM sync_doc WHERE name = ?', doc)
      return row === undefined ? null : new Uint8Array(row.state)
    },
    docOf(object, record, text) {
      const { uid, fields } = namesOf(host, object)
      return text === undefined ? `r/${uid}/${record}` : `t/${uid}/${record}/${fields.get(text)!}`
    },
    uidOf: (object, field) => namesOf(host, object).fields.get(field)!,
    // One snapshot: tables come and go meanwhile.
    fingerprint: view.transaction(() => {
      const hash = createHash('sha256')
      const sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
      for (const { name } of host.all<{ name: string }>(sql)) {
        if (!/^(o_|meta|feed|perm|sync_doc$)/.test(name)) continue
        // What was refused is told in documents of this host's own: they are no change of what is refused.
        const own = name === 'sync_doc' ? " WHERE name NOT LIKE 'x/%'" : ''
        for (const row of view.prepare(`SELECT * FROM "${name}"${own}`).raw().iterate())
          hash.update(JSON.stringify([name, row], (_key, value: unknown) => value))
      }
      return hash.digest('hex')
    }),
    async heap() {
      const file = join(dataDir, 'heap')
      rmSync(file, { force: true })
      server.process.kill('SIGUSR2')
      return until('the host says its memory', () => {
        try {
          return Number(readFileSync(file, 'utf8')) || undefined
        } catch {
          return undefined
        }
      })
    },
    async end(signal) {
      view.close()
      await server.end(signal)
    },
    async start() {
      server = await start(dataDir, guard)
      view = new BetterSqlite3(join(dataDir, 'cairn.db'), { readonly: true })
    },
    async restart() {
      await host.end('SIGTERM')
      await host.start()
    },
    async stop() {
      view.close()
      if (host.isAlive()) await server.end('SIGKILL')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  try {
    await host.expect('PATCH', '/settings', { settings: { rateLimits: { read: null, write: null, heavy: null } } })
    await host.expect('PATCH', '/sync/settings', { listen: true, interfaces: ['127.0.0.1'], port: 0 })
    if (role === 'founds') await host.expect('POST', '/sync/enable', { deviceName: 'Desk' })
    return host
  } catch (error) {
    await host.stop()
    throw error
  }
}

async function start(dataDir: string, guard: SyncGuard | null): Promise<ChildServer> {
  if (guard !== null) process.env['CAIRN_TWIN'] = guard
  return startChildServer({ dataDir, entry: childEntry('sync-host') }).finally(() => {
    delete process.env['CAIRN_TWIN']
  })
}

/** Uids of an object and its fields, as its own document says them. */
function namesOf(host: SyncHost, object: string): { uid: string; fields: ReadonlyMap<string, string> } {
  const rows = host.all<{ name: string; state: Uint8Array }>(
    "SELECT name, state FROM sync_doc WHERE name LIKE 'm/object/%' AND length(state) > 0",
  )
  for (const { name, state } of rows) {
    const register = readRegister(loadDoc(new Uint8Array(state)))
    if (register.get('_name')?.winner[1] !== object) continue
    const fields = [...register].flatMap(([key, { winner }]) => {
      const uid = /^field\.(.+)\._name$/.exec(key)?.[1]
      return uid === undefined ? [] : [[String(winner[1]), uid] as const]
    })
    return { uid: name.slice('m/object/'.length), fields: new Map(fields) }
  }
  throw new Error(`There is no document of the object ${object}.`)
}
