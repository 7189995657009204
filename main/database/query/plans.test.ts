// The plans SQLite makes of the hot queries: what is searched by an index, and that nothing is sorted.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseAggregate } from '#shared/filter/aggregate.ts'
import { parseFilter } from '#shared/filter/parse-filter.ts'
import { parseExpand } from '#shared/filter/select.ts'
import { parseSort } from '#shared/filter/sort.ts'
import { numberedId, openObjectTables } from '../../../test/support/open-object-tables.ts'
import type { ObjectTables } from '../../../test/support/open-object-tables.ts'
import { buildAggregate } from './build-aggregate.ts'
import { buildFind } from './build-find.ts'
import { buildFit } from './build-fit.ts'
import { buildGet } from './build-record.ts'
import { buildChildren, buildRelated } from './build-related.ts'
import { createCursorKey } from './cursor.ts'
import { createMatchEstimator } from './match-estimator.ts'
import { findUniqueClash, uniqueRules } from './unique-clash.ts'

const cursorKey = createCursorKey(randomBytes(32))
const statuses = ['open', 'doing', 'done']

let tables: ObjectTables
beforeAll(() => {
  tables = openObjectTables([
    { name: 'project', fields: { name: { type: 'text', index: true } } },
    {
      name: 'task',
      fields: {
        title: { type: 'text', index: true },
        code: { type: 'text', unique: true },
        status: { type: 'select', options: statuses },
        priority: { type: 'number', scale: 0 },
        due_date: { type: 'date' },
        project: { type: 'lookup', reference: 'project', relationshipName: 'tasks' },
      },
      indexes: [{ fields: ['status', 'due_date'] }, { fields: ['status', 'priority'] }],
    },
  ])
  tables.db.transaction(() => {
    for (let i = 0; i < 2_000; i++) tables.insert('project', { id: numberedId(i), name: `p${i}` })
    for (let i = 0; i < 10_000; i++) {
      tables.insert('task', {
        id: numberedId(i),
        title: `task ${i % 500}`,
        code: `c${i}`,
        status: statuses[i % 3],
        // One priority in a thousand is rare.
        priority: i % 1_000,
        due_date:
          i % 4 === 0 ? null : `2026-${String((i % 12) + 1).padStart(2, '0')}-${String((i % 28) + 1).padStart(2, '0')}`,
        project: numberedId(i % 20),
      })
    }
  })()
})
afterAll(() => tables.close())

interface Words {
  readonly filter?: unknown
  readonly sort?: string
  readonly cursor?: string | null
  readonly top?: number
}

function plan({ filter, sort, cursor = null, top = 20 }: Words) {
  const request = { filter: parseFilter(filter), sort: parseSort(sort), cursor, top }
  const estimator = createMatchEstimator({ get: (statement) => tables.all(statement)[0] })
  return buildFind(tables.schema('task'), request, tables.env, { cursorKey, estimator })
}

const explain = (words: Words) => tables.explain(plan(words).statement)

/** The lines of every later page but the last, walked by cursor. */
function explainPages(words: Words): string[][] {
  const plans: string[][] = []
  let cursor: string | null = null
  do {
    const found = plan({ ...words, cursor })
    if (cursor !== null) plans.push(tables.explain(found.statement))
    cursor = found.finish(tables.all(found.statement)).nextCursor ?? null
  } while (cursor !== null)
  return plans
}

/** Both before and after the statistics are known. */
const phases = [
  ['without statistics', () => tables.db.exec('SELECT 1')],
  ['with statistics', () => tables.db.exec('ANALYZE')],
] as const

