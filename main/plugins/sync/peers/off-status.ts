// The status of a machine that does not take part. Knows nothing else, so that it costs nothing.
import type { StatusView } from './status.ts'

/** The status of a machine that does not take part. @param reason why it does not although it should */
export function offStatus(reason?: string): StatusView {
  return {
    state: reason === undefined ? 'off' : 'attention',
    ...(reason === undefined ? {} : { reason }),
    workspaceId: null,
    epoch: null,
    device: null,
    outgoing: { waiting: 0 },
    incoming: { remaining: 0, total: 0, partial: false },
    counts: { conflicts: 0, parked: 0, quarantined: 0, waiting: 0, repairs: 0 },
    logBytes: 0,
  }
}
