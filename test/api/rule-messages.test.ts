// A validation rule says in its author's words what is wrong; rules from before that was asked for go on (D-96).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { statement } from '#main/kernel/database.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { Answer, TestHost } from '../support/create-test-host.ts'

let host: TestHost

const rule = { type: 'script', condition: 'record.n > 9', message: 'Too large.' }
const silent = { type: 'script', condition: 'record.n > 9' }
const fields = { n: { type: 'number' } }

beforeAll(async () => {
  host = await createTestHost()
})
afterAll(() => host.stop())

const putObject = (name: string, validations: unknown, query = ''): Promise<Answer> =>
  host.put(`/meta/object/${name}${query}`, { name, fields, validations })

const pathsOf = ({ status, body }: Answer): unknown => [
  status,
  body.error?.code,
  body.error?.details.fieldErrors?.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`),
]

describe('a new rule without a message', () => {
  beforeAll(() => host.defineObject('deal', fields))

  it.each([
    ['none', silent],
    ['a blank one', { ...rule, message: ' ' }],
    ['none in a unique rule', { type: 'unique', fields: ['n'] }],
    ['none outside of its parts', { type: 'conditional', when: 'true', then: rule }],
  ])('is refused by name: %s', async (_, given) => {
    const refusal = (path: string) => [400, 'validation_error', [`${path} required`]]
    const item = { object: 'deal', ...given }
    expect(pathsOf(await host.put('/meta/validation/deal.limit', item))).toEqual(refusal('message'))
    expect(pathsOf(await host.post('/meta/validation', { name: 'deal.limit', data: item }))).toEqual(refusal('message'))
    const inline = await putObject('other', [
      { name: 'a', ...rule },
      { name: 'b', ...given },
    ])
    expect(pathsOf(inline)).toEqual(refusal('validations.1.message'))
    const checked = await host.post('/meta/validate', { type: 'validation', data: { name: 'deal.limit', ...item } })
    expect(checked.body.data).toMatchObject({ valid: false, errors: [{ path: 'message', code: 'required' }] })
    expect((await host.get('/meta/validation/deal.limit')).status).toBe(404)
  })

  it('loses none by an overlay or a later save', async () => {
    expect((await host.put('/meta/validation/deal.kept', { object: 'deal', ...rule })).status).toBe(200)
    const later = await host.put('/meta/validation/deal.kept', { object: 'deal', ...silent })
    expect(pathsOf(later)).toEqual([400, 'validation_error', ['message required']])
    const overlay = await host.put('/meta/validation/deal.kept/overlay', { patch: { message: null } })
    expect(pathsOf(overlay)).toEqual([400, 'validation_error', ['message required']])
  })

  it('passes where the rule has words of its own', async () => {
    const machine = { type: 'state_machine', field: 'n', transitions: {} }
    expect((await host.put('/meta/validation/deal.steps', { object: 'deal', ...machine })).status).toBe(200)
    const parts = { type: 'conditional', when: 'true', then: silent, message: 'No.' }
    expect((await host.put('/meta/validation/deal.parts', { object: 'deal', ...parts })).status).toBe(200)
  })
})

describe('a rule that was stored without a message', () => {
  const stored = [{ name: 'small', ...rule }]

  beforeAll(async () => {
    await host.defineObject('old', fields, { validations: stored })
    await host.put('/meta/validation/old.odd', { object: 'old', ...rule, condition: 'record.n == 3' })
    await host.host.database.write('test.earlier', (tx) => {
      const sql =
        "UPDATE metadata_item SET item = replace(item, ',\"message\":\"Too large.\"', '') WHERE name LIKE 'old%'"
      tx.run(statement(sql, []))
    })
    await host.restart()
  })

  it('judges as before, with words that name it', async () => {
    const messages = async (n: number): Promise<string[]> => {
      const { body } = await host.post('/data/old', { n })
      return body.error.details.fieldErrors.map(({ message }: { message: string }) => message)
    }
    expect(await messages(10)).toEqual(['The rule "small" is violated.'])
    expect(await messages(3)).toEqual(['The rule "old.odd" is violated.'])
  })

  it('hinders no save around it', async () => {
    const { item } = (await host.get('/meta/object/old')).body
    expect(item.validations[0]).not.toHaveProperty('message')
    const wider = { ...item, fields: { ...item.fields, m: { type: 'text' } } }
    expect((await host.put('/meta/object/old', wider)).status).toBe(200)
    expect((await host.put('/meta/field/old.k', { type: 'text' })).status).toBe(200)
    const more = { ...wider, validations: [...item.validations, { name: 'more', ...silent }] }
    expect(pathsOf(await host.put('/meta/object/old?confirm=true', more))).toEqual([
      400,
      'validation_error',
      ['validations.1.message required'],
    ])
    const same = await host.put('/meta/validation/old.odd', { object: 'old', ...silent, condition: 'record.n == 5' })
    expect(same.status).toBe(200)
  })

  it('comes back with its object', async () => {
    expect((await host.delete('/meta/object/old?confirm=true&force=true')).status).toBe(200)
    const { body } = await host.get('/meta/object/old/backups')
    const back = await host.post(`/meta/object/old/backups/${body.data[0].id}/restore`, {})
    expect(back.body.data).toMatchObject({ kind: 'object' })
    expect(back.body.data.skipped ?? []).toEqual([])
    expect((await host.post('/data/old', { n: 10 })).status).toBe(400)
  })
})
