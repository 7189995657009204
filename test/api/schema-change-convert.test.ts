// Changes of types, options and rules on stored records: D-100, D-101.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { Answer, TestHost } from '../support/create-test-host.ts'

let host: TestHost
let count = 0
/** A new object for each test. */
let name: string

beforeAll(async () => {
  host = await createTestHost()
})
beforeEach(() => {
  name = `thing${(count += 1)}`
})
afterAll(() => host.stop())

const save = (fields: Record<string, unknown>, query = '', more: Record<string, unknown> = {}) =>
  host.put(`/meta/object/${name}${query}`, { name, fields, ...more })

async function fill(fields: Record<string, unknown>, records: Record<string, unknown>[]): Promise<string[]> {
  await host.defineObject(name, fields)
  const answer = await host.post(`/data/${name}/createMany`, { records })
  expect(answer.status).toBe(201)
  return answer.body.records.map((record: { id: string }) => record.id)
}

async function values(field: string): Promise<unknown[]> {
  const { status, body } = await host.get(`/data/${name}?sort=created_at,id&top=100`)
  expect(status).toBe(200)
  return body.records.map((record: Record<string, unknown>) => record[field])
}

function refusal(answer: Answer): { code: string; details: Record<string, never> } {
  expect(answer.body.success).toBe(false)
  return answer.body.error
}

