// Who is in a room and where their cursors are: what clients say of themselves, under the name the host knows them by.
// In memory only. Knows no socket.
import type { AwarenessEntry } from './frames.ts'

/** Who a client belongs to. */
export interface CursorOwner {
  readonly clientId: number
  readonly userId: string
  readonly name: string
}

/** The cursors of a room. */
export interface Cursors {
  /**
   * Takes what a client says. Entries of other clients are left out, and its name is the one the host knows.
   * @returns what the others are to be told; null for nothing
   */
  say(owner: CursorOwner, entries: readonly AwarenessEntry[]): AwarenessEntry | null
  /** Takes a client out; answers what the others are to be told. */
  leave(clientId: number): AwarenessEntry | null
  /** Everybody who is there. */
  all(): AwarenessEntry[]
}

/** Makes them. */
export function createCursors(): Cursors {
  const known = new Map<number, AwarenessEntry>()
  return {
    say(owner, entries) {
      const own = entries.findLast((entry) => entry.clientId === owner.clientId)
      const before = known.get(owner.clientId)
      if (own === undefined || (before !== undefined && own.clock < before.clock)) return null
      const { userId, name } = owner
      const state = own.state === null ? null : { cursor: own.state['cursor'] ?? null, user: { id: userId, name } }
      const entry = { clientId: owner.clientId, clock: own.clock, state }
      if (state === null) known.delete(owner.clientId)
      else known.set(owner.clientId, entry)
      return entry
    },
    leave(clientId) {
      const before = known.get(clientId)
      if (before === undefined) return null
      known.delete(clientId)
      return { clientId, clock: before.clock + 1, state: null }
    },
    all: () => [...known.values()],
  }
}
