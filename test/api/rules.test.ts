// Validation rules over HTTP: every type, when they are asked, what they answer (D-93, D-96, D-163).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { Answer, TestHost } from '../support/create-test-host.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
})

afterAll(() => host.stop())

interface Problem {
  field: string
  code: string
  message: string
  rule?: string
  constraint?: unknown
}

const problemsOf = (answer: Answer): Problem[] => answer.body.error.details.fieldErrors

const brief = (answer: Answer): string[] =>
  problemsOf(answer).map(({ field, code, rule }) => `${rule ?? '-'} ${field} ${code}`)

const saveRule = (name: string, item: Record<string, unknown>): Promise<Answer> =>
  host.put(`/meta/validation/${name}`, {
    type: 'validation',
    name,
    item: { name, ...(item['type'] === 'state_machine' ? {} : { message: 'Broken.' }), ...item },
  })

describe('a rule inside of an object', () => {
  beforeAll(() =>
    host.defineObject(
      'deal',
      {
        name: { type: 'text' },
        amount: { type: 'number' },
        start: { type: 'date' },
        end: { type: 'date' },
        code: { type: 'text' },
        mail: { type: 'text' },
        data: { type: 'json' },
        source: { type: 'text' },
        kind: { type: 'select', options: ['small', 'large'] },
        tags: { type: 'tags' },
      },
      {
        validations: [
          {
            name: 'positive',
            type: 'script',
            condition: 'record.amount < 0',
            message: 'No negative amounts.',
            field: 'amount',
          },
          {
            name: 'order',
            type: 'cross_field',
            condition: 'record.end < record.start',
            fields: ['start', 'end'],
            message: 'Late.',
          },
          { name: 'code_form', type: 'format', field: 'code', regex: '^[A-Z]{2}-\\d+$', message: 'Odd.' },
          { name: 'mail_form', type: 'format', field: 'mail', format: 'email', message: 'Odd.' },
          { name: 'source_form', type: 'format', field: 'source', format: 'json', message: 'Odd.' },
          { name: 'tag_form', type: 'format', field: 'tags', regex: '^[a-z]+$', message: 'Odd.' },
          {
            name: 'data_form',
            message: 'Odd.',
            type: 'json_schema',
            field: 'data',
            schema: {
              type: 'object',
              required: ['n'],
              properties: { n: { type: 'integer', minimum: 1 }, list: { items: { type: 'string', pattern: '^x' } } },
            },
          },
          {
            name: 'by_kind',
            message: 'Not of this kind.',
            type: 'conditional',
            when: 'record.kind == "large"',
            then: { type: 'script', condition: 'record.amount < 100', message: 'Large deals begin at 100.' },
            otherwise: { type: 'script', condition: 'record.amount > 500', field: 'amount' },
          },
          { name: 'inactive', type: 'script', condition: 'true', message: 'Never.', active: false },
          {
            name: 'only_update',
            message: 'Frozen.',
            type: 'script',
            condition: 'record.name == "frozen" && changed("amount")',
            events: ['update'],
          },
          {
            name: 'keep',
            type: 'script',
            condition: 'record.amount > 50',
            events: ['delete'],
            message: 'Too dear to lose.',
          },
          {
            name: 'hint',
            type: 'script',
            severity: 'warning',
            condition: 'isBlank(record.name)',
            field: 'name',
            message: 'A name helps.',
          },
          {
            name: 'note',
            type: 'script',
            severity: 'info',
            condition: 'record.amount == 13',
            message: 'Unlucky.',
            priority: 1,
          },
        ],
      },
    ),
  )

  it('lets a record pass that obeys all of them, without warnings', async () => {
    const answer = await host.post('/data/deal', {
      name: 'ok',
      amount: 10,
      start: '2026-01-01',
      end: '2026-01-01',
      code: 'AB-1',
      mail: 'a@example.org',
      tags: ['abc'],
      data: { n: 1, list: ['xa'] },
      source: '{"a":[1]}',
    })
    expect(answer.status).toBe(201)
    expect(answer.body).not.toHaveProperty('warnings')
  })

  it.each<[rule: string, data: Record<string, unknown>, problems: string[]]>([
    ['script', { amount: -1 }, ['positive amount rule_violation']],
    [
      'cross_field',
      { start: '2026-02-01', end: '2026-01-01' },
      ['order start rule_violation', 'order end rule_violation'],
    ],
    ['format with a pattern', { code: 'ab-1' }, ['code_form code rule_violation']],
    ['format by name', { mail: 'nobody' }, ['mail_form mail rule_violation']],
    ['format json', { source: '{"a":' }, ['source_form source rule_violation']],
    [
      'format json, nested too deeply (D-408)',
      { source: '['.repeat(100) + ']'.repeat(100) },
      ['source_form source rule_violation'],
    ],
    ['format of each element', { tags: ['ok', 'NO'] }, ['tag_form tags rule_violation']],
    [
      'json_schema',
      { data: { n: 0, list: ['a'] } },
      ['data_form data.n json_schema_violation', 'data_form data.list.0 json_schema_violation'],
    ],
    ['json_schema on missing members', { data: {} }, ['data_form data json_schema_violation']],
    ['conditional, then', { kind: 'large', amount: 99 }, ['by_kind  rule_violation']],
    ['conditional, otherwise', { kind: 'small', amount: 501 }, ['by_kind amount rule_violation']],
    [
      'several at once, by priority and name',
      { amount: -1, code: 'x' },
      ['code_form code rule_violation', 'positive amount rule_violation'],
    ],
  ])('refuses what violates it: %s', async (_rule, data, problems) => {
    const before = (await host.get('/data/deal?count=true&top=1')).body.total
    const answer = await host.post('/data/deal', { name: 'n', ...data })
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error'])
    expect(brief(answer)).toEqual(problems)
    expect((await host.get('/data/deal?count=true&top=1')).body.total).toBe(before)
  })

  it('says its message', async () => {
    const [own] = problemsOf(await host.post('/data/deal', { name: 'n', amount: -1 }))
    expect(own!.message).toBe('No negative amounts.')
  })

  it('judges the record as it becomes: the stored values with the change on top', async () => {
    const { id } = (await host.post('/data/deal', { name: 'n', start: '2026-01-10', end: '2026-01-20' })).body
    const refused = await host.patch(`/data/deal/${id}`, { end: '2026-01-01' })
    expect(brief(refused)).toEqual(['order start rule_violation', 'order end rule_violation'])
    expect((await host.get(`/data/deal/${id}`)).body.record.end).toBe('2026-01-20')
    expect((await host.patch(`/data/deal/${id}`, { start: '2025-01-01', end: '2026-01-01' })).status).toBe(200)
  })

  it('is asked on its events alone', async () => {
    const created = await host.post('/data/deal', { name: 'frozen', amount: 60 })
    expect(created.status).toBe(201)
    const { id } = created.body
    expect(brief(await host.patch(`/data/deal/${id}`, { amount: 61 }))).toEqual(['only_update  rule_violation'])
    expect((await host.patch(`/data/deal/${id}`, { code: 'AB-1' })).status).toBe(200)
    const kept = await host.delete(`/data/deal/${id}`)
    expect([kept.status, ...brief(kept)]).toEqual([400, 'keep  rule_violation'])
    expect((await host.get(`/data/deal/${id}`)).status).toBe(200)
    await host.patch(`/data/deal/${id}`, { name: 'free', amount: 40 })
    expect((await host.delete(`/data/deal/${id}`)).status).toBe(200)
  })

  it('is asked of records a deletion takes along, which then all stay', async () => {
    await host.defineObject('folder', { name: { type: 'text' } })
    const keep = { name: 'keep', type: 'script', condition: 'record.locked', events: ['delete'], message: 'No.' }
    const fields = { folder: { type: 'master_detail', reference: 'folder' }, locked: { type: 'boolean' } }
    await host.defineObject('sheet', fields, { validations: [keep] })
    const folder = (await host.post('/data/folder', { name: 'f' })).body.id
    const sheet = (await host.post('/data/sheet', { folder, locked: true })).body.id
    expect(brief(await host.delete(`/data/folder/${folder}`))).toEqual(['keep  rule_violation'])
    expect((await host.get(`/data/folder/${folder}`)).status).toBe(200)
    await host.patch(`/data/sheet/${sheet}`, { locked: false })
    expect((await host.delete(`/data/folder/${folder}`)).status).toBe(200)
  })

  it('only warns when it is no error', async () => {
    const { status, body } = await host.post('/data/deal', { amount: 13 })
    expect(status).toBe(201)
    expect(body.warnings).toEqual([
      { rule: 'note', severity: 'info', message: 'Unlucky.' },
      { rule: 'hint', severity: 'warning', message: 'A name helps.', field: 'name' },
    ])
    const changed = await host.patch(`/data/deal/${body.id}`, { amount: 14 })
    expect(changed.body.warnings.map((warning: { rule: string }) => warning.rule)).toEqual(['hint'])
    const named = await host.patch(`/data/deal/${body.id}`, { name: 'x' })
    expect(named.body).not.toHaveProperty('warnings')
  })

  it('holds in batches, createMany, upserts and imports', async () => {
    const batch = await host.post('/data/deal/batch', {
      operation: 'create',
      records: [{ data: { name: 'a', amount: 1 } }, { data: { name: 'b', amount: -1 } }],
      options: { atomic: false, continueOnError: true },
    })
    expect(batch.body).toMatchObject({ succeeded: 1, failed: 1 })
    expect(batch.body.results[1].errors[0].details.fieldErrors[0]).toMatchObject({ rule: 'positive', field: 'amount' })
    const many = await host.post('/data/deal/createMany', {
      records: [
        { name: 'c', amount: 1 },
        { name: 'd', amount: -1 },
      ],
    })
    expect(many.body.error.details).toMatchObject({ index: 1 })
    expect((await host.get('/data/deal?name=c')).body.records).toEqual([])
    const imported = await host.post('/data/deal/import', {
      rows: [
        { name: 'e', amount: -5 },
        { name: 'f', amount: 5 },
      ],
    })
    expect(imported.body).toMatchObject({ created: 1, failed: 1 })
    expect(imported.body.errors[0]).toMatchObject({ row: 1, field: 'amount', code: 'rule_violation' })
  })

  it('is asked by validateOnly, which stores nothing', async () => {
    const answer = await host.post('/data/deal/batch', {
      operation: 'create',
      records: [{ data: { name: 'v', amount: -1 } }, { data: { name: 'w', amount: 1 } }],
      options: { validateOnly: true, continueOnError: true, atomic: false },
    })
    expect(answer.body.results.map((result: { success: boolean }) => result.success)).toEqual([false, true])
    expect((await host.get('/data/deal?name=w')).body.records).toEqual([])
  })
})

