// The sender of requests to addresses people chose: where it goes, where it never goes, and what it takes along.
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createCertificateAuthority, hasOpenssl } from '../../test/support/certificate-authority.ts'
import { innerAddresses, innerAnswers, innerHosts } from '../../test/safety/inner-targets.ts'
import { createOutbound } from './outbound.ts'
import type { OutboundRequest } from './outbound.ts'
import { isPublicAddress, isSameAddress } from './target-address.ts'

let server: Server
let port: number
let seen: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] = []
let answer: (request: IncomingMessage, response: ServerResponse) => void

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
      answer(request, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})

afterAll(() => new Promise((resolve) => server.close(resolve)))

afterEach(() => {
  seen = []
  answer = (_request, response) => response.end('ok')
})

answer = (_request, response) => response.end('ok')

const closed = createOutbound({ allowedHosts: () => [] })
const open = createOutbound({ allowedHosts: () => ['127.0.0.1'] })
const post = (path: string, rest: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url: `http://127.0.0.1:${port}${path}`,
  method: 'POST',
  body: '{"a":1}',
  ...rest,
})
const reasonOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'answered',
    (error: unknown) => (error as { reason?: unknown }).reason,
  )

describe('where it never goes', () => {
  it.each(innerHosts)('refuses http://%s', async (host) => {
    const url = `http://${host}:${port}/`
    expect(['target_forbidden', 'invalid_target']).toContain(await reasonOf(closed.send({ url, method: 'GET' })))
    expect(closed.problemOf(url)).toBeDefined()
    expect(seen).toEqual([])
  })

  it.each(innerAddresses)('refuses %s', async (text) => {
    const url = text.replace('{port}', String(port))
    expect(['target_forbidden', 'invalid_target']).toContain(await reasonOf(closed.send({ url, method: 'GET' })))
    expect(seen).toEqual([])
  })

  it.each(innerAnswers.map((addresses) => [addresses.join(' and '), addresses] as const))(
    'refuses a name that leads to %s',
    async (_title, addresses) => {
      const guarded = createOutbound({ allowedHosts: () => [], resolve: async () => addresses })
      const url = `http://public.example:${port}/`
      expect(guarded.problemOf(url)).toBeUndefined()
      expect(await reasonOf(guarded.send({ url, method: 'GET' }))).toBe('target_forbidden')
      expect(seen).toEqual([])
    },
  )

  it.each([1, 22, 25, 81, 1_023, 3_306, 5_432, 6_379])('refuses port %i of a public host', async (at) => {
    const url = `http://93.184.216.34:${at}/`
    expect(closed.problemOf(url)).toBe('target_forbidden')
    expect(await reasonOf(closed.send({ url, method: 'GET' }))).toBe('target_forbidden')
  })

  it('does not follow a redirect', async () => {
    answer = (_request, response) => response.writeHead(302, { location: `http://127.0.0.1:${port}/inner` }).end()
    const { status } = await open.send(post('/first'))
    expect([status, seen.map(({ url }) => url)]).toEqual([302, ['/first']])
  })

  it('asks for a name once and connects to what it judged', async () => {
    let asked = 0
    const flipping = createOutbound({
      allowedHosts: () => [],
      resolve: async () => (++asked === 1 ? ['127.0.0.2'] : ['127.0.0.1']),
      isAllowed: (address) => address === '127.0.0.2',
    })
    // Nobody listens there; a second lookup would have found the server.
    expect(await reasonOf(flipping.send({ url: `http://public.example:${port}/`, method: 'GET' }))).toBe('unreachable')
    expect([asked, seen]).toEqual([1, []])
  })
})

describe('where it goes', () => {
  it('sends to a host that is allowed, whatever its spelling there', async () => {
    for (const allowed of ['127.0.0.1', '127.0.0.1.']) {
      const listed = createOutbound({ allowedHosts: () => [allowed] })
      expect((await listed.send(post('/'))).body.toString()).toBe('ok')
    }
    const named = createOutbound({ allowedHosts: () => ['Hooks.Lan'], resolve: async () => ['127.0.0.1'] })
    expect((await named.send({ url: `http://hooks.lan:${port}/x?y=1`, method: 'GET' })).status).toBe(200)
    expect(seen.at(-1)).toMatchObject({ method: 'GET', url: '/x?y=1', headers: { host: `hooks.lan:${port}` } })
  })

  it.each([
    '93.184.216.34',
    '1.1.1.1',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '::ffff:1.1.1.1',
    '64:ff9b::1.1.1.1',
  ])('calls %s public', (address) => expect(isPublicAddress(address)).toBe(true))

  it('knows one address in two spellings', () => {
    expect(isSameAddress('::ffff:1.2.3.4', '1.2.3.4')).toBe(true)
    expect(isSameAddress('2001:db8:0::1', '2001:db8::1')).toBe(true)
    expect(isSameAddress('1.2.3.4', '1.2.3.5')).toBe(false)
    expect(isSameAddress('', '')).toBe(false)
  })
})

