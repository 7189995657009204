// @vitest-environment happy-dom
// What tiles ask, what their answers say as a series, and where a figure leads.
import { describe, expect, it } from 'vitest'
import { translateField } from '../../fields/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { readDashboard, writeDashboard } from './dashboard-item.ts'
import type { Tile } from './dashboard-item.ts'
import { barFilter, barFor, readBar, writeBar } from './filter-bar-query.ts'
import { drillPath, tileConditions } from './tile-drill.ts'
import { newTile, orderOf, withFilter, withKind, withMember, withOrder } from './tile-edit.ts'
import { askOf, seriesOf } from './tile-query.ts'

const context = { locale: 'en', timeZone: 'UTC', translate: translateField }
const fields: readonly FieldDefinition[] = [
  { name: 'title', type: 'text' },
  { name: 'status', type: 'select', options: [{ value: 'open', label: 'Open' }, 'done'] },
  { name: 'company', type: 'lookup', reference: 'company', displayField: 'name' },
  { name: 'due', type: 'date' },
  { name: 'hours', type: 'number' },
]
const tile = (query: Record<string, unknown>, more: Partial<Tile> = {}): Tile => ({
  id: 'a',
  type: 'chart',
  query,
  ...more,
})
const ask = (query: Record<string, unknown>, narrowing?: Record<string, unknown>) =>
  askOf(tile(query), fields, narrowing)!

