// Requests of flows to other systems: what is sent, what comes back, what stays secret, and where they never go
// (D-151, D-195, safety N6).
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { rowOf, runFlow, saveFlow } from '../support/flow-calls.ts'
import { innerAddresses, innerHosts } from '../safety/inner-targets.ts'

let host: TestHost
let server: Server
let port = 0
let dataDir = ''
const heard: { method: string; url: string; headers: IncomingHttpHeaders; body: string }[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      heard.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
      if (url.startsWith('/moved')) response.writeHead(302, { location: `http://127.0.0.1:${port}/inside` }).end()
      else if (url.startsWith('/bad')) response.writeHead(418).end('{"no":"tea"}')
      else if (url.startsWith('/large')) response.end('x'.repeat(2_000_000))
      else if (url.startsWith('/slow')) setTimeout(() => response.end('{}'), 5_000).unref()
      else if (url.startsWith('/text')) response.end('plain words')
      else if (url.startsWith('/typed/'))
        response
          .writeHead(Number(url.split('/')[2]), { 'content-type': decodeURIComponent(url.split('/')[3]!) })
          .end(decodeURIComponent(url.split('/')[4]!))
      else if (url.startsWith('/untyped')) response.end('{"a":1}')
      else response.setHeader('content-type', 'application/json').end(JSON.stringify({ echo: headers, url }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
  dataDir = mkdtempSync(join(tmpdir(), 'cairn-flow-http-'))
  // A name of its own reaches the server; its address, and every other spelling of it, stays refused.
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify({ outbound: { allowedHosts: ['localhost'] } }), {
    mode: 0o600,
  })
  host = await createTestHost({ dataDir })
})

afterAll(async () => {
  await host.stop()
  server.close()
  rmSync(dataDir, { recursive: true, force: true })
})

let count = 0
async function call(
  config: Record<string, unknown>,
  body: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  count += 1
  await saveFlow(host, `call_${count}`, rowOf({ id: 'call', type: 'http_request', config }))
  const run = await runFlow(host, `call_${count}`, body)
  return { ...run.steps[1], run }
}
const at = (path: string): string => `http://localhost:${port}${path}`

