// Approvals and histories of two machines (D-342): asked for on one, decided on the other, by both at once, and held.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localOwnerId } from '#main/kernel/context.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { createSyncedHost, pair, startFounder, until } from '../support/synced-hosts.ts'

let desk: TestHost
let laptop: TestHost

const object = 'claim'
const owner = { type: 'user', value: localOwnerId }

beforeAll(async () => {
  desk = await startFounder('Desk')
  const approved = (name: string, more: object = {}) => {
    return { name, from: 'draft', to: 'done', requiresApproval: true, approval: { approvers: [owner], ...more } }
  }
  await desk.defineObject(
    object,
    { title: { type: 'text' }, stage: { type: 'select', options: ['draft', 'done'] } },
    {
      validations: [
        {
          name: 'steps',
          type: 'state_machine',
          field: 'stage',
          initial: 'draft',
          transitions: [
            approved('close'),
            approved('both', { behavior: 'unanimous' }),
            { name: 'undo', from: 'done', to: 'draft' },
          ],
        },
      ],
    },
  )
  // What was there before the other machine came goes to it as well.
  early = await asked(desk, 'close')
  laptop = await createSyncedHost()
  await pair(desk, laptop)
}, 90_000)

afterAll(async () => {
  await laptop?.stop()
  await desk?.stop()
})

interface Asked {
  readonly record: string
  readonly request: string
}
let early: Asked

const asked = async (host: TestHost, transition: string): Promise<Asked> => {
  const { id } = (await host.post(`/data/${object}`, { title: 'A claim' })).body
  const { status, body } = await host.post(`/workflow/${object}/${id}/transition`, { transition, comment: 'Please' })
  expect([status, body.pending], JSON.stringify(body)).toEqual([200, true])
  return { record: id, request: body.state.pendingApproval.id }
}
const seen = async (host: TestHost, { request }: Asked) => (await host.get(`/approvals/requests/${request}`)).body
const statusOf = async (host: TestHost, one: Asked): Promise<string | undefined> => (await seen(host, one))?.status
const stageOf = async (host: TestHost, { record }: Asked): Promise<string> =>
  (await host.get(`/data/${object}/${record}`)).body.record?.stage
const historyOf = async (host: TestHost, { record }: Asked): Promise<object[]> =>
  (await host.get(`/workflow/${object}/${record}/state`)).body.state?.history ?? []
const alike = async (one: Asked, status: string, stage: string): Promise<void> => {
  for (const host of [desk, laptop])
    await until(
      `it is ${status}`,
      async () => (await statusOf(host, one)) === status && (await stageOf(host, one)) === stage,
    )
  await until('both have one history', async () => {
    const [here, there] = [await historyOf(desk, one), await historyOf(laptop, one)]
    return JSON.stringify(here) === JSON.stringify(there)
  })
  expect((await seen(desk, one)).decisions).toEqual((await seen(laptop, one)).decisions)
}
/** Both machines on their own, until `work` is done. */
const apart = async (work: () => Promise<void>): Promise<void> => {
  const { id } = (await desk.get('/sync/peers')).body.peers[0]
  const pause = async (paused: boolean): Promise<void> => void (await desk.patch(`/sync/peers/${id}`, { paused }))
  await pause(true)
  await until('they are apart', async () => (await laptop.get('/sync/status')).body.state === 'offline')
  await work()
  await pause(false)
  await laptop.post(`/sync/peers/${(await laptop.get('/sync/peers')).body.peers[0].id}/reconnect`)
}

describe('an approval in a workspace of two machines', () => {
  it('that was asked for before is decided on the machine that came, and its transition is made there', async () => {
    await until('it is there', async () => (await statusOf(laptop, early)) === 'pending')
    expect(await seen(laptop, early)).toMatchObject({
      comment: 'Please',
      approvers: [localOwnerId],
      transition: 'close',
    })
    const { status, body } = await laptop.post(`/approvals/requests/${early.request}/approve`, { comment: 'Fine' })
    expect([status, body.finalized], JSON.stringify(body)).toEqual([200, true])
    await alike(early, 'approved', 'done')
    expect(await historyOf(desk, early)).toMatchObject([{ fromState: 'draft', toState: 'done', action: 'close' }])
    const again = await desk.post(`/approvals/requests/${early.request}/reject`)
    expect(again.body.error.code).toBe('approval_already_decided')
  })

  it('holds the record on every machine, and no longer once it is taken back', async () => {
    const one = await asked(laptop, 'close')
    await until('it is there', async () => (await statusOf(desk, one)) === 'pending')
    expect((await desk.get(`/workflow/${object}/${one.record}/state`)).body.state.pendingApproval.id).toBe(one.request)
    expect((await desk.post(`/approvals/requests/${one.request}/recall`)).status).toBe(200)
    await alike(one, 'recalled', 'draft')
  })

  it('ends the same on both when both end it apart: what was approved stays so', async () => {
    const one = await asked(desk, 'close')
    await until('it is there', async () => (await statusOf(laptop, one)) === 'pending')
    await apart(async () => {
      expect((await desk.post(`/approvals/requests/${one.request}/approve`)).status).toBe(200)
      expect((await laptop.post(`/approvals/requests/${one.request}/reject`)).status).toBe(200)
    })
    await alike(one, 'approved', 'done')
    const decisions = (await seen(laptop, one)).decisions as { decision: string }[]
    expect(decisions.map(({ decision }) => decision)).toEqual(['approve', 'reject'])
    expect(await historyOf(laptop, one)).toHaveLength(1)
  })

  it('leaves a history that is whole on both, whoever made a change', async () => {
    const one = await asked(desk, 'close')
    await desk.post(`/approvals/requests/${one.request}/approve`)
    await until('it is there', async () => (await stageOf(laptop, one)) === 'done')
    const undone = await laptop.post(`/workflow/${object}/${one.record}/transition`, { transition: 'undo' })
    expect(undone.status, JSON.stringify(undone.body)).toBe(200)
    await alike(one, 'approved', 'draft')
    expect(await historyOf(desk, one)).toMatchObject([
      { action: 'undo' },
      { action: 'close', approvers: [localOwnerId] },
    ])
  })
})
