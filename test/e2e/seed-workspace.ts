// What the seeded workspace of the screens holds: an object with one field per common type, one with few, one without.
import type { ConsoleBench } from './open-console.ts'

/** Objects and records the seeded workspace holds. */
export async function seedWorkspace(bench: ConsoleBench): Promise<void> {
  const put = async (name: string, item: Record<string, unknown>): Promise<unknown> =>
    bench.api('PUT', `/meta/object/${name}`, { type: 'object', name, item: { name, ...item } })
  await put('book', {
    label: 'Book',
    pluralLabel: 'Books',
    fields: {
      title: { type: 'text', label: 'Title', required: true },
      genre: {
        type: 'select',
        label: 'Genre',
        options: ['Novel', 'Poetry', 'Science', 'History'].map((label) => ({ value: label.toLowerCase(), label })),
      },
      pages: { type: 'number', label: 'Pages', scale: 0 },
      price: { type: 'currency', label: 'Price' },
      read: { type: 'boolean', label: 'Read' },
      bought: { type: 'date', label: 'Bought' },
      website: { type: 'url', label: 'Website' },
      tags: { type: 'tags', label: 'Tags' },
      notes: { type: 'textarea', label: 'Notes' },
    },
  })
  await put('note', {
    label: 'Note',
    pluralLabel: 'Notes',
    fields: { title: { type: 'text', label: 'Title' }, pages: { type: 'number', label: 'Pages' } },
  })
  await put('bare', { label: 'Bare', pluralLabel: 'Bare things', fields: {} })
  const genres = ['novel', 'poetry', 'science', 'history', null]
  const records = Array.from({ length: 240 }, (_, index) => ({
    title: `Book ${index + 1}`,
    genre: genres[index % genres.length],
    pages: 40 + ((index * 37) % 900),
    price: 4.5 + (index % 40),
    read: index % 3 === 0,
    bought: `2026-0${(index % 9) + 1}-1${index % 9}`,
    website: index % 4 === 0 ? `https://example.org/${index}` : null,
    tags: index % 5 === 0 ? ['lent', 'gift'] : [],
    notes: index % 7 === 0 ? 'A longer remark about this book, long enough to be cut at the edge of its cell.' : null,
  }))
  await bench.api('POST', '/data/book/createMany', { records })
}
