// What peers need of the part that keeps log and documents, and how it is opened. Types only.
import type { DeviceKeys } from '#main/replication/channel/device-keys.ts'
import type { DocWriter } from '../engine/docs.ts'
import type { Replica } from '../engine/replica.ts'
import type { Roster } from './roster.ts'

/** Log and documents of this machine while sync is on. */
export interface SyncEngine {
  readonly replica: Replica
  readonly docs: DocWriter
  /** `preparing` while documents are made of what existed before. */
  state(): 'preparing' | 'on'
  progress(): { readonly done: number; readonly total: number }
  /** Compares the row of every record with its documents and makes it what they say; answers how many were not. */
  checkRows(): Promise<number>
  /** How many there were since the engine was opened. */
  repairedRows(): number
  /** Hears whenever state or progress changed. Answers how to stop. */
  onChange(listener: () => void): () => void
  stop(): Promise<void>
}

/**
 * How log and documents begin: as they are stored, as they are stored but with what was written while sync was off, as
 * those of a new workspace, or empty, to be filled by others.
 */
export interface EngineStart {
  readonly kind: 'open' | 'again' | 'found' | 'join'
  /** 16 bytes. */
  readonly workspace: Uint8Array
  readonly epoch: number
}

/** Who writes here. The row of `sync_workspace` names the same when the engine is opened. */
export interface OwnDevice {
  readonly device: string
  readonly inc: number
  readonly bootCounter: number
  readonly signer: DeviceKeys
  /** Notes on disk what may leave this machine; see `Replica.beforeSending`. */
  beforeSending(lastSeq: number): void
}

/** Opens log and documents. The roster answers from the first moment on; its handler belongs to the kinds of documents. */
export type OpenEngine = (start: EngineStart, own: OwnDevice, roster: Roster) => Promise<SyncEngine>
