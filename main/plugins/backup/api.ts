// What other plugins may ask of backups. Types only.
import type { z } from 'zod'
import type { BackupChanges } from '#shared/contracts/backup.ts'
import type { Actor } from '#shared/events.ts'
import type { BackupCheck, BackupEntry } from '#main/database/backup-folder.ts'
import type { BackupKind } from '#main/database/backup-manifest.ts'

/** What the restore of a backup would change. */
export type BackupComparison = z.output<typeof BackupChanges>

/** The backup service. Permission is the caller's business: the routes ask for `restore_backups`. */
export interface BackupService {
  /** Newest first. */
  list(): BackupEntry[]
  /** The backup that is being made; null while none is. */
  running(): { kind: BackupKind; startedAt: string; copiedBytes: number; totalBytes: number } | null
  /**
   * Compares the present records and definitions with those of a backup.
   * @throws resource_not_found, conflict when the backup cannot be read, timeout
   */
  changes(id: string, signal: AbortSignal): Promise<BackupComparison>
  /**
   * Makes a verified backup while writing goes on, then lets old ones go by the rules of their kind.
   * @param asker here and below: of whoever waits for the answer
   * @throws service_unavailable here and below, when an asker's turn does not come in time (D-409)
   */
  create(kind: BackupKind, note?: string, asker?: AbortSignal): Promise<BackupEntry>
  /** @throws resource_not_found */
  verify(id: string, asker?: AbortSignal): Promise<BackupCheck>
  /**
   * Checks the backup, saves the present state, and asks the host to restart on the backup.
   * @param actor who asked, for the note the restart finds
   * @throws resource_not_found, validation_error when `confirm` is not the id, conflict when the backup is damaged
   */
  restore(id: string, confirm: string, actor: Actor, asker?: AbortSignal): Promise<void>
  /** @throws resource_not_found */
  remove(id: string, asker?: AbortSignal): Promise<void>
  /** Path, size and suggested name of the database file. @throws resource_not_found */
  databaseFile(id: string): { path: string; sizeBytes: number; fileName: string }
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    backup: BackupService
  }
}
