// Brings what happened on one host to another through the door for peers' changes, as sync would, and reads tables raw.
import type { Actor, PlatformEvent } from '#shared/events.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { internalContext } from '#main/kernel/context.ts'
import { statement } from '#main/kernel/database.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { DataService, RemoteChange, RemoteOutcome } from '#main/plugins/data/api.ts'
import type { TestHost } from './create-test-host.ts'

/** Somebody on another machine. */
export const remoteActor: Actor = { type: 'user', id: '01900000-0000-7000-8000-00000000beef', name: 'Remote' }

/** The context of a change that arrives from a peer. */
export function remoteContext(actor: Actor = remoteActor): RequestContext {
  return { ...internalContext('remote', 'sync'), actor, runAutomations: false }
}

/** The data service of a running host. */
export function dataOf(host: TestHost): DataService {
  return host.host.plugins.service('data')!
}

/** Runs in the write queue of a host. */
export function inWrite<T>(host: TestHost, fn: (tx: Tx, data: DataService) => T): Promise<T> {
  const data = dataOf(host)
  return host.host.database.write('test.remote', (tx) => fn(tx, data) as T extends PromiseLike<unknown> ? never : T)
}

/** Applies one change. */
export function applyTo(host: TestHost, change: RemoteChange, actor?: Actor): Promise<RemoteOutcome> {
  return inWrite(host, (tx, data) => data.applyRemote(tx, remoteContext(actor), change))
}

/** A row of a table as SQLite has it. */
export type RawRow = Readonly<Record<string, unknown>>

/** Every row of an object's table in order of ids, without its version and its number. */
export function rowsOf(host: TestHost, object: string): RawRow[] {
  const rows = host.host.database.read.all<Record<string, unknown>>(
    statement(`SELECT * FROM "o_${object}" ORDER BY id`),
  )
  return rows.map(({ updated_at: _version, rowid: _number, ...row }) => row)
}

/** The row of one record. */
export function rowOf(host: TestHost, object: string, id: string): RawRow | undefined {
  return rowsOf(host, object).find((row) => row['id'] === id)
}

/** Writes the record events of one host on another one, each call of the first as one group. */
export async function replay(from: TestHost, to: TestHost, events: readonly PlatformEvent[]): Promise<RemoteOutcome[]> {
  const outcomes: RemoteOutcome[] = []
  const told = events.filter(({ type }) => type.startsWith('record.'))
  for (const group of Map.groupBy(told, ({ requestId }) => requestId).values()) {
    const done = await inWrite(to, (tx, data) =>
      data.applyGroup(tx, remoteContext(group[0]!.actor), () =>
        group.map((event) => data.applyRemote(tx, remoteContext(event.actor), changeOf(from, event))),
      ),
    )
    outcomes.push(...done)
  }
  return outcomes
}

function changeOf(from: TestHost, { type, object = '', recordId: id = '', payload }: PlatformEvent): RemoteChange {
  const { record, changes = {} } = payload as {
    record: Readonly<Record<string, unknown>>
    changes?: Readonly<Record<string, { new: unknown }>>
  }
  const changed = Object.fromEntries(Object.entries(changes).map(([name, change]) => [name, change.new]))
  const owner = changed['owner']
  const change = { object, id, values: changed, ...(typeof owner === 'string' ? { owner } : {}) }
  if (type === 'record.created') {
    const created = { at: String(record['created_at']), by: String(record['created_by']) }
    return { object, id, values: record, created, owner: String(record['owner']) }
  }
  if (type === 'record.purged') return { object, id, values: {}, purged: true }
  if (type === 'record.restored') return { ...change, deleted: null }
  if (type === 'record.deleted') {
    const sql = `SELECT deleted_at AS at, deleted_by AS "by" FROM "o_${object}" WHERE id = ?`
    const deleted = from.host.database.read.get<{ at: string; by: string }>(statement(sql, [id]))
    // Objects without a trash remove the record at once.
    return deleted === undefined ? { object, id, values: {}, purged: true } : { object, id, values: {}, deleted }
  }
  return change
}
