// Why a connection between two devices ended, in words and as codes of WebSocket. Knows no socket.

/** Why a link ended. */
export type LinkEnd =
  /** One side had nothing more to say. */
  | 'done'
  /** One side stops its host or its sync. */
  | 'stopping'
  /** Something other than whole binary messages came. */
  | 'protocol'
  /** A message over the limit came. */
  | 'too_large'
  /** Nothing was heard from the other side for two heartbeats. */
  | 'silent'
  /** A newer link to the same device took its place. */
  | 'replaced'
  /** The device is not known any more. */
  | 'unpaired'
  /** Whoever was to take the messages failed. */
  | 'failed'
  /** The connection broke without a word. */
  | 'lost'

/** How a link ended. */
export interface LinkClose {
  readonly reason: LinkEnd
  /** Whether this side ended it. */
  readonly here: boolean
}

const codes: Readonly<Record<Exclude<LinkEnd, 'lost'>, number>> = {
  done: 1000,
  stopping: 1001,
  protocol: 1002,
  too_large: 1009,
  silent: 4000,
  replaced: 4001,
  unpaired: 4002,
  failed: 4003,
}

/** The code of a close frame that says `reason`. */
export function codeOf(reason: Exclude<LinkEnd, 'lost'>): number {
  return codes[reason]
}

/** What a code of the other side means; unknown ones are a broken protocol. */
export function reasonOf(code: number): LinkEnd {
  // 1006 is no frame: the connection ended without one. 1005 is a frame without a code.
  if (code === 1006) return 'lost'
  if (code === 1005) return 'done'
  const found = Object.entries(codes).find(([, known]) => known === code)
  return found === undefined ? 'protocol' : (found[0] as LinkEnd)
}
