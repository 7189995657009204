// What the log asks of the roster: whose signatures count. Types only.
import type { KeyObject } from 'node:crypto'

/** A device that belongs, or belonged, to the workspace. */
export interface KnownDevice {
  readonly device: string
  /** The person whose machine it is. */
  readonly user: string
  readonly publicKey: KeyObject
  /** Only admin devices may write metadata and the roster. */
  readonly role: 'admin' | 'member'
  readonly isRevoked: boolean
}

/** The devices of the workspace, answered from memory. */
export interface Devices {
  all(): readonly KnownDevice[]
  find(device: string): KnownDevice | undefined
  /** The name of a person, as their machine told it; undefined when none did. */
  nameOf(user: string): string | undefined
}