describe('changing the type of a field', () => {
  it('reports before anything is written, asks for consent, converts, and keeps what was lost', async () => {
    const ids = await fill({ amount: { type: 'text' } }, [{ amount: '12.5' }, { amount: 'a lot' }, {}])
    const dryRun = await save({ amount: { type: 'number' } }, '?dryRun=true')
    expect(dryRun.body.plan).toEqual([
      {
        change: 'retype_field',
        field: 'amount',
        from: 'text',
        to: 'number',
        records: 2,
        destructive: true,
        lossy: 1,
        converted: 1,
        nulled: 1,
        failures: [{ id: ids[1], value: 'a lot' }],
      },
    ])
    expect(await values('amount')).toEqual(['12.5', 'a lot', null])

    const refused = await save({ amount: { type: 'number' } })
    expect(refused.status).toBe(409)
    expect(refusal(refused)).toMatchObject({
      code: 'destructive_change',
      details: { plan: dryRun.body.plan, planHash: dryRun.body.planHash },
    })
    expect((await save({ amount: { type: 'number' } }, `?confirm=${dryRun.body.planHash}`)).status).toBe(200)
    expect(await values('amount')).toEqual([12.5, null, null])

    const { body } = await host.get(`/meta/object/${name}/backups`)
    expect(body.data).toEqual([
      {
        id: expect.any(String) as string,
        object: name,
        field: 'amount',
        kind: 'conversion',
        records: 1,
        createdAt: expect.any(String) as string,
        expiresAt: expect.any(String) as string,
      },
    ])
    const [{ createdAt, expiresAt }] = body.data
    expect((Date.parse(expiresAt) - Date.parse(createdAt)) / 86_400_000).toBe(30)
  })

  it('takes a conversion back: lost values return, values written since are converted', async () => {
    const ids = await fill({ amount: { type: 'text', label: 'Sum' } }, [
      { amount: '1' },
      { amount: 'two' },
      { amount: 'three' },
      {},
    ])
    await save({ amount: { type: 'number' } }, '?confirm=true')
    await host.patch(`/data/${name}/${ids[2]}`, { amount: 3 })
    await host.patch(`/data/${name}/${ids[3]}`, { amount: 4 })
    const [backup] = (await host.get(`/meta/object/${name}/backups`)).body.data
    const restored = await host.post(`/meta/object/${name}/backups/${backup.id}/restore`)
    expect(restored.body.data).toMatchObject({ id: backup.id, object: name, field: 'amount', kind: 'conversion' })
    expect(await values('amount')).toEqual(['1', 'two', '3', '4'])
    const { item } = (await host.get(`/meta/object/${name}`)).body
    expect(item.fields.amount).toMatchObject({ type: 'text', label: 'Sum' })
    expect((await host.post(`/meta/object/${name}/backups/${backup.id}/restore`)).status).toBe(404)
  })

  it.each([
    ['text', 'textarea', {}, ['a'], ['a']],
    ['number', 'currency', {}, [1.25], [1.25]],
    ['number', 'rating', {}, [3], [3]],
    ['boolean', 'toggle', {}, [true, false], [true, false]],
    ['select', 'radio', { options: ['a', 'b'] }, ['a'], ['a']],
    ['multiselect', 'tags', { options: ['a', 'b'] }, [['a', 'b']], [['a', 'b']]],
    ['date', 'datetime', {}, ['2026-01-02'], ['2026-01-02T00:00:00.000Z']],
    ['number', 'text', {}, [1.5, 2], ['1.5', '2']],
    ['select', 'multiselect', { options: ['a', 'b'] }, ['b'], [['b']]],
    ['json', 'text', {}, [{ a: 1 }], ['{"a":1}']],
  ])('changes %s into %s without asking', async (from, to, settings, before, after) => {
    await fill(
      { v: { type: from, ...settings } },
      before.map((v) => ({ v })),
    )
    const answer = await save({ v: { type: to, ...settings } })
    expect(answer.status).toBe(200)
    expect(await values('v')).toEqual(after)
  })

  it('keeps an index that serves the new type, and the search finds the new text', async () => {
    await fill({ v: { type: 'number', index: true }, note: { type: 'text' } }, [{ v: 2 }, { v: 10 }])
    await save({ v: { type: 'text', index: true }, note: { type: 'text' } })
    const sorted = await host.get(`/data/${name}?sort=v&filter=${encodeURIComponent('{"v":{"$in":["2","10"]}}')}`)
    expect(sorted.body.records.map((record: { v: string }) => record.v)).toEqual(['10', '2'])
    expect((await host.get(`/data/${name}?search=10`)).body.records).toHaveLength(1)
  })

  it('refuses to make values unique that are not, naming them', async () => {
    await fill({ v: { type: 'text' } }, [{ v: 'a' }, { v: 'a' }, { v: 'b' }])
    const answer = await save({ v: { type: 'text', unique: true } })
    expect(answer.status).toBe(409)
    expect(refusal(answer)).toMatchObject({
      code: 'conflict',
      details: { duplicates: [{ values: { v: 'a' }, count: 2 }] },
    })
  })

  it('asks of a filtered unique index only what the filter leaves, under old names and new ones', async () => {
    const text = { type: 'text' }
    await fill({ v: text, kind: text }, [
      { v: 'a', kind: 'n' },
      { v: 'a', kind: 'n' },
      { v: 'a', kind: 'u' },
    ])
    const indexed = (kind: string, named = 'kind') =>
      host.put(`/meta/object/${name}`, {
        fields: { v: text, [named]: named === 'kind' ? text : { ...text, renamedFrom: 'kind' } },
        indexes: [{ fields: ['v'], unique: true, where: { [named]: kind } }],
      })
    for (const named of ['kind', 'sort_of'])
      expect(refusal(await indexed('n', named))).toMatchObject({
        code: 'conflict',
        details: { duplicates: [{ values: { v: 'a' }, count: 2 }], fieldErrors: [{ field: 'indexes' }] },
      })
    expect((await indexed('u')).status).toBe(200)
    expect(refusal(await indexed('n'))).toMatchObject({ code: 'conflict' })
    expect((await indexed('u', 'sort_of')).status).toBe(200)
  })

  it('refuses unique values that differ in case only once case no longer counts', async () => {
    await fill({ v: { type: 'text', unique: true } }, [{ v: 'A' }, { v: 'a' }, { v: 'b' }])
    const answer = await save({ v: { type: 'text', unique: true, caseSensitive: false } })
    expect(answer.status).toBe(409)
    expect(refusal(answer)).toMatchObject({ code: 'conflict', details: { duplicates: [{ count: 2 }] } })
  })

  it('refuses a conversion that makes unique values equal', async () => {
    await fill({ v: { type: 'text', unique: true } }, [{ v: '1' }, { v: '1.0' }, { v: '2' }])
    const answer = await save({ v: { type: 'number', unique: true } }, '?confirm=true')
    expect(answer.status).toBe(409)
    expect(refusal(answer)).toMatchObject({
      code: 'conflict',
      details: { duplicates: [{ values: { v: 1 }, count: 2 }] },
    })
    expect(await values('v')).toEqual(['1', '1.0', '2'])
  })

  it('counts records that break a new rule and leaves them until their next write', async () => {
    const [, long] = await fill({ v: { type: 'text' } }, [{ v: 'a' }, { v: 'long' }, {}])
    const answer = await save({ v: { type: 'text', maxLength: 2, required: true } })
    expect(answer.body.plan).toMatchObject([
      { change: 'tighten_field', to: 'required', records: 1, destructive: false },
      { change: 'tighten_field', to: ['maxLength'], records: 1, destructive: false },
    ])
    expect(await values('v')).toEqual(['a', 'long', null])
    expect((await host.patch(`/data/${name}/${long}`, { v: 'longer' })).status).toBe(400)
  })

  it('gives existing records the literal default of a new field', async () => {
    await fill({ v: { type: 'text' } }, [{ v: 'a' }])
    await save({ v: { type: 'text' }, level: { type: 'number', defaultValue: 3 } })
    expect(await values('level')).toEqual([3])
  })
})

