// Links that break anywhere: what was acknowledged is not sent again, what was not comes over the next link, and both
// machines end with the same.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startFaultProxy } from '../../../../test/support/fault-proxy.ts'
import type { FaultProxy } from '../../../../test/support/fault-proxy.ts'
import type { TestWorkspace } from '../../../../test/support/memory-replica.ts'
import { createTestWorkspace } from '../../../../test/support/memory-replica.ts'
import type { TestMachine } from '../../../../test/support/session-pair.ts'
import { joinMachines, startMachine } from '../../../../test/support/session-pair.ts'
import type { PeerSession } from './peer-session.ts'

let workspace: TestWorkspace
let a: TestMachine
let b: TestMachine
let proxy: FaultProxy

beforeEach(async () => {
  workspace = createTestWorkspace()
  a = await startMachine(workspace, 1)
  b = await startMachine(workspace, 2)
  proxy = await startFaultProxy(b.channel.port)
})

afterEach(async () => {
  await proxy.close()
  await a.channel.listener.close()
  await b.channel.listener.close()
})

const until = (check: () => void, timeout = 8_000): Promise<void> => vi.waitFor(check, { timeout, interval: 5 })
const isSame = (): boolean => JSON.stringify(a.replica.content()) === JSON.stringify(b.replica.content())
const ended = (session: PeerSession): boolean => ['closed', 'refused', 'paused'].includes(session.status().state)

describe('a link that breaks', () => {
  it('anywhere leaves nothing undone after the last one', { timeout: 60_000 }, async () => {
    a.replica.writeMany(150, 'r/a/', 200)
    a.replica.writeMany(1, 'r/big/', 400_000)
    b.replica.writeMany(150, 'r/b/', 200)
    let cuts = 0
    for (let bytes = 2_500; bytes < 600_000 && !isSame(); bytes = Math.round(bytes * 1.25)) {
      proxy.cutAfter(bytes)
      const joined = await joinMachines(a, b, { port: proxy.port }).catch(() => undefined)
      if (joined === undefined) continue
      await until(() => expect(ended(joined.near) || isSame()).toBe(true))
      cuts += 1
      joined.near.close()
      a.replica.write('r/a/0', String(cuts))
      b.replica.write('r/b/0', String(cuts))
      await until(() => expect(ended(joined.near) && ended(joined.far)).toBe(true))
    }
    proxy.heal()
    const { near, far } = await joinMachines(a, b, { port: proxy.port })
    await until(() => expect([near, far].map((one) => one.status().proof?.compared)).toEqual(['digest', 'digest']))
    expect(isSame()).toBe(true)
    expect(cuts).toBeGreaterThan(5)
    expect(b.replica.vector()).toEqual(a.replica.vector())
  })

  it('after everything was acknowledged sends nothing of the log again', async () => {
    a.replica.writeMany(500, 'r/a/', 500)
    const first = await joinMachines(a, b, { port: proxy.port })
    await until(() => expect(first.near.status()).toMatchObject({ state: 'open', behindUs: 0 }))
    proxy.cut()
    await until(() => expect(ended(first.near) && ended(first.far)).toBe(true))
    const { near } = await joinMachines(a, b, { port: proxy.port })
    await until(() => expect(near.status().state).toBe('open'))
    expect(near.status().bytesOut).toBeLessThan(12_000)
    expect(b.replica.duplicates()).toBe(0)
  })

  it('does not disturb a store that is slow', async () => {
    b.replica.storeMs = 30
    for (let number = 0; number < 60; number += 1) a.replica.write(`r/a/${number}`, 'x'.repeat(2_000))
    const first = await joinMachines(a, b, { port: proxy.port })
    await until(() => expect(b.replica.runs.length).toBeGreaterThan(0))
    proxy.cut()
    await until(() => expect(ended(first.far)).toBe(true))
    const { near } = await joinMachines(a, b, { port: proxy.port })
    await until(() => expect(near.status().behindUs).toBe(0))
    expect(isSame()).toBe(true)
  })

  it('for good tells those who wait', async () => {
    const { near } = await joinMachines(a, b, { port: proxy.port })
    await until(() => expect(near.status().state).toBe('open'))
    proxy.halfOpen()
    a.replica.write('r/a/1', 'x')
    const barrier = near.barrier(5_000)
    const verified = near.verify(5_000)
    const heard = vi.fn<() => void>()
    near.onChange(heard)
    near.close()
    expect(await barrier).toMatchObject({ reached: false })
    expect(await verified).toBeNull()
    await until(() => expect(heard).toHaveBeenCalled())
    expect(await near.barrier(1_000)).toEqual({ reached: false, waitedMs: 0 })
    expect(await near.verify(1_000)).toBeNull()
  })
})

describe('a barrier', () => {
  it('is reached when everything written before it is on the disk of the peer', async () => {
    b.replica.storeMs = 40
    const { near, far } = await joinMachines(a, b, { port: proxy.port })
    await until(() => expect(near.status().state).toBe('open'))
    for (let number = 0; number < 5; number += 1) a.replica.write('r/a/1', String(number))
    const result = await near.barrier(5_000)
    expect(result.reached).toBe(true)
    expect(result.waitedMs).toBeGreaterThanOrEqual(40)
    expect(b.replica.vector().get(1)).toBe(5)
    expect((await far.barrier(1_000)).reached).toBe(true)
  })

  it('is not reached while the peer cannot be', async () => {
    const { near } = await joinMachines(a, b, { port: proxy.port })
    await until(() => expect(near.status().state).toBe('open'))
    proxy.halfOpen()
    a.replica.write('r/a/1', 'x')
    expect(await near.barrier(200)).toMatchObject({ reached: false })
    proxy.heal()
    expect(await near.barrier(3_000)).toMatchObject({ reached: true })
  })
})

describe('updates of open texts', () => {
  it('reach the peer at once, and are dropped rather than kept', async () => {
    const live: string[] = []
    const hooks = {
      onLive: (peer: string, doc: string, update: Uint8Array) => void live.push(`${peer} live ${doc} ${update.length}`),
      onAware: (peer: string, doc: string, update: Uint8Array) =>
        void live.push(`${peer} aware ${doc} ${update.length}`),
    }
    Object.assign(b.hooks, hooks)
    const { near } = await joinMachines(a, b, { port: proxy.port })
    expect(near.sendLive('t/a/1', new Uint8Array(3))).toBe(false)
    await until(() => expect(near.status().state).toBe('open'))
    expect(near.sendLive('t/a/1', new Uint8Array(3))).toBe(true)
    expect(near.sendAware('t/a/1', new Uint8Array(5))).toBe(true)
    await until(() => expect(live).toEqual([`${a.replica.device} live t/a/1 3`, `${a.replica.device} aware t/a/1 5`]))
    expect(near.sendLive('t/a/1', new Uint8Array(300_000))).toBe(false)
    expect(near.sendAware('t/a/1', new Uint8Array(5_000))).toBe(false)
    proxy.halfOpen()
    let sent = 0
    while (near.sendLive('t/a/1', new Uint8Array(100_000))) sent += 1
    expect(sent).toBeLessThan(20)
  })
})
