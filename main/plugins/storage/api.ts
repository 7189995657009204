// What other plugins may ask of stored files. Types only.
import type { FileReference } from '#shared/field-types/field-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads } from '#main/kernel/database.ts'

/** The files of a host. */
export interface StorageService {
  /**
   * What is true of a file somebody wants to name: its name, type and size.
   * @returns undefined for one that is not there, not complete, or not the caller's to see
   */
  attachable(read: Pick<Reads, 'get' | 'all'>, ctx: RequestContext, fileId: string): Required<FileReference> | undefined
  /** Runs work while no bytes of files go, so that a copy of the database and of them belongs together. */
  whileKept<T>(work: () => Promise<T>): Promise<T>
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    storage: StorageService
  }
}
