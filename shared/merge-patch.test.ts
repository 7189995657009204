import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyMergePatch, mergePatchBetween } from './merge-patch.ts'

/** The test cases of RFC 7396, appendix A: target, patch, result. */
const examples: readonly [unknown, unknown, unknown][] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
]

/** JSON without null, which a merge patch cannot set. */
const withoutNull = fc
  .jsonValue({ maxDepth: 4 })
  .map((value) => JSON.parse(JSON.stringify(value, (_key, inner: unknown) => (inner === null ? 0 : inner))) as unknown)

const document = fc.dictionary(fc.string(), withoutNull, { maxKeys: 6 })

describe('applyMergePatch', () => {
  it.each(examples)('turns %j with %j into %j', (target, patch, result) => {
    expect(applyMergePatch(target, patch)).toEqual(result)
  })

  it('changes neither argument', () => {
    const target = { a: { b: 1 } }
    applyMergePatch(target, { a: { b: 2 } })
    expect(target).toEqual({ a: { b: 1 } })
  })

  it('keeps prototypes clean and hostile keys as data', () => {
    const patch = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}') as object
    const result = applyMergePatch({}, patch) as Record<string, unknown>
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    expect(result['polluted']).toBeUndefined()
    expect(Object.keys(result)).toEqual(['__proto__', 'constructor'])
  })
})

describe('mergePatchBetween', () => {
  it('finds a patch that leads from any document to any other', () => {
    fc.assert(
      fc.property(document, document, (from, to) => {
        const patch = mergePatchBetween(from, to)
        expect(patch === undefined ? from : applyMergePatch(from, patch)).toEqual(to)
      }),
    )
  })

  it('is nothing between equal documents and only what differs between others', () => {
    expect(mergePatchBetween({ a: { b: 1, c: [1] } }, { a: { b: 1, c: [1] } })).toBeUndefined()
    expect(mergePatchBetween({ a: { b: 1, c: 2 }, d: 3 }, { a: { b: 1, c: 4 } })).toEqual({ a: { c: 4 }, d: null })
  })
})
