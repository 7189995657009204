// One text that people edit on two machines which only a relay leads to: letters and cursors come at once, through the
// memory of the relay alone (design of sync, section 8).
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { findFreePort } from '../support/free-port.ts'
import { editText } from '../support/live-text-client.ts'
import type { Place, TextClient } from '../support/live-text-client.ts'
import { startRelayProcess } from '../support/relay-process.ts'
import type { RelayProcess } from '../support/relay-process.ts'
import { createSyncedHost, pair, until } from '../support/synced-hosts.ts'

let dir: string
let relay: RelayProcess
let restart: () => Promise<void>
let desk: TestHost
let laptop: TestHost
const open: TextClient[] = []

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'cairn-live-relay-'))
  const port = await findFreePort()
  const start = async (): Promise<void> => {
    const started = await startRelayProcess(['--data', join(dir, 'relay'), '--port', String(port)])
    if ('error' in started) throw new Error(started.error)
    relay = started
  }
  restart = async () => {
    await relay.end('SIGKILL')
    await start()
  }
  await start()
  ;[desk, laptop] = await Promise.all([createSyncedHost(), createSyncedHost()])
  const { fingerprint: relayFingerprint, token: relayToken } = relay
  await desk.patch('/sync/settings', { relayUrl: `wss://127.0.0.1:${port}`, relayFingerprint, relayToken })
  expect((await desk.post('/sync/enable', { deviceName: 'Desk' })).status).toBe(202)
  await desk.defineObject('page', { title: { type: 'text' }, body: { type: 'textarea', maxLength: 10 } })
  await pair(desk, laptop)
}, 60_000)

afterEach(() => {
  for (const client of open.splice(0)) client.close()
})

afterAll(async () => {
  await Promise.all([desk?.stop(), laptop?.stop()])
  await relay?.end('SIGKILL')
  rmSync(dir, { recursive: true, force: true })
})

async function edit({ host }: TestHost, place: Place): Promise<TextClient> {
  const client = await editText({ url: host.url, headers: { authorization: `Bearer ${host.token}` } }, place)
  open.push(client)
  return client
}

/** A record that is on both machines, with a text that takes ten characters. */
async function newPage(body: string): Promise<Place> {
  const recordId = (await desk.post('/data/page', { title: 'T', body })).body.id as string
  await until('the record is on both', async () => (await laptop.get(`/data/page/${recordId}`)).status === 200)
  return { object: 'page', recordId, field: 'body' }
}

const rowOf = async (host: TestHost, { recordId }: Place): Promise<string> =>
  (await host.get(`/data/page/${recordId}`)).body.record.body ?? ''

/** Cursors a client shows, without its own. */
const cursorsOf = ({ live }: TextClient): unknown[] => {
  const { awareness } = live.session!
  return [...awareness.getStates()].filter(([id]) => id !== awareness.clientID).map(([, { cursor }]) => cursor)
}

const neverStored = ' and far more than fits'

describe('a text that is open on two machines which only a relay leads to', () => {
  it('has the letters of each on the other though no machine and no relay ever stores them', async () => {
    const place = await newPage('fits')
    const [one, two] = [await edit(desk, place), await edit(laptop, place)]
    one.insert(4, neverStored)
    await two.until(() => two.text() === `fits${neverStored}`)
    two.insert(0, 'It ')
    await one.until(() => one.text() === `It fits${neverStored}`)
    await one.until(() => one.live.state.problem !== undefined)
    expect([await rowOf(desk, place), await rowOf(laptop, place)]).toEqual(['fits', 'fits'])
    const kept = readdirSync(join(dir, 'relay'), { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
    for (const { name, parentPath } of kept)
      expect([name, readFileSync(join(parentPath, name)).includes('far more')]).toEqual([name, false])
    one.remove(0, one.text().length)
    await two.until(() => two.text() === '' && two.live.state.isStored)
  })

  it('has the cursors of each on the other until they leave', async () => {
    const place = await newPage('cursor')
    const [one, two] = [await edit(desk, place), await edit(laptop, place)]
    one.live.session!.awareness.setLocalStateField('cursor', { anchor: 3 })
    await two.until(() => JSON.stringify(cursorsOf(two)) === '[{"anchor":3}]')
    two.live.session!.awareness.setLocalStateField('cursor', { anchor: 5 })
    await one.until(() => JSON.stringify(cursorsOf(one)) === '[{"anchor":5}]')
    one.close()
    await two.until(() => cursorsOf(two).length === 0)
    expect(cursorsOf(two)).toEqual([])
  })

  it('goes on live after the relay was started anew, and has what was typed meanwhile', async () => {
    const place = await newPage('')
    const [one, two] = [await edit(desk, place), await edit(laptop, place)]
    one.insert(0, 'before')
    await two.until(() => two.text() === 'before')
    await restart()
    one.insert(6, neverStored)
    two.insert(0, 'x')
    await Promise.all([one, two].map((client) => client.until(() => client.text() === `xbefore${neverStored}`, 30_000)))
    two.insert(0, 'y')
    await one.until(() => one.text() === `yxbefore${neverStored}`)
    expect(two.text()).toBe(one.text())
  })
})
