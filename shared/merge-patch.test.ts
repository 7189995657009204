import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { mergePatchBetween, isSameJson, applyMergePatch } from './merge-patch.ts'

describe('a merge patch', () => {
  // The test cases of RFC 7396, appendix A.
  it.each([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', 'null', 'null'],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ])('turns %s by %s into %s', (target, patch, result) => {
    expect(applyMergePatch(JSON.parse(target), JSON.parse(patch))).toEqual(JSON.parse(result))
  })

  it('keeps __proto__ and constructor as data and touches no prototype', () => {
    const patch: unknown = JSON.parse(
      '{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}},"a":{"__proto__":{"x":2}}}',
    )
    const result = applyMergePatch({ a: {} }, patch) as Record<string, unknown>
    expect(({} as Record<string, unknown>)['x']).toBeUndefined()
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype)
    expect(Object.getPrototypeOf(result['a'])).toBe(Object.prototype)
    expect(JSON.stringify(result)).toBe(
      '{"a":{"__proto__":{"x":2}},"__proto__":{"x":1},"constructor":{"prototype":{"x":1}}}',
    )
  })

  it('takes inherited names for absent', () => {
    expect(applyMergePatch({}, { toString: { a: 1 } })).toEqual({ toString: { a: 1 } })
    expect(mergePatchBetween({}, { toString: 'x' })).toEqual({ toString: 'x' })
  })

  const key = fc.constantFrom('a', 'b', 'c', 'toString', 'constructor', '__proto__')
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<unknown>(0, 1, 'x', true, null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc
        .array(fc.tuple(key, tie('value')), { maxLength: 4 })
        .map((entries): unknown => JSON.parse(`{${entries.map(([k, v]) => `"${k}":${JSON.stringify(v)}`).join(',')}}`)),
    ),
  }))
  const map = value.filter((one): one is Record<string, unknown> => isMap(one))

  it('equals what the pseudo-code of the RFC says', () => {
    fc.assert(
      fc.property(value, value, (target, patch) => {
        const before = JSON.stringify([target, patch])
        expect(isSameJson(applyMergePatch(target, patch), pseudoCode(target, patch))).toBe(true)
        expect(JSON.stringify([target, patch])).toBe(before)
      }),
      { numRuns: 500 },
    )
  })

  it('leads from any map to any other without nulls', () => {
    fc.assert(
      fc.property(map, map, (from, to) => {
        const goal = withoutNulls(to)
        expect(
          isSameJson(
            applyMergePatch(withoutNulls(from), mergePatchBetween(withoutNulls(from) as never, goal as never)),
            goal,
          ),
        ).toBe(true)
        expect(Object.keys(mergePatchBetween(goal as never, goal as never))).toEqual([])
      }),
      { numRuns: 500 },
    )
  })
})

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** RFC 7396, section 2, word for word, on maps without a prototype. */
function pseudoCode(target: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch
  const result: Record<string, unknown> = Object.assign(Object.create(null), isMap(target) ? bare(target) : {})
  for (const name of Object.keys(patch)) {
    if (patch[name] === null) delete result[name]
    else result[name] = pseudoCode(result[name], patch[name])
  }
  return result
}

function bare(map: Record<string, unknown>): Record<string, unknown> {
  const result = Object.create(null) as Record<string, unknown>
  for (const [name, member] of Object.entries(map)) result[name] = member
  return result
}

/** The value without null members of maps: what a merge patch can say. */
function withoutNulls(value: unknown): unknown {
  if (!isMap(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [name, withoutNulls(member)]),
  )
}
