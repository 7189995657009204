// What the door of a node that follows bears: bodies that do not come, and one client that asks for everything.
import { createServer as createHttp, get } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createManualClock } from '#main/kernel/clock.ts'
import { createIds } from '#main/kernel/ids.ts'
import { createLogger } from '#main/kernel/logger.ts'
import { createTestServer, echoRoute, itemRoute } from '../../test/support/create-test-server.ts'
import { defaultArrival } from './arrival.ts'
import { createPassOn, defaultPassOnLimits } from './pass-on.ts'
import type { PassOnLimits } from './pass-on.ts'
import { openStandbyDoor } from './standby-door.ts'

const key = Buffer.alloc(32, 7)
const clock = createManualClock(0)
const closers: (() => unknown)[] = []

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

async function doorTo(leader: string, limits: Partial<PassOnLimits>): Promise<number> {
  const log = createLogger({ destination: { write: () => undefined } })
  const door = await openStandbyDoor({
    ...{ port: 0, leader: () => leader, key, trustedOrigins: [], ids: createIds(clock), clock, log },
    limits: { ...defaultPassOnLimits, ...limits },
  })
  closers.push(() => door.close())
  return door.port
}

async function leader(): Promise<{ url: string; owner: Record<string, string> }> {
  const { server, owner } = await createTestServer([itemRoute, echoRoute], { passKey: key })
  closers.push(() => server.close())
  return { url: (await server.listen(0)).baseUrl, owner }
}

/** Takes requests and answers none; `hears` counts them. */
async function silence(): Promise<{ url: string; hears: () => number }> {
  let heard = 0
  const server = createServer((socket) => {
    heard += 1
    socket.on('error', () => undefined)
    closers.push(() => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, hears: () => heard }
}

/** Announces a body, sends so much of it, and hears what comes. */
function begin(
  port: number,
  sent: string,
  length: number,
  localAddress = '127.0.0.1',
): { text: () => string; socket: Socket } {
  let text = ''
  const socket = connect({ port, host: '127.0.0.1', localAddress }, () =>
    socket.write(
      `POST /api/v1/echo HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${length}\r\n\r\n${sent}`,
    ),
  )
  socket.on('data', (part: Buffer) => (text += part.toString()))
  socket.on('error', () => undefined)
  closers.push(() => socket.destroy())
  return { text: () => text, socket }
}

/** Asks; `answer` is null until it comes. */
function ask(
  port: number,
  headers: Record<string, string>,
  localAddress = '127.0.0.1',
): { status: () => number | null; answered: Promise<number> } {
  let status: number | null = null
  const answered = new Promise<number>((resolve) => {
    const asked = get(
      { port, host: '127.0.0.1', path: '/api/v1/items/a', headers, localAddress },
      (answer: IncomingMessage) => {
        status = answer.resume().statusCode!
        resolve(status)
      },
    )
    asked.on('error', () => undefined)
    closers.push(() => asked.destroy())
  })
  return { status: () => status, answered }
}

const reasonOf = (text: string): unknown => {
  const { error } = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)) as {
    error: Record<string, unknown>
  }
  return [error['httpStatus'], error['code'], (error['details'] as Record<string, unknown>)['reason']]
}
const isOver = ({ socket }: { socket: Socket }): boolean => socket.destroyed || socket.readableEnded
const full = [503, 'service_unavailable', 'door_full']

describe('a body that does not come to the door of a node that follows', () => {
  it('is refused when it is late, and its connection ends', async () => {
    const { url } = await leader()
    const slow = begin(await doorTo(url, { bodyMs: 200 }), '1', 9_999)
    const dribble = setInterval(() => slow.socket.pending || slow.socket.write('1'), 20)
    await expect.poll(() => isOver(slow), { timeout: 5_000 }).toBe(true)
    clearInterval(dribble)
    expect(reasonOf(slow.text())).toEqual([504, 'timeout', 'request_incomplete'])
  })

  it('is late when it would be at a host', () => {
    expect(defaultPassOnLimits.bodyMs).toBe(defaultArrival.bodyMs)
  })

  it('takes no place of what is passed on, and its client not all there is for others', async () => {
    const { url, owner } = await leader()
    const port = await doorTo(url, { places: 8 })
    const mine = Array.from({ length: 8 }, () => begin(port, '', 9_999))
    await expect.poll(() => mine.filter(isOver).length, { timeout: 5_000 }).toBe(4)
    expect(mine.filter(isOver).map(({ text }) => reasonOf(text()))).toEqual([full, full, full, full])
    expect(await ask(port, owner).answered).toBe(200)
    const other = begin(port, '1', 1, '127.0.0.2')
    await expect.poll(other.text, { timeout: 5_000 }).toMatch(/^HTTP\/1\.1 401/)
    // What has gone leaves its place.
    for (const one of mine) one.socket.destroy()
    await new Promise((resolve) => setTimeout(resolve, 50))
    const again = begin(port, '1', 1)
    await expect.poll(again.text, { timeout: 5_000 }).toMatch(/^HTTP\/1\.1 401/)
  })
})

