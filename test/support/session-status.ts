// What a machine is shown as that has these sessions and nothing else to tell. Knows no host.
import type { Sessions } from '#main/plugins/sync/session/sessions.ts'
import type { StatusView } from '#main/plugins/sync/peers/status.ts'
import { statusOf } from '#main/plugins/sync/peers/status.ts'

/** The status, with the ids of those a proof speaks of in place of their names. */
export type SessionsStatus = Omit<StatusView, 'proof'> & {
  readonly proof?: { readonly at: string; readonly with: readonly string[] }
}

/** The status that the sessions of a machine come to. */
export function statusOfSessions(sessions: Pick<Sessions, 'summary'>): SessionsStatus {
  const { proof, ...status } = statusOf('running', undefined, {
    workspaceId: null,
    epoch: null,
    device: null,
    counts: { conflicts: 0, refused: 0, keptHere: 0, parked: 0, quarantined: 0, waiting: 0, repairs: 0 },
    logBytes: 0,
    progress: { done: 0, total: 0 },
    isDeaf: false,
    isPaused: false,
    isFull: false,
    stuck: 0,
    sessions: sessions.summary(),
    peers: [],
  })
  return proof === undefined ? status : { ...status, proof: { ...proof, with: proof.with.map(({ id }) => id) } }
}
