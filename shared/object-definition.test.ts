// Object definitions and what they compile to: D-51, D-88, D-92 to D-94, D-107.
import { describe, expect, it } from 'vitest'
import type { FieldError } from './errors.ts'
import { checkObjectDefinition, maxFields } from './object-definition.ts'
import { compileObject } from './object-schema.ts'
import type { ObjectSchema } from './object-schema.ts'

function compile(fields: Record<string, unknown>, rest: Record<string, unknown> = {}): ObjectSchema {
  const result = checkObjectDefinition({ name: 'thing', fields, ...rest })
  if (!result.ok) throw new Error(JSON.stringify(result.errors))
  return compileObject(result.definition)
}

function problems(input: unknown): [string, string][] {
  const result = checkObjectDefinition(input)
  return result.ok ? [] : result.errors.map(({ field, code }: FieldError) => [field, code])
}

const text = { type: 'text' }

describe('checking a definition', () => {
  it.each<[string, unknown, [string, string][]]>([
    ['no object', 5, [['', 'invalid_type']]],
    ['no name', { fields: {} }, [['name', 'required']]],
    ['a name of another form', { name: 'Thing', fields: {} }, [['name', 'invalid_format']]],
    ['a reserved name', { name: 'import', fields: {} }, [['name', 'not_allowed']]],
    ['fields that are no map', { name: 'a', fields: [] }, [['fields', 'invalid_type']]],
    ['a field name of another form', { name: 'a', fields: { 'A b': text } }, [['fields.A b', 'invalid_format']]],
    [
      'a system field',
      { name: 'a', fields: { id: text, owner: text } },
      [
        ['fields.id', 'not_allowed'],
        ['fields.owner', 'not_allowed'],
      ],
    ],
    ['rowid', { name: 'a', fields: { rowid: text } }, [['fields.rowid', 'not_allowed']]],
    ['a field without a type', { name: 'a', fields: { x: {} } }, [['fields.x.type', 'required']]],
    ['an unknown type', { name: 'a', fields: { x: { type: 'nope' } } }, [['fields.x.type', 'invalid_option']]],
    ['the type of the id', { name: 'a', fields: { x: { type: 'id' } } }, [['fields.x.type', 'invalid_option']]],
    [
      'a setting of a wrong type',
      { name: 'a', fields: { x: { type: 'text', maxLength: '5' } } },
      [['fields.x.maxLength', 'invalid_number']],
    ],
    ['a select without options', { name: 'a', fields: { x: { type: 'select' } } }, [['fields.x.options', 'required']]],
    [
      'an option that occurs twice',
      { name: 'a', fields: { x: { type: 'select', options: ['a', { value: 'a' }] } } },
      [['fields.x.options.1', 'duplicate_value']],
    ],
    [
      'a lookup without a reference',
      { name: 'a', fields: { x: { type: 'lookup' } } },
      [['fields.x.reference', 'required']],
    ],
    [
      'a broken pattern',
      { name: 'a', fields: { x: { type: 'text', pattern: '(' } } },
      [['fields.x.pattern', 'invalid_format']],
    ],
    [
      'a pattern with look-around',
      { name: 'a', fields: { x: { type: 'text', pattern: '(?=a)a' } } },
      [['fields.x.pattern', 'invalid_format']],
    ],
    [
      'a pattern with a back-reference',
      { name: 'a', fields: { x: { type: 'text', pattern: '(a)\\1' } } },
      [['fields.x.pattern', 'invalid_format']],
    ],
    [
      'an unknown display field',
      { name: 'a', fields: {}, displayNameField: 'x' },
      [['displayNameField', 'unknown_field']],
    ],
    [
      'an index of an unknown field',
      { name: 'a', fields: {}, indexes: [{ fields: ['x'] }] },
      [['indexes.0.fields.0', 'unknown_field']],
    ],
    [
      'an unknown searched field',
      { name: 'a', fields: {}, search: { fields: ['x'] } },
      [['search.fields.0', 'unknown_field']],
    ],
    [
      'a name beside a currency',
      { name: 'a', fields: { p: { type: 'currency' }, p__currency: text } },
      [['fields.p__currency', 'not_allowed']],
    ],
    ['an unknown sharing model', { name: 'a', fields: {}, sharingModel: 'x' }, [['sharingModel', 'invalid_option']]],
  ])('refuses %s', (_name, input, expected) => {
    expect(problems(input)).toEqual(expected)
  })

  it('refuses more fields than a table should have', () => {
    const fields = Object.fromEntries(Array.from({ length: maxFields + 1 }, (_, i) => [`f${i}`, text]))
    expect(problems({ name: 'a', fields })).toEqual([['fields', 'max_items']])
  })

  it('reports every problem at once', () => {
    const fields = { A: text, x: { type: 'nope' }, y: { type: 'number', scale: 99 } }
    expect(problems({ name: 'a', fields })).toHaveLength(3)
  })

  it('keeps unknown keys with a warning', () => {
    const input = { name: 'a', color2: 1, fields: { x: { type: 'text', fancy: true } }, enable: { magic: true } }
    const result = checkObjectDefinition(input)
    if (!result.ok) throw new Error('refused')
    expect(result.definition).toMatchObject(input)
    expect(result.warnings.map((warning) => warning.path)).toEqual(['color2', 'enable.magic', 'fields.x.fancy'])
  })

  it('takes SQL words as names', () => {
    expect(problems({ name: 'select', fields: { from: text, where: text, order: text } })).toEqual([])
  })
})

