// Bytes of files between two machines which only a relay leads to (D-323): they come whole, and no relay stores them.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { findFreePort } from '../support/free-port.ts'
import { startRelayProcess } from '../support/relay-process.ts'
import type { RelayProcess } from '../support/relay-process.ts'
import { fetchBytes, upload } from '../support/storage-calls.ts'
import { made } from '../support/record-calls.ts'
import { createSyncedHost, pair, until } from '../support/synced-hosts.ts'

let dir: string
let port: number
let relay: RelayProcess
let desk: TestHost
let laptop: TestHost

const startRelay = async (): Promise<void> => {
  const started = await startRelayProcess(['--data', join(dir, 'relay'), '--port', String(port)])
  if ('error' in started) throw new Error(started.error)
  relay = started
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'cairn-files-relay-'))
  port = await findFreePort()
  await startRelay()
  const behind = (): number => Date.now() - 3_600_000
  const clock = { now: behind, iso: () => new Date(behind()).toISOString() }
  ;[desk, laptop] = await Promise.all([createSyncedHost(), createSyncedHost({ clock })])
  const { fingerprint: relayFingerprint, token: relayToken } = relay
  await desk.patch('/sync/settings', { relayUrl: `wss://127.0.0.1:${port}`, relayFingerprint, relayToken })
  await desk.post('/sync/enable', { deviceName: 'Desk' })
  await pair(desk, laptop)
}, 60_000)

afterAll(async () => {
  for (const host of [desk, laptop]) await host?.stop()
  await relay?.end('SIGKILL')
  rmSync(dir, { recursive: true, force: true })
})

it('come whole, also where the relay is killed on the way, and lie nowhere in it', { timeout: 60_000 }, async () => {
  const bytes = randomBytes(6_000_000)
  const { fileId } = await upload(desk, bytes, { name: 'plan.bin', scope: 'public' })
  const told = async () => (await laptop.get(`/storage/files/${fileId}/metadata`)).body.data
  await until('the file is known', told)
  const address = `${laptop.host.url}/api/v1/storage/${fileId}`
  const headers = { authorization: `Bearer ${laptop.host.token}` }
  const reading = fetchBytes(address, headers)
  await until('some of it has come', async () => ((await told()).place.receivedBytes ?? 0) > 0)
  await relay.end('SIGKILL')
  expect((await reading).status).toBe(503)
  await startRelay()
  const whole = await until('all of it has come', async () => {
    const answer = await fetchBytes(address, headers)
    return answer.status === 200 ? answer.bytes : undefined
  })
  expect(whole.equals(bytes)).toBe(true)
  const kept = readdirSync(join(dir, 'relay'), { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  const part = bytes.subarray(1_000_000, 1_000_064)
  for (const one of kept) expect(readFileSync(join(one.parentPath, one.name)).includes(part)).toBe(false)
})

it('leads to machines that are known to have the same (D-431)', async () => {
  await desk.defineObject('part', { title: { type: 'text' } })
  const id = await made(desk, 'part', { title: 'Bolt' })
  await desk.delete(`/data/part/${id}`)
  const deletedAt = new Date().toISOString()
  await until('the other machine knows', async () => {
    const shared = await desk.host.plugins.service('sync')!.sharedUntil()
    return shared !== null && shared > deletedAt
  })
  const { records } = (await laptop.get('/data/part?deleted=only')).body
  expect(records.map((one: { id: string }) => one.id)).toEqual([id])
})
