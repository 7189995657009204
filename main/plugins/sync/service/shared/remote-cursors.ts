// Cursors of people on other machines in one room, by machine. They go when the machine says so, when its link ends, and
// when it said nothing of them for half a minute. In memory; knows no link.
import type { AwarenessEntry } from '../text/frames.ts'

/** How long a cursor is shown of which nothing is heard (as long as screens show one). */
const silentMs = 30_000

/** Cursors of one machine in one room. */
const maxPerPeer = 64

/** Cursors from elsewhere. */
export interface RemoteCursors {
  /** Takes what a machine says; answers what the people here are to be shown. */
  say(peer: string, entries: readonly AwarenessEntry[]): AwarenessEntry[]
  /** Takes a machine out; answers what the people here are to be shown. */
  leave(peer: string): AwarenessEntry[]
  /** Takes out what is silent; answers what the people here are to be shown. */
  fade(): AwarenessEntry[]
  all(): AwarenessEntry[]
}

interface Cursor {
  readonly state: AwarenessEntry['state']
  /** The sender's count of changes. */
  readonly clock: number
  readonly heardAt: number
}

/** Makes none. @param isLeased whether a client id was given to somebody here: nobody else speaks for them */
export function createRemoteCursors(now: () => number, isLeased: (clientId: number) => boolean): RemoteCursors {
  const peers = new Map<string, Map<number, Cursor>>()
  // Screens take a change only when its count is higher than the last one, also after a cursor has gone and come back.
  const counts = new Map<number, number>()

  const shown = (clientId: number, state: AwarenessEntry['state']): AwarenessEntry => {
    const clock = (counts.get(clientId) ?? 0) + 1
    counts.set(clientId, clock)
    return { clientId, clock, state }
  }

  const ofOthers = (peer: string, clientId: number): boolean =>
    [...peers].some(([other, cursors]) => other !== peer && cursors.has(clientId))

  return {
    say(peer, entries) {
      const cursors = peers.get(peer) ?? new Map<number, Cursor>()
      peers.set(peer, cursors)
      const changes: AwarenessEntry[] = []
      for (const { clientId, clock, state } of entries) {
        if (isLeased(clientId) || ofOthers(peer, clientId)) continue
        const before = cursors.get(clientId)
        if (before !== undefined && clock < before.clock) continue
        if (state === null) {
          if (cursors.delete(clientId)) changes.push(shown(clientId, null))
        } else if (before !== undefined || cursors.size < maxPerPeer) {
          cursors.set(clientId, { state, clock, heardAt: now() })
          changes.push(shown(clientId, state))
        }
      }
      return changes
    },
    leave(peer) {
      const cursors = peers.get(peer)
      peers.delete(peer)
      return [...(cursors?.keys() ?? [])].map((clientId) => shown(clientId, null))
    },
    fade() {
      const changes: AwarenessEntry[] = []
      for (const cursors of peers.values())
        for (const [clientId, { heardAt }] of cursors) {
          if (now() - heardAt < silentMs) continue
          cursors.delete(clientId)
          changes.push(shown(clientId, null))
        }
      return changes
    },
    all: () =>
      [...peers.values()].flatMap((cursors) =>
        [...cursors].map(([clientId, { state }]) => ({ clientId, clock: counts.get(clientId)!, state })),
      ),
  }
}
