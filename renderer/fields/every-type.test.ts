// Proves that a screen can show every type the host knows, whatever the value is: as text, without failing.
import { describe, expect, it } from 'vitest'
import { goodValues, named, neededSettings } from '../../test/support/field-cases.ts'
import { fieldTypes } from '#shared/field-types/registry.ts'
import { fieldTypeOf, isEditable, translateField } from './index.ts'
import type { FieldContext, FieldDefinition } from './index.ts'

const context: FieldContext = { locale: 'en', timeZone: 'Europe/Berlin', translate: translateField }

function show(field: FieldDefinition, value: unknown): string[] {
  const type = fieldTypeOf(field)
  const chips = type.chips?.(value, field, context) ?? []
  return [
    type.format(value, field, context),
    type.cellClass(value, field),
    type.toText(value, field, context),
    type.copyText?.(value, field, context) ?? '',
    ...chips.flatMap((chip) => [chip.text, chip.className]),
  ]
}

describe('showing', () => {
  it.each(goodValues.map(named))('%s gives text', (_name, definition, _value, stored) => {
    const field: FieldDefinition = { name: 'f', ...definition }
    for (const text of show(field, stored)) expect(typeof text).toBe('string')
    if (stored === null) expect(fieldTypeOf(field).format(stored, field, context)).toBe('')
    else if (!(Array.isArray(stored) && stored.length === 0) && stored !== '' && stored !== false) {
      expect(fieldTypeOf(field).format(stored, field, context)).not.toBe('')
    }
  })

  it.each(Object.keys(fieldTypes))('a %s survives values of other types', (type) => {
    const field: FieldDefinition = { name: 'f', type, ...neededSettings[type] }
    const values = [null, undefined, 'text', 5, true, [], ['a'], [{ a: 1 }], {}, { value: 1 }, { a: { b: [] } }]
    for (const value of values) for (const text of show(field, value)) expect(typeof text).toBe('string')
  })

  it('lets nobody type into what the server alone fills in', () => {
    const computed = Object.entries(fieldTypes).filter(([, type]) => 'computed' in type && type.computed)
    expect(computed.map(([name]) => name)).toEqual(['formula', 'summary', 'autonumber'])
    expect(computed.filter(([name]) => isEditable({ name: 'f', type: name }))).toEqual([])
  })
})
