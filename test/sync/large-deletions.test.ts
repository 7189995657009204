// A deletion of many records, its restore and their removal for good, between machines: neither the one that writes all the
// documents nor the one that applies them as a whole holds its event loop for it. What a turn costs is compared with the
// whole, both in time of the processor, so that a busy machine makes no difference.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer, TestHost } from '../support/create-test-host.ts'
import { createSyncedHost, inStep, pair, pause, startFounder, until } from '../support/synced-hosts.ts'
import { sized } from '../support/test-size.ts'

let desk: TestHost
let laptop: TestHost

beforeAll(async () => {
  desk = await startFounder('Desk')
  await desk.defineObject('firm', { name: { type: 'text' } })
  await desk.defineObject('part', { name: { type: 'text' }, firm: { type: 'master_detail', reference: 'firm' } })
  laptop = await createSyncedHost()
  await pair(desk, laptop)
}, 120_000)

afterAll(async () => {
  await laptop?.stop()
  await desk?.stop()
})

/** Works, and tells the dearest turn of the event loop and all of them together, in milliseconds of this thread. */
async function turnsOf(work: () => Promise<unknown>): Promise<{ readonly longest: number; readonly total: number }> {
  let [longest, total, isOver] = [0, 0, false]
  let before = process.threadCpuUsage()
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const turn = (): void => {
    const { user, system } = process.threadCpuUsage(before)
    const took = (user + system) / 1_000
    longest = Math.max(longest, took)
    total += took
    before = process.threadCpuUsage()
    if (isOver) resolve()
    else setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  isOver = true
  await ended
  return { longest, total }
}

// Up to a thousand documents are applied as a whole, more an envelope at a time.
describe.each(sized([900], [900, 4_000]))('a record with %d details', { timeout: 600_000 }, (count) => {
  it('is deleted, brought back and removed for good without a long turn, here and there', async () => {
    const { id } = (await desk.post('/data/firm', { name: 'One' })).body
    for (let at = 0; at < count; at += 1_000) {
      const records = Array.from({ length: Math.min(1_000, count - at) }, () => ({ name: 'Bolt', firm: id }))
      expect((await desk.post('/data/part/createMany', { records })).status).toBe(201)
    }
    await inStep([desk, laptop])
    const steps: readonly (readonly [() => Promise<Answer>, number])[] = [
      [() => desk.delete(`/data/firm/${id}`), 0],
      [() => desk.post(`/data/firm/${id}/restore`), count],
      [() => desk.delete(`/data/firm/${id}?purge=true`), 0],
    ]
    for (const [act, left] of steps) {
      await pause(laptop, true)
      const written = await turnsOf(async () => expect((await act()).status).toBe(200))
      const applied = await turnsOf(async () => {
        await pause(laptop, false)
        const isThere = async () => (await laptop.get('/data/part?top=1&count=true')).body.total === left
        await until('it is there', isThere, 300_000)
      })
      for (const { longest, total } of [written, applied]) expect(longest).toBeLessThan(total / 4)
      await inStep([desk, laptop])
    }
  })
})
