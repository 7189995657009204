// Metadata types: specification "Metadata", D-102, D-107.
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { expectError, host, item, name, useMetadataHost } from '../support/metadata-suite.ts'

useMetadataHost()

describe('GET /meta', () => {
  it('answers the 26 types in the order of the specification with an entry each', async () => {
    const { status, body } = await host.get('/meta')
    expect(status).toBe(200)
    expect(body.types).toEqual(
      'object field trigger validation hook view page dashboard app action report flow job datasource external_catalog translation router function service email_template permission profile role agent tool skill'.split(
        ' ',
      ),
    )
    expect(body.entries.map((entry: { type: string }) => entry.type)).toEqual(body.types)
    const entry = (type: string) => body.entries.find((one: { type: string }) => one.type === type)
    expect(entry('view')).toMatchObject({
      domain: 'ui',
      supportsOverlay: true,
      allowUserOverlay: true,
      allowRuntimeCreate: true,
      schema: true,
    })
    expect(entry('object')).toMatchObject({
      domain: 'data',
      supportsOverlay: true,
      allowUserOverlay: false,
      supportsVersioning: true,
    })
    expect(entry('router')).toMatchObject({
      domain: 'system',
      supportsOverlay: false,
      allowRuntimeCreate: false,
      schema: false,
    })
    expect(entry('object').loadOrder).toBeLessThan(entry('view').loadOrder)
  })

  it('needs a credential', async () => {
    expectError(await host.anonymous('GET', '/meta'), 401, 'unauthenticated')
  })
})

describe('GET /meta/types, /meta/types/:type, /meta/types/:type/schema', () => {
  it('answer names, one entry and a JSON Schema', async () => {
    expect((await host.get('/meta/types')).body).toMatchObject({
      success: true,
      data: expect.arrayContaining(['object', 'skill']) as string[],
    })
    expect((await host.get('/meta/types/view')).body.data).toMatchObject({ type: 'view', label: 'View' })
    expectError(await host.get('/meta/types/nothing'), 404, 'resource_not_found', {
      resource: 'metadata_type',
      id: 'nothing',
    })
    expectError(await host.get('/meta/types/nothing/schema'), 404, 'resource_not_found')
  })

  it('give every type a valid schema of draft 2020-12 that accepts what a save accepts', async () => {
    const ajv = new Ajv2020({ strict: false })
    for (const type of (await host.get('/meta')).body.types as string[]) {
      const { status, body } = await host.get(`/meta/types/${type}/schema`)
      expect(status).toBe(200)
      expect(body.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
      expect(() => ajv.compile(body), type).not.toThrow()
    }
    const validate = ajv.compile((await host.get('/meta/types/object/schema')).body)
    expect(validate(item({ extra: 1 }))).toBe(true)
    expect(validate({ name })).toBe(false)
    expect(validate(item({ fields: { title: { type: 'nonsense' } } }))).toBe(false)
    expect(validate(item({ fields: { title: { type: 'text', maxLength: 'x' } } }))).toBe(false)
  })
})

describe('type segments', () => {
  it.each([
    'object',
    'objects',
    'email_template',
    'email_templates',
    'emailTemplate',
    'emailTemplates',
    'externalCatalogs',
  ])('GET /meta/%s is folded to the type', async (segment) => {
    const { status, body } = await host.get(`/meta/${segment}`)
    expect(status).toBe(200)
    expect(['object', 'email_template', 'external_catalog']).toContain(body.type)
  })

  it.each([
    ['get', '/meta/query', 'POST'],
    ['delete', '/meta/query', 'POST'],
    ['get', '/meta/export', 'POST'],
    ['get', '/meta/import', 'POST'],
    ['put', '/meta/validate', 'POST'],
    ['get', '/meta/bulk/register', 'POST'],
    ['put', '/meta/bulk/register', 'POST'],
    ['delete', '/meta/bulk/unregister', 'POST'],
    ['post', '/meta/types', 'GET, HEAD'],
    ['put', '/meta/types/object', 'GET, HEAD'],
    ['post', '/meta/types/object/schema', 'GET, HEAD'],
    ['post', '/meta/concepts', 'GET, HEAD'],
  ] as const)('%s %s answers method_not_allowed with what the path serves', async (method, path, allow) => {
    const answer = await host[method](path, {})
    expectError(answer, 405, 'method_not_allowed', { allowed: allow.split(', ') })
    expect(answer.headers.get('allow')).toBe(allow)
  })

  it('GET /meta/bulk/other is no path', async () => {
    expectError(await host.get('/meta/bulk/other'), 404, 'resource_not_found', { reason: 'route' })
  })

  it.each(['Object', 'objectss', 'constructor', '__proto__', 'names'])(
    'GET /meta/%s answers resource_not_found',
    async (segment) => {
      expectError(await host.get(`/meta/${segment}`), 404, 'resource_not_found', { resource: 'metadata_type' })
    },
  )
})
