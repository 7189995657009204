// Who hears what: every event is checked against its receiver when it is sent, and shows what a GET would (D-25, D-41,
// D-113, D-143, D-169).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PlatformEvent } from '#shared/events.ts'
import { internalContext } from '#main/kernel/context.ts'
import { openSocket } from '../support/realtime-client.ts'
import type { SocketClient } from '../support/realtime-client.ts'
import { asTestUser, createPeopledHost, testUserId } from '../support/test-identities.ts'
import type { PeopledHost } from '../support/test-identities.ts'

let host: PeopledHost
/** 0 sees open rows without `margin`, 1 sees everything but as nobody special, 2 is a guest, 3 a read-only key of 1. */
const [limited, plain, guest, reading] = [0, 1, 2, 3]

const open = (number: number | 'owner'): Promise<SocketClient> =>
  openSocket(host.host.url, {
    headers: number === 'owner' ? { authorization: `Bearer ${host.host.token}` } : asTestUser(number),
  })
let marks = 0
/** Everything that was committed before has arrived once this has. */
const settle = async (...clients: SocketClient[]): Promise<void> => {
  const mark = (marks += 1)
  const speaker = await open('owner')
  speaker.send({ type: 'broadcast', channel: 'room:settle', payload: { mark } })
  for (const client of clients) await client.until((frame) => frame.event?.payload?.mark === mark)
  await speaker.close()
}
const listener = async (number: number | 'owner', ...channels: string[]): Promise<SocketClient> => {
  const client = await open(number)
  for (const channel of ['room:settle', ...channels]) await client.subscribe(channel)
  return client
}
const emit = (event: Pick<PlatformEvent, 'type' | 'object' | 'recordId' | 'payload'>): Promise<void> =>
  host.host.database.write('test', (tx) => tx.emit(internalContext('test'), event))

beforeAll(async () => {
  host = await createPeopledHost({
    users: [{}, {}, {}, { sameAs: 1, scope: { permissionSets: null, readOnly: true } }],
  })
  const fields = {
    title: { type: 'text' },
    stage: { type: 'select', options: ['open', 'shut'] },
    margin: { type: 'number' },
  }
  await host.defineObject('vault', { title: { type: 'text' } })
  await host.defineObject('account', { ...fields, secret: { type: 'text' } }, { sharingModel: 'private' })
  const links = { account: { type: 'lookup', reference: 'account' }, vault: { type: 'lookup', reference: 'vault' } }
  await host.defineObject('deal', fields, { sharingModel: 'private' })
  await host.defineObject('parcel', { title: { type: 'text' }, ...links }, { sharingModel: 'read' })
  await host.defineObject('fleeting', fields, { sharingModel: 'private', enable: { trash: false } })
  const rule = (object: string) => ({ name: object, object, actions: ['read'], condition: 'record.stage == "open"' })
  await host.saveItem('permission', 'sees_open', {
    rowLevelSecurity: [rule('deal'), rule('fleeting'), rule('account')],
    fields: {
      'deal.margin': { readable: false },
      'fleeting.margin': { readable: false },
      'account.secret': { readable: false },
    },
  })
  await host.saveItem('profile', 'limited', {
    objects: {
      deal: { allowRead: true },
      fleeting: { allowRead: true },
      account: { allowRead: true },
      parcel: { allowRead: true },
    },
    systemPermissions: [],
  })
  await host.saveItem('permission', 'sees_all', { objects: { deal: { allowRead: true, viewAllRecords: true } } })
  await host.assign(limited, { profile: 'limited', permissionSets: ['sees_open'] })
  await host.assign(plain, { permissionSets: ['sees_all'] })
  await host.assign(guest, { profile: 'guest' })
})

afterAll(() => host.stop())

