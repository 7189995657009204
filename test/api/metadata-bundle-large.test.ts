// Bundles over tables too large to be changed at once: D-101, D-108 (import, bulk unregister).
import { describe, expect, it } from 'vitest'
import { host, name, useMetadataHost } from '../support/metadata-suite.ts'

useMetadataHost()

const rows = 6_000

async function makeLarge(object: string): Promise<void> {
  await host.defineObject(object, { amount: { type: 'text' }, note: { type: 'text' } })
  for (let at = 0; at < rows; at += 1_000) {
    const records = Array.from({ length: 1_000 }, (_, i) => ({ amount: String(at + i), note: `note ${at + i}` }))
    expect((await host.post(`/data/${object}/createMany`, { records })).status).toBe(201)
  }
}

const retyped = (object: string) => ({
  type: 'object',
  name: object,
  item: { fields: { amount: { type: 'number' }, note: { type: 'textarea', renamedFrom: 'note' } } },
})
const importItems = (items: unknown[]) =>
  host.post('/meta/import?confirm=true', { data: { items }, conflictResolution: 'overwrite' })
const countOf = async (object: string, filter: unknown) =>
  (await host.get(`/data/${object}?top=1&count=true&filter=${encodeURIComponent(JSON.stringify(filter))}`)).body.total

describe('a bundle over large tables', () => {
  it('converts all of them, and removes them together', async () => {
    const other = `${name}_other`
    await makeLarge(name)
    await makeLarge(other)
    const { status, body } = await importItems([retyped(name), retyped(other)])
    expect({ status, data: body.data }).toMatchObject({ status: 200, data: { imported: 2, failed: 0 } })
    for (const object of [name, other]) {
      expect(await countOf(object, { amount: { $gte: rows - 10 } })).toBe(10)
      expect(await countOf(object, { note: { $ne: null } })).toBe(rows)
      expect((await host.post(`/data/${object}`, { amount: 1.5 })).status).toBe(201)
    }
    const items = [name, other].map((object) => ({ type: 'object', name: object }))
    const removed = await host.post('/meta/bulk/unregister?confirm=true', { items })
    expect(removed.body.data).toEqual({ total: 2, succeeded: 2, failed: 0 })
    expect((await host.get(`/data/${other}`)).status).toBe(404)
  })

  it('leaves every table as it was when one item fails', async () => {
    await makeLarge(name)
    await host.defineObject(`${name}_twice`, { code: { type: 'text' } })
    for (const code of ['a', 'a']) await host.post(`/data/${name}_twice`, { code })
    const unique = { type: 'object', name: `${name}_twice`, item: { fields: { code: { type: 'text', unique: true } } } }
    const { body } = await importItems([retyped(name), unique])
    expect(body.data).toMatchObject({ imported: 0, failed: 1, errors: [{ name: `${name}_twice`, code: 'conflict' }] })
    expect((await host.get(`/meta/object/${name}`)).body.item.fields.amount.type).toBe('text')
    expect(await countOf(name, { amount: { $contains: '59' } })).toBeGreaterThan(100)
    expect((await host.post(`/data/${name}`, { amount: 'words' })).status).toBe(201)
    expect((await importItems([retyped(name)])).body.data).toMatchObject({ imported: 1, failed: 0 })
  })
})
