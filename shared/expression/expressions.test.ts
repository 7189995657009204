import { describe, expect, it } from 'vitest'
import { ExpressionError, compileExpression } from './compile-expression.ts'
import { functionArity } from './functions.ts'

const record = {
  amount: 21,
  half: 0.5,
  name: 'Ada Lovelace',
  blank: '  ',
  nothing: null,
  done: true,
  tags: ['red', 'blue'],
  lines: [
    { qty: 2, price: 3 },
    { qty: 1, price: 4.5 },
  ],
  address: { city: 'Bonn', zip: null },
  due: '2026-01-31',
  at: '2026-01-31T10:00:00.000Z',
}
const scope = {
  record,
  previous: { amount: 20, name: 'Ada Lovelace' },
  user: { id: 'u1' },
  params: { limit: 3 },
  vars: { total: 7 },
  event: { operation: 'update' },
  now: Date.parse('2026-02-03T23:30:00.000Z'),
  timeZone: 'Europe/Berlin',
}

const evaluate = (source: string, more: object = {}): unknown =>
  compileExpression(source).evaluate({ ...scope, ...more })

const values: readonly (readonly [source: string, value: unknown])[] = [
  // Numbers are one type; division is never cut.
  ['record.amount * 2', 42],
  ['1 / 2', 0.5],
  ['7 % 4', 3],
  ['5 / 0', null],
  ['0 / 0', null],
  ['5 % 0', null],
  ['1e308 * 10', null],
  ['2u + 0x10', 18],
  ['-record.amount', -21],
  ['- -3', 3],
  ['record.half + 1', 1.5],
  ['1 == 1.0', true],
  // Missing fields and null.
  ['record.missing', null],
  ['record.missing.deeper.still', null],
  ['record.missing + 1', null],
  ['1 - record.missing', null],
  ['record.missing * record.missing', null],
  ['-record.missing', null],
  ['"a" + record.missing', null],
  ['record.missing > 1', false],
  ['record.missing <= 1', false],
  ['!(record.missing > 1)', true],
  ['record.missing == null', true],
  ['record.missing != null', false],
  ['record.missing == 0', false],
  ['record.missing != 0', true],
  ['record.missing && true', false],
  ['record.missing || true', true],
  ['!record.missing', true],
  ['record.missing ? 1 : 2', 2],
  ['record.missing in [1]', false],
  ['1 in record.missing', false],
  // Nothing inherited is ever reached.
  ['record.constructor', null],
  ['record.__proto__', null],
  ['record["constructor"]', null],
  ['record.toString', null],
  ['record.name.length', null],
  ['record.tags.length', null],
  ['"constructor" in record', false],
  ['has(record.hasOwnProperty)', false],
  // Logic and comparison.
  ['true && false || true', true],
  ['false && (1 + "a" == 2)', false],
  ['"a" < "b"', true],
  ['false < true', true],
  ['[1, [2, {"a": 3}]] == [1, [2, {"a": 3}]]', true],
  ['{"a": 1} == {"a": 1, "b": 2}', false],
  ['1 == "1"', false],
  ['"b" in {"a": 1}', false],
  ['"Love" in record.name', true],
  // Access.
  ['record.lines[1].price', 4.5],
  ['record.lines[9]', null],
  ['record.lines[-1]', null],
  ['record.lines[0.5]', null],
  ['record["name"]', 'Ada Lovelace'],
  ['record.address.city', 'Bonn'],
  ['{"a": {"b": 1}}.a.b', 1],
  // has, changed, and the other names.
  ['has(record.name)', true],
  ['has(record.nothing)', false],
  ['has(record.address.zip)', false],
  ['changed("amount")', true],
  ['changed("name")', false],
  ['changed("due")', true],
  ['previous.amount', 20],
  ['user.id', 'u1'],
  ['params.limit + vars.total', 10],
  ['event.operation', 'update'],
  // Macros; null is the empty list.
  ['record.tags.exists(t, t == "blue")', true],
  ['record.tags.all(t, size(t) > 3)', false],
  ['record.tags.exists_one(t, t.startsWith("r"))', true],
  ['record.lines.map(l, l.qty * l.price)', [6, 4.5]],
  ['record.lines.map(l, l.qty > 1, l.price)', [3]],
  ['record.lines.filter(l, l.qty == 1)', [{ qty: 1, price: 4.5 }]],
  ['record.missing.all(x, false)', true],
  ['record.missing.exists(x, true)', false],
  ['record.missing.map(x, x)', []],
  [
    'record.tags.map(a, record.tags.map(b, a + b))',
    [
      ['redred', 'redblue'],
      ['bluered', 'blueblue'],
    ],
  ],
  ['{"b": 1, "a": 2}.map(k, k)', ['b', 'a']],
  // Text.
  ['"a" + "b"', 'ab'],
  ['lower("ÄB")', 'äb'],
  ['"ab".upper()', 'AB'],
  ['trim("  x ")', 'x'],
  ['"ÄB".lowerAscii()', 'Äb'],
  ['size("äö😀")', 3],
  ['size(record.missing)', 0],
  ['size({"a": 1})', 1],
  ['"hello".contains("ell")', true],
  ['record.tags.contains("red")', true],
  ['record.missing.contains("x")', false],
  ['"hello".startsWith("he") && "hello".endsWith("lo")', true],
  ['"hello".matches("^h.*o$")', true],
  ['matches(record.missing, "x")', false],
  ['"a,b,c".split(",")', ['a', 'b', 'c']],
  ['"a,b,c".split(",", 2)', ['a', 'b,c']],
  ['["a", "b"].join("-")', 'a-b'],
  ['"banana".replace("an", "AN")', 'bANANa'],
  ['"banana".replace("an", "AN", 1)', 'bANana'],
  ['"banana".replace("$", "x")', 'banana'],
  ['"hello".substring(1, 3)', 'el'],
  ['"hello".substring(3)', 'lo'],
  ['"hello".indexOf("l")', 2],
  ['"hello".lastIndexOf("l")', 3],
  ['"hello".charAt(1)', 'e'],
  ['"abc".reverse()', 'cba'],
  // Characters beyond the first 65,536 are one each, wherever they are counted.
  ['"😀ab".size()', 3],
  ['"😀ab".substring(0, 1)', '😀'],
  ['"😀ab".substring(1)', 'ab'],
  ['"a😀b".substring(1, 9)', '😀b'],
  ['"😀ab".charAt(0)', '😀'],
  ['"😀ab".charAt(2)', 'b'],
  ['"😀ab".charAt(3)', ''],
  ['"😀😀".charAt(2)', ''],
  ['"😀😀".charAt(3)', ''],
  ['"😀😀".substring(3)', ''],
  ['"😀😀".substring(1, 3)', '😀'],
  ['"😀ab".indexOf("b")', 2],
  ['"😀ab😀".indexOf("😀", 1)', 3],
  ['"😀ab".indexOf("c")', -1],
  ['"😀ab😀".lastIndexOf("😀")', 3],
  ['"😀ab😀".lastIndexOf("😀", 2)', 0],
  ['"😀a".split("")', ['😀', 'a']],
  ['"😀a".replace("", "-")', '😀-a'],
  ['format([1, "a", null])', '1, a, '],
  ['format(null)', ''],
  ['format(1.5)', '1.5'],
  ['string(true)', 'true'],
  ['isBlank(record.blank)', true],
  ['isBlank([])', true],
  ['isBlank(0)', false],
  // Numbers.
  ['round(2.345, 2)', 2.35],
  ['round(1.005, 2)', 1.01],
  ['round(-2.5)', -3],
  ['round(1234, -2)', 1200],
  ['floor(-1.5)', -2],
  ['ceil(1.2)', 2],
  ['abs(-3)', 3],
  ['min(3, 1, 2)', 1],
  ['max([1, 5, 2])', 5],
  ['min(1, null)', null],
  ['max([])', null],
  ['coalesce(record.missing, record.nothing, 5)', 5],
  ['coalesce(null)', null],
  ['int("42")', 42],
  ['int(-1.9)', -1],
  ['int("x")', null],
  ['double("1e3")', 1000],
  ['double("0x10")', null],
  ['bool("true")', true],
  ['math.greatest(1, 2)', 2],
  ['type([])', 'list'],
  ['type(now)', 'timestamp'],
  // Lists.
  ['[3, 1, 2].sort()', [1, 2, 3]],
  ['[1, 1.0, "1"].distinct()', [1, '1']],
  ['record.lines.map(l, l.qty).sum()', 3],
  ['[1, null, 2].avg()', 1.5],
  ['[].avg()', null],
  ['[1, 2, 3].slice(1)', [2, 3]],
  ['[1, 2, 3].last()', 3],
  ['[].first()', null],
  ['[1] + [2]', [1, 2]],
  // Dates: a day begins in the workspace's zone, an instant is an instant however it is written.
  ['today()', '2026-02-04'],
  ['now', '2026-02-03T23:30:00.000Z'],
  ['now()', '2026-02-03T23:30:00.000Z'],
  ['now == now()', true],
  ['record.due < today()', true],
  ['record.due < record.at', true],
  ['record.at >= "2026-01-31T10:00:00+00:00"', true],
  ['record.at == timestamp("2026-01-31T11:00:00+01:00")', true],
  ['record.due == "2026-01-31T00:00:00+01:00"', true],
  ['record.at - record.due', '39600s'],
  ['(record.at - record.due).getHours()', 11],
  ['record.at + duration("1h30m")', '2026-01-31T11:30:00.000Z'],
  ['duration("90m") == duration("1h") + duration("30m")', true],
  ['duration("1h") > duration("59m")', true],
  ['-duration("1h") < duration("0s")', true],
  ['days(record.due, "2026-03-01")', 29],
  ['days("2026-03-01", record.due)', -29],
  ['days(record.at, now)', 4],
  ['days(null, today())', null],
  ['addDays(record.due, 1)', '2026-02-01'],
  ['addDays("2024-02-28", 1)', '2024-02-29'],
  ['addDays("2026-03-28T12:00:00+01:00", 1)', '2026-03-29T10:00:00.000Z'],
  ['date(now)', '2026-02-04'],
  ['timestamp(0)', '1970-01-01T00:00:00.000Z'],
  ['getFullYear(record.due)', 2026],
  ['record.due.getMonth()', 0],
  ['record.due.getDate()', 31],
  ['record.due.getDayOfMonth()', 30],
  ['record.due.getDayOfWeek()', 6],
  ['"2026-12-31".getDayOfYear()', 364],
  ['record.at.getHours()', 11],
  ['record.at.getHours("UTC")', 10],
  ['"2026-01-31" < "2026-1-31"', true],
]

