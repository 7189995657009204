// A machine that was unpaired while it was away: when it comes back it learns so, from another machine or from the relay, says
// so, and tries no more until somebody asks it to.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startRelay } from '#main/relay/program/start-relay.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { startFaultProxy } from '../support/fault-proxy.ts'
import { made } from '../support/record-calls.ts'
import { createSyncedHost, inStep, pair, pause, startFounder, until } from '../support/synced-hosts.ts'

let desk: TestHost
let laptop: TestHost

beforeEach(async () => {
  ;[desk, laptop] = await Promise.all([startFounder('Desk'), createSyncedHost()])
  await desk.defineObject('part', { title: { type: 'text' } })
  await pair(desk, laptop)
  await inStep([desk, laptop])
}, 60_000)

afterEach(async () => {
  await Promise.all([desk, laptop].map((host) => host?.stop()))
})

const statusOf = async (host: TestHost) => (await host.get('/sync/status')).body
const peersOf = async (host: TestHost) => (await host.get('/sync/peers')).body.peers
const isTold = async () => {
  const { state, reason } = await statusOf(laptop)
  return state === 'attention' && reason === 'unpaired'
}
const unpair = async () => {
  const { device } = await statusOf(laptop)
  expect((await desk.delete(`/sync/peers/${device.id}`)).status).toBe(200)
}

it(
  'learns it from the machine it comes to, and comes again only when it is asked to',
  { timeout: 90_000 },
  async () => {
    const [address] = (await desk.get('/sync/settings')).body.listening
    const network = await startFaultProxy(Number(address.slice(address.lastIndexOf(':') + 1)))
    try {
      await pause(laptop, true)
      const [peer] = await peersOf(laptop)
      await laptop.patch(`/sync/peers/${peer.id}`, { address: `127.0.0.1:${network.port}` })
      await unpair()
      const id = await made(laptop, 'part', { title: 'Written while away' })
      expect(await statusOf(laptop)).toMatchObject({ state: 'offline', reason: 'paused' })
      await laptop.patch('/sync/settings', { paused: false })
      await until('it is told', isTold)
      expect((await peersOf(laptop))[0].lastError.reason).toBe('unpaired')
      const tries = network.accepted()
      // Neither by itself nor after a start; once for each time somebody asks.
      await laptop.restart()
      expect(await isTold()).toBe(true)
      for (const count of [1, 2]) {
        await laptop.post(`/sync/peers/${peer.id}/reconnect`)
        await until('it has tried', () => network.accepted() === tries + count)
        await until('it ended', () => network.open() === 0)
        expect(await isTold()).toBe(true)
      }
      expect((await laptop.get(`/data/part/${id}`)).status).toBe(200)
      // Let in again it goes on, with what it wrote.
      await pair(desk, laptop)
      await inStep([desk, laptop])
      expect((await desk.get(`/data/part/${id}`)).status).toBe(200)
      await laptop.restart()
      await inStep([desk, laptop])
    } finally {
      await network.close()
    }
  },
)

it('learns it from the relay', { timeout: 90_000 }, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-relay-'))
  const relay = await startRelay({ dataDir, addresses: ['127.0.0.1'], port: 0 })
  try {
    const at = { relayUrl: `wss://127.0.0.1:${relay.listening[0]!.port}`, relayFingerprint: relay.fingerprint }
    await desk.patch('/sync/settings', { ...at, relayToken: relay.madeToken })
    const isThere = async (host: TestHost) =>
      (await peersOf(host)).some(({ kind, state }: Record<string, string>) => kind === 'relay' && state === 'connected')
    await until('the desk has it', () => isThere(desk))
    await laptop.patch('/sync/settings', at)
    await until('the laptop has it', () => isThere(laptop), 60_000)
    await pause(laptop, true)
    await desk.patch('/sync/settings', { listen: false })
    await unpair()
    await until('the relay has it', async () => (await desk.post('/sync/barrier', { on: 'relay' })).body.reached)
    await laptop.patch('/sync/settings', { paused: false })
    await until('it is told', isTold)
    await laptop.restart()
    expect(await isTold()).toBe(true)
  } finally {
    await relay.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
})
