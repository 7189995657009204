import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { translateField } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import {
  buildFilter,
  buildGroup,
  changeSort,
  inOwnWords,
  operatorOf,
  readQuery,
  sortText,
  writeQuery,
} from './record-query.ts'

const context: FieldContext = { locale: 'en', timeZone: 'UTC', translate: translateField }
const fields: FieldDefinition[] = [
  { name: 'title', type: 'text' },
  { name: 'pages', type: 'number', required: true },
  {
    name: 'genre',
    type: 'select',
    options: [
      { value: 'novel', label: 'Novel' },
      { value: 'poetry', label: 'Poetry' },
    ],
  },
  { name: 'tags', type: 'tags', multiple: true },
  { name: 'due', type: 'date' },
]

const filterOf = (field: string, operator: string, ...texts: string[]) => {
  const known = operatorOf({ field, operator, texts }, fields)
  if (!known) throw new Error(`no operator ${operator} of ${field}`)
  return buildFilter(known.field, known.operator, texts, context, 'Enter a value.')
}

describe('the address of a view', () => {
  it('is readable', () => {
    const query = {
      filter: { any: false, conditions: [{ field: 'pages', operator: 'gte', texts: ['60.5'] }] },
      sort: [
        { field: 'title', order: 'desc' as const },
        { field: 'pages', order: 'asc' as const },
      ],
      search: 'bay',
      view: '',
    }
    expect(writeQuery(query)).toBe('f=pages.gte.60.5&s=-title%2Cpages&q=bay')
    expect(readQuery(writeQuery(query))).toEqual(query)
  })

  it('keeps the options of a kind and the day of a calendar, and leaves out what is neither', () => {
    const options = { startDateField: 'bought', mode: 'week', measures: 'pages.sum' }
    const query = { filter: undefined, sort: [], search: '', view: 'book.calendar', options, day: '2026-03-18' }
    expect(readQuery(writeQuery(query))).toEqual(query)
    // An option that was taken away stays taken away.
    expect(readQuery(writeQuery({ ...query, options: { ...options, mode: '' } })).options).not.toHaveProperty('mode')
    expect(readQuery('o=,x,.y,a.b&d=soon')).toMatchObject({ options: { a: 'b' } })
    expect(readQuery('d=soon')).not.toHaveProperty('day')
  })

  it('brings back every view it was written from', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,20}$/)
    const text = fc.string({ unit: 'grapheme', maxLength: 20 })
    const query = fc.record({
      filter: fc.option(
        fc
          .record({
            any: fc.boolean(),
            conditions: fc.array(
              fc.record({
                field: name,
                operator: fc.stringMatching(/^[a-zA-Z]{1,12}$/),
                texts: fc.array(text, { maxLength: 2 }),
              }),
              { minLength: 1, maxLength: 4 },
            ),
            // One condition is all of them and any of them.
          })
          .map((group) => (group.conditions.length === 1 ? { ...group, any: false } : group)),
        { nil: undefined },
      ),
      view: fc.constantFrom('', 'book.mine'),
      sort: fc.array(fc.record({ field: name, order: fc.constantFrom('asc' as const, 'desc' as const) }), {
        maxLength: 3,
      }),
      search: text,
    })
    fc.assert(
      fc.property(query, (value) => {
        expect(readQuery(writeQuery(value))).toEqual(value)
      }),
    )
  })

  it.each([
    ['f=pages.gt.1,5&l=de', { pages: { $gt: 1.5 } }],
    ['f=pages.gt.1.500&l=de', { pages: { $gt: 1500 } }],
    ['f=pages.between.1.500&f2=2.000,5&l=de', { pages: { $between: [1500, 2000.5] } }],
    ['f=due.gt.01.02.2026&l=de', { due: { $gt: '2026-02-01' } }],
    ['f=due.gt.01/02/2026&l=en-US', { due: { $gt: '2026-01-02' } }],
    [
      'w=["all",["pages","gt","1,5"],["title","eq","1,5"]]&l=de',
      { $and: [{ pages: { $gt: 1.5 } }, { title: { $eq: '1,5' } }] },
    ],
    ['f=pages.gt.1,500&l=%25', { pages: { $gt: 1500 } }],
  ])('means the same in every language: %s', (address, filter) => {
    const query = inOwnWords(readQuery(address), fields, context)
    expect(buildGroup(query.filter!, fields, context)).toEqual(filter)
    // Sent on, it names the language it is in by then.
    expect(readQuery(writeQuery(query))).toEqual(query)
  })

  it('names the locale of operands that another one reads otherwise, and of no others', () => {
    const localeOf = (...texts: string[]) =>
      new URLSearchParams(
        writeQuery({
          filter: { any: false, conditions: [{ field: 'x', operator: 'gt', texts }] },
          sort: [],
          search: '',
          view: '',
        }),
      ).get('l')
    for (const text of ['60', '-60.5', '2026-02-01', '10:30', 'novel', '']) expect(localeOf(text)).toBeNull()
    for (const text of ['1,5', '1.500', '01.02.2026', '1/2/2026', '1 500', '٣']) expect(localeOf('0', text)).toBe('en')
  })

  it('is the default view when it cannot be read', () => {
    const nothing = { filter: undefined, sort: [], search: '', view: '' }
    expect(readQuery('w=[[')).toEqual(nothing)
    expect(readQuery('f=%%%&s=,-,&x=1')).toEqual(nothing)
    expect(readQuery('f=pages')).toEqual(nothing)
  })
})

