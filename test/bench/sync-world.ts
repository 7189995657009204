// The hosts the steps of sync share: one that is filled, one that founds a workspace on a copy of it, and one that joins.
// Each is made when a step first needs it, and what making it cost is kept, since it is a figure itself.
import { cpSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { findFreePort } from '../support/free-port.ts'
import { newRows, taskStatuses } from './rows.ts'
import type { TaskRow } from './rows.ts'
import { makeDataDir, processorMs, removeDataDir, residentMiB, startServer } from './servers.ts'
import type { ServerKind } from './servers.ts'
import type { GoalFigure } from './goal-figures.ts'
import { createSyncHost, hasApplied, otherDevice, until, upToDate } from './sync-host.ts'
import type { Loose, SyncHost } from './sync-host.ts'
import { seed } from './targets.ts'

/** What is asked of a run. */
export interface WorldOptions {
  readonly quick: boolean
  /** Records before anything is measured. */
  readonly rows: number
  /** Changes a machine misses. */
  readonly changes: number
  say(line: string): void
  /** Where Node writes CPU profiles of the machine that founds and of the one that joins. */
  readonly profileDir?: string | undefined
}

/** A machine that founded a workspace, and what that took. */
export interface Founder {
  readonly host: SyncHost
  readonly genesis: Genesis
}

/** What the first sync took, from the moment the second person confirmed. */
export interface FirstSync {
  /** Until records could be read. */
  readonly readableMs: number
  /** Until its status said that everything is applied. */
  readonly toldMs: number
  /** Until every record could be read. */
  readonly appliedMs: number
  readonly provedMs: number
  /** Changes the joiner said it was going to take over. */
  readonly total: number
  readonly bytes: number
  /** Processor time of the joiner. */
  readonly cpuMs: number
  /** By how much more memory than before each machine held at most, in MiB. */
  readonly peakMiB: { readonly desk: number; readonly laptop: number }
}

/** Two machines of one workspace. */
export interface Pair {
  readonly desk: SyncHost
  readonly laptop: SyncHost
  readonly first: FirstSync
}

/** The hosts of a run. */
export interface World extends WorldOptions {
  /** Starts a host on a folder, or on a new one. */
  start(kind?: ServerKind, dataDir?: string, profileDir?: string): Promise<SyncHost>
  stop(host: SyncHost): Promise<void>
  /** The folder of a stopped host with that many records; copies of it are the run's to change. */
  filled(rows: number): Promise<string>
  /** Processor time it took to fill a host with that many records, while nobody shared them. */
  fillCpuMs(rows: number): number
  copyOf(dataDir: string): string
  founder(): Promise<Founder>
  pair(): Promise<Pair>
  /** Stops both machines and starts them anew on the same data. */
  restartPair(): Promise<Pair>
  /** Ends every host and removes every folder. */
  close(): Promise<void>
}

/** One step and the figures it gives. */
export interface SyncStep {
  readonly id: string
  readonly label: string
  measure(world: World): Promise<GoalFigure[]>
  /** Lets go what steps share; called after the last step of a row that have the same. */
  readonly release?: (world: World) => Promise<void>
}

/** What turning sync on took. */
export interface Genesis {
  /** Documents made while somebody looked, and how long that was: without the backup before it. */
  readonly made: number
  readonly seconds: number
  /** From the call until everything had a document. */
  readonly allSeconds: number
}

/** Turns sync on and waits until everything has a document. */
export async function found(host: SyncHost, name: string): Promise<Genesis> {
  // The call itself answers late; another connection sees how far it is meanwhile.
  const watch = await createSyncHost(host.server)
  const startedAt = performance.now()
  const enabled = host.call('POST', '/sync/enable', { deviceName: name })
  let first: { readonly done: number; readonly at: number } | undefined
  let total = 0
  try {
    await until(
      'everything has a document',
      async () => {
        const { state, progress } = await watch.call('GET', '/sync/status')
        if (state !== 'preparing') return state !== 'off'
        if (progress.total > 0) first ??= { done: progress.done, at: performance.now() }
        total = Math.max(total, progress.total)
        return false
      },
      10,
    )
    await enabled
  } finally {
    watch.close()
  }
  const endedAt = performance.now()
  const { done, at } = first ?? { done: 0, at: startedAt }
  return { made: total - done, seconds: (endedAt - at) / 1_000, allSeconds: (endedAt - startedAt) / 1_000 }
}

/** How long a machine may take until it has everything. */
const firstMs = 600_000

/** Pairs two machines and waits until the joiner has everything and has proved it. */
async function join(desk: SyncHost, laptop: SyncHost, rows: number): Promise<FirstSync> {
  const invite = await desk.call('POST', '/sync/pairing')
  const joined = await laptop.call('POST', '/sync/pairing/join', { link: invite.link, deviceName: 'Laptop' })
  await until('the inviter compares', async () => {
    const { state } = await desk.call('GET', `/sync/pairing/${invite.pairingId}`)
    return state === 'comparing'
  })
  const rest = { desk: residentMiB(desk.server.pid), laptop: residentMiB(laptop.server.pid) }
  const peakMiB = { desk: 0, laptop: 0 }
  const look = setInterval(() => {
    peakMiB.desk = Math.max(peakMiB.desk, residentMiB(desk.server.pid) - rest.desk)
    peakMiB.laptop = Math.max(peakMiB.laptop, residentMiB(laptop.server.pid) - rest.laptop)
  }, 100)
  await desk.call('POST', `/sync/pairing/${invite.pairingId}/confirm`, { matches: true })
  const startedAt = performance.now()
  await laptop.call('POST', `/sync/pairing/${joined.pairingId}/confirm`, { matches: true })
  const before = processorMs(laptop.server.pid)
  let readableMs: number | undefined
  let total = 0
  const see = async (): Promise<void> => {
    const { incoming } = await laptop.call('GET', '/sync/status')
    total = Math.max(total, incoming.total)
    if (readableMs !== undefined) return
    const { status, body } = await laptop.tryCall('GET', '/data/task?top=1')
    if (status === 200 && body.records.length > 0) readableMs = performance.now() - startedAt
  }
  await until(
    'the pairing ends',
    async () => {
      await see()
      const { state, reason } = await laptop.call('GET', `/sync/pairing/${joined.pairingId}`)
      if (state === 'failed' || state === 'expired') throw new Error(`the pairing came to nothing: ${reason}`)
      return state === 'done' && (await hasApplied(laptop))
    },
    20,
    firstMs,
  )
  const toldMs = performance.now() - startedAt
  await until('all records can be read', async () => {
    await see()
    return readableMs !== undefined && (await countTasks(laptop)) === rows
  })
  const appliedMs = performance.now() - startedAt
  const cpuMs = processorMs(laptop.server.pid) - before
  await upToDate(desk, laptop)
  const provedMs = performance.now() - startedAt
  clearInterval(look)
  const { bytesIn, bytesOut } = await otherDevice(laptop)
  return { readableMs: readableMs!, toldMs, appliedMs, provedMs, total, bytes: bytesIn + bytesOut, cpuMs, peakMiB }
}

/** A change of one cell or two that no step makes twice, so that every one of them is written. */
export function editAt(index: number): Partial<TaskRow> {
  if (index % 2 === 0) return { title: `${newRows[index % newRows.length]!.title} ${index}` }
  return { status: taskStatuses[index % taskStatuses.length]!, priority: index }
}

/** How many tasks a host has. */
export async function countTasks(host: SyncHost): Promise<number> {
  const { records } = await host.call('POST', '/data/task/query', { aggregations: [{ function: 'count' }] })
  return records[0].count
}

/** Lets a machine that was paused connect again, or pauses it and waits until the other one has seen that. */
export async function setPaused({ desk, laptop }: Pair, paused: boolean): Promise<void> {
  await laptop.call('PATCH', '/sync/settings', { paused })
  if (!paused) return
  await until('the connection ends', async () => {
    const peers: Loose[] = (await desk.call('GET', '/sync/peers')).peers
    return peers.every(({ kind, state }) => kind !== 'device' || state !== 'connected')
  })
}

/** Makes the hosts of a run as they are asked for. */
export function createWorld(options: WorldOptions): World {
  const { rows, say, profileDir } = options
  const hosts = new Set<SyncHost>()
  const dirs: string[] = []
  const filledDirs = new Map<number, Promise<string>>()
  const fillCpu = new Map<number, number>()
  let founder: Promise<Founder> | undefined
  let pair: Promise<Pair> | undefined

  const newDir = (): string => {
    const dir = makeDataDir('cairn')
    dirs.push(dir)
    return dir
  }
  const world: World = {
    ...options,
    async start(kind = 'cairn', dataDir = newDir(), profile?: string) {
      const host = await createSyncHost(await startServer(kind, dataDir, profile))
      hosts.add(host)
      return host
    },
    async stop(host) {
      hosts.delete(host)
      await host.stop()
    },
    filled(count) {
      let made = filledDirs.get(count)
      if (made === undefined) filledDirs.set(count, (made = fill(count)))
      return made
    },
    fillCpuMs: (count) => fillCpu.get(count) ?? Number.NaN,
    copyOf(dataDir) {
      const copy = newDir()
      cpSync(dataDir, copy, { recursive: true })
      return copy
    },
    founder: () => (founder ??= makeFounder()),
    pair: () => (pair ??= makePair()),
    async restartPair() {
      const { desk, laptop, first } = await world.pair()
      for (const host of [laptop, desk]) await world.stop(host)
      pair = (async () => {
        const again = await world.start('cairn', desk.server.dataDir)
        const made = { desk: again, laptop: await world.start('cairn', laptop.server.dataDir), first }
        await upToDate(made.laptop, made.desk)
        return made
      })()
      return pair
    },
    async close() {
      for (const host of hosts) await host.stop()
      for (const dir of dirs) removeDataDir(dir)
    },
  }

  async function fill(count: number): Promise<string> {
    say(`filling a host with ${count.toLocaleString('en-US')} records`)
    const host = await world.start()
    await host.target.prepare(['task'])
    const before = processorMs(host.server.pid)
    await seed(host.target, count)
    fillCpu.set(count, processorMs(host.server.pid) - before)
    await world.stop(host)
    return host.server.dataDir
  }

  async function makeFounder(): Promise<Founder> {
    const dataDir = world.copyOf(await world.filled(rows))
    say('turning sync on')
    const host = await world.start('cairn', dataDir, profileDir)
    // A port that stays, so that the other machine finds this one after a restart.
    const settings = { listen: true, interfaces: ['127.0.0.1'], port: await findFreePort() }
    await host.call('PATCH', '/sync/settings', settings)
    return { host, genesis: await found(host, 'Desk') }
  }

  async function makePair(): Promise<Pair> {
    const { host: desk } = await world.founder()
    const laptop = await world.start('cairn', newDir(), profileDir)
    say('a second machine joins')
    const first = await join(desk, laptop, await countTasks(desk))
    await pause(100)
    return { desk, laptop, first }
  }

  return world
}
