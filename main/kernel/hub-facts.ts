// What a host that leads a hub can tell of it. Types only: the room of the hub makes it, a plugin shows it.

/** A machine of a hub. */
export interface HubNodeFacts {
  /** Name of its process. */
  readonly node: string
  /** Where it answers. */
  readonly address: string
  readonly leads: boolean
  /** False: it has not been seen for some seconds. */
  readonly isHere: boolean
  /** Rows its file lacks. */
  readonly rowsBehind: number
  /** Milliseconds since it was last seen. */
  readonly seenAgoMs: number
}

/** A copy of the whole file that the hub keeps. */
export interface HubSnapshotFacts {
  readonly seq: number
  /** Milliseconds since 1970, by the clock of the store. */
  readonly at: number
  /** Another machine has made the same bytes anew. */
  readonly isVerified: boolean
}

/** How long storing took, as counters that only rise. */
export interface AppendFigures {
  readonly count: number
  /** Tries that failed and were repeated. */
  readonly failures: number
  readonly seconds: number
  readonly bytes: number
  /** How many took at most so many seconds, by rising bound. */
  readonly buckets: readonly { readonly atMost: number; readonly count: number }[]
}

/** A hub as its leader knows it. */
export interface HubReport {
  readonly node: string
  readonly epoch: number
  /** The last row that is stored. */
  readonly seq: number
  /** Something was written that is not known to be stored. */
  readonly isBehind: boolean
  readonly leaseLeftMs: number
  readonly appends: AppendFigures
  readonly nodes: readonly HubNodeFacts[]
  /** Newest first. */
  readonly snapshots: readonly HubSnapshotFacts[]
  /** What the log takes in the store; as it was a minute ago at most. */
  readonly logBytes: number
  /** Settings of the store by which it can lose what it has acknowledged. */
  readonly unsafeSettings: readonly string[]
}

/** Files that another machine goes on with where this one is lost; what they belong to is in the database. */
export interface SharedFiles {
  /** Keeps a file that does not change any more. @throws Error when it is not kept */
  keep(name: string, path: string): Promise<void>
  /** Writes what is kept under a name. @returns false when nothing is @throws Error when the store does not answer */
  fetch(name: string, path: string): Promise<boolean>
  drop(name: string): Promise<void>
  /**
   * Drops what a leader before this one has kept under names with this ending and `wanted` does not name.
   * @returns the names with this ending that are kept
   */
  sweep(ending: string, wanted: ReadonlySet<string>): Promise<Set<string>>
}

/** What a plugin may ask of the hub. */
export interface HubFacts {
  /** @throws Error when the store does not answer */
  report(): Promise<HubReport>
  readonly files: SharedFiles
}
