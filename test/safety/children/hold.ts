// Takes a data folder and its database, as a host does, says so, and holds both until it is ended.
// With --careless it skips the lock: the twin.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openWriter } from '#main/database/open.ts'
import { DataDirInUse, openDataDir } from '#main/data-dir.ts'

const dir = process.argv[2]!
try {
  if (process.argv.includes('--careless')) mkdirSync(dir, { recursive: true })
  else openDataDir(dir)
  const database = openWriter(join(dir, 'cairn.db'))
  database.exec('CREATE TABLE IF NOT EXISTS owner (pid INTEGER)')
  database.prepare('INSERT INTO owner VALUES (?)').run(process.pid)
  process.stdout.write('held\n')
  setInterval(() => database.open, 1000)
} catch (error) {
  process.stdout.write(error instanceof DataDirInUse ? 'in use\n' : `failed: ${String(error)}\n`)
}
