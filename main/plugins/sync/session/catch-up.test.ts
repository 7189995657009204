// Two and three machines over real TLS: each ends with what the others have, whoever wrote it and whenever.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { TestWorkspace } from '../../../../test/support/memory-replica.ts'
import { createTestWorkspace } from '../../../../test/support/memory-replica.ts'
import { connectTo } from '../../../../test/support/channel-devices.ts'
import { createPeerSession } from './peer-session.ts'
import type { TestMachine } from '../../../../test/support/session-pair.ts'
import { joinMachines, startMachine } from '../../../../test/support/session-pair.ts'

let workspace: TestWorkspace
let machines: TestMachine[]

beforeEach(() => {
  workspace = createTestWorkspace()
  machines = []
})

afterEach(async () => {
  for (const { channel } of machines) await channel.listener.close()
})

const until = (check: () => void, timeout = 8_000): Promise<void> => vi.waitFor(check, { timeout, interval: 5 })

async function start(inc: number): Promise<TestMachine> {
  const machine = await startMachine(workspace, inc)
  machines.push(machine)
  return machine
}

function expectSame(one: TestMachine, other: TestMachine): void {
  expect(other.replica.vector()).toEqual(one.replica.vector())
  expect(other.replica.content()).toEqual(one.replica.content())
}

describe('catching up', () => {
  it('exchanges what each side lacks, and proves it', async () => {
    const [a, b] = [await start(1), await start(2)]
    a.replica.writeMany(700, 'r/a/')
    b.replica.writeMany(300, 'r/b/')
    const { near, far } = await joinMachines(a, b)
    await until(() => expectSame(a, b))
    await until(() => {
      expect(near.status()).toMatchObject({ state: 'open', behindThem: 0, behindUs: 0, proof: { compared: 'digest' } })
      expect(far.status()).toMatchObject({ state: 'open', proof: { digest: near.status().proof!.digest } })
    })
    expect(near.status()).not.toHaveProperty('lastError')
    expect(a.replica.noted()).toBe(700)
    expect(a.replica.duplicates() + b.replica.duplicates()).toBe(0)
  })

  it('carries an edit at once', async () => {
    const [a, b] = [await start(1), await start(2)]
    const { near, far } = await joinMachines(a, b)
    await until(() => expect([near.status().state, far.status().state]).toEqual(['open', 'open']))
    const times: number[] = []
    for (let edit = 0; edit < 40; edit += 1) {
      const from = performance.now()
      a.replica.write('r/a/1', String(edit))
      await until(() => expect(b.replica.content()['r/a/1']).toEqual({ value: String(edit) }))
      times.push(performance.now() - from)
    }
    expect(times.sort((x, y) => x - y)[37]).toBeLessThan(100)
  })

  it('passes on what others wrote to whoever lacks it, and to nobody else', async () => {
    const [a, b, c] = [await start(1), await start(2), await start(3)]
    a.replica.writeMany(20, 'r/a/')
    c.replica.writeMany(20, 'r/c/')
    await joinMachines(a, b)
    await joinMachines(b, c)
    await until(() => expectSame(a, c))
    a.replica.write('r/a/1', 'later')
    await until(() => expect(c.replica.content()['r/a/1']).toEqual({ value: 'later' }))
    expect(c.replica.heads(1).at(-1)).toEqual(a.replica.heads(1).at(-1))
    expect([a, b, c].map(({ replica }) => replica.duplicates())).toEqual([0, 0, 0])
  })

  it('carries envelopes larger than a frame', async () => {
    const [a, b] = [await start(1), await start(2)]
    a.replica.writeMany(3, 'r/big/', 900_000)
    a.replica.writeMany(3, 'r/mid/', 300_000)
    await joinMachines(a, b)
    await until(() => expectSame(a, b))
  })

  it('stops between two frames when the peer may have nothing any more, and goes on when it may again', async () => {
    const [a, b] = [await start(1), await start(2)]
    a.replica.writeMany(300, 'r/a/', 10_000)
    const { near, far } = await connectTo(b.channel, a.channel)
    let framesLeft = 5
    const from = createPeerSession({ ...a.parts(near, b.replica.device), mayHave: () => (framesLeft -= 1) >= 0 })
    const to = createPeerSession(b.parts(far, a.replica.device))
    await until(() => expect(framesLeft).toBeLessThan(0))
    from.lookAtRights()
    await until(() => expect(to.status().lastError).toBe('rights'))
    const before = b.replica.vector().get(1) ?? 0
    expect(before).toBeLessThan(300)
    a.replica.write('r/a/1', 'later')
    // The answer comes after everything that was said before it.
    expect(await to.barrier(5_000)).toMatchObject({ reached: true })
    expect(b.replica.vector().get(1) ?? 0).toBe(before)
    framesLeft = Infinity
    from.lookAtRights()
    await until(() => expectSame(a, b))
  })
})
