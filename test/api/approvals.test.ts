// Approvals over HTTP: asked for by transitions, decided, taken back, handed on, listed; who sees them (D-166, D-167).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../support/create-test-host.ts'
import type { PeopledHost } from '../support/test-identities.ts'
import { createPeopledHost, testUserId } from '../support/test-identities.ts'

const [clerk, ann, ben, cid, stranger] = [1, 2, 3, 4, 5]
const team = 'team-1'
let host: PeopledHost

const user = (number: number) => ({ type: 'user', value: testUserId(number) })
const approve = (name: string, approval: object, more: object = {}) => {
  return { name, from: 'draft', to: 'done', requiresApproval: true, approval, ...more }
}
const three = [user(ann), user(ben), user(cid)]

beforeAll(async () => {
  const memberships = [{ organizationId: 'o', role: 'member', teams: [team] }]
  host = await createPeopledHost({ users: [{}, {}, {}, {}, { memberships }, {}] })
  await host.defineObject(
    'claim',
    {
      title: { type: 'text' },
      amount: { type: 'number' },
      paid: { type: 'boolean' },
      judge: { type: 'user' },
      stage: { type: 'select', options: ['draft', 'done'] },
    },
    {
      sharingModel: 'private',
      validations: [
        {
          name: 'steps',
          type: 'state_machine',
          field: 'stage',
          initial: 'draft',
          transitions: [
            approve('first', { approvers: [user(ann), user(ben)], lockRecord: false }, { set: { paid: true } }),
            approve('all', { approvers: three, behavior: 'unanimous' }),
            approve('most', { approvers: three, behavior: 'majority' }),
            approve('reasoned', { approvers: [user(ann)], requireRejectReason: true }),
            approve('by_role', { approvers: [{ type: 'role', value: 'judge' }] }),
            approve('by_team', { approvers: [{ type: 'team', value: team }] }),
            approve('by_manager', { approvers: [{ type: 'manager' }] }),
            approve('by_field', { approvers: [{ type: 'field', value: 'judge' }] }),
            approve('by_owner', { approvers: [{ type: 'owner' }, { type: 'owner' }] }),
            approve('own', { approvers: [user(clerk)] }),
            approve('checked', { approvers: [user(ann)], lockRecord: false }, { condition: 'record.amount < 100' }),
            { name: 'straight', from: 'draft', to: 'done' },
          ],
        },
      ],
    },
  )
  await host.saveItem('permission', 'none', { objects: {} })
  await host.saveItem('role', 'head', { permissionSets: ['none'] })
  await host.saveItem('role', 'judge', { permissionSets: ['none'], parent: 'head' })
  await host.assign(ben, { roles: ['judge'] })
}, 60_000)

afterAll(() => host?.stop())

const codeOf = ({ status, body }: Answer): string => `${status} ${body.error?.code ?? 'none'}`

const make = async (values: object = {}): Promise<string> => {
  const { status, body } = await host.as(clerk).post('/data/claim', { title: 'one', amount: 5, ...values })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}
const askFor = (id: string, transition: string, more: object = {}): Promise<Answer> =>
  host.as(clerk).post(`/workflow/claim/${id}/transition`, { transition, ...more })
/** A record with an open approval. */
const asked = async (transition: string, values: object = {}) => {
  const id = await make(values)
  const { status, body } = await askFor(id, transition)
  expect([status, body.success, body.pending], JSON.stringify(body)).toEqual([200, true, true])
  return { id, request: body.state.pendingApproval as { id: string; approvers: string[] } }
}
const act = (number: number, request: { id: string }, what: string, body?: object): Promise<Answer> =>
  host.as(number).post(`/approvals/requests/${request.id}/${what}`, body)
const stageOf = async (id: string) => (await host.get(`/data/claim/${id}`)).body.record.stage

