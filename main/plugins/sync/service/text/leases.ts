// The Yjs client ids of one room: each is given to one window and never to another one, because two writers with one id
// would make documents that differ for ever. Knows no socket.

/** The client ids of a room. */
export interface Leases {
  /**
   * A client id for a holder.
   * @param wanted one it was given before; answered again when it is its own
   */
  lease(holder: string, wanted: number | undefined): number
  /**
   * Gives an id again that a window of a holder had before the room was begun anew. Its letters may come from elsewhere
   * until the window has brought them itself.
   */
  resume(holder: string, id: number): void
  /** Whether the window of an id has not brought yet what it had before. */
  isReturning(id: number): boolean
  /** The window of an id has brought what it had. */
  settle(id: number): void
  /** Whether nobody but somebody here writes with an id, the host among them. */
  isLeased(id: number): boolean
}

/** Most ids of one room; the room is begun anew long before. */
const maxLeases = 100_000

/**
 * Makes the leases.
 * @param random random bytes as base64url
 * @param taken ids that the host itself writes with
 */
export function createLeases(random: (bytes: number) => string, taken: readonly number[]): Leases {
  const holders = new Map<number, string>(taken.map((id) => [id, '']))
  const returning = new Set<number>()
  return {
    lease(holder, wanted) {
      if (wanted !== undefined && holders.get(wanted) === holder) return wanted
      if (holders.size >= maxLeases) throw new Error('The room has no client ids left.')
      let id = 0
      while (id === 0 || holders.has(id)) id = Buffer.from(random(4), 'base64url').readUInt32LE()
      holders.set(id, holder)
      return id
    },
    resume(holder, id) {
      const before = holders.get(id)
      if (before === '' || before === holder) return
      holders.set(id, holder)
      if (before === undefined) returning.add(id)
    },
    isReturning: (id) => returning.has(id),
    settle: (id) => void returning.delete(id),
    isLeased: (id) => holders.has(id) && !returning.has(id),
  }
}
