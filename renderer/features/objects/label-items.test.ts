// Labels of an object in a language, as they stand in a translation item.
import { describe, expect, it } from 'vitest'
import { labelItemName, readLabels, writeLabels } from './label-items.ts'

const book = { name: 'book', fields: { title: { type: 'text' }, pages: { type: 'number' } } }
const item = {
  name: 'labels_de_at',
  locale: 'de-AT',
  translations: {
    messages: { hello: 'Servus' },
    objects: {
      shop: { label: 'Laden' },
      book: { label: 'Buch', description: 'Alles', fields: { title: { label: 'Titel', help: 'Wie es heißt' } } },
    },
  },
}

describe('the labels of an object in a language', () => {
  it('are read with nothing for what has none', () => {
    expect(readLabels(item, book)).toEqual({ label: 'Buch', pluralLabel: '', fields: { title: 'Titel', pages: '' } })
    expect(readLabels(undefined, book)).toEqual({ label: '', pluralLabel: '', fields: { title: '', pages: '' } })
  })

  it('are written beside everything else of the item', () => {
    const labels = { label: '', pluralLabel: 'Bücher', fields: { title: ' ', pages: 'Seiten' } }
    expect(writeLabels(item, 'de-AT', 'book', labels)).toEqual({
      name: 'labels_de_at',
      locale: 'de-AT',
      translations: {
        messages: { hello: 'Servus' },
        objects: {
          shop: { label: 'Laden' },
          book: {
            pluralLabel: 'Bücher',
            description: 'Alles',
            fields: { title: { help: 'Wie es heißt' }, pages: { label: 'Seiten' } },
          },
        },
      },
    })
  })

  it('stand in an item named by the language', () => {
    expect(labelItemName('zh-CN')).toBe('labels_zh_cn')
  })
})
