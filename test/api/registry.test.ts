// The API registry over HTTP: built-in APIs, discovery query, foreign APIs, conflicts, lifecycle (D-197, D-198).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type {} from '#main/plugins/registry/api.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
})
afterAll(() => host.stop())

const weather = (rest: Record<string, unknown> = {}): Record<string, unknown> => ({
  id: 'weather',
  name: 'Weather service',
  type: 'rest',
  version: '2024-05',
  basePath: '/weather',
  endpoints: [{ id: 'forecast', method: 'GET', path: '/forecast/:city' }],
  ...rest,
})

describe('the registry of mounted APIs', () => {
  it('lists one API per plugin with every mounted route', async () => {
    const { body } = await host.get('/registry')
    expect(body).toMatchObject({ version: '1', conflictResolution: 'error' })
    expect(body.totalApis).toBe(body.apis.length)
    const ids = body.apis.map((api: { id: string }) => api.id)
    expect(ids).toEqual(expect.arrayContaining(['cairn_data', 'cairn_metadata', 'cairn_registry', 'cairn_discovery']))
    const listed = new Set(
      body.apis.flatMap((api: { endpoints: { method: string; path: string }[] }) =>
        api.endpoints.map((endpoint) => `${endpoint.method} ${endpoint.path}`),
      ),
    )
    const document = (await host.get('/openapi.json')).body
    const documented = Object.entries<Record<string, unknown>>(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    )
    const missing = documented.filter((route) => !listed.has(route))
    expect(documented.length).toBeGreaterThan(40)
    expect(missing).toEqual([])
    expect(body.totalEndpoints).toBe(listed.size)
    expect(Object.keys(body.byType)).toEqual(expect.arrayContaining(['rest', 'metadata']))
    expect(body.byStatus.active).toHaveLength(body.totalApis)
    expect(Date.parse(body.updatedAt)).not.toBeNaN()
  })

  it('fills in what the specification requires of an endpoint', async () => {
    const { body } = await host.get('/registry/apis/cairn_data')
    const create = body.endpoints.find((endpoint: { id: string }) => endpoint.id === 'createRecord')
    expect(create).toMatchObject({
      method: 'POST',
      path: '/api/v1/data/:object',
      tags: ['data'],
      priority: 100,
      deprecated: false,
      requiredPermissions: ['create'],
      requestBody: { required: true, contentType: 'application/json' },
    })
    expect(create.parameters[0]).toMatchObject({ name: 'object', in: 'path', required: true })
    expect(create.responses[0]).toMatchObject({ statusCode: 201, contentType: 'application/json' })
  })

  it('is put together anew when something has changed, and then only', async () => {
    const service = host.host.plugins.service('registry')!
    const before = service.apis()
    const total = async (): Promise<number> => (await host.get('/registry')).body.totalApis
    expect([service.apis() === before, await total()]).toEqual([true, before.length])
    expect((await host.post('/registry/apis', weather({ id: 'passing', basePath: '/passing' }))).status).toBe(201)
    expect(await total()).toBe(before.length + 1)
    expect((await host.delete('/registry/apis/passing')).status).toBe(200)
    expect(await total()).toBe(before.length)
  })

  it('answers 404 for an unknown API', async () => {
    const { status, body } = await host.get('/registry/apis/nothing')
    expect([status, body.error.code]).toEqual([404, 'resource_not_found'])
  })

  it('says in discovery that it is there', async () => {
    const { body } = await host.get('/discovery')
    expect(body.routes.registry).toBe('/api/v1/registry')
    expect(body.services.registry).toMatchObject({ enabled: true, status: 'available' })
  })
})

describe('finding APIs and endpoints', () => {
  it('filters by type, tags, plugin, version, status and text', async () => {
    const found = async (query: string) =>
      (await host.get(`/registry/apis?${query}`)).body.apis.map((api: { id: string }) => api.id)
    expect(await found('type=metadata')).toEqual(['cairn_metadata'])
    expect(await found('tags=nothing,backup')).toEqual(['cairn_backup'])
    expect(await found('pluginSource=settings')).toEqual(['cairn_settings'])
    expect(await found('version=v2')).toEqual([])
    expect(await found('status=beta')).toEqual([])
    expect(await found('search=BACKUPS')).toContain('cairn_backup')
  })

  it('repeats the conditions and refuses an unknown type', async () => {
    const { body } = await host.get('/registry/apis?type=metadata&tags=metadata')
    expect(body).toMatchObject({ total: 1, filters: { type: 'metadata', tags: ['metadata'] } })
    const refused = await host.get('/registry/apis?type=soap')
    expect([refused.status, refused.body.error.details.fieldErrors[0].field]).toEqual([400, 'type'])
  })

  it('finds endpoints by method, template or concrete path, API and tag', async () => {
    const find = async (query: string) =>
      (await host.get(`/registry/endpoints?${query}`)).body.endpoints.map((endpoint: { id: string }) => endpoint.id)
    expect(await find('path=/api/v1/settings&method=patch')).toEqual(['updateSettings'])
    expect(await find('path=/api/v1/data/task/42&method=GET&api=cairn_data')).toContain('getRecord')
    expect(await find('tag=backup&method=POST')).not.toEqual([])
    // What is written under /api is served under the prefix, too (D-01).
    for (const start of ['/api', '/api/v1'])
      expect(await find(`method=GET&path=${start}/automation/actions`), start).toContainEqual(
        expect.stringMatching(/^listActions/),
      )
    // A last parameter that takes slashes covers whatever lies below it.
    for (const path of ['task', 'task/42', 'task/42/owner/$value'])
      expect(await find(`method=PATCH&path=/api/v1/odata/${path}`), path).toContainEqual(
        expect.stringMatching(/^updateODataEntity/),
      )
    expect(await find('method=PATCH&path=/api/v1/odata')).toEqual([])
    expect(await find('path=/hooks/orders/new&method=POST')).not.toEqual([])
    expect(await find('path=/api/v1/settings/more')).toEqual([])
    expect(await find('api=nothing')).toEqual([])
  })
})

