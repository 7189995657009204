import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { allContracts } from '#shared/contracts/index.ts'
import { defineRoute } from '#shared/route.ts'
import type { AnyRoute } from '#shared/route.ts'
import { renderDocsPage } from './docs-page.ts'
import { buildOpenApi } from './openapi.ts'
import type { OpenApiDocument, OpenApiResponse } from './openapi.ts'

const document = buildOpenApi(allContracts, { version: '1.2.3' })

function referencesOf(value: unknown, found: string[] = []): string[] {
  if (Array.isArray(value)) for (const inner of value) referencesOf(inner, found)
  else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      if (key === '$ref' && typeof inner === 'string') found.push(inner)
      else referencesOf(inner, found)
    }
  }
  return found
}

function documentOf(contract: Partial<AnyRoute>): OpenApiDocument {
  const route = defineRoute({
    operationId: 'test',
    method: 'POST',
    mount: 'versioned',
    path: '/test/:id',
    response: z.unknown(),
    permission: 'session',
    rateLimit: 'read',
    errors: [],
    channel: 'none',
    summary: 'A route.',
    tag: 'test',
    ...contract,
  } as AnyRoute)
  return buildOpenApi([route], { version: '1.0.0' })
}

describe('buildOpenApi', () => {
  it('lists every contract once, under its canonical path and method', () => {
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item))
    expect(operations.map(({ operationId }) => operationId).toSorted()).toEqual(
      allContracts.map(({ operationId }) => operationId).toSorted(),
    )
  })

  it('resolves every reference', () => {
    const references = referencesOf(document)
    expect(references.length).toBeGreaterThan(50)
    for (const reference of new Set(references)) {
      const [start, components, kind, name] = reference.split('/') as [
        string,
        string,
        keyof typeof document.components,
        string,
      ]
      expect([start, components]).toEqual(['#', 'components'])
      expect(Object.keys(document.components[kind]), reference).toContain(name)
    }
  })

  it('gives the same text whatever the order of the contracts', () => {
    expect(JSON.stringify(buildOpenApi(allContracts.toReversed(), { version: '1.2.3' }))).toBe(JSON.stringify(document))
  })

  it('declares path parameters, query parameters and the body', () => {
    const [item] = Object.values(
      documentOf({
        params: z.object({ id: z.string() }),
        query: z.object({ limit: z.string().meta({ description: 'How many.' }), free: z.string().optional() }),
        body: z.object({ a: z.string() }).optional(),
      }).paths,
    )
    expect(item!['post']!.parameters).toEqual([
      { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'limit', in: 'query', required: true, description: 'How many.', schema: { type: 'string' } },
      { name: 'free', in: 'query', required: false, schema: { type: 'string' } },
      ...['Accept-Language', 'Idempotency-Key', 'X-API-Version', 'X-Cairn-Source', 'X-Request-Id'].map((name) => ({
        $ref: `#/components/parameters/${name}`,
      })),
    ])
    expect(item!['post']!.requestBody?.required).toBe(false)
  })

  it('gives a component two names when what is read differs from what is sent, users of it included', () => {
    const Inner = z.object({ a: z.string().default('x') }).meta({ id: 'Inner' })
    const Outer = z.object({ inner: Inner }).meta({ id: 'Outer' })
    const Same = z.object({ b: z.string() }).meta({ id: 'Same' })
    const { components, paths } = documentOf({
      body: z.object({ outer: Outer, same: Same }),
      response: z.object({ outer: Outer, same: Same }),
    })
    expect(Object.keys(components.schemas)).toEqual([
      'ErrorBody',
      'ErrorObject',
      'Inner',
      'InnerInput',
      'Outer',
      'OuterInput',
      'Same',
    ])
    expect(JSON.stringify(paths)).toContain('#/components/schemas/OuterInput')
    expect(components.schemas['InnerInput']!['required']).toBeUndefined()
    expect(components.schemas['Inner']!['required']).toEqual(['a'])
  })

  it('lists each error code under its status and marks public routes', () => {
    const { paths } = documentOf({
      permission: 'public',
      tag: 'auth',
      errors: ['conflict', 'unheard_of'],
      params: z.object({ id: z.string() }),
    })
    const operation = paths['/api/v1/test/{id}']!['post']!
    expect(operation.security).toEqual([])
    expect(operation.responses['409']).toMatchObject({ 'x-error-codes': ['conflict'] })
    expect(operation.responses['default']).toMatchObject({ 'x-error-codes': ['unheard_of'] })
    expect(operation.responses['401']).toBeUndefined()
    // Elsewhere a credential that does not hold is refused, though none is needed.
    const refusing = documentOf({ permission: 'public' }).paths['/api/v1/test/{id}']!['post']!
    const refused = refusing.responses['401'] as OpenApiResponse
    expect([refused['x-error-codes'], Object.keys(refused.headers!)]).toEqual([
      expect.arrayContaining(['unauthenticated']),
      ['WWW-Authenticate'],
    ])
  })

  it('names the types of files, and what may go on after its answer', () => {
    const { paths } = documentOf({ responseKind: 'bytes', produces: ['text/csv'], goesOn: true })
    const { responses } = paths['/api/v1/test/{id}']!['post']! as { responses: Record<string, OpenApiResponse> }
    expect([Object.keys(responses['200']!.content!), Object.keys(responses['202']!.content!)]).toEqual([
      ['text/csv'],
      ['text/csv'],
    ])
  })

  it('names the headers a route reads and sends, and says once what several operations answer alike', () => {
    const { responses, parameters } = document.paths['/api/v1/storage/{id}']!['get']!
    const { headers } = responses['206'] as OpenApiResponse
    const sent = ['Accept-Ranges', 'Content-Disposition', 'Content-Range', 'ETag', 'Last-Modified']
    expect(Object.keys(headers!)).toEqual(sent)
    expect(parameters).toContainEqual({ $ref: '#/components/parameters/If-Range' })
    expect(document.components.headers['ETag']).toEqual({ description: expect.any(String), schema: { type: 'string' } })
    const timeouts = Object.values(document.paths).flatMap((item) =>
      Object.values(item).flatMap((operation) => operation.responses['504'] ?? []),
    )
    expect(
      timeouts.filter((one) => JSON.stringify(one) === '{"$ref":"#/components/responses/504.timeout"}').length,
    ).toBeGreaterThan(100)
    const inline = Object.values(document.paths)
      .flatMap((item) => Object.values(item))
      .flatMap((operation) => Object.entries(operation.responses))
      .flatMap(([status, one]) =>
        '$ref' in one || one['x-error-codes'] === undefined ? [] : [status + JSON.stringify(one)],
      )
    expect(new Set(inline).size).toBe(inline.length)
  })

  it('wraps the answer of an enveloped route', () => {
    const { paths } = documentOf({ envelope: true, response: z.array(z.string()), status: 201 })
    const answer = paths['/api/v1/test/{id}']!['post']!.responses['201'] as OpenApiResponse
    const { schema } = answer.content!['application/json']!
    expect(schema['properties']).toMatchObject({ success: { const: true }, data: { type: 'array' } })
  })
})

describe('renderDocsPage', () => {
  const page = renderDocsPage(document)

  it('has an article for every operation and every schema, and every link inside the page has a target', () => {
    for (const { operationId } of allContracts) expect(page).toContain(`<article id="${operationId}">`)
    const targets = new Set([...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]))
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map((match) => match[1])
    expect(links.length).toBeGreaterThan(80)
    for (const link of links) expect(targets).toContain(link)
  })

  it('holds no script and escapes what contracts say', () => {
    expect(page).not.toMatch(/<script|javascript:| on[a-z]+=/i)
    const hostile = renderDocsPage(documentOf({ summary: '<img src=x onerror=alert(1)>' }))
    expect(hostile).not.toContain('<img')
    expect(hostile).toContain('&lt;img')
  })
})
