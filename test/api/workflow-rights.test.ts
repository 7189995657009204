// Who sees and hears what of workflows and approvals: fields, rows, organizations, channels; and what other machines write
// (D-41, D-171, D-255, D-256, D-259).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../support/create-test-host.ts'
import { openSocket } from '../support/realtime-client.ts'
import { applyTo } from '../support/remote-replay.ts'
import type { PeopledHost } from '../support/test-identities.ts'
import { asTestUser, createPeopledHost, testUserId } from '../support/test-identities.ts'

const codeOf = ({ status, body }: Answer): string => `${status} ${body.error?.code ?? 'none'}`
const user = (number: number) => ({ type: 'user', value: testUserId(number) })
const fields = { title: { type: 'text' }, stage: { type: 'select', options: ['draft', 'shut'] } }
const machine = (approvers: object[]) => ({
  name: 'steps',
  type: 'state_machine',
  field: 'stage',
  initial: 'draft',
  transitions: [
    { name: 'shut', from: 'draft', to: 'shut' },
    { name: 'ask', from: 'draft', to: 'shut', requiresApproval: true, approval: { approvers } },
  ],
})

describe('people of one workspace', () => {
  /** The last two are keys of `ann`, narrowed to a set that reads nothing of claims and to one that reads them. */
  const [clerk, ann, blind, stranger, closedKey, readingKey] = [1, 2, 3, 4, 5, 6]
  let host: PeopledHost

  beforeAll(async () => {
    const keyOfAnn = (set: string) => ({ sameAs: ann, scope: { permissionSets: [set], readOnly: false } })
    host = await createPeopledHost({ users: [{}, {}, {}, {}, {}, keyOfAnn('nothing'), keyOfAnn('claims')] })
    await host.defineObject('claim', fields, { sharingModel: 'private', validations: [machine([user(ann)])] })
    await host.saveItem('profile', 'blind', {
      objects: { '*': { allowRead: true, allowEdit: true, viewAllRecords: true, modifyAllRecords: true } },
      fields: { 'claim.stage': { readable: false, editable: false } },
    })
    await host.assign(blind, { profile: 'blind' })
    await host.saveItem('permission', 'nothing', { objects: {} })
    await host.saveItem('permission', 'claims', { objects: { claim: { allowRead: true, viewAllRecords: true } } })
    await host.assign(ann, { permissionSets: ['claims'] })
  }, 60_000)
  afterAll(() => host?.stop())

  const make = async (): Promise<string> => (await host.as(clerk).post('/data/claim', { title: 'one' })).body.id
  const transition = (id: string, name: string, number = clerk): Promise<Answer> =>
    host.as(number).post(`/workflow/claim/${id}/transition`, { transition: name })

  it('see nothing of a state they may not read', async () => {
    const id = await make()
    await transition(id, 'shut')
    for (const [path, code] of [
      ['state', '404 workflow_not_found'],
      ['state?workflow=steps', '404 workflow_not_found'],
    ] as const) {
      const answer = await host.as(blind).get(`/workflow/claim/${id}/${path}`)
      expect([codeOf(answer), JSON.stringify(answer.body)]).toEqual([code, expect.not.stringMatching(/shut|draft/)])
    }
    expect(codeOf(await transition(id, 'shut', blind))).toBe('404 workflow_not_found')
  })

  it('get the same answer for a record that is not there and one they may not see', async () => {
    const id = await make()
    await transition(id, 'ask')
    for (const what of ['state', 'transition', 'approve', 'reject']) {
      const call = async (record: string) => {
        const path = `/workflow/claim/${record}/${what}`
        const body = { transition: 'shut' }
        const { status, body: answer } =
          what === 'state' ? await host.as(stranger).get(path) : await host.as(stranger).post(path, body)
        return JSON.stringify([status, answer.error.code, answer.error.message, answer.error.details]).replaceAll(
          record,
          '',
        )
      }
      expect(await call(id)).toBe(await call(testUserId(77)))
    }
  })

  it('hear of approvals on their own channel, and of transitions on that of the record', async () => {
    const sockets = await Promise.all(
      [ann, clerk, stranger, blind].map((number) => openSocket(host.host.url, { headers: asTestUser(number) })),
    )
    const [forAnn, forClerk, forStranger, forBlind] = sockets as [
      (typeof sockets)[0],
      (typeof sockets)[0],
      (typeof sockets)[0],
      (typeof sockets)[0],
    ]
    const id = await make()
    for (const socket of sockets) await socket.subscribe('user:me')
    await forClerk.subscribe(`record:claim:${id}`)
    await forBlind.subscribe(`record:claim:${id}`)
    const approval = (await transition(id, 'ask')).body.state.pendingApproval.id as string
    const told = await forAnn.until(({ event }) => event?.type === 'approval.requested')
    expect(told.event.payload).toMatchObject({ approvalRequestId: approval, status: 'pending', transition: 'ask' })
    await host.as(ann).post(`/approvals/requests/${approval}/approve`)
    const decided = await forClerk.until(({ event }) => event?.type === 'approval.decided')
    expect(decided.event.payload).toMatchObject({ approvalRequestId: approval, status: 'approved' })
    await forClerk.until(({ event }) => event?.type === 'workflow.transitioned')
    const seen = await forBlind.until(({ event }) => event?.type === 'workflow.transitioned')
    expect(seen.event.payload).toEqual({})
    expect(forStranger.events()).toEqual([])
    for (const socket of sockets) await socket.close()
  })

  it('hear of approvals through a narrowed key no more than its sets let it read (D-256)', async () => {
    const numbers = [ann, closedKey, readingKey]
    const sockets = await Promise.all(
      numbers.map((number) => openSocket(host.host.url, { headers: asTestUser(number) })),
    )
    const id = await make()
    for (const socket of sockets) for (const channel of ['room:end', 'user:me']) await socket.subscribe(channel)
    const approval = (await transition(id, 'ask')).body.state.pendingApproval.id as string
    await host.as(ann).post(`/approvals/requests/${approval}/reject`, { reason: 'no' })
    sockets[0]!.send({ type: 'broadcast', channel: 'room:end', payload: { isEnd: true } })
    for (const socket of sockets) await socket.until(({ event }) => event?.payload?.isEnd === true)
    const heard = sockets.map((socket) =>
      socket
        .events()
        .filter(({ type }) => type.startsWith('approval.'))
        .map(({ type, payload }) => [type, payload.approvalRequestId]),
    )
    const [requested, decided] = ['approval.requested', 'approval.decided']
    expect(heard).toEqual([
      [
        [requested, approval],
        [decided, approval],
      ],
      [],
      [
        [requested, undefined],
        [decided, undefined],
      ],
    ])
    const read = await Promise.all(numbers.map((number) => host.as(number).get(`/approvals/requests/${approval}`)))
    expect(read.map(codeOf)).toEqual(['200 none', '404 approval_not_found', '200 none'])
    for (const socket of sockets) await socket.close()
  })

  it('tell the right thing to those who follow the record', async () => {
    const id = await make()
    await host.post(`/data/claim/${id}/subscribe`, { events: ['approval'] })
    const { body } = await transition(id, 'ask')
    await host.as(ann).post(`/approvals/requests/${body.state.pendingApproval.id}/approve`)
    const titles = async () => {
      const { notifications } = (await host.get('/notifications')).body
      return (notifications as { title: string; data: { recordId?: string } }[])
        .filter(({ data }) => data.recordId === id)
        .map(({ title }) => title.replace(/^Test user \d+ /, '').replace(/ (of|for) .*$/, ''))
    }
    await expect.poll(titles, { timeout: 5_000 }).toEqual(['gave the approval', 'asks'])
  })

  it('have what other machines write merged into a record that is held; its history comes by itself (D-342)', async () => {
    const id = await make()
    await transition(id, 'ask')
    expect(codeOf(await host.as(clerk).patch(`/data/claim/${id}`, { title: 'x' }))).toBe('423 record_locked')
    const outcome = await applyTo(host, { object: 'claim', id, values: { title: 'far', stage: 'shut' } })
    expect(outcome.changed).toBe(true)
    expect((await host.get(`/data/claim/${id}`)).body.record).toMatchObject({ title: 'far', stage: 'shut' })
    const { state } = (await host.get(`/workflow/claim/${id}/state`)).body
    expect(state.history).toEqual([])
    expect(state.pendingApproval.status).toBe('pending')
    const late = await host.as(ann).post(`/approvals/requests/${state.pendingApproval.id}/approve`)
    expect(codeOf(late)).toBe('409 transition_not_available')
  })
})