it('is answered by the door when the machine that led refuses no connection and makes none', async () => {
  const { url } = await silence()
  const passOn = createPassOn({
    // As a connection to a machine that is lost, this one is never made.
    leader: () => url.replace('http:', 'https:'),
    headersFor: () => ({}),
    refuse: (response, why) => void response.writeHead(503).end(why),
    patienceMs: 100,
  })
  const door = createHttp((request, response) => passOn.pass(request, response))
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  closers.push(
    () => door.close(),
    () => passOn.end(),
  )
  const answer = await fetch(`http://127.0.0.1:${(door.address() as AddressInfo).port}/`)
  expect([answer.status, await answer.text()]).toEqual([503, 'nobody'])
})

it('has the rest of an answer from whoever led, and no stream without an end', async () => {
  const rest = 'x'.repeat(1_000)
  const ended: string[] = []
  const former = createHttp((request, response) => {
    const name = request.url!
    if (name === '/whole') response.writeHead(200, { 'content-length': 2 * rest.length })
    response.on('close', () => ended.push(name))
    response.write(rest)
    // By then the door has looked who leads.
    if (name === '/whole') setTimeout(() => response.end(rest), 700)
  })
  await new Promise<void>((resolve) => former.listen(0, '127.0.0.1', resolve))
  closers.push(() => former.close())
  let leads = `http://127.0.0.1:${(former.address() as AddressInfo).port}`
  const passOn = createPassOn({ leader: () => leads, headersFor: () => ({}), refuse: (response) => response.end() })
  const front = createHttp((request, response) => passOn.pass(request, response))
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  closers.push(() => front.close())
  closers.push(() => passOn.end())
  const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
  const [whole, stream] = await Promise.all([fetch(`${url}/whole`), fetch(`${url}/stream`)])
  leads = 'http://127.0.0.1:9'
  await expect(stream.text()).rejects.toThrow()
  expect(ended).toEqual(['/stream'])
  expect(await whole.text()).toBe(rest + rest)
})

it('keeps no long body where there is no room, and passes it on as it comes', async () => {
  const { url, owner } = await leader()
  const port = await doorTo(url, { keptBytes: 1024 })
  const headers = { ...owner, 'content-type': 'application/json', 'idempotency-key': 'k' }
  const body = JSON.stringify({ text: 'x'.repeat(2 * 1024 * 1024) })
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/echo`, { method: 'POST', headers, body })
  expect(await answer.text()).toContain(body.slice(1, -1))
})

describe('one client of the door', () => {
  it('has half of the places, and leaves some to others', async () => {
    const { url, hears } = await silence()
    const port = await doorTo(url, { places: 6 })
    const mine = Array.from({ length: 5 }, () => ask(port, {}))
    await expect.poll(() => mine.filter(({ status }) => status() === 503).length, { timeout: 5_000 }).toBe(2)
    expect(hears()).toBe(3)
    const other = ask(port, {}, '127.0.0.2')
    await expect.poll(hears, { timeout: 5_000 }).toBe(4)
    expect(other.status()).toBeNull()
  })

  it('has half of the bytes that are kept, for as long as they are', async () => {
    const { url, hears } = await silence()
    const port = await doorTo(url, { keptBytes: 1_000 })
    const first = begin(port, 'x'.repeat(400), 400)
    await expect.poll(hears, { timeout: 5_000 }).toBe(1)
    const second = begin(port, 'x'.repeat(400), 400)
    await expect.poll(() => isOver(second), { timeout: 5_000 }).toBe(true)
    expect(reasonOf(second.text())).toEqual(full)
    begin(port, 'x'.repeat(300), 300, '127.0.0.2')
    await expect.poll(hears, { timeout: 5_000 }).toBe(2)
    first.socket.destroy()
    await expect.poll(() => isOver(first)).toBe(true)
    await new Promise((resolve) => setTimeout(resolve, 50))
    begin(port, 'x'.repeat(300), 300)
    await expect.poll(hears, { timeout: 5_000 }).toBe(3)
  })
})
