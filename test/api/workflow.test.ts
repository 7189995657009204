// Workflows over HTTP: what they are, how records stand in them, transitions with everything they ask for (D-163 to D-166).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../support/create-test-host.ts'
import type { PeopledHost, UserCalls } from '../support/test-identities.ts'
import { createPeopledHost, testUserId } from '../support/test-identities.ts'

const [clerk, boss, guest] = [1, 2, 3]
let host: PeopledHost

const stateField = { type: 'select', options: ['draft', 'open', 'won', 'lost'] }
const states = [
  { name: 'draft', label: 'Draft', color: '#888888' },
  { name: 'open' },
  { name: 'won', label: 'Won', final: true },
  { name: 'lost', final: true },
]
const transitions = [
  { name: 'begin', label: 'Begin', from: 'draft', to: 'open' },
  { name: 'win', from: ['open'], to: 'won', condition: 'record.amount > 10', set: { closed: true, note: 'by rule' } },
  { name: 'lose', from: 'open', to: 'lost', requiresComment: true },
  { name: 'reopen', from: ['won', 'lost'], to: 'open', roles: ['chief'], profiles: ['managers'] },
  { name: 'reset', from: '*', to: 'draft', strict: true },
]

beforeAll(async () => {
  host = await createPeopledHost({ users: [{}, {}, {}, {}] })
  await host.defineObject(
    'deal',
    {
      name: { type: 'text' },
      amount: { type: 'number' },
      closed: { type: 'boolean', readonly: true },
      note: { type: 'text' },
      stage: stateField,
      review: { type: 'select', options: ['none', 'done'] },
      sealed: { type: 'select', options: ['no', 'yes'], readonly: true },
    },
    {
      enable: { feeds: true },
      validations: [
        {
          name: 'pipeline',
          type: 'state_machine',
          label: 'Pipeline',
          field: 'stage',
          initial: 'draft',
          states,
          transitions,
        },
        { name: 'reviewing', type: 'state_machine', field: 'review', priority: 200, transitions: { none: ['done'] } },
        {
          name: 'seals',
          type: 'state_machine',
          field: 'sealed',
          initial: 'no',
          priority: 300,
          transitions: { no: ['yes'] },
        },
        { name: 'short', type: 'script', condition: 'record.name == "bad"', field: 'name', message: 'No bad names.' },
      ],
    },
  )
  await host.defineObject('plain', { name: { type: 'text' } })
  await host.saveItem('permission', 'chiefs', { objects: {} })
  await host.saveItem('role', 'chief', { permissionSets: ['chiefs'] })
  await host.saveItem('permission', 'blind', { objects: {}, fields: {} })
  const objects = { '*': { allowRead: true, allowEdit: true, allowCreate: true } }
  await host.saveItem('profile', 'hidden_stage', {
    objects,
    fields: { 'deal.stage': { readable: false, editable: false } },
  })
  await host.saveItem('profile', 'reader', { objects: { '*': { allowRead: true } } })
  await host.saveItem('profile', 'no_notes', { objects, fields: { 'deal.note': { readable: true, editable: false } } })
  await host.assign(boss, { roles: ['chief'] })
}, 60_000)

afterAll(() => host?.stop())

const make = async (values: object = {}, stage?: string): Promise<string> => {
  const { status, body } = await host.post('/data/deal', { name: 'one', amount: 1, review: 'none', ...values })
  expect(status, JSON.stringify(body)).toBe(201)
  if (stage === 'open' || stage === 'won') await go(body.id, { transition: 'begin' })
  if (stage === 'won') await go(body.id, { transition: 'win', data: { amount: 11 } })
  return body.id
}
const go = (id: string, body: object, who: Pick<UserCalls, 'post'> = host): Promise<Answer> =>
  who.post(`/workflow/deal/${id}/transition`, body)
const state = async (id: string, who: Pick<UserCalls, 'get'> = host) =>
  (await who.get(`/workflow/deal/${id}/state`)).body.state
