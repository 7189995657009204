import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FieldDefinition } from '../../fields/index.ts'
import { groupCondition, headingsQuery, lastDay } from './group-query.ts'
import { readTerms, readTotals, termWord, usableTerms } from './group-terms.ts'
import { buildTree, figureOf, layLines, leavesOf } from './group-tree.ts'

const fields: FieldDefinition[] = [
  { name: 'genre', type: 'select' },
  { name: 'tags', type: 'tags' },
  { name: 'bought', type: 'date' },
  { name: 'author', type: 'lookup', reference: 'person', displayField: 'name' },
  { name: 'pages', type: 'number' },
  { name: 'read', type: 'boolean' },
]
const terms = [{ field: 'genre' }, { field: 'read' }]
const totals = [
  { field: 'pages', fn: 'avg' as const },
  { field: 'read', fn: 'count' as const },
]

const rowsOf = fc
  .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', null), fc.constantFrom(true, false, null)), {
    selector: (pair) => JSON.stringify(pair),
  })
  .map((pairs) =>
    pairs
      .toSorted(([a], [b]) => String(a).localeCompare(String(b)))
      .map(([g0, g1], index) => ({ g0, g1, n: index + 1, 'sum.pages': index * 10, 'count.pages': index })),
  )

describe('the tree of groups', () => {
  it('adds up what the deepest groups say, and lays every record on a line of its own', () => {
    fc.assert(
      fc.property(rowsOf, fc.func(fc.boolean()), (rows, open) => {
        const roots = buildTree(rows, terms, totals)
        const records = rows.reduce((sum, { n }) => sum + n, 0)
        expect(roots.reduce((sum, { count }) => sum + count, 0)).toBe(records)
        expect(leavesOf(roots)).toHaveLength(rows.length)
        for (const root of roots) {
          expect(root.count).toBe(root.children.reduce((sum, { count }) => sum + count, 0))
        }
        const all = layLines(roots, () => true)
        expect(all.length).toBe(records + rows.length + roots.length)
        const some = layLines(roots, ({ key }) => open(key))
        const seen = new Set<string>()
        for (let line = 0; line < some.length; line++) {
          const at = some.at(line)
          expect(at).toBeDefined()
          seen.add(`${at?.node.key} ${at?.offset}`)
          if (at && at.offset < 0) expect(some.lineOf(at.node.key)).toBe(line)
          if (at && at.offset >= 0) expect(at.offset).toBeLessThan(at.node.count)
        }
        expect(seen.size).toBe(some.length)
        expect(some.at(some.length)).toBeUndefined()
      }),
    )
  })

  it('makes the average of a level from sums and counts, not from averages', () => {
    const [root] = buildTree(
      [
        { g0: 'a', g1: false, n: 4, 'sum.pages': 10, 'count.pages': 1 },
        { g0: 'a', g1: true, n: 3, 'sum.pages': 20, 'count.pages': 3 },
      ],
      terms,
      totals,
    )
    expect(figureOf(root?.raw ?? {}, { field: 'pages', fn: 'avg' })).toBe(7.5)
    expect(figureOf({ 'sum.pages': null, 'count.pages': 0 }, { field: 'pages', fn: 'avg' })).toBe(null)
  })
})

describe('asking for groups', () => {
  it('names links by what they show, follows the order of the view, and counts ticks', () => {
    const query = headingsQuery({
      terms: [{ field: 'author' }, { field: 'bought', bucket: 'week' }],
      totals,
      fields,
      filter: undefined,
      sort: [{ field: 'bought', order: 'desc' }],
      search: '',
    })
    expect(JSON.parse(String(query.groupBy))).toEqual([
      { field: 'author', alias: 'g0' },
      { field: 'author.name', alias: 'l0' },
      { field: 'bought', alias: 'g1', dateGranularity: 'week' },
    ])
    expect(query.sort).toBe('l0,g0,-g1')
    expect(JSON.parse(String(query.aggregations))).toContainEqual({
      function: 'count',
      field: 'read',
      alias: 'count.read',
      filter: { read: true },
    })
  })

  it('leaves exactly the records of a group', () => {
    const levels = [{ field: 'tags' }, { field: 'bought', bucket: 'quarter' as const }, { field: 'genre' }]
    expect(groupCondition(['lent', '2026-04-01', null], levels, fields)).toEqual([
      { tags: { $contains: 'lent' } },
      { bought: { $between: ['2026-04-01', '2026-06-30'] } },
      { genre: { $null: true } },
    ])
    expect(lastDay('2028-02-01', 'month')).toBe('2028-02-29')
    expect(lastDay('2026-12-28', 'week')).toBe('2027-01-03')
    expect(lastDay('2026-01-01', 'year')).toBe('2026-12-31')
  })

  it('reads what an address says, and leaves out what cannot be', () => {
    expect(readTerms('genre,bought.month,genre,nothing.else,x')?.map(termWord)).toEqual([
      'genre',
      'bought.month',
      'nothing',
    ])
    expect(readTerms('')).toBeUndefined()
    expect(readTotals('pages.sum,pages.cube,read.count,pages.avg')).toEqual([
      { field: 'pages', fn: 'sum' },
      { field: 'read', fn: 'count' },
    ])
    // Below another level a record would be counted once for each of its tags.
    expect(
      usableTerms([{ field: 'genre' }, { field: 'tags' }, { field: 'bought' }, { field: 'gone' }], fields),
    ).toEqual([{ field: 'genre' }, { field: 'bought', bucket: 'month' }])
  })
})
