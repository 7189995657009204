// Work that outlives the call that began it, once its person has left the organization or its key has ended (D-404).
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuthHost } from '../support/auth-host.ts'
import { createAuthHost } from '../support/auth-host.ts'
import { areOver, rowOf, runOf, runsWhen, saveFlow } from '../support/flow-calls.ts'

let host: AuthHost
let founder: string
let organizationId: string
let worker: string
type Calls = { get: AuthHost['get']; post: AuthHost['post'] }

const calls = (token: string): Calls => ({
  get: (path) => host.as(token, 'GET', path),
  post: (path, body) => host.as(token, 'POST', path, body),
})

const titles = async (): Promise<string[]> => {
  const { body } = await host.as(founder, 'GET', '/data/note?top=1000')
  return (body.records as { title: string }[]).map(({ title }) => title)
}

/** A person of the organization, who works in it. */
async function member(name: string, role: 'admin' | 'user' = 'user'): Promise<string> {
  const { id, email } = await host.account(name, role)
  await host.post('/auth/admin/update-user', { userId: id, data: { emailVerified: true } })
  const token = await host.signIn(name)
  await join(token, email)
  return token
}

async function join(token: string, email: string): Promise<void> {
  const invited = await host.as(founder, 'POST', '/auth/organization/invite-member', { email, role: 'member' })
  const body = { invitationId: invited.body.id }
  expect((await host.as(token, 'POST', '/auth/organization/accept-invitation', body)).status).toBe(200)
  expect((await host.as(token, 'POST', '/auth/organization/set-active', { organizationId })).status).toBe(200)
}

async function leave(email: string): Promise<void> {
  const gone = await host.as(founder, 'POST', '/auth/organization/remove-member', { memberIdOrEmail: email })
  expect(gone.status).toBe(200)
}

beforeAll(async () => {
  host = await createAuthHost(
    { plugins: { organization: true } },
    { config: { outbound: { allowedHosts: ['localhost'] } } },
  )
  await host.defineObject('note', { title: { type: 'text' } })
  await host.account('fay', 'admin')
  founder = await host.signIn('fay')
  const made = await host.as(founder, 'POST', '/auth/organization/create', { name: 'Acme', slug: 'acme' })
  organizationId = made.body.id
  worker = await member('will')
  const notes = { id: 'c', type: 'create_record', config: { object: 'note', data: { title: '{{ params.title }}' } } }
  await saveFlow(calls(founder), 'waits', rowOf({ id: 'w', type: 'wait', config: { signal: 'on' } }, notes))
})

afterAll(() => host.stop())

/** A run that waits, started with a credential. */
async function waiting(token: string, title: string): Promise<string> {
  const { body } = await host.as(token, 'POST', '/automation/waits/trigger', { params: { title } })
  expect(body.data.status).toBe('paused')
  return body.data.runId
}

async function wake(runId: string) {
  expect((await host.as(founder, 'POST', '/automation/signals/on')).body.data.resumed).toBe(1)
  await runsWhen(calls(founder), 'waits', areOver)
  return runOf(calls(founder), 'waits', runId)
}

