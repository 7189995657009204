// Flows that send webhooks, and receivers that start flows (D-151, D-196).
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'
import { rowOf, runFlow, runOf, saveFlow } from '../support/flow-calls.ts'
import type { HookPeer } from '../support/hook-peer.ts'
import { startHookPeer } from '../support/hook-peer.ts'

let host: TestHost
let peer: HookPeer

beforeAll(async () => {
  host = await createTestHost()
  peer = await startHookPeer()
  await host.patch('/settings', { 'webhooks.allowedHosts': ['127.0.0.1'] })
  expect((await host.post('/webhooks', { name: 'told', url: peer.url })).status).toBe(201)
}, 60_000)

afterAll(async () => {
  await host?.stop()
  await peer?.stop()
})

it('a step sends a webhook once, with its payload as record', async () => {
  const send = { id: 'send', type: 'webhook', config: { name: 'told', payload: { sum: '{{ params.a + 1 }}' } } }
  await saveFlow(host, 'tell', rowOf(send))
  const run = await runFlow(host, 'tell', { params: { a: 1 } })
  const [{ body, headers }] = (await peer.wait(1)) as [HookPeer['hooks'][number]]
  expect(body).toMatchObject({ trigger: 'api', webhook: 'told', record: { sum: 2 } })
  expect(headers['webhook-id']).toBe(`${String(run['id'])}.send`)
  const [step] = run.steps.filter(({ nodeId }) => nodeId === 'send')
  expect(
    (await host.get(`/webhooks/deliveries/${(step!['output'] as { deliveryId: string }).deliveryId}`)).status,
  ).toBe(200)
})

it('a call of a receiver starts a flow and answers with its output', async () => {
  await saveFlow(host, 'greet', {
    variables: [{ name: 'words', type: 'string', isOutput: true }],
    ...rowOf({
      id: 'say',
      type: 'assignment',
      config: { assignments: [{ variable: 'words', value: 'Hello {{ params.body.name }}' }] },
    }),
  })
  const receiver = { name: 'greeting', path: 'greet', action: 'trigger_flow', target: 'greet' }
  expect((await host.post('/webhook-receivers', receiver)).status).toBe(201)
  const { status, body } = await host.anonymous('POST', '/hooks/greet', { name: 'Ada' })
  if (status !== 200) throw new Error(JSON.stringify(body))
  expect([status, body]).toEqual([
    200,
    { success: true, receiver: 'greeting', runId: body.runId, result: { words: 'Hello Ada' } },
  ])
  expect((await runOf(host, 'greet', body.runId))['trigger']).toMatchObject({ type: 'webhook' })
})
