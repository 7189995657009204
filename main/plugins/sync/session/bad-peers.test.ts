// Peers that send what cannot be used: forged, foreign, broken, too much. Each item is refused by name, nothing of it is
// kept, others go on, and whoever does not stop is paused.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { laterFrame, unexpectedFrame } from '../../../../test/support/wire-arbitraries.ts'
import type { MemoryReplica, TestWorkspace } from '../../../../test/support/memory-replica.ts'
import { createMemoryReplica, createTestWorkspace } from '../../../../test/support/memory-replica.ts'
import type { RawPeer } from '../../../../test/support/raw-peer.ts'
import type { TestMachine } from '../../../../test/support/session-pair.ts'
import { joinMachines, meetRawPeer, startMachine } from '../../../../test/support/session-pair.ts'
import type { Head, SealedEnvelope } from '#main/replication/core/types.ts'
import { nextPoint, signHead } from '#main/replication/wire/chain.ts'
import type { Frame, FrameOf } from '#main/replication/wire/frames.ts'
import { maxMessageBytes } from '#main/replication/channel/peer-link.ts'
import type { PeerSession } from './peer-session.ts'
import type { SessionHooks } from './types.ts'

let workspace: TestWorkspace
let honest: TestMachine
let hostile: TestMachine

beforeEach(async () => {
  workspace = createTestWorkspace()
  honest = await startMachine(workspace, 1)
  hostile = await startMachine(workspace, 2)
})

afterEach(async () => {
  await honest.channel.listener.close()
  await hostile.channel.listener.close()
})

const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 8_000, interval: 5 })

async function enter(hooks: SessionHooks = {}): Promise<{ raw: RawPeer; session: PeerSession }> {
  const met = await meetRawPeer(hostile, honest, { hooks })
  met.raw.say(met.raw.hello({ vector: new Map() }), met.raw.auth())
  await until(() => expect(met.raw.of('DONE')).toHaveLength(1))
  return met
}

/** The log of a machine as one frame. */
function runOf(replica: MemoryReplica, from = 1): FrameOf<'ENV'> & { readonly head: Head } {
  return {
    kind: 'ENV',
    envelopes: replica.stored(replica.inc).slice(from - 1),
    head: replica.heads(replica.inc).at(-1)!,
  }
}

const codes = (raw: RawPeer): string[] => raw.of('ERR').map(({ code }) => code)

