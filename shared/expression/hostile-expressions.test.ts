// Expressions and patterns that would hold the host up for seconds or for ever if nothing stopped them.
import { describe, expect, it } from 'vitest'
import { maxMs } from './budget.ts'
import { ExpressionError, compileExpression } from './compile-expression.ts'
import { compilePattern } from './user-pattern.ts'

const nested: unknown = JSON.parse('['.repeat(60) + ']'.repeat(60))
const scope = {
  record: {
    huge: 'a'.repeat(1_000_000),
    long: 'ab'.repeat(50_000),
    middle: 'ab'.repeat(5_000),
    numbers: Array.from({ length: 50_000 }, (_, index) => index),
    texts: Array.from({ length: 20_000 }, (_, index) => `x${index}`),
    nested,
  },
  now: 0,
  timeZone: 'Europe/Berlin',
}

const expressions: readonly string[] = [
  'record.numbers.map(a, record.numbers.map(b, a * b))',
  'record.numbers.all(a, record.numbers.all(b, record.numbers.all(c, true)))',
  'record.numbers.exists(x, x == -1)',
  'record.numbers.sort().reverse().distinct()',
  'record.numbers == record.numbers.map(x, x)',
  'record.numbers.map(x, addDays("2026-01-01", x % 1000))',
  'record.numbers.map(x, getHours("2026-01-01T00:00:00Z", "Asia/Tokyo"))',
  'record.numbers.map(x, timestamp(x) > "2026-01-01")',
  'record.texts.distinct()',
  'record.texts.sort()',
  'record.texts.join(record.huge)',
  'record.huge + record.huge',
  'record.huge.replace("a", record.huge)',
  'record.huge.split("").join(record.huge)',
  'record.huge.upper().lower().trim().reverse()',
  `["x"]${'.map(a, a + a)'.repeat(60)}`,
  `[record.numbers]${'.map(a, [a, a])'.repeat(40)}`,
  `format([1]${'.map(a, [a, a])'.repeat(40)})`,
  `[1]${'.map(a, [a, a])'.repeat(40)} == [1]${'.map(b, [b, b])'.repeat(40)}`,
  'record.huge.matches("(a+)+$")',
  'record.huge.matches("(a|a)*b")',
  'record.long.matches("^(([a-z])+.)+[A-Z]([a-z])+$")',
  'record.long.matches("(.*a){20}")',
  'record.long.matches("((a{1,30}){1,30})b")',
  'record.middle.matches("(a?){200}b{200}")',
  'record.middle.matches("(x+x+)+y")',
  'record.middle.matches("(.*)(.*)(.*)(.*)(.*)(.*)=x")',
  'record.middle.matches("\\\\pL{1,400}c")',
  'record.numbers.filter(x, string(x).matches("^(a+)+$"))',
  'record.numbers.exists(x, "bbbb".matches("(" + string(x) + "|a{1,50}){1,15}$"))',
  'record.numbers.exists(x, record.middle.matches("(x" + string(x) + "|.*a)*c"))',
  'record.nested.map(a, a.map(b, b.map(c, c)))',
  `${'1 + '.repeat(150)}1`,
  `${'!'.repeat(150)}true`,
]

/** Milliseconds of processor this thread has taken: other work of the machine must not count. */
function taken(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** The shortest of some runs. */
function shortest(run: () => unknown): number {
  let best = Infinity
  for (let attempt = 0; attempt < 5 && best > maxMs; attempt += 1) {
    const start = taken()
    try {
      run()
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
    }
    best = Math.min(best, taken() - start)
  }
  return best
}

describe('a hostile expression', () => {
  it.each(expressions.map((source) => [source.slice(0, 80), source]))(`holds nobody up: %s`, (_title, source) => {
    expect(shortest(() => compileExpression(source).evaluate(scope))).toBeLessThan(maxMs)
  })

  it('is stopped by its steps', () => {
    expect(() => compileExpression(expressions[0]).evaluate(scope)).toThrow(/steps|ms/)
  })

  it('cannot build texts without end', () => {
    expect(() => compileExpression(`["x"]${'.map(a, a + a)'.repeat(60)}`).evaluate(scope)).toThrow(/at most 1000000/)
  })

  it('may read a long text as a whole', () => {
    expect(compileExpression('record.huge.contains("b") || record.huge.endsWith("aa")').evaluate(scope)).toBe(true)
  })
})

describe('a pattern of a user', () => {
  it.each(['(?=a)', '(?<!a)b', '(a)\\1', '(', '[z-a]', 'a'.repeat(1_001), '((a{1,100}){1,100}){1,100}'])(
    'is refused: %s',
    (source) => {
      expect(() => compilePattern(source)).toThrow(ExpressionError)
    },
  )

  it('is refused without case where its ranges are wide and many, before it is compiled', () => {
    const begun = performance.now()
    const many = [
      `(?i)${'[B-\u{1E942}]'.repeat(70)}`,
      `(?si:[${'\u{42}-\u{1E942}'.repeat(60)}])`,
      `(?i)${'[--𞥂]'.repeat(160)}`,
    ]
    for (const source of many) expect(() => compilePattern(source), source).toThrow(/too wide/)
    expect(performance.now() - begun).toBeLessThan(2_000)
    expect(compilePattern('(?i)[\u4e00-\u9fffÀ-ɏ]+').covers('漢é')).toBe(true)
    expect(compilePattern('[B-𞥂]'.repeat(100)).covers('漢'.repeat(100))).toBe(true)
  })

  it('is refused for texts that would take long', () => {
    expect(() => compilePattern('(a?){200}b{200}').occursIn('a'.repeat(100_000))).toThrow(/too long/)
  })

  it('tells an occurrence from a full match', () => {
    const pattern = compilePattern('b+')
    expect([pattern.occursIn('abc'), pattern.covers('abc'), pattern.covers('bb')]).toEqual([true, false, true])
  })
})
