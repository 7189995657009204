// Requests that take too long to arrive, over real sockets. The limits are short here; what is delivered is compared by
// value, and measured once where there is time (a long run).
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createTestServer, testRoute } from '../../test/support/create-test-server.ts'
import type { TestServer } from '../../test/support/create-test-server.ts'
import { defaultArrival } from './arrival.ts'
import type { ArrivalLimits } from './arrival.ts'
import { onlyInLongRun } from '../../test/support/test-size.ts'

const open: TestServer[] = []
const short: ArrivalLimits = { headerMs: 300, bodyMs: 300, checkMs: 30 }

afterEach(async () => {
  for (const { server } of open.splice(0)) await server.close()
})

const parts = { method: 'POST', rateLimit: 'none' } as const
const whole = testRoute({ ...parts, operationId: 'whole', path: '/whole', body: z.unknown() }, () => ({ read: true }))
const stream = testRoute(
  { ...parts, operationId: 'stream', path: '/stream', body: z.unknown(), consumes: ['text/csv'], streams: true },
  async (_ctx: unknown, input: { stream?: AsyncIterable<Uint8Array> }) => {
    let bytes = 0
    for await (const chunk of input.stream ?? []) bytes += chunk.length
    return { bytes }
  },
)

async function portOf(arrival?: ArrivalLimits): Promise<{ port: number; token: string; made: TestServer }> {
  const made = await createTestServer([whole, stream], arrival === undefined ? {} : { arrival })
  open.push(made)
  return { port: (await made.server.listen(0)).port, token: made.token, made }
}

interface Heard {
  readonly text: string
  readonly afterMs: number
}

/** Says something at once and then one byte after the other; hears until the host ends the connection. */
function dribble(port: number, first: string, everyMs: number, bytes = Infinity): Promise<Heard> {
  return new Promise((resolve) => {
    const began = performance.now()
    let text = ''
    let sent = 0
    const socket = connect(port, '127.0.0.1', () => socket.write(first))
    const timer = setInterval(() => {
      if (sent < bytes && socket.writable) socket.write('1')
      sent += 1
    }, everyMs)
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
    // The host may end the connection while a byte is under way.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearInterval(timer)
      resolve({ text, afterMs: performance.now() - began })
    })
  })
}

const head = (port: number, token: string, path: string, type: string, length: number): string =>
  `POST /api/v1${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n` +
  `Content-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`

const refusalOf = ({ text }: Heard): unknown => {
  const { error } = JSON.parse(text.slice(text.indexOf('\r\n\r\n'))) as { error: Record<string, unknown> }
  return [error['httpStatus'], error['code'], (error['details'] as Record<string, unknown>)['reason']]
}
const late = [504, 'timeout', 'request_incomplete']

describe('a request that dribbles', () => {
  it('is ended when its headers are late', async () => {
    const { port } = await portOf(short)
    expect(refusalOf(await dribble(port, 'GET / HTTP/1.1\r\nHost: a\r\nX: ', 20))).toEqual(late)
  })

  it('is none on a connection that never said anything, which is ended without an answer', async () => {
    const { port } = await portOf(short)
    expect(await dribble(port, '', 20, 0)).toMatchObject({ text: '' })
  })

  it('is ended when its body is late, however steadily it comes', async () => {
    const { port, token } = await portOf(short)
    expect(refusalOf(await dribble(port, head(port, token, '/whole', 'application/json', 9_999), 20))).toEqual(late)
  })

  it('is ended, too, where it was answered before its body came', async () => {
    const { port } = await portOf(short)
    const { text } = await dribble(port, head(port, 'nobody', '/unknown', 'application/json', 9_999), 20)
    expect(text).toMatch(/^HTTP\/1\.1 4/)
  })

  it('goes on where the body is handed on as it arrives, and is ended once it stops', async () => {
    const { port, token } = await portOf({ ...short, bodyMs: 1_500 })
    const [steady, stopped] = await Promise.all([
      // What comes after the end of the body is no request, so that the connection ends.
      dribble(port, head(port, token, '/stream', 'text/csv', 20), 100),
      dribble(port, head(port, token, '/stream', 'text/csv', 20), 100, 5),
    ])
    expect(steady.text).toContain('{"bytes":20}')
    expect(refusalOf(stopped)).toEqual(late)
  })
})

describe('the limits as they are delivered', () => {
  it('are 10 s for headers and 30 s for a body', async () => {
    expect(defaultArrival).toEqual({ headerMs: 10_000, bodyMs: 30_000, checkMs: 500 })
    const { made } = await portOf()
    expect(made.server.server.headersTimeout).toBe(9_500)
  })

  it('end late headers within 10 s and a late body within 30 s', async (test) => {
    onlyInLongRun(test)
    const { port, token } = await portOf()
    const lateness = (ms: number): Promise<number> => {
      const began = performance.now()
      return new Promise((resolve) => setTimeout(() => resolve(performance.now() - began - ms), ms))
    }
    const [headers, body, lateHeaders, lateBody] = await Promise.all([
      dribble(port, 'GET / HTTP/1.1\r\nHost: a\r\nX: ', 500),
      dribble(port, head(port, token, '/whole', 'application/json', 9_999), 500),
      lateness(10_000),
      lateness(30_000),
    ])
    expect([refusalOf(headers), refusalOf(body)]).toEqual([late, late])
    // One second for the machine, and what a timer of the same length was late.
    expect(headers.afterMs).toBeLessThan(11_000 + lateHeaders)
    expect(body.afterMs).toBeLessThan(31_000 + lateBody)
  }, 60_000)
})
