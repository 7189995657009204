// What two machines that are even cost and how quick they are: an edit on the other screen, the size of documents that were
// edited often, memory at rest.
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { findFreePort } from '../support/free-port.ts'
import { openSocket } from '../support/realtime-client.ts'
import { startRelayProcess } from '../support/relay-process.ts'
import { median } from './figures.ts'
import { runLoad } from './load.ts'
import { fixedId } from './rows.ts'
import { residentMiB } from './servers.ts'
import { makeDataDir, removeDataDir } from './servers.ts'
import { percentileOf } from './goal-figures.ts'
import type { GoalFigure } from './goal-figures.ts'
import { otherDevice, until, upToDate } from './sync-host.ts'
import type { Loose, SyncHost } from './sync-host.ts'
import { editAt } from './sync-world.ts'
import type { Pair, SyncStep, World } from './sync-world.ts'
import { ask, seedSeries } from './targets.ts'

/** Where the next edits go on, so that none repeats a stored value. */
let position = 5_000_000

/** Times from sending a write on the desk to the event of it on the laptop, one write after the other. */
async function timeEvents({ desk, laptop }: Pair, world: World): Promise<number[]> {
  const socket = await openSocket(laptop.url, { headers: { authorization: `Bearer ${laptop.server.token}` } })
  await socket.subscribe('task')
  const times: number[] = []
  for (let index = 0; index < (world.quick ? 50 : 400); index++) {
    const id = fixedId(seedSeries, (position += 1) % world.rows)
    socket.frames.length = 0
    const heard = socket.until((frame) => frame.type === 'event' && frame.event.recordId === id, 30_000)
    const sentAt = performance.now()
    await desk.call('PATCH', `/data/task/${id}`, editAt(position))
    await heard
    times.push(performance.now() - sentAt)
    await pause(10)
  }
  await socket.close()
  return times
}

function propagation(id: string, way: string, goal: number, times: readonly number[]): GoalFigure {
  const note = `p50 ${percentileOf(times, 0.5).toFixed(1)} ms of ${times.length}`
  return {
    id: `propagation-${id}`,
    label: `edit on the other screen, ${way}, p95`,
    unit: 'ms',
    value: percentileOf(times, 0.95),
    goal: ['lower', goal],
    note,
  }
}

async function measureDirect(world: World): Promise<GoalFigure[]> {
  const pair = await world.pair()
  await upToDate(pair.desk, pair.laptop)
  return [propagation('direct', 'direct', 100, await timeEvents(pair, world))]
}

async function measureRelayed(world: World): Promise<GoalFigure[]> {
  const pair = await world.pair()
  const { desk, laptop } = pair
  await upToDate(desk, laptop)
  const port = await findFreePort()
  const dataDir = makeDataDir('cairn')
  const relay = await startRelayProcess(['--data', dataDir, '--port', String(port)])
  if ('error' in relay) throw new Error(`the relay did not start: ${relay.error}`)
  const { id } = await otherDevice(laptop)
  try {
    const place = { relayUrl: `wss://127.0.0.1:${port}`, relayFingerprint: relay.fingerprint }
    await desk.call('PATCH', '/sync/settings', { ...place, relayToken: relay.token })
    await untilEven('the desk has the relay', desk)
    await laptop.call('PATCH', '/sync/settings', place)
    await untilEven('the laptop has the relay', laptop)
    await laptop.call('PATCH', `/sync/peers/${id}`, { paused: true })
    await until('only the relay is between them', async () => (await otherDevice(desk)).via === 'relay')
    return [propagation('relay', 'through a relay', 150, await timeEvents(pair, world))]
  } finally {
    // What failed must not keep the machines apart for the steps that follow.
    await laptop.call('PATCH', `/sync/peers/${id}`, { paused: false })
    for (const host of [laptop, desk]) {
      await host.call('PATCH', '/sync/settings', { relayUrl: null, relayFingerprint: null, relayToken: null })
    }
    await relay.end('SIGTERM')
    removeDataDir(dataDir)
  }
}

/** Waits until a host has brought the relay everything and got everything from it. */
function untilEven(what: string, host: SyncHost): Promise<true> {
  return until(what, async () => {
    const { peers } = await host.call('GET', '/sync/peers')
    const relay = peers.find(({ kind }: Loose) => kind === 'relay')
    return relay?.state === 'connected' && relay.behindUs === 0 && relay.behindThem === 0
  })
}

const grownObject = 'bench_grown'
const edits = 100
const fieldNames = Array.from({ length: 10 }, (_, index) => `field_${index}`)
const valueAt = (index: number): string => `value ${index} of this field`.padEnd(24, '.')

/** Bytes of the documents of records, as a host has them on disk. */
function stateSizes(host: SyncHost, ids: readonly string[]): number[] {
  const db = new Database(join(host.server.dataDir, 'cairn.db'), { readonly: true })
  try {
    const find = db.prepare<[string], { size: number }>(
      "SELECT length(state) AS size FROM sync_doc WHERE name LIKE 'r/%/' || ?",
    )
    return ids.map((id) => find.get(id)!.size)
  } finally {
    db.close()
  }
}

