// Random records of three related objects, and the same records in memory, for tests that compare the query engine with
// a plain reading of the language. Knows no SQL.
import fc from 'fast-check'
import type { TestHost } from '../create-test-host.ts'

/** A record as the API shows it. */
export type Rec = Readonly<Record<string, unknown>> & { readonly id: string }

/** All live records by object and id. */
export type World = Readonly<Record<'company' | 'project' | 'task', ReadonlyMap<string, Rec>>>

/** The instant every query of the tests is asked at; in Sydney the next day has begun. */
export const presentMs = Date.UTC(2026, 5, 15, 21, 30)
/** The workspace's zone. */
export const zone = 'Australia/Sydney'

/** The options of `task.status` in their order, which is not that of the alphabet. */
export const statuses = ['open', 'doing', 'done'] as const

/** Values that tell wrong comparisons apart: case, folding, wildcards, scripts. */
export const texts = [
  ...[
    '',
    'a',
    'A',
    'ab',
    'AB',
    'b',
    'é',
    'É',
    'ß',
    'ẞ',
    'σ',
    'ς',
    'k',
    '\u212a'.normalize('NFC'),
    '%',
    '_',
    'a%b',
    '\\',
  ],
  ...["o'hara", '"q"', 'x_y', '漢字', '😀', 'null', '10', '9'],
] as const
export const numbers = [-1.5, 0, 1, 2, 2.5, 1e15, 0.1] as const
export const days = [
  '2026-06-13',
  '2026-06-14',
  '2026-06-15',
  '2026-06-16',
  '2026-06-17',
  '2026-05-31',
  '2026-01-01',
] as const
export const instants = [
  '2026-06-14T13:59:59.999Z',
  '2026-06-14T14:00:00.000Z',
  '2026-06-15T13:59:59.999Z',
  '2026-06-15T14:00:00.000Z',
  '2026-06-15T21:30:00.000Z',
  '2026-04-04T15:30:00.000Z',
  '2026-04-04T16:30:00.000Z',
] as const
export const labels = ['red', 'Red', 'blue', 'ü'] as const
const mails = ['a@b.de', 'A@B.de', 'k@x.org'] as const
export const operandsOfMail = [...mails, 'K@X.org'] as const

const maybe = <T>(values: readonly T[]): fc.Arbitrary<T | null> =>
  fc.option(fc.constantFrom(...values), { freq: 4, nil: null })

const companyRow = fc.record({ name: maybe(texts), size: maybe(numbers), tags: maybe([['red'], ['red', 'blue'], []]) })
const projectRow = fc.record({
  name: maybe(texts),
  budget: maybe(numbers),
  active: maybe([true, false]),
  company: fc.nat(3),
})
const taskRow = fc.record({
  title: maybe(texts),
  note: maybe(texts),
  mail: maybe(mails),
  n: maybe(numbers),
  count: maybe([-1, 0, 1, 2]),
  flag: maybe([true, false]),
  day: maybe(days),
  until: maybe(days),
  at: maybe(instants),
  status: maybe(statuses),
  labels: fc.option(fc.uniqueArray(fc.constantFrom(...labels), { maxLength: 3 }), { freq: 4, nil: null }),
  project: fc.nat(5),
  others: fc.option(fc.uniqueArray(fc.nat(4), { maxLength: 3 }), { nil: null }),
  parent: fc.nat(3),
  place: maybe([{ city: 'Bonn' }, { city: 'bonn', street: '%' }, { street: 'a' }]),
  data: maybe<unknown>([
    { a: 1 },
    { a: true },
    { a: '1' },
    { a: 'A' },
    { a: null },
    { a: { b: 1 } },
    { a: [1] },
    {},
    5,
    [1],
  ]),
})