const refusedTexts: readonly (readonly [source: string, message: RegExp])[] = [
  ['', /empty/],
  ['1 +', /token/i],
  ['amount > 1', /record\.amount/],
  ['nope(1)', /no function "nope"/],
  ['size()', /takes 1 arguments/],
  ['lower("a", "b")', /takes 1 arguments/],
  ['has(1)', /one path/],
  ['changed(record.name)', /name of one field/],
  ['[1].map(1, 2)', /.*/],
  ['[1].all(record, true)', /cannot be the variable/],
  ['b"bytes"', /Bytes/],
  ['99999999999999999999', /too large/],
  ['"open', /nterminated/],
  ['record.?name', /.*/],
  [`${'('.repeat(400)}1${')'.repeat(400)}`, /maxDepth|deeply/],
  [`${'!'.repeat(15_000)}true`, /deeply|nodes|maxAstNodes/i],
  [`1${'+1'.repeat(4_000)}`, /deeply|maxAstNodes/],
  ['x'.repeat(20_001), /at most/],
]

const failing: readonly (readonly [source: string, message: RegExp])[] = [
  ['"a" + 1', /"\+" has no meaning for string and number/],
  ['record.tags * 2', /no meaning/],
  ['1 < "a"', /no meaning/],
  ['"a" && true', /condition must be true or false/],
  ['1 ? 2 : 3', /condition/],
  ['lower(1)', /takes a text/],
  ['timestamp("yesterday")', /ISO 8601/],
  ['duration("soon")', /duration/],
  ['record.at.getHours("Moon/Base")', /time zone/],
  ['[1, "a"].sort()', /no meaning/],
  ['{"__proto__": 1}', /keys/],
  ['{1: 2}', /keys/],
  ['"x".matches("(")', /pattern/],
  ['"x".matches("(?=x)")', /pattern/],
  ['addDays("9999-12-31", 1)', /calendar/],
]

