// Two machines as processes of their own, one of which is killed, or has a full disk, in the middle of many records: whatever
// was acknowledged is on both afterwards, and both prove it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ChildServer } from '../safety/child-server.ts'
import { startChildServer } from '../safety/child-server.ts'
import { makeSmallDisk } from '../support/small-disk.ts'
import type { SmallDisk } from '../support/small-disk.ts'
import { beginPairing, until } from '../support/synced-hosts.ts'
import type { PairingHost } from '../support/synced-hosts.ts'
import { sized } from '../support/test-size.ts'

const many = sized(2_000, 3_000, 5_000)
const first = sized(10_000, 12_000, 20_000)
const perCall = 250
const waitMs = 240_000

interface Machine extends PairingHost {
  readonly dataDir: string
  start(): Promise<void>
  end(signal: NodeJS.Signals): Promise<void>
  // oxlint-disable-next-line no-explicit-any -- tests reach into bodies freely
  call(method: string, path: string, body?: unknown): Promise<{ status: number; body: any }>
}

function machineAt(dataDir: string): Machine {
  let server: ChildServer | undefined
  const call: Machine['call'] = async (method, path, body) => {
    const { status, text } = await server!.call(method, `/api/v1${path}`, body)
    return { status, body: text === '' ? undefined : JSON.parse(text) }
  }
  return {
    dataDir,
    call,
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    async start() {
      server = await startChildServer({ dataDir })
    },
    async end(signal) {
      const ending = server
      server = undefined
      await ending?.end(signal)
    },
  }
}

let root: string
let desk: Machine
let laptop: Machine
let disk: SmallDisk | undefined

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'cairn-bulk-'))
  desk = machineAt(join(root, 'desk'))
  laptop = machineAt(join(root, 'laptop'))
  await Promise.all([desk.start(), laptop.start()])
  await desk.call('PATCH', '/sync/settings', { listen: true, interfaces: ['127.0.0.1'], port: 0 })
  expect((await desk.post('/sync/enable', { deviceName: 'Desk' })).status).toBe(202)
  const item = {
    name: 'part',
    fields: { title: { type: 'text' }, size: { type: 'number' }, notes: { type: 'markdown' } },
  }
  expect((await desk.call('PUT', '/meta/object/part', { type: 'object', name: 'part', item })).status).toBe(200)
}, 120_000)

afterEach(async () => {
  await Promise.all([desk, laptop].map((one) => one.end('SIGKILL')))
  disk?.remove()
  disk = undefined
  rmSync(root, { recursive: true, force: true })
}, 60_000)

async function confirmed(): Promise<string> {
  const { inviterId, joinerId } = await beginPairing(desk, laptop)
  for (const [host, id] of [
    [desk, inviterId],
    [laptop, joinerId],
  ] as const)
    expect((await host.post(`/sync/pairing/${id}/confirm`, { matches: true })).status).toBe(200)
  return joinerId
}

async function paired(): Promise<void> {
  const id = await confirmed()
  await until('they are paired', async () => (await laptop.get(`/sync/pairing/${id}`)).body.state === 'done', waitMs)
}

/** Makes records call by call, as long as the machine answers; the ids of those it acknowledged. */
async function fill(machine: Machine, count: number, ids: string[] = []): Promise<string[]> {
  for (let from = 0; from < count; from += perCall) {
    const records = Array.from({ length: perCall }, (_, at) => ({
      title: `Part ${from + at}`,
      size: at,
      notes: `Note ${at}`,
    }))
    const answer = await machine.post('/data/part/createMany', { records }).catch(() => undefined)
    if (answer === undefined) return ids
    expect(answer.status, JSON.stringify(answer.body).slice(0, 500)).toBeLessThan(300)
    ids.push(...(answer.body.records as { id: string }[]).map(({ id }) => id))
  }
  return ids
}

/** None while the object is not there yet. */
const countOf = async (machine: Machine): Promise<number> =>
  (await machine.get('/data/part?limit=1&count=true')).body.total ?? 0

async function agree(ids: readonly string[]): Promise<void> {
  for (const machine of [desk, laptop])
    await until(
      'it is proved that both have the same',
      async () => {
        const { state, proof, counts } = (await machine.get('/sync/status')).body
        const { conflicts, parked, quarantined, waiting } = counts
        return state === 'up_to_date' && proof?.with.length === 1 && conflicts + parked + quarantined + waiting === 0
      },
      waitMs,
    ).catch(async (error: unknown) => {
      throw new Error(JSON.stringify((await machine.get('/sync/status')).body), { cause: error })
    })
  const shown = await Promise.all([desk, laptop].map(shownBy))
  expect(shown[0]).toEqual(shown[1])
  expect(ids.filter((id) => !shown[0]!.has(id))).toEqual([])
}

async function shownBy(machine: Machine): Promise<Map<string, unknown>> {
  const found = new Map<string, unknown>()
  for (let cursor = ''; ;) {
    const { body } = await machine.get(
      `/data/part?limit=200&sort=id${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    )
    for (const { id, title, size, notes } of body.records) found.set(id, { title, size, notes })
    if (body.hasMore !== true) return found
    cursor = body.nextCursor
  }
}

describe('kill -9 in the middle of many records', { timeout: 600_000 }, () => {
  it('of the machine they come to', async () => {
    await paired()
    const made = fill(desk, many)
    for (const part of [0.1, 0.5]) {
      await until('some have come', async () => (await countOf(laptop)) > many * part, waitMs)
      await laptop.end('SIGKILL')
      await laptop.start()
    }
    const ids = await made
    expect(ids).toHaveLength(many)
    await agree(ids)
  })

  it('of the machine that makes them', async () => {
    await paired()
    await until('it has the object', async () => (await laptop.call('GET', '/meta/object/part')).status === 200, waitMs)
    const ids: string[] = []
    for (const part of [0.3, 0.6]) {
      const before = ids.length
      const made = fill(laptop, many, ids)
      await until('some are acknowledged', () => ids.length > before + (many * part) / 2, waitMs)
      await laptop.end('SIGKILL')
      await made
      await laptop.start()
    }
    expect(ids.length).toBeGreaterThan(perCall)
    await agree(ids)
  })

  it('of either in the middle of the first exchange', async () => {
    const ids = await fill(desk, first)
    await confirmed()
    await until('some have come', async () => (await countOf(laptop)) > 0, waitMs)
    await laptop.end('SIGKILL')
    await laptop.start()
    const some = await countOf(laptop)
    expect(some).toBeLessThan(first)
    await until('more have come', async () => (await countOf(laptop)) > some, waitMs)
    await desk.end('SIGKILL')
    await desk.start()
    await agree(ids)
  })
})

describe('a full disk', { timeout: 600_000 }, () => {
  it('of the machine they come to is said, and all arrive once it has room', async (context) => {
    const made = makeSmallDisk(96)
    if (typeof made === 'string') return context.skip(made)
    disk = made
    await laptop.end('SIGKILL')
    laptop = machineAt(join(disk.path, 'laptop'))
    await laptop.start()
    await paired()
    disk.fill()
    const ids = await fill(desk, many)
    const said = await until(
      'it says so',
      async () => {
        const { state, reason } = (await laptop.get('/sync/status')).body
        return state === 'attention' || state === 'stalled' ? { state, reason } : undefined
      },
      waitMs,
    )
    expect(said.reason).toBe('disk_full')
    expect((await desk.get('/sync/status')).body.state).not.toBe('up_to_date')
    disk.free()
    await agree(ids)
  })
})
