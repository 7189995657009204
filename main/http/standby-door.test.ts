// The door of a node that follows, before real servers: what it passes on, what it repeats, and what it never does.
import { Agent, get, request } from 'node:http'
import { createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { platformError } from '#shared/errors.ts'
import { createManualClock } from '#main/kernel/clock.ts'
import { createIds } from '#main/kernel/ids.ts'
import { createLogger } from '#main/kernel/logger.ts'
import type { SocketRoute } from '#main/kernel/sockets.ts'
import { createTestServer, echoRoute, itemRoute, testRoute } from '../../test/support/create-test-server.ts'
import type { TestServer } from '../../test/support/create-test-server.ts'
import type { RouteBinding } from './route-runtime.ts'
import { passedHeader, writePassedOn } from './passed-on.ts'
import { openStandbyDoor } from './standby-door.ts'
import type { StandbyDoor } from './standby-door.ts'

const key = Buffer.alloc(32, 7)
const clock = createManualClock(0)
const closers: (() => unknown)[] = []

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

interface Leader extends TestServer {
  readonly url: string
}

/** What ran at the leaders. */
const done: string[] = []

const noteRoute = testRoute(
  { operationId: 'note', method: 'POST', path: '/notes', body: z.object({ text: z.string() }) },
  (_ctx, input: { body: { text: string } }) => {
    done.push(input.body.text)
    return { count: done.length }
  },
)
/** What a stranger sends, and what somebody puts: keys are heeded for neither. */
const keylessRoutes = (['POST', 'PUT'] as const).map((method) =>
  testRoute(
    {
      operationId: `hook${method}`,
      method,
      path: '/hooks',
      permission: 'public',
      body: z.object({ text: z.string() }),
    },
    (_ctx, input: { body: { text: string } }) => {
      done.push(input.body.text)
      return {}
    },
  ),
)
const addressRoute = testRoute(
  { operationId: 'address', method: 'POST', path: '/address', body: z.unknown(), keepsRawBody: true },
  (_ctx, input: { raw: { address: string } }) => ({ address: input.raw.address }),
)
const echoSocket: SocketRoute = {
  path: '/echo-socket',
  protocols: ['echo'],
  maxMessageBytes: 1_000_000,
  open: (socket) => socket.onMessage((text) => socket.send(text)),
}

const bytesRoute = testRoute(
  {
    operationId: 'bytes',
    method: 'PUT',
    path: '/bytes',
    body: z.unknown(),
    streams: true,
    consumes: ['application/octet-stream'],
  },
  () => {
    throw platformError('conflict')
  },
)

async function leaderOn(port = 0): Promise<Leader> {
  const made = await createTestServer([itemRoute, echoRoute, noteRoute, addressRoute, bytesRoute, ...keylessRoutes], {
    passKey: key,
    sockets: [echoSocket],
  })
  const { baseUrl } = await made.server.listen(port)
  closers.push(() => made.server.close())
  return { ...made, url: baseUrl }
}

async function doorTo(leader: () => string | null): Promise<StandbyDoor & { readonly url: string }> {
  const log = createLogger({ destination: { write: () => undefined } })
  const door = await openStandbyDoor({ port: 0, leader, key, trustedOrigins: [], ids: createIds(clock), clock, log })
  closers.push(() => door.close())
  return { ...door, url: `http://127.0.0.1:${door.port}` }
}

/** A host behind a door, as the one that leads is. */
async function attachedTo(door: StandbyDoor, more: readonly RouteBinding[] = []): Promise<TestServer> {
  const made = await createTestServer([itemRoute, ...more], {
    ...{ passKey: key, sockets: [echoSocket], answerGate: () => null },
  })
  closers.push(() => made.server.close())
  door.serve(made.server.attach(door.port))
  return made
}

/** Asks over a kept connection. */
function getOver(agent: Agent, url: string, headers: Record<string, string>) {
  return new Promise<{ status: number | undefined; isReused: boolean }>((resolve, reject) => {
    const asked = get(url, { agent, headers }, (answer) => {
      answer.resume().on('end', () => resolve({ status: answer.statusCode, isReused: asked.reusedSocket }))
    })
    asked.on('error', reject)
  })
}

/** A machine that takes connections and does this with what it hears. */
async function machine(hears: Parameters<typeof createServer>[1]): Promise<string> {
  const server: Server = createServer(hears)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function post(url: string, { owner }: Leader, path: string, body: unknown, more: Record<string, string> = {}) {
  return fetch(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: { ...owner, 'content-type': 'application/json', ...more },
    body: JSON.stringify(body),
  })
}

describe('the door of a node that follows', () => {
  it('has a refused body read to its end, so that the answer arrives and the connection lives on', async () => {
    const leader = await leaderOn()
    const door = await doorTo(() => leader.url)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    closers.push(() => agent.destroy())
    const body = Buffer.alloc(24 * 1024 * 1024, 'x')
    const send = (method: string, path: string, type: string) =>
      new Promise((resolve, reject) => {
        const headers = { ...leader.owner, 'content-type': type, 'content-length': body.length }
        const asked = request(`${door.url}/api/v1${path}`, { agent, method, headers }, (answer) => {
          answer.resume()
          asked.on('close', () => resolve(answer.statusCode))
        })
        asked.on('error', reject)
        asked.end(body)
      })
    for (let tries = 0; tries < 5; tries += 1) {
      expect(await send('POST', '/notes', 'application/json')).toBe(413)
      expect(await send('PUT', '/bytes', 'application/octet-stream')).toBe(409)
    }
    expect(await getOver(agent, `${door.url}/healthz`, {})).toEqual({ status: 200, isReused: true })
  })

  it('passes on what comes, as if the client had come to the leader', async () => {
    const leader = await leaderOn()
    const door = await doorTo(() => leader.url)
    const item = await fetch(`${door.url}/api/v1/items/a%20b`, { headers: leader.owner })
    expect(await item.json()).toEqual({ id: 'a b' })
    expect((await fetch(`${door.url}/api/v1/items/a`)).status).toBe(401)
    // A cookie writes from a page of the door's own, and from no other.
    const page = { authorization: '', cookie: leader.openSession() }
    const write = (origin: string) =>
      fetch(`${door.url}/api/v1/echo`, {
        method: 'POST',
        headers: { cookie: page.cookie, origin, 'content-type': 'application/json' },
        body: '1',
      })
    expect(await (await write(door.url)).json()).toEqual({ got: 1 })
    expect((await write('http://127.0.0.1:1')).status).toBe(403)
    const address = await new Promise<string>((resolve, reject) => {
      const asked = request(`${door.url}/api/v1/address`, {
        method: 'POST',
        localAddress: '127.0.0.2',
        headers: { ...leader.owner, 'content-type': 'application/json' },
      })
      asked.on('error', reject)
      asked.on('response', (answer) => answer.setEncoding('utf8').on('data', resolve))
      asked.end('{}')
    })
    expect(JSON.parse(address)).toEqual({ address: '127.0.0.2' })
  })

  it('passes on a request that expects what nobody offers as if it expected nothing (D-327)', async () => {
    const leader = await leaderOn()
    const door = await doorTo(() => leader.url)
    const heard = await new Promise<string>((resolve, reject) => {
      const asked = request(`${door.url}/api/v1/echo`, {
        method: 'POST',
        headers: { ...leader.owner, 'content-type': 'application/json', expect: 'foo' },
      })
      asked.on('error', reject)
      asked.on('response', (answer) => answer.setEncoding('utf8').on('data', resolve))
      asked.end('1')
    })
    expect(JSON.parse(heard)).toEqual({ got: 1 })
  })

  it('carries bodies of any length, and sockets', async () => {
    const leader = await leaderOn()
    const door = await doorTo(() => leader.url)
    const long = 'x'.repeat(3_000_000)
    expect(await (await post(door.url, leader, '/echo', long)).json()).toEqual({ got: long })
    const streamed = await fetch(`${door.url}/api/v1/echo`, {
      method: 'POST',
      headers: { ...leader.owner, 'content-type': 'application/json' },
      body: new Blob([JSON.stringify(long)]).stream(),
      duplex: 'half',
    } as RequestInit)
    expect(await streamed.json()).toEqual({ got: long })

    const socket = new WebSocket(`${door.url.replace('http', 'ws')}/api/v1/echo-socket`, ['echo'], {
      headers: leader.owner,
    })
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    const heard = new Promise<string>((resolve) => socket.once('message', (data: Buffer) => resolve(String(data))))
    socket.send(long.slice(0, 100_000))
    expect((await heard).length).toBe(100_000)
    const refused = new WebSocket(`${door.url.replace('http', 'ws')}/api/v1/echo-socket`, ['echo'], {
      headers: { origin: 'http://127.0.0.1:1' },
    })
    closers.push(() => refused.terminate())
    await expect(new Promise((_, reject) => refused.once('error', reject))).rejects.toThrow('403')
    const closed = new Promise((resolve) => socket.once('close', resolve))
    await leader.server.close()
    await closed
  })

  it('lets nobody else speak for a client, and names for itself only', async () => {
    const leader = await leaderOn()
    const door = await doorTo(() => leader.url)
    const ask = (url: string, headers: Record<string, string>): Promise<number> =>
      new Promise((resolve, reject) => {
        const asked = request(`${url}/api/v1/items/a`, { headers: { ...leader.owner, ...headers } })
        asked.on('error', reject).on('response', (answer) => resolve(answer.resume().statusCode!))
        asked.end()
      })
    const host = 'other.example'
    const passed = { address: '192.0.2.1', isFromBeyond: false, isOwnOrigin: false }
    const sent = { method: 'GET', url: '/api/v1/items/a' }
    expect(await ask(leader.url, { host, [passedHeader]: writePassedOn(key, sent, passed) })).toBe(200)
    const forged = writePassedOn(Buffer.alloc(32, 8), sent, passed)
    expect(await ask(leader.url, { host, [passedHeader]: forged })).toBe(403)
    const elsewhere = writePassedOn(key, { ...sent, url: '/api/v1/items/b' }, passed)
    expect(await ask(leader.url, { host, [passedHeader]: elsewhere })).toBe(403)
    // From beyond, and this leader answers nobody there.
    const beyond = writePassedOn(key, sent, { ...passed, isFromBeyond: true })
    expect(await ask(leader.url, { host, [passedHeader]: beyond })).toBe(403)
    expect(await ask(door.url, { host })).toBe(403)
  })

  it('answers for itself alone, and ends what goes around in a circle', async () => {
    let other = ''
    const door = await doorTo(() => other)
    other = (await doorTo(() => door.url)).url
    expect((await fetch(`${door.url}/healthz`)).status).toBe(200)
    const ready = await fetch(`${door.url}/readyz`)
    expect(ready.status).toBe(503)
    expect(ready.headers.get('retry-after')).toBe('1')
    expect(await ready.json()).toMatchObject({ error: { details: { reason: 'standby', leader: other } } })
    const sent = { method: 'GET', url: '/' }
    const passed = { address: '', isFromBeyond: false, isOwnOrigin: false }
    const around = await fetch(door.url, { headers: { [passedHeader]: writePassedOn(key, sent, passed) } })
    expect(around.status).toBe(503)
  })

  it('repeats what is safe or has a key when a leader is gone, and says of anything else that nobody knows', async () => {
    const leader = await leaderOn()
    let hits = 0
    /** Whether it goes before it has said that it reads a body, or once it has the body. */
    let isEarly = false
    const gone = await machine((socket) => {
      socket.on('error', () => undefined)
      socket.on('data', (bytes) => {
        if (!isEarly && bytes.toString().includes('expect: 100-continue')) {
          socket.write('HTTP/1.1 100 Continue\r\n\r\n')
          return
        }
        hits += 1
        isGone = true
        socket.destroy()
      })
    })
    // Whoever asks meets the machine that goes first.
    let isGone = false
    const door = await doorTo(() => (isGone ? leader.url : gone))
    done.length = 0
    const read = await fetch(`${door.url}/api/v1/items/a`, { headers: leader.owner })
    expect(read.status).toBe(200)
    isGone = false
    const keyed = await post(door.url, leader, '/notes', { text: 'keyed' }, { 'idempotency-key': 'k1' })
    expect(keyed.status).toBe(200)
    expect(done).toEqual(['keyed'])
    isGone = false
    const long = 'x'.repeat(3 * 1024 * 1024)
    expect((await post(door.url, leader, '/notes', { text: long }, { 'idempotency-key': 'k2' })).status).toBe(200)
    expect(done.splice(1)).toEqual([long])
    isGone = false
    const plain = await post(door.url, leader, '/notes', { text: 'plain' })
    expect(plain.status).toBe(503)
    expect(await plain.json()).toMatchObject({ error: { details: { reason: 'standby', outcome: 'unknown' } } })
    expect(done).toEqual(['keyed'])
    expect(hits).toBe(4)
    isGone = false
    isEarly = true
    expect((await post(door.url, leader, '/notes', { text: 'unread' })).status).toBe(200)
    expect(done).toEqual(['keyed', 'unread'])
  })

  it('has nothing done twice whose key counts for nobody', async () => {
    const leader = await leaderOn()
    let isGone = true
    // It does what it is asked, and ends before its answer.
    const gone = await machine((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => {
        isGone = false
        done.push('first')
        socket.destroy()
      })
    })
    const door = await doorTo(() => (isGone ? gone : leader.url))
    const keyed = (method: string, path: string, headers: Record<string, string> = {}) => {
      isGone = true
      done.length = 0
      return fetch(`${door.url}/api/v1${path}`, {
        ...{ method, body: '{"text":"again"}' },
        headers: { 'content-type': 'application/json', 'idempotency-key': 'k2', ...headers },
      })
    }
    const refusal = { error: { details: { reason: 'not_repeatable', outcome: 'unknown' } } }
    for (const ask of [() => keyed('POST', '/hooks'), () => keyed('PUT', '/hooks', leader.owner)]) {
      const answer = await ask()
      expect(answer.status).toBe(503)
      expect(await answer.json()).toMatchObject(refusal)
      expect(done).toEqual(['first'])
    }
    expect((await keyed('POST', '/notes', leader.owner)).status).toBe(200)
    expect(done).toEqual(['first', 'again'])
  })

  it('waits for somebody who leads, and leaves whoever stands still', async () => {
    const still = await machine(() => undefined)
    let address: string | null = null
    const door = await doorTo(() => address)
    const leader = await leaderOn()
    const waiting = post(door.url, leader, '/notes', { text: 'waited' })
    const late = fetch(`${door.url}/api/v1/items/a`, { headers: leader.owner })
    await pause(100)
    // Nobody listens there: nothing was sent.
    address = 'http://127.0.0.1:9'
    await pause(100)
    address = leader.url
    expect((await waiting).status).toBe(200)
    expect((await late).status).toBe(200)
    address = still
    const read = fetch(`${door.url}/api/v1/items/b`, { headers: leader.owner })
    await pause(100)
    address = leader.url
    expect((await read).status).toBe(200)
  })

  it('has what it was asked answered by the host that it serves, and sockets', async () => {
    let address: string | null = null
    const door = await doorTo(() => address)
    const early = fetch(`${door.url}/_console/session`, { method: 'POST', body: '{}' })
    await pause(100)
    const host = await attachedTo(door)
    address = door.url
    // An answer of that host: the code is missing.
    expect((await early).status).not.toBe(503)
    expect((await fetch(`${door.url}/api/v1/items/a`, { headers: host.owner })).status).toBe(200)
    const socket = new WebSocket(`${door.url.replace('http', 'ws')}/api/v1/echo-socket`, 'echo', {
      headers: host.owner,
    })
    const heard = new Promise((resolve) => socket.on('message', (data: Buffer) => resolve(data.toString())))
    socket.on('open', () => socket.send('there'))
    expect(await heard).toBe('there')
    socket.close()
  })

  it('takes over the connections of a host that drains, and cuts none', async () => {
    const [begun, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = testRoute({ operationId: 'slow', method: 'GET', path: '/slow' }, async () => {
      begun.resolve()
      await opened.promise
      return { done: true }
    })
    let address: string | null = null
    const door = await doorTo(() => address)
    const baseUrl = door.url
    const { server, owner } = await attachedTo(door, [slow])
    const next = await leaderOn()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    closers.push(() => agent.destroy())
    expect(await getOver(agent, `${baseUrl}/api/v1/items/a`, owner)).toMatchObject({ status: 200, isReused: false })
    const running = fetch(`${baseUrl}/api/v1/slow`, { headers: owner })
    await begun.promise
    let isDrained = false
    door.serve(null)
    const drained = server.drain(5_000).then((resume) => {
      isDrained = true
      return resume
    })
    await pause(50)
    expect(isDrained).toBe(false)
    const later = getOver(agent, `${baseUrl}/api/v1/items/a`, next.owner)
    const url = '/api/v1/items/a'
    const passed = writePassedOn(
      key,
      { method: 'GET', url },
      { address: '::1', isFromBeyond: false, isOwnOrigin: false },
    )
    // What another node has passed on goes back there.
    const back = await fetch(`${baseUrl}${url}`, { headers: { ...next.owner, [passedHeader]: passed } })
    expect(await back.json()).toMatchObject({ error: { details: { reason: 'standby' } } })
    expect((await fetch(`${baseUrl}/readyz`)).status).toBe(503)
    address = next.url
    // Over the connection of before.
    expect(await later).toMatchObject({ status: 200, isReused: true })
    expect(isDrained).toBe(false)
    opened.resolve()
    expect((await running).status).toBe(200)
    const resume = await drained
    resume()
    door.serve(server.attach(door.port))
    expect((await fetch(`${baseUrl}/api/v1/items/a`, { headers: owner })).status).toBe(200)
  })

  it('says whether it serves at once, and within a second that its answers cannot leave', async () => {
    const never = new Promise<void>(() => {})
    const says = (operationId: string, gateMs: number) =>
      testRoute({ operationId, method: 'GET', path: `/${operationId}`, gateMs }, () => ({ done: true }))
    const { server, owner } = await createTestServer([says('health', 0), says('ready', 200)], {
      answerGate: () => never,
    })
    closers.push(() => server.close())
    const { baseUrl } = await server.listen(0)
    expect((await fetch(`${baseUrl}/api/v1/health`, { headers: owner })).status).toBe(200)
    const refused = await fetch(`${baseUrl}/api/v1/ready`, { headers: owner })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  })

  it('does not wait once more for a store that a write has waited for, and says that nobody knows', async () => {
    const lost = testRoute({ operationId: 'lost', method: 'POST', path: '/lost' }, async () => {
      throw platformError('service_unavailable', { retryAfterSeconds: 1 })
    })
    const { server, owner } = await createTestServer([lost], { answerGate: () => new Promise<void>(() => {}) })
    closers.push(() => server.close())
    const { baseUrl } = await server.listen(0)
    const answer = await fetch(`${baseUrl}/api/v1/lost`, { method: 'POST', headers: owner })
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({ error: { details: { reason: 'hub_store', outcome: 'unknown' } } })
  })
})
