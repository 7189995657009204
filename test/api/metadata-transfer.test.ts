// Export and import of items: D-108; safety of both import channels (no key reaches a prototype).
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { readCrmPackage } from '../support/crm.ts'
import { exampleObjects, wholeItems } from '../support/metadata-examples.ts'
import { expectError, host, name, useMetadataHost } from '../support/metadata-suite.ts'

useMetadataHost()

let target: TestHost

beforeAll(async () => {
  target = await createTestHost()
})

afterAll(() => target.stop())

type Exported = {
  items: { type: string; name: string; state: string; item: Record<string, unknown> }[]
  overlays: unknown[]
}

const exportFrom = async (from: TestHost, body: Record<string, unknown> = {}): Promise<Exported> =>
  (await from.post('/meta/export', body)).body.data.content
const importInto = async (to: TestHost, data: unknown, more: Record<string, unknown> = {}, query = '') => {
  const { status, body } = await to.post(`/meta/import${query}`, { data, ...more })
  expect({ status, error: body.error }).toEqual({ status: 200 })
  return body.data
}
const pageOf = (key: string, item: Record<string, unknown> = {}) => ({ type: 'page', name: key, item })

describe('a round trip', () => {
  it.each(['json', 'yaml'])('as %s into a fresh host is the identity', async (format) => {
    const source = await createTestHost()
    const copy = await createTestHost()
    try {
      for (const object of readCrmPackage().objects) await source.put(`/meta/object/${object.name}`, object)
      for (const [key, item] of Object.entries(exampleObjects)) await source.put(`/meta/object/${key}`, item)
      for (const [type, one] of Object.entries(wholeItems)) {
        expect((await source.put(`/meta/${type}/${one.name}`, one.item)).status, type).toBe(200)
      }
      await source.put('/meta/page/sketch?mode=draft', { label: 'Not yet' })
      await source.put('/meta/page/old', { label: 'Long ago' })
      await source.post('/meta/page/old/state', { state: 'archived' })
      await source.put('/meta/dashboard/overview/overlay?scope=platform', { patch: { label: 'Ours', columns: null } })
      await source.put('/meta/dashboard/overview/overlay?scope=user', { patch: { label: 'Mine' } })

      const { body } = await source.post('/meta/export', { format })
      const { content, count } = body.data
      const exported: Exported = format === 'yaml' ? (parse(content as string) as Exported) : content
      expect(count).toBe(exported.items.length)
      expect(exported.overlays).toHaveLength(2)
      expect(await importInto(copy, content)).toEqual({
        total: count + 2,
        imported: count - 2,
        // The delivered profiles are there already.
        skipped: 4,
        failed: 0,
        dryRun: false,
      })
      const back = await exportFrom(copy)
      expect(back.items).toEqual(exported.items)
      expect(back.overlays).toEqual(exported.overlays)
      expect((await copy.get('/meta/dashboard/overview')).body.item.label).toBe('Mine')
      expect((await copy.post('/data/ticket', { title: 'a', status: 'open' })).status).toBe(201)
    } finally {
      await source.stop()
      await copy.stop()
    }
  })

  it('keeps every JSON value of an item, whichever format it goes through', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.jsonValue({ maxDepth: 3 }), { minKeys: 1 }),
        fc.constantFrom('json', 'yaml'),
        async (config, format) => {
          const value = JSON.parse(JSON.stringify(config)) as Record<string, unknown>
          if (JSON.stringify(value).includes('__proto__')) return
          await host.put('/meta/dashboard/any', { filters: [value] })
          const { body } = await host.post('/meta/export', { types: ['dashboard'], format })
          await importInto(target, body.data.content, { conflictResolution: 'overwrite' })
          expect((await target.get('/meta/dashboard/any')).body.item.filters).toEqual([value])
        },
      ),
      { numRuns: 25 },
    )
  })
})

