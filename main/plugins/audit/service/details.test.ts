import { describe, expect, it } from 'vitest'
import { cleanDetails, withoutLiterals } from './details.ts'

describe('cleanDetails', () => {
  it('leaves out what is named like a credential, at any depth', () => {
    const given = {
      userId: 'u',
      token: 'x',
      apiKey: 'x',
      nested: { newPassword: 'x', list: [{ otp: 'x', kind: 'k' }] },
    }
    expect(cleanDetails(given)).toEqual({ userId: 'u', nested: { list: [{ kind: 'k' }] } })
  })

  it('keeps that a credential changed, not which', () => {
    expect(cleanDetails({ password: true, tokens: 3 })).toEqual({ password: true, tokens: 3 })
  })

  it('shortens texts, lists and depth, and mends what JSON cannot hold', () => {
    const cleaned = cleanDetails({
      text: 'x'.repeat(1_000),
      list: Array.from({ length: 80 }, (_none, at) => at),
      deep: { a: { b: { c: { d: 1 } } } },
      lone: '\ud800',
      none: undefined,
      wide: Number.NaN,
    })
    expect(String(cleaned['text']).length).toBe(301)
    expect(cleaned['list']).toHaveLength(51)
    expect(cleaned).toMatchObject({ deep: { a: { b: { c: '…' } } }, lone: '\ufffd', wide: null })
    expect('none' in cleaned).toBe(false)
  })

  it('names the members of what is too large as a whole', () => {
    const large = Object.fromEntries(Array.from({ length: 40 }, (_none, at) => [`m${at}`, 'x'.repeat(200)]))
    expect(cleanDetails(large)).toMatchObject({ truncated: true, members: expect.arrayContaining(['m0', 'm39']) })
  })

  it('treats a name that reaches a prototype as any other', () => {
    const cleaned = cleanDetails(JSON.parse('{"__proto__": {"x": 1}}') as Record<string, unknown>)
    expect(JSON.stringify(cleaned)).toBe('{"__proto__":{"x":1}}')
    expect(({} as { x?: number }).x).toBeUndefined()
  })
})

describe('withoutLiterals', () => {
  it.each([
    ["SELECT a FROM t WHERE b = 'it''s' AND c > 12.5e3", 'SELECT a FROM t WHERE b = ? AND c > ?'],
    ['SELECT x\'00ff\', t1."c2" -- canary\nFROM t1 /* canary */', 'SELECT ?, t1."c2" FROM t1'],
    ["SELECT 'open", 'SELECT ?'],
    ["SELECT '--',\n'canary'", 'SELECT ?, ?'],
    ["SELECT '/*', 'canary', '*/'", 'SELECT ?, ?, ?'],
    [`SELECT "it's", 'canary'`, `SELECT "it's", ?`],
    ["SELECT 1 -- it's\n, 'canary'", 'SELECT ? , ?'],
    ['SELECT 1 /* open', 'SELECT ?'],
  ])('%s', (sql, expected) => expect(withoutLiterals(sql)).toBe(expected))
})
