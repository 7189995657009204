// A real PostgreSQL of a test's own: a cluster in a temporary folder on a loopback port, as a user that is not root. Knows
// nothing of what is stored in it.
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findFreePort } from './free-port.ts'

/** A cluster that answers. */
export interface PostgresCluster {
  readonly url: string
  /** Ends it as a machine that loses its power would, as far as the database can tell. */
  kill(): Promise<void>
  /** Starts it again over the same folder. */
  start(): Promise<void>
  /** Ends it and removes its folder. */
  remove(): Promise<void>
}

const debianFolder = '/usr/lib/postgresql'

/** Where the programs of the newest PostgreSQL are, 15 at least; undefined where there is none. */
function programs(): string | undefined {
  const versions = existsSync(debianFolder)
    ? readdirSync(debianFolder)
        .map(Number)
        .filter((one) => one >= 15)
    : []
  const newest = versions.toSorted((a, b) => b - a)[0]
  return newest === undefined ? undefined : join(debianFolder, String(newest), 'bin')
}

/** Whether there is a PostgreSQL to test with. */
export const hasPostgres = programs() !== undefined

/** Makes a cluster and starts it. @param settings lines of its configuration beside the usual ones */
export async function startPostgres(settings: readonly string[] = []): Promise<PostgresCluster> {
  const bin = programs()!
  const folder = mkdtempSync(join(tmpdir(), 'cairn-postgres-'))
  const data = join(folder, 'data')
  const port = await findFreePort()
  // PostgreSQL refuses to run as root.
  const isRoot = userInfo().uid === 0
  const user = isRoot
    ? { uid: Number(execFileSync('id', ['-u', 'nobody'])), gid: Number(execFileSync('id', ['-g', 'nobody'])) }
    : {}
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid)
  chmodSync(folder, 0o700)
  const options = {
    ...user,
    cwd: folder,
    stdio: 'ignore' as const,
    env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' },
  }
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'cairn', '-A', 'trust', '-E', 'UTF8', '--no-locale', '-N'],
    options,
  )
  const lines = [
    `port = ${port}`,
    "listen_addresses = '127.0.0.1'",
    `unix_socket_directories = '${folder}'`,
    'shared_buffers = 16MB',
    'max_connections = 30',
    ...settings,
  ]
  writeFileSync(join(data, 'postgresql.auto.conf'), `${lines.join('\n')}\n`)
  let child: ReturnType<typeof spawn> | undefined

  const start = async (): Promise<void> => {
    child = spawn(join(bin, 'postgres'), ['-D', data], options)
    const mine = child
    for (let tries = 0; ; tries += 1) {
      try {
        execFileSync(join(bin, 'pg_isready'), ['-q', '-h', '127.0.0.1', '-p', String(port), '-U', 'cairn'], options)
        return
      } catch {
        if (tries > 600 || mine.exitCode !== null) throw new Error('PostgreSQL did not start.')
        await pause(25)
      }
    }
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const mine = child
    if (mine === undefined || mine.exitCode !== null || mine.signalCode !== null) return
    const exit = new Promise((resolve) => mine.once('exit', resolve))
    mine.kill(signal)
    await exit
  }
  await start()
  return {
    url: `postgres://cairn@127.0.0.1:${port}/postgres`,
    start,
    // At once, without a checkpoint: the next start recovers from its log.
    kill: () => end('SIGQUIT'),
    async remove() {
      await end('SIGQUIT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