describe('foreign APIs', () => {
  it('are registered with their defaults, replaced and removed, and survive a restart', async () => {
    const created = await host.post('/registry/apis', weather())
    expect(created.status).toBe(201)
    expect(created.body.metadata).toEqual({ status: 'active', tags: [] })
    expect(created.body.endpoints[0]).toMatchObject({ priority: 100, deprecated: false, requiredPermissions: [] })
    expect((await host.post('/registry/apis', weather())).body.error.code).toBe('conflict')
    await host.restart()
    expect((await host.get('/registry/apis/weather')).body.name).toBe('Weather service')
    const { id: _id, ...rest } = weather({ name: 'Forecasts' })
    expect((await host.put('/registry/apis/weather', rest)).body).toMatchObject({ id: 'weather', name: 'Forecasts' })
    expect((await host.put('/registry/apis/weather', weather({ id: 'other' }))).status).toBe(400)
    expect((await host.delete('/registry/apis/weather')).body).toEqual({ id: 'weather', success: true })
    expect((await host.get('/registry/apis/weather')).status).toBe(404)
  })

  it('may not take a reserved id, a built-in route or a broken shape', async () => {
    const reserved = await host.post('/registry/apis', weather({ id: 'cairn_mine' }))
    expect([reserved.status, reserved.body.error.details.fieldErrors[0].field]).toEqual([400, 'id'])
    const shadow = await host.post('/registry/apis', {
      ...weather({ id: 'shadow', basePath: '/api/v1' }),
      endpoints: [{ id: 'x', method: 'GET', path: '/data/{name}' }],
    })
    expect([shadow.status, shadow.body.error.details.conflicts[0].api]).toEqual([409, 'cairn_data'])
    const below = await host.post('/registry/apis', {
      ...weather({ id: 'below', basePath: '/api/v1' }),
      endpoints: [{ id: 'x', method: 'GET', path: '/automation/actions' }],
    })
    expect([below.status, below.body.error.details.conflicts[0].api]).toEqual([409, 'cairn_automation'])
    const priority = await host.post(
      '/registry/apis',
      weather({ id: 'high', endpoints: [{ id: 'x', path: '/x', priority: 1001 }] }),
    )
    expect([priority.status, priority.body.error.details.fieldErrors[0].field]).toEqual([400, 'endpoints.0.priority'])
    const locked = await host.delete('/registry/apis/cairn_data')
    expect([locked.status, locked.body.error.code]).toEqual([403, 'item_locked'])
  })

  it('change their state along the lifecycle only', async () => {
    const at = (status: string) => weather({ id: 'cycle', basePath: '/cycle', metadata: { status } })
    expect((await host.post('/registry/apis', at('experimental'))).status).toBe(201)
    const jump = await host.put('/registry/apis/cycle', at('active'))
    expect([jump.status, jump.body.error.code]).toEqual([409, 'invalid_state_transition'])
    for (const status of ['beta', 'active', 'deprecated', 'active']) {
      expect((await host.put('/registry/apis/cycle', at(status))).status).toBe(200)
    }
    await host.delete('/registry/apis/cycle')
  })

  it.each([
    ['error', ['a'], true],
    ['first-wins', ['a'], false],
    ['last-wins', ['b'], false],
    ['priority', ['b'], false],
  ])('settle a route that two of them name by the strategy %s', async (strategy, winners, refused) => {
    await host.patch('/settings', { 'registry.conflictResolution': strategy })
    const api = (id: string, priority: number) =>
      weather({ id, basePath: '/same', endpoints: [{ id: 'x', method: 'GET', path: '/x/:id', priority }] })
    expect((await host.post('/registry/apis', api('a', 100))).status).toBe(201)
    expect((await host.post('/registry/apis', api('b', 101))).status).toBe(refused ? 409 : 201)
    const { body } = await host.get('/registry/endpoints?path=/same/x/1')
    expect((await host.get('/registry')).body.conflictResolution).toBe(strategy)
    expect(body.endpoints.map((endpoint: { api: string }) => endpoint.api)).toEqual(winners)
    await host.delete('/registry/apis/a')
    await host.delete('/registry/apis/b')
  })
})
