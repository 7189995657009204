// Approvals that two machines decide while one of them is killed again and again (D-342): what was answered holds on both,
// each approval ends once, and each record has been moved once. Two hosts and a relay as processes of their own.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { localOwnerId } from '#main/kernel/context.ts'
import { converged } from '../support/cluster-view.ts'
import { expectCall, startSyncCluster } from '../support/sync-cluster.ts'
import type { ClusterNode, SyncCluster } from '../support/sync-cluster.ts'
import { until } from '../support/synced-hosts.ts'

let cluster: SyncCluster
let desk: ClusterNode
let laptop: ClusterNode

const count = 30
const kills = 3

beforeAll(async () => {
  const approval = { approvers: [{ type: 'user', value: localOwnerId }] }
  const transitions = [{ name: 'close', from: 'draft', to: 'done', requiresApproval: true, approval }]
  const item = {
    name: 'claim',
    label: 'Claim',
    pluralLabel: 'Claims',
    fields: { title: { type: 'text' }, stage: { type: 'select', options: ['draft', 'done'] } },
    validations: [{ name: 'steps', type: 'state_machine', field: 'stage', initial: 'draft', transitions }],
  }
  cluster = await startSyncCluster(
    async (founder) => {
      await expectCall(founder, 200, 'PUT', '/meta/object/claim', { type: 'object', name: 'claim', item })
    },
    { names: ['Desk', 'Laptop'] },
  )
  await converged(cluster.nodes)
  ;[desk, laptop] = cluster.nodes as [ClusterNode, ClusterNode]
}, 300_000)

afterAll(async () => cluster?.stop(), 60_000)

interface Asked {
  readonly record: string
  readonly request: string
}

/** Everything that is the same on both machines once all is quiet. */
async function viewOf(node: ClusterNode, asked: readonly Asked[]): Promise<object[]> {
  const all: object[] = []
  for (const { record, request } of asked) {
    const { status, decisions, decidedAt } = (await node.call('GET', `/approvals/requests/${request}`)).body
    const { state } = (await node.call('GET', `/workflow/claim/${record}/state`)).body
    all.push({ status, decisions, decidedAt, state: state.currentState, history: state.history })
  }
  return all
}

it('ends each once, alike on both, whoever was killed meanwhile', async () => {
  const asked: Asked[] = []
  for (let number = 0; number < count; number += 1) {
    const { id } = await expectCall(desk, 201, 'POST', '/data/claim', { title: `Claim ${number}` })
    const body = await expectCall(desk, 200, 'POST', `/workflow/claim/${id}/transition`, { transition: 'close' })
    asked.push({ record: id, request: body.state.pendingApproval.id })
  }
  await converged(cluster.nodes)
  const answered = new Map<string, string>()
  /** Decides all of them, in another order on each machine; a call that breaks may have been done or not. */
  const decide = async (node: ClusterNode, mine: readonly Asked[], word: 'approve' | 'reject'): Promise<void> => {
    for (const { request } of mine) {
      const answer = await node.call('POST', `/approvals/requests/${request}/${word}`).catch(() => undefined)
      if (answer?.status === 200) answered.set(`${request} ${word}`, word)
      await new Promise((resolve) => setTimeout(resolve, 60))
    }
  }
  const killing = async (): Promise<void> => {
    for (let number = 0; number < kills; number += 1) {
      await new Promise((resolve) => setTimeout(resolve, 300 + number * 170))
      await laptop.end('SIGKILL')
      await laptop.start()
    }
  }
  await Promise.all([decide(desk, asked, 'approve'), decide(laptop, asked.toReversed(), 'reject'), killing()])
  await converged(cluster.nodes)
  await until('both say the same', async () => {
    const [here, there] = [await viewOf(desk, asked), await viewOf(laptop, asked)]
    return JSON.stringify(here) === JSON.stringify(there)
  })
  const view = (await viewOf(laptop, asked)) as { status: string; state: string; history: object[] }[]
  for (const [at, { request }] of asked.entries()) {
    const { status, state, history } = view[at]!
    const isApproved = answered.has(`${request} approve`)
    if (isApproved) expect(status).toBe('approved')
    else if (answered.has(`${request} reject`)) expect(['rejected', 'approved']).toContain(status)
    expect([state, history.length]).toEqual(status === 'approved' ? ['done', 1] : ['draft', 0])
  }
  expect(answered.size).toBeGreaterThan(count / 2)
}, 300_000)
