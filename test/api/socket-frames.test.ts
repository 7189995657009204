// Frames and handshakes that no client of ours sends: they are refused, and end nothing but their own socket.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { sendBare } from '../support/raw-request.ts'
import { openSocket } from '../support/realtime-client.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
})

afterAll(() => host.stop())

describe('a frame nobody should send', () => {
  it('is refused when it is nested without end, and the socket goes on', async () => {
    const client = await openSocket(host.host.url, { headers: { authorization: `Bearer ${host.host.token}` } })
    client.socket.send(`${'['.repeat(30_000)}${']'.repeat(30_000)}`)
    client.socket.send(
      `{"id":"d","type":"presence","channel":"room:x","state":{"a":${'['.repeat(70)}${']'.repeat(70)}}}`,
    )
    client.send({ type: 'ping', id: 'p' })
    await client.until(({ type, id }) => type === 'pong' && id === 'p')
    const refused = client.frames.filter(({ type }) => type === 'error').map(({ error }) => error.code)
    expect(refused).toEqual(['validation_error', 'validation_error'])
    await client.close()
  })

  it('that the handshake is wrong is told as every refusal is (D-15, D-20)', async () => {
    const { port } = new URL(host.host.url)
    const upgrade = ['Upgrade: websocket', `Authorization: Bearer ${host.host.token}`]
    for (const headers of [
      [],
      ['Sec-WebSocket-Version: 99', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='],
      ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: x'],
    ]) {
      const { status, head, body } = await sendBare(Number(port), '/api/v1/realtime/ws', {
        connection: 'Upgrade',
        headers: [...upgrade, ...headers],
      })
      expect([status, JSON.parse(body).error.details]).toEqual([400, { reason: 'handshake' }])
      for (const name of ['x-request-id: ', 'x-content-type-options: nosniff', 'sec-websocket-version: 13'])
        expect(head).toContain(name)
    }
  })
})

describe('an upgrade that is refused', () => {
  const upgrade = async (...headers: string[]) => {
    const { port } = new URL(host.host.url)
    const answer = await sendBare(Number(port), '/api/v1/realtime/ws', {
      connection: 'Upgrade',
      headers: ['Upgrade: websocket', ...headers],
    })
    const fields = answer.head.split('\r\n').map((line) => line.split(/: ?(.*)/s, 2) as [string, string])
    return { ...answer, headers: new Map(fields.map(([name, value]) => [name.toLowerCase(), value])) }
  }

  it('repeats the id of its request, and names the credential that is missing (D-15, D-295)', async () => {
    const { status, headers, body } = await upgrade('Authorization: Bearer wrong', 'X-Request-Id: mine-1234')
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'bearer'])
    expect([headers.get('x-request-id'), JSON.parse(body).error.requestId]).toEqual(['mine-1234', 'mine-1234'])
    const handshake = await upgrade(`Authorization: Bearer ${host.host.token}`, 'X-Request-Id: mine-5678')
    expect([handshake.status, handshake.headers.get('x-request-id')]).toEqual([400, 'mine-5678'])
    expect((await upgrade('Authorization: Bearer wrong', 'X-Request-Id: ?')).headers.get('x-request-id')).toMatch(
      /^[\da-f-]{36}$/,
    )
  })

  it('tells of an empty bucket as other answers do (D-200)', async () => {
    await host.patch('/settings', { rateLimits: { read: { burst: 1, refillPerSecond: 0.01 } } })
    await host.anonymous('GET', '/discovery')
    const { status, headers } = await upgrade()
    expect([status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual([429, '1', '0'])
    const reset = Number(headers.get('x-ratelimit-reset')) - Date.now() / 1_000
    expect([Number(headers.get('retry-after')), reset]).toEqual([expect.closeTo(100, -1), expect.closeTo(100, -1)])
    await host.patch('/settings', { rateLimits: null })
  })
})
