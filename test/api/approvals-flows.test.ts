// Flows that ask for approvals and make transitions (D-151, D-258), and approvals nobody decides in time (D-253).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createManualClock } from '#main/kernel/clock.ts'
import type { Answer, TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'
import { runFlow, runOf, runsWhen, saveFlow } from '../support/flow-calls.ts'
import { asTestUser, testIdentityPlugins, testUserId } from '../support/test-identities.ts'

const [clerk, ann, ben] = [1, 2, 3]
const clock = createManualClock(Date.UTC(2026, 0, 5, 12))
let host: TestHost

const user = (number: number) => ({ type: 'user', value: testUserId(number) })
const late = (name: string, escalation: object) => ({
  name,
  from: 'draft',
  to: 'done',
  requiresApproval: true,
  approval: { approvers: [user(ann)], escalation: { timeoutHours: 2, ...escalation } },
})

beforeAll(async () => {
  host = await createTestHost({ clock, plugins: testIdentityPlugins({ users: [{}, {}, {}, {}] }) })
  await host.defineObject(
    'claim',
    { title: { type: 'text' }, stage: { type: 'select', options: ['draft', 'done'] } },
    {
      validations: [
        {
          name: 'steps',
          type: 'state_machine',
          field: 'stage',
          initial: 'draft',
          transitions: [
            { name: 'finish', from: 'draft', to: 'done', strict: true, set: { title: 'finished' } },
            { name: 'back', from: 'done', to: 'draft', roles: ['chief'] },
            late('approved', { action: 'auto_approve' }),
            late('rejected', { action: 'auto_reject' }),
            late('handed_on', { action: 'reassign', escalateTo: testUserId(ben) }),
            late('handed_nowhere', { action: 'reassign', escalateTo: 'nobody' }),
            late('told', { action: 'notify', escalateTo: { type: 'owner' } }),
          ],
        },
      ],
    },
  )
}, 60_000)

afterAll(() => host?.stop())

const as = (number: number) => ({
  get: (path: string): Promise<Answer> => host.get(path, asTestUser(number)),
  post: (path: string, body?: unknown): Promise<Answer> => host.post(path, body, asTestUser(number)),
})
const make = async (): Promise<string> => (await as(clerk).post('/data/claim', { title: 'one' })).body.id
const recordOf = async (id: string) => (await host.get(`/data/claim/${id}`)).body.record
const requestsOf = async (id: string) => (await host.get(`/approvals/requests?recordId=${id}`)).body.requests

/** A flow that waits for an approval and notes where it went on. */
const waiting = async (name: string, config: object = {}, more: object = {}): Promise<void> => {
  const note = (title: string) => {
    return { id: title, type: 'log', config: { message: `${title} {{ steps["ask"].output.status }}` } }
  }
  await saveFlow(host, name, {
    ...more,
    nodes: [
      { id: 'start', type: 'start' },
      { id: 'ask', type: 'approval', config: { approvers: [user(ann), user(ben)], ...config } },
      note('yes'),
      note('no'),
      { id: 'end', type: 'end' },
    ],
    edges: [
      { id: 'e1', source: 'start', target: 'ask' },
      { id: 'e2', source: 'ask', target: 'yes', label: 'approve' },
      { id: 'e3', source: 'ask', target: 'no', label: 'reject' },
      { id: 'e4', source: 'yes', target: 'end' },
      { id: 'e5', source: 'no', target: 'end' },
    ],
  })
}
const started = async (name: string, id: string) => {
  const { body } = await as(clerk).post(`/automation/${name}/trigger`, { object: 'claim', recordId: id })
  expect(body.data?.status, JSON.stringify(body)).toBe('paused')
  const [request] = await requestsOf(id)
  return { runId: body.data.runId as string, request: request as { id: string } }
}
const endOf = async (name: string, runId: string): Promise<string[]> => {
  await runsWhen(host, name, (runs) => runs.some((one) => one['id'] === runId && one['status'] === 'completed'))
  return (await runOf(host, name, runId)).steps.map(({ nodeId }) => String(nodeId))
}

describe('an approval node', () => {
  it('waits, locks the record, and goes on along approve', async () => {
    await waiting('approving')
    const id = await make()
    const { runId, request } = await started('approving', id)
    expect(request).toMatchObject({ flowRunId: runId, nodeId: 'ask', submitterId: testUserId(clerk), lockRecord: true })
    expect((await runOf(host, 'approving', runId))['waitingFor']).toMatchObject({ type: 'approval', recordId: id })
    expect((await host.patch(`/data/claim/${id}`, { title: 'x' }, asTestUser(clerk))).status).toBe(423)
    const { body } = await as(ann).post(`/approvals/requests/${request.id}/approve`, { comment: 'ok' })
    expect(body).toMatchObject({ finalized: true, runId, resumed: true, request: { status: 'approved' } })
    expect(await endOf('approving', runId)).toEqual(expect.arrayContaining(['ask', 'yes']))
    const { steps } = await runOf(host, 'approving', runId)
    expect(steps.find(({ nodeId }) => nodeId === 'ask')!['output']).toMatchObject({
      approvalId: request.id,
      status: 'approved',
      decisions: [{ userId: testUserId(ann), decision: 'approve', comment: 'ok' }],
    })
    expect((await host.patch(`/data/claim/${id}`, { title: 'x' }, asTestUser(clerk))).status).toBe(200)
  })

  it('goes on along reject when it is rejected, over a restart, or recalled', async () => {
    await waiting('asking', { behavior: 'majority', lockRecord: false })
    const id = await make()
    const { runId, request } = await started('asking', id)
    await host.restart()
    await as(ann).post(`/approvals/requests/${request.id}/reject`)
    expect(await endOf('asking', runId)).toEqual(expect.arrayContaining(['ask', 'no']))
    const again = await started('asking', id)
    const { body } = await as(clerk).post(`/approvals/requests/${again.request.id}/recall`)
    expect(body).toMatchObject({ decision: 'recall', resumed: true })
    expect(await endOf('asking', again.runId)).toEqual(expect.arrayContaining(['no']))
  })

  it('takes values with the decision', async () => {
    await waiting('valued')
    const id = await make()
    const { runId } = await started('valued', id)
    const { body } = await as(ann).post(`/workflow/claim/${id}/approve`, { data: { title: 'seen' } })
    expect(body).toMatchObject({ finalized: true, state: { currentState: 'draft' } })
    expect((await recordOf(id)).title).toBe('seen')
    await endOf('valued', runId)
  })

  it('is decided by those it asks alone: whoever started the run, or manages flows, lets it go on by no other way', async () => {
    await waiting('held')
    const id = await make()
    const { runId, request } = await started('held', id)
    const resumed = { branchLabel: 'approve', output: { status: 'approved' } }
    for (const answer of [
      await as(clerk).post(`/automation/held/runs/${runId}/resume`, resumed),
      await host.post(`/automation/held/runs/${runId}/resume`, resumed),
    ])
      expect(answer.body.error).toMatchObject({
        code: 'run_not_resumable',
        details: { status: 'paused', reason: 'waits_for_approval' },
      })
    expect((await requestsOf(id))[0]).toMatchObject({ status: 'pending' })
    await as(ann).post(`/approvals/requests/${request.id}/approve`)
    expect(await endOf('held', runId)).toEqual(expect.arrayContaining(['ask', 'yes']))
  })

  it('takes its question back when the run is cancelled', async () => {
    await waiting('stopped')
    const id = await make()
    const { runId, request } = await started('stopped', id)
    expect((await host.post(`/automation/stopped/runs/${runId}/cancel`)).status).toBe(200)
    expect((await host.get(`/approvals/requests/${request.id}`)).body.status).toBe('recalled')
    expect((await host.patch(`/data/claim/${id}`, { title: 'x' }, asTestUser(clerk))).status).toBe(200)
  })

  it('works with the rights of the run, and needs a record and approvers', async () => {
    await waiting('rightless')
    const id = await make()
    const failed = async (name: string, body: Record<string, unknown>) =>
      (await runFlow({ get: host.get, post: host.post }, name, body))['error'] as { code: string }
    const profile = { name: 'looks', objects: { '*': { allowRead: true } }, systemPermissions: ['run_flows'] }
    await host.put('/meta/profile/looks', { type: 'profile', name: 'looks', item: profile })
    const given = { profile: 'looks', roles: [], permissionSets: [] }
    await host.put(`/permissions/assignments/${testUserId(clerk)}`, given)
    const { body } = await as(clerk).post('/automation/rightless/trigger', { object: 'claim', recordId: id })
    expect((await runOf(host, 'rightless', body.error.details.runId))['error']).toMatchObject({
      code: 'permission_denied',
    })
    await host.put(`/permissions/assignments/${testUserId(clerk)}`, { ...given, profile: 'standard' })
    expect(await failed('rightless', {})).toMatchObject({ code: 'validation_error' })
    await waiting('nobody', { approvers: [{ type: 'role', value: 'none' }] })
    expect(await failed('nobody', { object: 'claim', recordId: id })).toMatchObject({ code: 'validation_error' })
    expect(await requestsOf(id)).toEqual([])
  })
})

describe('a transition node', () => {
  const moving = (name: string, transition: string, runAs = 'user') =>
    saveFlow(host, name, {
      runAs,
      nodes: [
        { id: 'start', type: 'start' },
        {
          id: 'move',
          type: 'transition',
          config: { object: 'claim', recordId: '{{ params.id }}', transition, comment: 'by flow' },
        },
        { id: 'end', type: 'end' },
      ],
      edges: [
        { id: 'a', source: 'start', target: 'move' },
        { id: 'b', source: 'move', target: 'end' },
      ],
    })

  it('moves the record with everything that belongs to it', async () => {
    await moving('finishing', 'finish')
    const id = await make()
    const run = await runFlow(as(clerk), 'finishing', { params: { id } })
    expect(run['status'], JSON.stringify(run['error'])).toBe('completed')
    expect(run.steps.find(({ nodeId }) => nodeId === 'move')!['output']).toEqual({
      workflow: 'steps',
      field: 'stage',
      currentState: 'done',
      pending: false,
    })
    expect(await recordOf(id)).toMatchObject({ stage: 'done', title: 'finished' })
    const { history } = (await host.get(`/workflow/claim/${id}/state`)).body.state
    expect(history).toMatchObject([{ action: 'finish', comment: 'by flow', userId: testUserId(clerk) }])
  })

  it('is refused like its user, and may do everything as the system', async () => {
    await moving('going_back', 'back')
    await moving('system_back', 'back', 'system')
    const id = await make()
    await as(clerk).post(`/workflow/claim/${id}/transition`, { transition: 'finish' })
    const refused = await runFlow(as(clerk), 'going_back', { params: { id } })
    expect(refused).toMatchObject({ status: 'failed', error: { code: 'transition_denied' } })
    const done = await runFlow(as(clerk), 'system_back', { params: { id } })
    expect(done['status'], JSON.stringify(done['error'])).toBe('completed')
    expect((await recordOf(id)).stage).toBe('draft')
  })

  it('does not wait for an approval it asks for', async () => {
    await moving('asking_for', 'told')
    const id = await make()
    const run = await runFlow(as(clerk), 'asking_for', { params: { id } })
    expect(run.steps.find(({ nodeId }) => nodeId === 'move')!['output']).toMatchObject({
      currentState: 'draft',
      pending: true,
    })
    expect(await requestsOf(id)).toMatchObject([{ transition: 'told', submitterId: testUserId(clerk) }])
  })
})

describe('an approval that nobody decides', () => {
  it('is escalated once, also when its time came while the host was off', async () => {
    const ids: Record<string, string> = {}
    for (const name of ['approved', 'rejected', 'handed_on', 'handed_nowhere', 'told']) {
      ids[name] = await make()
      const { body } = await as(clerk).post(`/workflow/claim/${ids[name]}/transition`, { transition: name })
      const { escalatesAt } = body.state.pendingApproval
      expect(Date.parse(escalatesAt)).toBe(clock.now() + 2 * 3_600_000)
    }
    const late = async (name: string) => (await requestsOf(ids[name]!))[0]
    clock.advance(3_600_000)
    await host.restart()
    expect((await late('approved')).status).toBe('pending')
    clock.advance(3_600_001)
    await host.restart()
    await expect.poll(async () => (await late('told')).decisions.length, { timeout: 5_000 }).toBe(1)
    const system = (decision: string) => [{ userId: 'system', decision }]
    expect(await late('approved')).toMatchObject({ status: 'approved', decisions: system('approve') })
    expect((await recordOf(ids['approved']!)).stage).toBe('done')
    expect(await late('rejected')).toMatchObject({ status: 'rejected', decisions: system('reject') })
    const handedOn = await late('handed_on')
    expect(handedOn).toMatchObject({ status: 'pending', decisions: system('reassign'), approvers: [testUserId(ben)] })
    expect(handedOn.escalatesAt).toBeUndefined()
    for (const name of ['handed_nowhere', 'told']) {
      const one = await late(name)
      expect(one).toMatchObject({ status: 'pending', decisions: system('escalate'), approvers: [testUserId(ann)] })
    }
    const waits = 'An approval is still waiting'
    const inbox = (await as(clerk).get('/notifications?limit=100')).body.notifications as {
      title: string
      data: { recordId: string }
    }[]
    expect(
      inbox.filter(({ title, data }) => title === waits && Object.values(ids).includes(data.recordId)),
    ).toHaveLength(2)
    clock.advance(3 * 3_600_000)
    await host.restart()
    expect((await late('told')).decisions).toHaveLength(1)
  })
})
