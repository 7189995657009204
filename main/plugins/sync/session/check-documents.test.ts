// The proof that two machines have the same: how it comes, what ends it, and what happens when documents differ although
// the logs do not.
import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createHurriedTimers } from '../../../../test/support/channel-devices.ts'
import type { TestWorkspace } from '../../../../test/support/memory-replica.ts'
import { createTestWorkspace } from '../../../../test/support/memory-replica.ts'
import type { TestMachine } from '../../../../test/support/session-pair.ts'
import { joinMachines, meetRawPeer, startMachine } from '../../../../test/support/session-pair.ts'
import type { Timers } from '#main/replication/channel/timers.ts'
import { DocError } from '#main/replication/core/doc-error.ts'
import type { PeerSession } from './peer-session.ts'

let workspace: TestWorkspace
let a: TestMachine
let b: TestMachine
/** How many times as quick time goes by; 1 where an answer that is late would be another one. */
let pace: number

beforeEach(async () => {
  pace = 1
  const timers: Timers = {
    now: () => createHurriedTimers(pace).now(),
    after: (ms, run) => createHurriedTimers(pace).after(ms, run),
  }
  workspace = createTestWorkspace()
  a = await startMachine(workspace, 1, {}, timers)
  b = await startMachine(workspace, 2, {}, timers)
  a.replica.writeMany(30, 'r/a/')
  b.replica.writeMany(30, 'r/b/')
})

afterEach(async () => {
  await a.channel.listener.close()
  await b.channel.listener.close()
})

const until = (check: () => void, timeout = 15_000): Promise<void> => vi.waitFor(check, { timeout, interval: 5 })

const contentHash = ({ replica }: TestMachine): string =>
  createHash('sha256').update(JSON.stringify(replica.content())).digest('hex')

const untilProved = (...sessions: readonly PeerSession[]): Promise<void> =>
  until(() => {
    for (const session of sessions) expect(session.status().proof).toMatchObject({ compared: 'digest' })
  })

