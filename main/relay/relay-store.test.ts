// The relay's store on a real file: what is acknowledged is there after a restart, once, in order and unchanged.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRelayDevice, envelopeAt, testWorkspace } from '../../test/support/relay-device.ts'
import type { RelayDevice } from '../../test/support/relay-device.ts'
import { openWriter } from '#main/database/open.ts'
import { chainStart, verifyRun } from '#main/replication/wire/chain.ts'
import { envelopeSize } from '#main/replication/wire/envelope-codec.ts'
import type { Arrival, ArrivalOutcome, RelayWorkspace } from './append-run.ts'
import { createAdmission, hashToken } from './admission.ts'
import { openRelayDatabase } from './row-store.ts'
import type { RelayDatabase } from './row-store.ts'
import type { RelayStore } from './relay-store.ts'
import { createRelayStore } from './relay-store.ts'

let dir: string
let file: string
let database: RelayDatabase
let store: RelayStore
let workspace: RelayWorkspace
let failures: unknown[]
let device: RelayDevice

function open(quotaBytes = 1e9): void {
  database = openRelayDatabase(file)
  store = createRelayStore(database, { quotaBytes, schedule: () => undefined, onFailure: (e) => failures.push(e) })
}

function reopen(quotaBytes?: number): void {
  database.close()
  open(quotaBytes)
}

/** Appends, commits, and answers what became of each. */
function settle(...arrivals: Omit<Arrival, 'workspace'>[]): (ArrivalOutcome | undefined)[] {
  const outcomes: (ArrivalOutcome | undefined)[] = []
  for (const arrival of arrivals) store.append({ workspace, ...arrival }, (outcome) => outcomes.push(outcome))
  expect(outcomes).toEqual([])
  store.commit()
  return outcomes
}

const countRows = (): unknown => database.connection.prepare('SELECT count(*) FROM env').pluck().get()

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cairn-relay-'))
  file = join(dir, 'relay.db')
  failures = []
  open()
  device = createRelayDevice(11)
  const admission = createAdmission({ connection: database.connection, adminTokenHash: hashToken('t'), now: () => 1 })
  const verdict = admission.admit({ ws: testWorkspace, epoch: 1, key: device.key, token: 't' })
  if (!verdict.ok) throw new Error(verdict.code)
  workspace = verdict.workspace
})

afterEach(() => {
  database.close()
  rmSync(dir, { recursive: true })
  expect(failures).toEqual([])
})

