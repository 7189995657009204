// Machines that meet through a real relay, and directly as well: whatever restarts or is wiped, all end with the same,
// and what the relay cannot know it is not asked.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLogger } from '#main/kernel/logger.ts'
import { createPeerDialler } from '#main/replication/channel/peer-dialler.ts'
import type { PeerDialler } from '#main/replication/channel/peer-dialler.ts'
import { systemTimers } from '#main/replication/channel/timers.ts'
import type { Vector } from '#main/replication/core/types.ts'
import { createSessions } from '#main/plugins/sync/session/sessions.ts'
import type { Sessions } from '#main/plugins/sync/session/sessions.ts'
import type { PeerSession } from '#main/plugins/sync/session/peer-session.ts'
import { findFreePort } from '../support/free-port.ts'
import { createTestWorkspace } from '../support/memory-replica.ts'
import type { TestWorkspace } from '../support/memory-replica.ts'
import { startRelayProcess } from '../support/relay-process.ts'
import type { RelayProcess } from '../support/relay-process.ts'
import { joinMachines, startMachine } from '../support/session-pair.ts'
import { statusOfSessions } from '../support/session-status.ts'
import type { TestMachine } from '../support/session-pair.ts'

interface Client extends TestMachine {
  readonly sessions: Sessions
  readonly saved: Map<string, Vector>
  readonly dialler: PeerDialler
  relay(): PeerSession
}

/** The relay of all tests that neither end nor wipe it; each has a workspace of its own there. */
let shared: RelayProcess
let sharedDir: string
let sharedPort: number
let dir: string
let port: number
let workspace: TestWorkspace
let relays: RelayProcess[]
let clients: Client[]

beforeAll(async () => {
  sharedDir = mkdtempSync(join(tmpdir(), 'cairn-session-relay-'))
  sharedPort = await findFreePort()
  const relay = await startRelayProcess(['--data', sharedDir, '--port', String(sharedPort)])
  if ('error' in relay) throw new Error(relay.error)
  shared = relay
})

afterAll(async () => {
  await shared?.end('SIGKILL')
  rmSync(sharedDir, { recursive: true })
})

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'cairn-session-relay-'))
  port = await findFreePort()
  workspace = { ...createTestWorkspace(), id: new Uint8Array(randomBytes(16)) }
  relays = []
  clients = []
})

afterEach(async () => {
  for (const { dialler, sessions, channel } of clients) {
    dialler.stop()
    await sessions.stop()
    await channel.listener.close()
  }
  await Promise.all(relays.map((relay) => relay.end('SIGKILL')))
  rmSync(dir, { recursive: true })
})

const until = (check: () => void, timeout = 15_000): Promise<void> => vi.waitFor(check, { timeout, interval: 5 })

async function start(folder = 'data'): Promise<RelayProcess> {
  const relay = await startRelayProcess(['--data', join(dir, folder), '--port', String(port)])
  if ('error' in relay) throw new Error(relay.error)
  relays.push(relay)
  return relay
}

async function enter(relay: RelayProcess, inc: number, token?: string, aheadMs = 0): Promise<Client> {
  const machine = await startMachine(workspace, inc)
  const saved = new Map<string, Vector>()
  const sessions = createSessions({
    replica: machine.replica,
    keys: machine.replica.signer,
    roster: workspace,
    clock: { now: () => Date.now() + aheadMs, iso: () => new Date(Date.now() + aheadMs).toISOString() },
    timers: systemTimers,
    log: createLogger(),
    appVersion: '1.0.0',
    acks: { load: () => saved, save: (peer, acked) => void saved.set(peer, acked) },
    knownPeers: () => ['relay'],
  })
  const at = relay === shared ? sharedPort : port
  const dialler = createPeerDialler({
    identity: machine.channel.identity,
    peer: relay.fingerprint,
    addresses: () => [{ host: '127.0.0.1', port: at }],
    onLink: (link) => void sessions.add(link, { peer: 'relay', kind: 'relay', ...(token !== undefined && { token }) }),
  })
  const client = { ...machine, sessions, saved, dialler, relay: () => sessions.of('relay')! }
  clients.push(client)
  return client
}

const stateOf = ({ sessions }: Client): string | undefined => sessions.of('relay')?.status().state
const contentOf = ({ replica }: TestMachine): string => JSON.stringify(replica.content())

/** A machine that registers the workspace, and one it lets in. */
async function enterTwo(relay: RelayProcess, aheadMs = 0): Promise<readonly [Client, Client]> {
  const one = await enter(relay, 1, relay.token)
  await until(() => expect(stateOf(one)).toBe('open'))
  const two = await enter(relay, 2, undefined, aheadMs)
  expect(await one.relay().admit('GRANT', two.replica.signer.signKey)).toBe(true)
  two.dialler.networkBack()
  await until(() => expect(stateOf(two)).toBe('open'))
  return [one, two]
}

