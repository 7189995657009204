// Expansion over HTTP (D-74, D-77, D-87): nesting, children, options of the map form, and the number of statements.
import { leastStatements } from '../support/least-statements.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

let host: TestHost
let acme: string
let zeta: string
let projects: string[]

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('country', { name: { type: 'text' } })
  await host.defineObject('client', {
    name: { type: 'text', required: true },
    country: { type: 'lookup', reference: 'country' },
  })
  await host.defineObject('project', {
    name: { type: 'text', required: true },
    size: { type: 'number' },
    client: { type: 'master_detail', reference: 'client', relationshipName: 'projects' },
  })
  await host.defineObject('task', {
    title: { type: 'text', required: true },
    rank: { type: 'number', scale: 0 },
    project: { type: 'lookup', reference: 'project', relationshipName: 'tasks' },
    related: { type: 'lookup', reference: 'project', multiple: true, relationshipName: 'mentions' },
    parent: { type: 'tree' },
  })
  const create = async (object: string, records: Record<string, unknown>[]): Promise<string[]> => {
    const { status, body } = await host.post(`/data/${object}/createMany`, records)
    expect(status, JSON.stringify(body)).toBe(201)
    return body.records.map((record: { id: string }) => record.id)
  }
  const [germany] = await create('country', [{ name: 'Germany' }])
  ;[acme, zeta] = (await create('client', [{ name: 'Acme', country: germany }, { name: 'Zeta' }])) as [string, string]
  projects = await create('project', [
    { name: 'Alpha', size: 3, client: acme },
    { name: 'Beta', size: 1, client: acme },
    { name: 'Gamma', size: 2, client: zeta },
  ])
  await create(
    'task',
    Array.from({ length: 60 }, (_, rank) => ({
      title: `t${String(rank).padStart(2, '0')}`,
      rank,
      project: projects[0],
      related: rank % 20 === 0 ? [projects[2], projects[1]] : null,
    })),
  )
  const [root] = await create('task', [{ title: 'root', project: projects[1] }])
  await create('task', [{ title: 'leaf', parent: root, project: projects[1] }])
})
afterAll(() => host.stop())

const query = async (object: string, words: Record<string, unknown>) => {
  const { status, body } = await host.post(`/data/${object}/query`, words)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.records as Record<string, any>[] // oxlint-disable-line no-explicit-any -- tests reach into bodies freely
}
const refused = async (object: string, words: Record<string, unknown>) => {
  const { status, body } = await host.post(`/data/${object}/query`, words)
  expect(status, JSON.stringify(body)).toBe(400)
  expect(body.error.code).toBe('invalid_query')
  return body.error.details
}