describe('a rule of its own', () => {
  beforeAll(() => host.defineObject('asset', { name: { type: 'text' }, n: { type: 'number' }, room: { type: 'text' } }))

  it('begins and ends with its item', async () => {
    expect((await host.post('/data/asset', { n: 5 })).status).toBe(201)
    const saved = await saveRule('asset.even', {
      object: 'asset',
      type: 'script',
      condition: 'record.n % 2 != 0',
      field: 'n',
    })
    expect(saved.status).toBe(200)
    expect(brief(await host.post('/data/asset', { n: 5 }))).toEqual(['asset.even n rule_violation'])
    expect((await host.post('/data/asset', { n: 6 })).status).toBe(201)
    await saveRule('asset.even', { object: 'asset', type: 'script', condition: 'record.n % 2 != 0', active: false })
    expect((await host.post('/data/asset', { n: 5 })).status).toBe(201)
    await saveRule('asset.even', { object: 'asset', type: 'script', condition: 'record.n > 100' })
    expect((await host.post('/data/asset', { n: 101 })).status).toBe(400)
    expect((await host.delete('/meta/validation/asset.even')).status).toBe(200)
    expect((await host.post('/data/asset', { n: 101 })).status).toBe(201)
  })

  it.each<[what: string, item: Record<string, unknown>, problem: string]>([
    ['a script without a condition', { type: 'script' }, 'condition required'],
    ['a condition that is no CEL', { type: 'script', condition: '1 +' }, 'condition expression_error'],
    [
      'a condition over a field that is not there',
      { type: 'script', condition: 'record.nn > 1' },
      'condition unknown_field',
    ],
    ['a field that is not there', { type: 'format', field: 'nn', format: 'email' }, 'field unknown_field'],
    ['a format without a form', { type: 'format', field: 'name' }, 'regex required'],
    ['a pattern with look-ahead', { type: 'format', field: 'name', regex: '(?=a)' }, 'regex invalid_format'],
    [
      'a schema that is none',
      { type: 'json_schema', field: 'name', schema: { type: 'nothing' } },
      'schema invalid_format',
    ],
    [
      'a schema from elsewhere',
      { type: 'json_schema', field: 'name', schema: { $ref: 'https://example.org/x' } },
      'schema invalid_format',
    ],
    ['an unknown type', { type: 'magic' }, 'type invalid_option'],
    ['an unknown event', { type: 'script', condition: 'true', events: ['sometimes'] }, 'events.0 invalid_option'],
    [
      'a wrong inner rule',
      { type: 'conditional', when: 'true', then: { type: 'script', condition: '(' } },
      'then.condition expression_error',
    ],
    [
      'a unique rule inside of another',
      { type: 'conditional', when: 'true', then: { type: 'unique', fields: ['n'] } },
      'then.type not_allowed',
    ],
    ['a broken filter', { type: 'unique', fields: ['n'], where: { n: { $nope: 1 } } }, 'where invalid_format'],
  ])('is refused at save: %s', async (_what, item, problem) => {
    const answer = await saveRule('asset.wrong', { object: 'asset', ...item })
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error'])
    expect(problemsOf(answer).map(({ field, code }) => `${field} ${code}`)).toContain(problem)
    expect((await host.get('/meta/validation/asset.wrong')).status).toBe(404)
  })

  it('is refused at save inside of an object too, with its path', async () => {
    const item = {
      name: 'asset_2',
      fields: { n: { type: 'number' } },
      validations: [
        { name: 'a', type: 'script', condition: 'record.m', message: 'No.' },
        { name: 'a', type: 'json_schema', field: 'n', schema: {}, message: 'No.' },
        { type: 'unique', fields: ['n'], message: 'No.' },
      ],
    }
    const answer = await host.put('/meta/object/asset_2', { type: 'object', name: 'asset_2', item })
    expect(problemsOf(answer).map(({ field, code }) => `${field} ${code}`)).toEqual([
      'validations.0.condition unknown_field',
      'validations.1.name duplicate_value',
      'validations.2.name required',
    ])
  })

  it('that fails over a record refuses it by name', async () => {
    await saveRule('asset.failing', {
      object: 'asset',
      type: 'script',
      condition: 'lower(record.n) == "x"',
      field: 'n',
    })
    const [problem] = problemsOf(await host.post('/data/asset', { n: 1 }))
    expect(problem).toMatchObject({ field: 'n', code: 'expression_error', rule: 'asset.failing' })
    expect(problem!.message).toContain('asset.failing')
    expect((await host.post('/data/asset', { name: 'without a number' })).status).toBe(201)
    await saveRule('asset.failing', { object: 'asset', type: 'script', condition: 'record.n + 1', severity: 'warning' })
    const warned = await host.post('/data/asset', { n: 1 })
    expect([warned.status, warned.body.warnings[0].rule]).toEqual([201, 'asset.failing'])
    await host.delete('/meta/validation/asset.failing')
  })

  it('survives a restart', async () => {
    await saveRule('asset.kept', { object: 'asset', type: 'script', condition: 'record.name == "bad"' })
    await host.restart()
    expect(brief(await host.post('/data/asset', { name: 'bad' }))).toEqual(['asset.kept  rule_violation'])
    await host.delete('/meta/validation/asset.kept')
  })
})

