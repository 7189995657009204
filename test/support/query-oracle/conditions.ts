// Random filters in the forms clients write them, each with its meaning as a plain function over records (D-79 to D-86).
// Written from the decisions; shares no code with the engine.
import fc from 'fast-check'
import type { Rec, World } from './dataset.ts'
import { days, instants, labels, numbers, operandsOfMail, presentMs, statuses, texts, zone } from './dataset.ts'

/** A filter as clients write it, and what it means. */
export interface Meant {
  /** The object form (D-79). */
  readonly object: unknown
  /** The array form (D-80); null where only the object form can say it. */
  readonly array: unknown
  readonly test: (record: Rec, world: World) => boolean
}

type Value = string | number | boolean | null
type Kind = 'text' | 'email' | 'number' | 'boolean' | 'day' | 'instant' | 'select' | 'json'

// --- reading values ---------------------------------------------------------------------------------------------

const relations: Readonly<Record<string, keyof World>> = {
  company: 'company',
  project: 'project',
  others: 'project',
  parent: 'task',
}

/** Every value a path leads to; of several related records, those of all of them. */
export function valuesAt(record: Rec, path: readonly string[], world: World): unknown[] {
  const [first, ...rest] = path as [string, ...string[]]
  const value = record[first]
  if (rest.length === 0) return [value ?? null]
  const object = relations[first]
  if (object === undefined) {
    const inner = rest.reduce<unknown>(
      (at, key) => (typeof at === 'object' && at !== null && !Array.isArray(at) ? (at as Rec)[key] : undefined),
      value,
    )
    return [inner ?? null]
  }
  const ids = value === null || value === undefined ? [] : [value].flat()
  return ids.flatMap((id) => {
    const related = world[object].get(id as string)
    return related ? valuesAt(related, rest, world) : []
  })
}

// --- comparing --------------------------------------------------------------------------------------------------

const collator = new TextEncoder()

function compareBytes(a: string, b: string): number {
  return Buffer.compare(collator.encode(a), collator.encode(b))
}

/** Text by its ASCII fold, then as it is. */
export function compareText(a: string, b: string): number {
  const fold = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  return compareBytes(fold(a), fold(b)) || compareBytes(a, b)
}

/** Whether two texts are equal under simple case folding, by the regular expression engine. */
function sameFold(a: string, b: string): boolean {
  if (a === '' || b === '') return a === b
  return new RegExp(`^${RegExp.escape(a)}$`, 'iu').test(b)
}

function windows(text: string, length: number): string[] {
  const points = [...text]
  return points.map((_, index) => points.slice(index, index + length).join(''))
}

function compareValues(kind: Kind, a: unknown, b: unknown): number {
  if (kind === 'select') return statuses.indexOf(a as 'open') - statuses.indexOf(b as 'open')
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return kind === 'text' || kind === 'email' ? compareText(String(a), String(b)) : compareBytes(String(a), String(b))
}

/** The calendar day of an instant in the workspace's zone. */
function localDay(instant: string): string {
  const parts = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' })
  return parts.format(new Date(instant))
}

/** A day operand on an instant stands for that whole day. */
function compareTo(kind: Kind, value: unknown, operand: unknown): number {
  const isDay = kind === 'instant' && String(operand).length === 10
  return compareValues(kind, isDay ? localDay(String(value)) : value, operand)
}

function equals(kind: Kind, value: unknown, operand: unknown): boolean {
  if (kind === 'email') return sameFold(String(value), String(operand))
  if (kind === 'instant') return compareTo(kind, value, operand) === 0
  return value === operand
}

function isMissing(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0)
}

// --- conditions -------------------------------------------------------------------------------------------------

const words: Readonly<Record<string, string>> = {
  $eq: '=',
  $ne: '<>',
  $gt: '>',
  $gte: 'gte',
  $lt: '<',
  $lte: '<=',
  $in: 'in',
  $nin: 'not in',
  $between: 'between',
  $contains: 'contains',
  $notContains: 'not_contains',
  $startsWith: 'starts_with',
  $endsWith: 'endswith',
  $any: '$any',
  $all: '$all',
}

/** A condition with a positive meaning per value; the negative operators are its exact complement. */
function condition(
  path: string,
  operator: string,
  written: unknown,
  satisfied: (value: unknown) => boolean,
  negative = false,
): Meant {
  const names = path.split('.')
  return {
    object: { [path]: { [operator]: written } },
    array: words[operator] === undefined ? null : [path, words[operator], written],
    test: (record, world) =>
      valuesAt(record, names, world).some((value) => !isMissing(value) && satisfied(value)) !== negative,
  }
}

