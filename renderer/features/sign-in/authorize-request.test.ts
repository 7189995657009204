// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { continuePath, otherAccountPath, readAuthorizeRequest } from './authorize-request.ts'

const asked = new URLSearchParams({
  client_id: 'reports',
  response_type: 'code',
  redirect_uri: 'https://reports.example/back?from=cairn',
  scope: 'openid email',
  state: 'a b&c',
  prompt: 'login consent',
  max_age: '0',
})
const signed = `${asked.toString()}&exp=1&ba_iat=5000&ba_param=client_id&ba_param=sig&sig=abc%3D`

describe('the request of an application', () => {
  it('is read with what people are told of it', () => {
    expect(readAuthorizeRequest(signed)).toMatchObject({
      clientId: 'reports',
      scopes: ['openid', 'email'],
      returnsTo: 'reports.example',
      asksToSignIn: true,
      issuedAt: 5000,
    })
    expect(readAuthorizeRequest('')).toBeUndefined()
    expect(readAuthorizeRequest('client_id=reports')).toBeUndefined()
  })

  it('goes on at the path of the host, without what signing in has done', () => {
    const path = continuePath(readAuthorizeRequest(signed)!)
    const url = new URL(path, 'http://127.0.0.1:1')
    expect([url.origin, url.pathname]).toEqual(['http://127.0.0.1:1', '/api/v1/auth/oauth2/authorize'])
    expect(Object.fromEntries(url.searchParams)).toEqual({
      ...Object.fromEntries([...asked].filter(([name]) => name !== 'max_age')),
      prompt: 'consent',
    })
  })

  it('leads to no other place, whatever the address says', () => {
    for (const forged of ['//evil.example', 'https://evil.example/', '/\\evil.example', 'javascript:alert(1)']) {
      const request = readAuthorizeRequest(`client_id=${encodeURIComponent(forged)}&redirect_uri=${forged}&sig=x`)
      for (const path of [continuePath(request!), otherAccountPath(request!)]) {
        const url = new URL(path, 'http://127.0.0.1:1')
        expect([url.origin, url.pathname]).toEqual(['http://127.0.0.1:1', '/api/v1/auth/oauth2/authorize'])
      }
    }
  })

  it('asks to sign in only where the application does', () => {
    const plain = 'client_id=a&sig=b&prompt=consent'
    expect(readAuthorizeRequest(plain)?.asksToSignIn).toBe(false)
    expect(readAuthorizeRequest(`${plain}&max_age=60`)?.asksToSignIn).toBe(true)
    expect(new URLSearchParams(otherAccountPath(readAuthorizeRequest('client_id=a&sig=b')!).split('?')[1])).toEqual(
      new URLSearchParams('client_id=a&prompt=login'),
    )
  })
})
