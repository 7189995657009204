// The commands of the command line: serve, open, backup, backups, restore, new-key, check, and those of a running host.
// Compose the host; hold no capability.
import path from 'node:path'
import { parseArgs } from 'node:util'
import { DataDirInUse, isHubFolder, locateDataDir, noHostOn, openDataDir, readConnectionFile } from '#main/data-dir.ts'
import type { HubServeOptions } from '#main/hub-serve.ts'
import { hubOptions, readHubChoice } from '#main/hub-choice.ts'
import { defaultPort, PortInUse, startHost } from '#main/index.ts'
import { backupOffline, checkOffline, listBackups, restoreOffline } from '#main/plugins/backup/offline.ts'
import { programVersion } from '#main/program-version.ts'
import { makeSecretKey } from '#main/kernel/file-secrets.ts'
import { makeBackupOf, mintCodeOf, verifyHost, shellOf } from '#main/http/running-host.ts'

const usage = `Usage: cairn <command> [--data DIR] [--port N]

  serve             start the platform without a window
  open              print a new sign-in address of the running platform
  backup            make a verified backup
  backups           list the backups
  restore ID        put a backup in place of the present data (which is backed up first)
  new-key           go on without a secret.key that is lost, and without what was sealed with it
  check             check the integrity of the database
  data ...          read and write records of the running platform (data --help says how)
  types             print declarations of the workspace's objects for TypeScript
  package ...       make packages and install them (package --help says how)
  mcp               let an assistant speak to the running platform over standard input and output
  relay             run a relay between devices (relay --help says how)
  hub ...           keep a workspace on several machines (hub --help says how)

  --data DIR        data folder (else CAIRN_DATA_DIR, else the system's own)
  --port N          port on 127.0.0.1 (else CAIRN_PORT, else ${defaultPort}; 0 picks a free one)
  --hub URL         serve: as a node of the hub in this PostgreSQL (hub --help says what goes with it)
`

/** What the commands without a running host need. */
const surroundings = { appVersion: programVersion, openDataDir }

interface CliOptions {
  dataDir: string
  /** Undefined: the default port, and another one when it is taken. */
  port: number | undefined
  words: string[]
  hub: Omit<HubServeOptions, 'dataDir' | 'port'> | undefined
}

/** Runs one command and answers the exit code; `serve` resolves when the host has stopped. */
export async function runCommand(argv: readonly string[]): Promise<number> {
  let options: CliOptions
  let command: string
  try {
    ;[command, options] = parse(argv)
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}`)
    return 2
  }
  switch (command) {
    case 'serve':
      return serve(options)
    case 'open':
      return open(options)
    case 'backup':
      return backup(options)
    case 'backups': {
      for (const backup of await listBackups(options.dataDir, surroundings)) {
        process.stdout.write(`${backup.id}  ${backup.kind}  ${backup.createdAt}  ${backup.sizeBytes} bytes\n`)
      }
      return 0
    }
    case 'restore':
      return restore(options)
    case 'new-key':
      return newKey(options)
    case 'check': {
      const problems = await checkOffline(options.dataDir)
      process.stdout.write(problems.length === 0 ? 'ok\n' : `${problems.join('\n')}\n`)
      return problems.length === 0 ? 0 : 1
    }
    case 'version':
      process.stdout.write(`${programVersion}\n`)
      return 0
    case 'help':
      process.stdout.write(usage)
      return 0
    default:
      process.stderr.write(`There is no command "${command}".\n\n${usage}`)
      return 2
  }
}

function parse(argv: readonly string[]): [string, CliOptions] {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      data: { type: 'string' },
      port: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
      hub: { type: 'string' },
      address: { type: 'string' },
      ...hubOptions,
    },
  })
  const [first = 'serve', ...words] = positionals
  const command = values.help === true ? 'help' : values.version === true ? 'version' : first
  const port = values.port ?? process.env['CAIRN_PORT']
  if (port !== undefined && !/^\d{1,5}$/.test(port)) throw new Error(`The port "${port}" is not a number.`)
  const hub = values.hub === undefined ? undefined : { ...readHubChoice(values.hub, values), address: values.address }
  return [
    command,
    { dataDir: locateDataDir(values.data), port: port === undefined ? undefined : Number(port), words, hub },
  ]
}

async function serve(options: CliOptions): Promise<number> {
  try {
    if (options.hub !== undefined) {
      const { serveHub } = await import('#main/hub-serve.ts')
      return await serveHub({ ...options.hub, dataDir: options.dataDir, port: options.port })
    }
    const host = await startHost({
      dataDir: options.dataDir,
      returnsMemory: true,
      onDiskSpace: (sentence) => void process.stderr.write(`${sentence}\n`),
      ...(options.port === undefined ? {} : { port: options.port }),
    })
    const stop = (): void => {
      void host.stop()
    }
    // Before the line that says it runs: whoever reads it may end the program at once.
    process.once('SIGINT', stop)
    process.once('SIGTERM', stop)
    process.stdout.write(
      `Cairn is running at ${host.url}${host.uiBasePath}/#${host.mintCode()}  data: ${host.dataDir}\n`,
    )
    if (host.isReadOnly) {
      process.stderr.write(
        `The data folder ${host.dataDir} cannot be written: Cairn shows what is there and refuses changes.\n`,
      )
    }
    const reason = await host.stopped
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
    if (reason === 'restart') return serve(options)
    return 0
  } catch (error) {
    if (error instanceof DataDirInUse) return alreadyRunning(options.dataDir)
    if (error instanceof PortInUse) {
      process.stderr.write(`${error.message}\n`)
      return 2
    }
    process.stderr.write(`Cairn could not start: ${(error as Error).message}\n`)
    return 1
  }
}