describe('an expansion', () => {
  it('reaches three levels over lookup, master_detail and tree', async () => {
    const [task] = await query('task', { filter: { title: 't00' }, expand: 'project.client.country' })
    expect(task!['project'].client.country).toMatchObject({ name: 'Germany' })
    const [leaf] = await query('task', { filter: { title: 'leaf' }, expand: 'parent.project.client' })
    expect(leaf!['parent']).toMatchObject({ title: 'root', project: { name: 'Beta', client: { name: 'Acme' } } })
    await refused('task', { expand: 'parent.project.client.country' })
  })

  it('shows the fields named by dots, on every level', async () => {
    const [task] = await query('task', {
      select: ['title', 'project.name', 'project.client.name'],
      filter: { title: 't00' },
    })
    expect(task!['project']).toEqual({
      id: projects[0],
      name: 'Alpha',
      client: { id: acme, name: 'Acme' },
    })
    await refused('task', { select: ['project.nope'] })
    await refused('task', { select: ['project.client.nope'] })
  })

  it('adds at most fifty children, newest first, beside a select', async () => {
    const clients = await query('client', { select: 'name', expand: 'projects.tasks', sort: 'name' })
    expect(clients[0]!['projects'].map((project: { name: string }) => project.name)).toEqual(['Beta', 'Alpha'])
    const tasks = clients[0]!['projects'][1].tasks as { title: string }[]
    expect(tasks).toHaveLength(50)
    expect(tasks[0]!.title).toBe('t59')
    expect(clients[1]!['projects'][0].tasks).toEqual([])
    expect(Object.keys(clients[0]!).toSorted()).toEqual(['created_at', 'id', 'name', 'projects', 'updated_at'])
  })

  it('finds children by a list of parents too', async () => {
    const found = await query('project', {
      expand: { mentions: { fields: ['title'], orderBy: 'title' } },
      sort: 'name',
    })
    expect(found.map((project) => project['mentions'].map((task: { title: string }) => task.title))).toEqual([
      [],
      ['t00', 't20', 't40'],
      ['t00', 't20', 't40'],
    ])
    expect(Object.keys(found[1]!['mentions'][0])).toEqual(['id', 'title'])
  })

  it('takes fields, where, orderBy, limit and a nested expand in the map form', async () => {
    const [project] = await query('project', {
      filter: { name: 'Alpha' },
      expand: {
        tasks: {
          fields: ['title', 'rank'],
          where: { rank: { $gte: 10 } },
          orderBy: [{ field: 'rank', order: 'asc' }],
          limit: 2,
          expand: { project: { fields: ['name'] } },
        },
      },
    })
    expect(project!['tasks']).toEqual([
      { id: expect.any(String), title: 't10', rank: 10, project: { id: projects[0], name: 'Alpha' } },
      { id: expect.any(String), title: 't11', rank: 11, project: { id: projects[0], name: 'Alpha' } },
    ])
  })

  it('orders and cuts lists of relations, and leaves ids that the condition excludes', async () => {
    const one = async (options: Record<string, unknown>) =>
      (await query('task', { filter: { title: 't00' }, expand: { related: { fields: ['name'], ...options } } }))[0]![
        'related'
      ]
    const named = (name: string) => ({ id: projects[['Alpha', 'Beta', 'Gamma'].indexOf(name)], name })
    expect(await one({})).toEqual([named('Gamma'), named('Beta')])
    expect(await one({ orderBy: 'size' })).toEqual([named('Beta'), named('Gamma')])
    expect(await one({ orderBy: '-size', limit: 1 })).toEqual([named('Gamma')])
    expect(await one({ where: { size: 1 } })).toEqual([projects[2], named('Beta')])
  })

  it('asks one statement per level, whatever the number of records', async () => {
    const count = (words: Record<string, unknown>) => leastStatements(host, () => query('task', words))
    for (const expand of ['project.client.country', 'project.tasks', 'related,parent.project']) {
      // Plans and sizes of tables are asked for once.
      for (const top of [2, 50]) await count({ top, expand, sort: 'id' })
      const few = await count({ top: 2, expand, sort: 'id' })
      expect(few, expand).toBeLessThanOrEqual(1 + expand.split(/[.,]/).length)
      expect(await count({ top: 50, expand, sort: 'id' }), expand).toBe(few)
    }
  })

  it('is refused for what is no relation, on every level, and for more than ten paths', async () => {
    expect(await refused('task', { expand: 'title' })).toMatchObject({ parameter: 'expand' })
    await refused('task', { expand: 'project.name' })
    await refused('task', { expand: 'tasks' })
    await refused('project', { filter: { name: 'nobody' }, expand: 'client.nope' })
    await refused('task', { expand: { project: { where: { nope: 1 } } } })
    await refused('task', { expand: { project: { orderBy: 'nope' } } })
    await refused('task', { expand: { project: { limit: 0 } } })
    await refused('task', {
      expand: ['project', 'related', 'parent', 'owner']
        .flatMap((name) => [name, `${name}.project`, `${name}.parent`])
        .join(','),
    })
    // However many names a body has room for: they are counted before they are looked at.
    const many = Array.from({ length: 200_000 }, (_, at) => `a${at}`)
    await refused('task', { expand: many })
    await refused('task', { select: many.map((name) => `project.${name}`) })
    const map = Object.fromEntries(many.slice(0, 5_000).map((name) => [name, true]))
    await refused('task', { expand: map })
  })

  it('is not held up by marks that are piled up in what is looked for', async () => {
    const piled = `a${'\u0315'.repeat(100_000)}${'\u0316'.repeat(100_000)}`
    for (const words of [{ filter: { title: piled } }, { search: piled }]) {
      const { status, body } = await host.post('/data/task/query', words)
      expect([status, body.records], JSON.stringify(body).slice(0, 300)).toEqual([200, []])
    }
  })
})
