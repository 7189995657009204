// What people left under way when the machine that led was lost goes on at the next one: sessions, accounts, the audit, a
// flow that waits for an approval, schedules, deliveries in their retries, notifications, and a laptop that is paired (D-364).
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer, TestHost } from '../support/create-test-host.ts'
import { runOf, runsWhen, saveFlow } from '../support/flow-calls.ts'
import { findFreePort } from '../support/free-port.ts'
import type { HookPeer } from '../support/hook-peer.ts'
import { startHookPeer } from '../support/hook-peer.ts'
import { leaderOf } from '../support/hub-machine.ts'
import { createHub } from '../support/hub-of-machines.ts'
import type { HubOfMachines } from '../support/hub-of-machines.ts'
import { hasPostgres } from '../support/postgres-cluster.ts'
import { createSyncedHost, pair, until } from '../support/synced-hosts.ts'

const password = 'correct horse battery'

// reason: there is no PostgreSQL to test with on every machine
describe.skipIf(!hasPostgres)('after the loss of its leader a hub', () => {
  let made: HubOfMachines
  let peer: HookPeer
  let laptop: TestHost

  /**
   * Asks whoever leads, as the owner or with a session; once more where the connection broke: on a machine with other work a
   * leader may wait longer for the processor than its lease lasts, and the next one goes on.
   */
  const ask = async (method: string, path: string, body?: unknown, session?: string): Promise<Answer> => {
    const key = randomUUID()
    const send = async (): Promise<Response> => {
      const leader = await leaderOf(made.machines)
      return fetch(`${leader.url}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${session ?? leader.token()}`,
          ...(method === 'POST' || method === 'PATCH' ? { 'idempotency-key': key } : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    }
    let answer = await send().catch(() => undefined)
    for (let tries = 1; answer === undefined; tries += 1) {
      await pause(200)
      answer = tries < 50 ? await send().catch(() => undefined) : await send()
    }
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text), headers: answer.headers }
  }
  const done = async (status: number, ...asked: Parameters<typeof ask>): Promise<Answer['body']> => {
    const answer = await ask(...asked)
    expect([answer.status, answer.body], `${asked[0]} ${asked[1]}`).toEqual([status, answer.body])
    return answer.body
  }
  const hub = {
    get: (path: string) => ask('GET', path),
    post: (path: string, body?: unknown) => ask('POST', path, body),
  }

  beforeAll(async () => {
    made = await createHub(['a', 'b'], { auth: {} })
    peer = await startHookPeer()
    laptop = await createSyncedHost()
  })
  afterAll(async () => {
    await laptop?.stop()
    await made?.remove()
    await peer?.stop()
  })

  it('goes on with everything that was under way', { timeout: 300_000 }, async () => {
    const [first, second] = made.machines as [(typeof made.machines)[0], (typeof made.machines)[0]]
    first.start()
    await leaderOf([first])
    second.start()
    await second.follows()

    // People.
    const account = { email: 'ann@example.org', name: 'Ann', password, role: 'admin', data: { username: 'ann' } }
    const { user } = await done(200, 'POST', '/auth/admin/create-user', account)
    const { token: session } = await done(200, 'POST', '/auth/login', { username: 'ann', password })
    const fields = { title: { type: 'text', label: 'Title' } }
    const item = { name: 'claim', label: 'Claim', fields, enable: { sync: true } }
    await done(200, 'PUT', '/meta/object/claim', { type: 'object', name: 'claim', item })

    // A delivery whose receiver is away.
    await done(200, 'PATCH', '/settings', { 'webhooks.allowedHosts': ['127.0.0.1'] })
    peer.status = 503
    const retryPolicy = { maxRetries: 10, backoffStrategy: 'fixed', initialDelayMs: 30_000, maxDelayMs: 30_000 }
    const webhook = { name: 'told', object: 'claim', triggers: ['create'], url: peer.url, retryPolicy }
    await done(201, 'POST', '/webhooks', webhook)

    // A schedule, and a flow that waits for an answer.
    const log = { id: 'say', type: 'log', config: { message: 'said' } }
    const end = { id: 'end', type: 'end' }
    await saveFlow(hub, 'each_minute', {
      type: 'schedule',
      nodes: [{ id: 'start', type: 'start', config: { cron: '* * * * *' } }, log, end],
      edges: [
        { id: 'e1', source: 'start', target: 'say' },
        { id: 'e2', source: 'say', target: 'end' },
      ],
    })
    await saveFlow(hub, 'asking', {
      nodes: [
        { id: 'start', type: 'start' },
        { id: 'ask', type: 'approval', config: { approvers: [{ type: 'user', value: user.id }] } },
        log,
        end,
      ],
      edges: [
        { id: 'e1', source: 'start', target: 'ask' },
        { id: 'e2', source: 'ask', target: 'say', label: 'approve' },
        { id: 'e3', source: 'ask', target: 'end', label: 'reject' },
        { id: 'e4', source: 'say', target: 'end' },
      ],
    })
    const { id: claim } = await done(201, 'POST', '/data/claim', { title: 'one' })
    const started = await done(200, 'POST', '/automation/asking/trigger', { object: 'claim', recordId: claim })
    const { runId, status: runStatus } = started.data as { runId: string; status: string }
    expect(runStatus).toBe('paused')
    await until('the receiver was asked', () => peer.hooks.length > 0)
    const told = await until('Ann is told', async () => {
      const { notifications } = (await ask('GET', '/notifications', undefined, session)).body
      return notifications[0] as { id: string } | undefined
    })

    // A laptop, connected over one port that is of whoever leads.
    const port = await findFreePort()
    await done(200, 'PATCH', '/sync/settings', { listen: true, interfaces: ['127.0.0.1'], port })
    await done(202, 'POST', '/sync/enable', { deviceName: 'Hub' })
    await pair(hub, laptop)
    const titlesAt = async (): Promise<string[]> =>
      ((await laptop.get('/data/claim?select=title')).body.records as { title: string }[]).map(({ title }) => title)
    await until('the laptop has the record', async () => (await titlesAt().catch((): string[] => [])).includes('one'))
    const schedule = async (): Promise<number> =>
      ((await hub.get('/automation/schedules')).body.data.schedules as { flowName: string; totalRuns: number }[]).find(
        ({ flowName }) => flowName === 'each_minute',
      )!.totalRuns

    for (let losses = 0; losses < 2; losses += 1) {
      const leader = await leaderOf(made.machines)
      const follower = made.machines.find((one) => one !== leader)!
      await follower.follows()
      // Everything stored is at the follower.
      await until('the follower is in step', async () => {
        const { nodes } = (await hub.get('/hub')).body as { nodes: { state: string; rowsBehind: number }[] }
        return nodes.some(({ state, rowsBehind }) => state === 'follows' && rowsBehind < 5)
      })
      const [ran, offline] = [await schedule(), `written while nobody led, by ${leader.name}`]
      await leader.stop('SIGKILL')
      await laptop.post('/data/claim', { title: offline })
      expect((await leaderOf(made.machines)).name).toBe(follower.name)
      leader.start()

      expect((await ask('GET', '/auth/get-session', undefined, session)).body).toMatchObject({ user: { name: 'Ann' } })
      await done(200, 'POST', '/auth/login', { username: 'ann', password })
      expect((await ask('GET', '/notifications', undefined, session)).body.notifications).toContainEqual(
        expect.objectContaining({ id: told.id }),
      )
      await until('the schedule runs again', async () => (await schedule()) > ran, 90_000)
      await until('what the laptop wrote is here', async () => {
        const { body } = await hub.get('/data/claim?select=title')
        return (body.records as { title: string }[]).some(({ title }) => title === offline)
      })
      const later = `written by ${follower.name}`
      await done(201, 'POST', '/data/claim', { title: later })
      await until('the laptop has what was written since', async () => (await titlesAt()).includes(later))
      expect(await done(200, 'POST', '/audit/verify', {})).toMatchObject({ valid: true })
    }

    // The flow and the delivery have seen two leaders go.
    const { requests } = await done(200, 'GET', `/approvals/requests?recordId=${claim}`, undefined, session)
    await done(200, 'POST', `/approvals/requests/${requests[0].id}/approve`, { comment: 'ok' }, session)
    await runsWhen(hub, 'asking', (runs) => runs.some((one) => one['id'] === runId && one['status'] === 'completed'))
    const { steps } = await runOf(hub, 'asking', runId)
    expect(steps.map(({ nodeId }) => nodeId)).toEqual(expect.arrayContaining(['ask', 'say']))

    peer.status = 200
    const before = peer.hooks.length
    await until('the receiver is asked again', () => peer.hooks.length > before, 60_000)
    const ids = peer.hooks
      .filter(({ body }) => (body as { recordId: string }).recordId === claim)
      .map(({ headers }) => String(headers['webhook-id']))
    expect(new Set(ids).size).toBe(1)
  })
})