/** A second start finds the first: prints its address and ends well. */
async function alreadyRunning(dataDir: string): Promise<number> {
  for (let attempt = 0; attempt < 30; attempt += 1) {
    const connection = readConnectionFile(dataDir)
    if (connection !== undefined && (await verifyHost(connection))) {
      process.stdout.write(`Cairn is already running at ${connection.url}${shellOf(connection)}/  data: ${dataDir}\n`)
      return 0
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  process.stderr.write(`Another process holds the data folder ${dataDir}, but it does not answer as Cairn.\n`)
  return 1
}

async function open(options: CliOptions): Promise<number> {
  const connection = readConnectionFile(options.dataDir)
  if (connection === undefined || !(await verifyHost(connection))) {
    process.stderr.write(`${noHostOn(options.dataDir)}\n`)
    return 1
  }
  process.stdout.write(`${await mintCodeOf(connection)}\n`)
  return 0
}

/** Makes a backup: the running host does it when there is one, since it holds the data. */
async function backup(options: CliOptions): Promise<number> {
  let made: { id: string; sizeBytes: number; sha256: string }
  try {
    made = await backupOffline(options.dataDir, surroundings)
  } catch (error) {
    const connection = readConnectionFile(options.dataDir)
    if (!(error instanceof DataDirInUse) || connection === undefined || !(await verifyHost(connection))) {
      const follows = error instanceof DataDirInUse && isHubFolder(options.dataDir)
      process.stderr.write(
        follows
          ? 'There is no backup: this node of a hub does not lead. Nothing was made. Ask for it on the node that leads (cairn hub status names it), or of any node with POST /api/v1/backups.\n'
          : `There is no backup: ${(error as Error).message}\n`,
      )
      return 1
    }
    made = await makeBackupOf(connection)
  }
  process.stdout.write(`${made.id}  ${made.sizeBytes} bytes  sha256 ${made.sha256}\n`)
  return 0
}

function newKey(options: CliOptions): number {
  const held = openDataDir(options.dataDir)
  try {
    const isMade = makeSecretKey(path.join(held.path, 'secret.key'))
    process.stdout.write(isMade ? 'A new secret.key was made.\n' : 'There is a secret.key; it was left as it is.\n')
    return isMade ? 0 : 1
  } finally {
    held.release()
  }
}

async function restore(options: CliOptions): Promise<number> {
  const id = options.words[0]
  if (id === undefined) {
    process.stderr.write(`Which backup? "cairn backups" lists them.\n`)
    return 2
  }
  if (isHubFolder(options.dataDir)) {
    process.stderr.write(
      'This workspace is kept by a hub, so no backup is put in its place here. Nothing was changed. To go back in time: cairn hub restore --help.\n',
    )
    return 1
  }
  try {
    await restoreOffline(options.dataDir, id, surroundings)
  } catch (error) {
    if (!(error instanceof DataDirInUse)) throw error
    process.stderr.write(`Cairn is running on ${path.resolve(options.dataDir)}. Stop it before a restore.\n`)
    return 1
  }
  process.stdout.write(
    `Restored ${id}. What was there before is kept: as a backup, or as cairn.db.replaced-* where none could be made.\n`,
  )
  return 0
}