const codeOf = ({ status, body }: Answer): string => `${status} ${body.error?.code ?? 'none'}`
const names = (list: { name: string }[]): string[] => list.map(({ name }) => name)

describe('discovery', () => {
  it('tells of workflows and approvals', async () => {
    const { routes, features, services } = (await host.get('/discovery')).body
    expect(routes).toMatchObject({ workflow: '/api/v1/workflow', approvals: '/api/v1/approvals' })
    expect(features.workflow).toBe(true)
    expect(services.workflow).toMatchObject({ enabled: true, status: 'available', provider: 'cairn-workflow' })
  })
})

describe('the configuration', () => {
  it('shows workflows with defaults, by priority', async () => {
    const { body } = await host.get('/workflow/deal/config')
    expect(body.object).toBe('deal')
    expect(body.workflows[0]).toEqual({
      name: 'pipeline',
      label: 'Pipeline',
      field: 'stage',
      initial: 'draft',
      states: [
        { name: 'draft', label: 'Draft', color: '#888888', final: false },
        { name: 'open', label: 'Open', final: false },
        { name: 'won', label: 'Won', final: true },
        { name: 'lost', label: 'Lost', final: true },
      ],
      transitions: [
        { name: 'begin', label: 'Begin', from: ['draft'], to: 'open', requiresApproval: false, requiresComment: false },
        { name: 'win', label: 'win', from: ['open'], to: 'won', requiresApproval: false, requiresComment: false },
        { name: 'lose', label: 'lose', from: ['open'], to: 'lost', requiresApproval: false, requiresComment: true },
        {
          name: 'reopen',
          label: 'reopen',
          from: ['won', 'lost'],
          to: 'open',
          requiresApproval: false,
          requiresComment: false,
        },
        {
          name: 'reset',
          label: 'reset',
          from: ['draft', 'open', 'won', 'lost'],
          to: 'draft',
          requiresApproval: false,
          requiresComment: false,
        },
      ],
    })
    expect(body.workflows[1]).toMatchObject({
      name: 'reviewing',
      label: 'Review',
      initial: null,
      states: [{ name: 'none' }, { name: 'done' }],
      transitions: [{ name: 'done', from: ['none'], to: 'done' }],
    })
  })

  it('is empty without a workflow, and unknown for an unknown object', async () => {
    expect((await host.get('/workflow/plain/config')).body).toEqual({ object: 'plain', workflows: [] })
    expect(codeOf(await host.get('/workflow/nothing/config'))).toBe('404 resource_not_found')
  })

  it('names the states that follow one', async () => {
    const next = async (query: string) => (await host.get(`/meta/object/deal/state/stage${query}`)).body
    expect(await next('?from=open')).toEqual({
      object: 'deal',
      field: 'stage',
      from: 'open',
      next: ['won', 'lost', 'draft'],
    })
    expect(await next('')).toEqual({ object: 'deal', field: 'stage', from: null, next: ['draft'] })
    expect(codeOf(await host.get('/meta/object/deal/state/name'))).toBe('404 workflow_not_found')
    expect(codeOf(await host.get('/meta/object/nothing/state/name'))).toBe('404 resource_not_found')
  })
})

