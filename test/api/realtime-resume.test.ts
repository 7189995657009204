// Connections that break and come back, and clients that are slow (D-174, D-175).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createManualClock } from '#main/kernel/clock.ts'
import type {} from '#main/plugins/realtime/api.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { openSocket, openStream } from '../support/realtime-client.ts'
import type { SocketClient } from '../support/realtime-client.ts'
import { sized } from '../support/test-size.ts'

let host: TestHost

const token = (of = host): Record<string, string> => ({ authorization: `Bearer ${of.host.token}` })
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('task', { title: { type: 'text' }, text: { type: 'textarea' } })
})

afterAll(() => host.stop())

/** Comes back with a new connection and goes on after the last event seen. */
async function comeBack(lastEventId: string): Promise<SocketClient> {
  const { body } = await host.post('/realtime/connect', { channels: ['task'] })
  const client = await openSocket(host.host.url)
  client.send({ type: 'auth', ticket: body.ticket, lastEventId })
  return client
}

/** Creates records until told to stop; answers their ids in order. */
function writer(): { stop(): Promise<string[]> } {
  let isOver = false
  const ids: string[] = []
  const done = (async () => {
    while (!isOver) {
      const { body } = await host.post('/data/task', { title: `n${ids.length}` })
      ids.push(body.id as string)
    }
    return ids
  })()
  return {
    stop() {
      isOver = true
      return done
    },
  }
}

describe('resuming (D-174)', () => {
  it('misses and repeats nothing over broken connections', async () => {
    const { body } = await host.post('/realtime/connect', {})
    let lastEventId = body.lastEventId as string
    await host.post('/realtime/disconnect', {})
    const writing = writer()
    const seen: { eventId: string; recordId: string }[] = []
    for (let break_ = 0; break_ < sized(12, 100); break_ += 1) {
      const client = await comeBack(lastEventId)
      await client.until(({ type }) => type === 'ready')
      await pause(Math.random() * 60)
      client.socket.terminate()
      await client.closed
      seen.push(...client.events())
      lastEventId = seen.at(-1)?.eventId ?? lastEventId
    }
    const ids = await writing.stop()
    const last = await comeBack(lastEventId)
    await last.until((frame) => frame.event?.recordId === ids.at(-1))
    seen.push(...last.events())
    await last.close()
    expect(ids.length).toBeGreaterThan(sized(6, 50))
    expect(seen.map(({ recordId }) => recordId)).toEqual(ids)
    expect(new Set(seen.map(({ eventId }) => eventId)).size).toBe(seen.length)
  }, 60_000)

  it('waits for subscriptions that follow', async () => {
    const { body } = await host.post('/realtime/connect', {})
    const made = await host.post('/data/task', { title: 'before' })
    const client = await openSocket(host.host.url)
    client.send({ type: 'auth', token: host.host.token, lastEventId: body.lastEventId })
    client.send({ type: 'subscribe', id: 1, channel: 'room:a' })
    client.send({ type: 'subscribe', id: 2, channel: 'task' })
    expect(await client.until(({ type }) => type === 'ready')).toMatchObject({
      resumed: true,
      lastEventId: body.lastEventId,
    })
    await client.until((frame) => frame.event?.recordId === made.body.id)
    await client.close()
    await host.post('/realtime/disconnect', {})
  })

  it('of a stream goes by its last id, over streams that break', async () => {
    const connected = await host.post('/realtime/connect', { transport: 'sse', channels: ['task', 'room:b'] })
    const stream = openStream(connected.body.url, token())
    const first = await host.post('/data/task', { title: 'one' })
    await stream.until(({ data }) => data.recordId === first.body.id)
    const { lastEventId } = stream.heard.at(-1)!
    stream.close()
    const missed = await host.post('/data/task', { title: 'two' })
    const again = await fetch(connected.body.url, { headers: { ...token(), 'last-event-id': lastEventId } })
    const reader = again.body!.getReader()
    let text = ''
    while (!text.includes(missed.body.id)) text += Buffer.from((await reader.read()).value!).toString()
    expect(text).toContain('"resumed":true')
    expect(text).not.toContain(first.body.id)
    await reader.cancel()
    await host.post('/realtime/disconnect', {})
  })

  it('is refused with reset when the position is unknown, and after a restart', async () => {
    const { body } = await host.post('/realtime/connect', {})
    const positions = ['9999999999999999', '1', 'abc']
    for (const [at, lastEventId] of positions.entries()) {
      const client = await comeBack(lastEventId)
      const reset = await client.until(({ type }) => type === 'reset')
      expect(reset.reason).toBe(at === 1 ? 'too_old' : 'unknown')
      expect(client.frames[0]).toMatchObject({ type: 'ready', resumed: false, lastEventId: reset.lastEventId })
      await client.close()
    }
    await pause(5)
    await host.restart()
    const client = await comeBack(body.lastEventId)
    expect((await client.until(({ type }) => type === 'reset')).reason).toBe('too_old')
    await client.close()
    await host.post('/realtime/disconnect', {})
  })

  it('reaches 10,000 events back and a day', async () => {
    const clock = createManualClock(Date.UTC(2026, 2, 1))
    const own = await createTestHost({ clock })
    try {
      await own.patch('/settings', { rateLimits: { write: null, read: null } })
      await own.defineObject('task', { title: { type: 'text' } })
      const path = (id: string, from: string) =>
        `/realtime/poll?timeoutSeconds=0&limit=1000&connectionId=${id}&lastEventId=${from}`
      const connect = () => own.post('/realtime/connect', { transport: 'polling', channels: ['task'] })
      const { connectionId, lastEventId } = (await connect()).body
      const create = async (count: number): Promise<void> => {
        const records = Array.from({ length: count }, () => ({ data: { title: 'x' } }))
        const { body } = await own.post('/data/task/batch', { operation: 'create', records })
        expect(body.succeeded).toBe(count)
      }
      for (let at = 0; at < 10; at += 1) await create(1_000)
      let [from, count] = [lastEventId as string, 0]
      for (;;) {
        const { body } = await own.get(path(connectionId, from))
        expect(body.reset).toBe(undefined)
        count += body.events.length
        from = body.lastEventId
        if (body.events.length === 0) break
      }
      expect(count).toBe(10_000)
      await create(1)
      expect((await own.get(path(connectionId, lastEventId))).body).toMatchObject({ reset: true, events: [] })
      await create(1)
      clock.advance(86_400_001)
      const later = (await connect()).body.connectionId
      expect((await own.get(path(later, from))).body.reset).toBe(true)
    } finally {
      await own.stop()
    }
  }, 60_000)
})

