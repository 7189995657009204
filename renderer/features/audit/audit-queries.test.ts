import { describe, expect, it } from 'vitest'
import { filterOfAddress, queryOfFilter } from './audit-queries.ts'

describe('filter of the audit log', () => {
  it('comes out of the address, without what it does not understand', () => {
    const address = new URLSearchParams('kind=auth.sign_in&outcome=denied&since=2026-01-31&until=soon&top=1')
    expect(filterOfAddress(address)).toEqual({ kind: 'auth.sign_in', outcome: 'denied', since: '2026-01-31' })
    expect(filterOfAddress(new URLSearchParams('outcome=maybe&kind='))).toEqual({})
  })

  it('asks for whole days', () => {
    const { since, until } = queryOfFilter({ since: '2026-01-31', until: '2026-01-31' })
    expect(Date.parse(until!) - Date.parse(since!)).toBe(86_400_000)
    expect(queryOfFilter({ actor: 'ada' })).toEqual({ actorId: 'ada' })
  })
})
