// A device that is paired and hostile: mutated frames, mutated updates in envelopes whose signatures are right, writes it
// may not make. The host goes on, keeps what it had, and says what came. A release is sent 100,000 of each.
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as Y from 'yjs'
import { localOwnerId } from '#main/kernel/context.ts'
import { statement } from '#main/kernel/database.ts'
import { bucketOf } from '#main/replication/core/digest.ts'
import { formatDocName } from '#main/replication/core/doc-names.ts'
import { readRegister, removeEntries, setEntries } from '#main/replication/core/register.ts'
import type { Json } from '#main/replication/core/types.ts'
import { encodeFrame } from '#main/replication/wire/frame-codec.ts'
import type { Frame } from '#main/replication/wire/frames.ts'
import { cutPieces } from '#main/replication/wire/pieces.ts'
import { loadDeviceKeys } from '#main/replication/channel/device-keys.ts'
import { createFileSecrets } from '#main/kernel/file-secrets.ts'
import { badPerMinute } from '#main/plugins/sync/session/misbehaviour.ts'
import { join } from 'node:path'
import type { TestHost } from '../support/create-test-host.ts'
import type { HostileDevice } from '../support/hostile-device.ts'
import { createHostileDevice, pairHostileDevice } from '../support/hostile-device.ts'
import type { RawPeer } from '../support/raw-peer.ts'
import { listen, until, withoutBackups } from '../support/synced-hosts.ts'
import { createPeopledHost, testUserId } from '../support/test-identities.ts'
import { heldMemory } from '../support/held-memory.ts'
import { sized } from '../support/test-size.ts'

const frameCount = sized(600, 2_000, 100_000)
const updateCount = sized(200, 2_000, 100_000)
/** Growth of the heap beyond what the stored log explains. */
const heapBound = 60 * 1024 * 1024

let host: TestHost
let hostile: HostileDevice
let raw: RawPeer

beforeAll(async () => {
  const peopled = await createPeopledHost({ users: [{}] }, withoutBackups)
  host = peopled
  await peopled.saveItem('profile', 'readonly', {
    label: 'Look only',
    objects: { '*': { allowRead: true, viewAllRecords: true } },
  })
  await peopled.assign(0, { profile: 'readonly' })
  await listen(host)
  await host.post('/sync/enable', { deviceName: 'Desk' })
  await host.defineObject('part', { title: { type: 'text' }, size: { type: 'number' }, notes: { type: 'markdown' } })
  hostile = await pairHostileDevice(host, 'member')
  raw = await enter()
}, 60_000)

afterAll(() => host?.stop())

/** Connects, also after the host has paused the device. */
async function enter(): Promise<RawPeer> {
  const answer = await host.post(`/sync/peers/${hostile.device}/reconnect`)
  expect(answer.status).toBe(200)
  const peer = await hostile.connect()
  await until('the host greets', () => peer.of('AUTH').length > 0)
  return peer
}

const schema = () => host.host.plugins.service('metadata')!.objectSchema('part')!
const uidOf = (field: string): string => schema().byName.get(field)!.uid
const docOf = (record: string): string => formatDocName({ kind: 'record', object: schema().uid, record })
const stateOf = (doc: string): Buffer | undefined => {
  const sql = 'SELECT state FROM sync_doc WHERE name = ?'
  const state = host.host.database.read.get<{ state: Uint8Array }>(statement(sql, [doc]))?.state
  return state === undefined ? undefined : Buffer.from(state)
}
const appliedSeq = (): number => {
  const sql = 'SELECT applied_seq AS seq FROM sync_inc WHERE inc = ?'
  return host.host.database.read.get<{ seq: number }>(statement(sql, [hostile.inc]))?.seq ?? 0
}
const problemOf = (seq: number): { reason: string; detail: string } | undefined => {
  const sql = 'SELECT reason, detail FROM sync_problem WHERE inc = ? AND seq = ?'
  return host.host.database.read.get(statement<{ reason: string; detail: string }>(sql, [hostile.inc, seq]))
}

/** How many updates behind a number were refused for good. */
const refusedAfter = (seq: number): number => {
  const sql = "SELECT count(*) AS n FROM sync_problem WHERE inc = ? AND seq > ? AND kind = 'quarantine'"
  return host.host.database.read.get(statement<{ n: number }>(sql, [hostile.inc, seq]))!.n
}

