// What webhooks tell where records belong to organizations (D-41, D-249).
import { afterAll, beforeAll, expect, it } from 'vitest'
import { statement } from '#main/kernel/database.ts'
import type { HookPeer } from '../support/hook-peer.ts'
import { startHookPeer } from '../support/hook-peer.ts'
import type { PeopledHost, TestUser } from '../support/test-identities.ts'
import { rowOf, runFlow, saveFlow } from '../support/flow-calls.ts'
import { createPeopledHost } from '../support/test-identities.ts'

let host: PeopledHost
let peer: HookPeer

const member = (organizationId: string): TestUser => ({
  organizationId,
  memberships: [{ organizationId, role: 'member', teams: [] }],
})

beforeAll(async () => {
  peer = await startHookPeer()
  host = await createPeopledHost({ organizations: true, users: [member('org-1'), member('org-2')] })
  await host.defineObject('paper', { title: { type: 'text' } }, { sharingModel: 'private' })
  await host.assign(1, { profile: 'administrator' })
  await host.patch('/settings', { 'webhooks.allowedHosts': ['127.0.0.1'] })
}, 60_000)

afterAll(async () => {
  await host?.stop()
  await peer?.stop()
})

const write = async (title: string): Promise<void> => {
  for (const number of [0, 1]) {
    const { status } = await host.as(number).post('/data/paper', { title: `${title} of ${number}` })
    expect(status).toBe(201)
  }
}
const titles = (): unknown[] => peer.hooks.map(({ body }) => (body as { record: { title: string } }).record.title)

it('of an administrator are about the records of their organization, also where they belong to none', async () => {
  const given = { name: 'told', object: 'paper', triggers: ['create'], url: peer.url }
  const made = await host.as(1).post('/webhooks', given)
  expect([made.status, made.body.error]).toEqual([201, undefined])
  await write('first')
  await peer.wait(1)
  await host.host.database.write('test.webhook', (tx) => {
    tx.run(statement('UPDATE webhooks_webhook SET organization_id = NULL'))
  })
  expect((await host.as(1).patch('/webhooks/told', { label: 'Told' })).status).toBe(200)
  await write('second')
  await peer.wait(2)
  expect(titles()).toEqual(['first of 1', 'second of 1'])
  const { deliveries } = (await host.as(1).get('/webhooks/told/deliveries')).body.data
  expect(deliveries.map((one: { withheld?: true }) => one.withheld)).toEqual([undefined, undefined])
  expect(deliveries[0].request.body).toContain('second of 1')
})

it('are sent by no flow of another organization, which would speak in its name', async () => {
  const given = { name: 'signed', triggers: ['api'], url: peer.url }
  expect((await host.as(1).post('/webhooks', given)).status).toBe(201)
  await host.assign(0, { profile: 'administrator' })
  const config = { name: 'signed', payload: { forged: true } }
  await saveFlow(host.as(0), 'speaks', rowOf({ id: 'w', type: 'webhook', config }))
  const refused = await runFlow(host.as(0), 'speaks')
  expect(refused).toMatchObject({ status: 'failed', error: { code: 'webhook_not_found' } })
  expect((await runFlow(host.as(1), 'speaks'))['status']).toBe('completed')
})
