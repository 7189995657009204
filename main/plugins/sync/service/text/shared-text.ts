// What a room asks of the document its text has in a workspace of several machines, and what those ask of the room. Types
// only: a host that does not sync loads nothing behind them.
import type { OpenableText } from './access.ts'
import type { AwarenessEntry } from './frames.ts'

/** The texts of this machine that other machines have too. */
export interface SharedTexts {
  /**
   * The document of a text; null for one that does not travel. What the row has and the document has not is written into
   * it first.
   * @throws DocError for a damaged document
   */
  open(text: OpenableText): Promise<SharedText | null>
  /** Whether a text travels. Answered from memory. */
  travels(text: OpenableText): boolean
}

/** Letters offered to one write of the row. */
export interface LentLetters {
  /** Whether the document has taken them. Holds once the write is committed. */
  readonly isTaken: boolean
  end(): void
}

/** The document of one text. */
export interface SharedText {
  /** The client id this machine writes other documents' changes with: no window may have it. */
  readonly inc: number
  /** Of its rooms on this machine, the same after every start: what a window holds are letters of the same document. */
  readonly epoch: number
  /** What a window shows when it comes back with a client id that was given to its user. */
  lease(user: string, clientId: number): string
  /** Whether a client id was given to a user, by what a window shows. */
  isLease(shown: string, user: string, clientId: number): boolean
  /** Whether it is still the document of the text: false once sync was turned off. */
  isOn(): boolean
  /** The document as it is committed; null where there is none. @throws DocError */
  state(): Uint8Array | null
  /** Offers the letters a write of the row is made of. */
  lend(requestId: string, update: Uint8Array): LentLetters
  /** Joins a room with the rooms other machines have of the text. */
  join(room: SharedRoom): RoomLine
}

/** What becomes of letters of another machine: taken, or left because something before them is missing. */
export type LiveOutcome = 'taken' | 'gap'

/** A room as other machines reach it. */
export interface SharedRoom {
  readonly epoch: number
  /** Whether somebody is in it. */
  isOccupied(): boolean
  /** Whether a client id was given to somebody here. */
  isLeased(clientId: number): boolean
  /** What it has, as a Yjs state vector. */
  vector(): Uint8Array
  /** What a state vector lacks of it; null for nothing. */
  missing(vector: Uint8Array): Uint8Array | null
  /** Takes letters typed on another machine. @throws sync_update_invalid, sync_update_too_large */
  takeLive(update: Uint8Array): LiveOutcome
  /**
   * Takes letters out again that came live and are in no document: their machine has begun its room anew, and knows of
   * them what the vector says.
   */
  forgetLive(clientIds: readonly number[], vector: Uint8Array): void
  /** Cursors of people on this machine. */
  cursors(): readonly AwarenessEntry[]
  /** Shows or takes away cursors of people on other machines. */
  show(entries: readonly AwarenessEntry[]): void
}

/** The way of a room to the rooms of other machines. */
export interface RoomLine {
  /** Sends letters that were typed here. They may be lost: the document brings them. */
  typed(update: Uint8Array): void
  /** Sends where somebody's cursor is. */
  moved(entry: AwarenessEntry): void
  /** Tells that somebody is there now, or nobody any more. */
  occupied(): void
  /** Cursors of people on other machines. */
  cursors(): readonly AwarenessEntry[]
  /** Leaves; other machines take the cursors away. */
  end(): void
}