/** How many updates that wait for others lie aside, by document; of those up to a number. */
const parkedUpTo = (seq: number): ReadonlyMap<string, number> => {
  const sql = "SELECT doc, count(*) AS n FROM sync_problem WHERE inc = ? AND seq <= ? AND kind = 'parked' GROUP BY doc"
  const rows = host.host.database.read.all(statement<{ doc: string; n: number }>(sql, [hostile.inc, seq]))
  return new Map(rows.map(({ doc, n }) => [doc, n]))
}

/** An update of a document as the device would make it. */
function updateOf(doc: string, values: Readonly<Record<string, Json>>, inc = hostile.inc): Uint8Array {
  const loaded = new Y.Doc()
  const state = stateOf(doc)
  if (state !== undefined) Y.applyUpdate(loaded, state)
  loaded.clientID = inc
  const before = Y.encodeStateVector(loaded)
  setEntries(loaded, values, { ms: Date.now(), ctr: 1 }, inc)
  return Y.encodeStateAsUpdate(loaded, before)
}

/** Sends envelopes and waits until the host has dealt with them. */
async function send(bodies: Parameters<HostileDevice['write']>[0]): Promise<void> {
  raw.say(...hostile.write(bodies))
  // Nothing is said of how soon: a machine that also does other things is given time for each.
  await until('the host has dealt with it', () => appliedSeq() >= hostile.seq(), 60_000 + 20 * bodies.length)
}

const createPart = async (values: Record<string, unknown>): Promise<string> =>
  (await host.post('/data/part', values)).body.id
const peerAtHost = async () => {
  const { peers } = (await host.get('/sync/peers')).body
  return peers.find(({ id }: { id: string }) => id === hostile.device)
}
const addressOfHost = async (): Promise<string> => {
  const invite = (await host.post('/sync/pairing', {})).body
  await host.delete(`/sync/pairing/${invite.pairingId}`)
  return invite.addresses[0]
}
const countParts = async (): Promise<number> => (await host.get('/data/part?limit=1000')).body.records.length
const partOf = async (id: string) => (await host.get(`/data/part/${id}`)).body.record

/** The same numbers for the same seed. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff
    return Math.floor((state / 0x80_00_00_00) * below)
  }
}

/** Flips, removes, repeats or cuts bytes. */
function mutate(bytes: Uint8Array, next: (below: number) => number): Uint8Array {
  const mutated = [...bytes]
  for (let times = 1 + next(4); times > 0; times -= 1) {
    const at = next(Math.max(1, mutated.length))
    const kind = next(5)
    if (kind === 0) mutated[at] = next(256)
    else if (kind === 1) mutated.splice(at, 1 + next(4))
    else if (kind === 2) mutated.splice(at, 0, next(256), next(256))
    else if (kind === 3) mutated[at] = [0, 0x7f, 0x80, 0xff][next(4)]!
    else mutated.length = Math.max(1, at)
  }
  return new Uint8Array(mutated)
}

const usedHeap = (): number => heldMemory().heap