describe('record events', () => {
  it('show a restricted receiver exactly what it would get', async () => {
    const client = await listener(limited, 'deal')
    const ids: string[] = []
    const random = (below: number): number => Math.floor(Math.random() * below)
    let expected = 0
    for (let step = 0; step < 60; step += 1) {
      const values = {
        title: `t${step}`,
        stage: random(2) === 0 ? 'open' : 'shut',
        ...(random(2) === 0 ? { margin: step } : {}),
      }
      const before = client.events().length
      const isNew = ids.length < 5 || random(4) === 0
      const id = isNew ? '' : ids[random(ids.length)]!
      const answer = isNew ? await host.post('/data/deal', values) : await host.patch(`/data/deal/${id}`, values)
      expect(answer.status).toBe(isNew ? 201 : 200)
      if (isNew) ids.push(answer.body.id as string)
      await settle(client)
      const heard = client
        .events()
        .slice(before)
        .filter(({ type }) => type.startsWith('record.'))
      const got = await host.as(limited).get(`/data/deal/${answer.body.id}`)
      if (got.status === 404) {
        expect(heard).toEqual([])
        continue
      }
      expected += 1
      expect(heard).toHaveLength(1)
      expect(heard[0].payload.record).toEqual(got.body.record)
      expect(JSON.stringify(heard)).not.toContain('margin')
    }
    expect(expected).toBeGreaterThan(10)
    await client.close()
  })

  it('come without changes when none of them may be seen: the version is new all the same', async () => {
    const { body } = await host.post('/data/deal', { title: 'masked', stage: 'open', margin: 1 })
    const client = await listener(limited, `deal/${body.id}`)
    await host.patch(`/data/deal/${body.id}`, { margin: 731_999_111 })
    await settle(client)
    const [event] = client.events()
    expect(event.payload.changes).toEqual({})
    expect(event.payload.record).toEqual((await host.as(limited).get(`/data/deal/${body.id}`)).body.record)
    expect(JSON.stringify(client.frames)).not.toContain('731999111')
    await client.close()
  })

  it('tell of a deletion to who could read the record, and to nobody else', async () => {
    for (const object of ['deal', 'fleeting']) {
      const client = await listener(limited, object)
      const seen = (await host.post(`/data/${object}`, { title: 'seen', stage: 'open' })).body.id
      const hidden = (await host.post(`/data/${object}`, { title: 'hidden', stage: 'shut' })).body.id
      for (const id of [hidden, seen]) expect((await host.delete(`/data/${object}/${id}`)).status).toBe(200)
      await settle(client)
      const heard = client.events().filter(({ object: of }) => of === object)
      expect(heard.map(({ type, recordId, payload }) => [type, recordId, payload.record.id])).toEqual([
        ['record.created', seen, seen],
        ['record.deleted', seen, seen],
      ])
      expect(heard[1].payload).toEqual({ record: { id: seen } })
      await client.close()
    }
  })

  it('are closed by channel: objects, records, people and flows', async () => {
    const hidden = (await host.post('/data/deal', { title: 'hidden', stage: 'shut' })).body.id
    const client = await listener(limited)
    for (const channel of ['vault', `deal/${hidden}`, `user:${testUserId(plain)}`, 'flow:any', 'object:none']) {
      client.send({ type: 'subscribe', id: channel, channel })
      expect((await client.until(({ id }) => id === channel)).error).toMatchObject({ code: 'channel_forbidden' })
      const presence = await host.as(limited).get(`/realtime/presence/${encodeURIComponent(channel)}`)
      expect([channel, presence.status]).toEqual([channel, 403])
    }
    // A filter over a hidden field is one over a field that does not exist.
    for (const field of ['margin', 'nothing']) {
      client.send({ type: 'subscribe', id: field, channel: 'deal', filter: { [field]: 1 } })
    }
    const [hiddenField, noField] = [
      await client.until(({ id }) => id === 'margin'),
      await client.until(({ id }) => id === 'nothing'),
    ]
    expect(hiddenField.error.code).toBe('invalid_query')
    expect(JSON.stringify(hiddenField.error.details).replaceAll('margin', 'FIELD')).toBe(
      JSON.stringify(noField.error.details).replaceAll('nothing', 'FIELD'),
    )
    await client.close()
  })

  it('are narrowed by related records as far as their receiver sees them', async () => {
    const account = async (stage: string): Promise<string> =>
      (await host.post('/data/account', { title: 'acme', stage, secret: 'x' })).body.id as string
    const [seen, unseen] = [await account('open'), await account('shut')]
    const [mine, free] = [await listener(limited), await listener('owner')]
    for (const client of [mine, free]) await client.subscribe('parcel', { filter: { 'account.title': 'acme' } })
    for (const client of [mine, free])
      await client.subscribe('parcel', { filter: { $not: { 'account.title': 'acme' } } })
    const parcel = async (to: string): Promise<string> =>
      (await host.post('/data/parcel', { title: 'linked', account: to })).body.id as string
    const [first, second] = [await parcel(seen), await parcel(unseen)]
    await settle(mine, free)
    const [yes, no] = mine.frames.filter(({ type }) => type === 'subscribed').slice(-2)
    const heard = (client: SocketClient, of: { subscriptionId: string }) =>
      client
        .events()
        .filter(({ subscriptionId }) => subscriptionId === of.subscriptionId)
        .map(({ recordId }) => recordId)
    expect([heard(mine, yes), heard(mine, no)]).toEqual([[first], [second]])
    const [all] = free.frames.filter(({ type }) => type === 'subscribed').slice(-2)
    expect(heard(free, all)).toEqual([first, second])
    // What is closed is answered like what is not there.
    const refusals = []
    for (const path of ['account.secret', 'account.nothing', 'vault.title', 'nothing.title']) {
      mine.send({ type: 'subscribe', id: path, channel: 'parcel', filter: { [path]: 'x' } })
      const { error } = await mine.until(({ id }) => id === path)
      refusals.push([error.code, (error.details.reason as string).replace(path, 'PATH')])
    }
    expect(refusals).toEqual(Array.from({ length: 4 }, () => ['invalid_query', 'There is no field "PATH".']))
    await Promise.all([mine.close(), free.close()])
  })

  it('stop with the right, and not a moment later', async () => {
    const client = await listener(plain, 'deal')
    await host.post('/data/deal', { title: 'before', stage: 'shut' })
    await settle(client)
    expect(client.events().some(({ payload }) => payload.record?.title === 'before')).toBe(true)
    await host.assign(plain, { profile: 'guest' })
    await host.post('/data/deal', { title: 'after', stage: 'shut' })
    await settle(client)
    expect(client.events().some(({ payload }) => payload.record?.title === 'after')).toBe(false)
    await host.assign(plain, { permissionSets: ['sees_all'] })
    await host.post('/data/deal', { title: 'again', stage: 'shut' })
    await settle(client)
    expect(client.events().some(({ payload }) => payload.record?.title === 'again')).toBe(true)
    await client.close()
  })

  it('are replayed with the rights of the moment they are sent', async () => {
    const connected = await host.as(plain).post('/realtime/connect', { transport: 'polling', channels: ['deal'] })
    await host.post('/data/deal', { title: 'replayed', stage: 'shut' })
    const path = `/realtime/poll?connectionId=${connected.body.connectionId}&timeoutSeconds=0&lastEventId=${connected.body.lastEventId}`
    expect((await host.as(plain).get(path)).body.events).toHaveLength(1)
    await host.assign(plain, { profile: 'guest' })
    expect((await host.as(plain).get(path)).body.events).toEqual([])
    await host.assign(plain, { permissionSets: ['sees_all'] })
    await host.as(plain).post('/realtime/disconnect', {})
  })
})

