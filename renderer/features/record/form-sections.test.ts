// Forms as the host lays them out and as people store them.
import { describe, expect, it } from 'vitest'
import { readSections } from './form-sections.ts'

describe('sections of a form', () => {
  it('are read with bare names and with descriptions of fields', () => {
    const view = {
      sections: [
        {
          name: 'main',
          label: 'Main',
          collapsed: true,
          fields: ['title', { field: 'notes', colSpan: 2, label: 'Text' }],
        },
        {
          fields: [
            { field: 'hidden', hidden: true },
            { field: 'id', readonly: true },
          ],
        },
      ],
    }
    expect(readSections(view)).toEqual([
      {
        name: 'main',
        label: 'Main',
        collapsed: true,
        fields: [
          { field: 'title', label: undefined, readonly: false, wide: false },
          { field: 'notes', label: 'Text', readonly: false, wide: true },
        ],
      },
      {
        name: 'section-1',
        label: 'section-1',
        collapsed: false,
        fields: [{ field: 'id', label: undefined, readonly: true, wide: false }],
      },
    ])
  })

  it('leave out what is not understood', () => {
    expect(readSections({ sections: [null, { fields: 'all' }, { fields: [7] }] })).toEqual([])
    expect(readSections({})).toEqual([])
  })
})
