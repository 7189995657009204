// The commands about a hub: init, status, handover, forget, restore. Read the command line and say what happened; what they do is done
// in the room of the hub.
import { existsSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { DataDirInUse, dataDirNames, locateDataDir, openDataDir } from '#main/data-dir.ts'
import { hubOptions, hubOptionsUsage, makeHubKey, readHubChoice, readHubKey } from '#main/hub-choice.ts'
import type { HubChoice } from '#main/hub-choice.ts'
import type { HubAddress } from '#main/hub/node.ts'
import type { HubStatus } from '#main/hub/hub-commands.ts'
import { createLogger } from '#main/kernel/logger.ts'
import { writeRestoreNote } from '#main/kernel/restore-note.ts'

const usage = `Usage: cairn hub <command> postgres://user@host/database [--data DIR]

  init              keep the workspace of a data folder in this PostgreSQL from now on; a new folder gets a workspace first.
                    Makes hub.key in the folder: every node needs it, and nobody can read the hub without it. Keep a copy
  status            who leads, who follows and how far behind, which copies are kept
  handover          let another node lead, without waiting for a lease
  forget NAME       no longer list a node that is gone: by its name, host name or address, after the PostgreSQL
  restore           make a new folder with the workspace as it was (--to), which is then part of no hub

  Nodes: cairn serve --hub postgres://user@host/database --data DIR [--port N] [--address URL]
                    the first one leads, others follow and take over; each on a data folder of its own with a copy of hub.key.
                    A node that may not lead any more ends with code 3: let it be started again (systemd: Restart=always)

  --data DIR        data folder (else CAIRN_DATA_DIR, else the system's own); restore: the folder to make
  --address URL     serve: where people reach this node (else its address on loopback)
  --to NODE         handover: which node (else the one that has most of the log)
  --to TIME         restore: the moment, as 2026-11-30T12:00:00Z (else the latest)
  --anew            init: with a folder that was part of a hub which PostgreSQL has lost
  --json            status: for programs
${hubOptionsUsage}
  Passwords belong into ~/.pgpass or PGPASSWORD, as with every client of PostgreSQL: other users see command lines.
`

/** A moment that names its zone: without one it would be another moment on each machine. */
const zoned = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/

interface Given extends HubChoice {
  readonly dataDir: string
  readonly to: string | undefined
  /** The node to forget. */
  readonly name: string | undefined
  readonly anew: boolean
  readonly json: boolean
}

/** Runs one command and answers the exit code: 0 done, 1 refused or failed, 2 a wrong command line. */
export async function runHub(argv: readonly string[]): Promise<number> {
  let given: Given
  let command: string
  try {
    const read = parse(argv)
    if (read === null) {
      process.stdout.write(usage)
      return 0
    }
    ;[command, given] = read
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}`)
    return 2
  }
  try {
    switch (command) {
      case 'init':
        return await init(given)
      case 'status':
        return await status(given)
      case 'handover':
        return await handover(given)
      case 'forget':
        return await forget(given)
      case 'restore':
        return await restore(given)
      default:
        process.stderr.write(`There is no command "hub ${command}".\n\n${usage}`)
        return 2
    }
  } catch (error) {
    process.stderr.write(`${wordsOf(error, given)}\n`)
    return 1
  }
}

function parse(argv: readonly string[]): [string, Given] | null {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      data: { type: 'string' },
      to: { type: 'string' },
      anew: { type: 'boolean' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
      ...hubOptions,
    },
  })
  const [command, url, ...rest] = positionals
  const name = command === 'forget' ? rest.shift() : undefined
  if (values.help === true || command === undefined) return null
  if (url === undefined || rest.length > 0)
    throw new Error('Which PostgreSQL? Name it as postgres://user@host/database.')
  return [
    command,
    {
      ...readHubChoice(url, values),
      dataDir: locateDataDir(values.data),
      to: values.to,
      name,
      anew: values.anew ?? false,
      json: values.json ?? false,
    },
  ]
}

/** What went wrong, as a person needs it. */
function wordsOf(error: unknown, { dataDir, url }: Given): string {
  if (error instanceof DataDirInUse) return `Cairn is running on ${dataDir}. Stop it first. Nothing was changed.`
  const { code, message } = error as NodeJS.ErrnoException
  const isNetwork = code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'ETIMEDOUT'
  // The address may hold a password.
  if (isNetwork) return `PostgreSQL does not answer at ${new URL(url).host} (${code}). Nothing was changed.`
  return message
}

function keyFileOf({ keyFile, dataDir }: Given): string {
  return keyFile ?? path.join(dataDir, dataDirNames.hubKey)
}

function addressOf(given: Given): HubAddress {
  const { url, workspace, leaseMs } = given
  return { url, workspace, key: readHubKey(keyFileOf(given)), ...(leaseMs === undefined ? {} : { leaseMs }) }
}

async function init(given: Given): Promise<number> {
  const file = path.join(given.dataDir, dataDirNames.database)
  const ownKey = path.join(given.dataDir, dataDirNames.hubKey)
  if (!existsSync(file)) {
    // Before a workspace is made that nothing comes of; what is asked needs no key.
    const { readStatus } = await import('#main/hub/hub-commands.ts')
    const { snapshots } = await readStatus({ url: given.url, workspace: given.workspace, key: Buffer.alloc(32) })
    if (snapshots.length > 0)
      throw new Error(`The hub has a workspace "${given.workspace}" already. Nothing was changed.`)
    const { startHost } = await import('#main/index.ts')
    await (await startHost({ dataDir: given.dataDir, port: 0 })).stop()
  }
  const held = openDataDir(given.dataDir)
  const isMade = makeHubKey(keyFileOf(given))
  try {
    const { initHub } = await import('#main/hub/node.ts')
    const log = createLogger({ destination: { write: (line: string) => void process.stderr.write(line) } })
    await initHub(addressOf(given), { file, name: hostname(), log, acceptsLoss: given.acceptsLoss, anew: given.anew })
  } catch (error) {
    // The folder stays one that may be opened alone.
    if (isMade) rmSync(keyFileOf(given))
    throw error
  } finally {
    held.release()
  }
  // The folder of a node is known by its key.
  makeHubKey(ownKey, readHubKey(keyFileOf(given)))
  process.stdout.write(
    [
      `The workspace of ${given.dataDir} is kept in PostgreSQL now, as "${given.workspace}".`,
      `Key: ${keyFileOf(given)}. Copy it to the folder of every node, and to a safe place: nobody can read the hub without it.`,
      `Start this node:  npm run serve -- ${inShell(serveWords(given))}`,
      '',
    ].join('\n'),
  )
  return 0
}

async function status(given: Given): Promise<number> {
  const { readStatus } = await import('#main/hub/hub-commands.ts')
  const found = await readStatus(addressOf(given))
  if (found.head === null) {
    process.stderr.write(`This PostgreSQL keeps no workspace "${given.workspace}". Begin one with: cairn hub init\n`)
    return 1
  }
  process.stdout.write(
    given.json ? `${JSON.stringify(jsonOf(found), null, 2)}\n` : `${tell(found, found.head).join('\n')}\n`,
  )
  return found.head.node !== null && found.head.leaseLeftMs > 0 ? 0 : 1
}

function jsonOf({ head, nodes, snapshots, log, doubts }: HubStatus): unknown {
  const copies = snapshots.map(({ seq, at, madeBy, verifiedBy }) => ({ seq, at: timeOf(at), madeBy, verifiedBy }))
  return { head, nodes, snapshots: copies, log, unsafeSettings: doubts.map(({ setting }) => setting) }
}

function tell({ nodes, snapshots, log, doubts }: HubStatus, head: NonNullable<HubStatus['head']>): string[] {
  const isLed = head.node !== null && head.leaseLeftMs > 0
  const lines = [
    isLed ? `Leader     ${head.node}  ${head.address}` : 'Leader     none: nobody holds the lease',
    `Log        row ${head.seq} of epoch ${head.epoch}, ${Math.ceil(log.bytes / 1024)} KiB kept`,
  ]
  for (const { node, address, leads, isHere, rowsBehind, seenAgoMs } of nodes) {
    if (leads) continue
    const lag = isHere ? `${rowsBehind} rows behind` : `gone for ${Math.round(seenAgoMs / 1000)} s`
    lines.push(`${isHere ? 'Follower' : 'Gone    '}   ${node}  ${address}  ${lag}`)
  }
  for (const { seq, at, verifiedBy } of snapshots)
    lines.push(
      `Snapshot   row ${seq}, ${timeOf(at)}, ${verifiedBy === null ? 'not checked by another node yet' : 'checked'}`,
    )
  const [newest] = snapshots
  if (newest !== undefined) lines.push(`Restore    any moment from ${timeOf(snapshots.at(-1)!.at)} on`)
  for (const { words } of doubts) lines.push(`Warning    ${words}`)
  return lines
}

async function forget(given: Given): Promise<number> {
  const { name } = given
  if (name === undefined) throw new Error('Which node? Name it after the PostgreSQL; hub status shows the names.')
  const { forgetNode } = await import('#main/hub/hub-commands.ts')
  const result = await forgetNode(addressOf(given), name)
  if (typeof result === 'object' && 'forgotten' in result) {
    process.stdout.write(`Forgotten: ${result.forgotten.join(', ')}\n`)
    return 0
  }
  process.stderr.write(
    result === 'unknown'
      ? `No node "${name}" is known, so there is nothing to forget. hub status shows the names.\n`
      : `${result.alive} is there, so it was not forgotten. Nothing was changed. Stop it first.\n`,
  )
  return 1
}

async function handover(given: Given): Promise<number> {
  const { askHandover } = await import('#main/hub/hub-commands.ts')
  const result = await askHandover(addressOf(given), given.to)
  if (typeof result === 'object' && 'leads' in result) {
    process.stdout.write(
      `${result.leads.node} leads now, after ${Math.round(result.tookMs)} ms: ${result.leads.address}\n`,
    )
    return 0
  }
  if (typeof result === 'object') {
    const others = result.follow.map((node) => `\n  ${node}`).join('')
    process.stderr.write(
      others === ''
        ? 'There is no node that follows and could lead. Nothing was changed. Start one, then try again.\n'
        : `No node that follows is "${given.to}". Nothing was changed. These follow:${others}\n`,
    )
    return 1
  }
  const words = {
    'nobody-leads': 'Nobody leads this workspace now; the first node that follows takes it.',
    late: 'The leader did not hand over in time. It may still do it; see: cairn hub status.',
  }
  process.stderr.write(`${words[result]}\n`)
  return 1
}

async function restore(given: Given): Promise<number> {
  const until = given.to === undefined ? Infinity : Date.parse(given.to)
  if (given.to !== undefined && (Number.isNaN(until) || !zoned.test(given.to)))
    throw new Error(`"${given.to}" is no moment. Write it as 2026-11-30T12:00:00Z.`)
  const file = path.join(given.dataDir, dataDirNames.database)
  if (existsSync(file) || existsSync(path.join(given.dataDir, dataDirNames.hubKey)))
    throw new Error(
      `There is a workspace in ${given.dataDir} already. Nothing was changed. Name a new folder with --data.`,
    )
  const address = addressOf(given)
  const held = openDataDir(given.dataDir)
  try {
    const { restoreFolder } = await import('#main/hub/hub-commands.ts')
    const { seq, at } = await restoreFolder(address, file, until)
    // What ended since, nothing in the new folder tells (D-410).
    const backup = `hub, row ${seq}`
    if (given.to !== undefined)
      writeRestoreNote(given.dataDir, { backup, at: new Date().toISOString(), actor: null, present: null })
    process.stdout.write(
      [
        `The workspace as it was${at === null ? '' : ` at ${timeOf(at)}`} (row ${seq}) is in ${given.dataDir}. It is part of no hub.`,
        `Look at it:  npm run serve -- ${inShell(['--data', given.dataDir])}`,
        ...(given.to === undefined
          ? []
          : [
              'Keys and accounts are those of then: look for what was revoked since. Sessions and links of then hold no more.',
            ]),
        'Files that were attached to records are in the folder "files" of the nodes, uploaded packages in "packages" of the one that leads; copy them beside the database.',
        '',
      ].join('\n'),
    )
    return 0
  } catch (error) {
    for (const name of [file, `${file}-hub`]) rmSync(name, { force: true })
    throw error
  } finally {
    held.release()
  }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}

/** What a node of the hub is started with; the key lies in its folder by then. */
function serveWords({ url, dataDir, workspace, leaseMs, acceptsLoss }: Given): string[] {
  return [
    ...['--hub', withoutPassword(url), '--data', dataDir],
    ...(workspace === 'main' ? [] : ['--workspace', workspace]),
    ...(leaseMs === undefined ? [] : ['--lease', String(leaseMs / 1000)]),
    ...(acceptsLoss ? ['--accept-loss'] : []),
  ]
}

/** Words as a shell takes them, whatever is in them. */
function inShell(words: readonly string[]): string {
  const quoted = (word: string): string =>
    process.platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", String.raw`'\''`)}'`
  return words.map((word) => (/^[\w@+=:,./-]+$/.test(word) ? word : quoted(word))).join(' ')
}

function withoutPassword(url: string): string {
  const read = new URL(url)
  read.password = ''
  // Looked for first: the others would be written in another way.
  if (read.searchParams.has('password')) read.searchParams.delete('password')
  return read.href
}