describe('the state of a record', () => {
  it('says what may be done, by condition, role and right', async () => {
    const id = await make()
    const { body } = await host.get(`/workflow/deal/${id}/state`)
    expect(body).toMatchObject({ object: 'deal', recordId: id })
    expect(body.state).toEqual({
      workflow: 'pipeline',
      field: 'stage',
      currentState: 'draft',
      availableTransitions: [
        { name: 'begin', targetState: 'open', label: 'Begin', requiresApproval: false, requiresComment: false },
        { name: 'reset', targetState: 'draft', label: 'reset', requiresApproval: false, requiresComment: false },
      ],
      pendingApproval: null,
      history: [],
      isFinal: false,
    })
    const open = await make({}, 'open')
    expect(names((await state(open)).availableTransitions)).toEqual(['lose', 'reset'])
    await host.patch(`/data/deal/${open}`, { amount: 20 })
    expect(names((await state(open)).availableTransitions)).toEqual(['win', 'lose', 'reset'])
    const won = await make({}, 'won')
    expect((await state(won)).isFinal).toBe(true)
    expect(names((await state(won, host.as(clerk))).availableTransitions)).toEqual(['reset'])
    expect(names((await state(won, host.as(boss))).availableTransitions)).toEqual(['reopen', 'reset'])
    const other = (await host.get(`/workflow/deal/${won}/state?workflow=reviewing`)).body.state
    expect(other).toMatchObject({ workflow: 'reviewing', currentState: 'none', isFinal: false })
  })

  it('is unknown for what is not there or not to be seen', async () => {
    const id = await make()
    expect(codeOf(await host.get(`/workflow/deal/${id}/state?workflow=none`))).toBe('404 workflow_not_found')
    expect(codeOf(await host.get(`/workflow/deal/${testUserId(9)}/state`))).toBe('404 resource_not_found')
    const { id: other } = (await host.post('/data/plain', { name: 'x' })).body
    expect(codeOf(await host.get(`/workflow/plain/${other}/state`))).toBe('404 workflow_not_found')
    await host.assign(guest, { profile: 'hidden_stage' })
    expect(codeOf(await host.as(guest).get(`/workflow/deal/${id}/state?workflow=pipeline`))).toBe(
      '404 workflow_not_found',
    )
    expect((await state(id, host.as(guest))).workflow).toBe('reviewing')
    expect((await host.as(guest).get('/workflow/deal/config')).body.workflows).toHaveLength(2)
    expect(codeOf(await host.as(guest).get('/meta/object/deal/state/stage'))).toBe('404 workflow_not_found')
    await host.assign(guest, { profile: 'reader' })
    expect((await state(id, host.as(guest))).availableTransitions).toEqual([])
    expect(codeOf(await go(id, { transition: 'begin' }, host.as(guest)))).toBe('403 permission_denied')
    await host.assign(guest, { profile: 'guest' })
    expect(codeOf(await host.as(guest).get(`/workflow/deal/${id}/state`))).toBe('403 permission_denied')
  })
})

