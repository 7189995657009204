// What other plugins may ask of sync. Types only.

/** A machine of the workspace. */
export interface Machine {
  /** Its device id. */
  readonly id: string
  readonly name: string
}

/** Who may do what only one machine of the workspace may do (D-340). */
export interface MachineLease {
  readonly holder: Machine | null
  readonly isMine: boolean
  /** It is this machine's, which does not know yet whether it still is: it has just started, or is handing it on. */
  readonly isWaiting: boolean
  /**
   * Whether what is due at a time, in milliseconds since 1970, is for this machine: also what it has missed until it handed
   * the lease on.
   */
  isMineAt(due: number): boolean
}

/** Which machine of the workspace this is, and which does what only one may do. */
export interface SyncService {
  /** This machine; null while sync is off and it is on its own. */
  ownMachine(): Machine | null
  /** A machine that takes part; null for one that does not, or not any more. */
  machine(id: string): Machine | null
  /** The machine that is to do what only one may do, unless something else is said; null while sync is off. */
  runner(): Machine | null
  /** Who has a lease; null while sync is off. @param of what it is for; what never had one of its own has that of the workspace */
  lease(of: string): MachineLease | null
  /** Hands a lease on where that is for this machine to do. @param to a device id; null: whoever has the workspace's */
  handOn(of: string, to: string | null): Promise<void>
  /**
   * Up to when what happened here is known to all machines of the workspace, and what they wrote until then is here: an
   * instant of this machine's clock, '' while that is not known of each; null where there is no other machine (D-413).
   */
  sharedUntil(): Promise<string | null>
  /** Hears that machines, or what they do, may have changed. */
  onMachinesChanged(listener: () => void): void
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    sync: SyncService
  }
}