describe('what arrives', () => {
  it('is told of after the commit, several arrivals in one, and is there after a restart', () => {
    const [first, second] = [device.write(3), device.write(2)]
    const outcomes = settle(first, second)
    expect(outcomes).toEqual([
      { refused: [], wants: [], durable: new Map([[11, 3]]) },
      { refused: [], wants: [], durable: new Map([[11, 5]]) },
    ])
    reopen()
    expect(store.vector(workspace.id)).toEqual(new Map([[11, 5]]))
    expect(store.bytesOf(workspace.id)).toBe(
      [1, 2, 3, 4, 5].reduce((sum, seq) => sum + envelopeSize(envelopeAt(11, seq)), 0),
    )
    const run = store.next(workspace.id, new Map())!
    expect(run.envelopes).toEqual([1, 2, 3, 4, 5].map((seq) => envelopeAt(11, seq)))
    expect(run.heads.map(({ seq }) => seq)).toEqual([3, 5])
    const { publicKey } = device.keys
    const head = run.heads.at(-1)!
    expect(
      verifyRun({ workspace: testWorkspace, before: chainStart(), envelopes: run.envelopes, head, publicKey }),
    ).toMatchObject({ ok: true })
  })

  it('runs with every commit on the disk before it is told', () => {
    expect(database.connection.pragma('synchronous', { simple: true })).toBe(2)
    expect(database.connection.pragma('journal_mode', { simple: true })).toBe('wal')
  })

  it('twice is stored once, in one turn, in a later one and after a restart', () => {
    const run = device.write(4)
    settle(run, run)
    settle(run)
    reopen()
    expect(settle(run)).toEqual([{ refused: [], wants: [], durable: new Map([[11, 4]]) }])
    expect(countRows()).toBe(4)
  })

  it('after a gap is not stored, and everything from the gap on is asked for', () => {
    const [one, two, three] = [device.write(2), device.write(2), device.write(3)]
    expect(settle(one, three)).toMatchObject([
      {},
      { wants: [{ inc: 11, from: 3, to: 7 }], durable: new Map([[11, 2]]) },
    ])
    expect(countRows()).toBe(2)
    settle(two, three)
    expect(store.vector(workspace.id)).toEqual(new Map([[11, 7]]))
  })

  it('with other bytes at a place that is taken is refused, and what was there stays', () => {
    settle(device.write(3))
    const forked = createRelayDevice(11, device.keys).write(3, 50)
    expect(settle(forked)).toMatchObject([{ refused: [{ code: 'fork', item: { inc: 11, seq: 1 } }], wants: [] }])
    expect(store.next(workspace.id, new Map())!.envelopes[0]).toEqual(envelopeAt(11, 1))
  })

  it('with a head that does not fit what is stored is not vouched for', () => {
    const { envelopes, head } = device.write(3)
    const wrong = { ...head, hash: new Uint8Array(32) }
    expect(settle({ envelopes, head: wrong })).toMatchObject([
      { refused: [{ code: 'fork', item: { inc: 11, seq: 3 } }], durable: new Map([[11, 0]]) },
    ])
    expect(store.next(workspace.id, new Map())).toBeUndefined()
    expect(settle({ envelopes: [], head })).toMatchObject([{ refused: [], durable: new Map([[11, 3]]) }])
  })

  it('under the number of another device is refused, and keeps what that one sends from nobody', () => {
    settle(device.write(2))
    reopen()
    const forger = createRelayDevice(11)
    forger.write(2)
    const forged = forger.write(2, 50)
    const refused = [{ code: 'fork', item: { inc: 11, seq: 4 } }]
    expect(settle(forged, { envelopes: forged.envelopes })).toMatchObject([{ refused }, { refused: [] }])
    expect(settle(device.write(1))).toMatchObject([{ refused: [], durable: new Map([[11, 3]]) }])
    expect(store.next(workspace.id, new Map())!.envelopes.at(-1)).toEqual(envelopeAt(11, 3))
    expect(store.bytesOf(workspace.id)).toBe([1, 2, 3].reduce((sum, seq) => sum + envelopeSize(envelopeAt(11, seq)), 0))
  })

  it('of another epoch is refused', () => {
    const { envelopes } = device.write(1)
    const old = envelopes.map((envelope) => ({ ...envelope, epoch: 0 }))
    expect(settle({ envelopes: old })).toMatchObject([{ refused: [{ code: 'epoch_mismatch' }] }])
  })
})

describe('what no head vouches for', () => {
  it('is neither acknowledged nor passed on, before a restart and after it', () => {
    const [one, two] = [device.write(2), device.write(3)]
    settle(one, { envelopes: two.envelopes })
    for (let round = 0; round < 2; round += 1) {
      expect(store.vector(workspace.id)).toEqual(new Map([[11, 2]]))
      expect(store.next(workspace.id, new Map())!.to).toBe(2)
      expect(store.next(workspace.id, new Map([[11, 2]]))).toBeUndefined()
      reopen()
    }
    settle({ envelopes: [], head: two.head })
    expect(store.next(workspace.id, new Map([[11, 2]]))!.to).toBe(5)
  })

  it('may be vouched for in parts', () => {
    const runs = [device.write(2), device.write(3)] as const
    settle({ envelopes: runs.flatMap(({ envelopes }) => envelopes) })
    settle({ envelopes: [], head: runs[0].head })
    expect(store.vector(workspace.id)).toEqual(new Map([[11, 2]]))
    settle({ envelopes: [], head: runs[1].head })
    expect(store.vector(workspace.id)).toEqual(new Map([[11, 5]]))
  })

  it('is refused beyond what a run may have', () => {
    const { envelopes } = device.write(257)
    expect(settle({ envelopes })).toMatchObject([{ refused: [{ code: 'head_missing', item: { inc: 11, seq: 257 } }] }])
    reopen()
    const large = createRelayDevice(12).write(3, 300_000)
    expect(settle({ envelopes: large.envelopes })).toMatchObject([
      { refused: [{ code: 'head_missing', item: { inc: 12, seq: 3 } }] },
    ])
  })
})