describe('a hostile device', () => {
  it('writes what it may, like any other', async () => {
    const id = await createPart({ title: 'Bolt' })
    await send([{ doc: docOf(id), update: updateOf(docOf(id), { [uidOf('title')]: 'Nut' }) }])
    expect((await partOf(id)).title).toBe('Nut')
  })

  it('changes nothing of the roster by a repair', async () => {
    const roster = stateOf('w/roster')!
    const { inc } = (await host.get('/sync/status')).body.device
    const forged = updateOf('w/roster', { [`device.${hostile.device}`]: { role: 'admin' } }, inc + 1)
    raw = await enter()
    const rows = 'SELECT inc, stored_seq AS seq FROM sync_inc WHERE stored_seq > 0'
    const logs = host.host.database.read.all(statement<{ inc: number; seq: number }>(rows))
    const vector = new Map(logs.map((row) => [row.inc, row.seq]))
    raw.say({ kind: 'ACK', vector }, { kind: 'DONE', vector })
    const bucket = bucketOf('w/roster')
    const isRoster = ({ doc, step }: { doc: string; step: number }): boolean => doc === 'w/roster' && step === 1
    // Whatever it asks is answered each time: a host that was busy gives a comparison up and begins anew.
    const answered = new Set<unknown>()
    const asked = <K extends 'DIGESTHASH' | 'DIGEST' | 'BUCKET'>(kind: K) =>
      raw.of(kind).filter((frame) => !answered.has(frame) && answered.add(frame))
    await until('the host asks for the document', () => {
      for (const frame of asked('DIGESTHASH')) raw.say({ ...frame, hash: new Uint8Array(32) })
      for (const { vector: at, buckets } of asked('DIGEST'))
        raw.say({
          kind: 'DIGEST',
          vector: at,
          buckets: buckets.map((byte, index) => (index === bucket * 8 ? byte ^ 1 : byte)),
        })
      if (asked('BUCKET').some((one) => one.bucket === bucket)) raw.say({ kind: 'BUCKET', bucket, entries: [] })
      return raw.of('DOCSYNC').some(isRoster)
    })
    const compared = raw.of('DIGESTHASH').length
    raw.say(...cutPieces(forged).map((piece): Frame => ({ kind: 'DOCSYNC', doc: 'w/roster', step: 2, ...piece })))
    await until('the host has dealt with it', () => raw.of('DIGESTHASH').length > compared)
    expect(stateOf('w/roster')).toEqual(roster)
  })

  it('changes nothing of the roster or of metadata as a member', async () => {
    const roster = stateOf('w/roster')!
    const { devices } = (await host.get('/sync/diagnostics')).body
    const entry = { role: 'admin' }
    const metadata = 'SELECT name, state FROM sync_doc WHERE name LIKE ?'
    const items = () => host.host.database.read.all(statement(metadata, ['m/%']))
    const before = items() as { name: string }[]
    expect(before.length).toBeGreaterThan(0)
    await send([
      { doc: 'w/roster', kind: 'control', update: updateOf('w/roster', { [`device.${hostile.device}`]: entry }) },
      { doc: before[0]!.name, update: updateOf(before[0]!.name, { label: 'Mine' }) },
    ])
    for (const seq of [hostile.seq() - 1, hostile.seq()]) expect(problemOf(seq)?.reason).toBe('forbidden')
    expect(stateOf('w/roster')).toEqual(roster)
    expect(items()).toEqual(before)
    expect((await host.get('/sync/diagnostics')).body.devices).toEqual(devices)
  })

  it('has what a person may not write kept apart, and what has the wrong type listed', async () => {
    const id = await createPart({ title: 'Screw', size: 4 })
    const doc = docOf(id)
    await send([{ doc, update: updateOf(doc, { [uidOf('title')]: 'Forced' }), author: testUserId(0) }])
    const seq = hostile.seq()
    expect(problemOf(seq)?.reason).toBe('forbidden')
    expect((await partOf(id)).title).toBe('Screw')
    const place = `/sync/problems/${hostile.inc}/${seq}`
    const listed = (await host.get('/sync/problems?kind=quarantine&limit=200')).body.problems
    expect(listed).toContainEqual(expect.objectContaining({ inc: hostile.inc, seq, reason: 'forbidden' }))
    expect((await host.post(`${place}/retry`)).status).toBe(200)
    expect(problemOf(seq)?.reason).toBe('forbidden')
    expect((await host.post(`${place}/discard`)).status).toBe(200)
    expect(problemOf(seq)).toBeUndefined()
    expect((await partOf(id)).title).toBe('Screw')
    await send([{ doc, update: updateOf(doc, { [uidOf('size')]: 'many' }) }])
    expect((await partOf(id)).size).toBeNull()
    const { conflicts } = (await host.get('/sync/conflicts?kind=type')).body
    expect(conflicts).toMatchObject([{ kind: 'type', recordId: id, field: 'size', losers: [{ value: 'many' }] }])
  })

  it('neither takes away nor takes over what somebody else said', async () => {
    const id = await createPart({ title: 'Washer' })
    const { id: comment } = (await host.post(`/data/part/${id}/feed`, { type: 'comment', body: 'Mine' })).body.data
    const doc = formatDocName({ kind: 'feed', object: schema().uid, record: id, segment: 0 })
    const paired = hostile
    hostile = await pairHostileDevice(host, 'member', testUserId(0))
    raw = await enter()
    const state = await until('the comment is in its document', () => stateOf(doc))
    const said = new Y.Doc()
    Y.applyUpdate(said, state)
    said.clientID = hostile.inc
    const before = Y.encodeStateVector(said)
    removeEntries(said, readRegister(said).keys())
    const entry = { type: 'comment', actor: { type: 'user', id: testUserId(0) }, source: 'API', parentId: null }
    const taken = updateOf(doc, { [comment]: { ...entry, createdAt: new Date().toISOString() } })
    for (const update of [Y.encodeStateAsUpdate(said, before), taken]) {
      await send([{ doc, update, author: testUserId(0) }])
      expect(problemOf(hostile.seq())?.detail).toMatch(/^This person may not change what somebody else wrote/)
      expect(stateOf(doc)).toEqual(state)
    }
    const { items } = (await host.get(`/data/part/${id}/feed?type=comments_only`)).body.data
    expect(items).toMatchObject([{ id: comment, body: 'Mine' }])
    hostile = paired
    raw = await enter()
  })

  it('says nothing of an item before it is here', async () => {
    const id = await createPart({ title: 'Ring' })
    const doc = formatDocName({ kind: 'feed', object: schema().uid, record: id, segment: 0 })
    const item = '01990000-0000-7000-8000-00000000f00d'
    const paired = hostile
    hostile = await pairHostileDevice(host, 'member', testUserId(0))
    raw = await enter()
    const [at, words] = [new Date().toISOString(), { text: null, mentions: [] }]
    await send([
      {
        ...{ doc, update: updateOf(doc, { [`${item}#deleted`]: at, [`${item}#body`]: words }) },
        author: testUserId(0),
      },
    ])
    const early = { inc: hostile.inc, seq: hostile.seq() }
    expect(problemOf(early.seq)?.reason).toBe('newer_schema')
    expect(stateOf(doc)).toBeUndefined()
    hostile = await pairHostileDevice(host, 'admin')
    raw = await enter()
    const made = { type: 'comment', actor: { type: 'user', id: localOwnerId }, source: 'API', parentId: null }
    const said = { [item]: { ...made, createdAt: at }, [`${item}#body`]: { text: 'Mine', mentions: [] } }
    await send([{ doc, update: updateOf(doc, said), author: localOwnerId }])
    expect(problemOf(hostile.seq())).toBeUndefined()
    const sql = 'SELECT reason FROM sync_problem WHERE inc = ? AND seq = ?'
    await until('the part is refused', () => {
      const { read } = host.host.database
      return read.get(statement<{ reason: string }>(sql, [early.inc, early.seq]))?.reason === 'forbidden'
    })
    const { items } = (await host.get(`/data/part/${id}/feed?type=comments_only`)).body.data
    expect(items).toMatchObject([{ id: item, body: 'Mine' }])
    hostile = paired
    raw = await enter()
  })

  it('is judged by what it wrote of an object once a package brings the object', async () => {
    const paired = hostile
    hostile = await pairHostileDevice(host, 'member', testUserId(0))
    raw = await enter()
    const [id, name] = ['org.test.trays', 'trays_tray']
    const uidIn = (...path: readonly string[]) =>
      createHash('sha256')
        .update([id, ...path].join('|'))
        .digest('hex')
        .slice(0, 32)
    const doc = formatDocName({ kind: 'record', object: uidIn(name), record: '01990000-0000-7000-8000-00000000f00e' })
    await send([{ doc, update: updateOf(doc, { [uidIn(name, 'title')]: 'Mine' }), author: testUserId(0) }])
    const seq = hostile.seq()
    expect(problemOf(seq)?.reason).toBe('newer_schema')
    const item = { name, label: 'Tray', fields: { title: { type: 'text' } } }
    const metadata = [{ type: 'object', name, item }]
    const manifest = { id, name: 'Trays', version: '1.0.0', type: 'app', namespace: 'trays', metadata }
    expect((await host.post('/packages', { manifest })).status).toBeLessThan(300)
    await until('it is judged', () => problemOf(seq)?.reason === 'forbidden')
    hostile = paired
    raw = await enter()
  })

  it('changes neither the number of the host nor its log by a word, nor ends what others get (D-232)', async () => {
    const witness = await pairHostileDevice(host, 'member')
    const other = await witness.connect()
    raw = await enter()
    const { inc } = (await host.get('/sync/status')).body.device
    const { head } = await until('the log of the host comes', () =>
      raw.of('ENV').findLast(({ head: end }) => end?.inc === inc),
    )
    const envelopes = () => {
      const sql = 'SELECT count(*) AS n FROM sync_env WHERE inc NOT IN (?, ?)'
      return host.host.database.read.get(statement<{ n: number }>(sql, [hostile.inc, witness.inc]))!.n
    }
    const stored = envelopes()
    const item = { inc, seq: 1 }
    const body = { inc, seq: head!.seq + 1, epoch: 1, seal: 0, body: new Uint8Array(9) } as const
    const words: readonly Frame[] = [
      { kind: 'ERR', code: 'fork', item },
      { kind: 'ERR', code: 'invalid', item },
      { kind: 'ENV', envelopes: [body], head: { ...head!, seq: body.seq } },
      { kind: 'ENV', envelopes: [{ ...body, seq: 1 }], head: head! },
      { kind: 'ENV', envelopes: [], head: { ...head!, seq: body.seq, hash: new Uint8Array(32) } },
      { kind: 'ACK', vector: new Map([[inc, head!.seq + 99]]) },
    ]
    for (const [index, word] of words.entries()) {
      raw = await hostile.dial()
      const claim = index === 0 ? { inc } : { vector: new Map([[inc, head!.seq + index]]) }
      raw.say(raw.hello(claim), raw.auth(), word, { kind: 'PING', id: index })
      await until('the host has heard it', () => raw.of('PONG').length > 0)
      const title = `Written after ${index} words`
      await createPart({ title })
      const hasIt = (frame: { readonly envelopes: readonly { readonly body: Uint8Array }[] }): boolean =>
        frame.envelopes.some((one) => Buffer.from(one.body).includes(title))
      await until('others get what is written', () => other.of('ENV').some(hasIt))
    }
    expect((await host.get('/sync/status')).body.device.inc).toBe(inc)
    // One for each record.
    expect(envelopes() - stored).toBe(words.length)
    other.link.close('done')
    raw = await enter()
  })

  it('cannot keep the host from saying where a record is', async () => {
    const id = await createPart({ title: 'Nut' })
    await send([{ doc: docOf(id), kind: 'genesis', update: new Uint8Array([7, 7, 7]) }])
    expect(problemOf(hostile.seq())?.reason).toBe('invalid')
    // A machine that has nothing yet: all of the log is looked through.
    await pairHostileDevice(host, 'member')
    const place = await host.get(`/sync/records/part/${id}`)
    expect([place.status, place.body.state]).toEqual([200, expect.stringMatching(/^(here|sent|everywhere)$/)])
    expect((await host.delete(`/data/part/${id}`)).status).toBe(200)
  })

  it(`breaks nothing with ${updateCount} mutated updates`, { timeout: sized(120_000, 3_600_000) }, async () => {
    const next = numbersFrom(7)
    const ids: string[] = []
    for (let index = 0; index < sized(25, 100, 250); index += 1)
      ids.push(await createPart({ title: `Part ${index}`, notes: 'Text' }))
    raw = await enter()
    const held = await countParts()
    const before = usedHeap()
    let laidAside = 0
    let pauses = 0
    let due = 0
    for (let sent = 0; sent < updateCount; sent += ids.length) {
      if ((await peerAtHost()).state !== 'connected') {
        pauses += 1
        raw = await enter()
      }
      const last = hostile.seq()
      const parked = parkedUpTo(last)
      const states = ids.map((id) => stateOf(docOf(id)))
      const bodies = ids.map((id, index) => {
        const doc = docOf(id)
        const update = updateOf(doc, { [uidOf('title')]: `Turn ${sent}`, [uidOf('size')]: index })
        return { doc, update: mutate(update, next) }
      })
      await send(bodies)
      // Of the last round nobody looks at the pause.
      if (refusedAfter(last) > badPerMinute && sent + ids.length < updateCount) due += 1
      for (const [index, id] of ids.entries()) {
        if (problemOf(hostile.seq() - ids.length + 1 + index) === undefined) continue
        laidAside += 1
        const doc = docOf(id)
        if (stateOf(doc)?.equals(states[index]!) === true) continue
        // An earlier one has found what it waited for.
        expect(parkedUpTo(last).get(doc) ?? 0, `update ${sent + index}`).toBeLessThan(parked.get(doc) ?? 0)
      }
      if (sent % 5_000 < ids.length) expect((await host.get('/sync/status')).status).toBe(200)
    }
    expect(laidAside).toBeGreaterThan(updateCount / 2)
    // More than twenty in a minute is too much, whatever the frames around them look like: most rounds bring as many.
    expect(due).toBeGreaterThan(updateCount / ids.length / 2)
    expect(pauses).toBeGreaterThanOrEqual(due)
    expect(usedHeap() - before).toBeLessThan(heapBound)
    expect(await countParts()).toBe(held)
    expect((await host.post('/data/part', { title: 'Still here' })).status).toBe(201)
  })

  it(`is paused for what it sends, ${frameCount} mutated frames`, { timeout: sized(120_000, 3_600_000) }, async () => {
    const next = numbersFrom(11)
    const id = await createPart({ title: 'Frame' })
    const before = usedHeap()
    let pauses = 0
    for (let sent = 0; sent < frameCount;) {
      raw = await enter()
      const good = [
        ...hostile.write([{ doc: docOf(id), update: updateOf(docOf(id), { [uidOf('title')]: `${sent}` }) }]),
        raw.hello(),
        raw.auth(),
        { kind: 'WANT', inc: hostile.inc, from: 1, to: 9 } as const,
        { kind: 'PING', id: 3 } as const,
        { kind: 'DIGEST', vector: new Map([[1, 2]]), buckets: new Uint8Array(8_192) } as const,
        { kind: 'DIGESTHASH', vector: new Map([[1, 2]]), hash: new Uint8Array(32) } as const,
        { kind: 'DOCSYNC', doc: docOf(id), step: 2, part: 0, parts: 1, size: 3, bytes: new Uint8Array(3) } as const,
      ].map((frame) => encodeFrame(frame))
      let isOver = false
      raw.link.onClose(() => (isOver = true))
      for (let count = 0; count < 100 && !isOver && sent < frameCount; count += 1) {
        raw.sayBytes(mutate(good[next(good.length)]!, next))
        sent += 1
        if (count % 10 === 9) await new Promise((resolve) => setImmediate(resolve))
      }
      raw.link.close('done')
      await until('the link ends', () => isOver)
      if ((await peerAtHost()).state === 'paused') pauses += 1
    }
    expect(pauses).toBeGreaterThan(0)
    expect(usedHeap() - before).toBeLessThan(heapBound)
    expect((await partOf(id)).title).toBe('Frame')
  })

  it('is paused after 21 bad ones, which is shown with the reason', async () => {
    raw = await enter()
    let isOver = false
    raw.link.onClose(() => (isOver = true))
    for (let count = 0; count < 20; count += 1) raw.sayBytes(new Uint8Array([0xff, 0xff, 0xff]))
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect([isOver, (await peerAtHost()).state]).toEqual([false, 'connected'])
    raw.sayBytes(new Uint8Array([0xff, 0xff, 0xff]))
    await until('the link ends', () => isOver)
    expect(await peerAtHost()).toMatchObject({
      state: 'paused',
      lastError: { reason: expect.stringMatching(/^wire_/) },
    })
    expect((await host.get('/sync/status')).body.state).toBe('attention')
    const again = await hostile.connect()
    await until(
      'the host does not listen',
      () => new Promise<boolean>((resolve) => again.link.onClose(() => resolve(true))),
    )
    expect(again.of('HELLO')).toEqual([])
  })

  it('is a stranger without a pairing, and gone after it was unpaired', async () => {
    const { epoch, workspaceId, device } = (await host.get('/sync/status')).body
    const stored = appliedSeq()
    const keys = await loadDeviceKeys(
      join(host.dataDir, 'stranger.json'),
      createFileSecrets(join(host.dataDir, 'stranger.key')),
    )
    const workspace = new Uint8Array(Buffer.from(workspaceId, 'hex'))
    const port = Number(new URL(`tcp://${await addressOfHost()}`).port)
    const stranger = createHostileDevice(keys, { workspace, epoch, fingerprint: device.fingerprint, port })
    await expect(stranger.connect()).rejects.toThrow()
    await host.delete(`/sync/peers/${hostile.device}`)
    expect((await peerAtHost()).state).toBe('unpaired')
    await expect(hostile.connect()).rejects.toThrow()
    expect(appliedSeq()).toBe(stored)
  })
})