describe('export', () => {
  it('narrows by type, namespace and package, and leaves overlays out when asked', async () => {
    await host.post('/meta', { type: 'page', name, data: { label: 'Mine' }, namespace: name })
    await host.put(`/meta/page/${name}_packed?packageId=org.example.${name}`, {})
    await host.put(`/meta/page/${name}_packed/overlay?scope=platform`, { patch: { label: 'Ours' } })
    const names = async (body: Record<string, unknown>) => (await exportFrom(host, body)).items.map((one) => one.name)
    expect(await names({ namespaces: [name] })).toEqual([name])
    expect(await names({ packageId: `org.example.${name}` })).toEqual([`${name}_packed`])
    expect(await names({ types: ['view'] })).toEqual([])
    const packed = await exportFrom(host, { packageId: `org.example.${name}` })
    expect(packed.overlays).toMatchObject([{ baseName: `${name}_packed`, patch: { label: 'Ours' } }])
    expect(packed.items[0]!.item).not.toHaveProperty('label')
    expect((await exportFrom(host, { packageId: `org.example.${name}`, includeOverlays: false })).overlays).toEqual([])
  })

  it('answers the document in the form asked for, without uids', async () => {
    await host.defineObject(name, { title: { type: 'text' } })
    const { body } = await host.post('/meta/export', { types: ['objects'] })
    expect(body).toMatchObject({ success: true, data: { format: 'json', content: { formatVersion: '1' } } })
    expect(body.data.content.exportedAt).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
    const exported = (body.data.content as Exported).items.find((one) => one.name === name)!
    expect(exported).toEqual({
      type: 'object',
      name,
      state: 'active',
      item: { name, fields: { title: { type: 'text' } } },
    })
    const { body: yaml } = await host.post('/meta/export', { types: ['object'], format: 'yaml' })
    expect(parse(yaml.data.content as string)).toMatchObject({ formatVersion: '1' })
  })

  it('answers the file when YAML is accepted', async () => {
    await host.put(`/meta/page/${name}`, { label: 'yes', description: '2026-01-31' })
    const { status, body, headers } = await host.post(
      '/meta/export',
      { types: ['page'] },
      { accept: 'application/yaml' },
    )
    expect(status).toBe(200)
    expect(headers.get('content-type')).toContain('application/yaml')
    expect(headers.get('content-disposition')).toContain('metadata.yaml')
    const found = (parse(body as string) as Exported).items.find((one) => one.name === name)!
    expect(found.item).toEqual({ name, label: 'yes', description: '2026-01-31' })
  })

  it('refuses a type and a format nobody knows', async () => {
    expectError(await host.post('/meta/export', { types: ['thing'] }), 400, 'validation_error', {
      fieldErrors: [{ field: 'types.0', code: 'invalid_option' }],
    })
    expectError(await host.post('/meta/export', { format: 'xml' }), 400, 'validation_error')
  })
})

