// What every field type may take part in: operators, sorting, grouping, figures and the search, as D-94 lists them.
import { describe, expect, it } from 'vitest'
import { compileField, neededSettings } from '../../test/support/field-cases.ts'
import { compileObject } from '#shared/object-schema.ts'
import { fieldTypeOf, fieldTypes } from './registry.ts'

/** SQL type, operator class, flags: S or s searched, o sortable, g groupable, a aggregatable, r minimum and maximum only. */
const catalogue: Readonly<Record<keyof typeof fieldTypes, string>> = {
  text: 'TEXT T Sog',
  textarea: 'TEXT T So',
  markdown: 'TEXT P s',
  html: 'TEXT P s',
  richtext: 'TEXT P s',
  code: 'TEXT P s',
  email: 'TEXT T Sog',
  url: 'TEXT T So',
  phone: 'TEXT T So',
  number: 'REAL O oga',
  currency: 'REAL O oga',
  percent: 'REAL O oga',
  progress: 'REAL O oga',
  slider: 'REAL O oga',
  rating: 'REAL O oga',
  boolean: 'INTEGER E og',
  toggle: 'INTEGER E og',
  date: 'TEXT D ogr',
  datetime: 'TEXT D ogr',
  time: 'TEXT O og',
  select: 'TEXT O Sog',
  radio: 'TEXT O Sog',
  multiselect: 'TEXT M Sg',
  checkboxes: 'TEXT M Sg',
  tags: 'TEXT M Sg',
  lookup: 'TEXT E og',
  master_detail: 'TEXT E og',
  tree: 'TEXT E og',
  user: 'TEXT E og',
  record: 'TEXT E g',
  file: 'TEXT N ',
  image: 'TEXT N ',
  avatar: 'TEXT N ',
  video: 'TEXT N ',
  audio: 'TEXT N ',
  signature: 'TEXT N ',
  formula: 'REAL O oga',
  summary: 'REAL O oga',
  autonumber: 'TEXT T So',
  address: 'TEXT N s',
  location: 'TEXT N ',
  composite: 'TEXT N ',
  repeater: 'TEXT N ',
  json: 'TEXT N ',
  color: 'TEXT E g',
  qrcode: 'TEXT E o',
  password: 'TEXT N ',
  secret: 'TEXT N ',
  vector: 'BLOB N ',
}

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
    expect(fieldTypeOf(field).operators(field)).toBe('N')
    expect(field.sortable).toBe(false)
  })
})
