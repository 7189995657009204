// The client against a real HTTP server on this machine.
// @vitest-environment node
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { call, callTagged, fillPath, onSignedOut, queryString } from './api-client.ts'
import { ApiError } from './api-error.ts'
import { forgetConnection } from './bridge.ts'

interface Seen {
  method: string | undefined
  url: string | undefined
  headers: IncomingMessage['headers']
  body: string
}

describe('api client', () => {
  let server: Server
  let origin = ''
  let seen: Seen[] = []
  let reply: (response: ServerResponse) => void = (response) => response.end('{}')

  const json = (status: number, body: unknown, headers: Record<string, string> = {}): void => {
    reply = (response) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(JSON.stringify(body))
    }
  }

  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = ''
      request.on('data', (part: Buffer) => (body += part.toString()))
      request.on('end', () => {
        seen.push({ method: request.method, url: request.url, headers: request.headers, body })
        reply(response)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  beforeEach(() => {
    seen = []
    forgetConnection()
    vi.stubGlobal('window', { location: { origin } })
  })

  it('sends method, path, query and body of the contract with the marks of the application', async () => {
    json(200, { object: 'a b', records: [], hasMore: false })
    await call('listRecords', { params: { object: 'a b' }, query: { top: 5, count: true, skip: undefined } })
    await call('updateRecord', { params: { object: 'task', id: '7' }, body: { title: 'x' } })
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /api/v1/data/a%20b?top=5&count=true',
      'PATCH /api/v1/data/task/7',
    ])
    expect(seen[0]?.headers).toMatchObject({ 'x-cairn-source': 'UI', 'x-requested-with': 'cairn' })
    expect(seen[0]?.headers['content-type']).toBeUndefined()
    expect(seen[1]?.headers['content-type']).toBe('application/json')
    expect(seen[1]?.body).toBe('{"title":"x"}')
  })

  it('learns another prefix from its page, and in the desktop shell from the connection', async () => {
    json(200, { types: [], entries: [] })
    const ask = async (): Promise<string | undefined> => {
      forgetConnection()
      await call('listMetadataItems', { params: { type: 'object' } })
      return seen.at(-1)?.url
    }
    const querySelector = (selector: string) =>
      selector === 'meta[name="cairn-api-prefix"]' ? { content: '/service/v2' } : null
    vi.stubGlobal('window', { location: { origin }, document: { querySelector } })
    expect(await ask()).toBe('/service/v2/meta/object')
    const bridge = { getConnection: async () => ({ url: origin, token: 'secret', prefix: '/service/v3' }) }
    vi.stubGlobal('window', { location: { origin: 'app://cairn' }, cairn: bridge })
    expect(await ask()).toBe('/service/v3/meta/object')
  })

  it('uses address and token of the desktop shell where there is one', async () => {
    const bridge = { getConnection: async () => ({ url: `${origin}/`, token: 'secret' }) }
    vi.stubGlobal('window', { location: { origin: 'app://cairn' }, cairn: bridge })
    json(200, { types: [], entries: [] })
    await call('listMetadataItems', { params: { type: 'object' } })
    expect(seen[0]?.headers.authorization).toBe('Bearer secret')
  })

  it('asks the shell again after a 401, because a restarted host has another token', async () => {
    let token = 'old'
    const bridge = {
      getConnection: async () => {
        const answer = { url: origin, token }
        token = 'new'
        return answer
      },
    }
    vi.stubGlobal('window', { location: { origin: 'app://cairn' }, cairn: bridge })
    reply = (response) => {
      const known = seen.at(-1)?.headers.authorization === 'Bearer new'
      response.writeHead(known ? 200 : 401, { 'content-type': 'application/json' })
      response.end(known ? '{"type":"object","items":[]}' : '{"success":false,"error":{"code":"unauthenticated"}}')
    }
    expect(await call('listMetadataItems', { params: { type: 'object' } })).toEqual({ type: 'object', items: [] })
    expect(seen).toHaveLength(2)
  })

  it('turns the error body into an error with its field errors', async () => {
    const fieldErrors = [{ field: 'title', code: 'required', message: 'The field needs a value.' }]
    const error = {
      code: 'validation_error',
      message: 'No.',
      category: 'validation',
      retryable: false,
      requestId: 'r1',
    }
    json(400, { success: false, error: { ...error, details: { fieldErrors } } })
    const failure = await call('createRecord', { params: { object: 'task' }, body: {} }).catch(
      (thrown: unknown) => thrown,
    )
    expect(failure).toBeInstanceOf(ApiError)
    expect(failure).toMatchObject({ code: 'validation_error', httpStatus: 400, requestId: 'r1', fieldErrors })
  })

  it('tells how long to wait and who is signed out', async () => {
    let signedOut = 0
    const stop = onSignedOut(() => (signedOut += 1))
    json(429, { success: false, error: { code: 'rate_limit_exceeded', retryable: true } }, { 'retry-after': '7' })
    await expect(call('getDiscovery', {})).rejects.toMatchObject({ retryAfterSeconds: 7, retryable: true })
    json(401, { success: false, error: { code: 'unauthenticated' } })
    await expect(call('getDiscovery', {})).rejects.toMatchObject({ code: 'unauthenticated' })
    stop()
    expect(signedOut).toBe(1)
  })

  it('calls an answer that is not of the protocol invalid, and keeps its status', async () => {
    reply = (response) => {
      response.writeHead(502)
      response.end('<h1>Bad gateway</h1>')
    }
    await expect(call('getDiscovery', {})).rejects.toMatchObject({ code: 'invalid_answer', httpStatus: 502 })
  })

  it('calls a silent host unreachable', async () => {
    vi.stubGlobal('window', { location: { origin: 'http://127.0.0.1:9' } })
    await expect(call('getDiscovery', {})).rejects.toMatchObject({ code: 'unreachable', httpStatus: 0 })
  })

  it('passes on that a call was stopped', async () => {
    reply = () => undefined
    const controller = new AbortController()
    const running = call('getDiscovery', { signal: controller.signal })
    await vi.waitFor(() => expect(seen).toHaveLength(1))
    controller.abort()
    await expect(running).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('takes the envelope off and answers the version token', async () => {
    json(200, { success: true, data: ['object'], meta: {} }, { etag: '"v1"' })
    const { result, etag } = await callTagged('getMetadataItem', { params: { type: 'object', name: 'a' } })
    expect(result).toEqual(['object'])
    expect(etag).toBe('"v1"')
  })

  it('writes paths and queries without letting a value escape its place', () => {
    expect(fillPath('/data/:object/:id', { object: 'a/b', id: '1?x' })).toBe('/data/a%2Fb/1%3Fx')
    expect(() => fillPath('/data/:object', {})).toThrow(ApiError)
    expect(queryString({ a: ['x', 'y'], b: undefined, c: 'ä&' })).toBe('?a=x&a=y&c=%C3%A4%26')
    expect(queryString({})).toBe('')
  })
})
