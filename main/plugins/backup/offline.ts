// Backups while no host runs: what the command line offers. Holds the data folder's lock for as long as it works.
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { notFound, platformError } from '#shared/errors.ts'
import { copyDatabase } from '#main/database/backup.ts'
import { createBackupFolder } from '#main/database/backup-folder.ts'
import type { BackupEntry, BackupFolder } from '#main/database/backup-folder.ts'
import { createFileCheck, integrityProblems } from '#main/database/file-check.ts'
import { openReader } from '#main/database/open.ts'
import { systemClock } from '#main/kernel/clock.ts'
import { createIds } from '#main/kernel/ids.ts'

/** What these functions need from the program. */
export interface OfflineSurroundings {
  /** The program's version, recorded in each backup. */
  readonly appVersion: string
  /** Takes the lock of the data folder; throws when a host holds it. */
  readonly openDataDir: (dataDir: string) => { readonly path: string; release(): void }
}

/**
 * Makes a verified backup.
 * @throws resource_not_found when the folder has no database; what `openDataDir` throws when a host runs
 */
export async function backupOffline(dataDir: string, surroundings: OfflineSurroundings): Promise<BackupEntry> {
  return holding(dataDir, surroundings, (path) => saveDatabase(path, openFolder(path, surroundings)))
}

/** The backups of a data folder, newest first. Reads manifests only, so it needs no lock. */
export async function listBackups(dataDir: string, surroundings: OfflineSurroundings): Promise<BackupEntry[]> {
  return openFolder(dataDir, surroundings).list()
}

/**
 * Checks a backup, saves the present state (its files are kept aside when they cannot be copied), and puts the backup
 * in place; its config only where there is none.
 * @throws resource_not_found, conflict when the backup is damaged; what `openDataDir` throws when a host runs
 */
export async function restoreOffline(dataDir: string, id: string, surroundings: OfflineSurroundings): Promise<void> {
  await holding(dataDir, surroundings, async (path) => {
    const folder = openFolder(path, surroundings)
    if (folder.get(id) === undefined) throw notFound('backup', id)
    const { verified, problems } = await folder.verify(id)
    if (!verified) throw platformError('conflict', { reason: 'backup_damaged', problems })
    let present: string | null = null
    if ((statSync(join(path, 'cairn.db'), { throwIfNoEntry: false })?.size ?? 0) > 0) {
      present = await saveDatabase(path, folder, `before the restore of ${id}`).then(
        (saved) => saved.id,
        () => null,
      )
    }
    const note = { backup: id, at: systemClock.iso(), actor: null, present }
    folder.putBack(id, { presentSaved: present !== null, keepsConfig: existsSync(join(path, 'config.json')), note })
  })
}

/** What is wrong with the database; empty when it is sound. It is only read, so a host may be running. */
export async function checkOffline(dataDir: string): Promise<string[]> {
  const file = join(dataDir, 'cairn.db')
  return existsSync(file) ? integrityProblems(file) : [`There is no database in ${dataDir}.`]
}

async function holding<T>(
  dataDir: string,
  surroundings: OfflineSurroundings,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const held = surroundings.openDataDir(dataDir)
  try {
    return await work(held.path)
  } finally {
    held.release()
  }
}

async function saveDatabase(path: string, folder: BackupFolder, note?: string): Promise<BackupEntry> {
  const file = join(path, 'cairn.db')
  if (!existsSync(file)) throw notFound('database')
  // It is only read: what is damaged is kept as it was found, the log beside it too.
  const connection = openReader(file)
  try {
    return await folder.create({
      kind: 'manual',
      copy: (target) => copyDatabase(connection, target),
      ...(note === undefined ? {} : { note }),
    })
  } finally {
    connection.close()
  }
}

/** The check runs in this process: nothing else is there that it could hold up. */
function openFolder(dataDir: string, surroundings: OfflineSurroundings): BackupFolder {
  return createBackupFolder({
    dataDir,
    clock: systemClock,
    ids: createIds(systemClock),
    appVersion: surroundings.appVersion,
    check: (file) => Promise.resolve(createFileCheck(file)),
  })
}