describe('people of organizations', () => {
  const [clerk, ann, foreigner] = [0, 1, 2]
  let host: PeopledHost
  const member = (organizationId: string) => ({
    organizationId,
    memberships: [{ organizationId, role: 'member', teams: [] }],
  })

  beforeAll(async () => {
    host = await createPeopledHost({ users: ['one', 'one', 'two'].map(member), organizations: true })
    const approvers = [user(ann), user(foreigner)]
    await host.defineObject('claim', fields, { validations: [machine(approvers)] })
  }, 60_000)
  afterAll(() => host?.stop())

  it('ask only members, and nobody else sees that they asked', async () => {
    const { id } = (await host.as(clerk).post('/data/claim', { title: 'one' })).body
    const { body } = await host.as(clerk).post(`/workflow/claim/${id}/transition`, { transition: 'ask' })
    const request = body.state.pendingApproval as { id: string; approvers: string[] }
    expect(request.approvers).toEqual([testUserId(ann)])
    expect((await host.as(foreigner).get('/approvals/requests')).body).toMatchObject({ requests: [], total: 0 })
    expect(codeOf(await host.as(foreigner).get(`/approvals/requests/${request.id}`))).toBe('404 approval_not_found')
    const to = { to: testUserId(foreigner) }
    expect((await host.as(ann).post(`/approvals/requests/${request.id}/reassign`, to)).status).toBe(400)
    expect((await host.as(ann).get('/approvals/requests')).body.total).toBe(1)
    expect((await host.as(ann).post(`/approvals/requests/${request.id}/approve`)).body.finalized).toBe(true)
  })
})
