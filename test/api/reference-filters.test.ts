// Relations that admit only some records of the object they lead to (D-94).
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

let host: TestHost
let open = ''
let closed = ''

const create = async (object: string, data: unknown): Promise<string> => {
  const { status, body } = await host.post(`/data/${object}`, data)
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('region', { name: { type: 'text' } })
  await host.defineObject('project', {
    name: { type: 'text' },
    state: { type: 'select', options: ['open', 'closed'] },
    region: { type: 'lookup', reference: 'region' },
  })
  const referenceFilters = { state: 'open', 'region.name': { $ne: 'North' } }
  await host.defineObject('task', {
    name: { type: 'text' },
    project: { type: 'lookup', reference: 'project', referenceFilters },
    projects: { type: 'lookup', reference: 'project', multiple: true, referenceFilters: ['state', '=', 'open'] },
    above: { type: 'tree', referenceFilters: { name: { $ne: 'leaf' } } },
  })
  const south = await create('region', { name: 'South' })
  open = await create('project', { name: 'Alpha', state: 'open', region: south })
  closed = await create('project', { name: 'Beta', state: 'closed', region: south })
})
afterAll(() => host.stop())

const problems = ({ status, body }: Awaited<ReturnType<TestHost['post']>>) => [
  status,
  body.error.details.fieldErrors.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`),
]

it('refuses records that the filter does not admit, in single fields, lists, trees and bulk writes', async () => {
  expect(problems(await host.post('/data/task', { project: closed }))).toEqual([400, ['project invalid_reference']])
  expect(problems(await host.post('/data/task', { projects: [open, closed] }))).toEqual([
    400,
    ['projects.1 invalid_reference'],
  ])
  const north = await create('region', { name: 'North' })
  const far = await create('project', { name: 'Gamma', state: 'open', region: north })
  expect(problems(await host.post('/data/task', { project: far }))).toEqual([400, ['project invalid_reference']])
  const leaf = await create('task', { name: 'leaf', project: open })
  expect(problems(await host.post('/data/task', { above: leaf }))).toEqual([400, ['above invalid_reference']])
  const bulk = await host.post('/data/task/createMany', { records: [{ project: open }, { project: closed }] })
  expect(bulk.body.success, JSON.stringify(bulk.body)).toBe(false)
  expect((await host.get('/data/task?count=true')).body.total).toBe(1)
})

it('keeps what a record names already, and judges it again when it is named anew', async () => {
  const project = await create('project', { name: 'Delta', state: 'open' })
  const task = await create('task', { name: 'kept', project })
  await host.patch(`/data/project/${project}`, { state: 'closed' })
  expect((await host.patch(`/data/task/${task}`, { name: 'renamed' })).status).toBe(200)
  expect((await host.patch(`/data/task/${task}`, { project: open })).status).toBe(200)
  expect(problems(await host.patch(`/data/task/${task}`, { project }))).toEqual([400, ['project invalid_reference']])
})

it('follows renames and refuses filters that cannot be asked', async () => {
  const fields = (referenceFilters: unknown) => ({
    name: 'asking',
    fields: { project: { type: 'lookup', reference: 'project', referenceFilters } },
  })
  expect(problems(await host.put('/meta/object/asking', fields({ status: 'open' })))).toEqual([
    400,
    ['fields.project.referenceFilters not_allowed'],
  ])
  const renamed = {
    name: { type: 'text' },
    phase: { type: 'select', options: ['open', 'closed'], renamedFrom: 'state' },
    region: { type: 'lookup', reference: 'region' },
  }
  expect((await host.put('/meta/object/project', { name: 'project', fields: renamed })).status).toBe(200)
  expect(problems(await host.post('/data/task', { project: closed }))).toEqual([400, ['project invalid_reference']])
  expect((await host.post('/data/task', { project: open })).status).toBe(201)
})
