// Random groups with values over them, each with its meaning over records (D-90). Shares no code with the engine.
import fc from 'fast-check'
import type { Meant } from './conditions.ts'
import { compareText, filters, valuesAt } from './conditions.ts'
import type { Rec, World } from './dataset.ts'
import { statuses, zone } from './dataset.ts'

/** A grouped list as clients write it, and the groups it means. */
export interface Grouping {
  readonly words: Record<string, unknown>
  readonly groups: (records: readonly Rec[], world: World) => Record<string, unknown>[]
}

interface Term {
  readonly written: unknown
  readonly alias: string
  /** The groups a record is in. */
  readonly keys: (record: Rec, world: World) => unknown[]
}

interface Value {
  readonly written: Record<string, unknown>
  readonly alias: string
  readonly of: (records: readonly Rec[], world: World) => unknown
}

function field(path: string): Term {
  const names = path.split('.')
  return { written: path, alias: path, keys: (record, world) => [valuesAt(record, names, world)[0] ?? null] }
}

/** The first day of the period of a calendar day. */
function periodOf(day: string, period: string): string {
  const [year, month] = day.split('-') as [string, string]
  if (period === 'day') return day
  if (period === 'month') return `${year}-${month}-01`
  if (period === 'year') return `${year}-01-01`
  if (period === 'quarter') return `${year}-${['01', '04', '07', '10'][Math.floor((Number(month) - 1) / 3)]!}-01`
  const date = new Date(`${day}T00:00:00Z`)
  while (date.getUTCDay() !== 1) date.setUTCDate(date.getUTCDate() - 1)
  return date.toISOString().slice(0, 10)
}

function period(name: 'day' | 'at', granularity: string, index: number): Term {
  const local = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' })
  return {
    written: { field: name, dateGranularity: granularity, alias: `p${index}` },
    alias: `p${index}`,
    keys(record) {
      const value = record[name] as string | null
      if (value === null) return [null]
      return [periodOf(name === 'at' ? local.format(new Date(value)) : value, granularity)]
    },
  }
}

const eachLabel: Term = {
  written: 'labels',
  alias: 'labels',
  keys(record) {
    const list = record['labels'] as string[] | null
    return list === null || list.length === 0 ? [null] : list
  },
}

const terms = fc.oneof(
  fc.constantFrom(
    ...['status', 'flag', 'count', 'project', 'project.name', 'project.company.name', 'title'].map(field),
  ),
  fc
    .tuple(
      fc.constantFrom('day' as const, 'at' as const),
      fc.constantFrom('day', 'week', 'month', 'quarter', 'year'),
      fc.nat(9),
    )
    .map(([name, granularity, index]) => period(name, granularity, index)),
  fc.constant(eachLabel),
)

function numbersOf(records: readonly Rec[], path: readonly string[], world: World): number[] {
  return records.flatMap((record) => valuesAt(record, path, world).filter((value) => typeof value === 'number'))
}

const functions: Readonly<Record<string, (values: readonly number[]) => unknown>> = {
  count: (values) => values.length,
  sum: (values) => (values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0)),
  avg: (values) => (values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length),
  min: (values) => (values.length === 0 ? null : Math.min(...values)),
  max: (values) => (values.length === 0 ? null : Math.max(...values)),
  count_distinct: (values) => new Set(values).size,
}

const values = fc
  .tuple(
    fc.constantFrom(...Object.keys(functions)),
    fc.constantFrom(null, 'count', 'project.budget'),
    fc.option(filters, { freq: 2, nil: null }),
    fc.nat(99),
  )
  .map(([name, path, filter, index]): Value => {
    const used = path ?? (name === 'count' ? null : 'n')
    const alias = `v${index}`
    return {
      alias,
      written: {
        function: name,
        alias,
        ...(used === null ? {} : { field: used }),
        ...(filter ? { filter: filter.object } : {}),
      },
      of(records, world) {
        const kept = filter === null ? records : records.filter((record) => filter.test(record, world))
        return used === null ? kept.length : functions[name]!(numbersOf(kept, used.split('.'), world))
      },
    }
  })

const havings = fc.option(fc.tuple(fc.constantFrom('$gt', '$lte', '$ne', '$null'), fc.constantFrom(0, 1, 2)), {
  freq: 2,
  nil: null,
})