describe('import', () => {
  it.each([
    ['skip', { label: 'Old', route: '/old' }, { imported: 1, skipped: 1 }],
    ['overwrite', { label: 'New' }, { imported: 2, skipped: 0 }],
    ['merge', { label: 'New', route: '/old' }, { imported: 2, skipped: 0 }],
  ])('%s decides about what exists', async (conflictResolution, expected, counts) => {
    await host.put(`/meta/page/${name}`, { label: 'Old', route: '/old' })
    const items = [pageOf(name, { label: 'New' }), pageOf(`${name}_new`, {})]
    const result = await importInto(host, { formatVersion: '1', items }, { conflictResolution })
    expect(result).toEqual({ total: 2, failed: 0, dryRun: false, ...counts })
    expect((await host.get(`/meta/page/${name}`)).body.item).toEqual({ name, ...expected })
    expect((await host.get(`/meta/page/${name}_new`)).status).toBe(200)
  })

  it('merges with null as removal', async () => {
    await host.put(`/meta/page/${name}`, { label: 'Old', route: '/old' })
    await importInto(host, { items: [pageOf(name, { route: null })] }, { conflictResolution: 'merge' })
    expect((await host.get(`/meta/page/${name}`)).body.item).toEqual({ name, label: 'Old' })
  })

  it('stores nothing when one item fails', async () => {
    const items = [
      pageOf(name),
      { type: 'object', name, item: { fields: { title: { type: 'nothing' } } } },
      pageOf(`${name}_last`),
    ]
    expect(await importInto(host, { items })).toMatchObject({
      total: 3,
      imported: 0,
      skipped: 2,
      failed: 1,
      errors: [{ type: 'object', name, code: 'validation_error', error: expect.any(String) as string }],
    })
    expect((await host.get(`/meta/page/${name}/exists`)).body.data.exists).toBe(false)
  })

  it('answers a plan with dryRun and stores nothing', async () => {
    await host.defineObject(name, { title: { type: 'text' }, due: { type: 'date' } })
    await host.post(`/data/${name}`, { due: '2026-01-31' })
    const items = [{ type: 'object', name, item: { fields: { title: { type: 'text' } } } }, pageOf(name)]
    const options = { conflictResolution: 'overwrite', dryRun: true }
    const { plan, ...counts } = await importInto(host, { items }, options)
    expect(counts).toEqual({ total: 2, imported: 2, skipped: 0, failed: 0, dryRun: true })
    expect(plan).toMatchObject([
      {
        type: 'object',
        name,
        action: 'update',
        changes: [{ change: 'delete_field', field: 'due', destructive: true }],
      },
      { type: 'page', name, action: 'create' },
    ])
    expect((await host.get(`/meta/object/${name}`)).body.item.fields).toHaveProperty('due')
    const refused = await importInto(host, { items }, { conflictResolution: 'overwrite' })
    expect(refused).toMatchObject({ imported: 0, failed: 1, errors: [{ code: 'destructive_change' }] })
    const { planHash } = plan[0]
    expect(
      await importInto(host, { items }, { conflictResolution: 'overwrite' }, `?confirm=${planHash}`),
    ).toMatchObject({
      imported: 2,
    })
    expect((await host.get(`/meta/object/${name}`)).body.item.fields).not.toHaveProperty('due')
  })

  it('changes tables with their records as a save does', async () => {
    const fields = { price: { type: 'number' }, old: { type: 'text' } }
    await host.defineObject(name, fields)
    await host.post(`/data/${name}`, { price: 4, old: 'x' })
    const data = await exportFrom(host, { types: ['object'] })
    const items = data.items
      .filter((one) => one.name === name)
      .map((one) => ({
        ...one,
        item: { ...one.item, fields: { price: { type: 'text' }, extra: { type: 'number', defaultValue: 7 } } },
      }))
    const done = await importInto(host, { items }, { conflictResolution: 'overwrite' }, '?confirm=true')
    expect(done).toMatchObject({ imported: 1, failed: 0 })
    const { records } = (await host.get(`/data/${name}`)).body
    expect(records).toMatchObject([{ price: '4', extra: 7 }])
    expect(records[0]).not.toHaveProperty('old')
  })

  it('brings the state along, also of what exists', async () => {
    await host.put(`/meta/page/${name}`, {})
    await host.post(`/meta/page/${name}/state`, { state: 'archived' })
    const items = [{ ...pageOf(name), state: 'deprecated' }]
    await importInto(host, { items }, { conflictResolution: 'overwrite' })
    const found = await host.post('/meta/query', { types: ['page'], state: 'deprecated' })
    expect(found.body.data.items).toMatchObject([{ name, state: 'deprecated', version: 3 }])
  })

  it('shows a merge of the same content as unchanged, and what it skips', async () => {
    await host.put(`/meta/page/${name}`, { label: 'Same' })
    const data = { items: [pageOf(name, { label: 'Same' })] }
    const plan = async (conflictResolution: string) =>
      (await importInto(host, data, { conflictResolution, dryRun: true })).plan
    expect(await plan('merge')).toEqual([{ type: 'page', name, action: 'unchanged' }])
    expect(await plan('skip')).toEqual([{ type: 'page', name, action: 'skip' }])
  })

  it.each([
    ['a JSON text', (key: string) => JSON.stringify({ items: [pageOf(key, { label: 'a' })] })],
    ['a YAML text', (key: string) => `items:\n  - type: page\n    name: ${key}\n    item: {label: a}\n`],
    ['YAML that begins like JSON', (key: string) => `{items: [{type: page, name: ${key}, item: {label: a}}]}`],
  ])('takes %s', async (_form, write) => {
    expect(await importInto(host, write(name))).toMatchObject({ imported: 1 })
    expect((await host.get(`/meta/page/${name}`)).body.item.label).toBe('a')
  })

  it.each([
    ['nothing', undefined, 'data', 'required'],
    ['a number', 7, 'data', 'invalid_type'],
    ['a list', [], 'data', 'invalid_type'],
    ['no items', {}, 'data.items', 'required'],
    ['another version', { formatVersion: '2', items: [] }, 'data.formatVersion', 'invalid_option'],
    ['an unknown type', { items: [{ type: 'thing', name: 'a', item: {} }] }, 'data.items.0.type', 'invalid_option'],
    ['an item without a name', { items: [{ type: 'page', item: {} }] }, 'data.items.0.name', 'required'],
    ['an item without a body', { items: [{ type: 'page', name: 'a' }] }, 'data.items.0.item', 'required'],
    [
      'an unknown state',
      { items: [{ type: 'page', name: 'a', item: {}, state: 'odd' }] },
      'data.items.0.state',
      'invalid_option',
    ],
    ['overlays that are none', { items: [], overlays: [1] }, 'data.overlays', 'invalid_type'],
    ['text that is neither JSON nor YAML', 'items: [', 'data', 'invalid_format'],
    ['two YAML documents', 'items: []\n---\nitems: []\n', 'data', 'invalid_format'],
    ['YAML with a key twice', 'items: []\nitems: []\n', 'data', 'invalid_format'],
    ['YAML nested beyond the stack', '['.repeat(200_000), 'data', 'invalid_format'],
    [
      'YAML that repeats itself without end',
      `a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [${'*a,'.repeat(10)}]\nc: &c [${'*b,'.repeat(10)}]\nitems: [${'*c,'.repeat(10)}]\n`,
      'data',
      'invalid_format',
    ],
  ])('refuses %s', async (_what, data, field, code) => {
    expectError(await host.post('/meta/import', { data }), 400, 'validation_error', { fieldErrors: [{ field, code }] })
  })
})

