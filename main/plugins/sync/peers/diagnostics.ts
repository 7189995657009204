// What a report of a fault needs: positions, digests, versions and reasons. No content of any record is in it.
import { createHash } from 'node:crypto'
import type { z } from 'zod'
import type { SyncDiagnostics } from '#shared/contracts/sync-parts.ts'
import { statement } from '#main/kernel/database.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { listWaiting } from '../conflicts/waiting.ts'
import type { Running } from './running.ts'
import type { StatusView } from './status.ts'

/** The newest protocol of devices this version speaks. */
const newestProtocol = 1

interface ProblemRow {
  readonly inc: number
  readonly seq: number
  readonly kind: string
  readonly reason: string
  readonly since: string
}

/** Collects it. */
export function collectDiagnostics(parts: {
  readonly running: Running
  readonly status: StatusView
  readonly host: Pick<PluginHost, 'read' | 'clock' | 'options'>
}): z.output<typeof SyncDiagnostics> {
  const { running, status, host } = parts
  const { replica } = running.engine
  const authors = new Map(
    host.read
      .all(statement<{ inc: number; device: string }>('SELECT inc, device FROM sync_inc'))
      .map(({ inc, device }) => [inc, device]),
  )
  const digest = replica.digest()
  // What a text of a problem says may come from a record; its reason is a word of ours.
  const sql = 'SELECT inc, seq, kind, reason, since FROM sync_problem ORDER BY inc, seq LIMIT 1000'
  return {
    at: host.clock.iso(),
    appVersion: host.options.version,
    protocol: newestProtocol,
    status,
    vector: [...replica.vector()]
      .toSorted(([a], [b]) => a - b)
      .map(([inc, seq]) => ({ inc, seq, device: authors.get(inc) ?? null })),
    digest: digest === null ? null : createHash('sha256').update(digest.buckets).digest('hex'),
    peers: running.peers(),
    problems: host.read.all(statement<ProblemRow>(sql)),
    waiting: listWaiting(host.read, { objectSchemas: () => [] }).map(({ kind, type, count, reason, since }) => ({
      kind,
      type,
      count,
      // Without the definitions nothing says which objects are known.
      reason: reason.startsWith('object_') ? (reason === 'object_removed' ? 'removed' : 'newer_schema') : reason,
      since,
    })),
  }
}