describe('a unique rule', () => {
  beforeAll(async () => {
    await host.defineObject(
      'seat',
      { row: { type: 'text' }, number: { type: 'number' }, state: { type: 'select', options: ['free', 'taken'] } },
      {
        validations: [
          { name: 'one_seat', type: 'unique', fields: ['row', 'number'], where: { state: 'taken' }, message: 'Taken.' },
        ],
      },
    )
  })

  it('refuses a tuple that another live record of its filter has', async () => {
    const first = (await host.post('/data/seat', { row: 'A', number: 1, state: 'taken' })).body.id
    const clash = await host.post('/data/seat', { row: 'A', number: 1, state: 'taken' })
    expect([clash.status, clash.body.error.code]).toEqual([409, 'conflict'])
    expect(brief(clash)).toEqual(['one_seat row not_unique', 'one_seat number not_unique'])
    expect((await host.post('/data/seat', { row: 'A', number: 2, state: 'taken' })).status).toBe(201)
    expect((await host.post('/data/seat', { row: 'A', state: 'taken' })).status).toBe(201)
    expect((await host.post('/data/seat', { row: 'A', state: 'taken' })).status).toBe(201)
    const free = await host.post('/data/seat', { row: 'A', number: 1, state: 'free' })
    expect(free.status).toBe(201)
    expect((await host.patch(`/data/seat/${free.body.id}`, { state: 'taken' })).status).toBe(409)
    expect((await host.patch(`/data/seat/${first}`, { row: 'A', number: 1, state: 'taken' })).status).toBe(200)
    await host.delete(`/data/seat/${first}`)
    expect((await host.patch(`/data/seat/${free.body.id}`, { state: 'taken' })).status).toBe(200)
    expect((await host.post(`/data/seat/${first}/restore`, {})).status).toBe(409)
  })

  it('clashes inside of one batch', async () => {
    const data = { row: 'Z', number: 9, state: 'taken' }
    const answer = await host.post('/data/seat/batch', { operation: 'create', records: [{ data }, { data }] })
    expect(answer.body).toMatchObject({ success: false, succeeded: 0, failed: 2 })
    expect((await host.get('/data/seat?row=Z')).body.records).toEqual([])
  })
})

