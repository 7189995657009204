// What the nodes of a hub share: who leads, and the log. Words only; postgres-store.ts keeps it.
import type { NewRow } from '../row-chain.ts'
import type { Position } from './position.ts'

/** Who leads a workspace, as the store says. */
export interface Head extends Position {
  /** Name of the leading process, null before the first. */
  readonly node: string | null
  /** Where it answers. */
  readonly address: string | null
  /** Milliseconds until its lease ends, by the store's clock; negative once it has. */
  readonly leaseLeftMs: number
  /** Who may take it before all others. */
  readonly heir: string | null
}

/** What became of a row. */
export type Appended = 'stored' | 'found' | 'over'

/** A row as it is read back. */
export interface StoredRow extends Position {
  /** As `encodePageRow` made it. */
  readonly body: Buffer
  /** When it was stored, by the store's clock: milliseconds since 1970. */
  readonly at: number
}

/** A copy of the whole file at one row. */
export interface Snapshot extends Position {
  /** SHA-256 of the row it equals. */
  readonly hash: Buffer
  /** SHA-256 of the file, in hexadecimal. */
  readonly digest: string
  readonly parts: number
  readonly madeBy: string
  /** Another node that made the same file of an older snapshot and the rows; null until one has. */
  readonly verifiedBy: string | null
  /** Milliseconds since 1970. */
  readonly at: number
  /** Milliseconds since then, by the store's clock. */
  readonly ageMs: number
}

/** A node that has been seen. */
export interface SeenNode {
  readonly node: string
  readonly address: string
  /** The row its file equals. */
  readonly seq: number
  /** Milliseconds since it was last seen. */
  readonly agoMs: number
}

/** What the nodes of one workspace share. Every call may fail with an error of the connection; nothing is known then. */
export interface HubStore {
  /** Null when there is no such workspace. */
  head(): Promise<Head | null>
  /**
   * Stores the row that follows the last one and renews the lease, if the epoch is still that of the row.
   * @returns `found` when it was there already, which renews nothing; `over` when the epoch is
   */
  append(row: NewRow): Promise<Appended>
  /** Renews the lease. @returns false when the epoch is over */
  renew(epoch: number): Promise<boolean>
  /**
   * Begins the next epoch once the lease of this one is over.
   * @returns the new epoch and the last row of the log; null when somebody else leads
   */
  take(epoch: number, node: string, address: string): Promise<Position | null>
  /** Ends the lease for another node. @returns false when the epoch is over or more was written */
  handOver(position: Position, heir: string): Promise<boolean>
  /** The next whole rows, at least one when there is one. */
  rows(after: number): Promise<StoredRow[]>
  /** The epoch of a row and its hash; null when it is not kept. */
  rowAt(seq: number): Promise<StoredRow | null>
  /** The snapshots that are whole, newest first. */
  snapshots(): Promise<Snapshot[]>
  /** One part of a snapshot. @throws Error when it is not kept any more */
  snapshotPart(seq: number, part: number): Promise<Buffer>
  /** Keeps a part; the snapshot is seen once {@link addSnapshot} has named it. */
  addSnapshotPart(seq: number, part: number, body: Buffer): Promise<void>
  addSnapshot(snapshot: Omit<Snapshot, 'verifiedBy' | 'at' | 'ageMs'>): Promise<void>
  verifySnapshot(seq: number, node: string): Promise<void>
  /**
   * Drops rows older than so many milliseconds that a verified snapshot stands for, and snapshots before it.
   * @returns how many rows are gone
   */
  trim(keepMs: number): Promise<number>
  /** Says that a node is there. */
  seen(node: string, address: string, seq: number): Promise<void>
  /** Those that were seen within a day; {@link trim} drops the others. */
  nodes(): Promise<SeenNode[]>
  close(): Promise<void>
}
