// A machine whose disk is full, as the others see it: they say so, and send the rest once there is room.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { statement } from '#main/kernel/database.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { made } from '../support/record-calls.ts'
import { createSyncedHost, inStep, pair, startFounder, until } from '../support/synced-hosts.ts'

let desk: TestHost
let laptop: TestHost

beforeAll(async () => {
  desk = await startFounder('Desk')
  await desk.defineObject('note', { body: { type: 'textarea' } })
  laptop = await createSyncedHost()
  await pair(desk, laptop)
}, 60_000)

afterAll(async () => {
  await laptop?.stop()
  await desk?.stop()
})

/** Lets the file of the laptop grow to so many pages and no further, as on a full disk. */
const bound = (pages: (now: number) => number): Promise<unknown> =>
  laptop.host.database.write(
    'test.bound',
    (tx) => {
      const [row] = tx.all<{ page_count: number }>(statement('PRAGMA page_count'))
      tx.all(statement(`PRAGMA max_page_count = ${pages(row!.page_count)}`))
    },
    { whenFull: true },
  )

it('is shown with that reason, and gets all once there is room', { timeout: 60_000 }, async () => {
  await bound((now) => now + 8)
  const id = await made(desk, 'note', { body: 'x'.repeat(90_000) })
  const seen = async () => {
    const { state, reason } = (await desk.get('/sync/status')).body
    const [peer] = (await desk.get('/sync/peers')).body.peers
    return { status: `${state} ${reason}`, peer: `${peer.state} ${peer.lastError?.reason}` }
  }
  await until('the desk says so', async () => {
    const { status, peer } = await seen()
    return status === 'offline disk_full' && peer === 'unreachable disk_full'
  })
  expect((await laptop.get('/sync/status')).body).toMatchObject({ state: 'attention', reason: 'disk_full' })
  await bound(() => 1_000_000)
  await until('it is there', async () => (await laptop.get(`/data/note/${id}`)).status === 200, 40_000)
  await inStep([desk, laptop])
  expect((await seen()).peer).toBe('connected undefined')
})