describe.each(phases)('plans %s', (_name, prepare) => {
  beforeAll(() => {
    prepare()
  })

  it('get a record by its id', () => {
    expect(tables.explain(buildGet(tables.schema('task'), numberedId(1)))).toEqual([
      'SEARCH t0 USING INDEX sqlite_autoindex_o_task_1 (id=?)',
    ])
  })

  it('list in creation order without a sort', () => {
    expect(explain({})).toEqual(['SCAN t0 USING INDEX sqlite_autoindex_o_task_1'])
  })

  it('list by two conditions and a sort through the index that serves the sort', () => {
    expect(explain({ filter: { status: 'open', priority: { $gte: 100 } }, sort: 'due_date' })).toEqual([
      'SEARCH t0 USING INDEX i_task__status__due_date (status=?)',
    ])
  })

  it('list by the rarer conditions when few records match them, although they are sorted then', () => {
    const [search] = explain({ filter: { status: 'open', priority: 999 }, sort: 'due_date' })
    expect(search).toBe('SEARCH t0 USING INDEX i_task__status__priority (status=? AND priority=?)')
  })

  it('list sorted by an indexed text from its index', () => {
    expect(explain({ sort: '-title' })).toEqual(['SCAN t0 USING INDEX i_task__title'])
  })

  it.each(['due_date', '-due_date', 'priority', '-priority'])('page by %s from where the last page ended', (sort) => {
    const field = sort.replace('-', '')
    const pages = explainPages({ filter: { status: 'open' }, sort, top: 500 })
    expect(pages).toHaveLength(6)
    for (const lines of pages) {
      const searches = lines.filter((line) => line.includes(' t0 '))
      for (const line of searches) {
        // An equality on the status and a range, or null, of the sorted field: no page walks over the ones before it.
        expect(line).toContain(`SEARCH t0 USING INDEX i_task__status__${field} (status=? AND `)
      }
      expect(searches.length).toBeGreaterThan(0)
      expect(lines.filter((line) => line.includes('TEMP B-TREE'))).toEqual([])
    }
  })

  it('look up what a told record leads to by its id, never through the table', () => {
    const filter = parseFilter({ 'project.name': { $contains: '1' } })
    const lines = tables.explain(buildFit(tables.schema('task'), { project: numberedId(1) }, filter, tables.env))
    expect(lines.filter((line) => line.includes('t1'))).toEqual([
      'SEARCH t1 USING INDEX sqlite_autoindex_o_project_1 (id=?)',
    ])
  })

  it('expand by the ids of the records, and children by their relation', () => {
    const ids = Array.from({ length: 20 }, (_, i) => numberedId(i))
    const related = tables.explain(buildRelated(tables.schema('project'), ids, tables.env).statement)
    expect(related[0]).toBe('SEARCH t0 USING INDEX sqlite_autoindex_o_project_1 (id=?)')
    const task = tables.schema('task')
    const children = tables.explain(buildChildren(task, task.byName.get('project')!, ids, tables.env).statement)
    // Per parent a few steps into the index of the relation, newest first, and each of those records by its row.
    expect(children.filter((line) => / t\d /.test(line))).toEqual([
      'SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?)',
      expect.stringMatching(/^SEARCH t1 USING (COVERING )?INDEX i_task__project \(project=\?\)$/),
    ])
    expect(children.filter((line) => line.includes('TEMP B-TREE'))).toHaveLength(1)
  })

  it('list the records of a lookup, in creation order, from its index', () => {
    expect(explain({ filter: { project: numberedId(3) } })).toEqual([
      'SEARCH t0 USING INDEX i_task__project (project=?)',
    ])
  })

  it('list by a condition on a related record from the indexes of both', () => {
    const lines = explain({ filter: { 'project.name': 'p3' } })
    expect(lines).toContainEqual(expect.stringMatching(/^SEARCH t1 USING (COVERING )?INDEX i_project__name \(/))
    // Few or many tasks per project decide whether they are searched and sorted or walked in order; neither is a scan
    // of the table itself.
    expect(lines.filter((line) => line.includes(' t0'))).toEqual([expect.stringContaining(' t0 USING INDEX ')])
  })

  it('write JSON in the order of the index, related records by their ids', () => {
    const request = {
      filter: parseFilter({ status: 'open', priority: { $gte: 100 } }),
      sort: parseSort('due_date'),
      top: 20,
    }
    const found = buildFind(tables.schema('task'), request, tables.env, { cursorKey, json: parseExpand('project') })
    expect(found.finishJson).not.toBeNull()
    expect(tables.explain(found.statement)).toEqual([
      'SEARCH t0 USING INDEX i_task__status__due_date (status=?)',
      expect.stringMatching(/^SEARCH x0 USING INDEX sqlite_autoindex_o_project_1 \(id=\?\) LEFT-JOIN$/),
    ])
  })

  it('group by the leading column of an index without sorting the records', () => {
    const groups = parseAggregate({ groupBy: 'status', aggregations: [{ function: 'count' }] })!
    const request = { filter: null, sort: [], top: 100 }
    const lines = tables.explain(buildAggregate(tables.schema('task'), request, groups, tables.env).statement)
    expect(lines).toContainEqual(expect.stringMatching(/^SCAN t0 USING (COVERING )?INDEX i_task__status__/))
    expect(lines.filter((line) => line.includes('TEMP B-TREE FOR GROUP BY'))).toEqual([])
  })

  it('look for a taken value by its index', () => {
    const task = tables.schema('task')
    const [rule] = uniqueRules(task)
    const clash = findUniqueClash(task, rule!, { code: 'c5' }, null, tables.env)!
    expect(tables.explain(clash)[0]).toMatch(/^SEARCH t0 USING (COVERING )?INDEX i_task__code \(code=\? AND code=\?\)/)
    expect(tables.all(clash)).toEqual([{ id: numberedId(5) }])
  })

  it.each([
    { status: 'open', $and: [{ $or: [] }] },
    { $and: [{ $and: [{ $or: [] }, { status: 'open' }] }] },
    { status: { $gt: 'done' } },
    { status: 'open', $nor: [{ $and: [] }] },
  ])('never name an index for a filter that nothing passes: %j', (filter) => {
    const found = plan({ filter, sort: 'due_date' })
    expect(found.finish(tables.all(found.statement)).records).toEqual([])
  })
})
