// Cloning a record over HTTP (D-67, D-71): what is copied, what is not, and when an object has no clones.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

let host: TestHost

const stages = (active: boolean) => [
  { value: 'new', label: 'New' },
  { value: 'old', label: 'Old', active },
]

const fields = {
  name: { type: 'text', required: true },
  code: { type: 'text', unique: true },
  number: { type: 'autonumber', autonumberFormat: 'D-{000}' },
  double: { type: 'formula', returnType: 'number', expression: 'record.amount * 2.0' },
  amount: { type: 'number' },
  tags: { type: 'tags' },
  stage: { type: 'select', options: stages(true) },
  stamp: { type: 'text', readonly: true },
  price: { type: 'currency', currencyConfig: { currencyMode: 'dynamic' } },
}

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('deal', fields)
  await host.defineObject('single', { name: { type: 'text' } }, { enable: { clone: false } })
  await host.defineObject('narrow', { name: { type: 'text' } }, { enable: { apiMethods: ['get', 'create', 'list'] } })
})

afterAll(() => host.stop())

const values = {
  name: 'Deal',
  code: 'unique-1',
  amount: 21,
  tags: ['a', 'b'],
  stage: 'old',
  stamp: 'first',
  price: { value: 9.5, currency: 'EUR' },
}

describe('POST /data/:object/:id/clone', () => {
  it('makes a new record with the values of the other, but no system, computed or unique ones', async () => {
    const source = (await host.post('/data/deal', values)).body
    await host.defineObject('deal', { ...fields, stage: { type: 'select', options: stages(false) } })
    host.takeEvents()
    const { status, body } = await host.post(`/data/deal/${source.id}/clone`)
    expect([status, body.object, body.sourceId]).toEqual([201, 'deal', source.id])
    const { code: _, ...copied } = values
    expect(body.record).toMatchObject({ ...copied, code: null, double: 42 })
    expect(body.record.number).not.toBe(source.record.number)
    expect(body.record.id).not.toBe(source.id)
    expect(host.takeEvents().map((event) => event.type)).toEqual(['record.created'])
    expect((await host.get(`/data/deal/${body.id}`)).body.record).toEqual(body.record)
  })

  it('takes overrides, which are held to the rules of a create', async () => {
    const { id } = (await host.post('/data/deal', { name: 'o' })).body
    const other = await host.post(`/data/deal/${id}/clone`, {
      overrides: { name: 'other', code: 'unique-2', amount: null },
    })
    expect(other.body.record).toMatchObject({ name: 'other', code: 'unique-2', amount: null })
    const bad = await host.post(`/data/deal/${id}/clone`, { overrides: { name: null, nope: 1 } })
    expect(bad.body.error.details.fieldErrors.map((entry: { code: string }) => entry.code).toSorted()).toEqual([
      'required',
      'unknown_field',
    ])
    const taken = await host.post(`/data/deal/${id}/clone`, { overrides: { code: 'unique-2' } })
    expect([taken.status, taken.body.error.code]).toEqual([409, 'conflict'])
  })

  it('answers 404 for a missing or deleted record and for an unknown object', async () => {
    const { id } = (await host.post('/data/deal', { name: 'gone' })).body
    await host.delete(`/data/deal/${id}`)
    for (const path of [`deal/${id}`, 'deal/01900000-0000-7000-8000-00000000dead', 'deal/x', `nope/${id}`])
      expect((await host.post(`/data/${path}/clone`)).status).toBe(404)
  })

  it('answers 405 where the object says no to clones, as a feature or as an operation', async () => {
    for (const object of ['single', 'narrow']) {
      const { id } = (await host.post(`/data/${object}`, { name: 'x' })).body
      const { status, body } = await host.post(`/data/${object}/${id}/clone`)
      expect([status, body.error.code, body.error.details.allowed.includes('clone')]).toEqual([
        405,
        'method_not_allowed',
        false,
      ])
    }
  })
})
