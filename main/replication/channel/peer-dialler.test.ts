// A device is kept connected through failures of the network: how long to wait, and how soon it is back.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { setTimeout as sleep } from 'node:timers/promises'
import { listenAs, makeDevice } from '../../../test/support/channel-devices.ts'
import type { ListeningDevice, TestDevice } from '../../../test/support/channel-devices.ts'
import { startFaultProxy } from '../../../test/support/fault-proxy.ts'
import type { FaultProxy } from '../../../test/support/fault-proxy.ts'
import { createHurriedTimers } from '../../../test/support/channel-devices.ts'
import { createVirtualLink } from '../../../test/support/virtual-link.ts'
import { createLinkTable } from './link-table.ts'
import { createPeerDialler, waitAfter } from './peer-dialler.ts'
import type { DiallerOptions, DialStatus, PeerDialler } from './peer-dialler.ts'
import type { PeerLink } from './peer-link.ts'
import { createManualTimers } from './timers.ts'

let home: ListeningDevice
let friend: TestDevice
let proxy: FaultProxy
let dialler: PeerDialler | undefined
/** Five times as quick, so that waiting half a second takes a tenth. */
const hurried = createHurriedTimers(5)

beforeEach(async () => {
  home = await listenAs(await makeDevice(), { link: { heartbeatMs: 200 } })
  friend = await makeDevice()
  home.known.add(friend.fingerprint)
  proxy = await startFaultProxy(home.port)
})

afterEach(async () => {
  dialler?.stop()
  await proxy.close()
  await home.listener.close()
})

function keepConnected(options: Partial<DiallerOptions> = {}): { links: PeerLink[]; states: DialStatus['state'][] } {
  const links: PeerLink[] = []
  const states: DialStatus['state'][] = []
  dialler = createPeerDialler({
    identity: friend.identity,
    peer: home.fingerprint,
    addresses: () => [{ host: '127.0.0.1', port: proxy.port }],
    onLink(link) {
      link.onMessage(() => undefined)
      links.push(link)
    },
    changed: ({ state }) => void states.push(state),
    link: { heartbeatMs: 200 },
    ...options,
  })
  return { links, states }
}

const isConnected = (): void => expect(dialler!.status().state).toBe('connected')

/** Milliseconds until the device is connected again. */
async function untilConnected(limitMs = 5_000): Promise<number> {
  const started = performance.now()
  await vi.waitFor(isConnected, { timeout: limitMs, interval: 5 })
  return performance.now() - started
}

describe('waitAfter', () => {
  it.each([
    [0, 500, 500],
    [1, 500, 1_000],
    [3, 2_000, 4_000],
    [5, 8_000, 16_000],
    [6, 15_000, 30_000],
    [1_000, 15_000, 30_000],
  ])('waits after %i failures from %i to %i ms', (failures, least, most) => {
    expect(waitAfter(failures, () => 0)).toBe(least)
    expect(waitAfter(failures, () => 1)).toBe(most)
  })
})

describe('a dialler', () => {
  it('is connected again within 5 s after the network heals, without being told', async () => {
    const { links } = keepConnected({ timers: hurried })
    await untilConnected()
    proxy.refuse()
    await vi.waitFor(() => expect(dialler!.status().failures).toBeGreaterThanOrEqual(2), 5_000)
    proxy.heal()
    const healedAt = hurried.now()
    await untilConnected()
    expect(hurried.now() - healedAt).toBeLessThan(5_000)
    expect(links).toHaveLength(2)
  })

  it('tries at once when the network is back, however long the next wait is', async () => {
    const timers = createManualTimers()
    keepConnected({ timers, random: () => 1 })
    await untilConnected()
    proxy.refuse()
    for (let failures = 0; failures < 7; failures += 1) {
      await vi.waitFor(() => expect(dialler!.status()).toMatchObject({ state: 'waiting', failures }), 2_000)
      if (failures < 6) timers.advance(dialler!.status().retryInMs!)
      else expect(dialler!.status().retryInMs).toBe(30_000)
      if (failures === 6) break
    }
    proxy.heal()
    dialler!.networkBack()
    const ms = await untilConnected()
    expect(ms).toBeLessThan(1_000)
  })

  it('leaves a half-open link when the network is back, and is connected as soon as it heals', async () => {
    const { links } = keepConnected({ timers: hurried, link: { timers: hurried, heartbeatMs: 15_000 } })
    await untilConnected()
    proxy.halfOpen()
    const started = performance.now()
    dialler!.networkBack()
    await vi.waitFor(() => expect(links[0]!.ended()).toEqual({ reason: 'silent', here: true }), 5_000)
    const noticed = performance.now() - started
    proxy.heal()
    const ms = await untilConnected()
    expect(noticed + ms).toBeLessThan(5_000)
    expect(links).toHaveLength(2)
  })

  it('keeps a link that a short silence of the network did not break', async () => {
    const { links } = keepConnected({ link: { heartbeatMs: 15_000 } })
    await untilConnected()
    await vi.waitFor(() => expect(home.links).toHaveLength(1))
    home.links[0]!.onMessage(() => undefined)
    proxy.halfOpen()
    dialler!.networkBack()
    await sleep(200)
    proxy.heal()
    expect(await links[0]!.probe(1_000)).toBe(true)
    expect(links).toHaveLength(1)
    isConnected()
  })

  it('finds a half-open link by itself and dials anew', async () => {
    const { links } = keepConnected()
    await untilConnected()
    proxy.halfOpen()
    await vi.waitFor(() => expect(links[0]!.ended()).toEqual({ reason: 'silent', here: true }), 3_000)
    proxy.heal()
    const ms = await untilConnected()
    expect(ms).toBeLessThan(5_000)
    expect(links).toHaveLength(2)
  })

  it('asks every address, and asks for them again', async () => {
    const asked: number[] = []
    const { links } = keepConnected({
      addresses() {
        asked.push(1)
        // Nobody listens at the first one.
        return [
          { host: '127.0.0.1', port: 9 },
          { host: '127.0.0.1', port: proxy.port },
        ]
      },
    })
    await untilConnected()
    expect(links).toHaveLength(1)
    expect(asked).toHaveLength(1)
  })

  it('waits longer each time while it is not known there, and says so', async () => {
    home.known.clear()
    const timers = createManualTimers()
    const { links } = keepConnected({ timers, random: () => 1 })
    for (const [failures, wait] of [
      [1, 1_000],
      [2, 2_000],
      [3, 4_000],
    ] as const) {
      await vi.waitFor(() => expect(dialler!.status()).toMatchObject({ state: 'waiting', failures }))
      expect(dialler!.status()).toMatchObject({ lastError: 'refused', retryInMs: wait })
      timers.advance(wait)
    }
    expect(links).toEqual([])
  })

  it('does not hammer a device that hangs up on it', async () => {
    const timers = createManualTimers()
    keepConnected({ timers, random: () => 1 })
    for (const failures of [1, 2, 3]) {
      await untilConnected()
      await vi.waitFor(() => expect(home.listener.links().length).toBe(1))
      home.listener.disconnect(friend.fingerprint, 'unpaired')
      await vi.waitFor(() => expect(dialler!.status()).toMatchObject({ state: 'waiting', failures }))
      timers.advance(dialler!.status().retryInMs!)
    }
    await untilConnected()
  })

  it('does not dial while the device is connected another way', async () => {
    const timers = createManualTimers()
    let isNeeded = false
    keepConnected({ timers, isNeeded: () => isNeeded })
    expect(dialler!.status().state).toBe('waiting')
    timers.advance(60_000)
    expect(proxy.accepted()).toBe(0)
    isNeeded = true
    timers.advance(60_000)
    await untilConnected()
  })

  it('stops for good, also in the middle of a try', async () => {
    const { links, states } = keepConnected()
    dialler!.stop()
    await sleep(200)
    expect(links).toEqual([])
    expect(states.at(-1)).toBe('stopped')
    dialler!.networkBack()
    await sleep(100)
    expect(dialler!.status().state).toBe('stopped')
    expect(home.listener.links()).toEqual([])
  })
})

