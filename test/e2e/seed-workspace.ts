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
  await seedEveryType(bench, put)
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

type Put = (name: string, item: Record<string, unknown>) => Promise<unknown>

/** An object with the rarer types, one record that has a value of each, and one deleted field. */
async function seedEveryType(bench: ConsoleBench, put: Put): Promise<void> {
  const options = ['Small', 'Large'].map((label) => ({ value: label.toLowerCase(), label }))
  const fields = {
    name: { type: 'text', label: 'Name' },
    rating: { type: 'rating', label: 'Rating' },
    progress: { type: 'progress', label: 'Progress' },
    starts: { type: 'time', label: 'Starts' },
    size: { type: 'radio', label: 'Size', options },
    sizes: { type: 'checkboxes', label: 'Sizes', options },
    on: { type: 'toggle', label: 'On' },
    color: { type: 'color', label: 'Color' },
    address: { type: 'address', label: 'Address' },
    place: { type: 'location', label: 'Place' },
    box: {
      type: 'composite',
      label: 'Box',
      fields: { width: { type: 'number', label: 'Width' }, height: { type: 'number', label: 'Height' } },
    },
    lines: {
      type: 'repeater',
      label: 'Lines',
      fields: { what: { type: 'text', label: 'What' }, count: { type: 'number', label: 'Count' } },
    },
    note: { type: 'record', label: 'Any note', references: ['note', 'book'] },
    secret: { type: 'secret', label: 'Secret' },
    double: { type: 'formula', label: 'Double', expression: 'record.rating * 2', returnType: 'number' },
  }
  const label = { label: 'Every type', pluralLabel: 'Every type' }
  await put('every', { ...label, fields: { ...fields, gone: { type: 'text' } } })
  await bench.api('POST', '/data/every', {
    name: 'All of them',
    rating: 4,
    progress: 65,
    starts: '14:30',
    size: 'small',
    sizes: ['small', 'large'],
    on: true,
    color: '#1d4ed8',
    address: { street: 'Long Road 1', postalCode: '12345', city: 'Oldtown' },
    place: { latitude: 52.52, longitude: 13.405 },
    box: { width: 3, height: 4.5 },
    lines: [
      { what: 'Nails', count: 20 },
      { what: 'Boards', count: 4 },
    ],
    secret: 'hidden words',
    gone: 'soon',
  })
  await bench.api('PUT', '/meta/object/every?confirm=true', { name: 'every', ...label, fields })
}
