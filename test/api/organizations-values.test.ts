// What values of records may say between organizations: unique values and people (D-41, D-92).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../support/create-test-host.ts'
import type { PeopledHost } from '../support/test-identities.ts'
import { createPeopledHost, testUserId } from '../support/test-identities.ts'

let host: PeopledHost
const users = ['org-1', 'org-2', 'org-1'].map((organizationId) => ({
  organizationId,
  memberships: [{ organizationId, role: 'member', teams: [] }],
}))
const idOf = ({ body }: Answer): string => String(body.id)
const refusal = ({ status, body }: Answer): unknown => {
  const [first] = (body.error?.details.fieldErrors ?? []) as { field: string; code: string }[]
  return [status, first?.field, first?.code]
}

beforeAll(async () => {
  host = await createPeopledHost({ users, organizations: true })
  await host.defineObject(
    'thing',
    {
      code: { type: 'text', unique: true },
      nick: { type: 'text', unique: true, caseSensitive: false },
      key: { type: 'text', externalId: true },
      team: { type: 'text' },
      seat: { type: 'number', scale: 0 },
      plain: { type: 'text' },
      number: { type: 'autonumber', unique: true },
      who: { type: 'user' },
      crew: { type: 'user', multiple: true },
    },
    { indexes: [{ fields: ['team', 'seat'], unique: true }] },
  )
  await host.saveItem('validation', 'one_plain', {
    object: 'thing',
    type: 'unique',
    fields: ['plain', 'seat'],
    message: 'Taken.',
  })
  for (const number of [0, 1]) await host.assign(number, { profile: 'administrator' })
})
afterAll(() => host.stop())

describe('a unique value', () => {
  it('counts within the organization: in single writes, changes, tuples and rules', async () => {
    const values = { code: 'A', nick: 'Ann', team: 'red', seat: 1, plain: 'x' }
    const first = await host.as(0).post('/data/thing', values)
    const other = await host.as(1).post('/data/thing', { ...values, nick: 'aNN' })
    expect([first.status, other.status]).toEqual([201, 201])
    expect(refusal(await host.as(2).post('/data/thing', { code: 'A' }))).toEqual([409, 'code', 'not_unique'])
    expect(refusal(await host.as(2).post('/data/thing', { team: 'red', seat: 1 }))).toEqual([409, 'team', 'not_unique'])
    expect(refusal(await host.as(2).post('/data/thing', { plain: 'x', seat: 1 }))).toEqual([409, 'plain', 'not_unique'])
    const free = await host.as(0).post('/data/thing', { code: 'B' })
    expect(refusal(await host.as(0).patch(`/data/thing/${idOf(free)}`, { nick: 'ANN' }))).toEqual([
      409,
      'nick',
      'not_unique',
    ])
    await host.as(1).post('/data/thing', { code: 'C' })
    expect((await host.as(0).patch(`/data/thing/${idOf(free)}`, { code: 'C' })).status).toBe(200)
    // Numbers stay those of the object.
    expect(other.body.record.number).not.toBe(first.body.record.number)
  })

  it('in bulk, batches, upserts and imports', async () => {
    for (const number of [0, 1]) {
      const many = await host.as(number).post('/data/thing/createMany', { records: [{ code: 'M1' }, { code: 'M2' }] })
      expect(many.status).toBe(201)
      const upsert = { operation: 'upsert', records: [{ externalId: 'k1', data: { code: 'U' } }] }
      for (const operation of ['create', 'update']) {
        const { body } = await host.as(number).post('/data/thing/batch', upsert)
        expect([body.success, body.results[0].operation]).toEqual([true, operation])
      }
      const rows = [{ key: 'k2', code: 'I' }]
      const load = { rows, writeMode: 'upsert', matchFields: ['key'] }
      expect((await host.as(number).post('/data/thing/import', load)).body).toMatchObject({ created: 1, failed: 0 })
      expect((await host.as(number).post('/data/thing/import', load)).body).toMatchObject({ updated: 1, failed: 0 })
      const again = await host.as(number).post('/data/thing/import', { rows: [{ code: 'I' }] })
      expect(again.body).toMatchObject({ created: 0, failed: 1 })
    }
  })

  it('in the trash and out of it', async () => {
    const upsert = { operation: 'upsert', records: [{ externalId: 'k3', data: { code: 'T' } }] }
    const made = (await host.as(0).post('/data/thing/batch', upsert)).body.results[0].id as string
    await host.as(0).delete(`/data/thing/${made}`)
    const others = (await host.as(1).post('/data/thing/batch', upsert)).body
    expect([others.success, others.results[0].operation]).toEqual([true, 'create'])
    expect((await host.as(0).post(`/data/thing/${made}/restore`, {})).status).toBe(200)
    await host.as(0).delete(`/data/thing/${made}`)
    await host.as(0).post('/data/thing', { code: 'T' })
    expect(refusal(await host.as(0).post(`/data/thing/${made}/restore`, {}))).toEqual([409, 'code', 'not_unique'])
  })

  it('when a field is to become unique; a refusal shows values of nobody', async () => {
    const fields = (unique: boolean, type = 'text') => ({ word: { type, unique } })
    await host.defineObject('term', fields(false))
    for (const number of [0, 1]) await host.as(number).post('/data/term', { word: '7' })
    await host.defineObject('term', fields(true))
    // Equal values of two organizations stay two when they are converted.
    const path = '/meta/object/term'
    const item = { type: 'object', name: 'term', item: { name: 'term', fields: fields(true, 'number') } }
    expect((await host.put(`${path}?destructive=true`, item)).status).toBe(200)
    await host.defineObject('term', fields(false, 'number'))
    await host.as(1).post('/data/term', { word: 7 })
    const refused = await host.put(path, item)
    expect(refusal(refused)).toEqual([409, 'fields.word.unique', 'not_unique'])
    expect(refused.body.error.details.duplicates).toEqual([])
  })
})

