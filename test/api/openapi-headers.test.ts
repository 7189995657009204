// The headers of the document, at the host itself: each that a route may read does something there, and each that an answer
// may have is sent by a route that says so. That no answer has others is asked of every test (response-validator.ts), and
// that no handler reads others of the pipeline (heldToContract).
import { afterAll, beforeAll, expect, it } from 'vitest'
import { allContracts } from '#shared/contracts/index.ts'
import { storageLimits } from '#shared/contracts/storage.ts'
import { buildOpenApi } from '#main/http/openapi.ts'
import { createAuthHost } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'

const { components } = buildOpenApi(allContracts, { version: '0.0.0' })

/** Status and headers of an answer. */
type Told = Pick<Response, 'status' | 'headers'>

let host: AuthHost
let id: string
let version: string
let file: string

beforeAll(async () => {
  host = await createAuthHost()
  await host.defineObject('note', { text: { type: 'text' } })
  const { body } = await host.post('/data/note', { text: 'first' })
  id = body.id
  version = body.record.updated_at
  const form = new FormData()
  form.append('file', new Blob(['0123456789'], { type: 'text/plain' }), 'digits.txt')
  const sent = await fetch(`${host.host.url}/api/v1/storage/upload`, { method: 'POST', headers: bearer(), body: form })
  file = ((await sent.json()) as { data: { fileId: string } }).data.fileId
  await host.account('ann')
})

afterAll(() => host.stop())

const bearer = () => ({ authorization: `Bearer ${host.host.token}` })
const seen = new Set<string>()

/** Remembers which headers of the document an answer has. */
function noted<T extends Told>(answer: T): T {
  for (const name of Object.keys(components.headers)) if (answer.headers.has(name)) seen.add(name)
  return answer
}

const get = async (path: string, headers = {}) => noted(await host.get(path, headers))
const post = async (path: string, body: unknown, headers = {}) => noted(await host.post(path, body, headers))
const patch = async (body: unknown, headers = {}) => noted(await host.patch(`/data/note/${id}`, body, headers))

/** The first piece of a stream. */
async function first(path: string, headers = {}): Promise<string> {
  const stop = new AbortController()
  const asked = { headers: { ...bearer(), ...headers }, signal: stop.signal }
  const answer = noted(await fetch(`${host.host.url}/api/v1${path}`, asked))
  const { value } = await answer.body!.getReader().read()
  stop.abort()
  return new TextDecoder().decode(value)
}

const statusOf = async (answer: Promise<Told>): Promise<number> => (await answer).status

/** A message that says what it is in headers, too, is refused without one of them. */
async function needsOfMessage(header: string): Promise<void> {
  const start = 'io.modelcontextprotocol/'
  const version = '2026-07-28'
  const _meta = {
    [`${start}protocolVersion`]: version,
    [`${start}clientInfo`]: { name: 'test', version: '1' },
    [`${start}clientCapabilities`]: {},
  }
  const params = { name: 'list_objects', arguments: {}, _meta }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const headers = { 'mcp-method': 'tools/call', 'mcp-name': 'list_objects', 'mcp-protocol-version': version }
  const { [header as keyof typeof headers]: _left, ...others } = headers
  expect([await statusOf(post('/mcp', message, headers)), await statusOf(post('/mcp', message, others))]).toEqual([
    200, 400,
  ])
}

