import { describe, expect, it } from 'vitest'
import { canonicalOrigin, createOriginList, wildcardBase } from './trusted-origins.ts'

describe('canonicalOrigin', () => {
  it('writes origins as browsers send them', () => {
    expect(canonicalOrigin('HTTPS://Partner.Example:443/')).toBe('https://partner.example')
    expect(canonicalOrigin('http://partner.example:8080')).toBe('http://partner.example:8080')
    expect(canonicalOrigin('https://*.Example.com:8443')).toBe('https://*.example.com:8443')
    expect(canonicalOrigin('https://bücher.example')).toBe('https://xn--bcher-kva.example')
    expect(canonicalOrigin('app://other')).toBe('app://other')
  })

  it('refuses everything that is no plain origin', () => {
    for (const text of [
      '*',
      '',
      'null',
      'partner.example',
      'https://',
      'https://a.example/path',
      'https://a.example?x',
      'https://a.example#x',
      'https://user@a.example',
      'https://user:pw@a.example',
      'https://a.example.',
      'https://a.example\\b',
      'https://%61.example',
      'https://a.example:99999',
    ]) {
      expect(() => canonicalOrigin(text), text).toThrow('origin')
    }
  })

  it('takes a wildcard as the first label of a name of at least two more, and nowhere else', () => {
    for (const text of [
      'https://*',
      'https://*.com',
      'https://*.localhost',
      'https://*example.com',
      'https://a*.example.com',
      'https://a.*.example.com',
      'https://*.*.example.com',
      'https://*.example.com:*',
      'https://*.127.0.0.1',
      'https://*.0.1',
      '*://a.example',
      'app://*.example.com',
    ]) {
      expect(() => canonicalOrigin(text), text).toThrow('origin')
    }
    expect(wildcardBase(canonicalOrigin('https://*.example.com:8443'))).toBe('example.com')
    expect(wildcardBase('https://example.com')).toBeNull()
  })
})

describe('createOriginList', () => {
  const list = createOriginList(['https://partner.example', 'https://*.example.com', 'http://*.dev.example:8080'])

  it('accepts exact origins and one label under a wildcard', () => {
    for (const origin of [
      'https://partner.example',
      'https://a.example.com',
      'https://xn--bcher-kva.example.com',
      'http://x-1.dev.example:8080',
    ]) {
      expect(list.has(origin), origin).toBe(true)
    }
  })

  it('refuses names that only look like one under the wildcard', () => {
    for (const origin of [
      'https://example.com',
      'https://.example.com',
      'https://evilexample.com',
      'https://a.b.example.com',
      'https://a.example.com.evil.example',
      'https://a.example.com.',
      'https://a.example.com:443',
      'https://a.example.com:8443',
      'http://a.example.com',
      'https://A.example.com',
      'https://a.EXAMPLE.com',
      'https://*.example.com',
      'https://user@a.example.com',
      'https://evil.example/.example.com',
      'https://evil.example#.example.com',
      'https://evil.example?.example.com',
      'https://evil.example\\.example.com',
      'https://evil.example%2f.example.com',
      'https://evil.example:443@.example.com',
      'https://-a.example.com',
      'https://a-.example.com',
      'https://а.example.com',
      'https://a.xn--exmple-cua.com',
      'https://a example.com',
      'http://x.dev.example',
      'http://x.dev.example:80800',
      'http://x.dev.example:18080',
      'null',
      '',
    ]) {
      expect(list.has(origin), origin).toBe(false)
    }
  })
})