describe('a transition that needs an approval', () => {
  it('leaves the state, opens a request and closes the workflow meanwhile', async () => {
    const id = await make()
    host.takeEvents()
    const { body } = await askFor(id, 'first', { comment: 'please', data: { title: 'two' } })
    expect(body).toMatchObject({ success: true, pending: true, record: { stage: 'draft', title: 'two' } })
    expect(body.state).toMatchObject({ currentState: 'draft', availableTransitions: [], history: [] })
    expect(body.state.pendingApproval).toEqual({
      id: body.state.pendingApproval.id,
      object: 'claim',
      recordId: id,
      workflow: 'steps',
      transition: 'first',
      submitterId: testUserId(clerk),
      comment: 'please',
      status: 'pending',
      behavior: 'first_response',
      lockRecord: false,
      requireRejectReason: false,
      approvers: [testUserId(ann), testUserId(ben)],
      decisions: [],
      createdAt: expect.stringMatching(/Z$/),
    })
    expect(codeOf(await askFor(id, 'straight'))).toBe('409 approval_pending')
    const events = host.takeEvents().filter(({ type }) => type.startsWith('approval.'))
    expect(events).toMatchObject([
      { type: 'approval.requested', object: 'claim', recordId: id, payload: { status: 'pending' } },
    ])
    expect((events[0]!.payload as { userIds: string[] }).userIds).toEqual([testUserId(ann), testUserId(ben)])
  })

  it.each([
    ['by_role', ben],
    ['by_team', cid],
    ['by_owner', clerk],
  ])('finds approvers %s', async (transition, number) => {
    expect((await asked(transition)).request.approvers).toEqual([testUserId(number)])
  })

  it('finds them by a field of the record, and above the submitter', async () => {
    expect((await asked('by_field', { judge: testUserId(cid) })).request.approvers).toEqual([testUserId(cid)])
    await host.assign(clerk, { roles: ['judge'] })
    await host.assign(ann, { roles: ['head'] })
    expect((await asked('by_manager')).request.approvers).toEqual([testUserId(ann)])
    await host.assign(clerk, {})
    await host.assign(ann, {})
  })

  it('is refused when nobody is found, or its condition does not hold', async () => {
    const id = await make()
    const nobody = await askFor(id, 'by_field')
    expect([codeOf(nobody), nobody.body.error.details.fieldErrors]).toMatchObject([
      '400 validation_error',
      [{ field: 'approvers', code: 'required' }],
    ])
    expect(codeOf(await askFor(id, 'checked', { data: { amount: 200, title: 'lost' } }))).toBe(
      '409 transition_condition_failed',
    )
    expect((await host.get(`/data/claim/${id}`)).body.record).toMatchObject({ title: 'one', amount: 5 })
    expect((await host.get(`/approvals/requests?recordId=${id}`)).body.total).toBe(0)
  })
})

