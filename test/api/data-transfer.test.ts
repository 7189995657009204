// Owners over HTTP (D-51, D-62): who a new record belongs to, and how it goes to somebody else.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import { internalContext, localOwnerId } from '#main/kernel/context.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

let host: TestHost
let data: DataService

const witness = definePlugin({
  id: 'test_owner',
  version: '1.0.0',
  requires: ['data'],
  register(plugin) {
    data = plugin.service('data')
  },
})

beforeAll(async () => {
  host = await createTestHost({ plugins: [...corePlugins, ...optionalPlugins, witness] })
  await host.defineObject('task', { name: { type: 'text' } })
  await host.defineObject('fixed', { name: { type: 'text' } }, { enable: { apiMethods: ['create', 'get'] } })
})

afterAll(() => host.stop())

/** A record of the host itself, which the local owner can take over. */
const foreign = async (): Promise<{ id: string; record: Record<string, unknown> }> =>
  data.create(internalContext('seed'), { object: 'task', data: { name: 'seed' } })

describe('the owner of a record', () => {
  it('is its creator unless the body names somebody', async () => {
    expect((await host.post('/data/task', { name: 'mine' })).body.record.owner).toBe(localOwnerId)
    expect((await host.post('/data/task', { owner: localOwnerId })).body.record.owner).toBe(localOwnerId)
    expect((await foreign()).record['owner']).toBe('system')
    const nobody = await host.post('/data/task', { owner: 'nobody' })
    expect([nobody.status, nobody.body.error.details.fieldErrors[0]]).toMatchObject([
      400,
      { field: 'owner', code: 'invalid_reference' },
    ])
  })
})

describe('POST /data/:object/:id/transfer', () => {
  it('gives the record to the owner named and answers it', async () => {
    const { id, record } = await foreign()
    host.takeEvents()
    const { status, body } = await host.post(`/data/task/${id}/transfer`, { owner: localOwnerId })
    expect([status, body.object, body.id, body.record.owner]).toEqual([200, 'task', id, localOwnerId])
    expect(body.record.updated_at > String(record['updated_at'])).toBe(true)
    const changes = host.takeEvents().map((event) => (event.payload as { changes: unknown }).changes)
    expect(changes).toEqual([{ owner: { old: 'system', new: localOwnerId } }])
  })

  it('does what PATCH of the owner does', async () => {
    const { id } = await foreign()
    const { body } = await host.patch(`/data/task/${id}`, { owner: localOwnerId })
    expect(body.record.owner).toBe(localOwnerId)
  })

  it('is never taken away by null, which nothing of the change survives', async () => {
    const { id, record } = await foreign()
    for (const answer of [
      await host.patch(`/data/task/${id}`, { name: 'changed', owner: null }),
      await host.put(`/odata/task(${id})`, { owner: null }),
    ])
      expect([answer.status, answer.body.error.details.fieldErrors]).toMatchObject([
        400,
        [{ field: 'owner', code: 'required' }],
      ])
    expect((await host.get(`/data/task/${id}`)).body.record).toEqual(record)
    const made = await host.post('/data/task', { name: 'mine', owner: null })
    expect([made.status, made.body.record.owner]).toEqual([201, localOwnerId])
  })

  it('honours expectedVersion and If-Match', async () => {
    const { id, record } = await foreign()
    const stale = await host.post(`/data/task/${id}/transfer`, { owner: localOwnerId, expectedVersion: '2000-01-01' })
    expect([stale.status, stale.body.error.code]).toEqual([409, 'CONCURRENT_UPDATE'])
    const matched = await host.post(
      `/data/task/${id}/transfer`,
      { owner: localOwnerId },
      { 'if-match': `"${String(record['updated_at'])}"` },
    )
    expect(matched.status).toBe(200)
  })

  it('refuses a missing or unknown owner, 404 for an unknown record, 405 where update is not offered', async () => {
    const { id } = await foreign()
    expect((await host.post(`/data/task/${id}/transfer`, {})).body.error.details.fieldErrors[0].field).toBe('owner')
    const nobody = await host.post(`/data/task/${id}/transfer`, { owner: 'nobody' })
    expect([nobody.status, nobody.body.error.details.fieldErrors[0].code]).toEqual([400, 'invalid_reference'])
    const missing = '01900000-0000-7000-8000-00000000dead'
    expect((await host.post(`/data/task/${missing}/transfer`, { owner: localOwnerId })).status).toBe(404)
    const fixed = (await host.post('/data/fixed', {})).body.id
    expect((await host.post(`/data/fixed/${fixed}/transfer`, { owner: localOwnerId })).status).toBe(405)
  })
})
