import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseQueryString, queryOf } from './query-string.ts'

describe('parseQueryString', () => {
  it('reads back every name and value that was encoded', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ unit: 'grapheme' })),
        (values) => {
          const names = Object.keys(values).filter((name) => !name.endsWith('[]'))
          const text = names.map((name) => `${encodeURIComponent(name)}=${encodeURIComponent(values[name]!)}`).join('&')
          const parsed = parseQueryString(text)
          expect(Object.keys(parsed).toSorted()).toEqual(names.toSorted())
          for (const name of names) expect(parsed[name]).toBe(values[name])
        },
      ),
    )
  })

  it('makes a list of repeated names and of name[]', () => {
    expect({ ...parseQueryString('a=1&a=2&a=3') }).toEqual({ a: ['1', '2', '3'] })
    expect({ ...parseQueryString('a[]=1') }).toEqual({ a: ['1'] })
    expect({ ...parseQueryString('a=1&a[]=2') }).toEqual({ a: ['1', '2'] })
  })

  it('takes a name without value as empty, and plus as a space', () => {
    expect({ ...parseQueryString('count&q=a+b%2Bc&&=x') }).toEqual({ count: '', q: 'a b+c', '': 'x' })
  })

  it('treats __proto__ and constructor as plain names', () => {
    const parsed = parseQueryString('__proto__=1&constructor=2')
    expect(Object.keys(parsed)).toEqual(['__proto__', 'constructor'])
    expect(({} as Record<string, unknown>)['1']).toBeUndefined()
  })
})

describe('queryOf', () => {
  it('answers the part after the first question mark', () => {
    expect(queryOf('/a?b=c?d')).toBe('b=c?d')
    expect(queryOf('/a')).toBe('')
  })
})