describe('a run of a flow', () => {
  it('does nothing more in an organization its person has left', async () => {
    const runId = await waiting(worker, 'of one who left')
    await leave('will@example.org')
    const error = { code: 'permission_denied', reason: 'not_member' }
    expect(await wake(runId)).toMatchObject({ status: 'failed', error })
    expect(await titles()).not.toContain('of one who left')
    await join(worker, 'will@example.org')
  })

  it('begins no other node once its person has left', async () => {
    const { promise: asked, resolve: told } = Promise.withResolvers<void>()
    const { promise: left, resolve: goOn } = Promise.withResolvers<void>()
    const server = createServer((_request, response) => {
      told()
      void left.then(() => response.end('{}'))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const call = { id: 'h', type: 'http_request', config: { url: `http://localhost:${port}/` } }
    const note = { id: 'c', type: 'create_record', config: { object: 'note', data: { title: 'begun before' } } }
    await saveFlow(calls(founder), 'asks', rowOf(call, note))
    const { body } = await host.as(worker, 'POST', '/automation/asks/trigger?waitMs=0', {})
    await asked
    await leave('will@example.org')
    goOn()
    await runsWhen(calls(founder), 'asks', areOver)
    server.close()
    const error = { code: 'permission_denied', reason: 'not_member', nodeId: 'c' }
    expect(await runOf(calls(founder), 'asks', body.data.runId)).toMatchObject({ status: 'failed', error })
    expect(await titles()).not.toContain('begun before')
    await join(worker, 'will@example.org')
  })

  it.each([
    ['whole', {}],
    ['narrowed', { permissionSets: ['notes'] }],
  ])('of a key that is %s does nothing more once that is revoked', async (name, narrowing) => {
    const set = {
      name: 'notes',
      objects: { note: { allowCreate: true, allowRead: true } },
      fields: {},
      systemPermissions: ['run_flows'],
    }
    await host.put('/meta/permission/notes', { ...set, rowLevelSecurity: [] })
    const { id, key } = (await host.as(worker, 'POST', '/keys', { name, ...narrowing })).body
    const kept = await waiting(key, `${name}, kept`)
    expect(await wake(kept)).toMatchObject({ status: 'completed' })
    const runId = await waiting(key, `${name}, revoked`)
    expect((await host.as(worker, 'DELETE', `/keys/${id}`)).status).toBe(200)
    const error = { code: 'permission_denied', reason: 'key_gone' }
    expect(await wake(runId)).toMatchObject({ status: 'failed', error })
    expect(await titles()).not.toContain(`${name}, revoked`)
  })

  it('speaks for members of the organization only', async () => {
    const { id } = await host.account('otto')
    const { status, body } = await host.as(founder, 'POST', '/automation/waits/trigger', { userId: id })
    expect([status, body.error.details.fieldErrors[0]]).toMatchObject([
      400,
      { field: 'userId', code: 'invalid_reference' },
    ])
  })
})

describe('a schedule', () => {
  it('is stopped while its saver is no member', async () => {
    const designer = await member('dee', 'admin')
    const nodes = [
      { id: 'start', type: 'start', config: { everySeconds: 1 } },
      { id: 'c', type: 'create_record', config: { object: 'note', data: { title: 'by schedule' } } },
    ]
    const edges = [{ id: 'e', source: 'start', target: 'c' }]
    await saveFlow(calls(designer), 'ticks', { type: 'schedule', nodes, edges })
    await runsWhen(calls(founder), 'ticks', (runs) => runs.some(({ status }) => status === 'completed'))
    await leave('dee@example.org')
    const { schedules } = (await host.as(founder, 'GET', '/automation/schedules')).body.data
    expect(schedules).toMatchObject([{ flowName: 'ticks', stopped: 'not_member' }])
    const [last] = await runsWhen(calls(founder), 'ticks', ([run]) => run!['status'] === 'failed')
    const run = await runOf(calls(founder), 'ticks', last!['id'] as string)
    expect(run).toMatchObject({ error: { code: 'permission_denied', reason: 'not_member' } })
    await host.as(founder, 'POST', '/automation/schedules/ticks/pause')
  })
})

describe('an import job', () => {
  it('writes nothing more once its person has left the organization', async () => {
    const csv = `title\n${Array.from({ length: 20_000 }, (_, at) => `N${at}`).join('\n')}\n`
    const { jobId } = (await host.as(worker, 'POST', '/data/note/import/jobs', { csv })).body
    const job = `/data/import/jobs/${jobId}`
    const state = async () => (await host.as(worker, 'GET', job)).body
    while ((await state()).processed === 0) await pause(5)
    expect((await host.as(worker, 'POST', `${job}/pause`)).status).toBe(200)
    const { created } = await state()
    await leave('will@example.org')
    // Jobs are shown to those who work somewhere.
    await host.as(worker, 'POST', '/auth/organization/create', { name: 'Own', slug: 'own' })
    expect((await host.as(worker, 'POST', `${job}/resume`)).status).toBe(200)
    while (['pending', 'running'].includes((await state()).status)) await pause(20)
    expect(await state()).toMatchObject({ status: 'failed', created, error: { code: 'permission_denied' } })
  })
})
