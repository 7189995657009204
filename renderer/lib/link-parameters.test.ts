// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from 'vitest'
import { readLinkParameters, removeLinkParameters } from './link-parameters.ts'

describe('parameters of a link', () => {
  beforeEach(() => window.history.replaceState(null, '', '/_console/?token=one&lang=en#/reset-password?error=two&q=x'))

  it('are found before and behind the hash', () => {
    expect(readLinkParameters(['token', 'error', 'user_code'])).toEqual({ token: 'one', error: 'two' })
  })

  it('leave the address, and nothing else does', () => {
    removeLinkParameters(['token', 'error'])
    expect(window.location.search + window.location.hash).toBe('?lang=en#/reset-password?q=x')
    removeLinkParameters([])
    expect(window.location.search + window.location.hash).toBe('?lang=en#/reset-password?q=x')
  })
})
