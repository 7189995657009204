// A machine whose person may read less than when it was paired: nothing new is sent there, directly, by another machine or by
// a relay, until the person may read everything again. What is written there goes on as ever.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRelay } from '#main/relay/program/start-relay.ts'
import type { RefusingHosts } from '../support/refusing-hosts.ts'
import { startRefusingHosts } from '../support/refusing-hosts.ts'
import { createSyncedHost, listen, pair, until } from '../support/synced-hosts.ts'

let hosts: RefusingHosts

beforeAll(async () => {
  hosts = await startRefusingHosts()
}, 120_000)

afterAll(async () => hosts?.stop())

const statusOf = async (host: 'desk' | 'laptop') => (await hosts[host].get('/sync/status')).body
const recordOf = async (host: 'desk' | 'laptop', id: string) => (await hosts[host].get(`/data/part/${id}`)).body.record

async function change(id: string, data: object): Promise<void> {
  expect((await hosts.desk.patch(`/data/part/${id}`, data)).status).toBe(200)
}

/** What the laptop wrote has come: whatever the desk had to say before that would be there, too. */
async function heardFrom(id: string, title: string): Promise<void> {
  expect((await hosts.laptop.patch(`/data/part/${id}`, { title })).status).toBe(200)
  await until('it has arrived', async () => (await recordOf('desk', id)).title === title)
}

describe('a machine whose person may not read a field any more', { timeout: 120_000 }, () => {
  it('gets no new value, says why, and gets all of it once the field is open again (D-349)', async () => {
    const id = await hosts.shared()
    const other = await hosts.shared({ title: 'Nut', size: 2 })
    await hosts.may('hidden_size')
    await change(id, { size: 471147114711, notes: 'Steel, hardened.' })
    const { body: made } = await hosts.desk.post('/data/part', { title: 'Made meanwhile', size: 4712 })
    for (const host of ['desk', 'laptop'] as const)
      await until(`the ${host} says so`, async () => {
        const { state, reason, proof } = await statusOf(host)
        return state === 'attention' && reason === 'rights' && proof === undefined
      })
    await heardFrom(other, 'Nut, M4')
    expect(await recordOf('laptop', id)).toMatchObject({ size: 1, notes: 'Steel.' })
    expect((await hosts.laptop.get(`/data/part/${made.id}`)).status).toBe(404)
    expect((await hosts.desk.post('/sync/barrier', { on: 'all', timeoutMs: 200 })).body.reached).toBe(false)
    // Neither a new connection nor a start anew makes a difference.
    await hosts.part()
    await hosts.laptop.restart()
    await hosts.join()
    await heardFrom(other, 'Nut, M5')
    expect(await recordOf('laptop', id)).toMatchObject({ size: 1, notes: 'Steel.' })
    expect(JSON.stringify((await hosts.laptop.get('/sync/diagnostics')).body)).not.toContain('471147114711')
    await hosts.may('all')
    await until('the values arrive', async () => (await recordOf('laptop', id)).size === 471147114711)
    await until('the record arrives', async () => (await hosts.laptop.get(`/data/part/${made.id}`)).status === 200)
    await hosts.agree()
  })

  it('is told what is refused of its writes, and nothing of what stands there', async () => {
    await hosts.may('all')
    const id = await hosts.shared()
    await hosts.may('hidden_size')
    await change(id, { size: 471347134713 })
    expect((await hosts.laptop.patch(`/data/part/${id}`, { size: 9 })).status).toBe(200)
    const refusal = await hosts.refusal(id)
    expect(refusal).toMatchObject({
      losers: [{ value: { size: 9 } }],
      refusal: { code: 'fields', fields: ['size'], choices: ['retry'] },
    })
    expect(JSON.stringify(refusal)).not.toContain('471347134713')
    await hosts.may('all')
    await until('nothing is refused any more', async () => (await hosts.refused(id)).length === 0)
    // Both changed it at once.
    for (const host of [hosts.desk, hosts.laptop]) {
      const listed = async () => (await host.get(`/sync/conflicts?kind=field&recordId=${id}`)).body.conflicts
      const [conflict] = await until('it is a conflict', async () => ((await listed()).length === 1 ? listed() : null))
      expect([conflict.winner.value, conflict.losers[0].value]).toEqual([9, 471347134713])
    }
    await change(id, { size: 10 })
    await hosts.agree()
  })
})