function comparisons(path: string, kind: Kind, operands: readonly Value[]): fc.Arbitrary<Meant>[] {
  const one = fc.constantFrom(...operands)
  const some = fc.array(one, { minLength: 1, maxLength: 10 })
  const like = (value: unknown, operand: unknown): boolean => kind !== 'json' || typeof value === typeof operand
  const plain: fc.Arbitrary<Meant>[] = [
    one.map((operand) => condition(path, '$eq', operand, (value) => equals(kind, value, operand))),
    one.map((operand) => condition(path, '$ne', operand, (value) => equals(kind, value, operand), true)),
    some.map((list) => condition(path, '$in', list, (value) => list.some((item) => equals(kind, value, item)))),
    some.map((list) => condition(path, '$nin', list, (value) => list.some((item) => equals(kind, value, item)), true)),
    fc.constant(isNull(path, true)),
    fc.constant(isNull(path, false)),
  ]
  if (kind === 'boolean') return plain
  const ordered = one.filter((operand) => typeof operand !== 'boolean')
  const compare = (operator: string, wanted: (order: number) => boolean): fc.Arbitrary<Meant> =>
    ordered.map((operand) =>
      condition(path, operator, operand, (value) => like(value, operand) && wanted(compareTo(kind, value, operand))),
    )
  return [
    ...plain,
    compare('$gt', (order) => order > 0),
    compare('$gte', (order) => order >= 0),
    compare('$lt', (order) => order < 0),
    compare('$lte', (order) => order <= 0),
    fc.tuple(ordered, ordered).map(([low, high]) =>
      condition(path, '$between', [low, high], (value) => {
        const isLike = like(value, low) && like(value, high)
        return isLike && compareTo(kind, value, low) >= 0 && compareTo(kind, value, high) <= 0
      }),
    ),
  ]
}

function isNull(path: string, wanted: boolean): Meant {
  const names = path.split('.')
  return {
    object: { [path]: wanted ? null : { $null: false } },
    array: [path, wanted ? 'is_null' : 'is_not_null'],
    test: (record, world) => valuesAt(record, names, world).some((value) => !isMissing(value)) !== wanted,
  }
}

function matching(path: string): fc.Arbitrary<Meant>[] {
  const part = fc.constantFrom(...texts)
  const holds = (value: unknown, text: string): boolean =>
    typeof value === 'string' && (text === '' || windows(value, [...text].length).some((one) => sameFold(one, text)))
  const begins = (value: unknown, text: string): boolean =>
    typeof value === 'string' && sameFold([...value].slice(0, [...text].length).join(''), text)
  const ends = (value: unknown, text: string): boolean =>
    typeof value === 'string' && (text === '' || sameFold([...value].slice(-[...text].length).join(''), text))
  // In the array form `contains` with a wildcard is a pattern.
  const literal = (meant: Meant, text: string): Meant => (/[%_]/.test(text) ? { ...meant, array: null } : meant)
  return [
    part.map((text) =>
      literal(
        condition(path, '$contains', text, (value) => holds(value, text)),
        text,
      ),
    ),
    part.map((text) => condition(path, '$notContains', text, (value) => holds(value, text), true)),
    part.map((text) => condition(path, '$startsWith', text, (value) => begins(value, text))),
    part.map((text) => condition(path, '$endsWith', text, (value) => ends(value, text))),
  ]
}

function elements(path: string, operands: readonly string[]): fc.Arbitrary<Meant>[] {
  const one = fc.constantFrom(...operands)
  const some = fc.array(one, { minLength: 1, maxLength: 3 })
  const has = (value: unknown, item: string): boolean => (value as string[]).includes(item)
  return [
    one.map((item) => condition(path, '$contains', item, (value) => has(value, item))),
    one.map((item) => condition(path, '$notContains', item, (value) => has(value, item), true)),
    some.map((list) => condition(path, '$in', list, (value) => list.some((item) => has(value, item)))),
    some.map((list) => condition(path, '$any', list, (value) => list.some((item) => has(value, item)))),
    some.map((list) => condition(path, '$all', list, (value) => list.every((item) => has(value, item)))),
    fc.constant(isNull(path, true)),
    fc.constant(isNull(path, false)),
  ]
}

// --- macros: worked out by hand for the fixed instant, Tuesday 2026-06-16 07:30 in Sydney --------------------------

const macros: readonly (readonly [object: unknown, text: string | null, day: string])[] = [
  [{ $today: '' }, '{today}', '2026-06-16'],
  [{ $today: '-1d' }, '{today-1d}', '2026-06-15'],
  [{ $today: '+1d' }, '{today+1d}', '2026-06-17'],
  [{ $today: '-1M' }, '{today-1M}', '2026-05-16'],
  [{ $startOf: 'week' }, null, '2026-06-15'],
  [{ $startOf: 'month' }, null, '2026-06-01'],
  [{ $startOf: 'month', offset: '-1d' }, null, '2026-05-31'],
  [{ $startOf: 'quarter' }, null, '2026-04-01'],
  [{ $startOf: 'year' }, null, '2026-01-01'],
]

const ranges: readonly (readonly [name: string, from: string, before: string])[] = [
  ['today', '2026-06-16', '2026-06-17'],
  ['yesterday', '2026-06-15', '2026-06-16'],
  ['tomorrow', '2026-06-17', '2026-06-18'],
  ['this_week', '2026-06-15', '2026-06-22'],
  ['last_month', '2026-05-01', '2026-06-01'],
  ['this_quarter', '2026-04-01', '2026-07-01'],
  ['this_year', '2026-01-01', '2027-01-01'],
  ['last_3_days', '2026-06-14', '2026-06-17'],
  ['next_1_days', '2026-06-17', '2026-06-18'],
]