describe('a state machine', () => {
  beforeAll(async () => {
    const fields = {
      name: { type: 'text' },
      state: { type: 'select', options: ['open', 'working', 'done', 'dropped'] },
      amount: { type: 'number' },
    }
    await host.defineObject('ticket', fields, {
      validations: [
        {
          name: 'flow',
          type: 'state_machine',
          field: 'state',
          initial: 'open',
          transitions: { open: ['working', 'dropped'], working: ['open', 'done'] },
        },
      ],
    })
    await host.defineObject('order', fields, {
      validations: [
        {
          name: 'steps',
          type: 'state_machine',
          field: 'state',
          initial: 'open',
          transitions: [
            { name: 'start', from: 'open', to: 'working' },
            { name: 'finish', from: ['open', 'working'], to: 'done', condition: 'record.amount > 0' },
            { name: 'drop', from: '*', to: 'dropped', strict: true },
          ],
        },
      ],
    })
  })

  it('lets an import bring records in any state, and guards them from then on', async () => {
    const imported = await host.post('/data/ticket/import', { rows: [{ name: 'brought', state: 'done' }] })
    expect(imported.body).toMatchObject({ created: 1, failed: 0 })
    const { records } = (await host.get('/data/ticket?name=brought')).body
    expect(records[0].state).toBe('done')
    expect((await host.patch(`/data/ticket/${records[0].id}`, { state: 'open' })).status).toBe(400)
  })

  it('lets a record begin at its initial state, given or not', async () => {
    expect((await host.post('/data/ticket', {})).body.record.state).toBe('open')
    expect((await host.post('/data/ticket', { state: 'open' })).status).toBe(201)
    const wrong = await host.post('/data/ticket', { state: 'done' })
    expect(brief(wrong)).toEqual(['flow state invalid_transition'])
    expect(problemsOf(wrong)[0]!.constraint).toEqual(['open'])
    expect(brief(await host.post('/data/ticket', { state: null }))).toEqual(['flow state invalid_transition'])
  })

  it('lets it go where a transition leads, and names those places', async () => {
    const { id } = (await host.post('/data/ticket', {})).body
    const jump = await host.patch(`/data/ticket/${id}`, { state: 'done' })
    expect([jump.status, ...brief(jump)]).toEqual([400, 'flow state invalid_transition'])
    expect(problemsOf(jump)[0]!.constraint).toEqual(['working', 'dropped'])
    expect((await host.patch(`/data/ticket/${id}`, { name: 'still open' })).status).toBe(200)
    expect((await host.patch(`/data/ticket/${id}`, { state: 'working' })).status).toBe(200)
    expect((await host.patch(`/data/ticket/${id}`, { state: null })).status).toBe(400)
    expect((await host.patch(`/data/ticket/${id}`, { state: 'done' })).status).toBe(200)
    expect(problemsOf(await host.patch(`/data/ticket/${id}`, { state: 'open' }))[0]!.constraint).toEqual([])
  })

  it('asks conditions, and keeps strict transitions for the transition operation', async () => {
    const { id } = (await host.post('/data/order', {})).body
    const early = problemsOf(await host.patch(`/data/order/${id}`, { state: 'done' }))[0]!
    expect(early.message).toContain('condition')
    expect(early.constraint).toEqual(['working'])
    expect((await host.patch(`/data/order/${id}`, { state: 'dropped' })).status).toBe(400)
    expect((await host.patch(`/data/order/${id}`, { state: 'done', amount: 1 })).status).toBe(200)
  })

  it('holds in batches and upserts', async () => {
    const { id } = (await host.post('/data/ticket', {})).body
    const batch = await host.post('/data/ticket/batch', {
      operation: 'update',
      records: [{ id, data: { state: 'done' } }],
    })
    expect(batch.body.results[0].errors[0].details.fieldErrors[0].code).toBe('invalid_transition')
  })

  it.each<[what: string, item: Record<string, unknown>, problem: string]>([
    ['a state that is no option', { transitions: { open: ['gone'] } }, 'transitions.open.0 invalid_option'],
    ['an initial state that is none', { initial: 'gone', transitions: {} }, 'initial invalid_option'],
    ['no transitions', {}, 'transitions required'],
    [
      'two transitions of one name',
      {
        transitions: [
          { name: 'a', from: 'open', to: 'done' },
          { name: 'a', from: 'open', to: 'dropped' },
        ],
      },
      'transitions.1.name duplicate_value',
    ],
    [
      'a condition that is no CEL',
      { transitions: [{ name: 'a', from: 'open', to: 'done', condition: ')' }] },
      'transitions.0.condition expression_error',
    ],
  ])('is refused at save: %s', async (_what, item, problem) => {
    const answer = await saveRule('ticket.other', { object: 'ticket', type: 'state_machine', field: 'state', ...item })
    expect(answer.status).toBe(400)
    expect(problemsOf(answer).map(({ field, code }) => `${field} ${code}`)).toContain(problem)
  })
})

