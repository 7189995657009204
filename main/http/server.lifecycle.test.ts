// The server over real sockets: listening, stopping, and what is no proper request.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { ErrorBodySchema } from '#shared/contracts/common.ts'
import { createTestServer, echoRoute, itemRoute, testRoute } from '../../test/support/create-test-server.ts'
import type { TestServer } from '../../test/support/create-test-server.ts'
import type { RouteBinding } from './route-runtime.ts'
import type { HttpServerOptions } from './server.ts'

const open: TestServer[] = []

afterEach(async () => {
  for (const { server } of open.splice(0)) await server.close()
})

async function serverOf(routes: RouteBinding[], options: Partial<HttpServerOptions> = {}): Promise<TestServer> {
  const made = await createTestServer(routes, options)
  open.push(made)
  return made
}

describe('listening and stopping', () => {
  it('tries another port after one that is taken', async () => {
    const { server, owner } = await serverOf([itemRoute])
    const stranger = createServer().listen(0, '127.0.0.1')
    await once(stranger, 'listening')
    try {
      await expect(server.listen((stranger.address() as AddressInfo).port)).rejects.toMatchObject({
        code: 'EADDRINUSE',
      })
      const { baseUrl } = await server.listen(0)
      expect((await fetch(`${baseUrl}/api/v1/items/a`, { headers: owner })).status).toBe(200)
    } finally {
      stranger.close()
    }
  })

  it('lets a running request end and refuses new ones while it stops', async () => {
    let release: (() => void) | undefined
    const released = new Promise<void>((resolve) => (release = resolve))
    let started: (() => void) | undefined
    const running = new Promise<void>((resolve) => (started = resolve))
    const slow = testRoute({ operationId: 'slow', method: 'GET', path: '/slow' }, async () => {
      started?.()
      await released
      return { done: true }
    })
    const { server, owner } = await createTestServer([slow, itemRoute])
    const { baseUrl } = await server.listen(0)
    const first = fetch(`${baseUrl}/api/v1/slow`, { headers: owner })
    await running
    const closed = server.close()
    const late = await server.inject({ url: '/api/v1/items/a', headers: { ...owner, host: new URL(baseUrl).host } })
    expect(late.json().error.code).toBe('service_unavailable')
    release?.()
    expect(await (await first).json()).toEqual({ done: true })
    await closed
    await expect(fetch(`${baseUrl}/api/v1/items/a`, { headers: owner })).rejects.toThrow()
  })

  it('answers what is no HTTP, and headers over 32 KB, with 400 and the error body', async () => {
    const { server } = await serverOf([])
    const { port } = await server.listen(0)
    for (const bytes of [
      'NONSENSE\r\n\r\n',
      `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`,
    ]) {
      const answer = await exchange(port, bytes)
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      expect(ErrorBodySchema.safeParse(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).success).toBe(true)
    }
  })

  it('answers a request that offers another protocol as if it offered none', async () => {
    const { server, owner } = await serverOf([echoRoute])
    const { port } = await server.listen(0)
    const offer = `connection: Upgrade, HTTP2-Settings, close\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n`
    const body = '{"text":"hello"}'
    const answer = await exchange(
      port,
      `POST /api/v1/echo HTTP/1.1\r\nhost: localhost:${port}\r\nauthorization: ${owner.authorization}\r\n${offer}` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('answers a request that expects what nobody offers as if it expected nothing (D-327)', async () => {
    const { server, owner } = await serverOf([echoRoute])
    const { port } = await server.listen(0)
    const body = '{"text":"hello"}'
    const answer = await exchange(
      port,
      `POST /api/v1/echo HTTP/1.1\r\nhost: localhost:${port}\r\nauthorization: ${owner.authorization}\r\nexpect: foo\r\n` +
        `connection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('gives upgrades the same guards', async () => {
    const { server } = await serverOf([])
    const upgrade = (headers: Record<string, string>) =>
      server.guardUpgrade({
        method: 'GET',
        url: '/api/v1/realtime',
        headers,
        rawHeaders: Object.entries(headers).flat(),
      })
    expect(upgrade({ host: 'localhost:80' })).toBeNull()
    expect(upgrade({ host: 'localhost:80', origin: 'https://evil.example' })?.code).toBe('origin_forbidden')
    expect(upgrade({ host: 'evil.example' })?.code).toBe('origin_forbidden')
  })
})

function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
  })
}
