// Second names of files whose bytes nobody changes. Knows no folder.
import { constants, copyFileSync, linkSync } from 'node:fs'
import { copyFile, link, open } from 'node:fs/promises'
import { syncPath } from './atomic-file.ts'

/** Gives a file a second name; volumes without them, or with too many of one file, get a copy, forced to disk. */
export async function linkOrCopy(source: string, target: string): Promise<void> {
  try {
    await link(source, target)
  } catch (error) {
    if (!isLinkless(error)) throw error
    await copyFile(source, target, constants.COPYFILE_EXCL)
    const handle = await open(target, constants.O_RDWR)
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  }
}

/** The same, without waiting. */
export function linkOrCopySync(source: string, target: string): void {
  try {
    linkSync(source, target)
  } catch (error) {
    if (!isLinkless(error)) throw error
    copyFileSync(source, target, constants.COPYFILE_EXCL)
    syncPath(target)
  }
}

function isLinkless(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  return ['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'ENOSYS', 'EACCES', 'EOPNOTSUPP'].includes(code)
}
