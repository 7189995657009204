// A type is its entry: one that nobody has heard of takes part everywhere its entry says so, over HTTP, and leaves again.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FieldType } from '#shared/field-types/field-type.ts'
import { parsed, refused } from '#shared/field-types/field-type.ts'
import { numericType } from '#shared/field-types/numeric.ts'
import { registerFieldType } from '#shared/field-types/registry.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

/** A direction in whole degrees, in a table written with their sign. */
const bearingType: FieldType = {
  ...numericType({ scale: () => 0, settings: {} }, { family: 'number', listRank: 0, dimension: 'geo' }),
  parse(value, field) {
    if (typeof value !== 'number' || !Number.isInteger(value))
      return refused(field, 'invalid_number', 'The value must be whole degrees.', value)
    return parsed(((value % 360) + 360) % 360)
  },
  toText: (value) => `${String(value)}°`,
  fromText: (text) => (/^-?\d+ ?°?$/.test(text.trim()) ? Number.parseInt(text, 10) : undefined),
  impliedDefault: () => 0,
}

let host: TestHost
let remove: (() => void) | undefined

beforeAll(async () => {
  host = await createTestHost()
})

afterAll(async () => {
  remove?.()
  await host.stop()
})

const fields = { note: { type: 'textarea' }, name: { type: 'text' }, heading: { type: 'bearing' } }
const save = (name: string, as: Record<string, unknown>) =>
  host.put(`/meta/object/${name}`, { type: 'object', name, item: { name, fields: as } })
const define = (name: string) => save(name, fields)
const headings = (body: { records: { heading: unknown }[] }) => body.records.map(({ heading }) => heading)

describe('a made-up field type', () => {
  it('is no type before it is registered', async () => {
    const { status, body } = await define('leg')
    expect([status, body.error.details.fieldErrors[0]]).toMatchObject([
      400,
      { field: 'fields.heading.type', code: 'invalid_option' },
    ])
  })

  it('is written, read, filtered, sorted and grouped as its entry says', async () => {
    remove = registerFieldType('bearing', bearingType)
    expect((await define('leg')).status).toBe(200)
    const made = await host.post('/data/leg/createMany', {
      records: [{ name: 'a', heading: 450 }, { name: 'b', heading: -90 }, { name: 'c', heading: 90 }, { name: 'd' }],
    })
    expect(made.body).toMatchObject({ count: 4 })
    const wrong = await host.post('/data/leg', { name: 'e', heading: 'north' })
    expect([wrong.status, wrong.body.error.details.fieldErrors]).toMatchObject([
      400,
      [{ field: 'heading', code: 'invalid_number' }],
    ])

    expect(headings((await host.get('/data/leg?sort=-heading,name')).body)).toEqual([270, 90, 90, 0])
    expect(
      headings((await host.post('/data/leg/query', { filter: { heading: { $between: [1, 100] } } })).body),
    ).toEqual([90, 90])
    const text = await host.post('/data/leg/query', { filter: { heading: { $contains: '9' } } })
    expect(text.status).toBe(400)
    const { body } = await host.post('/data/leg/query', {
      groupBy: ['heading'],
      aggregations: [{ function: 'count', alias: 'n' }],
      sort: 'heading',
    })
    expect(body.records).toEqual([
      { heading: 0, n: 1 },
      { heading: 90, n: 2 },
      { heading: 270, n: 1 },
    ])
  })

  it('stands in generated views, in the schema of definitions and in cubes', async () => {
    const list = await host.get('/ui/view/leg/list')
    expect(list.body.columns.map(({ field }: { field: string }) => field)).toEqual(['name', 'heading'])
    const schema = await host.get('/meta/types/field/schema')
    expect(schema.body.properties.type.enum).toContain('bearing')
    const cube = await host.get('/analytics/meta/leg')
    const { measures, dimensions } = cube.body
    expect(measures.map(({ name }: { name: string }) => name)).toContain('heading.avg')
    expect(dimensions).toContainEqual(expect.objectContaining({ name: 'heading', type: 'geo' }))
  })

  it('goes out in its own form and comes back', async () => {
    const { body: csv } = await host.get('/data/leg/export?select=name,heading&sort=name')
    expect(csv).toBe('name,heading\r\na,90°\r\nb,270°\r\nc,90°\r\nd,0°\r\n')
    expect((await define('again')).status).toBe(200)
    const { body } = await host.post('/data/again/import', { format: 'csv', csv: `${String(csv)}e,-10\r\nf,west\r\n` })
    expect(body).toMatchObject({
      created: 5,
      failed: 1,
      errors: [{ row: 6, field: 'heading', code: 'invalid_number' }],
    })
    expect(headings((await host.get('/data/again?sort=name')).body)).toEqual([90, 270, 90, 0, 350])
  })

  it('keeps its column when a field becomes another type of its family', async () => {
    const plan = await save('again', { ...fields, heading: { type: 'number', scale: 0 } })
    expect(plan.status).toBe(200)
    expect(headings((await host.get('/data/again?sort=name')).body)).toEqual([90, 270, 90, 0, 350])
  })

  it('is gone when it is taken out', async () => {
    for (const name of ['leg', 'again'])
      expect((await host.delete(`/meta/object/${name}?confirm=true`)).status).toBe(200)
    remove?.()
    expect((await define('leg')).status).toBe(400)
    expect((await host.get('/meta/types/field/schema')).body.properties.type.enum).not.toContain('bearing')
  })
})