describe('the quota of a workspace', () => {
  it('refuses what is above it, keeps what is below, and holds after a restart', () => {
    const each = envelopeSize(envelopeAt(11, 1))
    reopen(each * 3)
    const runs = [device.write(2), device.write(2)] as const
    settle(runs[0])
    expect(settle(runs[1])).toMatchObject([
      { refused: [{ code: 'quota_exceeded', item: { inc: 11, seq: 4 } }], durable: new Map([[11, 2]]) },
    ])
    reopen(each * 3)
    expect(settle(createRelayDevice(12).write(1))).toMatchObject([{ refused: [{ code: 'quota_exceeded' }] }])
    reopen(each * 4)
    expect(settle(runs[1])).toMatchObject([{ refused: [], durable: new Map([[11, 4]]) }])
  })
})

describe('reading', () => {
  it('follows the order of arrival across incarnations, run by run', () => {
    const other = createRelayDevice(10)
    settle(device.write(2), other.write(2), device.write(2), other.write(1))
    const seen: string[] = []
    let has = new Map<number, number>()
    for (let run = store.next(workspace.id, has); run; run = store.next(workspace.id, has)) {
      seen.push(`${run.inc}:${run.to}`)
      has = new Map([...has, [run.inc, run.to]])
    }
    expect(seen).toEqual(['11:2', '10:2', '11:4', '10:3'])
  })

  it('reads runs of many envelopes in parts that end at heads', () => {
    for (let index = 0; index < 100; index += 1) settle(device.write(7))
    const run = store.next(workspace.id, new Map())!
    expect(run.envelopes.length).toBeLessThanOrEqual(256)
    expect(run.to % 7).toBe(0)
    expect(store.after(workspace.id, 11, 699)?.to).toBe(700)
    expect(store.after(workspace.id, 11, 700)).toBeUndefined()
  })
})

describe('a commit that fails', () => {
  it('tells everybody of the turn, changes nothing in memory, and the next one works', () => {
    settle(device.write(1))
    const pages = database.connection.pragma('page_count', { simple: true }) as number
    database.connection.pragma(`max_page_count = ${pages}`)
    const [large, small] = [device.write(1, 500_000), device.write(1)]
    expect(settle(large, small)).toEqual([undefined, undefined])
    expect(failures.splice(0)).toHaveLength(1)
    expect(store.vector(workspace.id)).toEqual(new Map([[11, 1]]))
    database.connection.pragma('max_page_count = 1000000')
    settle(large, small)
    expect(store.vector(workspace.id)).toEqual(new Map([[11, 3]]))
  })
})

describe('the file', () => {
  it('is open in one relay at a time', () => {
    expect(() => openRelayDatabase(file)).toThrow(/Another relay/)
  })

  it('of a later version is not touched', () => {
    database.close()
    const connection = openWriter(file)
    connection.pragma('user_version = 9')
    connection.close()
    expect(() => openRelayDatabase(file)).toThrow(/version 9/)
    const again = openWriter(file)
    again.pragma('user_version = 1')
    again.close()
    open()
    expect(store.bytesOf(workspace.id)).toBe(0)
  })
})