describe('machines that do not know the person', { timeout: 120_000 }, () => {
  it('pass nothing on to that machine, and neither does a relay', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'cairn-relay-'))
    const relay = await startRelay({ dataDir, addresses: ['127.0.0.1'], port: 0 })
    const study = await createSyncedHost()
    const { desk, laptop } = hosts
    const size = async (id: string) => (await recordOf('laptop', id)).size
    const peerOf = async (name: string) =>
      (await laptop.get('/sync/peers')).body.peers.find((peer: { name: string }) => peer.name === name)
    try {
      await hosts.may('all')
      const id = await hosts.shared()
      await listen(study)
      await pair(desk, study, 'Study')
      // From here on the laptop reaches the study alone.
      await hosts.part()
      const { listening } = (await study.get('/sync/settings')).body
      const known = await until('the study is known', async () => peerOf('Study'))
      await laptop.patch(`/sync/peers/${known.id}`, { address: listening[0] })
      await change(id, { size: 2 })
      await until('it comes by the study', async () => (await size(id)) === 2)
      await hosts.may('hidden_size')
      await until('the study knows', async () => (await study.get('/sync/status')).body.reason === 'rights')
      await change(id, { size: 4714 })
      await until('the study has it', async () => (await study.get(`/data/part/${id}`)).body.record.size === 4714)
      await until('the laptop is told', async () => (await statusOf('laptop')).reason === 'rights')
      await heardFrom(id, 'Bolt, by the study')
      expect(await size(id)).toBe(2)
      await hosts.may('all')
      await until('it comes once it may', async () => (await size(id)) === 4714)
      await laptop.patch(`/sync/peers/${known.id}`, { paused: true })

      const at = { relayUrl: `wss://127.0.0.1:${relay.listening[0]!.port}`, relayFingerprint: relay.fingerprint }
      await desk.patch('/sync/settings', { ...at, relayToken: relay.madeToken })
      const isThere = async (host: 'desk' | 'laptop') =>
        (await hosts[host].get('/sync/peers')).body.peers.some(
          ({ kind, state }: { kind: string; state: string }) => kind === 'relay' && state === 'connected',
        )
      await until('the desk has the relay', async () => isThere('desk'))
      await laptop.patch('/sync/settings', at)
      await until('the laptop has the relay', async () => isThere('laptop'), 60_000)
      await change(id, { size: 3 })
      await until('it comes by the relay', async () => (await size(id)) === 3)
      await hosts.may('hidden_size')
      await change(id, { size: 4715 })
      const onRelay = async () => (await desk.post('/sync/barrier', { on: 'relay', timeoutMs: 5_000 })).body.reached
      await until('the relay has it', onRelay)
      await until('the laptop is shut out', async () => !(await isThere('laptop')))
      expect(await size(id)).toBe(3)
      // Nobody but the relay can tell, and it says what is so, also after a start.
      const isTold = async () => {
        const { state, reason } = await statusOf('laptop')
        return state === 'attention' && reason === 'rights' && (await peerOf('Relay')).lastError.reason === 'rights'
      }
      await until('the laptop is told why', isTold, 60_000)
      await laptop.restart()
      await until('the laptop is told why once more', isTold, 60_000)
      await hosts.may('all')
      await laptop.post('/sync/peers/relay/reconnect')
      await until('it comes once it may', async () => (await size(id)) === 4715, 60_000)
    } finally {
      await hosts.join()
      await study.stop()
      await relay.stop()
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
})
