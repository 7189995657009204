// What host and screens share of texts that several people edit at once: numbers of messages, notes, codes a socket is
// closed with. Knows no document and no socket.

/** Name of the shared text inside of its document. @source design of sync, section 3 */
export const liveTextRoot = 't'

/** The kinds of messages: the four of the protocol of Yjs, and notes of our own as JSON. */
export const liveTextMessages = { sync: 0, awareness: 1, auth: 2, queryAwareness: 3, note: 100 } as const

/** The largest update a client may send, in bytes. */
export const maxLiveUpdateBytes = 1024 * 1024

/** The largest text that is edited live, in UTF-16 units. */
export const maxLiveTextLength = 1_000_000

/** Codes a socket is closed with. 4400 to 4499 are final for this socket; a new one needs a new ticket. */
export const liveTextCloseCodes = {
  goingAway: 1001,
  policy: 1008,
  tooSlow: 1013,
  /** An update that is none, or of another client. */
  invalid: 4400,
  unauthenticated: 4401,
  /** Reading is no longer allowed, or a change was sent by who may only read. */
  forbidden: 4403,
  /** The record or the field is gone. */
  gone: 4404,
  /** Another socket has taken over the client id. */
  takenOver: 4409,
  /** The room was begun anew: what is in it has another epoch. */
  otherEpoch: 4410,
  tooLarge: 4413,
  /** The right to edit has come or gone. */
  rightsChanged: 4423,
} as const

/** A problem that keeps a text from being stored. */
export interface LiveTextProblem {
  readonly code: string
  readonly message: string
  /** What is wrong with which field, for those who may know. */
  readonly fieldErrors?: readonly { readonly field: string; readonly message: string }[]
}

/** What the host tells beside the text: that a text was stored, given by its digest, or why it was not. */
export type LiveTextNote =
  | {
      readonly type: 'stored'
      readonly digest: string
      /** At the end of a room that is stored whole. */
      readonly text?: string
    }
  | { readonly type: 'refused'; readonly problem: LiveTextProblem }

/** What a client asks beside the text: to store now, because its reader leaves. */
export interface LiveTextAsk {
  readonly type: 'store'
}

/**
 * A short digest of a text, the same on host and screen: to see whether two texts are equal, for no other purpose.
 * @source FNV-1a over UTF-16 units, in two lanes
 */
export function textDigest(text: string): string {
  let one = 0x811c9dc5
  let two = 0x1b873593
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    one = Math.imul(one ^ unit, 0x01000193)
    two = Math.imul(two ^ unit ^ (at & 0xff), 0x85ebca6b)
  }
  return `${text.length}.${(one >>> 0).toString(36)}.${(two >>> 0).toString(36)}`
}

/** Line ends as editors count them: one character each. */
export function plainLines(text: string): string {
  return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text
}