describe('a run that is not what was signed', () => {
  it.each<[string, (frame: FrameOf<'ENV'> & { head: Head }) => Frame]>([
    ['a changed body', (f) => ({ ...f, envelopes: f.envelopes.map((e) => ({ ...e, body: e.body.toReversed() })) })],
    ['a forged signature', (f) => ({ ...f, head: { ...f.head, sig: new Uint8Array(64) } })],
    ['another hash', (f) => ({ ...f, head: { ...f.head, hash: new Uint8Array(32) } })],
    ['a left out envelope', (f) => ({ ...f, envelopes: f.envelopes.toSpliced(1, 1) })],
    ['a head of another place', (f) => ({ ...f, head: { ...f.head, seq: f.head.seq + 1 } })],
    ['envelopes of two incarnations', (f) => ({ ...f, envelopes: [...f.envelopes, { ...f.envelopes[0]!, inc: 9 }] })],
    ['another epoch', (f) => ({ ...f, envelopes: f.envelopes.map((e) => ({ ...e, epoch: 4 })) })],
    ['nothing', () => ({ kind: 'ENV', envelopes: [] })],
  ])('is refused: %s', async (_what, spoil) => {
    hostile.replica.writeMany(3, 'r/h/')
    const { raw, session } = await enter()
    raw.say(spoil(runOf(hostile.replica)))
    await until(() => expect(codes(raw)).toHaveLength(1))
    expect(honest.replica.vector().size).toBe(0)
    expect(session.status()).toMatchObject({ state: expect.stringMatching(/open|catching_up/) as string, refused: 1 })
    raw.say(runOf(hostile.replica))
    await until(() => expect(honest.replica.vector()).toEqual(new Map([[2, 3]])))
  })

  it('of a device nobody knows is refused until it becomes known', async () => {
    const elsewhere = createTestWorkspace()
    const stranger = createMemoryReplica(elsewhere, 7)
    stranger.writeMany(2, 'r/s/')
    const { raw } = await enter()
    raw.say(runOf(stranger))
    await until(() => expect(codes(raw)).toEqual(['unknown_device']))
    expect(raw.of('ERR')[0]?.item).toEqual({ inc: 7, seq: 1 })
    expect(honest.replica.vector().size).toBe(0)
    workspace.devices.set(stranger.device, elsewhere.devices.get(stranger.device)!)
    workspace.owners.set(7, stranger.device)
    honest.replica.write('r/a/1', 'the roster')
    await until(() => expect(raw.of('WANT')).toEqual([{ kind: 'WANT', inc: 7, from: 1, to: 2 }]))
    raw.say(runOf(stranger))
    await until(() => expect(honest.replica.vector().get(7)).toBe(2))
  })

  it('of a revoked device is refused, and what others write still comes', async () => {
    const gone = createMemoryReplica(workspace, 7)
    gone.writeMany(2, 'r/s/')
    workspace.devices.set(gone.device, { ...workspace.devices.get(gone.device)!, isRevoked: true })
    hostile.replica.writeMany(2, 'r/h/')
    const { raw } = await enter()
    raw.say(runOf(gone), runOf(hostile.replica))
    await until(() => expect(honest.replica.vector()).toEqual(new Map([[2, 2]])))
    expect(codes(raw)).toEqual(['revoked'])
  })

  it('that differs from what is stored under the same numbers is a fork', async () => {
    const onFork = vi.fn<(peer: string, inc: number) => void>()
    hostile.replica.write('r/h/1', 'one')
    const { raw } = await enter({ onFork })
    raw.say(runOf(hostile.replica))
    await until(() => expect(raw.of('ACK').length).toBeGreaterThan(0))
    const other: SealedEnvelope = { ...hostile.replica.stored(2)[0]!, body: new Uint8Array([1, 2, 3]) }
    const point = nextPoint({ seq: 0, hash: new Uint8Array(32) }, workspace.id, other)
    raw.say({ kind: 'ENV', envelopes: [other], head: signHead(hostile.replica.signer, workspace.id, 2, point) })
    await until(() => expect(onFork).toHaveBeenCalledWith(hostile.replica.device, 2))
    await until(() => expect(codes(raw)).toEqual(['fork']))
    // Whoever signed both is shown what is here, or it would have to believe a word.
    await until(() => expect(raw.of('ENV').at(-1)).toEqual({ ...runOf(hostile.replica), envelopes: [] }))
  })

  it('under the number of this machine counts once this machine has signed it, and not by a word (D-232)', async () => {
    const onFork = vi.fn<(peer: string, inc: number) => void>()
    honest.replica.writeMany(2, 'r/a/')
    const { raw } = await enter({ onFork })
    const other: SealedEnvelope = { ...honest.replica.stored(1)[0]!, body: new Uint8Array([1, 2, 3]) }
    const point = nextPoint({ seq: 0, hash: new Uint8Array(32) }, workspace.id, other)
    const item = { inc: 1, seq: 1 }
    raw.say({ kind: 'ERR', code: 'fork', item }, { kind: 'ERR', code: 'invalid', item })
    const forged = signHead(hostile.replica.signer, workspace.id, 1, point)
    raw.say(runOf(honest.replica), { ...runOf(honest.replica), envelopes: [] })
    raw.say({ kind: 'ENV', envelopes: [], head: forged }, { kind: 'ENV', envelopes: [], head: { ...forged, seq: 9 } })
    raw.say({ kind: 'BARRIER', id: 7, reply: false })
    await until(() => expect(raw.of('BARRIER')).toHaveLength(1))
    expect(onFork).not.toHaveBeenCalled()
    raw.say({ kind: 'ENV', envelopes: [], head: signHead(honest.replica.signer, workspace.id, 1, point) })
    await until(() => expect(onFork).toHaveBeenCalledExactlyOnceWith(hostile.replica.device, 1))
  })
})

