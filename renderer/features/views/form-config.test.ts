import { describe, expect, it } from 'vitest'
import { formFields, moved, readForm, writeForm } from './form-config.ts'

const fields = [
  { name: 'title', type: 'text', label: 'Title', required: true },
  { name: 'pages', type: 'number', label: 'Pages' },
  { name: 'double', type: 'formula', label: 'Double' },
]

describe('a form', () => {
  it('leaves out what nobody may write, what is gone and what is named twice', () => {
    const { fields: entries } = readForm({ fields: ['title', 'double', 'gone', { field: 'title' }] }, fields)
    expect(entries).toEqual([{ field: 'title' }])
  })

  it('reads the sections of a layout as one list', () => {
    const { fields: entries } = readForm({ sections: [{ fields: ['pages'] }, { fields: ['title'] }] }, fields)
    expect(entries.map(({ field }) => field)).toEqual(['pages', 'title'])
  })

  it('is read as it was written, and takes away what was emptied', () => {
    const form = {
      title: 'Propose a book',
      description: '',
      submit: 'Propose',
      thanks: '',
      fields: [{ field: 'pages', label: 'How long', help: 'A guess will do.', required: true }, { field: 'title' }],
    }
    const stored = writeForm(form)
    expect(stored).toMatchObject({ description: null, successMessage: null, sections: null })
    expect(readForm(stored, fields)).toEqual(form)
  })

  it('asks for more than the object, never for less', () => {
    const form = readForm({ fields: ['title', { field: 'pages', required: true }] }, fields)
    expect(formFields(form, fields).map(({ name, required }) => [name, required])).toEqual([
      ['title', true],
      ['pages', true],
    ])
  })

  it('keeps every entry when one is moved', () => {
    expect(moved(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a'])
    expect(moved(['a', 'b', 'c'], 0, -1)).toEqual(['a', 'b', 'c'])
  })
})
