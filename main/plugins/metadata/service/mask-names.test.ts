import { describe, expect, it } from 'vitest'
import { withoutHidden } from './mask-names.ts'

const hidden = new Set(['pay', 'rank'])

describe('names a caller may not know', () => {
  it('leave lists, keys, conditions and expressions', () => {
    const body = {
      name: 'task',
      label: 'Who gets pay',
      displayNameField: 'pay',
      compactLayout: ['title', 'pay'],
      indexes: [{ fields: ['title'] }, { fields: ['title', 'rank'] }],
      fields: {
        title: { type: 'text', visibleOn: 'record.pay > 1', help: 'See pay' },
        total: { expression: 'record.payment' },
      },
      search: { fields: ['rank', 'title'] },
      analytics: { measures: { pay_sum: { field: 'pay' }, count: { type: 'count' } } },
    }
    expect(withoutHidden(body, { names: hidden, paths: new Set() })).toEqual({
      name: 'task',
      label: 'Who gets pay',
      compactLayout: ['title'],
      indexes: [{ fields: ['title'] }],
      fields: { title: { type: 'text', help: 'See pay' }, total: { expression: 'record.payment' } },
      search: { fields: ['title'] },
      analytics: { measures: { pay_sum: {}, count: { type: 'count' } } },
    })
  })

  it('cost nothing where nothing is hidden', () => {
    const body = { name: 'task' }
    expect(withoutHidden(body, { names: new Set(), paths: new Set() })).toBe(body)
  })
})