describe('a table of links', () => {
  it('keeps one of two links when both sides dial, and both keep the same one', async () => {
    const away = await listenAs(friend)
    away.known.add(home.fingerprint)
    const tables = { home: createLinkTable(home.fingerprint), friend: createLinkTable(friend.fingerprint) }
    const dial = (from: TestDevice, to: ListeningDevice, table: keyof typeof tables): PeerDialler =>
      createPeerDialler({
        identity: from.identity,
        peer: to.fingerprint,
        addresses: () => [{ host: '127.0.0.1', port: to.port }],
        isNeeded: () => tables[table].of(to.fingerprint) === undefined,
        timers: hurried,
        onLink: (link) => void settle(link, table),
      })
    async function settle(link: PeerLink, table: keyof typeof tables): Promise<void> {
      link.onMessage(() => undefined)
      await tables[table].add(link)
    }
    const diallers = [dial(home, away, 'home'), dial(friend, home, 'friend')]
    await vi.waitFor(() => expect([home.links.length, away.links.length]).toEqual([1, 1]))
    await Promise.all([settle(home.links[0]!, 'home'), settle(away.links[0]!, 'friend')])
    await sleep(300)
    const atHome = tables.home.all()
    const atFriend = tables.friend.all()
    expect([atHome.length, atFriend.length]).toEqual([1, 1])
    expect(atHome[0]!.ended()).toBeUndefined()
    expect(atHome[0]!.secret('same')).toEqual(atFriend[0]!.secret('same'))
    expect([home.links.length, away.links.length]).toEqual([1, 1])
    for (const one of diallers) one.stop()
    await away.listener.close()
  })

  it('keeps the newer of two links in one direction', async () => {
    const table = createLinkTable(home.fingerprint)
    const { links } = keepConnected({ timers: hurried })
    await untilConnected()
    await vi.waitFor(() => expect(home.links).toHaveLength(1))
    await table.add(home.links[0]!)
    proxy.leaveGhosts()
    await vi.waitFor(() => expect(home.links).toHaveLength(2), 3_000)
    expect(await table.add(home.links[1]!)).toBe(true)
    expect(table.all()).toEqual([home.links[1]])
    await vi.waitFor(() => expect(home.links[0]!.ended()).toBeDefined(), 3_000)
    expect(links[1]!.ended()).toBeUndefined()
  })

  it('keeps a link that came while one that is dead was asked for a sign of life', async () => {
    const table = createLinkTable('a')
    const weather = { random: () => 0.5, turns: 2 }
    const dialled = (): PeerLink => createVirtualLink(['a', 'b'], weather).ends[0]
    const asked = Promise.withResolvers<boolean>()
    await table.add({ ...dialled(), probe: () => asked.promise })
    const earlier = table.add(createVirtualLink(['b', 'a'], weather).ends[1])
    const newer = dialled()
    expect(await table.add(newer)).toBe(true)
    asked.resolve(false)
    expect(await earlier).toBe(false)
    expect([table.of('b') === newer, newer.ended()]).toEqual([true, undefined])
  })
})