describe('warnings', () => {
  it('come with creations of many records, and with deletions', async () => {
    await host.defineObject('parcel', { weight: { type: 'number' } })
    await saveRule('parcel.heavy', {
      ...{ object: 'parcel', type: 'script', condition: 'record.weight > 10', message: 'Heavy.', severity: 'warning' },
      events: ['insert', 'delete'],
    })
    const heavy = { rule: 'parcel.heavy', severity: 'warning', message: 'Heavy.' }
    const { body } = await host.post('/data/parcel/createMany', { records: [{ weight: 1 }, { weight: 11 }] })
    expect(body.warnings).toEqual([{ index: 1, ...heavy }])
    const [light, other] = body.records as { id: string }[]
    expect((await host.delete(`/data/parcel/${light!.id}`)).body.warnings).toBeUndefined()
    expect((await host.delete(`/data/parcel/${other!.id}`)).body).toMatchObject({ success: true, warnings: [heavy] })
    const again = (await host.post('/data/parcel/createMany', [{ weight: 12 }])).body
    const many = await host.post('/data/parcel/deleteMany', { ids: [again.records[0].id] })
    expect(many.body.results[0].warnings).toEqual([heavy])
  })
})

describe('the filter of a unique rule', () => {
  beforeAll(() => host.defineObject('chair', { row: { type: 'text' }, place: { type: 'number' } }))
  const unique = (where: unknown) => saveRule('chair.one', { object: 'chair', type: 'unique', fields: ['row'], where })

  it('is refused at save when it names no field of the object or cannot be read', async () => {
    const unknown = await unique({ $or: [{ place: 1 }, { nothing: 2 }] })
    expect(unknown.status).toBe(400)
    expect(brief(unknown)).toEqual(['- where unknown_field'])
    const broken = await unique({ place: { $about: 1 } })
    expect(broken.status).toBe(400)
    expect(brief(broken)).toEqual(['- where invalid_format'])
  })

  it('refuses writes by the name of its rule when it cannot be asked, a warning does not', async () => {
    const where = { place: { $contains: 'a' } }
    expect((await unique(where)).status).toBe(200)
    const refused = await host.post('/data/chair', { row: 'a' })
    expect(refused.status).toBe(400)
    expect(refused.body.error.code).toBe('validation_error')
    expect(brief(refused)).toEqual(['chair.one  expression_error'])
    await saveRule('chair.one', { object: 'chair', type: 'unique', fields: ['row'], where, severity: 'warning' })
    const warned = await host.post('/data/chair', { row: 'a' })
    expect(warned.status).toBe(201)
    expect(warned.body.warnings).toMatchObject([{ rule: 'chair.one', severity: 'warning' }])
  })
})
