import { describe, expect, it } from 'vitest'
import { checkObjectDefinition } from '#shared/object-definition.ts'
import { guessMapping, mappingProblem, missingFields, targetsOf } from './column-mapping.ts'
import { inferColumn } from './infer-column.ts'
import { labelFromTitle, objectFromPlan, planColumns, planProblem } from './import-plan.ts'
import type { TableColumn, TableSummary } from './table-types.ts'

const column = (index: number, title: string, values: string[]): TableColumn => ({
  index,
  title,
  samples: values.filter((value) => value !== '').slice(0, 4),
  guess: inferColumn(title, values),
})
const summaryOf = (columns: TableColumn[]): TableSummary => ({
  name: undefined,
  fileName: undefined,
  format: 'comma',
  hasHeader: true,
  sheets: [],
  sheet: undefined,
  columns,
  rowCount: 2,
  uneven: 0,
  unclosed: false,
})

const moods = Array.from({ length: 24 }, (_, index) => ['Very good', 'Bad', 'Très bien'][index % 3] ?? '')

describe('plan of a new table', () => {
  it('labels columns in words', () => {
    expect(['first_name', 'USGross', 'US Gross', 'createdAt', 'ID', 'E-Mail', 'e-mail'].map(labelFromTitle)).toEqual([
      'First name',
      'USGross',
      'US Gross',
      'Created at',
      'ID',
      'E-Mail',
      'E mail',
    ])
  })

  it('leaves out columns without a value', () => {
    const plan = planColumns(summaryOf([column(0, 'a', ['1']), column(1, 'b', ['', ''])]))
    expect(plan.map(({ include }) => include)).toEqual([true, false])
  })

  it('makes a definition the platform takes, whatever the columns are called', () => {
    const titles = ['id', 'Owner', 'name', 'Name', '!!!', '2026', 'Mood']
    const columns = titles.map((title, index) => column(index, title, title === 'Mood' ? moods : ['x', 'y']))
    const { object, targets } = objectFromPlan('My books!', planColumns(summaryOf(columns)), new Set(['my_books']))
    const checked = checkObjectDefinition(object)
    expect(checked.ok ? [] : checked.errors).toEqual([])
    expect(object.name).toBe('my_books_2')
    expect(targets.map(({ field }) => field)).toEqual(Object.keys(object.fields))
    expect(object.fields.mood?.type).toBe('select')
  })

  it('keeps the found choices when one of several becomes many', () => {
    const plan = planColumns(summaryOf([column(0, 'Mood', moods)])).map((entry) => ({ ...entry, type: 'multiselect' }))
    const { object } = objectFromPlan('x', plan, new Set())
    expect(object.fields.mood?.options).toHaveLength(3)
    expect(checkObjectDefinition(object).ok).toBe(true)
  })

  it('says what is missing', () => {
    const plan = planColumns(summaryOf([column(0, 'a', ['1'])]))
    expect(planProblem(' ', plan)).toBe('nameMissing')
    expect(
      planProblem(
        'x',
        plan.map((entry) => ({ ...entry, include: false })),
      ),
    ).toBe('noColumns')
    expect(
      planProblem(
        'x',
        plan.map((entry) => ({ ...entry, label: '' })),
      ),
    ).toBe('fieldMissing')
    expect(planProblem('x', plan)).toBeUndefined()
  })
})

describe('mapping into an existing object', () => {
  const fields = [
    { name: 'title', type: 'text', label: 'Book title', required: true },
    { name: 'pages', type: 'number', label: 'Pages' },
  ]
  const columns = [column(0, 'Book Title', ['x']), column(1, 'pages', ['1']), column(2, 'Pages', ['2'])]

  it('finds fields by label and by name, each once', () => {
    expect(guessMapping(columns, fields)).toEqual({ 0: 'title', 1: 'pages' })
  })

  it('takes a column of ids for the records themselves', () => {
    const ids = ['0197b2f0-0000-7000-8000-000000000000', '0197b2f0-0000-7000-8000-000000000001']
    expect(guessMapping([column(0, 'id', ids), column(1, 'pages', ['1'])], fields)).toEqual({ 0: 'id', 1: 'pages' })
    expect(guessMapping([column(0, 'id', ['1', '2'])], fields)).toEqual({})
    expect(targetsOf({ 0: 'id' }, [column(0, 'id', ids)], fields)).toMatchObject([{ field: 'id', type: 'text' }])
  })

  it('finds out what is wrong', () => {
    expect(mappingProblem({}, 'insert', [])).toEqual({ code: 'none' })
    expect(mappingProblem({ 0: 'title', 1: 'title' }, 'insert', [])).toEqual({ code: 'twice', field: 'title' })
    expect(mappingProblem({ 0: 'title' }, 'upsert', [])).toEqual({ code: 'noMatch' })
    expect(mappingProblem({ 0: 'title' }, 'upsert', ['title'])).toBeUndefined()
    expect(missingFields({ 1: 'pages' }, fields).map(({ name }) => name)).toEqual(['title'])
    expect(targetsOf({ 0: 'title', 1: 'gone' }, columns, fields).map(({ field }) => field)).toEqual(['title'])
  })
})
