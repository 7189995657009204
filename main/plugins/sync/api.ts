// What other plugins may ask of sync. Types only.

/** A machine of the workspace. */
export interface Machine {
  /** Its device id. */
  readonly id: string
  readonly name: string
}

/** Which machine of the workspace this is, and which does what only one may do. */
export interface SyncService {
  /** This machine; null while sync is off and it is on its own. */
  ownMachine(): Machine | null
  /** A machine that takes part; null for one that does not, or not any more. */
  machine(id: string): Machine | null
  /** The machine that does what only one may do, unless something else is said; null while sync is off. */
  runner(): Machine | null
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    sync: SyncService
  }
}
