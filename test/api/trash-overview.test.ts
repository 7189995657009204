// The trash over all objects (D-311), and what the workspace takes on the disk (D-312).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { restricted, restrictedPlugins } from '../support/restricted-permissions.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost({
    plugins: restrictedPlugins({ hiddenObjects: ['vault'], hiddenFields: [], rows: { task: { open: true } } }),
  })
  await host.defineObject('task', { title: { type: 'text' }, open: { type: 'boolean' } }, { trashRetentionDays: 5 })
  await host.defineObject('vault', { title: { type: 'text' } })
  await host.defineObject('empty', { title: { type: 'text' } })
  for (const open of [true, true, false]) {
    const { id } = (await host.post('/data/task', { title: 'Gone', open })).body
    await host.delete(`/data/task/${id}`)
  }
  const { id } = (await host.post('/data/vault', { title: 'Gone' })).body
  await host.delete(`/data/vault/${id}`)
  await host.post('/data/task', { title: 'Here', open: true })
})
afterAll(() => host.stop())

describe('GET /trash', () => {
  it('tells objects with deleted records, how long they stay and since when the oldest is there', async () => {
    await host.patch('/settings', { trashRetentionDays: 30 })
    const { status, body } = await host.get('/trash')
    expect(status).toBe(200)
    const oldest = (await host.get('/data/task?deleted=only&sort=deleted_at&select=id,deleted_at')).body.records[0]
    expect(body).toEqual({
      retentionDays: 30,
      objects: [
        { object: 'task', total: 3, retentionDays: 5, oldestAt: oldest.deleted_at },
        { object: 'vault', total: 1, retentionDays: 30, oldestAt: expect.any(String) },
      ],
    })
  })

  it('counts only what the caller may see', async () => {
    const { body } = await host.get('/trash', restricted)
    expect(body.objects.map(({ object, total }: { object: string; total: number }) => [object, total])).toEqual([
      ['task', 2],
    ])
  })
})

describe('GET /usage', () => {
  it('tells records, those in the trash and the bytes of each object', async () => {
    const { status, body } = await host.get('/usage')
    expect(status, JSON.stringify(body)).toBe(200)
    const of = (name: string) => body.objects.find(({ object }: { object: string }) => object === name)
    expect(of('task')).toMatchObject({ records: 1, deleted: 3 })
    expect(of('empty')).toMatchObject({ records: 0, deleted: 0 })
    expect(of('task').sizeBytes).toBeGreaterThanOrEqual(4096)
    const sum = [...body.objects, ...body.others].reduce((all: number, { sizeBytes }) => all + sizeBytes, 0)
    expect(sum + body.database.freeBytes).toBe(body.database.sizeBytes)
  })

  it('asks for a credential', async () => {
    expect((await host.anonymous('GET', '/usage')).status).toBe(401)
  })
})
