// The rules of backups: one at a time, what is kept for how long, what must hold before a restore.
// Knows no HTTP and no file layout; the backup folder owns that.
import { statSync } from 'node:fs'
import { notFound, platformError, validationError } from '#shared/errors.ts'
import type { BackupEntry, BackupFolder } from '#main/database/backup-folder.ts'
import type { BackupKind } from '#main/database/backup-manifest.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { Logger } from '#main/kernel/logger.ts'
import { diskFullError, isDiskFull } from '#main/kernel/disk-full.ts'
import type { BackupService } from './api.ts'
import type { CompareBackup } from './service/comparison.ts'

/** How many backups of a kind are kept (D-207). Manual ones stay until somebody deletes them. */
export interface Retention {
  readonly keepDaily: number
  readonly keepWeekly: number
  /** Days for backups made before an upgrade or a pairing. */
  readonly keepDays: number
}

/** The retention unless the configuration says otherwise. */
export const defaultRetention: Retention = { keepDaily: 7, keepWeekly: 4, keepDays: 90 }

/** What the service works with. */
export interface BackupServiceOptions {
  readonly folder: BackupFolder
  readonly copy: (target: string) => Promise<void>
  /** Runs work while no file of the workspace goes: what the copy of the database names is then there to be kept. */
  readonly whileKept: <T>(work: () => Promise<T>) => Promise<T>
  /** Bytes of the present database. */
  readonly databaseBytes: () => number
  /** Compares the present database with the file of a backup. */
  readonly compare: CompareBackup
  readonly requestRestart: (prepare: () => Promise<void>) => void
  /** Refuses writes until the restart, or until what it returns is called. @throws where there can be no restart */
  readonly holdWrites: () => Promise<() => void>
  readonly retention: Retention
  readonly clock: Clock
  readonly log: Logger
  /** Milliseconds a call waits for its turn. */
  readonly turnMs?: number
}

const dayMs = 86_400_000

/** How long a call waits for others that were asked for before it. @source D-409 */
const turnMs = 10_000