describe('filters', () => {
  it('carry values of the type of their field', () => {
    expect(filterOf('pages', 'gte', '1,200')).toEqual({ ok: true, filter: { pages: { $gte: 1200 } } })
    expect(filterOf('pages', 'between', '10', '20')).toEqual({ ok: true, filter: { pages: { $between: [10, 20] } } })
    expect(filterOf('genre', 'eq', 'Novel')).toEqual({ ok: true, filter: { genre: { $eq: 'novel' } } })
    expect(filterOf('genre', 'in', 'Novel, Poetry')).toEqual({
      ok: true,
      filter: { genre: { $in: ['novel', 'poetry'] } },
    })
    expect(filterOf('title', 'contains', ' a ')).toEqual({ ok: true, filter: { title: { $contains: ' a ' } } })
    expect(filterOf('tags', 'any', 'x, y')).toEqual({ ok: true, filter: { tags: { $any: ['x', 'y'] } } })
    expect(filterOf('title', 'empty')).toEqual({ ok: true, filter: { title: { $null: true } } })
    expect(filterOf('title', 'notEmpty')).toEqual({ ok: true, filter: { title: { $null: false } } })
  })

  it('refuse what is no value and say why', () => {
    expect(filterOf('pages', 'gte', 'many')).toMatchObject({ ok: false, message: expect.stringContaining('many') })
    expect(filterOf('pages', 'between', '10', '')).toEqual({ ok: false, message: 'Enter a value.' })
  })

  it('forget a field or an operator that is gone', () => {
    expect(operatorOf({ field: 'old', operator: 'eq', texts: [] }, fields)).toBeUndefined()
    expect(operatorOf({ field: 'tags', operator: 'gte', texts: [] }, fields)).toBeUndefined()
  })
})

describe('order', () => {
  it('is replaced, extended and taken away', () => {
    const one = changeSort([], 'a', 'asc', false)
    const two = changeSort(one, 'b', 'desc', true)
    expect(sortText(two)).toBe('a,-b')
    expect(sortText(changeSort(two, 'a', 'desc', true))).toBe('-b,-a')
    expect(sortText(changeSort(two, 'c', 'asc', false))).toBe('c')
    expect(changeSort(two, 'b', null, false)).toEqual([])
  })
})
