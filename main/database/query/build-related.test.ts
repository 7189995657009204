// Records of relations, one statement per path (D-87).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseFilter } from '#shared/filter/parse-filter.ts'
import { resolveFilter } from '#shared/filter/resolve-filter.ts'
import { resolveSort } from '#shared/filter/resolve-sort.ts'
import { parseSort } from '#shared/filter/sort.ts'
import { numberedId, openObjectTables } from '../../../test/support/open-object-tables.ts'
import type { ObjectTables } from '../../../test/support/open-object-tables.ts'
import type { RelatedPlan } from './build-related.ts'
import { buildChildren, buildRelated, maxExpandedChildren, parentColumn } from './build-related.ts'

let tables: ObjectTables
beforeAll(() => {
  tables = openObjectTables([
    { name: 'project', fields: { name: { type: 'text' }, open: { type: 'boolean' }, tags: { type: 'tags' } } },
    {
      name: 'task',
      fields: {
        title: { type: 'text' },
        project: { type: 'lookup', reference: 'project', relationshipName: 'tasks' },
        others: { type: 'lookup', reference: 'project', multiple: true, relationshipName: 'other_tasks' },
      },
    },
  ])
  for (let i = 0; i < 4; i++) {
    const deleted = i === 3 ? { deleted_at: '2026-01-02T00:00:00.000Z' } : {}
    tables.insert('project', { id: numberedId(i), name: `P${i}`, open: i % 2 === 0, tags: [`t${i}`], ...deleted })
  }
  for (let i = 0; i < 130; i++) {
    const deleted = i === 129 ? { deleted_at: '2026-01-02T00:00:00.000Z' } : {}
    tables.insert('task', {
      id: numberedId(100 + i),
      title: `T${i}`,
      project: numberedId(i < 120 ? 0 : 1),
      others: i % 10 === 0 ? [numberedId(0), numberedId(2)] : null,
      ...deleted,
    })
  }
})
afterAll(() => tables.close())

const run = ({ statement, read }: RelatedPlan) => tables.all<Record<string, unknown>>(statement).map((row) => read(row))
const project = () => tables.schema('project')
const task = () => tables.schema('task')
const where = (object: 'project' | 'task', filter: unknown) =>
  resolveFilter(tables.schema(object), parseFilter(filter), tables.env)

describe('related records', () => {
  it('are the live ones among the ids, with readable values', () => {
    const records = run(buildRelated(project(), [0, 2, 3, 9].map(numberedId), tables.env))
    expect(records.map((record) => [record['id'], record['open'], record['tags']])).toEqual([
      [numberedId(0), true, ['t0']],
      [numberedId(2), true, ['t2']],
    ])
    expect(Object.keys(records[0]!)).not.toContain('deleted_at')
  })

  it('show the id beside the fields asked for, and nothing that may not be read', () => {
    const named = run(buildRelated(project(), [numberedId(1)], tables.env, { fields: ['name', 'nope'] }))
    expect(named).toEqual([{ id: numberedId(1), name: 'P1' }])
    const env = { ...tables.env, canRead: (_object: string, field: string) => field !== 'name' }
    expect(Object.keys(run(buildRelated(project(), [numberedId(1)], env))[0]!)).not.toContain('name')
  })

  it('are restricted by a condition', () => {
    const ids = [0, 1, 2].map(numberedId)
    const records = run(buildRelated(project(), ids, tables.env, { where: where('project', { open: false }) }))
    expect(records.map((record) => record['id'])).toEqual([numberedId(1)])
  })

  it('may be thousands', () => {
    const ids = Array.from({ length: 5_000 }, (_, i) => numberedId(i))
    expect(run(buildRelated(project(), ids, tables.env))).toHaveLength(3)
  })
})

describe('children', () => {
  const relation = () => task().byName.get('project')!

  it('are the newest live ones of each parent, at most fifty', () => {
    const parents = [0, 1, 2].map(numberedId)
    const records = run(buildChildren(task(), relation(), parents, tables.env, { fields: ['title'] }))
    const of = (parent: string) =>
      records.filter((record) => record[parentColumn] === parent).map((record) => record['title'])
    expect(of(numberedId(0))).toEqual(Array.from({ length: maxExpandedChildren }, (_, i) => `T${119 - i}`))
    expect(of(numberedId(1))).toEqual(Array.from({ length: 9 }, (_, i) => `T${128 - i}`))
    expect(of(numberedId(2))).toEqual([])
    expect(Object.keys(records[0]!)).toEqual(['id', 'title', parentColumn])
  })

  it('may be fewer, never more', () => {
    const titles = (limit: number) => run(buildChildren(task(), relation(), [numberedId(0)], tables.env, { limit }))
    expect(titles(2)).toHaveLength(2)
    expect(titles(1_000)).toHaveLength(maxExpandedChildren)
  })

  it('are counted to the limit after their condition', () => {
    const options = { where: where('task', { title: { $in: ['T0', 'T1'] } }), limit: 1 }
    const records = run(buildChildren(task(), relation(), [numberedId(0)], tables.env, options))
    expect(records.map((record) => record['title'])).toEqual(['T1'])
  })

  it('come in the order of a sort, and are cut after it', () => {
    const sort = resolveSort(task(), parseSort('title'), tables.env)
    const records = run(buildChildren(task(), relation(), [numberedId(0)], tables.env, { sort, limit: 3 }))
    expect(records.map((record) => record['title'])).toEqual(['T0', 'T1', 'T10'])
  })

  it('of a list of parents belong to each of them', () => {
    const parents = [0, 1, 2].map(numberedId)
    const records = run(buildChildren(task(), task().byName.get('others')!, parents, tables.env, { limit: 2 }))
    expect(records.map((record) => [record[parentColumn], record['title']]).toSorted()).toEqual([
      [numberedId(0), 'T110'],
      [numberedId(0), 'T120'],
      [numberedId(2), 'T110'],
      [numberedId(2), 'T120'],
    ])
  })
})
