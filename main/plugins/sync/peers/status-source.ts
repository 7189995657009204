// The status of a machine that takes part, from what is in memory and a few counts. Knows no HTTP and no event.
import type { Reads } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { Clock } from '#main/kernel/clock.ts'
import { countWaiting } from '../conflicts/waiting.ts'
import { logBytes } from '../store/log-store.ts'
import type { PeerView } from './peer-views.ts'
import type { Running } from './running.ts'
import type { StatusView } from './status.ts'
import { stateOf } from './status.ts'

/** How often the size of the log is looked at. */
const sizeMs = 30_000

/** What the status is made with. */
export interface StatusParts {
  readonly read: Pick<Reads, 'get'>
  readonly clock: Clock
  readonly running: Running
}

/** Makes the function that answers the status of this moment. */
export function createStatusSource({ read, clock, running }: StatusParts): () => StatusView {
  const { engine, roster, keys, workspace, incarnation, sessions, book } = running
  let size = { bytes: 0, at: -Infinity }

  const sizeOfLog = (): number => {
    if (clock.now() - size.at >= sizeMs) size = { bytes: logBytes(read), at: clock.now() }
    return size.bytes
  }
  const openConflicts = (): number => {
    const sql = "SELECT count(*) AS n FROM sync_conflict WHERE state = 'open'"
    return read.get(statement<{ n: number }>(sql))!.n
  }

  return () => {
    const peers = running.peers()
    const { parked, quarantined } = engine.replica.backlog()
    const conflicts = openConflicts()
    const { waiting, stuck } = countWaiting(read)
    const summary = sessions.summary()
    const { state, reason } = stateOf(summary, {
      isPreparing: engine.state() === 'preparing',
      trouble: running.trouble(),
      isPaused: running.settings().paused,
      conflicts,
      stuck,
    })
    const device = roster.device(keys.device)
    const nameOf = (id: string): string => peers.find((peer) => peer.id === id)?.name ?? id
    const error = peers.flatMap(({ id }) => book.errorOf(id) ?? []).toSorted((a, b) => b.at.localeCompare(a.at))[0]
    return {
      state,
      ...(reason === undefined ? {} : { reason }),
      ...(state === 'preparing' ? { progress: engine.progress() } : {}),
      workspaceId: Buffer.from(workspace.workspace).toString('hex'),
      epoch: workspace.epoch,
      device: {
        id: keys.device,
        name: device?.name ?? '',
        fingerprint: keys.fingerprint,
        inc: incarnation.inc,
        role: device?.role ?? 'member',
      },
      outgoing: { ...summary.outgoing },
      incoming: { ...summary.incoming },
      ...(summary.proof === undefined
        ? {}
        : {
            proof: {
              ...summary.proof,
              with: summary.proof.with.map((id) => ({ id, name: nameOf(id) })),
              without: withoutProof(peers, summary.proof.with),
            },
          }),
      counts: {
        conflicts,
        parked,
        quarantined,
        waiting,
        repairs: sessions.all().reduce((sum, session) => sum + session.status().repairs, engine.repairedRows()),
      },
      logBytes: sizeOfLog(),
      ...(incarnation.putBackAt === undefined ? {} : { putBackAt: incarnation.putBackAt }),
      ...(error === undefined ? {} : { lastError: error }),
    }
  }
}

/** Machines of the workspace that no proof speaks of. */
function withoutProof(
  peers: readonly PeerView[],
  proved: readonly string[],
): { id: string; name: string; lastSeenAt: string | null }[] {
  return peers
    .filter(({ id, kind, state }) => kind === 'device' && state !== 'unpaired' && !proved.includes(id))
    .map(({ id, name, lastSeenAt }) => ({ id, name, lastSeenAt }))
}
