// Subscriptions over graphql-transport-ws: changes as they are committed, judged for each receiver, with the library that
// clients use (D-274).
import type { Client } from 'graphql-ws'
import { createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { PeopledHost } from '../support/test-identities.ts'
import { createPeopledHost } from '../support/test-identities.ts'

let host: PeopledHost
const clients: Client[] = []

beforeAll(async () => {
  host = await createPeopledHost({ users: [{}] })
  await host.defineObject('project', { name: { type: 'text' } })
  await host.defineObject('task', {
    title: { type: 'text' },
    pay: { type: 'number' },
    open: { type: 'boolean' },
    project: { type: 'lookup', reference: 'project' },
  })
  await host.saveItem('permission', 'some', {
    objects: { task: { allowRead: true } },
    fields: { 'task.pay': { readable: false, editable: false } },
  })
  await host.assign(0, { profile: 'guest', permissionSets: ['some'] })
}, 60_000)

afterAll(async () => host?.stop())

afterEach(async () => {
  for (const client of clients.splice(0)) await client.dispose()
})

const urlOf = (): string => `${host.host.url.replace('http', 'ws')}/api/v1/graphql`

const connect = (token = host.host.token): Client => {
  const client = createClient({
    url: urlOf(),
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: `Bearer ${token}` },
    retryAttempts: 0,
    lazy: true,
  })
  clients.push(client)
  return client
}

interface Heard {
  readonly results: { data?: Record<string, unknown> | null; errors?: readonly unknown[] }[]
  readonly failures: unknown[]
  readonly isOver: () => boolean
  readonly stop: () => void
}

const hearAtOnce = (client: Client, query: string, variables: Record<string, unknown> = {}): Heard => {
  const results: Heard['results'] = []
  const failures: unknown[] = []
  let over = false
  const stop = client.subscribe(
    { query, variables },
    {
      next: (result) => void results.push(result as Heard['results'][number]),
      error: (error) => void failures.push(error),
      complete: () => void (over = true),
    },
  )
  return { results, failures, isOver: () => over, stop }
}

/** Subscribes and waits until the host follows: a change made after it is heard. */
const hear = async (client: Client, query: string, variables: Record<string, unknown> = {}): Promise<Heard> => {
  const begun = hearAtOnce(client, query, variables)
  await new Promise((resolve) => setTimeout(resolve, 300))
  return begun
}

const changes = `subscription ($where: TaskWhere, $id: ID, $kinds: [ChangeKind!]) {
  taskChanged(where: $where, id: $id, kinds: $kinds) { type id left changes actorId record { title project { name } projectId } }
}`

const heard = async ({ results }: Heard, count: number): Promise<Record<string, unknown>[]> => {
  await expect.poll(() => results.length, { timeout: 5_000 }).toBe(count)
  return results.map(({ data }) => (data as { taskChanged: Record<string, unknown> }).taskChanged)
}