describe('too much', () => {
  it('of what is bad pauses the peer and says why', async () => {
    hostile.replica.writeMany(1, 'r/h/')
    const { raw, session } = await enter()
    const forged = runOf(hostile.replica)
    for (let count = 0; count < 20; count += 1)
      raw.say({ ...forged, head: { ...forged.head, sig: new Uint8Array(64).fill(count) } })
    await until(() => expect(codes(raw)).toHaveLength(20))
    expect(raw.link.ended()).toBeUndefined()
    raw.sayBytes(new Uint8Array([255, 255, 255, 255]))
    await until(() => expect(raw.link.ended()).toEqual({ reason: 'protocol', here: false }))
    expect(session.status()).toMatchObject({ state: 'paused', refused: 21 })
    expect(codes(raw).at(-1)).toBe('paused')
  })

  it('of what it wrote and nobody can apply pauses it too; what it passed on does not', async () => {
    createMemoryReplica(workspace, 7)
    const { raw, session } = await enter()
    for (let seq = 1; seq <= 30; seq += 1) honest.replica.layAside(7, seq, 'too_big')
    for (let seq = 1; seq <= 20; seq += 1) honest.replica.layAside(2, seq, seq % 2 === 0 ? 'too_big' : 'invalid')
    await until(() => expect(codes(raw)).toHaveLength(20))
    // It is stored: a word that named it would have it sent again.
    expect(raw.of('ERR').map(({ item }) => item)).toEqual(Array.from({ length: 20 }, () => undefined))
    expect(raw.of('ERR').at(-1)).toMatchObject({ code: 'envelope_too_big', detail: '2/20' })
    expect(raw.link.ended()).toBeUndefined()
    honest.replica.layAside(2, 21, 'too_big')
    await until(() => expect(raw.link.ended()).toEqual({ reason: 'protocol', here: false }))
    expect(session.status()).toMatchObject({ state: 'paused', refused: 21, lastError: 'envelope_too_big' })
  })

  it('of envelopes without a head is given up', async () => {
    hostile.replica.writeMany(2_000, 'r/h/', 2)
    const { raw } = await enter()
    const all = hostile.replica.stored(2)
    raw.say({ kind: 'ENV', envelopes: all.slice(0, 200) }, { kind: 'ENV', envelopes: all.slice(200, 400) })
    await until(() => expect(codes(raw)).toEqual(['head_missing']))
    expect(honest.replica.vector().size).toBe(0)
  })

  it('in one frame or one message ends nobody else', async () => {
    const third = await startMachine(workspace, 3)
    const { near } = await joinMachines(third, honest)
    const { raw } = await enter()
    raw.sayBytes(new Uint8Array(maxMessageBytes))
    await until(() => expect(codes(raw)).toEqual(['wire_too_large']))
    third.replica.write('r/t/1', 'x')
    await until(() => expect(honest.replica.vector().get(3)).toBe(1))
    expect(near.status().lastError).toBeUndefined()
    await third.channel.listener.close()
  })

  it('of incarnations in vectors is refused', async () => {
    const { raw } = await enter()
    const many = (first: number): Frame => ({
      kind: 'ACK',
      vector: new Map(Array.from({ length: 12_000 }, (_, index) => [first + index, 1])),
    })
    raw.say(many(1_000), many(100_000))
    await until(() => expect(codes(raw)).toEqual(['vector_too_large']))
  })

  it('of what nobody asked for is counted', async () => {
    const { raw, session } = await enter()
    const piece = { part: 0, parts: 1, size: 2, bytes: new Uint8Array(2) }
    raw.say(
      { kind: 'BARRIER', id: 77, reply: true },
      { kind: 'BUCKET', bucket: 1, entries: [] },
      { kind: 'DOCSYNC', doc: 'r/x/1', step: 2, ...piece },
      unexpectedFrame,
      raw.hello(),
      laterFrame,
    )
    await until(() => expect(session.status().refused).toBe(5))
    expect(session.status().state).not.toBe('paused')
  })
})

