// The folder of backups: one sub-folder per backup with database, config and a manifest of checksums.
// Knows how to make, list, check and put back a backup; not when, nor who may.
import { constants, copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '#main/kernel/clock.ts'
import { isUuid } from '#main/kernel/ids.ts'
import type { Ids } from '#main/kernel/ids.ts'
import { readPrivateFile, refuseSpecialFile, syncPath, writeFileAtomic } from '#main/kernel/atomic-file.ts'
import type { RestoreNote } from '#main/kernel/restore-note.ts'
import { readRestoreNote, removeRestoreNote, writeRestoreNote } from '#main/kernel/restore-note.ts'
import { fileListName, keepFiles, keepFilesAside, problemsOfFiles, putFilesBack } from './backup-files.ts'
import { decodeManifest, encodeManifest } from './backup-manifest.ts'
import type { BackupKind, BackupManifest } from './backup-manifest.ts'
import { hashFile } from './file-check.ts'
import { stateFileOf } from './state-file.ts'
import { openWriter } from './open.ts'
import type { FileReport } from './reader-protocol.ts'

/** A backup as lists show it. */
export interface BackupEntry {
  readonly id: string
  readonly kind: BackupKind
  readonly createdAt: string
  /** Of all files of the backup. */
  readonly sizeBytes: number
  /** Of the database file. */
  readonly sha256: string
  /** False when the last check found a problem, or the manifest cannot be read. */
  readonly verified: boolean
  readonly appVersion: string
  readonly note?: string
}

/** What a check of a backup found. */
export interface BackupCheck {
  readonly id: string
  readonly verified: boolean
  readonly problems: readonly string[]
}

/** The backups of one data folder. */
export interface BackupFolder {
  /**
   * Makes a backup: copy, integrity check, checksums, manifest, then one rename that makes it visible.
   * @throws Error when the copy is not sound; nothing is left behind then
   */
  create(options: { kind: BackupKind; note?: string; copy: (target: string) => Promise<void> }): Promise<BackupEntry>
  /** Bytes of the database that the backup being made has so far; null while none is. */
  copiedBytes(): number | null
  /** Newest first. */
  list(): BackupEntry[]
  get(id: string): BackupEntry | undefined
  /** Compares every byte with the manifest and runs SQLite's own check; the result is kept for lists. */
  verify(id: string): Promise<BackupCheck>
  /** Whether there was one to delete. */
  remove(id: string): boolean
  /** Path of the database inside a backup. */
  databaseFile(id: string): string
  /**
   * Puts the backup in place of the present database and config; the database must be closed. A crash leaves the old
   * or the new database. Unless the present state was saved by a backup, its files are kept under another name.
   * @param options `keepsConfig`: how the machine is set up stays as it is (D-420); `note`: left for the next start once all
   * that is missing is a rename. A state no host has started on since its restore counts as never there.
   * @throws Error when the backup differs from its manifest; the present files are untouched then
   */
  putBack(id: string, options: { presentSaved: boolean; keepsConfig?: boolean; note?: RestoreNote }): void
  /** Clears what a restore has left that was cut off; only the holder of the data folder may. */
  clearRestore(): void
}

/** What the folder works with. */
export interface BackupFolderOptions {
  /** The data folder: holds `backups/`, the database and `config.json`. */
  readonly dataDir: string
  readonly clock: Clock
  readonly ids: Ids
  readonly appVersion: string
  /** Checks a closed database file; in a child process while a host runs. */
  readonly check: (file: string) => Promise<FileReport>
}

const databaseName = 'cairn.db'
const configName = 'config.json'
const manifestName = 'manifest.json'
const partialSuffix = '.partial'

/** Opens the folder of backups; nothing is created before the first backup. */
export function createBackupFolder(options: BackupFolderOptions): BackupFolder {
  const { dataDir, clock, ids, appVersion } = options
  const root = join(dataDir, 'backups')
  const pathOf = (id: string): string => {
    if (!isUuid(id)) throw new Error('Not the id of a backup.')
    return join(root, id)
  }

  const incomingOf = (name: string): string => join(dataDir, `${name}.incoming`)
  let making: string | null = null

  const prepareRoot = (): void => {
    if (lstatSync(root, { throwIfNoEntry: false })?.isSymbolicLink() === true) throw new Error(`Not a folder: ${root}`)
    mkdirSync(root, { recursive: true, mode: 0o700 })
  }

  const readManifest = (id: string): BackupManifest | undefined => {
    try {
      const text = readPrivateFile(join(pathOf(id), manifestName))
      return text === undefined ? undefined : decodeManifest(text)
    } catch {
      // A link or a folder in its place: as good as no manifest.
      return undefined
    }
  }

  const entryOf = (id: string): BackupEntry => {
    const manifest = readManifest(id)
    if (manifest === undefined || manifest.id !== id) return damagedEntry(id, pathOf(id))
    const database = manifest.files.find((file) => file.name === databaseName)
    return {
      id,
      kind: manifest.kind,
      createdAt: manifest.createdAt,
      sizeBytes: manifest.files.reduce((sum, file) => sum + file.sizeBytes, manifest.fileBytes ?? 0),
      sha256: database?.sha256 ?? '',
      verified: manifest.verified,
      appVersion: manifest.appVersion,
      ...(manifest.note === undefined ? {} : { note: manifest.note }),
    }
  }

  const exists = (id: string): boolean => isUuid(id) && existsSync(join(root, id))

  const verify = async (id: string): Promise<BackupCheck> => {
    const manifest = readManifest(id)
    if (manifest === undefined || manifest.id !== id) {
      return { id, verified: false, problems: ['The manifest is missing or was changed.'] }
    }
    const problems: string[] = []
    for (const file of manifest.files) {
      const path = join(pathOf(id), file.name)
      try {
        refuseSpecialFile(path)
        const found = file.name === databaseName ? await options.check(path) : { ...hashFile(path), problems: [] }
        if (found.sizeBytes !== file.sizeBytes)
          problems.push(`${file.name} has ${found.sizeBytes} bytes, not ${file.sizeBytes}.`)
        else if (found.sha256 !== file.sha256) problems.push(`${file.name} differs from its checksum.`)
        problems.push(...found.problems.map((problem) => `${file.name}: ${problem}`))
      } catch (error) {
        problems.push(`${file.name}: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
    if (problems.length === 0) problems.push(...(await problemsOfFiles(pathOf(id))))
    const verified = problems.length === 0
    if (verified !== manifest.verified) {
      writeFileAtomic(join(pathOf(id), manifestName), encodeManifest({ ...manifest, verified }))
    }
    return { id, verified, problems }
  }

  /** Clears what a crash left half made or half deleted; only the holder of the data folder may. */
  const clearUnfinished = (): void => {
    for (const name of readdirSync(root)) {
      if (name.endsWith(partialSuffix)) rmSync(join(root, name), { recursive: true, force: true })
    }
  }

  return {
    async create({ kind, note, copy }) {
      prepareRoot()
      clearUnfinished()
      const id = ids.uuid()
      const partial = join(root, id + partialSuffix)
      mkdirSync(partial, { mode: 0o700 })
      making = partial
      try {
        const database = join(partial, databaseName)
        await copy(database)
        const report = await options.check(database)
        if (report.problems.length > 0) throw new Error(`The copy is not sound: ${report.problems[0]}`)
        const files = [{ name: databaseName, sizeBytes: report.sizeBytes, sha256: report.sha256 }]
        const config = readPrivateFile(join(dataDir, configName))
        if (config !== undefined) {
          writeFileAtomic(join(partial, configName), config)
          files.push({ name: configName, ...hashFile(join(partial, configName)) })
        }
        const fileBytes = await keepFiles(dataDir, partial)
        if (fileBytes !== null) files.push({ name: fileListName, ...hashFile(join(partial, fileListName)) })
        const createdAt = clock.iso()
        const manifest: BackupManifest = {
          id,
          kind,
          createdAt,
          appVersion,
          verified: true,
          files,
          ...(fileBytes === null ? {} : { fileBytes }),
          ...(note === undefined ? {} : { note }),
        }
        writeFileAtomic(join(partial, manifestName), encodeManifest(manifest))
        renameSync(partial, pathOf(id))
        syncPath(root)
      } catch (error) {
        rmSync(partial, { recursive: true, force: true })
        throw error
      } finally {
        making = null
      }
      return entryOf(id)
    },
    copiedBytes: () =>
      making === null ? null : (lstatSync(join(making, databaseName), { throwIfNoEntry: false })?.size ?? 0),
    list: () =>
      (existsSync(root) ? readdirSync(root) : [])
        .filter((name) => isUuid(name))
        .map((id) => entryOf(id))
        .toSorted((a, b) =>
          a.createdAt === b.createdAt ? (a.id < b.id ? 1 : -1) : a.createdAt < b.createdAt ? 1 : -1,
        ),
    get: (id) => (exists(id) ? entryOf(id) : undefined),
    verify,
    remove(id) {
      if (!exists(id)) return false
      // Out of sight by one rename first: a crash in the middle must not leave a backup with half its files.
      const doomed = join(root, `${id}${partialSuffix}`)
      renameSync(pathOf(id), doomed)
      rmSync(doomed, { recursive: true, force: true })
      syncPath(root)
      return true
    },
    databaseFile: (id) => join(pathOf(id), databaseName),
    putBack(id, { presentSaved, keepsConfig = false, note }) {
      const manifest = readManifest(id)
      if (manifest === undefined || manifest.id !== id)
        throw new Error('The manifest of the backup is missing or was changed.')
      const unheard = readRestoreNote(dataDir)
      const incoming = manifest.files
        .filter(({ name }) => name !== fileListName && !(keepsConfig && name === configName))
        .map((file) => ({ file, path: incomingOf(file.name) }))
      try {
        for (const { file, path } of incoming) {
          rmSync(path, { force: true })
          copyFileSync(join(pathOf(id), file.name), path, constants.COPYFILE_EXCL)
          syncPath(path)
          if (hashFile(path).sha256 !== file.sha256)
            throw new Error(`${file.name} of the backup differs from its checksum.`)
        }
        // Files only come: what nobody names any more goes with the next start.
        putFilesBack(pathOf(id), dataDir)
        if (!presentSaved) keepFilesAside(dataDir, join(dataDir, `files.replaced-${clock.now()}`))
        const database = join(dataDir, databaseName)
        // What was noted is about the files that go.
        rmSync(stateFileOf(database), { force: true })
        clearWay(database, presentSaved ? undefined : `${database}.replaced-${clock.now()}`)
        // Who had what is said by the state that ran last (D-410).
        if (note !== undefined) writeRestoreNote(dataDir, { ...note, present: (unheard ?? note).present })
        for (const { file, path } of incoming) renameSync(path, join(dataDir, file.name))
        syncPath(dataDir)
      } catch (error) {
        if (existsSync(incomingOf(databaseName))) {
          if (unheard === undefined) removeRestoreNote(dataDir)
          else writeRestoreNote(dataDir, unheard)
        }
        throw error
      } finally {
        for (const { path } of incoming) rmSync(path, { force: true })
      }
    },
    clearRestore() {
      for (const name of [databaseName, configName]) rmSync(incomingOf(name), { force: true })
    },
  }
}

/**
 * Removes the log of the present database, which SQLite would replay into the restored file.
 * @param aside where the present files are kept as they are; undefined when a backup holds them
 */
function clearWay(database: string, aside: string | undefined): void {
  if (aside !== undefined) {
    for (const suffix of ['', '-wal']) {
      if (existsSync(database + suffix)) copyFileSync(database + suffix, aside + suffix, constants.COPYFILE_EXCL)
    }
  } else if (existsSync(database)) {
    // Until the restored file is in place, a crash must leave the present one whole.
    const connection = openWriter(database)
    connection.pragma('wal_checkpoint(TRUNCATE)')
    connection.close()
  }
  rmSync(`${database}-wal`, { force: true })
  rmSync(`${database}-shm`, { force: true })
}

/** A backup whose manifest cannot be read is listed, so that a person learns of it; its id still tells its time. */
function damagedEntry(id: string, path: string): BackupEntry {
  const createdAt = new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toISOString()
  const size = lstatSync(join(path, databaseName), { throwIfNoEntry: false })?.size ?? 0
  return { id, kind: 'manual', createdAt, sizeBytes: size, sha256: '', verified: false, appVersion: '' }
}