describe('a subscription', () => {
  it('tells what is created, updated and deleted, with relations', async () => {
    const all = await hear(connect(), changes)
    const deletions = await hear(connect(), changes, { kinds: ['deleted'] })
    const project = (await host.post('/data/project', { name: 'P' })).body.id
    const { id } = (await host.post('/data/task', { title: 'one', project })).body
    await host.patch(`/data/task/${id}`, { title: 'two' })
    await host.delete(`/data/task/${id}`)
    expect(await heard(all, 3)).toEqual([
      expect.objectContaining({
        type: 'created',
        id,
        left: false,
        record: { title: 'one', project: { name: 'P' }, projectId: project },
      }),
      expect.objectContaining({ type: 'updated', id, changes: { title: { old: 'one', new: 'two' } } }),
      expect.objectContaining({ type: 'deleted', id, record: null }),
    ])
    expect((await heard(deletions, 1))[0]).toMatchObject({ type: 'deleted', id })
  })

  it('filters, says when a record leaves, and follows a single one', async () => {
    const open = await hear(connect(), changes, { where: { open: { eq: true } } })
    const { id } = (await host.post('/data/task', { title: 'shut', open: false })).body
    const single = await hear(connect(), changes, { id })
    await host.patch(`/data/task/${id}`, { open: true })
    await host.patch(`/data/task/${id}`, { open: false })
    await host.post('/data/task', { title: 'other' })
    expect((await heard(open, 2)).map(({ left }) => left)).toEqual([false, true])
    expect((await heard(single, 2)).map(({ type }) => type)).toEqual(['updated', 'updated'])
  })

  it('ends when the client says so, and others go on', async () => {
    const client = connect()
    const first = await hear(client, changes)
    const second = await hear(client, changes)
    first.stop()
    await new Promise((resolve) => setTimeout(resolve, 200))
    await host.post('/data/task', { title: 'late' })
    await heard(second, 1)
    expect(first.results).toEqual([])
    expect(first.isOver()).toBe(true)
  })

  it('knows the rights of its receiver', async () => {
    const token = 'test-user-0'
    const seen = await hear(connect(token), 'subscription { taskChanged { type changes record { title projectId } } }')
    const closed = await hear(connect(token), 'subscription { taskChanged { record { pay } } }')
    const hidden = await hear(connect(token), 'subscription { projectChanged { id } }')
    const { id } = (await host.post('/data/task', { title: 'paid', pay: 5 })).body
    await host.patch(`/data/task/${id}`, { pay: 6 })
    await host.patch(`/data/task/${id}`, { title: 'told' })
    await expect.poll(() => seen.results.length, { timeout: 5_000 }).toBeGreaterThanOrEqual(2)
    expect(JSON.stringify(seen.results)).not.toContain('pay"')
    for (const refused of [closed, hidden]) {
      expect(refused.results).toEqual([])
      expect(JSON.stringify(refused.failures)).toContain('invalid_query')
    }
    await host.assign(0, { profile: 'guest', permissionSets: [] })
    const before = seen.results.length
    await host.post('/data/task', { title: 'unseen' })
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(seen.results.length).toBe(before)
    await host.assign(0, { profile: 'guest', permissionSets: ['some'] })
  })

  it('that is refused by the channel says so, and ends no other one of its socket', async () => {
    const few = connect('test-user-0')
    const goes = await hear(few, 'subscription { taskChanged { type } }')
    const closed = await hear(few, 'subscription { taskChanged(id: "01a00000-0000-7000-8000-000000000000") { type } }')
    expect(JSON.stringify(closed.failures)).toContain('channel_forbidden')
    const client = connect()
    const all: Heard[] = []
    for (let number = 0; number < 101; number += 1) {
      // Within what a socket may say in a second.
      if (number === 60) await new Promise((resolve) => setTimeout(resolve, 1_100))
      all.push(hearAtOnce(client, 'subscription { taskChanged { id } }'))
    }
    await expect.poll(() => JSON.stringify(all.at(-1)!.failures), { timeout: 5_000 }).toContain('connection_limit')
    await host.post('/data/task', { title: 'heard' })
    await heard(goes, 1)
    for (const one of all.slice(0, 100)) await heard(one, 1)
    expect([goes, ...all.slice(0, 100)].flatMap(({ failures }) => failures)).toEqual([])
  })

  it('refuses queries, writes and broken documents in its words, and goes on', async () => {
    const client = connect()
    for (const query of [
      '{ __typename }',
      'mutation { createTask(data: {title: "x"}) { id } }',
      'subscription { nothing }',
      'subscription {',
    ]) {
      const { failures } = await hear(client, query)
      await expect.poll(() => JSON.stringify(failures), { timeout: 5_000, message: query }).toContain('invalid_query')
    }
    const goes = await hear(client, changes)
    await host.post('/data/task', { title: 'still' })
    await heard(goes, 1)
    const overHttp = await host.post('/graphql', { query: 'subscription { taskChanged { id } }' })
    expect([overHttp.status, overHttp.body.error.code]).toEqual([400, 'invalid_query'])
  })
})

describe('the protocol', () => {
  const talk = async (
    frames: readonly (string | object)[],
    headers: Record<string, string> = {},
  ): Promise<{ code: number; said: string[] }> => {
    const socket = new WebSocket(urlOf(), 'graphql-transport-ws', { headers })
    const said: string[] = []
    socket.on('message', (data) => said.push(JSON.parse(String(data)).type))
    const closed = new Promise<number>((resolve) => socket.on('close', resolve))
    await new Promise((resolve) => socket.on('open', resolve))
    for (const frame of frames) socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
    const code = await Promise.race([closed, new Promise<number>((resolve) => setTimeout(resolve, 1_000, 0))])
    socket.terminate()
    return { code, said }
  }
  const mine = () => ({ authorization: `Bearer ${host.host.token}` })
  const init = { type: 'connection_init' }
  const subscribe = { type: 'subscribe', id: '1', payload: { query: 'subscription { taskChanged { id } }' } }

  it('takes the credential of the request, or a token in the first message, and no other', async () => {
    expect(await talk([init, { type: 'ping' }], mine())).toEqual({ code: 0, said: ['connection_ack', 'pong'] })
    expect((await talk([{ ...init, payload: { token: host.host.token } }])).said).toEqual(['connection_ack'])
    for (const payload of [undefined, { token: 'wrong' }, { token: 7 }])
      expect((await talk([{ ...init, payload }])).code).toBe(4403)
  })

  it('ends with the codes of the protocol', async () => {
    const warnings: string[] = []
    const note = ({ name }: Error): void => void warnings.push(name)
    process.on('warning', note)
    onTestFinished(() => void process.off('warning', note))
    expect((await talk([subscribe])).code).toBe(4401)
    expect((await talk([init, init], mine())).code).toBe(4429)
    expect((await talk([init, subscribe, subscribe], mine())).code).toBe(4409)
    for (const broken of ['{', 'null', '{"type":"start"}', '{"type":"subscribe","id":"1"}'])
      expect((await talk([init, broken], mine())).code, broken).toBe(4400)
    expect((await talk([init, ...Array.from({ length: 120 }, () => ({ type: 'ping' }))], mine())).code).toBe(1008)
    expect(warnings).toEqual([])
  })

  it('refuses what is nested without end, from nobody in particular too, and ends nothing else', async () => {
    const deep = `{"type":"ping","payload":${'['.repeat(60_000)}${']'.repeat(60_000)}}`
    expect((await talk([deep])).code).toBe(4400)
    expect((await talk([init, deep], mine())).code).toBe(4400)
    expect((await talk([init, { type: 'ping' }], mine())).said).toEqual(['connection_ack', 'pong'])
  })
})
