import { expect, it } from 'vitest'
import { translateField } from '../../fields/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { madeConditions } from './made-filter.ts'
import { conditionWords } from './filter-words.ts'

const context = { locale: 'en', timeZone: 'UTC', translate: translateField }
const fields: readonly FieldDefinition[] = [
  { name: 'status', type: 'select', options: [{ value: 'in_progress', label: 'In progress' }, 'open'] },
  { name: 'hours', type: 'number' },
  { name: 'due', type: 'date' },
]

it('a filter says what choices are called, as its editor does', () => {
  const words = (filter: unknown) => conditionWords(madeConditions(filter as never, fields, context)!, fields, context)
  expect(words({ status: 'in_progress' })).toEqual(['status is In progress'])
  expect(words({ hours: { $between: [2, 8] } })).toEqual(['hours is between 2 – 8'])
  expect(words({ due: { $during: 'this_week' } })).toEqual(['due is within this week'])
  expect(words({ due: { $during: 'last_7_days' } })).toEqual(['due is within last 7 days'])
})