/** By header of requests, what it does that a request without it does not. */
const effects: Readonly<Record<string, () => Promise<void>>> = {
  async 'Accept-Language'() {
    const { body } = await host.get('/data/nothing', { 'accept-language': 'de' })
    expect(body.error.details.localizedMessage).toEqual(expect.any(String))
  },
  async 'Idempotency-Key'() {
    const key = { 'idempotency-key': 'openapi-headers' }
    const first = await post('/data/note', { text: 'once' }, key)
    expect((await post('/data/note', { text: 'once' }, key)).body.id).toBe(first.body.id)
  },
  async 'If-Match'() {
    expect(await statusOf(patch({ text: 'x' }, { 'if-match': '"2000-01-01T00:00:00.000Z"' }))).toBe(409)
    expect(await statusOf(patch({ text: 'x' }, { 'if-match': `"${version}"` }))).toBe(200)
  },
  async 'If-Modified-Since'() {
    const since = (await get('/meta/object/note')).headers.get('last-modified')!
    expect(await statusOf(get('/meta/object/note', { 'if-modified-since': since }))).toBe(304)
  },
  async 'If-None-Match'() {
    const tag = (await get('/meta/object/note')).headers.get('etag')!
    expect(await statusOf(get('/meta/object/note', { 'if-none-match': tag }))).toBe(304)
  },
  async 'If-Range'() {
    expect(await statusOf(get(`/storage/${file}`, { range: 'bytes=0-1', 'if-range': '"other"' }))).toBe(200)
  },
  async 'Last-Event-ID'() {
    const sse = '/realtime/sse?channels=note'
    expect([await first(sse), await first(sse, { 'last-event-id': 'of another life' })]).toEqual([
      expect.stringContaining('event: ready'),
      expect.stringContaining('event: reset'),
    ])
  },
  'MCP-Method': () => needsOfMessage('mcp-method'),
  'MCP-Name': () => needsOfMessage('mcp-name'),
  'MCP-Protocol-Version': () => needsOfMessage('mcp-protocol-version'),
  async 'OData-MaxVersion'() {
    expect((await get('/odata/note', { 'odata-maxversion': '4.0' })).headers.get('odata-version')).toBe('4.0')
  },
  async 'OData-Version'() {
    expect(await statusOf(get('/odata/note', { 'odata-version': '5.0' }))).toBe(400)
  },
  async Prefer() {
    const made = await post('/odata/note', { text: 'brief' }, { prefer: 'return=minimal' })
    expect([made.status, made.headers.get('preference-applied')]).toEqual([204, 'return=minimal'])
  },
  async Range() {
    const part = await get(`/storage/${file}`, { range: 'bytes=2-4' })
    expect([part.status, part.body, part.headers.get('content-range')]).toEqual([206, '234', 'bytes 2-4/10'])
    const beyond = await get(`/storage/${file}`, { range: 'bytes=20-' })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */10'])
  },
  async 'X-API-Version'() {
    expect(await statusOf(get('/data/note', { 'x-api-version': 'v2' }))).toBe(400)
  },
  async 'X-Cairn-Source'() {
    await patch({ text: 'by hand' }, { 'x-cairn-source': 'UI' })
    const { body } = await host.get(`/data/note/${id}/changelog`)
    expect(body.data.entries[0].source).toBe('UI')
  },
  async 'X-Request-Id'() {
    expect((await get('/data/note', { 'x-request-id': 'mine-1234' })).headers.get('x-request-id')).toBe('mine-1234')
  },
  async 'X-Requested-With'() {
    const path = '/graphql?query={__typename}'
    expect(await statusOf(get(path))).toBe(400)
    expect(await statusOf(get(path, { 'x-requested-with': 'test' }))).toBe(200)
  },
  async 'X-Resume-Token'() {
    const begun = {
      filename: 'a.txt',
      mimeType: 'text/plain',
      totalSize: 4,
      chunkSize: storageLimits.leastChunkBytes,
      scope: 'user',
    }
    const { uploadId, resumeToken } = (await host.post('/storage/upload/chunked', begun)).body.data
    const send = async (headers: Record<string, string>): Promise<number> => {
      const path = `/storage/upload/chunked/${uploadId}/chunk/0`
      return statusOf(host.put(path, 'abcd', { 'content-type': 'application/octet-stream', ...headers }))
    }
    expect([await send({}), await send({ 'x-resume-token': resumeToken })]).toEqual([403, 200])
  },
}

it('names no header of requests without an effect', () => {
  expect(Object.keys(components.parameters)).toEqual(Object.keys(effects).toSorted())
})

it.each(Object.entries(effects))('reads %s', async (_name, effect) => {
  await expect(effect()).resolves.toBeUndefined()
})

it('names no header of answers that none has', async () => {
  await get(`/data/note/${id}`)
  noted(await host.anonymous('GET', '/data/note'))
  noted(await host.delete(`/data/note/query`))
  noted(await host.post('/auth/logout', {}, { authorization: 'Bearer none' }))
  noted(
    await host.anonymous('POST', '/auth/sign-in/email', {
      email: 'ann@example.org',
      password: 'correct horse battery',
    }),
  )
  await host.patch('/settings', { rateLimits: { auth: { burst: 1, refillPerSecond: 0.01 } } })
  for (let calls = 0; calls < 3; calls += 1)
    noted(await host.anonymous('POST', '/auth/login', { username: 'ann', password: 'wrong' }))
  expect(Object.keys(components.headers).filter((name) => !seen.has(name))).toEqual([])
})
