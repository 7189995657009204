// Values of every field type over HTTP: what is sent is answered in its normal form, now and when it is read again; what
// the type refuses is refused by name and code, and nothing is written (D-22, D-94).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { badValues, goodValues, named } from '../support/field-cases.ts'
import type { FieldCase } from '../support/field-cases.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { withoutStorage } from '../support/storage-calls.ts'

/** Types that need other records, computed ones and concealed ones have tests of their own. */
const elsewhere: ReadonlySet<string> = new Set(
  'lookup master_detail tree user record formula summary autonumber password secret'.split(' '),
)

let host: TestHost
/** Name of the field of a definition; one object has them all. */
const names = new Map<string, string>()

/** Values that are no JSON, or longer than a request may be, are no business of HTTP. */
const isSendable = (value: unknown): boolean =>
  typeof value !== 'bigint' && !Number.isNaN(value) && !(typeof value === 'string' && value.length > 900_000)

const cases = <Row extends readonly [FieldCase, unknown, unknown]>(rows: readonly Row[]): Row[] =>
  rows.filter(([{ type }, value]) => !elsewhere.has(type) && isSendable(value))

function nameOf(definition: FieldCase): string {
  const key = JSON.stringify(definition)
  const known = names.get(key) ?? `f${names.size}`
  names.set(key, known)
  return known
}

beforeAll(async () => {
  host = await createTestHost(withoutStorage)
  await host.patch('/settings', { timezone: 'Europe/Berlin', currency: 'EUR' })
  const fields: Record<string, unknown> = {}
  for (const [definition] of [...cases(goodValues), ...cases(badValues)]) {
    // Required fields would be missed by every other case.
    if (definition['required'] !== true) fields[nameOf(definition)] = definition
  }
  await host.defineObject('thing', fields)
})

afterAll(() => host.stop())

describe('a record', () => {
  it.each(cases(goodValues).map(named))('takes and answers %s', async (_name, definition, value, stored) => {
    const field = nameOf(definition)
    const created = await host.post('/data/thing', { [field]: value })
    expect(created.status, JSON.stringify(created.body)).toBe(201)
    expect(created.body.record[field]).toEqual(stored)
    const { record } = (await host.get(`/data/thing/${created.body.id}`)).body
    expect(record[field]).toEqual(stored)
    const listed = await host.get(`/data/thing?id=${created.body.id}&select=${field}`)
    expect(listed.body.records[0][field]).toEqual(stored)
    // What was read can be written back, and is no change.
    const again = await host.patch(`/data/thing/${created.body.id}`, { [field]: record[field] })
    expect(again.status, JSON.stringify(again.body)).toBe(200)
    expect(again.body.record).toEqual(record)
  })

  it.each(cases(badValues.filter(([definition]) => definition['required'] !== true)).map(named))(
    'refuses %s',
    async (_name, definition, value, codes) => {
      const field = nameOf(definition)
      const before = (await host.get('/data/thing?count=true&top=1')).body.total
      const answer = await host.post('/data/thing', { [field]: value })
      expect(answer.status).toBe(400)
      const { fieldErrors } = answer.body.error.details
      expect(fieldErrors.map((error: { code: string }) => error.code)).toEqual(codes)
      for (const error of fieldErrors) expect(error.field.split('.')[0]).toBe(field)
      expect((await host.get('/data/thing?count=true&top=1')).body.total).toBe(before)
    },
  )

  it('is filtered by whether a field of any type has a value', async () => {
    for (const [definition, value, stored] of cases(goodValues)) {
      const field = nameOf(definition)
      const { id } = (await host.post('/data/thing', { [field]: value })).body
      const isEmpty = stored === null || (Array.isArray(stored) && stored.length === 0)
      const filter = encodeURIComponent(JSON.stringify({ id, [field]: { $null: isEmpty } }))
      const found = await host.get(`/data/thing?filter=${filter}`)
      expect({ definition, status: found.status, ids: found.body.records?.length }).toEqual({
        definition,
        status: 200,
        ids: 1,
      })
    }
  })
})
