import { describe, expect, it } from 'vitest'
import { translateField } from '../../fields/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { conditionWords } from './filter-words.ts'
import { buildGroup, readConditions, readQuery, writeQuery } from './record-query.ts'
import { madeConditions, withConditions } from './made-filter.ts'
import type { StoredView } from './record-views.ts'

const context = { locale: 'en', timeZone: 'UTC', translate: translateField }
const fields: readonly FieldDefinition[] = [
  { name: 'title', type: 'text' },
  {
    name: 'status',
    type: 'select',
    options: [{ value: 'in_progress', label: 'In progress' }, 'open', 'on hold, unpaid'],
  },
  { name: 'hours', type: 'number' },
  { name: 'due', type: 'date' },
]

describe('a filter that was made of a question', () => {
  it.each([
    [{ status: 'open' }],
    [{ status: { $in: ['open', 'in_progress'] } }],
    [{ status: { $nin: ['open', 'on hold, unpaid'] } }],
    [{ hours: { $between: [2, 8] } }],
    [{ due: { $during: 'this_month' } }],
    [{ title: { $contains: 'roof' } }],
    [{ due: { $null: true } }],
    [{ status: { $ne: 'in_progress' }, hours: { $gt: 3 } }],
    [{ $or: [{ status: 'open' }, { hours: { $lt: 1 } }] }],
    [{ $and: [{ hours: { $gt: 1 } }, { hours: { $lt: 9 } }] }],
  ])('%j says the same as conditions', (filter) => {
    const conditions = madeConditions(filter, fields, context)
    expect(conditions).toBeTruthy()
    expect(normal(buildGroup(conditions!, fields, context))).toEqual(normal(filter))
  })

  it('is nothing where there is no condition', () => {
    expect(madeConditions({}, fields, context)).toBeUndefined()
  })

  it.each([
    [{ due: { $lt: { $today: '' } } }],
    [{ 'account.name': 'Acme' }],
    [{ $not: { status: 'open' } }],
    [{ nothing: 1 }],
    [{ due: { $gte: '2026-01-01', $lt: '2026-02-01' } }],
  ])('%j has no words there', (filter) => {
    expect(madeConditions(filter, fields, context)).toBeNull()
  })
})

describe('a stored view of somebody who writes otherwise', () => {
  const shownFilter = (filter: Record<string, unknown>, ...condition: string[]) => {
    const conditions = ['all', condition]
    const view = { config: { filter, conditions }, query: { filter: readConditions(conditions) } }
    return withConditions(view as unknown as StoredView, fields, context).query.filter!
  }

  it.each([
    [{ hours: { $gt: 1.5 } }, ['hours', 'gt', '1,5']],
    [{ hours: { $gt: 1500 } }, ['hours', 'gt', '1.500']],
    [{ due: { $gt: '2026-02-01' } }, ['due', 'gt', '01.02.2026']],
  ])('asks for %j', (filter, condition) => {
    expect(buildGroup(shownFilter(filter, ...condition), fields, context)).toEqual(filter)
  })

  it('keeps what was typed where that says the same, or is there no longer', () => {
    expect(shownFilter({ hours: { $gt: 1500 } }, 'hours', 'gt', '1,500').conditions).toMatchObject([
      { texts: ['1,500'] },
    ])
    expect(shownFilter({ gone: { $gt: 1 } }, 'gone', 'gt', '1').conditions).toMatchObject([{ field: 'gone' }])
  })
})

describe('a stored view whose filter has no words', () => {
  const shownBy = (filter: Record<string, unknown>) =>
    withConditions({ config: { filter }, query: { filter: undefined } } as unknown as StoredView, fields, context).query
      .filter

  it.each([
    [{ $not: { status: 'open' } }],
    [{ 'account.name': 'Acme' }],
    [{ $and: [{ hours: { $gt: 3 } }, { $not: { status: 'open' } }] }],
    [{ $or: [{ $not: { status: 'open' } }, { due: { $lt: { $today: '' } } }] }],
  ])('%j is in force as it is written, also by its address', (filter) => {
    const conditions = shownBy(filter)!
    const read = readQuery(writeQuery({ filter: conditions, sort: [], search: '', view: 'v' })).filter!
    expect(read).toEqual(conditions)
    expect(normal(buildGroup(read, fields, context))).toEqual(normal(filter))
    expect(conditionWords(read, fields, context)).toContain('a filter this page cannot edit')
  })
})

/** Every condition by itself, with its operator. */
function normal(filter: unknown): unknown {
  const entries = Object.entries(filter as Record<string, unknown>)
  const [key, value] = entries[0]!
  const isGroup = entries.length === 1 && Array.isArray(value)
  const parts = isGroup ? value : entries.map(([name, operand]) => ({ [name]: operand }))
  const list = parts.map((part: Record<string, unknown>) =>
    Object.entries(part).map(([name, operand]) => [name, typeof operand === 'object' ? operand : { $eq: operand }]),
  )
  return { any: key === '$or', list }
}
