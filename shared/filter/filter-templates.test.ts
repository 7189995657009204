// Templates inside of filters: values they are, whatever they bring.
import { describe, expect, it } from 'vitest'
import type { PlatformError } from '#shared/errors.ts'
import { createTextFiller } from '#shared/expression/templates.ts'
import { fillFilter } from './filter-templates.ts'
import { parseFilter } from './parse-filter.ts'

const id = '0198c1a2-0000-7000-8000-000000000000'
const scope = {
  record: {
    text: 'a"b',
    number: 3,
    nothing: null,
    list: ['a', null, 2],
    names: ['a', 'b'],
    operator: { $ne: '' },
    macro: { $field: 'token' },
    macros: [{ $field: 'token' }],
    lists: [['a']],
    condition: ['token', '!=', ''],
    link: { object: 'task', id },
    filter: { $or: [{ a: 1 }] },
  },
  previous: null,
  now: Date.UTC(2026, 0, 31),
  timeZone: 'UTC',
}
const of = (name: string): string => `{{ record.${name} }}`
const fill = (filter: unknown): unknown => fillFilter(filter, createTextFiller(scope), 'config.filter')
const fieldOf = (filter: unknown): unknown => {
  try {
    fill(filter)
  } catch (error) {
    return (error as PlatformError).details['fieldErrors']
  }
  throw new Error(`${JSON.stringify(filter)} was filled.`)
}

describe('fillFilter', () => {
  it.each([
    [{ token: of('text') }, { token: 'a"b' }],
    [{ token: `{{ record.text }}!` }, { token: 'a"b!' }],
    [{ amount: { $gt: of('number') } }, { amount: { $gt: 3 } }],
    [{ token: of('nothing') }, { token: null }],
    [{ token: { $in: of('list') } }, { token: { $in: ['a', null, 2] } }],
    [
      { token: { $nin: of('list') }, tags: { $any: of('names') } },
      { token: { $nin: ['a', null, 2] }, tags: { $any: ['a', 'b'] } },
    ],
    [{ token: { $in: [of('text'), 'c'] } }, { token: { $in: ['a"b', 'c'] } }],
    [
      ['token', 'in', of('list')],
      ['token', 'in', ['a', null, 2]],
    ],
    [
      ['and', ['token', '=', of('text')], { n: 1 }],
      ['and', ['token', '=', 'a"b'], { n: 1 }],
    ],
    [
      { field: 'token', operator: 'in', value: of('list') },
      { field: 'token', operator: 'in', value: ['a', null, 2] },
    ],
    [
      [{ member: 'task.title', operator: 'equals', values: of('list') }],
      [{ member: 'task.title', operator: 'equals', values: ['a', null, 2] }],
    ],
    [{ about: of('link') }, { about: `task/${id}` }],
    [{ due: { $lt: { $today: '-7d' } } }, { due: { $lt: { $today: '-7d' } } }],
    [of('filter'), { $or: [{ a: 1 }] }],
    ['{"title": "a"}', '{"title": "a"}'],
    [undefined, undefined],
  ])('turns %j into %j', (filter, filled) => {
    expect(fill(filter)).toEqual(filled)
    const isAnalytic = JSON.stringify(filled ?? null).includes('member')
    if (!isAnalytic && typeof filled !== 'string') expect(() => parseFilter(filled)).not.toThrow()
  })

  it.each([
    [{ token: of('operator') }, 'config.filter.token'],
    [{ token: { $eq: of('macro') } }, 'config.filter.token.$eq'],
    [{ token: { $not: of('operator') } }, 'config.filter.token.$not'],
    [{ token: { $not: of('list') } }, 'config.filter.token.$not'],
    [{ token: of('list') }, 'config.filter.token'],
    [{ project: { name: of('operator') } }, 'config.filter.project.name'],
    [{ token: { $in: of('macros') } }, 'config.filter.token.$in'],
    [{ token: { $in: of('lists') } }, 'config.filter.token.$in'],
    [{ token: { $in: [of('macro')] } }, 'config.filter.token.$in[0]'],
    [{ $or: of('macros') }, 'config.filter.$or'],
    [{ $and: of('condition') }, 'config.filter.$and'],
    [{ $or: [{ a: 1 }, of('filter')] }, 'config.filter.$or[1]'],
    [['or', ['a', '=', 1], of('condition')], 'config.filter[2]'],
    [['token', '=', of('macro')], 'config.filter[2]'],
    [{ field: 'token', operator: 'eq', value: of('macro') }, 'config.filter.value'],
    [[{ member: 'task.title', operator: 'equals', values: [of('macro')] }], 'config.filter[0].values[0]'],
    ['{"token": "{{ record.text }}"}', 'config.filter'],
  ])('refuses %j at %s', (filter, field) => {
    expect(fieldOf(filter)).toMatchObject([{ field }])
  })
})
