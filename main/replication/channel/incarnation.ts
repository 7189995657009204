// When this machine may go on with the log it wrote before, and when it must begin another. Two logs under one number
// cannot be told apart afterwards, so every doubt begins a new one. Rules only; knows no file and no database.

/** What the sidecar beside the database says. */
export interface Sidecar {
  readonly device: string
  readonly inc: number
  /** Starts of the host with this database, counted. */
  readonly bootCounter: number
  /** The last sequence number that may have left this machine. */
  readonly lastSeqSent: number
  /** Whether the host stopped in order after it wrote this. */
  readonly stopped: boolean
  /** The database file it stands for, as the file system knew it; undefined where that says nothing. */
  readonly file?: string | undefined
  /** Whether a start since found a copy in the place of the database, by how the database was closed. */
  readonly isCopy?: boolean | undefined
  /** When a copy was last found in the place of the folder, ISO 8601. */
  readonly putBackAt?: string | undefined
}

/** What the database says of itself. */
export interface StoredIncarnation {
  readonly device: string
  readonly inc: number
  readonly bootCounter: number
  /** The last sequence number in the log. */
  readonly lastSeq: number
}

/** Everything the rules look at. */
export interface IncarnationFacts {
  /** The device whose keys this process holds. */
  readonly device: string
  /** Undefined: the database was never used for sync. */
  readonly database?: StoredIncarnation | undefined
  /** Undefined: there is no sidecar, or it cannot be read. */
  readonly sidecar?: Sidecar | undefined
  /** The database file as the file system knows it now; undefined where that says nothing. */
  readonly file?: string | undefined
  /** Another device uses the number, or a peer has envelopes under it that differ from ours. */
  readonly collides?: boolean
}

/** Why another incarnation begins. */
export type IncarnationReason =
  | 'first_run'
  | 'other_device'
  | 'collision'
  | 'database_older'
  | 'database_copied'
  | 'sidecar_differs'
  | 'unclean_stop'

/** Envelopes that left this machine and that its database does not hold any more. */
export interface LostTail {
  readonly inc: number
  readonly from: number
  readonly to: number
}

/** What the rules say. */
export type IncarnationVerdict =
  | { readonly keep: true; readonly inc: number }
  | { readonly keep: false; readonly reason: IncarnationReason; readonly lostTail?: LostTail }

/**
 * Judges whether the incarnation of the database goes on. When its tail is lost, the verdict names it, so that it can be
 * asked back from peers.
 */
export function judgeIncarnation(facts: IncarnationFacts): IncarnationVerdict {
  const { database, sidecar } = facts
  const reason = reasonFor(facts)
  if (reason === undefined && database !== undefined) return { keep: true, inc: database.inc }
  const lostTail = lostTailOf(database, sidecar)
  return { keep: false, reason: reason ?? 'first_run', ...(lostTail === undefined ? {} : { lostTail }) }
}

function reasonFor({ device, database, sidecar, file, collides }: IncarnationFacts): IncarnationReason | undefined {
  if (database === undefined && sidecar === undefined) return 'first_run'
  if ((database?.device ?? device) !== device || (sidecar?.device ?? device) !== device) return 'other_device'
  if (collides === true) return 'collision'
  // A database beside a sidecar it knows nothing of was put there later.
  if (database === undefined) return 'database_older'
  // Without the sidecar nobody knows what has left this machine; the same holds for one from an earlier start.
  if (sidecar === undefined) return 'sidecar_differs'
  if (database.bootCounter < sidecar.bootCounter) return 'database_older'
  if (database.inc !== sidecar.inc || database.bootCounter > sidecar.bootCounter) return 'sidecar_differs'
  if (database.lastSeq < sidecar.lastSeqSent) return 'database_older'
  // All of a folder that was copied agrees with itself. What was written where it was copied from went out under its number.
  if (sidecar.isCopy === true) return 'database_copied'
  if (file !== undefined && sidecar.file !== undefined && file !== sidecar.file) return 'database_copied'
  return sidecar.stopped ? undefined : 'unclean_stop'
}

function lostTailOf(database: StoredIncarnation | undefined, sidecar: Sidecar | undefined): LostTail | undefined {
  if (sidecar === undefined || sidecar.lastSeqSent === 0) return undefined
  // A database of another number may hold none of the sidecar's log.
  const held = database?.inc === sidecar.inc ? database.lastSeq : 0
  if (held >= sidecar.lastSeqSent) return undefined
  return { inc: sidecar.inc, from: held + 1, to: sidecar.lastSeqSent }
}