describe('a transition', () => {
  it('moves the record, sets values, takes others along and is noted with its comment', async () => {
    const id = await make({}, 'open')
    host.takeEvents()
    const { status, body } = await go(id, { transition: 'win', comment: 'signed', data: { amount: 50, name: 'two' } })
    expect([status, body.success, body.pending]).toEqual([200, true, undefined])
    expect(body.record).toMatchObject({ stage: 'won', amount: 50, name: 'two', closed: true, note: 'by rule' })
    expect(body.state).toMatchObject({ currentState: 'won', isFinal: true })
    expect(body.state.history).toMatchObject([
      { fromState: 'open', toState: 'won', action: 'win', comment: 'signed' },
      { fromState: 'draft', toState: 'open', action: 'begin' },
    ])
    expect(body.state.history[0].timestamp).toMatch(/Z$/)
    const events = host.takeEvents().filter(({ type }) => type === 'record.updated' || type === 'workflow.transitioned')
    expect(events.map(({ type }) => type)).toEqual(['record.updated', 'workflow.transitioned'])
    expect(events[1]).toMatchObject({
      object: 'deal',
      recordId: id,
      payload: {
        workflow: 'pipeline',
        field: 'stage',
        fromState: 'open',
        toState: 'won',
        action: 'win',
        comment: 'signed',
      },
    })
  })

  it.each([
    ['an unknown name', { transition: 'fly' }, '404 transition_not_found'],
    ['an unknown workflow', { transition: 'win', workflow: 'none' }, '404 workflow_not_found'],
    ['another state', { transition: 'begin' }, '409 transition_not_available'],
    ['a condition that does not hold', { transition: 'win' }, '409 transition_condition_failed'],
    ['no comment', { transition: 'lose', comment: '  ' }, '400 comment_required'],
    ['a state among the values', { transition: 'win', data: { stage: 'won' } }, '400 validation_error'],
    ['another version', { transition: 'reset', expectedVersion: '2020-01-01T00:00:00.000Z' }, '409 CONCURRENT_UPDATE'],
    ['values that break a rule', { transition: 'win', data: { amount: 20, name: 'bad' } }, '400 validation_error'],
    ['an unknown field', { transition: 'reset', data: { nothing: 1 } }, '400 validation_error'],
    ['no name', {}, '400 validation_error'],
  ])('is refused for %s, and nothing stays', async (_what, body, code) => {
    const id = await make({}, 'open')
    const before = (await host.get(`/data/deal/${id}`)).body.record
    expect(codeOf(await go(id, body))).toBe(code)
    expect((await host.get(`/data/deal/${id}`)).body.record).toEqual(before)
    expect((await state(id)).history).toHaveLength(1)
  })

  it('tells the states and transitions there are', async () => {
    const id = await make({}, 'open')
    const { details } = (await go(id, { transition: 'begin' })).body.error
    // Winning asks for an amount.
    expect(details).toEqual({ currentState: 'open', availableTransitions: ['lose', 'reset'] })
    const rich = await make({ amount: 11 }, 'open')
    for (const one of [id, rich]) {
      const { availableTransitions } = (await go(one, { transition: 'begin' })).body.error.details
      const shown = (await state(one)).availableTransitions as { name: string }[]
      expect(availableTransitions).toEqual(shown.map(({ name }) => name))
    }
  })

  it('is for its roles and profiles, and for administrators', async () => {
    const id = await make({}, 'won')
    expect(codeOf(await go(id, { transition: 'reopen' }, host.as(clerk)))).toBe('403 transition_denied')
    expect((await go(id, { transition: 'reopen' }, host.as(boss))).status).toBe(200)
    await go(id, { transition: 'win', data: { amount: 11 } })
    await host.saveItem('profile', 'managers', { objects: { '*': { allowRead: true, allowEdit: true } } })
    await host.assign(guest, { profile: 'managers' })
    expect((await go(id, { transition: 'reopen' }, host.as(guest))).status).toBe(200)
    await go(id, { transition: 'win', data: { amount: 11 } })
    expect((await go(id, { transition: 'reopen' })).status).toBe(200)
  })

  it('takes only values the caller may write, and sets its own all the same', async () => {
    await host.assign(guest, { profile: 'no_notes' })
    const id = await make({ amount: 20 }, 'open')
    const refused = await go(id, { transition: 'win', data: { note: 'mine' } }, host.as(guest))
    expect(codeOf(refused)).toBe('200 none')
    expect(refused.body.record.note).toBe('by rule')
    const reset = await go(id, { transition: 'reset', data: { note: 'mine' } }, host.as(guest))
    expect([codeOf(reset), reset.body.error.details.fields]).toEqual(['403 permission_denied', ['note']])
  })

  it('is the one way to change a state that is read-only', async () => {
    const id = await make()
    expect((await host.patch(`/data/deal/${id}`, { sealed: 'yes' })).status).toBe(400)
    const { status, body } = await go(id, { transition: 'yes', workflow: 'seals' })
    expect([status, body.record.sealed, body.state.workflow]).toEqual([200, 'yes', 'seals'])
  })

  it('may lead back to where the record is', async () => {
    const id = await make()
    const { body } = await go(id, { transition: 'reset', comment: 'again' })
    expect(body.state.history).toMatchObject([
      { fromState: 'draft', toState: 'draft', action: 'reset', comment: 'again' },
    ])
  })
})

