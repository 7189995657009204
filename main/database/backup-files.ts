// The files of a workspace in its backups: each is a second name of the same bytes, which nobody changes, so that a backup takes
// no room for them before they are deleted. Knows that files lie under their checksum, nothing of what names them.
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { renameSync, rmSync } from 'node:fs'
import { lstat, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { hashFile } from './file-check.ts'
import { syncPath, writeFileAtomic, readPrivateFile } from '#main/kernel/atomic-file.ts'
import { linkOrCopy, linkOrCopySync } from '#main/kernel/second-name.ts'

/** The list of the files of a backup, beside its database. */
export const fileListName = 'files.txt'

/** The folder of files, in a data folder as in a backup. */
const folderName = 'files'
const maxListBytes = 256 * 1024 * 1024
const prefixForm = /^[0-9a-f]{2}$/
const nameForm = /^[0-9a-f]{64}$/

/** A file of a backup. */
interface ListedFile {
  readonly sha256: string
  readonly sizeBytes: number
}

function placeOf(root: string, { sha256 }: Pick<ListedFile, 'sha256'>): string {
  return join(root, folderName, sha256.slice(0, 2), sha256)
}

/**
 * Gives every file of a data folder a second name below a backup, and writes their list. Nothing may be deleted meanwhile.
 * @returns how many bytes they have; null when there are none
 */
export async function keepFiles(dataDir: string, backup: string): Promise<number | null> {
  const kept: ListedFile[] = []
  for (const prefix of await namesIn(join(dataDir, folderName), prefixForm)) {
    const target = join(backup, folderName, prefix)
    let isMade = false
    for (const sha256 of await namesIn(join(dataDir, folderName, prefix), nameForm)) {
      const source = placeOf(dataDir, { sha256 })
      const found = await lstat(source)
      if (!found.isFile()) continue
      if (!isMade) await mkdir(target, { recursive: true, mode: 0o700 })
      isMade = true
      await linkOrCopy(source, join(target, sha256))
      kept.push({ sha256, sizeBytes: found.size })
    }
    if (isMade) syncPath(target)
  }
  if (kept.length === 0) return null
  syncPath(join(backup, folderName))
  writeFileAtomic(join(backup, fileListName), kept.map(({ sha256, sizeBytes }) => `${sha256} ${sizeBytes}\n`).join(''))
  return kept.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
}

/** What is wrong with the files of a backup: every byte is compared with its checksum. */
export async function problemsOfFiles(backup: string): Promise<string[]> {
  const problems: string[] = []
  let listed: readonly ListedFile[] = []
  try {
    listed = readList(backup)
  } catch (error) {
    problems.push(`${fileListName}: ${error instanceof Error ? error.message : String(error)}`)
  }
  for (const file of listed) {
    const path = placeOf(backup, file)
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found?.isFile() !== true) problems.push(`The file ${file.sha256} is missing.`)
    else if ((await digestOf(path)) !== file.sha256) problems.push(`The file ${file.sha256} differs from its checksum.`)
  }
  return problems
}

/** Puts the files of a backup in their places in the data folder; what lies there sound stays. */
export function putFilesBack(backup: string, dataDir: string): void {
  const folders = new Set<string>()
  for (const file of readList(backup)) {
    const place = placeOf(dataDir, file)
    if (isThere(place, placeOf(backup, file), file.sha256)) continue
    const folder = join(place, '..')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const incoming = `${place}.incoming`
    rmSync(incoming, { force: true })
    linkOrCopySync(placeOf(backup, file), incoming)
    renameSync(incoming, place)
    folders.add(folder)
  }
  for (const folder of folders) syncPath(folder)
  if (folders.size > 0) syncPath(join(dataDir, folderName))
}

/** Whether the bytes are in their place: the very file of the backup, or another one that did not go bad meanwhile. */
function isThere(place: string, kept: string, sha256: string): boolean {
  const present = lstatSync(place, { throwIfNoEntry: false, bigint: true })
  if (present?.isFile() !== true) return false
  const own = lstatSync(kept, { throwIfNoEntry: false, bigint: true })
  if (own?.ino === present.ino && own.dev === present.dev) return true
  try {
    return hashFile(place).sha256 === sha256
  } catch {
    return false
  }
}

/** Keeps the present files under another name, where no backup holds them. */
export function keepFilesAside(dataDir: string, aside: string): void {
  const root = join(dataDir, folderName)
  if (!existsSync(root)) return
  for (const prefix of readdirSync(root).filter((name) => prefixForm.test(name))) {
    mkdirSync(join(aside, prefix), { recursive: true, mode: 0o700 })
    for (const sha256 of readdirSync(join(root, prefix)).filter((name) => nameForm.test(name)))
      linkOrCopySync(join(root, prefix, sha256), join(aside, prefix, sha256))
  }
}

function readList(backup: string): ListedFile[] {
  const text = readPrivateFile(join(backup, fileListName), maxListBytes) ?? ''
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, sha256, size] = /^([0-9a-f]{64}) (\d{1,15})$/.exec(line) ?? []
      if (sha256 === undefined) throw new Error('The list of files of the backup was changed.')
      return { sha256, sizeBytes: Number(size) }
    })
}

async function namesIn(folder: string, form: RegExp): Promise<string[]> {
  if (!existsSync(folder)) return []
  return (await readdir(folder)).filter((name) => form.test(name)).toSorted()
}

async function digestOf(path: string): Promise<string> {
  const digest = createHash('sha256')
  for await (const part of createReadStream(path, { highWaterMark: 1_048_576 })) digest.update(part as Buffer)
  return digest.digest('hex')
}