describe('an expression', () => {
  it.each(values)('evaluates %s', (source, value) => {
    expect(evaluate(source)).toEqual(value)
  })

  it.each(refusedTexts)('refuses %s when it is compiled', (source, message) => {
    expect(() => compileExpression(source)).toThrow(message)
    expect(() => compileExpression(source)).toThrow(ExpressionError)
  })

  it.each(failing)('fails over %s when it is evaluated', (source, message) => {
    expect(() => evaluate(source)).toThrow(message)
    expect(() => evaluate(source)).toThrow(ExpressionError)
  })

  it('is accepted as {dialect: "cel", source}', () => {
    expect(compileExpression({ dialect: 'cel', source: '1 + 1' }).evaluate(scope)).toBe(2)
    expect(compileExpression({ source: '1 + 1' }).evaluate(scope)).toBe(2)
    expect(() => compileExpression({ dialect: 'sql', source: '1' })).toThrow(ExpressionError)
    expect(() => compileExpression(7)).toThrow(ExpressionError)
  })

  it('is compiled once per text', () => {
    expect(compileExpression('record.amount > 1')).toBe(compileExpression('record.amount > 1'))
  })

  it('names the fields it reads, also through previous, brackets and changed', () => {
    const { fields } = compileExpression('record.b + previous.a == record["c"] && changed("d") && user.id == vars.e')
    expect(fields).toEqual(['a', 'b', 'c', 'd'])
  })

  it('tells when it reads the record as a whole', () => {
    expect(compileExpression('record[user.field]').readsWholeRecord).toBe(true)
    expect(compileExpression('size(record)').readsWholeRecord).toBe(true)
    expect(compileExpression('record.a').readsWholeRecord).toBe(false)
  })

  it.each([
    ['now > record.at', true],
    ['today() == record.due', true],
    ['now() > record.at', true],
    ['record.now == "today()"', false],
  ])('tells whether %s reads the clock', (source, usesClock) => {
    expect(compileExpression(source).usesClock).toBe(usesClock)
  })

  it('tells the place of what is wrong', () => {
    const failure = (run: () => unknown): ExpressionError => {
      try {
        run()
      } catch (error) {
        if (error instanceof ExpressionError) return error
      }
      throw new Error('The expression does not fail.')
    }
    expect(failure(() => compileExpression('1 + amount')).position).toBe(4)
    expect(failure(() => evaluate('true && lower(1) == "a"')).position).toBe(8)
  })

  it('does not change its scope', () => {
    const frozen = Object.freeze({ list: Object.freeze([3, 1, 2]) })
    expect(evaluate('record.list.sort() == record.list.reverse()', { record: frozen })).toBe(false)
  })

  it('leaves out what is no JSON in its scope', () => {
    const odd = { f: () => 1, s: Symbol('x'), u: undefined, d: new Date(0) }
    expect(evaluate('[record.f, record.s, record.u, record.d]', { record: odd })).toEqual([
      null,
      null,
      null,
      '1970-01-01T00:00:00.000Z',
    ])
  })

  it('has every function the protocol names', () => {
    const named =
      'size contains startsWith endsWith matches split join replace substring int double string timestamp duration getFullYear lower upper trim round floor ceil abs min max coalesce isBlank days addDays format today now'
    expect(named.split(' ').filter((name) => functionArity(name) === undefined)).toEqual([])
  })
})
