// A dashboard with a tile of each kind, one with two tiles, and an empty one, over the books of the seeded workspace.
import type { ConsoleBench } from './open-console.ts'

/** Saves them; they show what {@link seedWorkspace} holds. */
export async function seedDashboards(bench: ConsoleBench): Promise<void> {
  const put = async (name: string, item: Record<string, unknown>): Promise<unknown> =>
    bench.api('PUT', `/meta/dashboard/${name}`, { type: 'dashboard', name, item: { name, ...item } })
  await bench.api('POST', '/ui/views', {
    object: 'book',
    key: 'long_books',
    viewKind: 'list',
    label: 'Long books',
    scope: 'shared',
    config: {
      type: 'grid',
      columns: ['title', 'genre', 'pages'],
      filter: { pages: { $gt: 500 } },
      sort: [{ field: 'pages', order: 'desc' }],
    },
  })
  const book = (more: Record<string, unknown>): Record<string, unknown> => ({ cube: 'book', ...more })
  const place = (x: number, y: number, w: number, h: number): Record<string, number> => ({ x, y, w, h })
  await put('reading', {
    label: 'Reading',
    columns: 12,
    widgets: [
      { id: 'all', type: 'metric', title: 'Books', query: book({ measures: ['count'] }), layout: place(0, 0, 3, 2) },
      {
        id: 'paid',
        type: 'metric',
        title: 'Paid for novels',
        query: book({ measures: ['price.sum'], where: { genre: 'novel' } }),
        layout: place(3, 0, 3, 2),
      },
      {
        id: 'about',
        type: 'text',
        title: 'About',
        options: { text: '**All** books, also those that are lent.\n\n- Figures of today\n- [All books](#/o/book)' },
        layout: place(6, 0, 6, 2),
      },
      {
        id: 'genres',
        type: 'chart',
        chartType: 'bar',
        title: 'Books by genre',
        query: book({ measures: ['count'], dimensions: ['genre'] }),
        layout: place(0, 2, 6, 4),
      },
      {
        id: 'months',
        type: 'chart',
        chartType: 'area',
        title: 'Pages bought by month',
        query: book({ measures: ['pages.sum'], dimensions: ['bought.month'] }),
        layout: place(6, 2, 6, 4),
      },
      {
        id: 'share',
        type: 'chart',
        chartType: 'pie',
        title: 'Price by genre',
        query: book({ measures: ['price.sum'], dimensions: ['genre'] }),
        layout: place(0, 6, 4, 4),
      },
      {
        id: 'weeks',
        type: 'chart',
        chartType: 'line',
        title: 'Books by week',
        query: book({ measures: ['count'], dimensions: ['bought.week'] }),
        layout: place(4, 6, 4, 4),
      },
      {
        id: 'titles',
        type: 'chart',
        chartType: 'bar',
        title: 'Pages by title',
        query: book({ measures: ['pages.sum'], dimensions: ['title'] }),
        layout: place(8, 6, 4, 4),
      },
      {
        id: 'figures',
        type: 'table',
        title: 'Genres',
        query: book({ measures: ['count', 'pages.avg'], dimensions: ['genre', 'read'] }),
        layout: place(0, 10, 6, 4),
      },
      { id: 'long', type: 'list', title: 'Long books', view: 'book.long_books', layout: place(6, 10, 6, 4) },
      {
        id: 'gone',
        type: 'metric',
        title: 'Elsewhere',
        query: { cube: 'nothing_here', measures: ['count'] },
        layout: place(0, 14, 6, 2),
      },
      { id: 'unset', type: 'list', title: 'Later', layout: place(6, 14, 6, 2) },
    ],
  })
  await put('genres', {
    label: 'Genres',
    columns: 12,
    widgets: [
      {
        id: 'paid',
        type: 'metric',
        title: 'Paid for novels',
        query: book({ measures: ['price.sum'], where: { genre: 'novel' } }),
        layout: place(0, 0, 3, 2),
      },
      {
        id: 'genres',
        type: 'chart',
        chartType: 'bar',
        title: 'Books by genre',
        query: book({ measures: ['count'], dimensions: ['genre'] }),
        layout: place(0, 2, 6, 4),
      },
    ],
  })
  await put('blank', { label: 'Blank', columns: 12, widgets: [] })
}