describe('gaps', () => {
  it('are asked for once and filled', async () => {
    hostile.replica.write('r/h/1', 'a')
    hostile.replica.write('r/h/2', 'b')
    const [first, second] = hostile.replica.heads(2)
    const [one, two] = hostile.replica.stored(2)
    const { raw } = await enter()
    raw.say({ kind: 'ENV', envelopes: [two!], head: second! }, { kind: 'ENV', envelopes: [two!], head: second! })
    await until(() => expect(raw.of('WANT')).toEqual([{ kind: 'WANT', inc: 2, from: 1, to: 2 }]))
    raw.say({ kind: 'ENV', envelopes: [one!], head: first! }, { kind: 'ENV', envelopes: [two!], head: second! })
    await until(() => expect(honest.replica.vector()).toEqual(new Map([[2, 2]])))
    expect(codes(raw)).toEqual([])
  })

  it('that others have filled do not leave a peer behind for good', async () => {
    const third = createMemoryReplica(workspace, 3)
    third.write('r/t/1', 'a')
    third.write('r/t/2', 'b')
    const [one, two] = third.stored(3)
    const [first, second] = third.heads(3)
    const { raw, session } = await enter()
    raw.say({ kind: 'ENV', envelopes: [two!], head: second! })
    await until(() => expect(raw.of('WANT')).toHaveLength(1))
    await honest.replica.receive([one!], first!)
    await honest.replica.receive([two!], second!)
    await until(() => expect(raw.of('ENV').flatMap(({ envelopes }) => envelopes.map(({ seq }) => seq))).toContain(2))
    raw.say({ kind: 'ACK', vector: new Map([[3, 2]]) })
    await until(() => expect(session.status()).toMatchObject({ behindUs: 0, behindThem: 0 }))
  })

  it('that a peer says it has filled are asked for too', async () => {
    hostile.replica.writeMany(3, 'r/h/')
    const { raw } = await enter()
    raw.say({ kind: 'DONE', vector: new Map([[2, 3]]) })
    await until(() => expect(raw.of('WANT')).toEqual([{ kind: 'WANT', inc: 2, from: 1, to: 3 }]))
    raw.say(runOf(hostile.replica))
    await until(() => expect(raw.of('ACK').at(-1)?.vector).toEqual(new Map([[2, 3]])))
  })

  it('of a peer are filled when it asks, and not when it has acknowledged them', async () => {
    honest.replica.writeMany(3, 'r/a/')
    const { raw } = await enter()
    expect(raw.of('ENV').flatMap(({ envelopes }) => envelopes.map(({ seq }) => seq))).toEqual([1, 2, 3])
    raw.say({ kind: 'WANT', inc: 1, from: 1, to: 3 })
    await until(() => expect(raw.of('ENV').flatMap(({ envelopes }) => envelopes)).toHaveLength(6))
    raw.say({ kind: 'ACK', vector: new Map([[1, 3]]) }, { kind: 'WANT', inc: 1, from: 2, to: 3 })
    await until(() => expect(codes(raw)).toEqual(['want_acknowledged']))
    expect(raw.of('ENV').flatMap(({ envelopes }) => envelopes)).toHaveLength(6)
  })

  it('come twice and are kept once', async () => {
    hostile.replica.writeMany(5, 'r/h/')
    const { raw } = await enter()
    raw.say(runOf(hostile.replica), runOf(hostile.replica), runOf(hostile.replica))
    await until(() => expect(honest.replica.vector()).toEqual(new Map([[2, 5]])))
    await until(() => expect(honest.replica.duplicates()).toBe(10))
    expect(codes(raw)).toEqual([])
  })
})

describe('a peer that refuses', () => {
  it('an incarnation is left alone with it, and gets the others', async () => {
    const third = createMemoryReplica(workspace, 3)
    third.writeMany(2, 'r/t/')
    await honest.replica.receive(third.stored(3), third.heads(3).at(-1)!)
    const { raw, session } = await enter()
    raw.say({ kind: 'ERR', code: 'unknown_device', item: { inc: 3, seq: 1 } })
    honest.replica.write('r/a/1', 'x')
    await until(() => expect(raw.of('ENV').flatMap((frame) => frame.envelopes.map(({ inc }) => inc))).toContain(1))
    expect(raw.of('ENV').flatMap((frame) => frame.envelopes.map(({ inc }) => inc))).toEqual([3, 3, 1])
    expect(session.status()).toMatchObject({ behindUs: 3, lastError: 'unknown_device' })
    raw.say({ kind: 'WANT', inc: 3, from: 1, to: 2 })
    await until(() => expect(raw.of('ENV').flatMap((frame) => frame.envelopes)).toHaveLength(5))
  })
})

describe('a peer that reads slowly', () => {
  it('never has more than a window on the way to it', async () => {
    honest.replica.writeMany(2_500, 'r/a/', 1_000)
    const { raw } = await meetRawPeer(hostile, honest)
    raw.say(raw.hello({ vector: new Map() }), raw.auth())
    await until(() => expect(raw.of('ENV').length).toBeGreaterThan(3))
    await new Promise((resolve) => setTimeout(resolve, 300))
    const sent = (): number => raw.of('ENV').reduce((sum, { envelopes }) => sum + envelopes.length, 0)
    const bytes = raw
      .of('ENV')
      .flatMap(({ envelopes }) => envelopes)
      .reduce((sum, { body }) => sum + body.length, 0)
    expect(bytes).toBeLessThan(1024 * 1024)
    const before = sent()
    raw.say({ kind: 'ACK', vector: new Map([[1, before]]) })
    await until(() => expect(sent()).toBeGreaterThan(before))
  })
})