describe('http_request', () => {
  it('sends what it says and takes the answer', async () => {
    heard.length = 0
    const step = await call(
      {
        method: 'POST',
        url: at('/take?a=1'),
        query: { b: '{{ params.b }}' },
        headers: { 'X-Own': 'o' },
        body: { n: '{{ params.n }}' },
      },
      { params: { b: 'two', n: 3 } },
    )
    expect(step).toMatchObject({ status: 'success', output: { status: 200, body: { url: '/take?a=1&b=two' } } })
    expect(heard).toMatchObject([
      {
        method: 'POST',
        url: '/take?a=1&b=two',
        body: '{"n":3}',
        headers: { 'x-own': 'o', 'content-type': 'application/json' },
      },
    ])
  })

  it('takes text where it is asked to, and does not follow', async () => {
    expect(await call({ url: at('/text'), parse: 'text' })).toMatchObject({ output: { body: 'plain words' } })
    expect(await call({ url: at('/text') })).toMatchObject({ status: 'success', output: { body: 'plain words' } })
    heard.length = 0
    expect(await call({ url: at('/moved'), parse: 'text' })).toMatchObject({ output: { status: 302 } })
    expect(heard.map(({ url }) => url)).toEqual(['/moved'])
  })

  it.each([
    [200, 'application/json; charset=utf-8', '{"a":1}', { a: 1 }],
    [201, 'application/vnd.api+json', '[1]', [1]],
    [200, 'text/plain', 'ok', 'ok'],
    [200, 'text/plain', '{"a":1}', '{"a":1}'],
    [200, 'text/html; of="a/json"', '<p>ok</p>', '<p>ok</p>'],
    [200, 'application/json', 'ok', 'ok'],
    [302, 'text/html', '<a href="/">Found</a>', '<a href="/">Found</a>'],
    [200, 'text/plain', ' ', null],
  ])('takes an answer of %i, %s, as it is unless it is asked otherwise', async (status, type, content, body) => {
    heard.length = 0
    const url = at(`/typed/${status}/${encodeURIComponent(type)}/${encodeURIComponent(content)}`)
    const step = await call({ method: 'POST', url, body: {} })
    expect(step).toMatchObject({ status: 'success', output: { status, body } })
    expect(heard).toHaveLength(1)
  })

  it('fails for what is no JSON only where JSON was asked for, and never for the body of a redirect', async () => {
    const typed = (status: number, content: string) => at(`/typed/${status}/text%2Fplain/${content}`)
    expect(await call({ url: typed(200, 'ok'), parse: 'json' })).toMatchObject({
      status: 'failure',
      error: { code: 'validation_error', fieldErrors: [{ field: 'body', code: 'invalid_json' }] },
    })
    expect(await call({ url: typed(200, '%5B1%5D'), parse: 'json' })).toMatchObject({ output: { body: [1] } })
    expect(await call({ url: typed(302, 'Found'), parse: 'json' })).toMatchObject({
      output: { status: 302, body: 'Found' },
    })
    expect(await call({ url: at('/untyped') })).toMatchObject({ output: { body: { a: 1 } } })
  })

  it('fails with what went wrong', async () => {
    expect(await call({ url: at('/bad') })).toMatchObject({
      error: { code: 'execution_failed', reason: 'http_status' },
    })
    expect(await call({ url: at('/large'), parse: 'text' })).toMatchObject({ error: { code: 'validation_error' } })
    expect(await call({ url: at('/slow'), timeoutMs: 200 })).toMatchObject({ error: { code: 'execution_timeout' } })
    expect(await call({ url: 'http://localhost:1/' })).toMatchObject({
      error: { code: 'execution_failed', reason: 'unreachable' },
    })
  })

  it.each([
    ['bearer', { token: 'sesame-bearer-1' }, 'authorization', 'Bearer sesame-bearer-1'],
    [
      'basic',
      { username: 'ada', password: 'sesame-basic-1' },
      'authorization',
      `Basic ${Buffer.from('ada:sesame-basic-1').toString('base64')}`,
    ],
    ['api-key', { key: 'sesame-key-1' }, 'x-api-key', 'sesame-key-1'],
    ['api-key', { header: 'X-Other', key: 'sesame-key-2' }, 'x-other', 'sesame-key-2'],
  ])('authenticates with %s, and shows and stores no credential', async (type, credentials, header, sent) => {
    heard.length = 0
    const step = await call({ url: at('/echo'), auth: { type, credentials } })
    expect(heard[0]?.headers[header]).toBe(sent)
    expect(JSON.stringify(step)).not.toContain('sesame')
    await host.host.database.write('test.flush', () => undefined)
    const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    for (const file of files) {
      const bytes = readFileSync(join(file.parentPath, file.name))
      expect([
        file.name,
        bytes.includes('sesame'),
        bytes.includes(Buffer.from('ada:sesame-basic-1').toString('base64')),
      ]).toEqual([file.name, false, false])
    }
  })

  it('sends a credential to no other host than it was given for, whoever edits the flow', async () => {
    const auth = { type: 'bearer', credentials: { token: 'sesame-host' } }
    await saveFlow(host, 'keeps', rowOf({ id: 'call', type: 'http_request', config: { url: at('/echo'), auth } }))
    const { nodes } = (await host.get('/automation/keeps')).body.data
    const sealed = nodes[1].config.auth
    heard.length = 0
    expect(await call({ url: `http://localhost.:${port}/echo`, auth: sealed })).toMatchObject({
      error: { code: 'permission_denied', reason: 'credential_moved' },
    })
    expect(heard).toEqual([])
    await call({ url: at('/echo'), query: { again: 1 }, auth: sealed })
    expect(heard[0]?.headers['authorization']).toBe('Bearer sesame-host')
  })

  it('says which credential is missing', async () => {
    expect(await call({ url: at('/echo'), auth: { type: 'basic', credentials: { username: 'ada' } } })).toMatchObject({
      error: { code: 'validation_error', fieldErrors: [{ field: 'config.auth.credentials.password' }] },
    })
  })
})

describe('addresses inside', () => {
  const targets = [
    ...innerHosts.filter((name) => !/^localhost[.]?$/i.test(name)).map((name) => `http://${name}:{port}/`),
    ...innerAddresses,
  ]

  it(`are refused in ${targets.length} spellings, whatever says them`, async () => {
    await saveFlow(
      host,
      'goes',
      rowOf({ id: 'call', type: 'http_request', config: { url: '{{ params.url }}', parse: 'text' } }),
    )
    heard.length = 0
    const reached: string[] = []
    for (const target of targets) {
      const url = target.replaceAll('{port}', String(port))
      const answer = await host.post('/automation/goes/trigger', { params: { url } })
      const { code, reason } = answer.body.error?.details?.cause ?? {}
      if (code !== 'permission_denied') reached.push(`${url} ${String(code)} ${String(reason)}`)
    }
    expect(reached).toEqual([])
    expect(heard).toEqual([])
  })

  it('are refused when a flow is made active', async () => {
    const flow = rowOf({ id: 'call', type: 'http_request', config: { url: 'http://169.254.169.254/latest' } })
    const { body } = await host.post('/automation', { name: 'meta_data', status: 'active', ...flow })
    expect(body.error).toMatchObject({
      code: 'flow_validation_failed',
      details: { errors: [{ nodeId: 'call', code: 'not_allowed' }] },
    })
  })
})