describe('the proof', () => {
  it('ends with the next edit and follows it', { timeout: 20_000 }, async () => {
    pace = 5
    const { near, far } = await joinMachines(a, b)
    await untilProved(near, far)
    const before = near.status().proof!
    a.replica.write('r/a/1', 'new')
    expect(near.status().proof).toBeUndefined()
    await until(() => expect(near.status().behindUs).toBe(0))
    expect(near.status().proof).toBeUndefined()
    await untilProved(near, far)
    expect(near.status().proof!.digest).not.toBe(before.digest)
    expect(near.status().proof!.digest).toBe(far.status().proof!.digest)
    // An edit that changes nothing ends it as well: nobody has compared anything since.
    a.replica.write('r/a/1', 'new')
    await until(() => expect(near.status().behindUs).toBe(0))
    expect([near.status().proof, far.status().proof]).toEqual([undefined, undefined])
  })

  it('ends when a document changes without the log', async () => {
    const { near, far } = await joinMachines(a, b)
    await untilProved(near, far)
    a.replica.diverge('r/a/1', 'silently')
    expect(near.status().proof).toBeUndefined()
  })

  it('is renewed when asked for', async () => {
    pace = 5
    const { near, far } = await joinMachines(a, b)
    await untilProved(near, far)
    const before = near.status().proof!
    await new Promise((resolve) => setTimeout(resolve, 20))
    const proof = await near.verify(25_000)
    expect(proof!.digest).toBe(before.digest)
    expect(proof!.at > before.at).toBe(true)
  })

  it('is not given while the peer differs from what it says, and verifying ends in time', async () => {
    const { raw, session } = await meetRawPeer(a, b)
    raw.say(raw.hello({ vector: b.replica.vector() }), raw.auth(), { kind: 'DONE', vector: b.replica.vector() })
    await until(() => expect(raw.of('DIGESTHASH')).toHaveLength(1))
    raw.say({ kind: 'DIGEST', vector: b.replica.vector(), buckets: new Uint8Array(8192).fill(1) })
    await until(() => expect(raw.of('BUCKET')).toHaveLength(16))
    expect(session.status().proof).toBeUndefined()
    expect(await session.verify(300)).toBeNull()
    raw.say({ kind: 'DIGEST', vector: new Map([[2, 29]]), buckets: b.replica.digest()!.buckets })
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(session.status().proof).toBeUndefined()
  })

  it.each(['DIGESTHASH', 'DIGEST'] as const)(
    'does not make two sides answer each other without end: %s',
    async (kind) => {
      const { raw } = await meetRawPeer(a, b)
      raw.say(raw.hello({ vector: b.replica.vector() }), raw.auth(), { kind: 'DONE', vector: b.replica.vector() })
      await until(() => expect(raw.of('DIGESTHASH')).toHaveLength(1))
      const { hash, vector } = raw.of('DIGESTHASH')[0]!
      const { buckets } = b.replica.digest()!
      for (let turn = 0; turn < 5; turn += 1) {
        raw.say(kind === 'DIGEST' ? { kind, vector, buckets } : { kind, vector, hash })
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      expect(raw.of('DIGESTHASH').length + raw.of('DIGEST').length).toBeLessThanOrEqual(2)
    },
  )

  it('does not make one side show its digest for every lie of the other one', async () => {
    const { raw } = await meetRawPeer(a, b)
    const vector = b.replica.vector()
    raw.say(raw.hello({ vector }), raw.auth(), { kind: 'DONE', vector })
    await until(() => expect(raw.of('DIGESTHASH')).toHaveLength(1))
    for (let turn = 0; turn < 100; turn += 1)
      raw.say({ kind: 'DIGESTHASH', vector, hash: new Uint8Array(32).fill(turn) })
    await until(() => expect(raw.of('DIGEST').length).toBeGreaterThan(0))
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(raw.of('DIGEST').length).toBeLessThanOrEqual(8)
  })

  it('needs no more than what both digests come to', async () => {
    const { near, far, links } = await joinMachines(a, b)
    await untilProved(near, far)
    for (const session of [near, far]) session.close()
    await until(() => expect(links.map((link) => link.ended() !== undefined)).toEqual([true, true]))
    const again = await joinMachines(a, b)
    await untilProved(again.near, again.far)
    const { bytesIn, bytesOut } = again.near.status()
    expect(bytesIn + bytesOut).toBeLessThan(2_048)
  })

  it('is found with a peer that knows the whole digest alone', async () => {
    pace = 5
    const { raw, session } = await meetRawPeer(a, b)
    const { vector, buckets } = b.replica.digest()!
    raw.say(raw.hello({ vector }), raw.auth(), { kind: 'DONE', vector })
    // It does not know the first question, and asks in its own way.
    await until(() => expect(raw.of('DIGESTHASH')).toHaveLength(1))
    raw.say({ kind: 'DIGEST', vector, buckets })
    await until(() => expect(session.status().proof).toMatchObject({ compared: 'digest' }))
    await new Promise((resolve) => setTimeout(resolve, 1_200 / pace))
    raw.say({ kind: 'DIGEST', vector, buckets })
    await until(() => expect(raw.of('DIGEST')).toMatchObject([{ vector, buckets }]))
  })
})

describe('documents that differ although the logs are equal', () => {
  it('are made equal, in both directions', { timeout: 20_000 }, async () => {
    a.replica.diverge('r/x/only-a', '1')
    b.replica.diverge('r/x/only-b', '2')
    a.replica.diverge('r/a/3', 'mine')
    b.replica.diverge('r/b/4', 'mine')
    const { near, far } = await joinMachines(a, b)
    await untilProved(near, far)
    expect(contentHash(b)).toBe(contentHash(a))
    expect(a.replica.content()).toMatchObject({ 'r/x/only-a': { value: '1' }, 'r/x/only-b': { value: '2' } })
    expect(near.status().repairs).toBe(2)
    expect(far.status().repairs).toBe(2)
    expect([...a.replica.forks, ...b.replica.forks]).toEqual([])
    expect([near.status().refused, far.status().refused]).toEqual([0, 0])
  })

  it('are made equal when they are many and large', { timeout: 30_000 }, async () => {
    pace = 5
    for (let number = 0; number < 150; number += 1) a.replica.diverge(`r/x/${number}`, 'x'.repeat(50))
    for (let number = 0; number < 3; number += 1) b.replica.diverge(`r/y/${number}`, 'x'.repeat(600_000))
    const { near, far } = await joinMachines(a, b)
    await untilProved(near, far)
    expect(contentHash(b)).toBe(contentHash(a))
  })

  it('are made equal when one is larger than what travels at once', { timeout: 60_000 }, async () => {
    pace = 5
    a.replica.diverge('r/x/large', 'x'.repeat(1_500_000), 12)
    b.replica.diverge('r/x/large', 'y'.repeat(1_500_000), 4)
    const { near, far } = await joinMachines(a, b)
    await until(() => {
      for (const session of [near, far]) expect(session.status().proof).toMatchObject({ compared: 'digest' })
    }, 40_000)
    expect(b.replica.content()).toEqual(a.replica.content())
    expect(Object.keys(b.replica.content()['r/x/large'] as object)).toHaveLength(16)
    expect([near.status().repairs, far.status().repairs]).toEqual([1, 1])
    expect([near.status().refused, far.status().refused]).toEqual([0, 0])
  })

  it('are made equal while both go on writing', { timeout: 30_000 }, async () => {
    pace = 5
    for (let number = 0; number < 50; number += 1) a.replica.diverge(`r/x/${number}`, 'x')
    const { near, far } = await joinMachines(a, b)
    for (let edit = 0; edit < 20; edit += 1) {
      a.replica.write('r/a/1', String(edit))
      b.replica.write('r/b/1', String(edit))
      await new Promise((resolve) => setTimeout(resolve, 15))
    }
    await until(
      () => expect([near, far].map((one) => one.status().proof?.compared)).toEqual(['digest', 'digest']),
      20_000,
    )
    expect(contentHash(b)).toBe(contentHash(a))
    expect([...a.replica.forks, ...b.replica.forks]).toEqual([])
  })

  it('and stay so are noted as a fork', { timeout: 20_000 }, async () => {
    a.replica.diverge('r/a/3', 'mine')
    b.replica.repair = () => Promise.resolve(false)
    const { near, far } = await joinMachines(a, b)
    await until(() => expect([...new Set(a.replica.forks)]).toEqual(['r/a/3']))
    await until(() => expect([...new Set(b.replica.forks)]).toEqual(['r/a/3']))
    await until(() => expect(near.status().lastError).toBe('documents_differ'))
    expect([near.status().proof, far.status().proof]).toEqual([undefined, undefined])
  })

  it('and are damaged on one side come from the other, which is blamed for nothing', async () => {
    a.replica.diverge('r/a/3', 'mine')
    const damaged = (name: string): void => {
      if (name === 'r/a/3') throw new DocError('damaged_state', 'The state cannot be loaded.')
    }
    const { difference, stateVector } = b.replica
    b.replica.difference = (name, vector) => {
      damaged(name)
      return difference(name, vector)
    }
    b.replica.stateVector = (name) => {
      damaged(name)
      return stateVector(name)
    }
    const { near, far } = await joinMachines(a, b)
    await untilProved(near, far)
    expect(b.replica.content()['r/a/3']).toEqual({ value: 'mine' })
    expect([near.status().refused, far.status().refused]).toEqual([0, 0])
  })

  it('are compared again within the hour', { timeout: 20_000 }, async () => {
    pace = 5
    const { near, far } = await joinMachines(a, b)
    await untilProved(near, far)
    a.replica.diverge('r/a/3', 'silently')
    await until(() => expect(b.replica.content()['r/a/3']).toEqual({ value: 'silently' }), 15_000)
    await untilProved(near, far)
  })
})
