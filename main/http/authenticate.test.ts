import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { localOwner } from '#main/kernel/context.ts'
import { createAuthenticator, readCookie } from './authenticate.ts'

const authenticate = createAuthenticator({
  connectionToken: 'right-token',
  findSession: (token) => (token === 'open' ? { id: 's1', actor: localOwner } : null),
})
const socket = {} as Socket
const kindOf = (headers: Record<string, string>, on: Socket = {} as Socket): string => {
  const caller = authenticate({ headers, socket: on })
  return caller === 'invalid' ? 'invalid' : caller.credential
}

describe('createAuthenticator', () => {
  it('takes the connection token as the local owner', () => {
    expect(kindOf({ authorization: 'Bearer right-token' })).toBe('connection-token')
    expect(kindOf({ authorization: 'bearer right-token' })).toBe('connection-token')
  })

  it('refuses every other token, key and scheme', () => {
    for (const authorization of [
      'Bearer wrong',
      'Bearer ',
      'Bearer right-token2',
      'ApiKey right-token',
      'Basic cmlnaHQ6',
      '',
    ]) {
      expect(kindOf({ authorization }), authorization).toBe('invalid')
    }
    expect(kindOf({ 'x-api-key': 'right-token' })).toBe('invalid')
  })

  it('checks again when a connection that proved the token sends another one', () => {
    expect(kindOf({ authorization: 'Bearer right-token' }, socket)).toBe('connection-token')
    expect(kindOf({ authorization: 'Bearer right-tokem' }, socket)).toBe('invalid')
    expect(kindOf({ authorization: 'Bearer right-token' }, socket)).toBe('connection-token')
  })

  it('takes no token from beyond loopback, also on a connection that proved it before: a hub passes many people on', () => {
    const shared = {} as Socket
    const headers = { authorization: 'Bearer right-token' }
    expect(kindOf(headers, shared)).toBe('connection-token')
    expect(authenticate({ headers, socket: shared }, true)).toBe('invalid')
  })

  it('does not remember a refused token', () => {
    const other = {} as Socket
    expect(kindOf({ authorization: 'Bearer wrong' }, other)).toBe('invalid')
    expect(kindOf({ authorization: 'Bearer wrong' }, other)).toBe('invalid')
  })

  it('takes the session cookie, and prefers a header over it', () => {
    expect(kindOf({ cookie: 'a=b; cairn.session_token=open' })).toBe('console-session')
    expect(kindOf({ cookie: 'cairn.session_token=ended' })).toBe('invalid')
    expect(kindOf({ cookie: 'cairn.session_token=open', authorization: 'Bearer wrong' })).toBe('invalid')
  })

  it('takes a request without credential as anonymous, foreign cookies included', () => {
    expect(kindOf({})).toBe('none')
    expect(kindOf({ cookie: 'other=1; cairn.session_tokenx=open' })).toBe('none')
  })
})

describe('readCookie', () => {
  it('finds a cookie by its whole name', () => {
    expect(readCookie('a=1; b=2=3 ;c', 'b')).toBe('2=3')
    expect(readCookie('ab=1', 'b')).toBeNull()
  })
})
