// Records of two paired hosts: what was there before, what is written afterwards on either side, and the way through a
// relay when the two cannot reach each other.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startRelay } from '#main/relay/program/start-relay.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { createSyncedHost, pair, startFounder, until } from '../support/synced-hosts.ts'

let home: TestHost
let other: TestHost

beforeEach(async () => {
  ;[home, other] = await Promise.all([startFounder(), createSyncedHost()])
})

afterEach(async () => {
  await Promise.all([home.stop(), other.stop()])
})

const titleAt = async (host: TestHost, id: string): Promise<string | undefined> =>
  (await host.get(`/data/task/${id}`)).body.record?.title
const peersOf = async (host: TestHost) => (await host.get('/sync/peers')).body.peers

it('arrive whole, follow every change, and say where they are', async () => {
  await home.defineObject('task', { title: { type: 'text' } })
  const many = Array.from({ length: 400 }, (_, index) => ({ title: `there before ${index}` }))
  await home.post('/data/task/createMany', many)
  const before = (await home.post('/data/task', { title: 'before' })).body.record.id
  await pair(home, other)
  expect((await other.get('/data/task?limit=1000')).body.records).toHaveLength(401)
  await until('the record arrives', async () => (await titleAt(other, before)) === 'before')
  const changed = await other.patch(`/data/task/${before}`, { title: 'changed' })
  expect(changed.status).toBe(200)
  await until('the change comes back', async () => (await titleAt(home, before)) === 'changed')
  const barrier = await other.post('/sync/barrier', { on: 'all' })
  expect(barrier.body.reached).toBe(true)
  const [study] = await peersOf(other)
  expect((await other.get(`/sync/records/task/${before}`)).body).toMatchObject({ state: 'everywhere', missingOn: [] })
  await other.patch(`/sync/peers/${study.id}`, { paused: true })
  await until('the link ends', async () => (await peersOf(home))[0].state !== 'connected')
  await other.patch(`/data/task/${before}`, { title: 'alone' })
  const place = (await other.get(`/sync/records/task/${before}`)).body
  expect(place).toMatchObject({ state: 'here', missingOn: [study.id] })
  const status = (await other.get('/sync/status')).body
  expect(status).toMatchObject({ state: 'offline', outgoing: { waiting: 1 } })
  expect(Date.parse(status.outgoing.oldestAt)).toBeGreaterThan(Date.now() - 60_000)
  // Many records of one call travel in one envelope, and are found in it.
  const made = await other.post(
    '/data/task/createMany',
    Array.from({ length: 100 }, (_, index) => ({ title: `one of many ${index}` })),
  )
  const ids: string[] = made.body.records.map(({ id }: { id: string }) => id)
  expect((await other.get('/sync/status')).body.outgoing.waiting).toBe(2)
  for (const id of [ids[0], ids[99]])
    expect((await other.get(`/sync/records/task/${id}`)).body).toMatchObject({ state: 'here', missingOn: [study.id] })
  await other.patch(`/sync/peers/${study.id}`, { paused: false })
  for (const [index, id] of ids.entries())
    await until('each of many arrives', async () => (await titleAt(home, id)) === `one of many ${index}`)
  expect((await other.post('/sync/barrier', { on: 'all' })).body.reached).toBe(true)
  expect((await other.get(`/sync/records/task/${ids[99]}`)).body).toMatchObject({ state: 'everywhere', missingOn: [] })
})

it('go through a relay that neither of them has to be reached for', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-relay-'))
  const relay = await startRelay({ dataDir, addresses: ['127.0.0.1'], port: 0 })
  try {
    await home.defineObject('task', { title: { type: 'text' } })
    const port = relay.listening[0]!.port
    const relayUrl = `wss://127.0.0.1:${port}`
    const set = await home.patch('/sync/settings', {
      relayUrl,
      relayFingerprint: relay.fingerprint,
      relayToken: relay.madeToken,
    })
    expect(set.status).toBe(200)
    await until('the relay is there', async () => (await peersOf(home)).find(isConnectedRelay))
    await pair(home, other)
    await until('the other one uses it too', async () => (await peersOf(other)).find(isConnectedRelay))
    // From now on the two cannot reach each other.
    await home.patch('/sync/settings', { listen: false })
    const [laptop] = await peersOf(home)
    await home.patch(`/sync/peers/${laptop.id}`, { paused: true })
    const id = (await home.post('/data/task', { title: 'by relay' })).body.record.id
    await until('the record arrives', async () => (await titleAt(other, id)) === 'by relay')
    const barrier = await home.post('/sync/barrier', { on: 'relay' })
    expect(barrier.body).toMatchObject({ reached: true, durableOn: ['relay'] })
  } finally {
    await relay.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
})

function isConnectedRelay({ id, state }: { id: string; state: string }): boolean {
  return id === 'relay' && state === 'connected'
}
