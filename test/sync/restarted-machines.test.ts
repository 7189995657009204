// What a machine still knows after its host was started anew: that the others have shut it out, and the port on which they
// look for it.
import { createServer } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { findFreePort } from '../support/free-port.ts'
import { createSyncedHost, inStep, listen, pair, startFounder, until } from '../support/synced-hosts.ts'

let desk: TestHost
let laptop: TestHost

beforeEach(async () => {
  ;[desk, laptop] = await Promise.all([startFounder('Desk'), createSyncedHost()])
  await pair(desk, laptop)
  await inStep([desk, laptop])
}, 60_000)

afterEach(async () => {
  await Promise.all([desk, laptop].map((host) => host?.stop()))
})

const statusOf = async (host: TestHost) => (await host.get('/sync/status')).body
const listening = async (host: TestHost): Promise<string[]> => (await host.get('/sync/settings')).body.listening
const portOf = (address: string | undefined): number => Number(address?.slice(address.lastIndexOf(':') + 1))

it('says that it was unpaired, as before the start', { timeout: 60_000 }, async () => {
  const { device } = await statusOf(laptop)
  expect((await desk.delete(`/sync/peers/${device.id}`)).status).toBe(200)
  await until('it hears of it', async () => (await statusOf(laptop)).reason === 'unpaired')
  const [before] = (await laptop.get('/sync/peers')).body.peers
  expect(before.lastError.reason).toBe('unpaired')
  await laptop.restart()
  expect(await statusOf(laptop)).toMatchObject({ state: 'attention', reason: 'unpaired' })
  const [peer] = (await laptop.get('/sync/peers')).body.peers
  expect(peer.lastError.reason).toBe('unpaired')
  // What its own dialling finds out says less.
  await laptop.post(`/sync/peers/${peer.id}/reconnect`)
  expect(await statusOf(laptop)).toMatchObject({ state: 'attention', reason: 'unpaired' })
  // Let in once more it is none any more, after another start too.
  await pair(desk, laptop)
  await inStep([desk, laptop])
  await laptop.restart()
  await inStep([desk, laptop])
})

it('is found on another port once it was there by itself', { timeout: 60_000 }, async () => {
  await listen(laptop)
  const isConnected = async () => (await laptop.get('/sync/peers')).body.peers[0].state === 'connected'
  const found = async (): Promise<string> => (await desk.get('/sync/peers')).body.peers[0].address
  for (const how of ['while both are there', 'while it is away', 'while the other one is away']) {
    if (how === 'while it is away') await laptop.patch('/sync/settings', { paused: true })
    if (how === 'while the other one is away') await desk.patch('/sync/settings', { paused: true })
    const port = await findFreePort()
    expect((await laptop.patch('/sync/settings', { port })).status).toBe(200)
    if (how === 'while it is away') await laptop.restart()
    for (const host of [laptop, desk]) await host.patch('/sync/settings', { paused: false })
    await until('they are connected', isConnected)
    await until(`it is known: ${how}`, async () => (await found()) === `127.0.0.1:${port}`)
  }
  // From here on only the desk can make the connection.
  await desk.restart()
  await desk.patch('/sync/settings', { listen: false })
  await until('the desk finds it', isConnected)
  await inStep([desk, laptop])
})

it('is found on the port it had, which the system chose', { timeout: 60_000 }, async () => {
  const [before] = await listening(desk)
  await desk.restart()
  expect(await listening(desk)).toEqual([before])
  await until('it is found', async () => (await laptop.get('/sync/peers')).body.peers[0].state === 'connected')
  // Another program may have it by then.
  await desk.patch('/sync/settings', { listen: false })
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(portOf(before), '127.0.0.1', resolve))
  expect((await desk.patch('/sync/settings', { listen: true })).status).toBe(200)
  const [now] = await listening(desk)
  expect(portOf(now)).toBeGreaterThan(0)
  expect(now).not.toBe(before)
  await new Promise((resolve) => other.close(resolve))
  await desk.restart()
  expect(await listening(desk)).toEqual([now])
})