describe('a decision', () => {
  it('makes the transition as the system, with the approvers in its history', async () => {
    const { id, request } = await asked('first')
    host.takeEvents()
    const { status, body } = await act(ann, request, 'approve', { comment: 'fine' })
    expect([status, body.finalized, body.decision]).toEqual([200, true, 'approve'])
    expect(body.request).toMatchObject({
      status: 'approved',
      decidedAt: expect.any(String),
      decisions: [{ userId: testUserId(ann), decision: 'approve', comment: 'fine', timestamp: expect.any(String) }],
    })
    expect((await host.get(`/data/claim/${id}`)).body.record).toMatchObject({ stage: 'done', paid: true })
    const { state } = (await host.get(`/workflow/claim/${id}/state`)).body
    expect(state.pendingApproval).toBeNull()
    expect(state.history).toMatchObject([
      { fromState: 'draft', toState: 'done', action: 'first', userId: 'system', approvers: [testUserId(ann)] },
    ])
    const types = host.takeEvents().map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(['approval.decided', 'record.updated', 'workflow.transitioned']))
    const { decisions } = body.request
    const done = await host.get(`/approvals/requests/${request.id}/actions`)
    expect(done.body).toEqual({ actions: decisions, data: decisions })
    expect(codeOf(await act(ben, request, 'reject'))).toBe('409 approval_already_decided')
  })

  it('of the first one who rejects leaves the state as it is', async () => {
    const { id, request } = await asked('first')
    const { body } = await host.as(ben).post(`/workflow/claim/${id}/reject`, { reason: 'too much' })
    expect(body).toMatchObject({ object: 'claim', recordId: id, success: true, finalized: true, state: null })
    expect(body.approval).toMatchObject({ id: request.id, status: 'rejected', decisions: [{ comment: 'too much' }] })
    expect(await stageOf(id)).toBe('draft')
    expect((await askFor(id, 'straight')).status).toBe(200)
  })

  it('of all is needed where they must be unanimous', async () => {
    const { id, request } = await asked('all')
    for (const [number, finalized] of [
      [ann, false],
      [ben, false],
      [cid, true],
    ] as const) {
      expect((await act(number, request, 'approve')).body.finalized).toBe(finalized)
    }
    expect(await stageOf(id)).toBe('done')
    const other = await asked('all')
    await act(ann, other.request, 'approve')
    expect(codeOf(await act(ann, other.request, 'approve'))).toBe('409 approval_already_decided')
    expect((await act(ben, other.request, 'reject')).body).toMatchObject({
      finalized: true,
      request: { status: 'rejected' },
    })
  })

  it('of most is enough for a majority', async () => {
    const won = await asked('most')
    expect((await act(ann, won.request, 'reject')).body.finalized).toBe(false)
    expect((await act(ben, won.request, 'approve')).body.finalized).toBe(false)
    expect((await act(cid, won.request, 'approve')).body).toMatchObject({
      finalized: true,
      request: { status: 'approved' },
    })
    expect(await stageOf(won.id)).toBe('done')
    const lost = await asked('most')
    await act(ann, lost.request, 'reject')
    expect((await act(ben, lost.request, 'reject')).body.request.status).toBe('rejected')
  })

  it('is for approvers alone, and of unknown approvals nothing is told', async () => {
    const { id, request } = await asked('reasoned')
    expect(codeOf(await host.post(`/approvals/requests/${request.id}/approve`))).toBe('403 approval_not_assigned')
    expect(codeOf(await act(clerk, request, 'approve'))).toBe('403 approval_not_assigned')
    expect(codeOf(await host.as(clerk).post(`/workflow/claim/${id}/approve`))).toBe('403 approval_not_assigned')
    const hidden = await act(stranger, request, 'approve')
    const unknown = await act(stranger, { id: testUserId(99) }, 'approve')
    expect([codeOf(hidden), codeOf(unknown)]).toEqual(Array(2).fill('404 approval_not_found'))
    const closed = await host.as(stranger).post(`/workflow/claim/${id}/approve`)
    const absent = await host.as(stranger).post(`/workflow/claim/${testUserId(99)}/approve`)
    expect([codeOf(closed), codeOf(absent)]).toEqual(Array(2).fill('404 resource_not_found'))
    const idle = await make()
    expect(codeOf(await host.post(`/workflow/claim/${idle}/approve`))).toBe('404 approval_not_found')
    expect(codeOf(await host.post(`/workflow/claim/${id}/approve`, { approvalId: idle }))).toBe(
      '404 approval_not_found',
    )
    expect(codeOf(await act(ann, request, 'reject', {}))).toBe('400 comment_required')
    expect((await act(ann, request, 'reject', { reason: 'no' })).body.request.status).toBe('rejected')
    const again = await host.as(ann).post(`/workflow/claim/${id}/approve`, { approvalId: request.id })
    expect(codeOf(again)).toBe('409 approval_already_decided')
  })

  it('is the submitter’s own when listed', async () => {
    const { id } = await asked('own')
    const { body } = await host.as(clerk).post(`/workflow/claim/${id}/approve`, {})
    expect(body).toMatchObject({ finalized: true, state: { currentState: 'done', isFinal: true } })
  })

  it('takes values the approver may write, in the same change', async () => {
    const { id } = await asked('own')
    const path = `/workflow/claim/${id}/approve`
    expect(codeOf(await host.as(clerk).post(path, { data: { stage: 'done' } }))).toBe('400 validation_error')
    await host.saveItem('profile', 'fixed_amount', {
      objects: { '*': { allowRead: true, allowEdit: true } },
      fields: { 'claim.amount': { readable: true, editable: false } },
    })
    await host.assign(clerk, { profile: 'fixed_amount' })
    const refused = await host.as(clerk).post(path, { data: { amount: 1 } })
    expect([codeOf(refused), refused.body.error.details.fields]).toEqual(['403 permission_denied', ['amount']])
    expect(codeOf(await host.as(clerk).post(path, { data: { owner: testUserId(ann) } }))).toBe('403 permission_denied')
    expect(await stageOf(id)).toBe('draft')
    const { body } = await host.as(clerk).post(path, { data: { title: 'seen' } })
    expect(body.finalized).toBe(true)
    expect((await host.get(`/data/claim/${id}`)).body.record).toMatchObject({ stage: 'done', title: 'seen', amount: 5 })
    await host.assign(clerk, {})
    const closed = await asked('first')
    const stranded = await host.as(ann).post(`/workflow/claim/${closed.id}/approve`, { data: { title: 'x' } })
    expect(codeOf(stranded)).toBe('404 resource_not_found')
  })

  it('of two at once is the last word of one', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id, request } = await asked('first')
      const answers = await Promise.all([act(ann, request, 'approve'), act(ben, request, 'reject')])
      const codes = answers.map(codeOf).toSorted()
      expect(codes).toEqual(['200 none', '409 approval_already_decided'])
      const { status, decisions } = (await host.get(`/approvals/requests/${request.id}`)).body
      expect(decisions).toHaveLength(1)
      expect(await stageOf(id)).toBe(status === 'approved' ? 'done' : 'draft')
    }
    const { id, request } = await asked('all')
    const all = await Promise.all([ann, ben, cid].map((number) => act(number, request, 'approve')))
    expect(all.filter(({ body }) => body.finalized === true)).toHaveLength(1)
    expect(await stageOf(id)).toBe('done')
  })

  it('is refused when the record went on, or its condition does not hold any more', async () => {
    const gone = await asked('first')
    expect((await host.as(clerk).patch(`/data/claim/${gone.id}`, { stage: 'done' })).status).toBe(200)
    const late = await act(ann, gone.request, 'approve')
    expect([codeOf(late), late.body.error.details.currentState]).toEqual(['409 transition_not_available', 'done'])
    expect((await host.get(`/approvals/requests/${gone.request.id}`)).body.status).toBe('pending')
    const grown = await asked('checked')
    await host.as(clerk).patch(`/data/claim/${grown.id}`, { amount: 1000 })
    expect(codeOf(await act(ann, grown.request, 'approve'))).toBe('409 transition_condition_failed')
    expect((await act(ann, grown.request, 'reject')).body.request.status).toBe('rejected')
  })
})