function passes(value: unknown, operator: string, operand: number): boolean {
  if (operator === '$null') return value === null
  if (operator === '$ne') return value !== operand
  if (typeof value !== 'number') return false
  return operator === '$gt' ? value > operand : value <= operand
}

/** Random grouped lists over the task of a dataset. */
export const groupings: fc.Arbitrary<Grouping> = fc
  .tuple(
    fc.uniqueArray(terms, { maxLength: 2, selector: (term) => term.alias }),
    fc.uniqueArray(values, { minLength: 1, maxLength: 3, selector: (value) => value.alias }),
    havings,
  )
  .map(([by, over, having]) => ({
    words: {
      groupBy: by.map((term) => term.written),
      aggregations: over.map((value) => value.written),
      ...(having === null
        ? {}
        : { having: { [over[0]!.alias]: { [having[0]]: having[0] === '$null' ? true : having[1] } } }),
    },
    groups(records, world) {
      const groups = new Map<string, { keys: unknown[]; records: Rec[] }>()
      if (by.length === 0) groups.set('', { keys: [], records: [...records] })
      for (const record of records) {
        const combinations = by.reduce<unknown[][]>(
          (lists, term) => lists.flatMap((list) => term.keys(record, world).map((key) => [...list, key])),
          [[]],
        )
        for (const keys of by.length === 0 ? [] : combinations) {
          const id = JSON.stringify(keys)
          const group = groups.get(id) ?? { keys, records: [] }
          group.records.push(record)
          groups.set(id, group)
        }
      }
      const made = [...groups.values()].map(({ keys, records: members }) => ({
        ...Object.fromEntries(by.map((term, index) => [term.alias, keys[index]])),
        ...Object.fromEntries(over.map((value) => [value.alias, value.of(members, world)])),
      }))
      return having === null
        ? made
        : made.filter((group) => passes(group[over[0]!.alias as never], having[0], having[1]))
    },
  }))

// --- sorts ------------------------------------------------------------------------------------------------------

/** A sort as clients write it, and the order it means; ids settle what is left. */
export interface Order {
  readonly written: string
  readonly compare: (a: Rec, b: Rec, world: World) => number
}

const sortable: Readonly<Record<string, (a: unknown, b: unknown) => number>> = {
  title: (a, b) => compareText(String(a), String(b)),
  status: (a, b) => statuses.indexOf(a as 'open') - statuses.indexOf(b as 'open'),
  n: (a, b) => Number(a) - Number(b),
  day: (a, b) => (String(a) < String(b) ? -1 : Number(String(a) > String(b))),
  flag: (a, b) => Number(a) - Number(b),
  'project.name': (a, b) => compareText(String(a), String(b)),
  'project.company.size': (a, b) => Number(a) - Number(b),
}
/** A relation sorts by what its records are called. */
const displayed: Readonly<Record<string, string>> = { project: 'project.name', parent: 'parent.title' }

/** Random sorts over the task of a dataset. */
export const orders: fc.Arbitrary<Order> = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...Object.keys(sortable), 'project', 'parent'), fc.boolean()), {
    maxLength: 3,
    selector: ([name]) => displayed[name] ?? name,
  })
  .map((given) => ({
    written: given.map(([name, descending]) => `${descending ? '-' : ''}${name}`).join(','),
    compare(a, b, world) {
      for (const [name, descending] of given) {
        const path = (displayed[name] ?? name).split('.')
        const [left, right] = [a, b].map((record) => valuesAt(record, path, world)[0] ?? null)
        const by = sortable[path.join('.')] ?? ((x, y) => compareText(String(x), String(y)))
        const order = left === null || right === null ? Number(left !== null) - Number(right !== null) : by(left, right)
        if (order !== 0) return descending ? -order : order
      }
      const ids = a.id < b.id ? -1 : Number(a.id > b.id)
      return given.at(-1)?.[1] === true ? -ids : ids
    },
  }))

/** The records a filter means, in the order a sort means. */
export function select(world: World, filter: Meant, order: Order): Rec[] {
  return [...world.task.values()]
    .filter((record) => filter.test(record, world))
    .toSorted((a, b) => order.compare(a, b, world))
}