describe('a tile', () => {
  it('asks with both filters, without the name of its object, and for the ids of what it groups by', () => {
    const asked = ask(
      { cube: 'task', measures: ['task.hours.sum'], dimensions: ['company.name'], where: { status: 'open' } },
      { due: { $during: 'this_year' } },
    )
    expect(asked.body).toEqual({
      cube: 'task',
      measures: ['hours.sum'],
      dimensions: ['company.name', 'company'],
      where: { $and: [{ status: 'open' }, { due: { $during: 'this_year' } }] },
      limit: 1_000,
    })
    expect(ask({ measures: ['task.count'] }).object).toBe('task')
    expect(ask({ cube: 'task' }).measures).toEqual(['count'])
    expect(askOf(tile({}), fields, undefined)).toBeUndefined()
  })

  it('tells twelve groups apart and adds up the rest where sums can be added', () => {
    const rows = Array.from({ length: 15 }, (_, at) => ({ title: `T${at}`, count: 20 - at, 'hours.avg': at }))
    const counted = seriesOf(ask({ cube: 'task', measures: ['count'], dimensions: ['title'] }), rows, fields)
    expect(counted.points).toHaveLength(13)
    expect(counted.points.at(-1)).toEqual({ row: null, figure: 8 + 7 + 6 })
    const averaged = seriesOf(ask({ cube: 'task', measures: ['hours.avg'], dimensions: ['title'] }), rows, fields)
    expect([averaged.points.length, averaged.left]).toEqual([12, 3])
    const limited = seriesOf(ask({ cube: 'task', measures: ['count'], dimensions: ['title'], limit: 15 }), rows, fields)
    expect([limited.points.length, limited.left]).toEqual([12, 3])
    const days = rows.map((row, at) => ({ ...row, 'due.day': `2026-01-${10 + at}T00:00:00.000Z` }))
    expect(
      seriesOf(ask({ cube: 'task', measures: ['count'], dimensions: ['due.day'] }), days, fields).points,
    ).toHaveLength(15)
  })

  it('leads to the records of a group under the conditions of tile and bar, or nowhere', () => {
    const own = tile({ cube: 'task', measures: ['count'], dimensions: ['status'], where: { hours: { $gt: 2 } } })
    const asked = askOf(own, fields, undefined)!
    const bar = barFor(readBar('range=due.this_year&f=title.contains.x', fields, context), fields)
    const path = drillPath(asked, tileConditions(own, fields, context), bar, fields, context, { status: 'open' })
    const [place = '', search = ''] = path?.split('?') ?? []
    expect(place).toBe('/o/task')
    expect(JSON.parse(new URLSearchParams(search).get('w')!)).toEqual([
      'all',
      ['hours', 'gt', '2'],
      ['title', 'contains', 'x'],
      ['due', 'during', 'this_year'],
      ['status', 'eq', 'open'],
    ])
    const linked = ask({ cube: 'task', measures: ['count'], dimensions: ['company.name'] })
    expect(drillPath(linked, undefined, [], fields, context, { 'company.name': 'A', company: 'id-1' })).toBe(
      '/o/task?f=company.eq.id-1',
    )
    const unsaid = tile({ cube: 'task', where: { $not: { status: 'open' } } })
    expect(tileConditions(unsaid, fields, context)).toBeNull()
    expect(drillPath(asked, null, [], fields, context)).toBeUndefined()
    expect(
      tileConditions(tile({ cube: 'task', filters: [{ member: 'status', operator: 'set' }] }), fields, context),
    ).toBeNull()
  })

  it('keeps what its kinds have in common, and its order by the measure that is chosen next', () => {
    const made = newTile('line', [], 'task', fields)
    expect(made).toMatchObject({
      type: 'chart',
      chartType: 'line',
      query: { cube: 'task', measures: ['count'], dimensions: ['due.month'] },
    })
    const ordered = withMember(withOrder(made, 'least'), { measure: 'hours.sum' })
    expect(ordered.query?.['order']).toEqual([['hours.sum', 'asc']])
    expect(orderOf(ordered)).toBe('least')
    const number = withKind(ordered, 'number', fields)
    expect(number).toMatchObject({ type: 'metric', query: { cube: 'task', measures: ['hours.sum'] } })
    expect(number.query).not.toHaveProperty('dimensions')
    const filter = { any: false, conditions: [{ field: 'status', operator: 'eq', texts: ['open'] }] }
    const filtered = withFilter(number, filter, fields, context)
    expect(filtered.query?.['where']).toEqual({ status: { $eq: 'open' } })
    expect(tileConditions(filtered, fields, context)).toEqual(filter)
    // What was typed in another language is read as it was meant.
    const hours = { any: false, conditions: [{ field: 'hours', operator: 'gt', texts: ['1,5'] }] }
    const foreign = withFilter(number, hours, fields, { ...context, locale: 'de' })
    expect(tileConditions(foreign, fields, context)?.conditions).toMatchObject([{ texts: ['1.5'] }])
    expect(withFilter(filtered, undefined, fields, context).query).not.toHaveProperty('where')
  })
})

describe('filters over all tiles', () => {
  it('stand in the address and reach the fields an object has', () => {
    for (const search of ['range=due.last_30_days', 'range=due.2026-01-01.2026-02-01', 'f=status.eq.open']) {
      expect(writeBar(readBar(search, fields, context))).toBe(search)
    }
    const bar = readBar('range=due.2026-01-01.2026-02-01&f=status.eq.open', fields, context)
    expect(barFilter(bar, fields, context)).toEqual({
      $and: [{ status: { $eq: 'open' } }, { due: { $between: ['2026-01-01', '2026-02-01'] } }],
    })
    expect(barFilter(bar, [{ name: 'title', type: 'text' }], context)).toBeUndefined()
    expect(readBar('f=hours.gt.1,5&l=de', fields, context).conditions?.conditions).toMatchObject([{ texts: ['1.5'] }])
    expect(readBar('range=..', fields, context)).toEqual({ conditions: undefined, range: undefined })
  })
})

describe('a dashboard', () => {
  it('keeps what this version does not show', () => {
    const item = {
      name: 'one',
      label: 'One',
      theme: 'dusk',
      widgets: [{ id: 'a', type: 'metric', report: 'r', query: { cube: 'task' } }],
    }
    expect(writeDashboard(readDashboard(item))).toEqual({ ...item, columns: 12 })
  })
})