describe('taking back and handing on', () => {
  it('is for the submitter, and final', async () => {
    const { id, request } = await asked('all')
    expect(codeOf(await act(ann, request, 'recall'))).toBe('403 approval_not_assigned')
    const { body } = await act(clerk, request, 'recall', { comment: 'later' })
    expect(body).toMatchObject({ finalized: true, decision: 'recall', request: { status: 'recalled' } })
    expect(codeOf(await act(clerk, request, 'recall'))).toBe('409 approval_already_decided')
    expect(codeOf(await act(ann, request, 'approve'))).toBe('409 approval_already_decided')
    expect((await askFor(id, 'straight')).status).toBe(200)
  })

  it('gives the decision to somebody else', async () => {
    const { request } = await asked('all')
    expect(codeOf(await act(clerk, request, 'reassign', { to: testUserId(stranger) }))).toBe(
      '403 approval_not_assigned',
    )
    for (const to of [testUserId(99), testUserId(ben)]) {
      const refused = await act(ann, request, 'reassign', { to })
      expect(refused.body.error.details.fieldErrors).toMatchObject([{ field: 'to', code: 'invalid_reference' }])
    }
    host.takeEvents()
    const { body } = await act(ann, request, 'reassign', { to: testUserId(stranger), comment: 'away' })
    expect(body).toMatchObject({ finalized: false, decision: 'reassign', request: { status: 'pending' } })
    expect(body.request.approvers).toEqual([testUserId(ben), testUserId(cid), testUserId(stranger)])
    expect(body.request.decisions).toMatchObject([
      { decision: 'reassign', to: [testUserId(stranger)], comment: 'away' },
    ])
    expect(host.takeEvents().filter(({ type }) => type === 'approval.requested')).toHaveLength(1)
    expect(codeOf(await act(ann, request, 'approve'))).toBe('404 approval_not_found')
    expect((await act(stranger, request, 'approve')).body.finalized).toBe(false)
    expect(codeOf(await act(stranger, request, 'reassign', { to: testUserId(ann) }))).toBe(
      '409 approval_already_decided',
    )
    const byOwner = await host.post(`/approvals/requests/${request.id}/reassign`, { to: testUserId(ann) })
    expect(byOwner.body.request.approvers).toEqual([testUserId(stranger), testUserId(ann)])
    expect((await act(ann, request, 'approve')).body.finalized).toBe(true)
    expect((await act(ann, request, 'reassign', {})).status).toBe(400)
  })
})

