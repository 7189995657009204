// What the pictures show: the films of vega-datasets with most votes, a board by rating, and one film with a life of its own.
import { readMovies } from '../support/datasets.ts'
import type { ConsoleBench } from '../e2e/open-console.ts'

/** The film whose record is shown. */
export interface ShownFilm {
  readonly id: string
  readonly title: string
  readonly comment: string
}

/** Values of options are words; their labels say what stands in the data set. */
const wordOf = (label: string): string => label.replaceAll(/[^A-Za-z0-9]+/g, '_')

const choices = (labels: readonly string[]) => labels.map((label) => ({ value: wordOf(label), label }))

const chosen = (value: unknown): string | null => (typeof value === 'string' ? wordOf(value) : null)

const unique = (values: readonly unknown[]): string[] =>
  [...new Set(values.filter((value): value is string => typeof value === 'string'))].toSorted()

/** Makes the object, its records and its board. */
export async function seedFilms({ api }: Pick<ConsoleBench, 'api'>): Promise<ShownFilm> {
  const films = readMovies()
    .filter((film) => typeof film['Title'] === 'string' && Number(film['IMDB Votes']) > 150_000)
    .slice(0, 200)
  await api('PUT', '/meta/object/film', {
    name: 'film',
    label: 'Film',
    pluralLabel: 'Films',
    fields: {
      title: { type: 'text', label: 'Title', required: true },
      rating: { type: 'select', label: 'Rating', options: choices(['G', 'PG', 'PG-13', 'R']) },
      genre: { type: 'select', label: 'Genre', options: choices(unique(films.map((film) => film['Major Genre']))) },
      director: { type: 'text', label: 'Director' },
      released: { type: 'text', label: 'Released' },
      budget: { type: 'currency', label: 'Budget' },
      score: { type: 'number', label: 'Score' },
    },
  })
  const rated = new Set<unknown>(['G', 'PG', 'PG-13', 'R'])
  const records = films.map((film) => ({
    title: String(film['Title']),
    rating: rated.has(film['MPAA Rating']) ? chosen(film['MPAA Rating']) : null,
    genre: chosen(film['Major Genre']),
    director: film['Director'],
    released: film['Release Date'],
    budget: film['Production Budget'],
    score: film['IMDB Rating'],
  }))
  await api('POST', '/data/film/createMany', { records })
  await api('POST', '/ui/views', {
    object: 'film',
    viewKind: 'list',
    key: 'by_rating',
    label: 'By rating',
    config: {
      type: 'kanban',
      kanban: { groupByField: 'rating', sumField: 'budget' },
      columns: ['title', 'rating', 'genre', 'director', 'score'],
    },
  })
  const { records: found } = await api<{ records: { id: string; title: string }[] }>('GET', '/data/film?top=1')
  const first = found[0]
  if (!first) throw new Error('There are no films.')
  const comment = 'The budget comes from the data set; please compare it with the annual report.'
  await api('PATCH', `/data/film/${first.id}`, { score: 9 })
  await api('POST', `/data/film/${first.id}/feed`, { type: 'comment', body: comment })
  return { ...first, comment }
}