function moments(path: string, kind: 'day' | 'instant'): fc.Arbitrary<Meant>[] {
  const operators = ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte'] as const
  const wanted: Record<(typeof operators)[number], (order: number) => boolean> = {
    $eq: (order) => order === 0,
    $ne: (order) => order === 0,
    $gt: (order) => order > 0,
    $gte: (order) => order >= 0,
    $lt: (order) => order < 0,
    $lte: (order) => order <= 0,
  }
  const shown = (value: unknown): string => (kind === 'instant' ? localDay(String(value)) : String(value))
  const by = (operator: (typeof operators)[number], written: unknown, day: string): Meant =>
    condition(path, operator, written, (value) => wanted[operator](compareBytes(shown(value), day)), operator === '$ne')
  const present = new Date(presentMs).toISOString()
  return [
    fc.tuple(fc.constantFrom(...operators), fc.constantFrom(...macros)).map(([operator, [object, text, day]]) => ({
      ...by(operator, object, day),
      array: text === null ? null : [path, words[operator], text],
    })),
    fc
      .constantFrom(...ranges)
      .map(([name, from, before]) =>
        condition(path, '$during', name, (value) => shown(value) >= from && shown(value) < before),
      ),
    ...(kind === 'instant'
      ? [
          fc
            .constantFrom('$lt', '$lte', '$gt', '$gte')
            .map((operator) =>
              condition(path, operator, { $now: '' }, (value) =>
                wanted[operator as '$lt'](compareBytes(String(value), present)),
              ),
            ),
        ]
      : []),
  ]
}

// --- filters ----------------------------------------------------------------------------------------------------

const otherField: Meant[] = (['$eq', '$ne', '$lt', '$gte'] as const).map((operator) => {
  const order = (record: Rec): number | null =>
    record['day'] === null || record['until'] === null
      ? null
      : compareBytes(String(record['day']), String(record['until']))
  const wanted = (given: number | null): boolean => {
    if (given === null) return operator === '$ne'
    return { $eq: given === 0, $ne: given !== 0, $lt: given < 0, $gte: given >= 0 }[operator]
  }
  return {
    object: { day: { [operator]: { $field: 'until' } } },
    array: ['day', operator, { $field: 'until' }],
    test: (record) => wanted(order(record)),
  }
})

const leaf: fc.Arbitrary<Meant> = fc.oneof(
  ...[
    'title',
    'note',
    'project.name',
    'others.name',
    'project.company.name',
    'parent.project.name',
    'parent.title',
  ].flatMap((path) => [...comparisons(path, 'text', texts), ...matching(path)]),
  ...comparisons('mail', 'email', operandsOfMail).slice(0, 6),
  ...['n', 'count', 'project.budget', 'others.budget', 'project.company.size', 'parent.project.company.size'].flatMap(
    (path) => comparisons(path, 'number', numbers),
  ),
  ...['flag', 'project.active', 'others.active'].flatMap((path) => comparisons(path, 'boolean', [true, false])),
  ...['day', 'until', 'parent.day'].flatMap((path) => [...comparisons(path, 'day', days), ...moments(path, 'day')]),
  ...['at', 'parent.at'].flatMap((path) => [
    ...comparisons(path, 'instant', [...instants, ...days]),
    ...moments(path, 'instant'),
  ]),
  ...comparisons('status', 'select', statuses),
  ...[...elements('labels', labels), ...elements('project.company.tags', ['red', 'blue'])],
  ...[...comparisons('place.city', 'json', ['Bonn', 'bonn', '%']), ...matching('place.city')],
  ...comparisons('data.a', 'json', [1, '1', true, false, 'A', 'a', 0]),
  fc.constantFrom(...otherField),
)

function joined(kind: 'and' | 'or', children: readonly Meant[]): Meant {
  return {
    object: { [`$${kind}`]: children.map((child) => child.object) },
    array:
      children.length > 0 && children.every((child) => child.array !== null)
        ? [kind.toUpperCase(), ...children.map((child) => child.array)]
        : null,
    test: (record, world) =>
      kind === 'and'
        ? children.every((child) => child.test(record, world))
        : children.some((child) => child.test(record, world)),
  }
}

function negated(child: Meant): Meant {
  return {
    object: { $not: child.object },
    array: child.array === null ? null : ['not', child.array],
    test: (record, world) => !child.test(record, world),
  }
}

/** Random filters over the task of a dataset. */
export const filters: fc.Arbitrary<Meant> = fc.letrec<{ filter: Meant }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('filter'), { maxLength: 3 }).map((children) => joined('and', children)),
    fc.array(tie('filter'), { maxLength: 3 }).map((children) => joined('or', children)),
    fc.array(tie('filter'), { minLength: 1, maxLength: 2 }).map((children) => ({
      ...negated(joined('or', children)),
      object: { $nor: children.map((child) => child.object) },
      array: null,
    })),
    tie('filter').map(negated),
  ),
})).filter