describe('a user field', () => {
  it('takes people of the organization only; those it holds stay', async () => {
    const [own, foreign] = [testUserId(2), testUserId(1)]
    const made = await host.as(0).post('/data/thing', { who: own, crew: [own, testUserId(0)] })
    expect(made.status).toBe(201)
    const path = `/data/thing/${idOf(made)}`
    const unknown = await host.as(0).post('/data/thing', { who: testUserId(9) })
    const refused = await host.as(0).post('/data/thing', { who: foreign })
    expect(refusal(refused)).toEqual([400, 'who', 'invalid_reference'])
    const message = ({ body }: Answer): unknown => body.error.details.fieldErrors[0].message
    expect(message(refused)).toBe(message(unknown))
    expect(refusal(await host.as(0).patch(path, { crew: [own, foreign] }))).toEqual([
      400,
      'crew.1',
      'invalid_reference',
    ])
    expect(refusal(await host.as(0).patch(path, { owner: foreign }))).toEqual([400, 'owner', 'invalid_reference'])
    expect((await host.as(0).post(`${path}/transfer`, { owner: foreign })).status).toBe(400)
    const rows = [{ who: foreign }]
    expect((await host.as(0).post('/data/thing/import', { rows })).body).toMatchObject({ created: 0, failed: 1 })
    await host.host.database.write('test.leave', (tx) =>
      tx.run({ sql: 'UPDATE o_thing SET who = ? WHERE id = ?', parameters: [foreign, idOf(made)] }),
    )
    expect((await host.as(0).get(path)).body.record.who).toBe(foreign)
    expect((await host.as(0).patch(path, { who: foreign, plain: 'changed' })).status).toBe(200)
  })
})

describe('what a trigger makes', () => {
  it('belongs to the organization of the record it ran for', async () => {
    await host.defineObject('trace', { title: { type: 'text' } })
    await host.saveItem('trigger', 'note_it', {
      object: 'term',
      events: ['create'],
      actions: [{ type: 'create_record', config: { object: 'trace', data: { title: 'made' } } }],
    })
    await host.as(1).post('/data/term', { word: 8 })
    const seen = async (number: number) => (await host.as(number).get('/data/trace')).body.records.length as number
    await expect.poll(() => seen(1)).toBe(1)
    expect(await seen(0)).toBe(0)
  })
})
