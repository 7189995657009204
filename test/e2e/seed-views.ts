// What the workspace of the kinds of view holds: films with a state, days, a colour and a distributor, and a view of each
// kind.
import type { ConsoleBench } from './open-console.ts'

/** States of a film, in the order of the columns of a kanban. */
export const states = ['Proposed', 'Confirmed', 'Scheduled', 'Running'] as const

const colors = ['#234047', '#a43f6d', '#dce8df', '#2b254a', '#c1542c'] as const

/** Days of March 2026; every fifth film has none. */
function daysOf(index: number): { first_day: string | null; last_day: string | null } {
  if (index % 5 === 4) return { first_day: null, last_day: null }
  const first = 1 + ((index * 5) % 28)
  const last = first + (index % 4)
  const day = (of: number): string => `2026-03-${String(of).padStart(2, '0')}`
  return { first_day: day(first), last_day: index % 4 === 0 ? null : day(Math.min(last, 31)) }
}

/** Objects, 40 films, and the views `by_status`, `release`, `posters`, `propose` and `takings`. */
export async function seedViews(bench: ConsoleBench): Promise<void> {
  const put = async (name: string, item: Record<string, unknown>): Promise<unknown> =>
    bench.api('PUT', `/meta/object/${name}`, { type: 'object', name, item: { name, ...item } })
  const options = (labels: readonly string[]) => labels.map((label) => ({ value: label.toLowerCase(), label }))
  await put('distributor', {
    label: 'Distributor',
    pluralLabel: 'Distributors',
    fields: { name: { type: 'text', label: 'Name' } },
  })
  await put('film', {
    label: 'Film',
    pluralLabel: 'Films',
    fields: {
      title: { type: 'text', label: 'Title', required: true },
      status: { type: 'select', label: 'Status', options: options(states) },
      genre: { type: 'select', label: 'Genre', options: options(['Comedy', 'Drama', 'Documentary']) },
      cost: { type: 'currency', label: 'Cost' },
      first_day: { type: 'date', label: 'First day' },
      last_day: { type: 'date', label: 'Last day' },
      poster: { type: 'color', label: 'Poster' },
      distributor: { type: 'lookup', label: 'Distributor', reference: 'distributor' },
    },
  })
  const makers = await Promise.all(
    ['Blue Lumen', 'Northlight'].map(async (name) => bench.api<{ id: string }>('POST', '/data/distributor', { name })),
  )
  const records = Array.from({ length: 40 }, (_, index) => ({
    title: `Film ${index + 1}`,
    status: index % 6 === 5 ? null : states[index % 4]!.toLowerCase(),
    genre: ['comedy', 'drama', 'documentary'][index % 3],
    cost: 400 + index * 50,
    ...daysOf(index),
    poster: index % 7 === 6 ? null : colors[index % colors.length],
    distributor: index % 3 === 2 ? null : makers[index % 2]?.id,
  }))
  await bench.api('POST', '/data/film/createMany', { records })
  const view = async (
    key: string,
    label: string,
    config: Record<string, unknown>,
    viewKind = 'list',
  ): Promise<unknown> => bench.api('POST', '/ui/views', { object: 'film', viewKind, key, label, config })
  const columns = ['title', 'status', 'genre', 'cost', 'first_day', 'distributor']
  await view('by_status', 'By status', {
    type: 'kanban',
    kanban: { groupByField: 'status', sumField: 'cost' },
    columns,
  })
  await view('release', 'Release calendar', {
    type: 'calendar',
    calendar: { startDateField: 'first_day', endDateField: 'last_day', colorField: 'status' },
    columns,
  })
  await view('posters', 'Posters', { type: 'gallery', gallery: { coverField: 'poster' }, columns })
  await view('takings', 'Takings', {
    type: 'chart',
    chart: { chartType: 'bar', dimension: 'status', measures: 'cost.sum' },
  })
  await view(
    'propose',
    'Propose a film',
    {
      type: 'simple',
      title: 'Propose a film',
      description: 'For the spring programme.',
      fields: [
        'title',
        { field: 'genre', label: 'Kind', help: 'As the programme has it.', required: true },
        'first_day',
      ],
      submitLabel: 'Send proposal',
    },
    'form',
  )
}
