// Everything out of one workspace and into a fresh one: metadata, then one file per object, whose records point at each
// other in a ring (D-68, D-69, D-110).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

let from: TestHost
let to: TestHost

beforeAll(async () => {
  from = await createTestHost()
  to = await createTestHost()
})

afterAll(async () => {
  await from.stop()
  await to.stop()
})

const objects = ['company', 'person', 'topic']

async function records(host: TestHost, object: string): Promise<Record<string, unknown>[]> {
  const { body } = await host.get(`/data/${object}?top=1000&sort=id`)
  return body.records.map(({ created_at: _, updated_at: __, ...rest }: Record<string, unknown>) => rest)
}

describe('a whole workspace', () => {
  it('comes out and goes into a fresh one with its ids and rings of relations', async () => {
    await from.defineObject('company', { name: { type: 'text', required: true } })
    await from.defineObject('person', {
      name: { type: 'text', required: true },
      company: { type: 'lookup', reference: 'company' },
      friends: { type: 'lookup', reference: 'person', multiple: true },
    })
    await from.defineObject('company', {
      name: { type: 'text', required: true },
      head: { type: 'lookup', reference: 'person' },
    })
    await from.defineObject('topic', { name: { type: 'text' }, parent: { type: 'tree' } })
    const company = (await from.post('/data/company', { name: 'Acme' })).body.id
    const ids: string[] = []
    for (const name of ['Ada', 'Bob', 'Cleo']) ids.push((await from.post('/data/person', { name, company })).body.id)
    await from.patch(`/data/company/${company}`, { head: ids[2] })
    await from.patch(`/data/person/${ids[0]}`, { friends: [ids[2], ids[1]] })
    const child = (await from.post('/data/topic', { name: 'Child' })).body.id
    const root = (await from.post('/data/topic', { name: 'Root' })).body.id
    await from.patch(`/data/topic/${child}`, { parent: root })

    const metadata = await from.post('/meta/export', { types: ['object'], format: 'json' })
    expect(metadata.status).toBe(200)
    const content = metadata.body.content ?? metadata.body.data?.content
    const taken = await to.post('/meta/import', {
      data: content,
      conflictResolution: 'overwrite',
      validate: true,
      dryRun: false,
    })
    expect([taken.status, taken.body]).toMatchObject([200, {}])

    const relations: Record<string, string[]> = { company: ['head'], person: ['company', 'friends'], topic: ['parent'] }
    const files = new Map<string, string>()
    for (const object of objects) files.set(object, (await from.get(`/data/${object}/export?format=ndjson`)).body)
    const send = (object: string, query: string) =>
      to.post(`/data/${object}/import?trimWhitespace=false&${query}`, files.get(object)!, {
        'content-type': 'application/x-ndjson',
      })
    for (const object of objects) {
      const mapping = encodeURIComponent(
        JSON.stringify(Object.fromEntries(relations[object]!.map((name) => [name, '']))),
      )
      expect((await send(object, `mapping=${mapping}`)).body).toMatchObject({ failed: 0, errors: [] })
    }
    for (const object of objects) {
      expect((await send(object, 'writeMode=update&matchFields=id')).body).toMatchObject({ failed: 0, created: 0 })
      expect(await records(to, object)).toEqual(await records(from, object))
    }
    expect((await to.get(`/data/topic/${child}`)).body.record).toMatchObject({ parent: root })
  })
})
