// Data folders as a host leaves them: closed, and killed with changes that are in the log alone. Knows how to make and copy
// them, nothing of what is done to them.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestHost } from '../support/create-test-host.ts'

/** The folders, with one backup each. */
export interface LeftFolders {
  readonly closed: string
  readonly killed: string
  readonly backup: string
  remove(): void
}

/** Copies a folder; the copy of one that a host holds is what a kill would leave. */
export function copyFolder(dataDir: string): string {
  const target = mkdtempSync(join(tmpdir(), 'cairn-left-'))
  const filter = (name: string): boolean => !name.endsWith('connection.json')
  cpSync(dataDir, target, { recursive: true, preserveTimestamps: true, filter })
  return target
}

/** Writes a workspace, backs it up, writes more, and ends it both ways. */
export async function makeLeftFolders(records = 60): Promise<LeftFolders> {
  const test = await createTestHost({ durable: true })
  await test.defineObject('note', { title: { type: 'text' }, body: { type: 'textarea' } })
  const write = async (title: string): Promise<void> => {
    for (let at = 0; at < records; at += 1)
      await test.post('/data/note', { title: `${title} ${at}`, body: `${title} `.repeat(40) })
  }
  await write('before the backup')
  const backup = (await test.post('/backups', {})).body.id as string
  await test.restart()
  await write('after it')
  const killed = copyFolder(test.dataDir)
  await test.host.stop()
  const closed = copyFolder(test.dataDir)
  rmSync(test.dataDir, { recursive: true })
  return {
    closed,
    killed,
    backup,
    remove() {
      for (const dir of [closed, killed]) rmSync(dir, { recursive: true, force: true })
    },
  }
}
