// Realtime over HTTP and WebSocket: connections, channels, subscriptions, frames and presence (D-168 to D-176).
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type {} from '#main/plugins/realtime/api.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { UpgradeRefused, openSocket, openStream } from '../support/realtime-client.ts'
import type { SocketClient, SocketOptions } from '../support/realtime-client.ts'

let host: TestHost

/** A parsed body. */
// oxlint-disable-next-line no-explicit-any -- tests reach into bodies freely; the OpenAPI check guards their shape
type Loose = any

const token = (): Record<string, string> => ({ authorization: `Bearer ${host.host.token}` })
const open = (options: SocketOptions = {}): Promise<SocketClient> =>
  openSocket(host.host.url, { headers: token(), ...options })
const create = async (title: string, more: object = {}): Promise<string> => {
  const answer = await host.post('/data/task', { title, ...more })
  expect(answer.status).toBe(201)
  return answer.body.id as string
}
/** Events of an own write, which every earlier event is before. */
const settle = async (client: SocketClient): Promise<void> => {
  await client.subscribe('room:settle')
  const mark = `m${Math.random()}`
  client.send({ type: 'broadcast', channel: 'room:settle', payload: { mark } })
  await client.until((frame) => frame.event?.payload?.mark === mark)
}
const recordEvents = (client: SocketClient) =>
  client.events().filter(({ type }: { type: string }) => type.startsWith('record.'))

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('team', { name: { type: 'text' } })
  await host.defineObject('task', {
    team: { type: 'lookup', reference: 'team' },
    helpers: { type: 'lookup', reference: 'team', multiple: true },
    parent: { type: 'lookup', reference: 'task' },
    title: { type: 'text', required: true },
    stage: { type: 'select', options: ['open', 'shut'] },
    amount: { type: 'number' },
    notes: { type: 'text' },
  })
})

afterAll(() => host.stop())