describe('other events', () => {
  it('of definitions name who made the change, to everybody who may see them', async () => {
    const clients = [await listener(plain, 'metadata'), await listener('owner', 'metadata')]
    await host.defineObject('told', { title: { type: 'text' } })
    for (const client of clients) {
      const { event } = await client.until((frame) => frame.event?.payload?.name === 'told')
      const { type, id } = event.actor
      expect(event).toMatchObject({
        type: 'metadata.item.saved',
        channel: 'metadata',
        payload: { type: 'object', name: 'told', version: 1, actor: { type, id } },
      })
      expect(type).toBe('user')
      await client.close()
    }
  })

  it('of definitions are masked as the metadata service masks them', async () => {
    const [client, all] = [await listener(limited, 'metadata'), await listener('owner', 'metadata')]
    await host.defineObject('vault', { title: { type: 'text' }, more: { type: 'text' } })
    await host.defineObject(
      'deal',
      {
        title: { type: 'text' },
        stage: { type: 'select', options: ['open', 'shut'] },
        margin: { type: 'number' },
        place: { type: 'text' },
      },
      { sharingModel: 'private' },
    )
    await host.defineObject('passing', { title: { type: 'text' } })
    expect((await host.delete('/meta/object/passing?confirm=true')).status).toBe(200)
    await settle(client, all)
    const names = (heard: SocketClient) =>
      heard.events().flatMap(({ type, payload }) => (type.startsWith('metadata.') ? [payload.name] : []))
    expect(names(client)).toEqual(['deal'])
    expect(names(all)).toEqual(['vault', 'deal', 'passing', 'passing'])
    await Promise.all([client.close(), all.close()])
  })

  it('of feeds go to who may read the item', async () => {
    const id = (await host.post('/data/deal', { title: 'fed', stage: 'open' })).body.id as string
    await host.saveItem('permission', 'guest_reads', { objects: { deal: { allowRead: true, viewAllRecords: true } } })
    await host.assign(guest, { profile: 'guest', permissionSets: ['guest_reads'] })
    const people = [limited, plain, guest, 'owner'] as const
    const clients = await Promise.all(people.map((one) => listener(one, `deal/${id}`)))
    const say = (item: Record<string, unknown>, type = 'feed.item.created') =>
      emit({ type, object: 'deal', recordId: id, payload: { item: { object: 'deal', recordId: id, ...item } } })
    const author = { type: 'user', id: testUserId(plain) }
    await say({ id: 'f-public', visibility: 'public', actor: author, starred: true })
    await say({ id: 'f-internal', visibility: 'internal', actor: author })
    await say({
      id: 'f-private',
      visibility: 'private',
      actor: author,
      mentions: [{ type: 'user', id: testUserId(limited) }],
    })
    await say({ id: 'f-own', visibility: 'private', actor: author })
    await say({ id: 'f-unsaid', actor: author })
    const change = (field: string) => ({ field, oldValue: 1, newValue: 2 })
    await say({ id: 'f-change', visibility: 'public', actor: author, changes: [change('margin')] })
    await say({ id: 'f-changes', visibility: 'public', actor: author, changes: [change('margin'), change('title')] })
    for (const feedId of ['f-public', 'f-private', 'f-unknown'])
      await emit({
        type: 'feed.reaction.added',
        object: 'deal',
        recordId: id,
        payload: { feedId, emoji: 'x', userId: testUserId(plain) },
      })
    await settle(...clients)
    const heardBy = (client: SocketClient) =>
      client
        .events()
        .flatMap(({ type, payload }) =>
          type.startsWith('feed.') ? [payload.item?.id ?? `react ${payload.feedId}`] : [],
        )
    expect(heardBy(clients[0]!)).toEqual([
      'f-public',
      'f-internal',
      'f-private',
      'f-changes',
      'react f-public',
      'react f-private',
    ])
    expect(heardBy(clients[1]!)).toEqual([
      'f-public',
      'f-internal',
      'f-private',
      'f-own',
      'f-unsaid',
      'f-change',
      'f-changes',
      'react f-public',
      'react f-private',
    ])
    expect(heardBy(clients[2]!)).toEqual(['f-public', 'f-change', 'f-changes', 'react f-public'])
    expect(heardBy(clients[3]!)).toEqual(['f-public', 'f-internal', 'f-change', 'f-changes', 'react f-public'])
    expect(JSON.stringify(clients.map(({ frames }) => frames))).not.toContain('starred')
    const changed = clients[0]!.events().find(({ payload }) => payload.item?.id === 'f-changes')
    expect(changed.payload.item.changes).toEqual([change('title')])
    await Promise.all(clients.map((client) => client.close()))
  })

  it('of notifications go to their person, of flows to who runs flows, of plugins to come without their payload', async () => {
    const id = (await host.post('/data/deal', { title: 'worked', stage: 'open' })).body.id as string
    const [client, other] = [
      await listener(limited, 'user:me', `deal/${id}`),
      await listener(plain, 'user:me', 'flow:tidy'),
    ]
    await emit({
      type: 'notification.created',
      payload: { userId: testUserId(limited), notification: { id: 'n1', title: 'x' } },
    })
    await emit({ type: 'workflow.transitioned', object: 'deal', recordId: id, payload: { to: 'margin-7' } })
    await emit({
      type: 'flow.run.started',
      payload: { flow: 'tidy', runId: 'r1', status: 'running', input: { margin: 7 } },
    })
    await emit({ type: 'secret.kind', object: 'deal', recordId: id, payload: { margin: 7 } })
    await settle(client, other)
    const heard = (one: SocketClient) =>
      one.events().flatMap(({ type, payload }) => (type.startsWith('room.') ? [] : [[type, payload]]))
    expect(heard(client)).toEqual([
      ['notification.created', { userId: testUserId(limited), notification: { id: 'n1', title: 'x' } }],
      ['workflow.transitioned', {}],
    ])
    expect(heard(other)).toEqual([['flow.run.started', { flow: 'tidy', runId: 'r1', status: 'running' }]])
    await Promise.all([client.close(), other.close()])
  })

  it('of presence name a cell to whoever may read it', async () => {
    const [shown, hidden] = await Promise.all(
      ['open', 'shut'].map(
        async (stage) => (await host.post('/data/deal', { title: 'cell', stage })).body.id as string,
      ),
    )
    const [client, speaker] = [await listener(limited, 'deal'), await listener(plain, 'deal')]
    const asLimited = host.as(limited)
    const seenBy = async (cell: object): Promise<unknown[]> => {
      const before = client.frames.length
      speaker.send({ type: 'presence', channel: 'object:deal', state: { status: 'busy', cell } })
      const frame = await client.until((one) => one.type === 'presence' && client.frames.indexOf(one) >= before)
      const listed = (await asLimited.get('/realtime/presence/object:deal')).body.members
      expect(listed.map(({ state }: { state: object }) => state)).toEqual([frame.member.state])
      const own = (await host.as(plain).get('/realtime/presence/object:deal')).body.members
      expect(own.map(({ state }: { state: object }) => state)).toEqual([{ status: 'busy', cell }])
      return frame.member.state.cell ?? null
    }
    expect(await seenBy({ recordId: shown, field: 'title' })).toEqual({ recordId: shown, field: 'title' })
    expect(await seenBy({ recordId: shown, field: 'margin' })).toBeNull()
    expect(await seenBy({ recordId: hidden, field: 'title' })).toBeNull()
    await Promise.all([client.close(), speaker.close()])
    const connected = await asLimited.post('/realtime/connect', { transport: 'polling', channels: ['deal'] })
    const again = await listener(plain)
    again.send({ type: 'presence', channel: 'object:deal', state: { cell: { recordId: shown, field: 'title' } } })
    await expect
      .poll(async () => (await asLimited.get('/realtime/presence/object:deal')).body.members.length)
      .toBeGreaterThan(0)
    // Rights are those of the moment a poll is answered.
    await host.assign(limited, { profile: 'limited', permissionSets: [] })
    const path = `/realtime/poll?connectionId=${connected.body.connectionId}&timeoutSeconds=0`
    const { presence } = (await asLimited.get(path)).body
    expect(presence.map(({ member }: { member: { state: object } }) => member.state)).toEqual([{ status: 'online' }])
    await host.assign(limited, { profile: 'limited', permissionSets: ['sees_open'] })
    await asLimited.post('/realtime/disconnect', {})
    await again.close()
  })

  it('are listened to but not made by a read-only key', async () => {
    const client = await listener(reading, 'room:quiet')
    client.send({ type: 'broadcast', id: 'b', channel: 'room:quiet', payload: {} })
    client.send({ type: 'presence', id: 'p', channel: 'room:quiet', state: {} })
    for (const id of ['b', 'p'])
      expect((await client.until((frame) => frame.id === id)).error).toMatchObject({
        code: 'permission_denied',
        details: { reason: 'read_only_key' },
      })
    await client.close()
  })
})