/** Rows to be stored; relations are places in the list of the object they lead to, beyond its end null. */
export const datasets = fc.record({
  companies: fc.array(companyRow, { minLength: 3, maxLength: 3 }),
  projects: fc.array(projectRow, { minLength: 5, maxLength: 5 }),
  tasks: fc.array(taskRow, { minLength: 8, maxLength: 24 }),
  /** Places of projects that are deleted again. */
  deleted: fc.subarray([0, 1, 2, 3, 4], { maxLength: 2 }),
})

/** What {@link datasets} draws. */
export type Dataset = typeof datasets extends fc.Arbitrary<infer T> ? T : never

/** Defines the objects; their names end with `suffix`. */
export async function defineObjects(host: TestHost, suffix: string): Promise<void> {
  await host.defineObject(`company${suffix}`, {
    name: { type: 'text', index: true },
    size: { type: 'number' },
    tags: { type: 'tags' },
  })
  await host.defineObject(`project${suffix}`, {
    name: { type: 'text' },
    budget: { type: 'currency' },
    active: { type: 'boolean' },
    company: { type: 'lookup', reference: `company${suffix}` },
  })
  await host.defineObject(
    `task${suffix}`,
    {
      title: { type: 'text', index: true },
      note: { type: 'textarea' },
      mail: { type: 'email', index: true },
      n: { type: 'number' },
      count: { type: 'number', scale: 0, index: true },
      flag: { type: 'boolean' },
      day: { type: 'date', index: true },
      until: { type: 'date' },
      at: { type: 'datetime' },
      status: { type: 'select', options: [...statuses] },
      labels: { type: 'tags' },
      project: { type: 'lookup', reference: `project${suffix}` },
      others: { type: 'lookup', reference: `project${suffix}`, multiple: true },
      parent: { type: 'tree' },
      place: { type: 'address' },
      data: { type: 'json' },
    },
    { indexes: [{ fields: ['status', 'day'] }, { fields: ['status', 'count'] }] },
  )
}

/** Stores a dataset and answers the live records as the API shows them. @throws Error when a write is refused */
export async function store(host: TestHost, suffix: string, data: Dataset): Promise<World> {
  const create = async (object: string, rows: Record<string, unknown>[]): Promise<string[]> => {
    const { status, body } = await host.post(`/data/${object}${suffix}/createMany`, rows)
    if (status !== 201) throw new Error(JSON.stringify(body))
    return body.records.map((record: Rec) => record.id)
  }
  const companies = await create('company', data.companies)
  const projects = await create(
    'project',
    data.projects.map((row) => ({ ...row, company: companies[row.company] ?? null })),
  )
  const rows = data.tasks.map(({ parent: _parent, ...row }) => ({
    ...row,
    project: projects[row.project] ?? null,
    others: row.others?.map((place) => projects[place]) ?? null,
  }))
  const roots = await create('task', rows.slice(0, 3))
  const rest = data.tasks.slice(3).map(({ parent }) => ({ parent: roots[parent] ?? null }))
  await create(
    'task',
    rows.slice(3).map((row, index) => ({ ...row, ...rest[index] })),
  )
  const world = {} as Record<keyof World, Map<string, Rec>>
  for (const object of ['company', 'project', 'task'] as const) {
    const { body } = await host.get(`/data/${object}${suffix}?top=1000`)
    world[object] = new Map(body.records.map((record: Rec) => [record.id, record]))
  }
  // What a delete does to the records that point at it is seen by reading them again.
  for (const place of data.deleted) {
    world.project.delete(projects[place]!)
    await host.delete(`/data/project${suffix}/${projects[place]}`)
  }
  const { body } = await host.get(`/data/task${suffix}?top=1000`)
  world.task = new Map(body.records.map((record: Rec) => [record.id, record]))
  return world
}

/** Removes every record again. */
export async function clear(host: TestHost, suffix: string, world: World): Promise<void> {
  for (const object of ['task', 'project', 'company'] as const) {
    const ids = [...world[object].keys()]
    if (ids.length > 0) await host.post(`/data/${object}${suffix}/deleteMany`, { ids })
  }
}
