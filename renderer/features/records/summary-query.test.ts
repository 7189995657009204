import { describe, expect, it } from 'vitest'
import type { FieldDefinition } from '../../fields/index.ts'
import { daysOf, groupChoices, groupCondition, measureChoices } from './summary-query.ts'

const fields: FieldDefinition[] = [
  { name: 'title', type: 'text' },
  { name: 'status', type: 'select', options: [{ value: 'open', label: 'Open' }] },
  { name: 'company', type: 'lookup', reference: 'company', displayField: 'name' },
  { name: 'tags', type: 'tags', multiple: true },
  { name: 'due', type: 'date' },
  { name: 'hours', type: 'number' },
  { name: 'notes', type: 'markdown' },
]

describe('a summary', () => {
  it('groups by the most telling fields first, by links as they are shown, by dates in buckets', () => {
    expect(groupChoices(fields).map(({ value }) => value)).toEqual([
      'status',
      'company.name',
      'tags',
      'title',
      'due.month',
      'due.quarter',
      'due.year',
      'due.week',
      'due.day',
    ])
  })

  it('counts, and measures numbers', () => {
    expect(measureChoices(fields).map(({ value }) => value)).toEqual([
      'count',
      'hours.sum',
      'hours.avg',
      'hours.min',
      'hours.max',
    ])
  })

  it.each([
    ['status', 'open', { field: 'status', operator: 'eq', texts: ['open'] }],
    ['status', null, { field: 'status', operator: 'empty', texts: [] }],
    ['tags', 'red', { field: 'tags', operator: 'any', texts: ['red'] }],
    [
      'due.month',
      '2026-02-01T00:00:00.000Z',
      { field: 'due', operator: 'between', texts: ['2026-02-01', '2026-02-28'] },
    ],
    ['company.name', 'Acme', undefined],
  ])('finds the records of the group %s = %j', (dimension, value, condition) => {
    expect(groupCondition(dimension, value, fields, 'UTC')).toEqual(condition)
  })

  it.each([
    ['2026-03-01T00:00:00.000Z', 'day', 'UTC', ['2026-03-01', '2026-03-01']],
    ['2026-03-02T00:00:00.000Z', 'week', 'UTC', ['2026-03-02', '2026-03-08']],
    ['2026-03-31T22:00:00.000Z', 'quarter', 'Europe/Berlin', ['2026-04-01', '2026-06-30']],
    ['2023-12-31T23:00:00.000Z', 'year', 'Europe/Berlin', ['2024-01-01', '2024-12-31']],
  ] as const)('knows the days of the bucket from %s, a %s in %s', (instant, bucket, zone, days) => {
    expect(daysOf(instant, bucket, zone)).toEqual(days)
  })
})
