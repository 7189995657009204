// What saving refuses in the fields of a definition: settings of the wrong form, bounds no value can meet, keys a type or an
// inner field cannot keep.
import { describe, expect, it } from 'vitest'
import { neededSettings } from '../../test/support/field-cases.ts'
import { fieldTypes } from '../field-types/registry.ts'
import { checkObjectDefinition } from '../object-definition.ts'

function findings(field: unknown, others: Record<string, unknown> = {}) {
  const result = checkObjectDefinition({ name: 'thing', fields: { f: field, ...others } })
  return {
    errors: result.ok ? [] : result.errors.map((error) => `${error.field} ${error.code}`),
    warnings: result.warnings.map((warning) => warning.path),
  }
}

const group = (fields: Record<string, unknown>, type = 'composite') => ({ type, fields })
const option = (value: string) => ({ value, default: true })

describe('checking a field', () => {
  it.each(Object.keys(fieldTypes))('takes %s with the settings it needs', (type) => {
    expect(findings({ type, ...neededSettings[type] })).toEqual({ errors: [], warnings: [] })
  })

  it.each([
    [{ type: 'select' }, 'f.options required'],
    [{ type: 'radio' }, 'f.options required'],
    [{ type: 'checkboxes' }, 'f.options required'],
    [{ type: 'select', options: ['a b'] }, 'f.options.0 invalid_format'],
    [{ type: 'radio', options: ['a', 'a'] }, 'f.options.1 duplicate_value'],
    [{ type: 'select', options: [option('a'), option('b')] }, 'f.options.1.default not_allowed'],
    [{ type: 'lookup' }, 'f.reference required'],
    [{ type: 'master_detail' }, 'f.reference required'],
    [{ type: 'master_detail', reference: 'a', deleteBehavior: 'set_null' }, 'f.deleteBehavior invalid_option'],
    [{ type: 'master_detail', reference: 'a', multiple: true }, 'f.multiple not_allowed'],
    [{ type: 'tree', multiple: true }, 'f.multiple not_allowed'],
    [{ type: 'record', references: ['No'] }, 'f.references.0 invalid_format'],
    [{ type: 'formula' }, 'f.expression required'],
    [{ type: 'formula', expression: '' }, 'f.expression min_length'],
    [{ type: 'formula', expression: '1', returnType: 'money' }, 'f.returnType invalid_option'],
    [{ type: 'summary' }, 'f.summaryOperations required'],
    [{ type: 'summary', summaryOperations: { object: 'a', function: 'sum' } }, 'f.summaryOperations.field required'],
    [
      { type: 'summary', summaryOperations: { object: 'a', function: 'median', field: 'x' } },
      'f.summaryOperations.function invalid_option',
    ],
    [{ type: 'vector' }, 'f.vectorConfig required'],
    [{ type: 'vector', vectorConfig: { dimensions: 0 } }, 'f.vectorConfig.dimensions min_value'],
    [{ type: 'vector', vectorConfig: { dimensions: 10_001 } }, 'f.vectorConfig.dimensions max_value'],
    [{ type: 'rating', maxRating: 0 }, 'f.maxRating min_value'],
    [{ type: 'slider', step: 0 }, 'f.step min_value'],
    [{ type: 'color', colorFormat: 'cmyk' }, 'f.colorFormat invalid_option'],
    [{ type: 'autonumber', autonumberFormat: 'X-{YYYY}' }, 'f.autonumberFormat invalid_format'],
    [{ type: 'autonumber', autonumberFormat: 'X-{YY}-{0}' }, 'f.autonumberFormat invalid_format'],
    [{ type: 'qrcode', maxLength: 2_001 }, 'f.maxLength max_value'],
    [
      { type: 'file', fileAttachmentConfig: { allowedTypes: ['p/df'] } },
      'f.fileAttachmentConfig.allowedTypes.0 invalid_format',
    ],
    [{ type: 'file', fileAttachmentConfig: { minSize: 2, maxSize: 1 } }, 'f.fileAttachmentConfig.minSize min_value'],
    [{ type: 'number', min: 2, max: 1 }, 'f.min min_value'],
    [{ type: 'date', min: '2026-01-02', max: '2026-01-01' }, 'f.min min_value'],
    [{ type: 'text', minLength: 6, maxLength: 5 }, 'f.minLength min_length'],
    [{ type: 'repeater', fields: { a: { type: 'text' } }, minItems: 3, maxItems: 2 }, 'f.minItems min_items'],
    [{ type: 'text', pattern: '(' }, 'f.pattern invalid_format'],
    [{ type: 'text', pattern: '(?<!a)b' }, 'f.pattern invalid_format'],
    [{ type: 'text', pattern: '(?<n>a)\\k<n>' }, 'f.pattern invalid_format'],
    [{ type: 'json', unique: true }, 'f.unique not_allowed'],
    [{ type: 'secret', externalId: true }, 'f.externalId not_allowed'],
    [{ type: 'vector', vectorConfig: { dimensions: 1 }, index: true }, 'f.index not_allowed'],
    [{ type: 'password', defaultValue: 'changeme' }, 'f.defaultValue not_allowed'],
    [group({}), 'f.fields invalid_format'],
    [group({ A: { type: 'text' } }), 'f.fields.A invalid_format'],
    [group({ a: { type: 'nope' } }), 'f.fields.a.type invalid_option'],
    [group({ a: { type: 'select' } }), 'f.fields.a.options required'],
    [group({ a: { type: 'text', unique: true } }), 'f.fields.a.unique not_allowed'],
    [group({ a: { type: 'number', defaultValue: 'x' } }), 'f.fields.a.defaultValue invalid_number'],
    [group({ a: { type: 'date', defaultValue: '{today}' } }), 'f.fields.a.defaultValue not_allowed'],
    [group({ a: group({ b: { type: 'date', defaultValue: 5 } }) }), 'f.fields.a.fields.b.defaultValue invalid_date'],
    [
      group({ a: group({ b: group({ c: group({ d: { type: 'text' } }) }) }) }),
      'f.fields.a.fields.b.fields.c.fields max_items',
    ],
  ])('refuses %j', (field, expected) => {
    expect(findings(field).errors).toEqual([`fields.${expected}`])
  })

  it('compares bounds of instants as instants', () => {
    const [min, max] = ['2026-01-01T10:00+05:00', '2026-01-01T09:00Z']
    expect(findings({ type: 'datetime', min, max }).errors).toEqual([])
    expect(findings({ type: 'datetime', min: max, max: min }).errors).toEqual(['fields.f.min min_value'])
  })

  it('refuses inner fields that mean something beyond the record', () => {
    const refused = Object.keys(fieldTypes).filter(
      (type) => findings(group({ a: { type, ...neededSettings[type] } })).errors.length > 0,
    )
    expect(refused).toEqual(
      (
        'lookup master_detail tree user record file image avatar video audio signature formula summary autonumber ' +
        'password secret vector'
      ).split(' '),
    )
  })

  it('refuses a third owner', () => {
    const owner = { type: 'master_detail', reference: 'thing' }
    expect(findings(owner, { g: owner }).errors).toEqual([])
    expect(findings(owner, { g: owner, h: owner }).errors).toEqual(['fields.h.type max_items'])
  })

  it('does not repeat a default that was meant to be secret', () => {
    const result = checkObjectDefinition({ name: 'thing', fields: { f: { type: 'secret', defaultValue: 'hidden1' } } })
    expect(result.ok).toBe(false)
    expect(JSON.stringify(result)).not.toContain('hidden1')
  })

  it('warns about keys without effect', () => {
    expect(findings({ type: 'number', multiple: true }).warnings).toEqual(['fields.f.multiple'])
    expect(findings({ type: 'number', searchable: true }).warnings).toEqual(['fields.f.searchable'])
    expect(findings({ type: 'master_detail', reference: 'thing', required: false }).warnings).toEqual([
      'fields.f.required',
    ])
    expect(findings(group({ a: { type: 'text', fancy: 1 } })).warnings).toEqual(['fields.f.fields.a.fancy'])
  })
})
