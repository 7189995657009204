// What left the machine since a backup does not leave it again when that is put back (D-410).
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { rowOf, saveFlow } from '../support/flow-calls.ts'
import { findFreePort } from '../support/free-port.ts'
import { startHookPeer } from '../support/hook-peer.ts'
import { letterFields, notifyingPlugin } from '../support/notifying-plugin.ts'
import { startSmtpPeer } from '../support/smtp-peer.ts'
import { until } from '../support/synced-hosts.ts'

let dataDir: string
let mailPort: number
let host: TestHost
const stops: (() => Promise<unknown>)[] = []

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'cairn-outbox-'))
  mailPort = await findFreePort()
  const mail = { host: '127.0.0.1', port: mailPort, from: 'Cairn <cairn@example.org>' }
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ mail }), { mode: 0o600 })
  host = await createTestHost({ dataDir, plugins: [...corePlugins, ...optionalPlugins, notifyingPlugin] })
})
afterEach(async () => {
  await host.stop()
  for (const stop of stops.splice(0)) await stop()
  rmSync(dataDir, { recursive: true, force: true })
})

async function restore(id: string): Promise<void> {
  const { stopped } = host.host
  expect((await host.post(`/backups/${id}/restore`, { confirm: id })).status).toBe(202)
  expect(await stopped).toBe('restart')
  await host.restart()
}

const backUp = async (): Promise<string> => (await host.post('/backups')).body.id

it('no delivery of a webhook, and none to one that is gone', { timeout: 60_000 }, async () => {
  const peer = await startHookPeer()
  stops.push(() => peer.stop())
  await host.defineObject('task', { title: { type: 'text' } })
  await host.patch('/settings', { 'webhooks.allowedHosts': ['127.0.0.1'] })
  for (const name of ['told', 'removed']) {
    const made = await host.post('/webhooks', {
      name,
      object: 'task',
      triggers: ['create'],
      url: `${peer.url}/${name}`,
    })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
  }
  const deliveries = async (name: string): Promise<{ id: string; status: string }[]> =>
    (await host.get(`/webhooks/${name}/deliveries`)).body.data.deliveries
  peer.status = 500
  await host.post('/data/task', { title: 'once' })
  await peer.wait(2)
  await until('both wait', async () => {
    const all = [...(await deliveries('told')), ...(await deliveries('removed'))]
    return all.length === 2 && all.every(({ status }) => status !== 'in_flight')
  })
  const [waits] = await deliveries('told')
  const id = await backUp()
  peer.status = 200
  await host.post(`/webhooks/deliveries/${waits!.id}/redeliver`)
  await until('it is delivered', async () => (await deliveries('told'))[0]!.status === 'success')
  await host.delete('/webhooks/removed')
  const heard = peer.hooks.length
  await restore(id)
  expect(await deliveries('told')).toMatchObject([{ id: waits!.id, status: 'success' }])
  // The webhook is back, what waited for it is not.
  expect(await deliveries('removed')).toMatchObject([{ status: 'dead' }])
  expect(peer.hooks).toHaveLength(heard)
})

it('no mail', { timeout: 60_000 }, async () => {
  await host.defineObject('letter', letterFields)
  const mails = ['ann', 'ben'].map((name) => ({ to: `${name}@example.org`, subject: 'Once', text: 'The text.' }))
  await host.post('/data/letter', { mails })
  const waiting = (): number =>
    host.host.database.read.get<{ n: number }>({ sql: 'SELECT count(*) AS n FROM mail_message', parameters: [] })!.n
  expect(waiting()).toBe(2)
  const id = await backUp()
  const smtp = await startSmtpPeer(mailPort)
  stops.push(() => smtp.stop())
  await until('all were sent', () => waiting() === 0, 40_000)
  const sent = smtp.mails.length
  await restore(id)
  expect(waiting()).toBe(0)
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(smtp.mails).toHaveLength(sent)
})

it('no run of a schedule', async () => {
  const { nodes, edges } = rowOf()
  await saveFlow(host, 'clock', {
    ...{ type: 'schedule', edges },
    nodes: nodes.map((node) => (node['id'] === 'start' ? { ...node, config: { cron: '0 3 1 1 *' } } : node)),
  })
  const stored = () =>
    host.host.database.read.get<{ next: string; runs: number }>({
      sql: 'SELECT next_run_at AS next, total_runs AS runs FROM automation_schedule',
      parameters: [],
    })!
  const store = (next: string, runs: number) =>
    host.host.database.write('due', (tx) => {
      tx.run({ sql: 'UPDATE automation_schedule SET next_run_at = ?, total_runs = ?', parameters: [next, runs] })
    })
  const { next } = stored()
  await store('2020-01-01T03:00:00.000Z', 6)
  const id = await backUp()
  // As if it had run since.
  await store(next, 7)
  await restore(id)
  expect(stored()).toEqual({ next, runs: 7 })
})