describe('connect (D-168)', () => {
  it('answers an address, a ticket and the subscriptions', async () => {
    const { status, body } = await host.post('/realtime/connect', { channels: ['task', 'room:x'] })
    expect(status).toBe(200)
    expect(body).toMatchObject({ transport: 'websocket', ticketExpiresInSeconds: 30, heartbeatSeconds: 30 })
    expect(body.url).toBe(`${host.host.url.replace('http', 'ws')}/api/v1/realtime/ws`)
    expect(body.subscriptions.map(({ channel }: { channel: string }) => channel)).toEqual(['object:task', 'room:x'])
    expect(body.lastEventId).toMatch(/^\d+$/)
    expect(JSON.stringify(body.url)).not.toContain(body.ticket)
    const sse = await host.post('/realtime/connect', { transport: 'sse' })
    expect(sse.body.url).toBe(`${host.host.url}/api/v1/realtime/sse?connectionId=${sse.body.connectionId}`)
    const polling = await host.post('/realtime/connect', { transport: 'polling' })
    expect(polling.body.url).toBe(`${host.host.url}/api/v1/realtime/poll?connectionId=${polling.body.connectionId}`)
    expect((await host.post('/realtime/disconnect', {})).body).toEqual({ success: true })
  })

  it('refuses an unknown transport, a bad channel and nobody in particular', async () => {
    const transport = await host.post('/realtime/connect', { transport: 'pigeon' })
    expect([transport.status, transport.body.error.code]).toEqual([400, 'transport_unavailable'])
    const channel = await host.post('/realtime/connect', { channels: ['task', 'nothing:x'] })
    expect([channel.status, channel.body.error.code]).toEqual([400, 'channel_invalid'])
    const nobody = await host.anonymous('POST', '/realtime/connect', {})
    expect([nobody.status, nobody.body.error.code]).toEqual([401, 'unauthenticated'])
    const wrong = await host.anonymous('POST', '/realtime/connect', { token: 'nonsense' })
    expect([wrong.status, wrong.body.error.code]).toEqual([401, 'unauthenticated'])
    // What was refused leaves no connection behind.
    expect(host.host.plugins.service('realtime')!.connections()).toBe(0)
  })

  it('takes the token of the body in place of a header', async () => {
    const { status, body } = await host.anonymous('POST', '/realtime/connect', { token: host.host.token })
    expect(status).toBe(200)
    const client = await openSocket(host.host.url, { protocols: ['cairn.v1', `cairn.ticket.${body.ticket}`] })
    expect(await client.until(({ type }) => type === 'ready')).toMatchObject({ connectionId: body.connectionId })
    await client.close()
  })

  it('allows 20 connections of one user', async () => {
    const many = await Promise.all(Array.from({ length: 20 }, () => host.post('/realtime/connect', {})))
    expect(many.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
    const next = await host.post('/realtime/connect', {})
    expect([next.status, next.body.error.code, next.body.error.details.limit]).toEqual([429, 'connection_limit', 20])
    expect(Number(next.headers.get('retry-after'))).toBeGreaterThan(0)
    const unknown = await host.post('/realtime/disconnect', { connectionId: 'none' })
    expect(unknown.body).toEqual({ success: true })
    await host.post('/realtime/disconnect', { connectionId: many[0]!.body.connectionId })
    expect((await host.post('/realtime/connect', {})).status).toBe(200)
    await host.post('/realtime/disconnect', {})
    expect(host.host.plugins.service('realtime')!.connections()).toBe(0)
  })
})

describe('the socket (D-172)', () => {
  it('opens with a ticket once', async () => {
    const { body } = await host.post('/realtime/connect', { channels: ['object:task'] })
    const protocols = ['cairn.v1', `cairn.ticket.${body.ticket}`]
    const client = await openSocket(host.host.url, { protocols })
    expect(client.socket.protocol).toBe('cairn.v1')
    const ready = await client.until(({ type }) => type === 'ready')
    expect(ready).toEqual({
      type: 'ready',
      connectionId: body.connectionId,
      lastEventId: body.lastEventId,
      resumed: false,
    })
    const again = await openSocket(host.host.url, { protocols })
    expect(await again.closed).toBe(4401)
    expect(again.frames).toEqual([])
    const id = await create('first')
    const { event } = await client.until(({ type }) => type === 'event')
    expect(event).toMatchObject({
      type: 'record.created',
      channel: 'object:task',
      subscriptionId: body.subscriptions[0].subscriptionId,
      object: 'task',
      recordId: id,
      payload: { record: { id, title: 'first' } },
      actor: { type: 'user' },
    })
    expect(Object.keys(event).toSorted()).toEqual(
      [
        'actor',
        'channel',
        'eventId',
        'object',
        'payload',
        'recordId',
        'subscriptionId',
        'timestamp',
        'type',
      ].toSorted(),
    )
    expect(Object.keys(event.actor).toSorted()).toEqual(['id', 'type'])
    await client.close()
  })

  it('opens with a header, with a first frame, and not without either', async () => {
    const byHeader = await open()
    await byHeader.until(({ type }) => type === 'ready')
    const byToken = await openSocket(host.host.url)
    byToken.send({ type: 'auth', token: host.host.token })
    await byToken.until(({ type }) => type === 'ready')
    const { body } = await host.post('/realtime/connect', {})
    const byTicket = await openSocket(host.host.url)
    byTicket.send({ type: 'auth', ticket: body.ticket })
    await byTicket.until(({ connectionId }) => connectionId === body.connectionId)
    const early = await openSocket(host.host.url)
    early.send({ type: 'subscribe', channel: 'object:task' })
    expect(await early.closed).toBe(4401)
    expect(early.frames).toEqual([])
    await expect(openSocket(host.host.url, { headers: { authorization: 'Bearer nonsense' } })).rejects.toMatchObject({
      status: 401,
      body: { success: false, error: { code: 'unauthenticated', details: { reason: 'credential_invalid' } } },
    })
    await Promise.all([byHeader.close(), byToken.close(), byTicket.close()])
  })

  it('refuses what is no upgrade of ours with an answer of HTTP', async () => {
    const refused = async (options: SocketOptions) => {
      const error = await open(options).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(UpgradeRefused)
      const { status, body } = error as UpgradeRefused
      return [status, body.error.code, body.error.details.reason]
    }
    expect(await refused({ path: '/api/v1/nothing' })).toEqual([404, 'resource_not_found', 'route'])
    expect(await refused({ headers: { ...token(), origin: 'https://evil.example' } })).toEqual([
      403,
      'origin_forbidden',
      'origin',
    ])
    expect(await refused({ headers: { ...token(), host: 'evil.example' } })).toEqual([403, 'origin_forbidden', 'host'])
    expect(await refused({ protocols: ['other.v9'] })).toEqual([400, 'validation_error', 'subprotocol'])
    expect((await host.get('/realtime/ws')).status).toBe(404)
  })

  it('answers pings and tells what is wrong with a frame', async () => {
    const client = await open()
    client.send({ type: 'ping', id: 7 })
    expect(await client.until(({ type }) => type === 'pong')).toEqual({ type: 'pong', id: 7 })
    client.send({ type: 'ping' })
    client.send({ type: 'subscribe', id: 'bad', channel: 'a b' })
    expect((await client.until(({ id }) => id === 'bad')).error).toMatchObject({
      code: 'channel_invalid',
      httpStatus: 400,
      category: 'validation',
      retryable: false,
      details: { channel: 'a b' },
    })
    client.send({ type: 'dance', id: 'odd' })
    expect((await client.until(({ id }) => id === 'odd')).error.code).toBe('validation_error')
    client.socket.send('{"type":')
    await client.until((frame) => frame.type === 'error' && frame.id === undefined)
    client.send({ type: 'unsubscribe', id: 'gone', subscriptionId: 'none' })
    expect((await client.until(({ id }) => id === 'gone')).error.code).toBe('realtime_subscription_not_found')
    await client.close()
  })

  it('closes with 1001 when the host stops', async () => {
    const own = await createTestHost()
    const client = await openSocket(own.host.url, { headers: { authorization: `Bearer ${own.host.token}` } })
    await client.until(({ type }) => type === 'ready')
    const stream = openStream(`${own.host.url}/api/v1/realtime/sse?channels=room:x`, {
      authorization: `Bearer ${own.host.token}`,
    })
    await stream.until(({ type }) => type === 'ready')
    const polling = await own.post('/realtime/connect', { transport: 'polling' })
    const polled = own.get(`/realtime/poll?connectionId=${polling.body.connectionId}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
    const startedAt = performance.now()
    const stopping = own.stop()
    expect(await client.closed).toBe(1001)
    expect((await polled).body.events).toEqual([])
    await stopping
    stream.close()
    expect(performance.now() - startedAt).toBeLessThan(4_000)
  })
})

describe('channels and subscriptions (D-169, D-170)', () => {
  it('takes every accepted spelling', async () => {
    const id = await create('spelt')
    const client = await open()
    const me = (await host.get('/auth/get-session')).body?.user?.id ?? '00000000-0000-7000-8000-000000000001'
    for (const [given, canonical] of [
      ['object:task', 'object:task'],
      ['task', 'object:task'],
      ['objects/task', 'object:task'],
      [`record:task:${id}`, `record:task:${id}`],
      [`task/${id}`, `record:task:${id}`],
      ['user:me', `user:${me}`],
      [`user:${me}`, `user:${me}`],
      ['metadata', 'metadata'],
      ['system', 'system'],
      ['flow:escalate', 'flow:escalate'],
      ['room:lobby', 'room:lobby'],
    ] as const)
      expect((await client.subscribe(given)).channel).toBe(canonical)
    for (const [bad, code] of [
      ['', 'channel_invalid'],
      ['other:x', 'channel_invalid'],
      ['room:', 'channel_invalid'],
      ['record:task', 'channel_invalid'],
      ['a/b/c', 'channel_invalid'],
      [`room:${'x'.repeat(200)}`, 'channel_invalid'],
      ['object:nothing', 'channel_forbidden'],
      ['record:task:none', 'channel_forbidden'],
      ['user:somebody', 'channel_forbidden'],
    ] as const) {
      client.send({ type: 'subscribe', id: `bad ${bad}`.slice(0, 90), channel: bad })
      expect([bad, (await client.until((frame) => frame.id === `bad ${bad}`.slice(0, 90))).error?.code]).toEqual([
        bad,
        code,
      ])
    }
    await client.close()
  })

  it('sends what its events name, and its record alone', async () => {
    const id = await create('watched')
    const other = await create('other')
    const all = await open()
    await all.subscribe('task')
    const one = await open()
    const own = await one.subscribe(`task/${id}`, { events: ['data.updated', 'record.deleted'] })
    await host.patch(`/data/task/${other}`, { title: 'not mine' })
    await host.patch(`/data/task/${id}`, { title: 'mine', amount: 3 })
    await host.delete(`/data/task/${id}`)
    await host.post(`/data/task/${id}/restore`)
    await settle(one)
    await settle(all)
    expect(recordEvents(one).map(({ type }) => type)).toEqual(['record.updated', 'record.deleted'])
    expect(recordEvents(one)[0]).toMatchObject({
      channel: `record:task:${id}`,
      subscriptionId: own.subscriptionId,
      payload: { changes: { title: { old: 'watched', new: 'mine' }, amount: { old: null, new: 3 } } },
    })
    expect(recordEvents(one)[1].payload).toEqual({ record: { id } })
    expect(recordEvents(all).map(({ type }) => type)).toEqual([
      'record.updated',
      'record.updated',
      'record.deleted',
      'record.restored',
    ])
    const ids = recordEvents(all).map(({ eventId }) => Number(eventId))
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    one.send({ type: 'unsubscribe', id: 'u', subscriptionId: own.subscriptionId })
    expect((await one.until((frame) => frame.id === 'u')).type).toBe('unsubscribed')
    await host.patch(`/data/task/${id}`, { title: 'unheard' })
    await settle(one)
    expect(recordEvents(one)).toHaveLength(2)
    await Promise.all([all.close(), one.close()])
  })

  it('narrows by a filter, and says when a record leaves it', async () => {
    const client = await open()
    await client.subscribe('task', { filter: { stage: 'open', amount: { $gte: 10 } } })
    const inside = await create('inside', { stage: 'open', amount: 10 })
    await create('outside', { stage: 'shut', amount: 10 })
    const entering = await create('entering', { stage: 'open', amount: 1 })
    await host.patch(`/data/task/${entering}`, { amount: 11 })
    await host.patch(`/data/task/${inside}`, { notes: 'still inside' })
    await host.patch(`/data/task/${inside}`, { stage: 'shut' })
    await host.patch(`/data/task/${inside}`, { notes: 'outside now' })
    await host.delete(`/data/task/${inside}`)
    await host.delete(`/data/task/${entering}`)
    await settle(client)
    expect(recordEvents(client).map(({ type, recordId, payload }) => [type, recordId, payload.left])).toEqual([
      ['record.created', inside, undefined],
      ['record.updated', entering, undefined],
      ['record.updated', inside, undefined],
      ['record.updated', inside, true],
      ['record.deleted', entering, undefined],
    ])
    for (const filter of [{ nothing: 1 }, { amount: 'x' }, { $search: 'x' }, { 'stage.name': 'x' }]) {
      client.send({ type: 'subscribe', id: JSON.stringify(filter), channel: 'task', filter })
      const answer = await client.until(({ id }) => id === JSON.stringify(filter))
      expect([filter, answer.error?.code]).toEqual([filter, 'invalid_query'])
    }
    client.send({ type: 'subscribe', id: 'room', channel: 'room:x', filter: { a: 1 } })
    expect((await client.until(({ id }) => id === 'room')).error.code).toBe('invalid_query')
    await client.close()
  })

  it('narrows by what a record leads to, as it is when the event is sent', async () => {
    const client = await open()
    const [red, blue] = [
      (await host.post('/data/team', { name: 'red' })).body.id as string,
      (await host.post('/data/team', { name: 'blue' })).body.id as string,
    ]
    await client.subscribe('task', { filter: { team: { name: 'red' } } })
    await client.subscribe('task', { filter: { $not: { 'team.name': 'red' }, 'parent.team.name': 'red' } })
    await client.subscribe('task', { filter: { 'helpers.name': { $startsWith: 'r' } } })
    const inside = await create('inside', { team: red })
    const outside = await create('outside', { team: blue })
    await host.patch(`/data/task/${inside}`, { team: blue })
    const child = await create('child', { parent: outside })
    await host.patch(`/data/task/${outside}`, { team: red })
    await host.patch(`/data/task/${child}`, { notes: 'the parent is red by now' })
    const helped = await create('helped', { helpers: [blue, red] })
    await settle(client)
    const heard = recordEvents(client).map(({ type, recordId, payload }) => [type, recordId, payload.left])
    expect(heard).toEqual([
      ['record.created', inside, undefined],
      ['record.updated', inside, true],
      ['record.updated', outside, undefined],
      ['record.updated', child, undefined],
      ['record.created', helped, undefined],
    ])
    const owned = await open()
    await owned.subscribe('task', { filter: { 'owner.name': { $null: true } } })
    await owned.close()
    await client.close()
  })

  it('subscribes over HTTP: for the only connection, a named one, or the next', async () => {
    const waiting = await host.post('/realtime/subscribe', { channel: 'task', events: ['created'] })
    expect(waiting.status).toBe(200)
    const connected = await host.post('/realtime/connect', { transport: 'polling' })
    const only = await host.post('/realtime/subscribe', { channel: 'room:one' })
    expect(only.body.channel).toBe('room:one')
    await create('waited for')
    const { body } = await host.get(`/realtime/poll?connectionId=${connected.body.connectionId}&timeoutSeconds=1`)
    expect(body.events.map((one: { subscriptionId: string }) => one.subscriptionId)).toEqual([
      waiting.body.subscriptionId,
    ])
    const second = await host.post('/realtime/connect', { transport: 'polling' })
    const unclear = await host.post('/realtime/subscribe', { channel: 'task' })
    expect([unclear.status, unclear.body.error.details.fieldErrors[0].field]).toEqual([400, 'connectionId'])
    const named = { channel: 'task', connectionId: second.body.connectionId }
    expect((await host.post('/realtime/subscribe', named)).status).toBe(200)
    const absent = await host.post('/realtime/subscribe', { channel: 'task', connectionId: 'none' })
    expect([absent.status, absent.body.error.code]).toEqual([404, 'connection_not_found'])
    const ended = await host.post('/realtime/unsubscribe', { subscriptionId: waiting.body.subscriptionId })
    expect(ended.body).toEqual({ success: true })
    const again = await host.post('/realtime/unsubscribe', { subscriptionId: waiting.body.subscriptionId })
    expect([again.status, again.body.error.code]).toEqual([404, 'realtime_subscription_not_found'])
    await host.post('/realtime/disconnect', {})
  })

  it('allows 100 subscriptions of one connection', async () => {
    const client = await open()
    for (let at = 0; at < 90; at += 1) client.send({ type: 'subscribe', id: at, channel: `room:r${at}` })
    await client.until(({ id }) => id === 89)
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    for (let at = 90; at < 101; at += 1) client.send({ type: 'subscribe', id: at, channel: `room:r${at}` })
    expect((await client.until(({ id }) => id === 99)).type).toBe('subscribed')
    expect((await client.until(({ id }) => id === 100)).error).toMatchObject({
      code: 'connection_limit',
      details: { limit: 100 },
    })
    await client.close()
  })

  it('emits nothing for a write that was rolled back', async () => {
    const client = await open()
    for (const channel of ['task', 'metadata', 'system', 'user:me']) await client.subscribe(channel)
    host.takeEvents()
    const heardBefore = client.events().length
    const answer = await host.post('/data/task/batch', {
      operation: 'create',
      records: [{ data: { title: 'good' } }, { data: {} }],
      options: { atomic: true },
    })
    expect(answer.body.success).toBe(false)
    const many = await host.post('/data/task/createMany', [{ title: 'good' }, {}])
    expect(many.status).toBe(400)
    await settle(client)
    expect(host.takeEvents().filter(({ type }) => type !== 'room.broadcast')).toEqual([])
    expect(
      client
        .events()
        .slice(heardBefore)
        .map(({ type }) => type),
    ).toEqual(['room.broadcast'])
    await client.close()
  })
})

describe('rooms and presence (D-172, D-176)', () => {
  it('passes what is said in a room on to everybody in it', async () => {
    const [speaker, listener, outsider] = [await open(), await open(), await open()]
    await listener.subscribe('room:talk')
    await outsider.subscribe('room:other')
    speaker.send({ type: 'broadcast', channel: 'room:talk', payload: { hello: 'there' } })
    const { event } = await listener.until(({ type }) => type === 'event')
    expect(event).toMatchObject({ type: 'room.broadcast', channel: 'room:talk', payload: { hello: 'there' } })
    speaker.send({ type: 'broadcast', id: 'b', channel: 'object:task', payload: {} })
    expect((await speaker.until(({ id }) => id === 'b')).error.code).toBe('channel_invalid')
    await settle(outsider)
    expect(outsider.events().filter(({ channel }) => channel !== 'room:settle')).toEqual([])
    await Promise.all([speaker.close(), listener.close(), outsider.close()])
  })

  it('shows who is there, and tells of joins, changes and leaves', async () => {
    const [watcher, comer] = [await open(), await open()]
    await watcher.subscribe('room:hall')
    comer.send({ type: 'presence', channel: 'room:hall', state: { cursor: 3 } })
    const join = await watcher.until((frame) => frame.type === 'presence' && frame.event === 'join')
    expect(join.member).toMatchObject({
      status: 'online',
      state: { status: 'online', cursor: 3 },
      name: expect.any(String),
    })
    comer.send({ type: 'presence', channel: 'room:hall', state: { status: 'busy' } })
    const update = await watcher.until((frame) => frame.event === 'update')
    expect(update.member).toMatchObject({ status: 'busy', connectionId: join.member.connectionId })
    const { body } = await host.get('/realtime/presence/room:hall')
    expect(body).toEqual({ channel: 'room:hall', members: [update.member] })
    await comer.close()
    await watcher.until((frame) => frame.event === 'leave')
    expect((await host.get('/realtime/presence/room:hall')).body.members).toEqual([])
    await watcher.close()
  })

  it('takes presence over HTTP, by POST and PUT', async () => {
    const state = { status: 'away', where: 'desk' }
    const said = await host.post('/realtime/presence', { channel: 'room:desk', state })
    expect(said.body).toEqual({ success: true })
    expect((await host.put('/realtime/presence', { channel: 'room:desk', state: {} })).status).toBe(200)
    const { members } = (await host.get('/realtime/presence/room:desk')).body
    expect(members).toMatchObject([{ status: 'online', state: {} }])
    await host.post('/realtime/presence', { channel: 'room:desk', state: { status: 'offline' } })
    expect((await host.get('/realtime/presence/room:desk')).body.members).toEqual([])
    // A session says goodbye whether or not it has connections.
    await host.post('/realtime/presence', { channel: 'room:desk', state })
    await host.post('/realtime/disconnect', {})
    expect((await host.get('/realtime/presence/room:desk')).body.members).toEqual([])
    const large = await host.post('/realtime/presence', { channel: 'room:desk', state: { text: 'x'.repeat(5_000) } })
    expect([large.status, large.body.error.details.fieldErrors[0].code]).toEqual([400, 'max_length'])
    const odd = await host.post('/realtime/presence', { channel: 'room:desk', state: { status: 'asleep' } })
    expect(odd.status).toBe(400)
    const closed = await host.get('/realtime/presence/object:nothing')
    expect([closed.status, closed.body.error.code]).toEqual([403, 'channel_forbidden'])
  })
})

describe('server-sent events and polling (D-173)', () => {
  it('sends the same event objects by every transport', async () => {
    const client = await open()
    await client.subscribe('task')
    const connected = await host.post('/realtime/connect', { transport: 'polling', channels: ['task'] })
    const stream = openStream(`${host.host.url}/api/v1/realtime/sse?channels=task&events=record.*`, token())
    await stream.until(({ type }) => type === 'ready')
    const waiting = host.get(`/realtime/poll?connectionId=${connected.body.connectionId}`)
    const id = await create('everywhere')
    const bare = (event: object): object => ({ ...event, subscriptionId: '' })
    const { data } = await stream.until(({ type }) => type === 'record.created')
    const { event } = await client.until((frame) => frame.event?.recordId === id)
    const polled = (await waiting).body
    expect(bare(data)).toEqual(bare(event))
    expect(polled.events.map(bare)).toEqual([bare(event)])
    expect(polled.lastEventId).toBe(event.eventId)
    expect(stream.heard.at(-1)!.lastEventId).toBe(event.eventId)
    stream.close()
    await client.close()
    await host.post('/realtime/disconnect', {})
  })

  it('streams with headers that keep proxies and caches out of it', async () => {
    const response = await fetch(`${host.host.url}/api/v1/realtime/sse?channels=room:x`, { headers: token() })
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    const reader = response.body!.getReader()
    const { value } = await reader.read()
    expect(Buffer.from(value!).toString()).toMatch(/^retry: 2000\n\n/)
    const head = await fetch(`${host.host.url}/api/v1/realtime/sse?channels=room:x`, {
      method: 'HEAD',
      headers: token(),
    })
    expect(head.status).toBe(200)
    expect((await host.get('/realtime/sse')).status).toBe(400)
    expect((await host.get('/realtime/sse?connectionId=none')).status).toBe(404)
    expect((await host.anonymous('GET', '/realtime/sse?channels=room:x')).status).toBe(401)
    await reader.cancel()
    await expect.poll(() => host.host.plugins.service('realtime')!.connections(), { timeout: 3_000 }).toBe(0)
  })

  it('polls tell who comes, changes and goes, once, beside the events', async () => {
    const { body } = await host.post('/realtime/connect', { transport: 'polling', channels: ['room:yard', 'task'] })
    const poll = async (seconds = 0): Promise<Loose> =>
      (await host.get(`/realtime/poll?connectionId=${body.connectionId}&timeoutSeconds=${seconds}`)).body
    expect(await poll()).toEqual({ events: [], lastEventId: body.lastEventId })
    const watcher = await open()
    await watcher.subscribe('room:yard')
    const comer = await open()
    const waiting = poll(20)
    await pause(50)
    comer.send({ type: 'presence', channel: 'room:yard', state: { cursor: 3 } })
    const { type: _type, ...join } = await watcher.until((frame) => frame.event === 'join')
    expect(await waiting).toEqual({ events: [], presence: [join], lastEventId: expect.any(String) })
    comer.send({ type: 'presence', channel: 'room:yard', state: { status: 'busy' } })
    comer.send({ type: 'presence', channel: 'room:else', state: {} })
    await watcher.until((frame) => frame.event === 'update')
    const id = await create('meanwhile')
    const both = await poll()
    expect(both.presence).toMatchObject([{ channel: 'room:yard', event: 'update', member: { status: 'busy' } }])
    expect(both.events).toMatchObject([{ type: 'record.created', recordId: id }])
    expect((await poll()).presence).toBeUndefined()
    await comer.close()
    await watcher.until((frame) => frame.event === 'leave')
    expect((await poll()).presence).toMatchObject([{ event: 'leave', member: { userId: join.member.userId } }])
    await watcher.close()
    await host.post('/realtime/disconnect', {})
  })

  it('polls: waits, limits, and goes on where it was', async () => {
    const { body } = await host.post('/realtime/connect', { transport: 'polling', channels: ['task'] })
    const path = `/realtime/poll?connectionId=${body.connectionId}`
    const empty = await host.get(`${path}&timeoutSeconds=0`)
    expect(empty.body).toEqual({ events: [], lastEventId: body.lastEventId })
    const ids = [await create('a'), await create('b'), await create('c')]
    const first = await host.get(`${path}&timeoutSeconds=0&limit=2&lastEventId=${body.lastEventId}`)
    expect(first.body.events.map((one: { recordId: string }) => one.recordId)).toEqual(ids.slice(0, 2))
    // Asked again, the same is answered: an answer that was lost on the way is no loss.
    const again = await host.get(`${path}&timeoutSeconds=0&limit=2&lastEventId=${body.lastEventId}`)
    expect(again.body).toEqual(first.body)
    const rest = await host.get(`${path}&timeoutSeconds=0&lastEventId=${first.body.lastEventId}`)
    expect(rest.body.events.map((one: { recordId: string }) => one.recordId)).toEqual(ids.slice(2))
    for (const bad of ['timeoutSeconds=56', 'limit=0', 'limit=1001', 'timeoutSeconds=x'])
      expect([bad, (await host.get(`${path}&${bad}`)).status]).toEqual([bad, 400])
    const unknown = await host.get(`${path}&lastEventId=9999999999999999`)
    expect(unknown.body).toMatchObject({ events: [], reset: true })
    expect((await host.get('/realtime/poll?connectionId=none')).body.error.code).toBe('connection_not_found')
    await host.post('/realtime/disconnect', {})
  })
})

describe('discovery', () => {
  it('names the service, its route and the feature', async () => {
    const { body } = await host.get('/discovery')
    expect(body.features.websockets).toBe(true)
    expect(body.routes.realtime).toBe('/api/v1/realtime')
    expect(body.services.realtime).toMatchObject({ enabled: true, status: 'available' })
  })
})
