// Section 2 of the protocol: what a client reads before it signs in (D-17 to D-19).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { featureKeys, routeKeys, serviceKeys, capabilityKeys } from '#shared/contracts/discovery.ts'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
})

afterAll(() => host.stop())

describe('GET /api/v1 (D-17)', () => {
  it('answers the same manifest at its three addresses, without credential', async () => {
    const first = await host.anonymous('GET', '/api/v1')
    expect(first.status).toBe(200)
    for (const path of ['/api/v1/discovery', '/.well-known/cairn']) {
      expect((await host.anonymous('GET', path)).body).toEqual(first.body)
    }
  })

  it('answers even when a wrong credential is sent', async () => {
    expect((await host.anonymous('GET', '/api/v1', undefined, { authorization: 'Bearer wrong' })).status).toBe(200)
  })

  it('has every key of the protocol', async () => {
    const { body } = await host.get('/')
    expect(Object.keys(body.routes).toSorted()).toEqual([...routeKeys].toSorted())
    expect(Object.keys(body.features).toSorted()).toEqual([...featureKeys].toSorted())
    expect(Object.keys(body.services)).toEqual(expect.arrayContaining([...serviceKeys]))
    expect(Object.keys(body.capabilities).toSorted()).toEqual([...capabilityKeys].toSorted())
    expect(body.routes).toMatchObject({
      data: '/api/v1/data',
      metadata: '/api/v1/meta',
      ui: '/api/v1/ui',
      analytics: '/api/v1/analytics',
      auth: '/api/v1/auth',
      workflow: '/api/v1/workflow',
      approvals: '/api/v1/approvals',
      graphql: '/api/v1/graphql',
      storage: '/api/v1/storage',
      ai: '/api/v1/ai',
    })
    expect(body.features).toMatchObject({ graphql: true, websockets: true, files: true, ai: true })
    expect(body.services.data).toMatchObject({
      enabled: true,
      status: 'available',
      route: '/api/v1/data',
      provider: 'cairn-data',
    })
    expect(body.services['file-storage'].route).toBe('/api/v1/storage')
    expect(body.capabilities.optimisticConcurrency.enabled).toBe(true)
    expect(body.capabilities.chunkedUpload.enabled).toBe(true)
    // Clients that read capabilities alone find what `features` says there, too.
    for (const key of capabilityKeys.filter((word) => word in body.features))
      expect(body.capabilities[key].enabled, key).toBe(body.features[key])
    expect(body.capabilities.transactionalBatch.enabled).toBe(true)
  })

  it('says null, false and unavailable of a capability that is absent', async () => {
    const absent = ['graphql', 'storage', 'import', 'backup']
    const plugins = [...corePlugins, ...optionalPlugins].filter(({ id }) => !absent.includes(id))
    const bare = await createTestHost({ plugins })
    try {
      const { body } = await bare.get('/')
      expect(body.routes).toMatchObject({ graphql: null, storage: null })
      expect(body.features).toMatchObject({ graphql: false, files: false })
      for (const key of ['graphql', 'file-storage', 'import', 'backup'])
        expect(body.services[key], key).toEqual({ enabled: false, status: 'unavailable', message: expect.any(String) })
    } finally {
      await bare.stop()
    }
  })

  it('names itself, its version, environment, locale and absolute schema addresses', async () => {
    const { body } = await host.get('/')
    expect(body).toMatchObject({
      name: 'cairn',
      apiName: 'cairn',
      environment: 'production',
      metadata: { apiVersions: ['v1'] },
    })
    expect(body.version).toMatch(/^\d+\.\d+\.\d+/)
    expect(body.locale.supported).toContain(body.locale.default)
    expect(body.schemaDiscovery).toEqual({
      openapi: `${host.host.url}/api/v1/openapi.json`,
      graphql: `${host.host.url}/api/v1/graphql/schema`,
      jsonSchema: `${host.host.url}/api/v1/meta/types`,
    })
    expect(body.metadata.limits).toMatchObject({
      jsonBodyBytes: 10_485_760,
      batchRecords: 1_000,
      topMax: 1_000,
      expandDepth: 3,
    })
  })

  it('follows the options of the workspace at once', async () => {
    await host.patch('/settings', { timezone: 'Asia/Tokyo', maxBatchRecords: 10 })
    const { body } = await host.get('/')
    expect([body.locale.timezone, body.metadata.limits.batchRecords]).toEqual(['Asia/Tokyo', 10])
    await host.patch('/settings', { timezone: null, maxBatchRecords: null })
  })

  it('carries a weak ETag and no-cache, and answers 304 to it until something changes', async () => {
    const first = await host.get('/')
    const tag = first.headers.get('etag')!
    expect(tag).toMatch(/^W\/"[0-9a-f]{32}"$/)
    expect(first.headers.get('cache-control')).toBe('no-cache')
    const same = await host.get('/', { 'if-none-match': `"other", ${tag}` })
    expect([same.status, same.body, same.headers.get('etag')]).toEqual([304, undefined, tag])
    await host.patch('/settings', { locale: 'de' })
    expect((await host.get('/', { 'if-none-match': tag })).status).toBe(200)
    await host.patch('/settings', { locale: null })
  })

  it('says nothing about people, folders or this machine', async () => {
    const text = JSON.stringify((await host.anonymous('GET', '/api/v1')).body)
    expect(text).not.toContain(host.dataDir)
    expect(text).not.toMatch(/owner|\/home|\/root|\/tmp/)
  })
})

describe('health (D-19)', () => {
  it('GET /healthz and /api/v1/health answer ok without credential', async () => {
    for (const path of ['/healthz', '/api/v1/health']) {
      const answer = await host.anonymous('GET', path)
      expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }])
    }
  })

  it('GET /readyz and /api/v1/ready answer ready without credential', async () => {
    for (const path of ['/readyz', '/api/v1/ready']) {
      const answer = await host.anonymous('GET', path)
      expect([answer.status, answer.body]).toEqual([200, { status: 'ready' }])
    }
  })
})

describe('API documents (D-19)', () => {
  it('need a credential', async () => {
    for (const path of ['/openapi.json', '/docs']) expect((await host.anonymous('GET', path)).status).toBe(401)
  })

  it('GET /openapi.json describes every route the host serves under the prefix', async () => {
    const { body } = await host.get('/openapi.json')
    expect(body.openapi).toBe('3.1.0')
    const described = new Set<string>()
    for (const item of Object.values(body.paths as Record<string, Record<string, { operationId: string }>>)) {
      for (const operation of Object.values(item)) described.add(operation.operationId)
    }
    const served = new Set(
      host.host.server.routeTable().flatMap(({ contract }) => (contract === null ? [] : [contract.operationId])),
    )
    expect([...described].toSorted()).toEqual([...served].toSorted())
  })

  it('GET /docs is a page without script that its own policy allows', async () => {
    const answer = await host.get('/docs')
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
    expect(answer.body).toContain('<h1>Cairn API')
    expect(answer.body).not.toContain('<script')
  })
})
