// What the preview of the designer shows of stored values.
import { describe, expect, it } from 'vitest'
import { translateField } from '../../fields/index.ts'
import type { FieldContext } from '../../fields/index.ts'
import { previewCell } from './preview-cell.ts'

const context: FieldContext = { locale: 'en', timeZone: 'UTC', translate: translateField }
const text = { name: 'hours', type: 'text' }
const number = { name: 'hours', type: 'number' }

describe('the preview of a value', () => {
  it('is the value while the type stays', () => {
    expect(previewCell(text, { ...text, label: 'Time' }, 'two days', context)).toEqual({
      value: 'two days',
      lost: false,
    })
  })

  it('is converted to another type, or marked when it cannot be', () => {
    expect(previewCell(text, number, '1.5', context)).toEqual({ value: 1.5, lost: false })
    expect(previewCell(text, number, 'two days', context)).toEqual({ value: 'two days', lost: true })
    expect(previewCell(text, number, null, context)).toEqual({ value: null, lost: false })
  })

  it('of a new field is its default, unless the host works it out', () => {
    expect(previewCell(undefined, { ...text, defaultValue: 'none' }, undefined, context).value).toBe('none')
    expect(previewCell(undefined, { ...text, defaultValue: '{today}' }, undefined, context).value).toBe(null)
    expect(previewCell(undefined, { ...text, defaultValue: '= 1 + 1' }, undefined, context).value).toBe(null)
  })
})
