// SQL of the table registry_api. Relies on its unique index of ids.
import type { ApiEntry } from '#shared/contracts/registry.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'

/** A foreign API with the instant of its last change. */
export interface ForeignApi {
  readonly entry: ApiEntry
  readonly updatedAt: string
}

/** Every foreign API in the order of registration. */
export function readForeignApis(read: Pick<Reads, 'all'>): ForeignApi[] {
  const rows = read.all(
    statement<{ entry: string; updatedAt: string }>(
      'SELECT entry, updated_at AS updatedAt FROM registry_api ORDER BY seq',
    ),
  )
  return rows.map(({ entry, updatedAt }) => ({ entry: JSON.parse(entry) as ApiEntry, updatedAt }))
}

/** Adds an API, or replaces the one of its id, which keeps its place in the order. */
export function putForeignApi(tx: Tx, api: ForeignApi, actorId: string): void {
  tx.run(
    statement(
      `INSERT INTO registry_api (id, entry, updated_at, updated_by) VALUES (?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET entry = excluded.entry, updated_at = excluded.updated_at, updated_by = excluded.updated_by`,
      [api.entry.id, JSON.stringify(api.entry), api.updatedAt, actorId],
    ),
  )
}

/** Forgets an API. */
export function deleteForeignApi(tx: Tx, id: string): void {
  tx.run(statement('DELETE FROM registry_api WHERE id = ?', [id]))
}
