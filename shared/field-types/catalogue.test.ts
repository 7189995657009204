// What every field type may take part in: operators, sorting, grouping, figures and the search, as D-94 lists them.
import { describe, expect, it } from 'vitest'
import { catalogue, compileField, neededSettings } from '../../test/support/field-cases.ts'
import { compileObject } from '#shared/object-schema.ts'
import { fieldTypeOf, fieldTypes } from './registry.ts'

const search = { default: 'S', optional: 's', never: '' }
const figures = { all: 'a', range: 'r', none: '' }

describe('the catalogue of field types', () => {
  it.each(Object.entries(catalogue))('%s is %s', (type, expected) => {
    const field = compileField({ type, ...neededSettings[type] })
    const { flags, operators } = fieldTypeOf(field)
    const [o, g] = [flags.sortable ? 'o' : '', flags.groupable ? 'g' : '']
    const letters = `${search[flags.search]}${o}${g}${figures[flags.aggregatable]}`
    expect(`${field.sqlType} ${operators(field)} ${letters}`).toBe(expected)
  })

  it('has inner paths in objects of known shape', () => {
    const withPaths = Object.entries(fieldTypes).filter(([, type]) => 'innerPaths' in type)
    expect(withPaths.map(([name]) => name).sort()).toEqual(['address', 'composite', 'json', 'location'])
  })

  it('gives lists the operators of lists', () => {
    for (const type of ['lookup', 'user']) {
      const field = compileField({ type, ...neededSettings[type], multiple: true })
      expect({ [type]: fieldTypeOf(field).operators(field) }).toEqual({ [type]: 'M' })
      expect(field).toMatchObject({ multiple: true, sortable: false, index: false })
    }
  })

  it('compiles a tree into a relation to its own object, and an owner into a required one', () => {
    expect(compileField({ type: 'tree' })).toMatchObject({ reference: 'thing', index: true, required: false })
    expect(compileField({ type: 'master_detail', reference: 'boss' })).toMatchObject({
      reference: 'boss',
      required: true,
    })
  })

  it('gives a toggle the default false', () => {
    expect(compileField({ type: 'toggle' }).defaultValue).toBe(false)
    expect(compileField({ type: 'toggle', defaultValue: true }).defaultValue).toBe(true)
  })

  it('compiles inner fields with their defaults', () => {
    const { inner } = compileField({ type: 'composite', fields: { on: { type: 'toggle' }, n: { type: 'number' } } })
    expect(inner.map(({ name, type, defaultValue }) => [name, type, defaultValue])).toEqual([
      ['on', 'toggle', false],
      ['n', 'number', undefined],
    ])
  })

  it('lets nothing concealed name a record', () => {
    const fields = { title: { type: 'secret' }, code: { type: 'text' } }
    expect(compileObject({ name: 'thing', fields }).displayField.name).toBe('code')
  })
})

describe('a formula', () => {
  const compileFormula = (expression: string) => {
    const fields = {
      word: { type: 'text' },
      amount: { type: 'number' },
      due: { type: 'date' },
      at: { type: 'datetime' },
      value: { type: 'formula', expression },
    }
    return compileObject({ name: 'thing', fields }).byName.get('value')!
  }

  it.each([
    ['record.word', 'TEXT T sog'],
    ['record.amount * 2.0', 'REAL O oga'],
    ['record.amount > 2.0', 'INTEGER E og'],
    ['record.due', 'TEXT D ogr'],
    ['record.at', 'TEXT D ogr'],
  ])('of %s is %s', (expression, expected) => {
    const field = compileFormula(expression)
    const { flags, operators } = fieldTypeOf(field)
    const [o, g] = [flags.sortable ? 'o' : '', flags.groupable ? 'g' : '']
    const letters = `${search[flags.search]}${o}${g}${figures[flags.aggregatable]}`
    expect(`${field.sqlType} ${operators(field)} ${letters}`).toBe(expected)
    expect(field.computed).toBe(true)
  })

  it('of the present moment is compared with nothing', () => {
    const field = compileFormula('days(record.due, today())')
    expect(fieldTypeOf(field).operators(field)).toBe('X')
    expect(field.sortable).toBe(false)
  })
})
