// Random expressions: arithmetic, comparison and logic against a second evaluator that shares no code, and random text
// against the promise that nothing but an expression error ever comes out.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ExpressionError, compileExpression } from './compile-expression.ts'
import { inferResultType } from './infer-type.ts'
import { sized } from '../../test/support/test-size.ts'

type Model = (record: Readonly<Record<string, number | boolean | null>>) => number | boolean | null

interface Sample {
  readonly source: string
  readonly value: Model
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null)

const arithmetic: Readonly<Record<string, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % right,
}

const order: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
}

const fields = ['a', 'b', 'c', 'missing'] as const

const { number, truth } = fc.letrec<{ number: Sample; truth: Sample }>((tie) => ({
  number: fc.oneof(
    { maxDepth: 4 },
    fc
      .constantFrom(...fields)
      .map((name): Sample => ({ source: `record.${name}`, value: (record) => record[name] ?? null })),
    fc.integer({ min: 0, max: 50 }).map((value): Sample => ({ source: String(value), value: () => value })),
    fc.constant<Sample>({ source: 'null', value: () => null }),
    fc
      .tuple(fc.constantFrom(...Object.keys(arithmetic)), tie('number'), tie('number'))
      .map(([operator, left, right]): Sample => ({
        source: `(${left.source} ${operator} ${right.source})`,
        value(record) {
          const [one, other] = [left.value(record), right.value(record)]
          return one === null || other === null ? null : finite(arithmetic[operator]!(one as number, other as number))
        },
      })),
    tie('number').map((of): Sample => ({
      source: `abs(${of.source})`,
      value(record) {
        const value = of.value(record)
        return value === null ? null : Math.abs(value as number)
      },
    })),
    fc.tuple(tie('number'), tie('number')).map(([left, right]): Sample => ({
      source: `coalesce(${left.source}, ${right.source})`,
      value: (record) => left.value(record) ?? right.value(record),
    })),
    fc.tuple(tie('truth'), tie('number'), tie('number')).map(([test, yes, no]): Sample => ({
      source: `(${test.source} ? ${yes.source} : ${no.source})`,
      value: (record) => (test.value(record) === true ? yes.value(record) : no.value(record)),
    })),
  ),
  truth: fc.oneof(
    { maxDepth: 4 },
    fc.boolean().map((value): Sample => ({ source: String(value), value: () => value })),
    fc.constant<Sample>({ source: 'record.flag', value: (record) => record['flag'] ?? null }),
    fc
      .tuple(fc.constantFrom(...Object.keys(order)), tie('number'), tie('number'))
      .map(([operator, left, right]): Sample => ({
        source: `(${left.source} ${operator} ${right.source})`,
        value(record) {
          const [one, other] = [left.value(record), right.value(record)]
          return one !== null && other !== null && order[operator]!(one as number, other as number)
        },
      })),
    fc.tuple(fc.boolean(), tie('number'), tie('number')).map(([same, left, right]): Sample => ({
      source: `(${left.source} ${same ? '==' : '!='} ${right.source})`,
      value: (record) => (left.value(record) === right.value(record)) === same,
    })),
    fc.tuple(fc.boolean(), tie('truth'), tie('truth')).map(([and, left, right]): Sample => ({
      source: `(${left.source} ${and ? '&&' : '||'} ${right.source})`,
      value(record) {
        const [one, other] = [left.value(record) === true, right.value(record) === true]
        return and ? one && other : one || other
      },
    })),
    tie('truth').map((of): Sample => ({ source: `!${of.source}`, value: (record) => of.value(record) !== true })),
  ),
}))

const value = fc.option(fc.integer({ min: -100, max: 100 }), { nil: null })
const record = fc.record({ a: value, b: value, c: value, flag: fc.option(fc.boolean(), { nil: null }) })
const scopeOf = (of: Readonly<Record<string, unknown>>) => ({ record: of, now: 0, timeZone: 'UTC' })

/** Zero has one sign in JSON. */
const unsigned = (of: unknown): unknown => (of === 0 ? 0 : of)

describe('a random expression', () => {
  it('has the value of a second evaluator', () => {
    fc.assert(
      fc.property(fc.oneof(number, truth), record, (sample, of) => {
        const expression = compileExpression(sample.source)
        expect(unsigned(expression.evaluate(scopeOf(of)))).toEqual(unsigned(sample.value(of)))
      }),
      { numRuns: sized(500, 2_000) },
    )
  })

  it('has the type that was inferred, or null', () => {
    fc.assert(
      fc.property(fc.oneof(number, truth), record, (sample, of) => {
        const expression = compileExpression(sample.source)
        const type = inferResultType(expression, (name) => (name === 'flag' ? 'boolean' : 'number'))
        const result = expression.evaluate(scopeOf(of))
        if (result === null) return
        expect([type, 'unknown']).toContain(type === 'unknown' ? type : typeof result)
      }),
      { numRuns: 1_000 },
    )
  })

  it('reads the fields it names and no others', () => {
    fc.assert(
      fc.property(fc.oneof(number, truth), (sample) => {
        const written = new Set([...sample.source.matchAll(/record\.(\w+)/g)].map((match) => match[1]))
        expect([...compileExpression(sample.source).fields]).toEqual([...written].sort())
      }),
    )
  })
})

describe('random text', () => {
  const words = fc.constantFrom(
    ...'record previous user now . .a .constructor .__proto__ ( ) [ ] { } , : ? ! - + * / % == < in && || 1 2.5 "x" null true'.split(
      ' ',
    ),
    ...'map all filter size lower matches split join replace has changed duration timestamp today() getHours() sum'.split(
      ' ',
    ),
    'x',
    'x, x',
    '"__proto__"',
    "r'\\'",
    '"\\u{41}"',
  )
  const text = fc.oneof(
    fc.array(words, { maxLength: 14 }).map((parts) => parts.join('')),
    fc.array(words, { maxLength: 14 }).map((parts) => parts.join(' ')),
    fc.string({ maxLength: 40, unit: 'binary' }),
  )
  // As it is stored: JSON writes -0 as 0.
  const json = fc.jsonValue({ depthSize: 'small' }).map((value) => JSON.parse(JSON.stringify(value)) as typeof value)

  it('gives JSON or an expression error, and leaves its record and every prototype alone', () => {
    fc.assert(
      fc.property(text, json, (source, of) => {
        const before = JSON.stringify(of)
        let result: unknown = null
        try {
          result = compileExpression(source).evaluate(scopeOf({ a: of, x: 1 }))
        } catch (error) {
          expect(error).toBeInstanceOf(ExpressionError)
        }
        expect(JSON.parse(JSON.stringify(result))).toEqual(result)
        expect(JSON.stringify(of)).toBe(before)
        expect(Object.keys(Object.prototype)).toEqual([])
      }),
      { numRuns: sized(1_200, 5_000) },
    )
  })
})
