// One answer names every problem of a write: of its fields, its references, its rules and its unique values (D-22, D-95).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { leastStatements } from '../support/least-statements.ts'

let host: TestHost
let owner: string
let id: string

const nobody = '01920000-0000-7000-8000-000000000000'

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('person', { name: { type: 'text' } })
  await host.defineObject(
    'deal',
    {
      name: { type: 'text', required: true },
      code: { type: 'text', unique: true },
      amount: { type: 'number' },
      twice: { type: 'formula', expression: 'record.amount * 2' },
      note: { type: 'text', conditionalRequired: 'record.amount > 100' },
      person: { type: 'lookup', reference: 'person' },
      row: { type: 'text' },
      seat: { type: 'text' },
    },
    {
      validations: [
        { name: 'small', type: 'script', condition: 'record.amount < 0', message: 'No.', field: 'amount' },
        { name: 'even', type: 'script', condition: 'record.twice < 0', message: 'No.', field: 'twice' },
        { name: 'plain', type: 'format', field: 'row', regex: '^[a-z]$', message: 'No.' },
        { name: 'known', type: 'script', condition: 'record.person != null', message: 'No.', field: 'person' },
        { name: 'place', type: 'unique', fields: ['row', 'seat'], message: 'Taken.' },
      ],
    },
  )
  owner = (await host.post('/data/person', { name: 'p' })).body.id
  expect((await host.post('/data/deal', { name: 'first', code: 'x', row: 'a', seat: '1' })).status).toBe(201)
  id = (await host.post('/data/deal', { name: 'second', code: 'y', row: 'b', seat: '1' })).body.id
  expect(owner).toBeTypeOf('string')
})
afterAll(() => host.stop())

interface Problem {
  field: string
  code: string
}
const brief = (error: { details: { fieldErrors: Problem[] } }): string[] =>
  error.details.fieldErrors.map(({ field, code }) => `${field} ${code}`).toSorted()

/** Wrong in every stage: a field, a reference, a rule, a unique value, a tuple. */
const wrong = { amount: 'many', person: nobody, row: 'AA', code: 'x' }
const problems = ['amount invalid_number', 'code not_unique', 'person invalid_reference', 'row rule_violation']
const missing = [...problems, 'name required'].toSorted()
const total = async (): Promise<number> => (await host.get('/data/deal?count=true&top=1')).body.total

describe('a write without problems', () => {
  it('costs no statement more than it takes to judge and store it', async () => {
    const person = { type: 'lookup', reference: 'person' }
    await host.defineObject('plain', { name: { type: 'text', unique: true }, person })
    let n = 0
    const name = (): string => `n${(n += 1)}`
    const one = (await host.post('/data/plain', { name: name(), person: owner })).body.id
    const records = (): object[] => [{ data: { name: name() } }]
    const costs = [
      await leastStatements(host, () => host.post('/data/plain', { name: name(), person: owner })),
      await leastStatements(host, () => host.patch(`/data/plain/${one}`, { name: name() })),
      await leastStatements(host, () => host.post('/data/plain/batch', { operation: 'create', records: records() })),
    ]
    expect(costs).toEqual([5, 8, 4])
  })
})

describe('a write with problems of several stages', () => {
  it('names all of them when a record is created', async () => {
    const answer = await host.post('/data/deal', wrong)
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error'])
    expect(brief(answer.body.error)).toEqual(missing)
    const clash = await host.post('/data/deal', { name: 'n', amount: -1, code: 'x', row: 'a', seat: '1' })
    expect(brief(clash.body.error)).toEqual([
      'amount rule_violation',
      'code not_unique',
      'row not_unique',
      'seat not_unique',
      'twice rule_violation',
    ])
    expect(await total()).toBe(2)
  })

  it('names all of them when a record is changed, and leaves it as it is', async () => {
    const before = (await host.get(`/data/deal/${id}`)).body.record
    const answer = await host.patch(`/data/deal/${id}`, { ...wrong, name: null })
    expect(brief(answer.body.error)).toEqual(missing)
    expect((await host.get(`/data/deal/${id}`)).body.record).toEqual(before)
  })

  it('judges nothing by a value that is itself wrong', async () => {
    const answer = await host.post('/data/deal', { name: 'n', amount: 'many', note: '', row: ['a'], seat: '1' })
    expect(brief(answer.body.error)).toEqual(['amount invalid_number', 'row invalid_type'])
    const tuple = await host.patch(`/data/deal/${id}`, { row: 7, seat: '1', code: 'y' })
    expect(brief(tuple.body.error)).toEqual(['row invalid_type'])
  })

  it('is a conflict while other records alone stand against it', async () => {
    const answer = await host.post('/data/deal', { name: 'n', code: 'x', row: 'a', seat: '1' })
    expect([answer.status, answer.body.error.code]).toEqual([409, 'conflict'])
    expect(brief(answer.body.error)).toEqual(['code not_unique', 'row not_unique', 'seat not_unique'])
  })

  it('names them of a taken id as well', async () => {
    const answer = await host.post('/data/deal', { id, name: 'n', amount: -1, person: nobody })
    expect(brief(answer.body.error)).toEqual([
      'amount rule_violation',
      'id not_unique',
      'person invalid_reference',
      'twice rule_violation',
    ])
  })

  it.each([
    ['atomic', {}],
    ['not atomic', { atomic: false, continueOnError: true }],
    ['tried only', { validateOnly: true, continueOnError: true }],
  ])('names them of every record of a batch: %s', async (_, options) => {
    const records = [{ data: wrong }, { data: { name: 'n', code: 'x', amount: -1 } }]
    const batch = { operation: 'create', records, options: { continueOnError: true, ...options } }
    const { results } = (await host.post('/data/deal/batch', batch)).body
    expect(brief(results[0].errors[0])).toEqual(missing)
    expect(brief(results[1].errors[0])).toEqual(['amount rule_violation', 'code not_unique', 'twice rule_violation'])
    expect(await total()).toBe(2)
  })

  it('names them in createMany, upserts and batches across objects', async () => {
    const many = await host.post('/data/deal/createMany', { records: [wrong] })
    expect(brief(many.body.error)).toEqual(missing)
    const upsert = { operation: 'upsert', records: [{ id, data: wrong }] }
    expect(brief((await host.post('/data/deal/batch', upsert)).body.results[0].errors[0])).toEqual(problems)
    const operations = [{ object: 'deal', action: 'create', data: wrong }]
    expect(brief((await host.post('/batch', { operations })).body.results[0].errors[0])).toEqual(missing)
  })

  it.each([false, true])('names them of every row of an import, dry run: %s', async (dryRun) => {
    const rows = [
      { ...wrong, name: '' },
      { name: 'n', amount: -1, person: 'Nobody there', code: 'x' },
    ]
    const { errors, failed } = (await host.post('/data/deal/import', { rows, dryRun })).body
    const ofRow = (row: number): string[] =>
      errors
        .filter((error: Problem & { row: number }) => error.row === row)
        .map(({ field, code }: Problem) => `${field} ${code}`)
        .toSorted()
    expect(failed).toBe(2)
    expect(ofRow(1)).toEqual(missing)
    expect(ofRow(2)).toEqual([
      'amount rule_violation',
      'code not_unique',
      'person invalid_reference',
      'twice rule_violation',
    ])
    expect(await total()).toBe(2)
  })
})