/** Makes the backup service. */
export function createBackupService(options: BackupServiceOptions): BackupService {
  const { folder, log } = options
  let last: Promise<unknown> = Promise.resolve()
  let making: { kind: BackupKind; startedAt: string } | null = null
  let isRestarting = false

  /**
   * One at a time: two copies would double the load, and a deletion must not meet a restore.
   * @param asker whoever waits for the answer: nobody is kept for long, and for those who are gone nothing is begun
   * @throws service_unavailable when the asker's turn does not come in time
   */
  const inTurn = <T>(work: () => Promise<T> | T, asker?: AbortSignal): Promise<T> => {
    const late = Promise.withResolvers<never>()
    const busy = platformError('service_unavailable', { reason: 'backups_busy' })
    let isOver = false
    const giveUp = (): void => {
      isOver = true
      late.reject(busy)
    }
    const timer = asker === undefined ? undefined : setTimeout(giveUp, options.turnMs ?? turnMs)
    const turn = last.then(() => {
      clearTimeout(timer)
      if (isOver) throw busy
      // The backup that is put in place, and the one of the present state, stay as they are.
      if (isRestarting) throw platformError('service_unavailable', { reason: 'restarting', retryAfterSeconds: 5 })
      asker?.throwIfAborted()
      return work()
    })
    last = turn.catch(() => undefined)
    return asker === undefined ? turn : Promise.race([turn, late.promise])
  }

  const find = (id: string): BackupEntry => {
    const backup = folder.get(id)
    if (backup === undefined) throw notFound('backup', id)
    return backup
  }

  const letOldOnesGo = (): void => {
    for (const id of outdatedBackups(folder.list(), options.retention, options.clock.now())) {
      folder.remove(id)
      log.info({ backup: id }, 'A backup was deleted because its time is over.')
    }
  }

  /**
   * A database that cannot be copied any more is no reason to refuse the restore; its files are then kept aside.
   * @returns the id of the backup; null without one
   * @throws service_unavailable when the disk is full: there would be no room to put the backup in place either
   */
  const savePresent = async (id: string): Promise<string | null> => {
    try {
      const note = `before the restore of ${id}`
      return (await options.whileKept(() => folder.create({ kind: 'manual', note, copy: options.copy }))).id
    } catch (error) {
      if (isDiskFull(error)) throw diskFullError(error)
      log.error({ err: error }, 'The present state could not be backed up; its files are kept aside.')
      return null
    }
  }

  return {
    list: () => folder.list(),
    create: (kind, note, asker) =>
      inTurn(async () => {
        const told = note === undefined ? {} : { note }
        making = { kind, startedAt: options.clock.iso() }
        try {
          const backup = await options.whileKept(() => folder.create({ kind, copy: options.copy, ...told }))
          letOldOnesGo()
          return backup
        } finally {
          making = null
        }
      }, asker),
    running() {
      const copiedBytes = folder.copiedBytes()
      if (making === null || copiedBytes === null) return null
      // Written pages that wait in the log come on top of the file.
      return { ...making, copiedBytes, totalBytes: Math.max(options.databaseBytes(), copiedBytes) }
    },
    changes: (id, signal) => {
      find(id)
      return options.compare(id, folder.databaseFile(id), signal)
    },
    verify: (id, asker) =>
      inTurn(() => {
        find(id)
        return folder.verify(id)
      }, asker),
    restore: (id, confirm, actor, asker) =>
      inTurn(async () => {
        find(id)
        if (confirm !== id) {
          throw validationError([
            { field: 'confirm', code: 'not_allowed', message: 'The value must be the id of the backup.' },
          ])
        }
        const { verified, problems } = await folder.verify(id)
        if (!verified) throw platformError('conflict', { reason: 'backup_damaged', problems })
        // What is written from here on would be in no copy.
        const release = await options.holdWrites()
        const present = await savePresent(id).catch((error: unknown) => {
          release()
          throw error
        })
        isRestarting = true
        options.requestRestart(async () => {
          try {
            const note = { backup: id, at: options.clock.iso(), actor, present }
            folder.putBack(id, { presentSaved: present !== null, keepsConfig: true, note })
          } catch (error) {
            // The host then restarts on the present state, which is untouched.
            log.error({ err: error, backup: id }, 'The backup could not be put back.')
          }
        })
      }, asker),
    remove: (id, asker) =>
      inTurn(() => {
        find(id)
        folder.remove(id)
      }, asker),
    databaseFile(id) {
      const backup = find(id)
      const path = folder.databaseFile(id)
      const stat = statSync(path, { throwIfNoEntry: false })
      if (stat === undefined) throw notFound('backup', id)
      return { path, sizeBytes: stat.size, fileName: `cairn-${backup.createdAt.slice(0, 19).replaceAll(':', '-')}.db` }
    },
  }
}

/**
 * The ids of backups whose time is over: beyond the newest daily and weekly ones, and old ones made before an upgrade
 * or a pairing. The newest backup of all is never among them.
 * @source D-207
 */
export function outdatedBackups(backups: readonly BackupEntry[], retention: Retention, now: number): string[] {
  const newestFirst = backups.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
  const of = (...kinds: BackupKind[]): BackupEntry[] => newestFirst.filter((backup) => kinds.includes(backup.kind))
  const outdated = [
    ...of('daily').slice(retention.keepDaily),
    ...of('weekly').slice(retention.keepWeekly),
    ...of('upgrade', 'pairing').filter((backup) => Date.parse(backup.createdAt) < now - retention.keepDays * dayMs),
  ]
  return outdated.map((backup) => backup.id).filter((id) => id !== newestFirst[0]?.id)
}

/** The retention of a configuration; anything but whole numbers from 1 upwards counts as absent. */
export function parseRetention(config: Readonly<Record<string, unknown>>): Retention {
  const number = (key: keyof Retention): number => {
    const value = config[key]
    return typeof value === 'number' && Number.isInteger(value) && value >= 1 ? value : defaultRetention[key]
  }
  return { keepDaily: number('keepDaily'), keepWeekly: number('keepWeekly'), keepDays: number('keepDays') }
}