describe('organizations', () => {
  it('hear nothing of each other', async () => {
    const member = (organizationId: string) => ({
      organizationId,
      memberships: [{ organizationId, role: 'member', teams: [] }],
    })
    const walled = await createPeopledHost({ organizations: true, users: [member('a'), member('b'), {}] })
    try {
      await walled.defineObject('deal', { title: { type: 'text' } })
      const clients = await Promise.all(
        [0, 1, 2].map((one) => openSocket(walled.host.url, { headers: asTestUser(one) })),
      )
      const [own, other, none] = clients as [SocketClient, SocketClient, SocketClient]
      for (const client of [own, other]) {
        await client.subscribe('deal')
        await client.subscribe('room:shared')
      }
      none.send({ type: 'subscribe', id: 'x', channel: 'deal' })
      expect((await none.until(({ id }) => id === 'x')).error.code).toBe('channel_forbidden')
      const { body } = await walled.as(0).post('/data/deal', { title: 'of a' })
      await walled.as(0).patch(`/data/deal/${body.id}`, { title: 'still of a' })
      await walled.as(0).delete(`/data/deal/${body.id}`)
      own.send({ type: 'presence', channel: 'room:shared', state: {} })
      own.send({ type: 'broadcast', channel: 'room:shared', payload: { last: 'a' } })
      await own.until((frame) => frame.event?.payload?.last === 'a')
      other.send({ type: 'broadcast', channel: 'room:shared', payload: { last: 'b' } })
      await other.until((frame) => frame.event?.payload?.last === 'b')
      expect(own.events().map(({ type }) => type)).toEqual([
        'record.created',
        'record.updated',
        'record.deleted',
        'room.broadcast',
      ])
      expect(other.events().map(({ type }) => type)).toEqual(['room.broadcast'])
      expect(other.frames.filter(({ type }) => type === 'presence')).toEqual([])
      expect((await walled.as(1).get('/realtime/presence/room:shared')).body.members).toEqual([])
      expect((await walled.as(0).get('/realtime/presence/room:shared')).body.members).toHaveLength(1)
      await Promise.all(clients.map((client) => client.close()))
    } finally {
      await walled.stop()
    }
  })
})