describe('every way of writing', () => {
  const refusal = { field: 'stage', code: 'invalid_transition', rule: 'pipeline' }
  const problemsOf = (answer: Answer) => answer.body.error.details.fieldErrors

  it.each([
    ['strict', 'open', 'draft'],
    ['with a comment', 'open', 'lost'],
  ])('leaves a transition that is %s to the endpoint', async (_what, from, to) => {
    const id = await make({}, from)
    expect(problemsOf(await host.patch(`/data/deal/${id}`, { stage: to }))).toMatchObject([refusal])
  })

  it('refuses people of other roles: one, many, batches, imports', async () => {
    const id = await make({}, 'won')
    const back = { stage: 'open' }
    const mine = host.as(clerk)
    const patched = await mine.patch(`/data/deal/${id}`, back)
    expect([codeOf(patched), problemsOf(patched)[0]]).toMatchObject(['400 validation_error', refusal])
    expect(problemsOf(patched)[0].constraint).toEqual([])
    const many = await mine.post('/data/deal/updateMany', { records: [{ id, data: back }] })
    expect(many.body.results[0].errors[0].details.fieldErrors).toMatchObject([refusal])
    const batch = await mine.post('/batch', { operations: [{ object: 'deal', action: 'update', id, data: back }] })
    expect(batch.body.results[0].errors[0].details.fieldErrors).toMatchObject([refusal])
    await host.saveItem('profile', 'importer', {
      objects: { '*': { allowRead: true, allowEdit: true, allowCreate: true } },
      systemPermissions: ['import_data'],
    })
    await host.assign(clerk, { profile: 'importer' })
    const rows = [{ id, ...back }]
    const imported = await mine.post('/data/deal/import', { rows, writeMode: 'update', matchFields: ['id'] })
    expect(imported.body).toMatchObject({ failed: 1, errors: [{ code: 'invalid_transition' }] })
    expect((await host.as(boss).patch(`/data/deal/${id}`, back)).status).toBe(200)
  })

  it('is noted in the history, bulk and batch too', async () => {
    const [one, two, three] = [await make(), await make(), await make()]
    await host.patch(`/data/deal/${one}`, { stage: 'open' })
    await host.post('/data/deal/updateMany', { records: [{ id: two, data: { stage: 'open' } }] })
    await host.post('/batch', {
      operations: [{ object: 'deal', action: 'update', id: three, data: { stage: 'open' } }],
    })
    for (const id of [one, two, three]) {
      expect((await state(id)).history).toMatchObject([{ fromState: 'draft', toState: 'open', action: 'begin' }])
    }
    await host.patch(`/data/deal/${one}`, { name: 'other' })
    expect((await state(one)).history).toHaveLength(1)
    const tried = { records: [{ id: one, data: { stage: 'won', amount: 99 } }], options: { validateOnly: true } }
    expect((await host.post('/data/deal/updateMany', tried)).body.success).toBe(true)
    expect((await state(one)).history).toHaveLength(1)
  })

  it('forgets the history of what is removed for good', async () => {
    const id = await make({}, 'open')
    expect((await host.delete(`/data/deal/${id}?purge=true`)).status).toBe(200)
    await host.post('/data/deal', { id, name: 'again' })
    expect((await state(id)).history).toEqual([])
  })
})

describe('a state machine that is saved', () => {
  const save = (more: object): Promise<Answer> => {
    const item = { name: 'deal.flow', object: 'deal', type: 'state_machine', field: 'review' }
    const change = { name: 'go', from: 'none', to: 'done', ...more }
    return host.put('/meta/validation/deal.flow', {
      type: 'validation',
      name: 'deal.flow',
      item: { ...item, active: false, transitions: [change] },
    })
  }
  it.each([
    ['sets an unknown field', { set: { nothing: 1 } }, 'transitions.0.set.nothing unknown_field'],
    ['asks for an approval of nobody', { requiresApproval: true }, 'transitions.0.approval required'],
    ['has no approvers', { approval: { approvers: [] } }, 'transitions.0.approval.approvers min_items'],
    ['names no user', { approval: { approvers: [{ type: 'user' }] } }, 'transitions.0.approval.approvers.0.value'],
  ])('is refused when it %s', async (_what, more, problem) => {
    const answer = await save(more)
    expect(answer.status).toBe(400)
    const found = answer.body.error.details.fieldErrors as { field: string; code: string }[]
    expect(found.map(({ field, code }) => `${field} ${code}`).join()).toContain(problem)
  })
})
