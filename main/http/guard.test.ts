import { describe, expect, it } from 'vitest'
import { createAuthorities } from './authority.ts'
import { checkCookieWrite, checkHost, checkMediaType, checkOrigin, checkUrl, maxUrlBytes } from './guard.ts'
import type { GuardedRequest } from './guard.ts'

const authorities = createAuthorities({ port: 7420, trustedOrigins: ['https://partner.example'] })

function request(headers: Record<string, string>, rest: Partial<GuardedRequest> = {}): GuardedRequest {
  const all = { host: '127.0.0.1:7420', ...headers }
  return { method: 'GET', url: '/', headers: all, rawHeaders: Object.entries(all).flat(), ...rest }
}

describe('createAuthorities', () => {
  it('lists the three loopback names with their port and no others', () => {
    expect([...authorities.hosts]).toEqual(['127.0.0.1:7420', 'localhost:7420', '[::1]:7420'])
  })

  it('adds the host of baseUrl', () => {
    const more = createAuthorities({ port: 1, baseUrl: 'https://cairn.example', trustedOrigins: [] })
    expect(more.hosts.has('cairn.example')).toBe(true)
    expect(more.origins.has('https://cairn.example')).toBe(true)
    expect(more.baseUrl).toBe('https://cairn.example')
  })

  it('refuses wildcards and addresses with a path as trusted origins', () => {
    for (const origin of ['https://*.example', '*', 'https://a.example/path', 'a.example']) {
      expect(() => createAuthorities({ port: 1, trustedOrigins: [origin] })).toThrow('origin')
    }
  })
})

describe('checkHost', () => {
  it('accepts our own names exactly', () => {
    for (const host of authorities.hosts) expect(checkHost(request({ host }), authorities)).toBeNull()
  })

  it('refuses every other spelling with origin_forbidden', () => {
    for (const host of [
      'localhost',
      'localhost:7421',
      'LOCALHOST:7420',
      'localhost.:7420',
      '127.1:7420',
      '',
      '0.0.0.0:7420',
    ]) {
      expect(checkHost(request({ host }), authorities)?.code, host).toBe('origin_forbidden')
    }
  })

  it('refuses a missing and a doubled Host', () => {
    expect(checkHost({ ...request({}), headers: {} }, authorities)?.code).toBe('origin_forbidden')
    const doubled = { ...request({}), rawHeaders: ['Host', '127.0.0.1:7420', 'host', 'evil.example'] }
    expect(checkHost(doubled, authorities)?.code).toBe('origin_forbidden')
  })

  it('refuses a target in absolute form', () => {
    expect(checkHost(request({}, { url: 'http://evil.example/' }), authorities)?.code).toBe('origin_forbidden')
  })
})

describe('checkOrigin', () => {
  it('accepts requests without Origin and with our own, the shell and trusted ones', () => {
    expect(checkOrigin(request({}), authorities)).toBeNull()
    for (const origin of ['http://localhost:7420', 'app://cairn', 'https://partner.example']) {
      expect(checkOrigin(request({ origin }), authorities)).toBeNull()
    }
  })

  it('refuses foreign, null and nearly equal origins on every method', () => {
    const foreign = [
      'null',
      'http://localhost:7421',
      'https://localhost:7420',
      'http://localhost:7420.evil.example',
      'https://partner.example.evil',
      'http://partner.example',
      '',
    ]
    for (const origin of foreign) {
      for (const method of ['GET', 'POST']) {
        expect(checkOrigin(request({ origin }, { method }), authorities)?.code, origin).toBe('origin_forbidden')
      }
    }
  })

  it('refuses cross-site requests, and same-site ones that write', () => {
    const from = (site: string, method: string): GuardedRequest => request({ 'sec-fetch-site': site }, { method })
    expect(checkOrigin(from('cross-site', 'GET'), authorities)?.code).toBe('origin_forbidden')
    expect(checkOrigin(from('same-site', 'POST'), authorities)?.code).toBe('origin_forbidden')
    expect(checkOrigin(from('same-site', 'GET'), authorities)).toBeNull()
    expect(checkOrigin(from('same-origin', 'POST'), authorities)).toBeNull()
    expect(checkOrigin(from('none', 'GET'), authorities)).toBeNull()
  })
})