async function makeGrown({ desk, laptop }: Pair, count: number): Promise<string[]> {
  const fields = Object.fromEntries(fieldNames.map((name) => [name, { type: 'text' }]))
  await desk.call('PUT', `/meta/object/${grownObject}`, { name: grownObject, fields })
  const records = Array.from({ length: count }, (_, place) =>
    Object.fromEntries(fieldNames.map((name, index) => [name, valueAt(place + index)])),
  )
  const made = await desk.call('POST', `/data/${grownObject}/createMany`, { records })
  const ids: string[] = made.records.map(({ id }: Loose) => id)
  await until('the records are on the other machine', async () => {
    const { status, body } = await laptop.tryCall('GET', `/data/${grownObject}?top=200`)
    return status === 200 && ids.every((id) => body.records.some((record: Loose) => record.id === id))
  })
  return ids
}

/** Edits each record a hundred times, one field at a time, on one machine or on both in turn. */
async function editGrown(hosts: readonly SyncHost[], all: readonly SyncHost[], ids: readonly string[]): Promise<void> {
  for (let edit = 0; edit < edits; edit++) {
    const { target } = hosts[edit % hosts.length]!
    const field = fieldNames[edit % fieldNames.length]!
    const value = `${valueAt((position += 1))} `.trim()
    await runLoad(target.server.port, 4, { requests: ids.length }, (index) =>
      target.update(ids[index]!, { [field]: value } as object, grownObject),
    )
    // Each edit is of what the other machine has seen: none is concurrent.
    for (const host of hosts.length > 1 ? all : []) {
      await until(
        'the edit is on both machines',
        async () => {
          const { records } = await host.call('GET', `/data/${grownObject}?top=200`)
          const known = new Map(records.map((record: Loose) => [record.id, record[field]]))
          return ids.every((id) => known.get(id) === value)
        },
        2,
      )
    }
  }
}

async function measureGrowth(world: World): Promise<GoalFigure[]> {
  const pair = await world.pair()
  const { desk, laptop } = pair
  const ids = await makeGrown(pair, world.quick ? 10 : 40)
  const half = ids.length >> 1
  const figures: GoalFigure[] = []
  for (const [id, label, goal, hosts, records] of [
    ['one', '1 machine', 1.1, [desk], ids.slice(0, half)],
    ['two', '2 machines in turn', 2.5, [desk, laptop], ids.slice(half)],
  ] as const) {
    const before = stateSizes(desk, records)
    await editGrown(hosts, [desk, laptop], records)
    const after = stateSizes(desk, records)
    figures.push({
      id: `growth-${id}`,
      label: `a record's document after ${edits} edits, ${label}`,
      unit: 'x',
      value: median(after.map((size, index) => size / before[index]!)),
      goal: ['lower', goal],
      note: `${median(before)} B, then ${median(after)} B`,
    })
  }
  const { counts } = await desk.call('GET', '/sync/status')
  if (counts.conflicts > 0) throw new Error(`${counts.conflicts} edits were concurrent`)
  return figures
}

/** Beyond the pauses after which a host gives back what it no longer needs. */
const idleMs = 15_000

async function measureMemory(world: World): Promise<GoalFigure[]> {
  const idle = world.quick ? 3_000 : idleMs
  const warm = async (host: SyncHost): Promise<number> => {
    await ask(host.server, host.target.get(fixedId(seedSeries, 0)))
    await pause(idle)
    return residentMiB(host.server.pid)
  }
  const { laptop } = await world.pair()
  const afterJoin = await warm(laptop)
  const off: number[] = []
  const on: number[] = []
  for (let round = 0; round < (world.quick ? 1 : 3); round++) {
    const host = await world.start('cairn', world.copyOf(await world.filled(world.rows)))
    off.push(await warm(host))
    await world.stop(host)
    const { desk } = await world.restartPair()
    on.push(await warm(desk))
  }
  const note = `on ${median(on).toFixed(0)} MiB, off ${median(off).toFixed(0)} MiB, the joiner before its restart ${afterJoin.toFixed(0)} MiB`
  return [
    {
      id: 'memory',
      label: `memory added by sync at rest, ${world.rows.toLocaleString('en-US')} records`,
      unit: 'MiB',
      value: median(on.map((value, round) => value - off[round]!)),
      goal: ['lower', 60],
      note,
    },
  ]
}

/** The steps, in the order they run. */
export const syncPairSteps: readonly SyncStep[] = [
  { id: 'propagation-direct', label: 'edits on the other screen, direct', measure: measureDirect },
  { id: 'growth', label: 'growth of documents', measure: measureGrowth },
  { id: 'propagation-relay', label: 'edits on the other screen, through a relay', measure: measureRelayed },
  { id: 'memory', label: 'memory at rest', measure: measureMemory },
]
