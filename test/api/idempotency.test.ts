// D-42: a repeated write with an Idempotency-Key has one effect.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('task', { title: { type: 'text', required: true } })
})

afterAll(() => host.stop())

const count = async (title: string): Promise<number> =>
  (await host.get(`/data/task?title=${title}&count=true`)).body.total

describe('POST /data/:object with Idempotency-Key', () => {
  it('creates one record and answers the repeat with the first answer and Idempotent-Replay', async () => {
    const headers = { 'idempotency-key': 'create-1' }
    const first = await host.post('/data/task', { title: 'once' }, headers)
    const second = await host.post('/data/task', { title: 'once' }, headers)
    expect([first.status, first.headers.get('idempotent-replay')]).toEqual([201, null])
    expect([second.status, second.headers.get('idempotent-replay')]).toEqual([201, 'true'])
    expect(second.body).toEqual(first.body)
    expect(await count('once')).toBe(1)
  })

  it('refuses the key with another body with conflict', async () => {
    const headers = { 'idempotency-key': 'create-2' }
    await host.post('/data/task', { title: 'two' }, headers)
    const other = await host.post('/data/task', { title: 'three' }, headers)
    expect([other.status, other.body.error.code]).toEqual([409, 'conflict'])
    expect(await count('three')).toBe(0)
  })

  it('has one effect when repeats arrive at once', async () => {
    const headers = { 'idempotency-key': 'create-3' }
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => host.post('/data/task', { title: 'race' }, headers)),
    )
    expect(await count('race')).toBe(1)
    for (const { status } of answers) expect([201, 409]).toContain(status)
  })

  it('refuses a key that is not 1 to 128 visible ASCII characters', async () => {
    const answer = await host.post('/data/task', { title: 'x' }, { 'idempotency-key': 'a'.repeat(129) })
    expect([answer.status, answer.body.error.details.fieldErrors[0].field]).toEqual([400, 'Idempotency-Key'])
  })
})

describe('PATCH /data/:object/:id with Idempotency-Key', () => {
  it('answers the repeat although the version has moved on', async () => {
    const { body } = await host.post('/data/task', { title: 'old' })
    const headers = { 'idempotency-key': 'change-1' }
    const change = { title: 'new', expectedVersion: body.record.updated_at }
    const first = await host.patch(`/data/task/${body.id}`, change, headers)
    const second = await host.patch(`/data/task/${body.id}`, change, headers)
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.body).toEqual(first.body)
  })
})
