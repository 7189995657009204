// A disk without room: reads and deletions go on, everything else is refused with words, and it ends by itself (D-24).
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { fillDisk, freeDisk, tooLarge } from '../support/full-disk.ts'

let test: TestHost
let notices: string[]
const large = { body: tooLarge }

beforeEach(async () => {
  notices = []
  test = await createTestHost({ onDiskSpace: (sentence) => notices.push(sentence) })
  await test.defineObject('note', { body: { type: 'textarea' } })
})

afterEach(() => test.stop())

const fill = (): Promise<void> => fillDisk(test)

const letGo = (): Promise<void> => freeDisk(test)

describe('a full disk', () => {
  it('refuses a write with what was kept and what to do, and nothing of it is stored', async () => {
    const { body: kept } = await test.post('/data/note', { body: 'kept' })
    await fill()
    const answer = await test.post('/data/note', large)
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(answer.body.error).toMatchObject({
      code: 'service_unavailable',
      retryable: true,
      details: { reason: 'disk_full', advice: expect.stringMatching(/full.*not stored.*kept.*Free space/s) },
    })
    // Refused without being tried: small ones too, so that they do not eat up what deletions need.
    expect((await test.post('/data/note', { body: 'small' })).body.error.details.reason).toBe('disk_full')
    expect((await test.patch(`/data/note/${kept.id}`, { body: 'changed' })).status).toBe(503)
    const { body: list } = await test.get('/data/note')
    expect(list.records.map((one: { body: string }) => one.body)).toEqual(['kept'])
    expect(notices).toEqual([expect.stringContaining('is full. Everything stored is kept')])
  })

  it('lets reads, deletions and signing in go on, and says so in discovery', async () => {
    const ids: string[] = []
    for (const body of ['a', 'b', 'c', 'd']) ids.push((await test.post('/data/note', { body })).body.id)
    await fill()
    expect((await test.post('/data/note', large)).status).toBe(503)
    expect((await test.delete(`/data/note/${ids[0]}`)).status).toBe(200)
    expect((await test.delete(`/data/note/${ids[1]}?permanent=true`)).status).toBe(200)
    const many = await test.post('/data/note/deleteMany', { ids: [ids[2]] })
    expect(many.body).toMatchObject({ succeeded: 1 })
    expect((await test.get('/data/note')).body.records.map((one: { id: string }) => one.id)).toEqual([ids[3]])
    const code = test.host.mintCode()
    const session = await test.anonymous('POST', '/_console/session', { code }, { origin: test.host.url })
    expect(session.status).toBe(200)
    expect((await test.get('/healthz')).status).toBe(200)
    expect((await test.get('/discovery')).body.services.data).toMatchObject({
      enabled: true,
      status: 'degraded',
      message: expect.stringContaining('disk is full'),
    })
  })

  it('ends by itself when there is space again', async () => {
    await fill()
    expect((await test.post('/data/note', large)).status).toBe(503)
    await letGo()
    await vi.waitFor(async () => expect((await test.post('/data/note', large)).status).toBe(201), {
      timeout: 15_000,
      interval: 100,
    })
    expect((await test.get('/discovery')).body.services.data.status).toBe('available')
    expect(notices.at(-1)).toContain('There is space')
  })

  it('is the reason why a host is not ready, until there is space again', async () => {
    await fill()
    expect((await test.post('/data/note', large)).status).toBe(503)
    const ready = await test.get('/readyz')
    expect([ready.status, ready.body.error.details.reason]).toEqual([503, 'disk_full'])
    await letGo()
    await vi.waitFor(async () => expect((await test.get('/readyz')).status).toBe(200), {
      timeout: 15_000,
      interval: 100,
    })
  })

  it('is told to those who listen', async () => {
    await fill()
    expect((await test.post('/data/note', large)).status).toBe(503)
    await letGo()
    const told: unknown[] = []
    await vi.waitFor(
      () => {
        told.push(...test.takeEvents().map(({ payload }) => payload))
        expect(told).toContainEqual({ service: 'data', status: 'available', previous: 'degraded' })
      },
      { timeout: 10_000, interval: 50 },
    )
  })
})
