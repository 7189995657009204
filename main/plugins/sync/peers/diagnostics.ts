// What a report of a fault needs: positions, digests, versions and reasons. No content of any record is in it.
import { createHash } from 'node:crypto'
import type { z } from 'zod'
import type { SyncDiagnostics } from '#shared/contracts/sync-parts.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { listWaiting } from '../conflicts/waiting.ts'
import { readIncarnations } from '../store/log-store.ts'
import { readProblems } from '../store/problem-store.ts'
import type { Running } from './running.ts'
import type { StatusView } from './status.ts'

/** Collects it. */
export function collectDiagnostics(
  { read, clock, options }: Pick<PluginHost, 'read' | 'clock' | 'options'>,
  running: Running,
  status: StatusView,
): z.output<typeof SyncDiagnostics> {
  const { replica } = running.engine
  const authors = new Map(readIncarnations(read).map(({ inc, device }) => [inc, device]))
  const digest = replica.digest()
  // What a text of a problem says may come from a record; its reason is a word of ours.
  return {
    at: clock.iso(),
    appVersion: options.version,
    // The newest one that devices speak with this version.
    protocol: 1,
    status,
    vector: [...replica.vector()]
      .toSorted(([a], [b]) => a - b)
      .map(([inc, seq]) => ({ inc, seq, device: authors.get(inc) ?? null })),
    digest: digest === null ? null : createHash('sha256').update(digest.buckets).digest('hex'),
    peers: running.peers(),
    problems: readProblems(read),
    waiting: listWaiting(read, { objectSchemas: () => [] }).map(({ kind, type, count, reason, since }) => ({
      kind,
      type,
      count,
      // Without the definitions nothing says which objects are known.
      reason: reason.startsWith('object_') ? (reason === 'object_removed' ? 'removed' : 'newer_schema') : reason,
      since,
    })),
  }
}
