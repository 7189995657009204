// Values of every field type through the door for changes from other machines (sync.md 5, 10): they come out as a local
// write stores them; what this machine's type cannot read is null and told, and nothing else is lost.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createIds } from '#main/kernel/ids.ts'
import { localOwnerId } from '#main/kernel/context.ts'
import { systemClock } from '#main/kernel/clock.ts'
import { createTestHost } from '../support/create-test-host.ts'
import { withoutStorage } from '../support/storage-calls.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { badValues, catalogue, goodValues, named } from '../support/field-cases.ts'
import type { FieldCase } from '../support/field-cases.ts'
import { applyTo, remoteActor, replay, rowOf, rowsOf } from '../support/remote-replay.ts'

const ids = createIds(systemClock)
const uuid = (): string => ids.uuid()
const by = remoteActor.id
const at = '2026-03-01T10:00:00.000Z'
const created = { at, by }

let near: TestHost
let far: TestHost

/** One object with every definition that has values; both hosts know it. */
const fieldNames = new Map<string, string>()

function nameOf(definition: FieldCase): string {
  const key = JSON.stringify(definition)
  const known = fieldNames.get(key) ?? `f${fieldNames.size}`
  fieldNames.set(key, known)
  return known
}

const isSendable = (value: unknown): boolean =>
  typeof value !== 'bigint' && !Number.isNaN(value) && !(typeof value === 'string' && value.length > 900_000)

/** Types with tests of their own below: computed and concealed ones, and what every other record of the object would need. */
const apart: ReadonlySet<string> = new Set('master_detail formula summary autonumber password secret'.split(' '))
const plain = <Row extends readonly [FieldCase, unknown, unknown]>(rows: readonly Row[]): Row[] =>
  rows.filter(([{ type, required }, value]) => !apart.has(type) && required !== true && isSendable(value))

async function define(host: TestHost): Promise<void> {
  await host.patch('/settings', { timezone: 'Europe/Berlin', currency: 'EUR' })
  const fields: Record<string, unknown> = {}
  for (const [definition] of [...plain(goodValues), ...plain(badValues)]) fields[nameOf(definition)] = definition
  await host.defineObject('thing', fields)
  await host.defineObject('deal', {
    name: { type: 'text', required: true },
    amount: { type: 'number', scale: 2 },
    twice: { type: 'formula', expression: 'record.amount * 2', returnType: 'number' },
    stage: { type: 'select', options: ['new', 'won'], required: true },
    people: { type: 'user', multiple: true },
    page: { type: 'html' },
    select: { type: 'text' },
    kinds: { type: 'multiselect', options: ['a', 'b'] },
    parts: { type: 'composite', fields: { kind: { type: 'select', options: ['a'], required: true } } },
    data: { type: 'json' },
    token: { type: 'secret' },
    login: { type: 'password' },
    lines: { type: 'summary', summaryOperations: { object: 'line', function: 'count' } },
  })
  await host.defineObject('line', { deal: { type: 'master_detail', reference: 'deal' } })
}

beforeAll(async () => {
  near = await createTestHost(withoutStorage)
  far = await createTestHost(withoutStorage)
  await define(near)
  await define(far)
})

afterAll(async () => {
  await near.stop()
  await far.stop()
})

/** A deal that only peers know of. */
async function remoteDeal(values: Record<string, unknown> = {}): Promise<string> {
  const id = uuid()
  await applyTo(far, { object: 'deal', id, values: { name: id, stage: 'new', ...values }, created })
  return id
}

