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