describe('checkOrigin of an entry', () => {
  const page = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  const judge = (headers: Record<string, string>, method = 'GET', isEntry = true): string | undefined =>
    checkOrigin(request({ ...page, ...headers }, { method }), authorities, isEntry)?.code

  it('lets a person through whom another site leads there', () => {
    expect(judge({})).toBeUndefined()
  })

  it('refuses everything else another site can cause', () => {
    const refused = [
      judge({}, 'GET', false),
      judge({}, 'POST'),
      judge({ 'sec-fetch-dest': 'iframe' }),
      judge({ 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors' }),
      judge({ 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }),
      judge({ origin: 'https://evil.example' }),
    ]
    expect(refused).toEqual(Array.from({ length: 6 }, () => 'origin_forbidden'))
  })
})

describe('checkUrl', () => {
  it('accepts 16 KB and refuses one byte more', () => {
    expect(checkUrl(request({}, { url: '/'.padEnd(maxUrlBytes, 'a') }))).toBeNull()
    expect(checkUrl(request({}, { url: '/'.padEnd(maxUrlBytes + 1, 'a') }))?.details['limitBytes']).toBe(maxUrlBytes)
  })

  it('refuses broken percent-encoding anywhere', () => {
    for (const url of ['/%', '/%zz', '/a?b=%E2%82', '/%C0%80'])
      expect(checkUrl(request({}, { url }))?.code).toBe('validation_error')
    expect(checkUrl(request({}, { url: '/%E2%82%AC%2F?a=%25' }))).toBeNull()
  })
})

describe('checkMediaType', () => {
  const json = new Set(['application/json'])
  const post = (headers: Record<string, string>): GuardedRequest => request(headers, { method: 'POST' })

  it('accepts JSON with any spelling of UTF-8, and no body at all', () => {
    for (const type of ['application/json', 'Application/JSON; charset=UTF-8', 'application/json;charset="utf-8"']) {
      expect(checkMediaType(post({ 'content-type': type }), json)).toBeNull()
    }
    expect(checkMediaType(post({}), json)).toBeNull()
    expect(checkMediaType(post({ 'content-length': '0' }), json)).toBeNull()
  })

  it('refuses other types, other charsets, encodings and bodies without type', () => {
    const refused: Record<string, string>[] = [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '0' },
      { 'content-type': 'application/json; charset=utf-16' },
      { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      { 'content-length': '5' },
      { 'transfer-encoding': 'chunked' },
      { 'content-type': 'application/json', 'transfer-encoding': 'gzip, chunked' },
    ]
    for (const headers of refused) expect(checkMediaType(post(headers), json)?.code).toBe('unsupported_media_type')
  })
})

describe('checkCookieWrite', () => {
  it('needs an allowed Origin and a JSON content type or X-Requested-With', () => {
    const origin = 'http://127.0.0.1:7420'
    expect(checkCookieWrite(request({ origin, 'content-type': 'application/json' }), authorities)).toBeNull()
    expect(checkCookieWrite(request({ origin, 'x-requested-with': 'cairn' }), authorities)).toBeNull()
    expect(checkCookieWrite(request({ origin }), authorities)?.code).toBe('origin_forbidden')
    expect(checkCookieWrite(request({ 'content-type': 'application/json' }), authorities)?.code).toBe(
      'origin_forbidden',
    )
    const foreign = request({ origin: 'http://localhost:1', 'content-type': 'application/json' })
    expect(checkCookieWrite(foreign, authorities)?.code).toBe('origin_forbidden')
  })
})