describe('lapses (D-168, D-176)', () => {
  it('drop connections nobody uses, tickets and presence', async () => {
    const clock = createManualClock(Date.UTC(2026, 2, 1))
    const own = await createTestHost({ clock })
    const count = (): number => own.host.plugins.service('realtime')!.connections()
    try {
      const { body } = await own.post('/realtime/connect', {})
      const polling = await own.post('/realtime/connect', { transport: 'polling' })
      await own.get(`/realtime/poll?timeoutSeconds=0&connectionId=${polling.body.connectionId}`)
      await own.post('/realtime/presence', { channel: 'room:x', state: {}, connectionId: body.connectionId })
      expect(count()).toBe(2)
      clock.advance(30_001)
      const late = await openSocket(own.host.url, { protocols: ['cairn.v1', `cairn.ticket.${body.ticket}`] })
      expect(await late.closed).toBe(4401)
      clock.advance(30_000)
      await expect.poll(count, { timeout: 3_000 }).toBe(1)
      expect((await own.get('/realtime/presence/room:x')).body.members).toEqual([])
      clock.advance(30_000)
      await expect.poll(count, { timeout: 3_000 }).toBe(0)
      expect((await own.get(`/realtime/poll?connectionId=${polling.body.connectionId}`)).status).toBe(404)
    } finally {
      await own.stop()
    }
  })

  it('drop what nobody attached to, whatever is subscribed and said for it meanwhile', async () => {
    const clock = createManualClock(Date.UTC(2026, 2, 1))
    const own = await createTestHost({ clock })
    const count = (): number => own.host.plugins.service('realtime')!.connections()
    try {
      const polled = (await own.post('/realtime/connect', { transport: 'polling' })).body.connectionId
      await own.get(`/realtime/poll?timeoutSeconds=0&connectionId=${polled}`)
      const left = (await own.post('/realtime/connect', { transport: 'polling' })).body.connectionId
      const touch = async (connectionId: string) => {
        const answers = [
          await own.post('/realtime/subscribe', { channel: 'room:x', connectionId }),
          await own.post('/realtime/presence', { channel: 'room:x', state: {}, connectionId }),
        ]
        return answers.map(({ status }) => status)
      }
      clock.advance(50_000)
      expect([await touch(left), await touch(polled)]).toEqual([
        [200, 200],
        [200, 200],
      ])
      clock.advance(10_000)
      await expect.poll(count, { timeout: 3_000 }).toBe(1)
      expect(await touch(left)).toEqual([404, 404])
      clock.advance(60_000)
      await pause(700)
      expect(count()).toBe(1)
      clock.advance(20_000)
      await expect.poll(count, { timeout: 3_000 }).toBe(0)
    } finally {
      await own.stop()
    }
  })

  it('close a socket that answers no ping', async () => {
    const clock = createManualClock(Date.UTC(2026, 2, 1))
    const own = await createTestHost({ clock })
    try {
      const client = await openSocket(own.host.url, { headers: token(own) })
      await client.until(({ type }) => type === 'ready')
      const pinged = new Promise<void>((resolve) => {
        client.socket.once('ping', () => resolve())
      })
      clock.advance(30_001)
      await pinged
      // The library answers pings by itself, unless it does not read.
      client.socket.pause()
      let isClosed = false
      void client.closed.then(() => (isClosed = true))
      for (let at = 0; at < 3; at += 1) {
        await pause(700)
        clock.advance(30_001)
      }
      await expect.poll(() => own.host.plugins.service('realtime')!.connections(), { timeout: 5_000 }).toBe(0)
      client.socket.resume()
      await expect.poll(() => isClosed, { timeout: 3_000 }).toBe(true)
    } finally {
      await own.stop()
    }
  })
})