describe('what it takes along', () => {
  it('sends the body with the headers it was given and none of those that are its own', async () => {
    const headers = {
      'Content-Type': 'application/json',
      Host: 'other.example',
      'content-length': '1',
      Cookie: 'a=b',
      'Transfer-Encoding': 'chunked',
      'X-Mine': 'yes',
    }
    await open.send(post('/', { headers }))
    expect(seen[0]).toMatchObject({
      body: '{"a":1}',
      headers: { host: `127.0.0.1:${port}`, 'content-length': '7', 'x-mine': 'yes', connection: 'close' },
    })
    expect(seen[0]!.headers).not.toHaveProperty('cookie')
    expect(seen[0]!.headers).not.toHaveProperty('authorization')
  })

  it('refuses a header with a line break', async () => {
    expect(await reasonOf(open.send(post('/', { headers: { 'x-mine': 'a\r\nx-other: b' } })))).toBe('unreachable')
    expect(seen).toEqual([])
  })
})

describe.runIf(hasOpenssl)('a certificate', () => {
  it('nobody vouches for ends the request before a byte of it is sent, whatever the environment says', async () => {
    const authority = createCertificateAuthority('Unknown')
    const { cert, key } = authority.issue('127.0.0.1', { use: 'server' })
    const secure = createTlsServer({ cert, key }, (request, response) => {
      seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body: '' })
      response.end()
    })
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve))
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    try {
      const url = `https://127.0.0.1:${(secure.address() as AddressInfo).port}/`
      expect(await reasonOf(open.send({ url, method: 'GET' }))).toBe('unreachable')
      expect(seen).toEqual([])
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before
      await new Promise((resolve) => secure.close(resolve))
    }
  })
})

describe('connections', () => {
  const again = (path: string): OutboundRequest => post(path, { mayArriveTwice: true })
  /** Ports that requests came from, in order. */
  let from: number[]
  beforeEach(() => {
    from = []
    answer = (request, response) => {
      from.push(request.socket.remotePort!)
      response.end('ok')
    }
  })

  it('are kept for what may arrive twice, and for nothing else', async () => {
    for (const path of ['/1', '/2', '/3']) await open.send(again(path))
    for (const path of ['/4', '/5']) await open.send(post(path))
    expect(new Set(from.slice(0, 3)).size).toBe(1)
    expect(new Set(from.slice(2)).size).toBe(3)
    expect(seen.map(({ headers }) => headers.connection)).toEqual([...Array(3).fill('keep-alive'), 'close', 'close'])
  })

  it('that end under a request are opened anew for what may arrive twice', async () => {
    await open.send(again('/first'))
    const fine = answer
    answer = (request, response) => {
      answer = fine
      response.socket!.destroy()
    }
    expect((await open.send(again('/second'))).status).toBe(200)
    expect(seen.map(({ url }) => url)).toEqual(['/first', '/second', '/second'])
    answer = (_request, response) => response.socket!.destroy()
    expect(await reasonOf(open.send(post('/once')))).toBe('unreachable')
    expect(seen.filter(({ url }) => url === '/once')).toHaveLength(1)
  })

  it('of a name are not used once it leads elsewhere, or may not be reached any more', async () => {
    let addresses = ['127.0.0.1']
    let isOpen = true
    const moving = createOutbound({
      allowedHosts: () => [],
      resolve: async () => addresses,
      isAllowed: () => isOpen,
    })
    const request = { ...again('/'), url: `http://moving.example:${port}/` }
    expect((await moving.send(request)).status).toBe(200)
    addresses = ['127.0.0.2']
    expect(await reasonOf(moving.send(request))).toBe('unreachable')
    addresses = ['127.0.0.1']
    isOpen = false
    expect(await reasonOf(moving.send(request))).toBe('target_forbidden')
    expect(seen).toHaveLength(1)
  })

  it('are given up with their request', async () => {
    await open.send(again('/first'))
    answer = () => undefined
    const end = new AbortController()
    const waiting = reasonOf(open.send({ ...again('/second'), signal: end.signal }))
    await vi.waitFor(() => expect(seen).toHaveLength(2))
    end.abort()
    expect(await waiting).toBe('unreachable')
    // Long enough for a new connection on a busy machine: a request that never left would prove nothing.
    expect(await reasonOf(open.send({ ...again('/third'), timeoutMs: 1_000 }))).toBe('timeout')
    expect(seen.map(({ url }) => url)).toEqual(['/first', '/second', '/third'])
  })
})

describe('limits', () => {
  it('cuts an answer that is too long', async () => {
    answer = (_request, response) => response.end(Buffer.alloc(1_000_000, 'x'))
    const { body, isCut } = await open.send(post('/'))
    expect([body.length, isCut]).toEqual([65_536, true])
  })

  it('ends a request whose answer does not come, or does not end', async () => {
    answer = () => undefined
    expect(await reasonOf(open.send(post('/', { timeoutMs: 100 })))).toBe('timeout')
    answer = (_request, response) => response.writeHead(200).write('a')
    expect(await reasonOf(open.send(post('/', { timeoutMs: 100 })))).toBe('timeout')
  })

  it('ends a lookup that does not come back', async () => {
    const slow = createOutbound({ allowedHosts: () => [], resolve: () => new Promise(() => undefined) })
    expect(await reasonOf(slow.send({ url: 'http://slow.example/', method: 'GET', timeoutMs: 50 }))).toBe('timeout')
  })

  it('says so when nobody is there', async () => {
    const nowhere = createOutbound({ allowedHosts: () => [], resolve: async () => [] })
    expect(await reasonOf(nowhere.send({ url: 'http://nobody.example/', method: 'GET' }))).toBe('unreachable')
  })
})