describe('computed fields', () => {
  const base = { a: { type: 'number' }, b: { type: 'number' } }
  const formula = (expression: string, returnType: string) => ({
    ...base,
    f: { type: 'formula', expression, returnType, index: true },
  })

  it('are worked out for the records there are, and again when their definition or its type changes', async () => {
    await fill(base, [{ a: 1, b: 2 }, { a: 3 }])
    await save(formula('record.a * 2.0', 'number'))
    expect(await values('f')).toEqual([2, 6])
    await save(formula('record.a * 3.0', 'number'))
    expect(await values('f')).toEqual([3, 9])
    const answer = await save(formula('record.a > 1.0 ? "many" : "one"', 'text'))
    expect(answer.status).toBe(200)
    expect(await values('f')).toEqual(['one', 'many'])
    const found = await host.get(`/data/${name}?f=many`)
    expect(found.body.records).toHaveLength(1)
    expect((await host.get(`/meta/object/${name}/backups`)).body.data).toEqual([])
  })

  it('become ordinary fields with the values they had', async () => {
    await fill(base, [{ a: 1 }])
    await save(formula('record.a * 2.0', 'number'))
    expect((await save({ ...base, f: { type: 'text' } })).status).toBe(200)
    expect(await values('f')).toEqual(['2'])
  })

  it('take the place of ordinary fields with consent only', async () => {
    await fill(base, [{ a: 1, b: 5 }])
    const fields = { a: { type: 'number' }, b: { type: 'formula', expression: 'record.a', returnType: 'number' } }
    expect((await save(fields)).status).toBe(409)
    expect((await save(fields, '?confirm=true')).status).toBe(200)
    expect(await values('b')).toEqual([1])
    const [backup] = (await host.get(`/meta/object/${name}/backups`)).body.data
    expect((await host.post(`/meta/object/${name}/backups/${backup.id}/restore`)).status).toBe(200)
    expect(await values('b')).toEqual([5])
  })

  it('sum up the children there are', async () => {
    const [parent] = await fill({ title: { type: 'text' } }, [{ title: 'p' }])
    await host.defineObject(`${name}_part`, {
      of: { type: 'lookup', reference: name },
      n: { type: 'number', scale: 0 },
    })
    for (const n of [1, 2]) await host.post(`/data/${name}_part`, { of: parent, n })
    const operations = { object: `${name}_part`, field: 'n', function: 'sum', relationField: 'of' }
    await save({ title: { type: 'text' }, total: { type: 'summary', summaryOperations: operations } })
    expect(await values('total')).toEqual([3])
  })
})

describe('links', () => {
  it('are made of ids that name live records, and keep being links as master-detail', async () => {
    const [target] = await fill({ title: { type: 'text' } }, [{ title: 't' }])
    const other = `${name}_link`
    await host.defineObject(other, { to: { type: 'text' } })
    await host.post(`/data/${other}`, { to: target })
    await host.post(`/data/${other}`, { to: '00000000-0000-7000-8000-000000000009' })
    const put = (to: Record<string, unknown>) =>
      host.put(`/meta/object/${other}?confirm=true`, { name: other, fields: { to } })
    const converted = await put({ type: 'lookup', reference: name })
    expect(converted.body.plan[0]).toMatchObject({ converted: 1, nulled: 1 })
    const detail = await put({ type: 'master_detail', reference: name })
    expect(detail.status).toBe(200)
    expect(detail.body.plan).toContainEqual(
      expect.objectContaining({ change: 'tighten_field', to: 'required', records: 1 }),
    )
    const { records } = (await host.get(`/data/${other}?expand=to&sort=created_at`)).body
    expect(records[0].to).toMatchObject({ id: target, title: 't' })
  })
})

describe('removing an option records use', () => {
  const options = (...list: unknown[]) => ({
    s: { type: 'select', options: list },
    m: { type: 'multiselect', options: list },
  })

  it('keeps it inactive without consent', async () => {
    const [id] = await fill(options('a', 'b', 'c'), [{ s: 'b', m: ['a', 'b'] }])
    const answer = await save(options('a'))
    expect(answer.status).toBe(200)
    expect(answer.body.plan).toMatchObject([
      { change: 'remove_option', field: 's', from: 'b', records: 1, destructive: false, lossy: 1 },
      { change: 'remove_option', field: 's', from: 'c', records: 0 },
      { change: 'remove_option', field: 'm', from: 'b', records: 1 },
      { change: 'remove_option', field: 'm', from: 'c', records: 0 },
    ])
    expect(answer.body.warnings).toHaveLength(2)
    const { item } = (await host.get(`/meta/object/${name}`)).body
    expect(item.fields.s.options).toEqual(['a', { value: 'b', active: false, default: false }])
    expect(await values('s')).toEqual(['b'])
    expect((await host.post(`/data/${name}`, { s: 'b' })).status).toBe(400)
    expect((await host.patch(`/data/${name}/${id}`, { m: ['b'] })).status).toBe(200)
  })

  it('takes it out of the records with consent, and brings it back', async () => {
    await fill(options('a', 'b'), [
      { s: 'b', m: ['a', 'b'] },
      { s: 'a', m: ['b'] },
    ])
    expect((await save(options('a'), '?confirm=true')).status).toBe(200)
    expect(await values('s')).toEqual([null, 'a'])
    expect(await values('m')).toEqual([['a'], null])
    const { data } = (await host.get(`/meta/object/${name}/backups`)).body
    expect(data.map(({ field, records }: { field: string; records: number }) => [field, records]).toSorted()).toEqual([
      ['m', 2],
      ['s', 1],
    ])
    for (const { id } of data) expect((await host.post(`/meta/object/${name}/backups/${id}/restore`)).status).toBe(200)
    expect(await values('s')).toEqual(['b', 'a'])
    expect(await values('m')).toEqual([['a', 'b'], ['b']])
  })
})