describe('a compiled object', () => {
  it('has every default', () => {
    const thing = compile({ first_name: text })
    expect(thing).toMatchObject({
      table: 'o_thing',
      label: 'Thing',
      pluralLabel: 'Things',
      sharingModel: 'read_write',
      active: true,
    })
    expect(thing.byName.get('first_name')).toMatchObject({
      label: 'First Name',
      required: false,
      sortable: true,
      caseSensitive: true,
    })
    expect(thing.enable).toMatchObject({ trash: true, searchable: true, apiEnabled: true, apiMethods: null })
  })

  it('shows the system fields first and hides the marks of deletion', () => {
    const names = compile({ b: text, a: text }).visibleFields.map((field) => field.name)
    expect(names).toEqual(['id', 'created_at', 'updated_at', 'created_by', 'updated_by', 'owner', 'b', 'a'])
    expect([...compile({}).byName.keys()]).toContain('deleted_at')
  })

  it.each([
    [{ a: { type: 'number' }, b: text, title: text }, {}, 'title'],
    [{ subject: text, name: text }, {}, 'name'],
    [{ n: { type: 'number' }, b: text }, {}, 'b'],
    [{ n: { type: 'number' } }, {}, 'id'],
    [{ name: text, b: text }, { displayNameField: 'b' }, 'b'],
  ])('of %j with %j displays %s', (fields, rest, expected) => {
    expect(compile(fields, rest).displayField.name).toBe(expected)
  })

  it.each([
    [{ a: text, n: { type: 'number' }, mail: { type: 'email' } }, {}, ['a', 'mail']],
    [{ a: text, b: { type: 'markdown', searchable: true } }, {}, ['b']],
    [{ a: text, b: { type: 'text', searchable: false } }, {}, ['a']],
    [{ a: text, b: text, n: { type: 'number' } }, { search: { fields: ['b', 'n', 'b'] } }, ['b']],
    [{ a: text }, { enable: { searchable: false } }, []],
  ])('of %j with %j searches %j', (fields, rest, expected) => {
    expect(compile(fields, rest).searchFields.map((field) => field.name)).toEqual(expected)
  })

  it('indexes unique fields and single relations', () => {
    const thing = compile({
      plain: text,
      code: { type: 'text', externalId: true },
      one: { type: 'lookup', reference: 'thing' },
      all: { type: 'lookup', reference: 'thing', multiple: true },
    })
    const flags = thing.fields.map(({ name, unique, index, multiple }) => [name, unique, index, multiple])
    expect(flags).toEqual([
      ['plain', false, false, false],
      ['code', true, true, false],
      ['one', false, true, false],
      ['all', false, false, true],
    ])
  })

  it('gives options labels, and defaults from the options and from required booleans', () => {
    const { byName } = compile({
      s: { type: 'select', options: ['in_progress', { value: 'x', label: 'Ex', default: true }] },
      m: {
        type: 'multiselect',
        options: [
          { value: 'a', default: true },
          { value: 'b', default: true },
        ],
      },
      b: { type: 'boolean', required: true },
      c: { type: 'boolean' },
    })
    expect(byName.get('s')!.options.map((option) => option.label)).toEqual(['In Progress', 'Ex'])
    expect(byName.get('s')!.defaultValue).toBe('x')
    expect(byName.get('m')!.defaultValue).toEqual(['a', 'b'])
    expect(byName.get('b')!.defaultValue).toBe(false)
    expect(byName.get('c')!.defaultValue).toBeUndefined()
  })

  it('cannot be changed', () => {
    const thing = compile({ a: text })
    expect(Object.isFrozen(thing)).toBe(true)
    expect(Object.isFrozen(thing.fields)).toBe(true)
    expect(Object.isFrozen(thing.fields[0])).toBe(true)
  })
})
