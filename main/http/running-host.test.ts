import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createTestServer } from '../../test/support/create-test-server.ts'
import type { TestServer } from '../../test/support/create-test-server.ts'
import { mintCodeOf, verifyHost } from './running-host.ts'

const open: TestServer[] = []

afterEach(async () => {
  for (const { server } of open.splice(0)) await server.close()
})

describe('verifyHost', () => {
  it('accepts the host that wrote the connection file', async () => {
    const made = await createTestServer()
    open.push(made)
    const { baseUrl } = await made.server.listen(0)
    expect(await verifyHost({ url: baseUrl, token: made.token })).toBe(true)
    expect(await verifyHost({ url: baseUrl, token: 'another' })).toBe(false)
  })

  it('refuses a stranger on the port and never shows it the token', async () => {
    const seen: { url: string | undefined; headers: IncomingHttpHeaders }[] = []
    const stranger = createServer((request, response) => {
      seen.push({ url: request.url, headers: request.headers })
      response.end('{"proof":"made up"}')
    }).listen(0, '127.0.0.1')
    await once(stranger, 'listening')
    const url = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`
    try {
      expect(await verifyHost({ url, token: 'the-token' })).toBe(false)
      expect(seen).toHaveLength(1)
      expect(JSON.stringify(seen)).not.toContain('the-token')
    } finally {
      stranger.close()
    }
  })

  it('answers false when nobody listens', async () => {
    expect(await verifyHost({ url: 'http://127.0.0.1:1', token: 't' })).toBe(false)
  })
})

describe('mintCodeOf', () => {
  it('answers the address with a fresh code in its fragment', async () => {
    const made = await createTestServer()
    open.push(made)
    const { baseUrl } = await made.server.listen(0)
    const address = await mintCodeOf({ url: baseUrl, token: made.token })
    expect(address).toMatch(new RegExp(`^${baseUrl}/_console/#[\\w-]{32}$`))
    await expect(mintCodeOf({ url: baseUrl, token: 'wrong' })).rejects.toThrow('no sign-in address')
  })
})