describe('the list', () => {
  it('shows approvals to readers of the record, approvers and submitters, newest first', async () => {
    const one = await asked('reasoned')
    const two = await asked('all')
    const list = async (number: number, query: string) =>
      (await host.as(number).get(`/approvals/requests${query}`)).body as {
        requests: { id: string }[]
        data: { id: string }[]
        total: number
        hasMore: boolean
        nextCursor?: string
      }
    const both = `?recordId=${one.id},${two.id}`
    const ids = (page: { requests: { id: string }[] }) => page.requests.map(({ id }) => id)
    const listed = await list(clerk, both)
    expect(ids(listed)).toEqual([two.request.id, one.request.id])
    expect(listed.data).toEqual(listed.requests)
    expect(await list(ben, both)).toMatchObject({ total: 1, hasMore: false, requests: [{ id: two.request.id }] })
    expect(await list(stranger, both)).toEqual({ requests: [], data: [], total: 0, hasMore: false })
    const first = await list(clerk, `${both}&limit=1`)
    expect([ids(first), first.total, first.hasMore]).toEqual([[two.request.id], 2, true])
    const second = await list(clerk, `${both}&limit=1&cursor=${first.nextCursor}`)
    expect([ids(second), second.hasMore]).toEqual([[one.request.id], false])
    await act(ann, one.request, 'approve')
    expect(ids(await list(clerk, `${both}&status=approved,rejected`))).toEqual([one.request.id])
    expect(ids(await list(clerk, `${both}&approverId=${testUserId(ben)}&object=claim`))).toEqual([two.request.id])
    expect(ids(await list(clerk, `${both}&submitterId=${testUserId(ann)}`))).toEqual([])
    expect(ids(await list(clerk, `${both}&object=nothing`))).toEqual([])
    expect((await host.as(ben).get(`/approvals/requests/${two.request.id}`)).body).toMatchObject({ recordId: two.id })
    for (const path of ['', '/actions']) {
      const hidden = await host.as(stranger).get(`/approvals/requests/${two.request.id}${path}`)
      expect(codeOf(hidden)).toBe('404 approval_not_found')
    }
  })

  it('names the state there is none of', async () => {
    const { body } = await host.get('/approvals/requests?status=odd')
    expect(body.error.details.fieldErrors[0]).toMatchObject({ field: 'status', code: 'invalid_option', value: 'odd' })
  })

  it.each(['limit=0', 'limit=201', 'cursor=zzz', 'status=odd'])('refuses %s', async (query) => {
    expect((await host.get(`/approvals/requests?${query}`)).status).toBe(400)
  })

  it('says nothing of states to readers who may not see them', async () => {
    const { id, request } = await asked('reasoned')
    await host.saveItem('profile', 'blind', {
      objects: { '*': { allowRead: true, viewAllRecords: true } },
      fields: { 'claim.stage': { readable: false, editable: false } },
    })
    await host.assign(stranger, { profile: 'blind' })
    const { body } = await host.as(stranger).get(`/approvals/requests/${request.id}`)
    expect([body.recordId, body.workflow, body.transition]).toEqual([id, undefined, undefined])
    await host.assign(stranger, {})
  })
})

describe('people are told', () => {
  it('by notifications and in the feed', async () => {
    const { id, request } = await asked('reasoned')
    const inbox = async (number: number) =>
      ((await host.as(number).get('/notifications')).body.notifications as { type: string; data: object }[]).filter(
        ({ data }) => (data as { approvalRequestId?: string }).approvalRequestId === request.id,
      )
    const withheld = (await host.as(ann).get('/notifications')).body.notifications[0]
    expect(withheld.type).toBe('approval')
    await act(ann, request, 'approve')
    expect(await inbox(clerk)).toMatchObject([{ type: 'approval', title: 'The approval was given.' }])
    const { items } = (await host.get(`/data/claim/${id}/feed`)).body.data
    const told = (items as { type: string; data?: object }[]).filter(({ type }) => type === 'approval')
    expect(told.map(({ data }) => data)).toEqual([
      { approvalRequestId: request.id, status: 'approved' },
      { approvalRequestId: request.id, status: 'pending' },
    ])
  })
})