describe('a value', () => {
  it.each(plain(goodValues).map(named))('comes out as a local write stores %s', async (_name, definition, value) => {
    const field = nameOf(definition)
    // Links lead somewhere on the machine that made them, and people are there.
    if (['lookup', 'tree', 'record'].includes(definition.type)) {
      const id = uuid()
      const outcome = await applyTo(far, { object: 'thing', id, values: { [field]: value }, created })
      expect(outcome.refused).toEqual([])
      const again = await applyTo(far, { object: 'thing', id, values: { [field]: value } })
      expect(again.changed).toBe(false)
      expect(rowOf(far, 'thing', id)![field]).not.toBeNull()
      return
    }
    const answer = await near.post('/data/thing', { [field]: definition.type === 'user' ? localOwnerId : value })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    await replay(near, far, near.takeEvents())
    expect(rowOf(far, 'thing', answer.body.id)).toEqual(rowOf(near, 'thing', answer.body.id))
  })

  it('covers every type that has values of its own', () => {
    const covered = new Set([...plain(goodValues).map(([{ type }]) => type), ...apart])
    expect(Object.keys(catalogue).filter((type) => !covered.has(type))).toEqual([])
  })

  /** Refusals of a definition's limits: the column can hold the value, so it stays. */
  const limits: ReadonlySet<string> = new Set(
    [
      'max_length min_length min_value max_value max_items min_items invalid_option file_too_large file_too_small',
      'file_type_not_allowed not_allowed json_schema_violation',
    ].flatMap((line) => line.split(' ')),
  )

  it.each(plain(badValues).map(named))(
    'is kept or told, and never thrown: %s',
    async (_name, definition, value, codes) => {
      const field = nameOf(definition)
      const id = uuid()
      const outcome = await applyTo(far, { object: 'thing', id, values: { [field]: value }, created })
      expect(outcome.changed).toBe(true)
      const row = rowOf(far, 'thing', id)!
      if (outcome.refused.length > 0) {
        expect(row[field]).toBeNull()
        expect(outcome.refused).toEqual([{ field, code: expect.any(String), value }])
        // Without the limit on its length a text may be refused for its form.
        if (!codes.includes('max_length')) expect(codes).toContain(outcome.refused[0]!.code)
      } else {
        expect(row[field]).not.toBeNull()
        const isPattern = definition['pattern'] !== undefined || definition['step'] !== undefined
        const isStep = ['progress', 'slider', 'rating'].includes(definition.type)
        expect(isPattern || isStep || codes.some((code) => limits.has(code) || code === 'required')).toBe(true)
      }
      expect((await applyTo(far, { object: 'thing', id, values: { [field]: value } })).changed).toBe(false)
    },
  )

  it('is refused when the column cannot hold it, and the rest of the record is stored', async () => {
    const id = await remoteDeal({ amount: 'much', people: ['nobody-here'], stage: 'gone', name: null })
    expect(rowOf(far, 'deal', id)).toMatchObject({
      amount: null,
      people: '["nobody-here"]',
      stage: 'gone',
      name: null,
      twice: null,
    })
    const later = await applyTo(far, { object: 'deal', id, values: { amount: {}, stage: 7 } })
    expect(later.refused).toEqual([
      { field: 'amount', code: 'invalid_number', value: {} },
      { field: 'stage', code: 'invalid_type', value: 7 },
    ])
    expect((await far.get(`/data/deal/${id}`)).body.record).toMatchObject({ amount: null, stage: null })
  })

  it('of no option the definition knows stays, in lists and groups too', async () => {
    const values = { kinds: ['b', 'gone'], parts: { kind: 'gone' }, stage: 'lost' }
    const id = await remoteDeal(values)
    expect((await far.get(`/data/deal/${id}`)).body.record).toMatchObject(values)
    const again = await applyTo(far, { object: 'deal', id, values: { parts: { kind: null }, kinds: [7] } })
    expect(again.refused).toEqual([{ field: 'kinds', code: 'invalid_type', value: [7] }])
    expect((await far.get(`/data/deal/${id}`)).body.record).toMatchObject({ kinds: null, parts: { kind: null } })
  })

  it('that no JSON knows or that is nested without end is told', async () => {
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level += 1) deep = [deep]
    for (const value of [deep, 7n, Number.NaN, new Uint8Array([1]), Symbol('x'), () => 1]) {
      const id = await remoteDeal()
      const outcome = await applyTo(far, { object: 'deal', id, values: { data: value, amount: value, name: value } })
      expect(outcome.refused.map(({ field }) => field)).toContain('name')
      expect(outcome.refused.map(({ field }) => field)).toContain('amount')
      expect(rowOf(far, 'deal', id)).toMatchObject({ name: null, amount: null })
    }
  })

  it('is harmless in html, and names of no field change nothing', async () => {
    const before = rowsOf(far, 'deal').length
    const id = await remoteDeal({
      page: '<p onclick="x()">a<script>x()</script></p>',
      select: 'a "quoted" word',
      'name"; DROP TABLE "o_deal': 'x',
      "name' OR 1=1 --": 'x',
      __proto__: { polluted: true },
      id: uuid(),
      updated_by: 'forged',
      created_at: '1999-01-01T00:00:00.000Z',
      owner: 'forged',
      twice: 99,
      lines: 99,
      token: 'plain',
      login: 'plain text',
    })
    expect(rowsOf(far, 'deal')).toHaveLength(before + 1)
    expect(rowOf(far, 'deal', id)).toMatchObject({
      page: '<p>a</p>',
      select: 'a "quoted" word',
      updated_by: by,
      created_at: at,
      owner: by,
      twice: null,
      lines: 0,
      token: null,
      login: null,
    })
    expect({}).not.toHaveProperty('polluted')
  })

  it('leaves what only this machine has', async () => {
    const { id } = (await far.post('/data/deal', { name: 'sealed', stage: 'new', token: 'tok', login: 'pass phrase' }))
      .body
    const before = rowOf(far, 'deal', id)!
    await applyTo(far, { object: 'deal', id, values: { amount: 3, token: null, login: null } })
    const { token, login, amount } = rowOf(far, 'deal', id)!
    expect({ token, login, amount }).toEqual({ token: before['token'], login: before['login'], amount: 3 })
  })
})