describe('hostile keys', () => {
  const poison = '{"items":[{"type":"page","name":"bad","item":{"__proto__":{"polluted":1}}}]}'

  it.each([
    ['a JSON body', `{"data":${poison}}`],
    ['a JSON text', JSON.stringify({ data: poison })],
    [
      'a YAML text',
      JSON.stringify({ data: 'items:\n  - type: page\n    name: bad\n    item:\n      __proto__: {polluted: 1}\n' }),
    ],
    [
      'a YAML merge key',
      JSON.stringify({ data: 'a: &a {__proto__: {polluted: 1}}\nitems: [{type: page, name: bad, item: {<<: *a}}]\n' }),
    ],
    ['the document itself', JSON.stringify({ data: '__proto__: {polluted: 1}\nitems: []\n' })],
    [
      'an overlay',
      JSON.stringify({
        data: 'items: []\noverlays: [{baseType: page, baseName: x, patch: {__proto__: {polluted: 1}}}]\n',
      }),
    ],
  ])('in %s reach no prototype and are refused', async (_what, body) => {
    const answer = await host.post('/meta/import', body)
    expectError(answer, 400, 'validation_error')
    expect(answer.body.error.details.fieldErrors[0]).toMatchObject({ code: 'not_allowed' })
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    expect((await host.get('/meta/page/bad/exists')).body.data.exists).toBe(false)
  })

  it.each(['skip', 'overwrite', 'merge'])('such as constructor are data for %s', async (conflictResolution) => {
    const item = { constructor: { prototype: { polluted: 1 } }, valueOf: 1 }
    await host.put(`/meta/page/${name}`, { constructor: { kept: 1 } })
    await importInto(host, { items: [pageOf(name, item)] }, { conflictResolution })
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    const stored = (await host.get(`/meta/page/${name}`)).body.item as Record<string, unknown>
    expect(Object.hasOwn(stored, 'constructor')).toBe(true)
    expect(Object.hasOwn(stored, 'valueOf')).toBe(conflictResolution !== 'skip')
  })
})