describe('machines at a relay', () => {
  it('end with the same, and with a proof that the relay has it', async () => {
    const [one, two] = await enterTwo(shared)
    one.replica.writeMany(150, 'r/a/')
    two.replica.writeMany(20, 'r/b/')
    await until(() => expect(contentOf(two)).toBe(contentOf(one)))
    await until(() => {
      for (const { sessions } of [one, two]) {
        expect(statusOfSessions(sessions)).toMatchObject({ state: 'up_to_date', proof: { with: ['relay'] } })
        expect(sessions.of('relay')!.status()).toMatchObject({ refused: 0, proof: { compared: 'log' } })
      }
    })
    expect(one.sessions.of('relay')!.status()).not.toHaveProperty('lastError')
    expect([one.replica.duplicates(), two.replica.duplicates()]).toEqual([0, 0])
    one.replica.write('r/a/1', 'later')
    expect((await one.sessions.barrier(5_000, ['relay'])).durableOn).toEqual(['relay'])
    await until(() => expect(two.replica.content()['r/a/1']).toEqual({ value: 'later' }))
  })

  it('carry an edit at once', async () => {
    const [one, two] = await enterTwo(shared)
    const times: number[] = []
    for (let edit = 0; edit < 20; edit += 1) {
      const from = performance.now()
      one.replica.write('r/a/1', String(edit))
      await until(() => expect(two.replica.content()['r/a/1']).toEqual({ value: String(edit) }))
      times.push(performance.now() - from)
    }
    expect(times.sort((x, y) => x - y)[18]).toBeLessThan(250)
  })

  it('lose nothing when it is killed and comes back', { timeout: 40_000 }, async () => {
    const first = await start()
    const [one, two] = await enterTwo(first)
    for (let round = 0; round < 3; round += 1) {
      one.replica.writeMany(30, `r/a${round}/`)
      await relays.at(-1)!.end('SIGKILL')
      two.replica.writeMany(30, `r/b${round}/`)
      await until(() => expect(statusOfSessions(two.sessions).state).toBe('offline'))
      expect(statusOfSessions(two.sessions).outgoing).toMatchObject({ oldestAt: expect.any(String) as string })
      await start()
      for (const { dialler } of [one, two]) dialler.networkBack()
      await until(() => expect(contentOf(two)).toBe(contentOf(one)))
    }
    await until(() => {
      for (const { sessions } of [one, two]) expect(statusOfSessions(sessions).state).toBe('up_to_date')
    })
  })

  it('let a third one in that was away, and shut out one that is closed out', { timeout: 40_000 }, async () => {
    // By the clock of the relay, whatever the machines' own say.
    const [one, two] = await enterTwo(shared, -365 * 86_400_000)
    one.replica.writeMany(40, 'r/a/')
    const three = await enter(shared, 3)
    await until(() =>
      expect(three.sessions.status('relay')).toMatchObject({ state: 'refused', lastError: 'not_admitted' }),
    )
    expect(statusOfSessions(three.sessions)).toMatchObject({ state: 'attention', reason: 'not_admitted' })
    expect(await one.relay().admit('GRANT', three.replica.signer.signKey)).toBe(true)
    three.dialler.networkBack()
    await until(() => expect(contentOf(three)).toBe(contentOf(one)))
    expect(await two.relay().admit('REVOKE', three.replica.signer.signKey)).toBe(true)
    await until(() => expect(three.sessions.of('relay')).toBeUndefined())
    expect(await one.relay().admit('REVOKE', two.replica.signer.signKey)).toBe(true)
    await until(() => expect(two.sessions.of('relay')).toBeUndefined())
  })

  it('go on when it brings what nobody may take', { timeout: 40_000 }, async () => {
    const [one, two] = await enterTwo(shared)
    workspace.owners.delete(2)
    two.replica.writeMany(5, 'r/b/')
    await until(() => expect(one.sessions.of('relay')!.status().lastError).toBe('unknown_device'))
    expect(one.replica.vector().has(2)).toBe(false)
    one.replica.writeMany(5, 'r/a/')
    await until(() => expect(two.replica.vector().get(1)).toBe(5))
    expect(one.sessions.of('relay')!.status()).toMatchObject({ state: 'open', behindThem: 0 })
    workspace.owners.set(2, two.replica.device)
    one.replica.write('r/a/0', 'known now')
    await until(() => expect(contentOf(two)).toBe(contentOf(one)))
  })

  it('fill it again when it was wiped', { timeout: 40_000 }, async () => {
    const relay = await start()
    const [one, two] = await enterTwo(relay)
    one.replica.writeMany(60, 'r/a/')
    two.replica.writeMany(10, 'r/b/')
    await until(() => expect(one.sessions.missingOn({ inc: 2, seq: 10 })).toEqual([]))
    await relay.end('SIGKILL')
    for (const file of ['relay.db', 'relay.db-wal', 'relay.db-shm']) rmSync(join(dir, 'data', file), { force: true })
    // Its token has not changed: the machine that has it brings the workspace, and everything in it.
    await start()
    one.dialler.networkBack()
    await until(() => expect(one.sessions.of('relay')?.status()).toMatchObject({ state: 'open', behindUs: 0 }))
    const three = await enter(relay, 3)
    expect(await one.relay().admit('GRANT', three.replica.signer.signKey)).toBe(true)
    three.dialler.networkBack()
    await until(() => expect(contentOf(three)).toBe(contentOf(one)))
    expect(three.replica.vector()).toEqual(
      new Map([
        [1, 60],
        [2, 10],
      ]),
    )
  })

  it('meet directly as well, and need it no more', { timeout: 40_000 }, async () => {
    const [one, two] = await enterTwo(await start())
    one.replica.writeMany(100, 'r/a/')
    const { near } = await joinMachines(one, two)
    await until(() => expect(contentOf(two)).toBe(contentOf(one)))
    await relays.at(-1)!.end('SIGKILL')
    one.replica.write('r/a/1', 'direct')
    await until(() => expect(two.replica.content()['r/a/1']).toEqual({ value: 'direct' }))
    await until(() => expect(near.status().proof?.compared).toBe('digest'))
  })
})