describe('clients that send too much (D-175)', () => {
  it('are closed with 1008, and with 1009 where a frame is not even read', async () => {
    const open = () => openSocket(host.host.url, { headers: token(host) })
    const chatty = await open()
    for (let at = 0; at < 102; at += 1) chatty.send({ type: 'ping' })
    expect(await chatty.closed).toBe(1008)
    const large = await open()
    large.send({ type: 'broadcast', channel: 'room:x', payload: 'x'.repeat(70_000) })
    expect(await large.closed).toBe(1008)
    const allowed = await open()
    allowed.send({ type: 'broadcast', channel: 'room:x', payload: 'x'.repeat(60_000) })
    allowed.send({ type: 'ping', id: 'still' })
    await allowed.until(({ id }) => id === 'still')
    await allowed.close()
    const larger = await open()
    larger.send({ type: 'broadcast', channel: 'room:x', payload: 'x'.repeat(140_000) })
    expect(await larger.closed).toBe(1009)
  })
})

describe('slow clients (D-175)', () => {
  /** Records of 50 kB, ten of them with each request. */
  const createMany = async (count: number): Promise<void> => {
    const records = Array.from({ length: 10 }, (_none, at) => ({ title: `cold ${at}`, text: 'x'.repeat(50_000) }))
    for (let at = 0; at < count; at += 10)
      expect((await host.post('/data/task/createMany', { records })).status).toBe(201)
  }

  it('get updates of one record as one, and are closed with 1013 beyond a megabyte', async () => {
    await host.patch('/settings', { rateLimits: { write: null, read: null } })
    const { body } = await host.post('/data/task', { title: 'hot' })
    const slow = await openSocket(host.host.url, { headers: token() })
    await slow.subscribe('task')
    slow.socket.pause()
    const text = (size: number, letter: string): string => letter.repeat(size)
    // Fills what the network takes, then waits as one update.
    for (let at = 0; at < 240; at += 1)
      await host.patch(`/data/task/${body.id}`, { title: `hot ${at}`, text: text(50_000, 'abc'[at % 3]!) })
    expect(slow.socket.readyState).toBe(slow.socket.OPEN)
    slow.socket.resume()
    await slow.until((frame) => frame.event?.payload?.record?.title === 'hot 239')
    const updates = slow.events()
    expect(updates.length).toBeLessThan(240)
    const ids = updates.map(({ eventId }) => Number(eventId))
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    // The changes of merged updates go from the first old value to the last new one, so that nothing is between.
    for (const [at, { payload }] of updates.entries())
      if (at > 0) expect(payload.changes.title.old).toBe(updates[at - 1].payload.record.title)

    slow.socket.pause()
    await createMany(240)
    slow.socket.resume()
    expect(await slow.closed).not.toBe(1000)
    expect(slow.events().length).toBeLessThan(updates.length + 240)
  }, 60_000)

  it('of streams are cut, and go on after what they have', async () => {
    const controller = new AbortController()
    const response = await fetch(`${host.host.url}/api/v1/realtime/sse?channels=task`, {
      headers: token(),
      signal: controller.signal,
    })
    const reader = response.body!.getReader()
    await reader.read()
    await createMany(300)
    await expect.poll(() => host.host.plugins.service('realtime')!.connections(), { timeout: 5_000 }).toBe(0)
    let bytes = 0
    for (;;) {
      const { value, done } = await reader.read().catch(() => ({ value: undefined, done: true }))
      if (done) break
      bytes += value!.byteLength
    }
    expect(bytes).toBeLessThan(300 * 50_000)
    controller.abort()
  }, 60_000)
})
