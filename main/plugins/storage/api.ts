// What other plugins may ask of stored files. Types only.
import type { FileHandle } from 'node:fs/promises'
import type { FileReference } from '#shared/field-types/field-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'

/** The files of a host. */
export interface StorageService {
  /**
   * What is true of a file somebody wants to name: its name, type and size.
   * @returns undefined for one that is not there, not complete, or not the caller's to see
   */
  attachable(read: Pick<Reads, 'get' | 'all'>, ctx: RequestContext, fileId: string): Required<FileReference> | undefined
  /** Runs work while no bytes of files go, so that a copy of the database and of them belongs together. */
  whileKept<T>(work: () => Promise<T>): Promise<T>
  /** What other machines are to know of a complete file; undefined for one that is not there or not complete. */
  travelling(read: Pick<Reads, 'get'>, fileId: string): TravellingFile | undefined
  /** Ids of complete files above one, in order. */
  travellingIds(read: Pick<Reads, 'all'>, after: string, limit: number): string[]
  /** Takes over a file of another machine; its bytes stay there until they are asked for. */
  placeRemote(tx: Tx, ctx: RequestContext, file: TravellingFile): void
  /**
   * Takes over that a file was deleted on another machine.
   * @returns false: live records name it here and nobody forced it, so it stays
   */
  removeRemote(tx: Tx, ctx: RequestContext, fileId: string, force: boolean): boolean
  /** Live records here that name a file, which may have been deleted, by uid and id. */
  recordsNaming(read: Pick<Reads, 'all'>, fileId: string): { readonly object: string; readonly record: string }[]
  /** Says who hears, in the transaction, of files that are not here and that a record names from now on. */
  onMissing(listener: (tx: Tx, fileId: string) => void): void
  /** Whether somebody may read a file; null: anybody of this workspace. */
  isReadable(read: Pick<Reads, 'all' | 'get'>, ctx: RequestContext | null, fileId: string): boolean
  /** Opens the bytes of a file that is ready here; undefined where it is not. To be closed. */
  openBytes(fileId: string): Promise<FileHandle | undefined>
  /** Files whose bytes are not here, newest first. @param below goes on after this one */
  elsewhere(below: { readonly createdAt: number; readonly id: string } | null, limit: number): BytesElsewhere[]
  /**
   * Begins or goes on with taking bytes from another machine.
   * @returns undefined for a file that is gone, or here by now
   * @throws storage_quota_exceeded
   */
  arrival(fileId: string): Promise<Arrival | undefined>
  /** Says who is asked for bytes that are not here; null: nobody. */
  setPeers(peers: FilePeers | null): void
}

/** A file as machines tell each other of it. */
export interface TravellingFile {
  readonly id: string
  readonly organizationId: string | null
  readonly scope: 'user' | 'private' | 'public' | 'system'
  readonly bucket: string
  readonly name: string
  readonly extension: string
  readonly mimeType: string
  readonly size: number
  /** Hexadecimal. */
  readonly sha256: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly createdBy: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Device id of the machine it was uploaded on; null: the one that tells. */
  readonly home: string | null
}

/** A file whose bytes are not here. */
export interface BytesElsewhere {
  readonly id: string
  readonly sha256: string
  readonly size: number
  readonly home: string | null
  readonly createdAt: number
}

/** Bytes on their way from another machine, kept on disk until they are whole. */
export interface Arrival extends BytesElsewhere {
  /** Bytes that are here. */
  received(): number
  /** Adds the next ones. @throws when the disk refuses */
  write(bytes: Uint8Array): Promise<void>
  /** Compares the whole with its checksum. @returns false: they are other bytes, and nothing of them is kept */
  finish(): Promise<boolean>
  /** Ends for now; what has come stays. */
  leave(): Promise<void>
}

/** What came of asking for bytes. `missing`: no machine has them; `lacking`: not even the one they were uploaded on. */
export type Brought = 'here' | 'nobody' | 'refused' | 'lacking' | 'missing'

/** The other machines, as far as bytes are concerned. */
export interface FilePeers {
  /** Asks the connected machines one after the other. @throws storage_quota_exceeded */
  bring(fileId: string): Promise<Brought>
  /** Bytes that have come of a file that is on its way; null for one that is not. */
  progress(fileId: string): number | null
  /** The name of a machine of the workspace; null for one that is not known. */
  nameOf(device: string): string | null
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    storage: StorageService
  }
}
