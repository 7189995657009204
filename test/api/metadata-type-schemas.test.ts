// The JSON Schemas of the metadata types, and that saving obeys the same shapes: D-102, D-107, D-112.
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ValidateFunction } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { metadataTypes } from '#shared/contracts/metadata.ts'
import { exampleObjects, tangledItems, wholeItems, wrongItems } from '../support/metadata-examples.ts'
import { expectError, host, useMetadataHost } from '../support/metadata-suite.ts'

useMetadataHost()

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
const validators = new Map<string, ValidateFunction>()

beforeAll(async () => {
  for (const [name, item] of Object.entries(exampleObjects)) await host.put(`/meta/object/${name}`, { name, ...item })
  for (const type of metadataTypes) {
    validators.set(type, ajv.compile((await host.get(`/meta/types/${type}/schema`)).body as object))
  }
})

/** An example with some keys replaced; undefined takes a key away. */
const changed = (type: string, change: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries({ ...wholeItems[type]!.item, ...change }).filter(([, value]) => value !== undefined),
  )

describe('the schema of a type', () => {
  it.each(metadataTypes)('%s is a JSON Schema 2020-12 with title and description', async (type) => {
    const { status, body } = await host.get(`/meta/types/${type}/schema`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: expect.any(String) as string,
      description: expect.any(String) as string,
      type: 'object',
    })
    expect(ajv.validateSchema(body as object)).toBe(true)
  })

  it('answers 404 for a type nobody knows', async () => {
    expectError(await host.get('/meta/types/thing/schema'), 404, 'resource_not_found')
  })

  it.each(Object.entries(wholeItems))(
    '%s fits a whole item, which saves without a warning',
    async (type, { name, item }) => {
      const validate = validators.get(type)!
      expect(validate({ name, ...item }), ajv.errorsText(validate.errors)).toBe(true)
      const { status, body } = await host.put(`/meta/${type}/${name}`, item)
      expect({ status, warnings: body.warnings, error: body.error }).toEqual({ status: 200 })
      expect((await host.get(`/meta/${type}/${name}`)).body.item).toMatchObject(item)
    },
  )

  const isExpression = (code: string, field: string) =>
    code === 'expression_error' || ['regex', 'schedule.cron', 'locale'].includes(field)

  it.each(wrongItems)('of %s refuses %j at %s (%s), and so does a save', async (type, change, field, code) => {
    const item = changed(type, change)
    const answer = await host.put(`/meta/${type}/wrong_one`, item)
    expectError(answer, 400, 'validation_error')
    const found = answer.body.error.details.fieldErrors as { field: string; code: string }[]
    expect(found.map((one) => `${one.field} ${one.code}`)).toContain(`${field} ${code}`)
    // A schema cannot compile expressions, patterns, cron lines and language tags.
    if (!isExpression(code, field)) expect(validators.get(type)!({ name: 'wrong_one', ...item })).toBe(false)
    expectError(await host.get(`/meta/${type}/wrong_one`), 404, 'resource_not_found')
  })

  it.each(tangledItems)('of %s: a save refuses %j at %s (%s)', async (type, change, field, code) => {
    const answer = await host.put(`/meta/${type}/wrong_one`, changed(type, change))
    expectError(answer, 400, 'validation_error', { fieldErrors: [{ field, code }] })
  })
})

describe('values without a text form', () => {
  const odd = { toString: 1, valueOf: 1 }

  it.each([
    ['view', { object: 'ticket', viewKind: odd }, 400],
    ['validation', { object: 'ticket', type: odd }, 400],
    ['action', { type: odd }, 400],
    ['view', { object: 'ticket', viewKind: 'list', config: { sort: ['title', odd], filter: [odd, odd] } }, 200],
  ])('neither break nor pass for text in a %s: %j', async (type, item, status) => {
    expect((await host.put(`/meta/${type}/ticket.odd_text`, item)).status).toBe(status)
    expect((await host.get('/meta/object/ticket/dependents')).status).toBe(200)
    expect((await host.post('/meta/import', { data: { formatVersion: odd, items: [] } })).status).toBe(400)
  })
})

describe('unknown keys', () => {
  it('are kept at every depth and reported with their path', async () => {
    const item = {
      colour: 1,
      widgets: [{ id: 'a', type: 'text', glow: true, layout: { x: 0, y: 0, w: 1, h: 1, z: 1 } }],
    }
    const { body } = await host.put('/meta/dashboard/odd', item)
    expect(body.warnings.map((warning: { path: string }) => warning.path)).toEqual([
      'colour',
      'widgets.0.glow',
      'widgets.0.layout.z',
    ])
    expect((await host.get('/meta/dashboard/odd')).body.item).toMatchObject(item)
  })

  it('of a list column are told from those of a plain name', async () => {
    const config = { columns: ['title', { field: 'due', tint: 'red' }] }
    const { body } = await host.put('/meta/view/ticket.tinted', { object: 'ticket', viewKind: 'list', config })
    expect(body.warnings).toEqual([{ path: 'config.columns.1.tint', message: expect.any(String) as string }])
  })
})

describe('types that only have an envelope', () => {
  it.each(['datasource', 'external_catalog'])('%s is made by packages only and keeps what it holds', async (type) => {
    const item = { label: 'Store', config: { any: { thing: [1] } }, driver: 7 }
    expectError(await host.put(`/meta/${type}/store`, item), 400, 'validation_error', {
      fieldErrors: [{ field: 'type', code: 'not_allowed' }],
    })
    expect((await host.put(`/meta/${type}/store?packageId=org.example.store`, item)).status).toBe(200)
    expectError(
      await host.put(`/meta/${type}/other?packageId=org.example.store`, { config: 7 }),
      400,
      'validation_error',
      {
        fieldErrors: [{ field: 'config', code: 'invalid_type' }],
      },
    )
  })

  it.each(['router', 'service'])('%s is never made at run time', async (type) => {
    expectError(await host.put(`/meta/${type}/mine?packageId=org.example.store`, {}), 400, 'validation_error')
  })
})

describe('what an object holds beside its fields', () => {
  const object = (more: Record<string, unknown>) => ({ name: 'holder', fields: { title: { type: 'text' } }, ...more })

  it.each([
    [{ hooks: [{ events: ['beforeInsert'] }] }, 'hooks.0.body', 'required'],
    [{ hooks: { a: 1 } }, 'hooks', 'invalid_type'],
    [{ validations: [{ name: 'v', type: 'script', message: 'No.' }] }, 'validations.0.condition', 'required'],
    [{ triggers: [{ events: ['create'], condition: 'record..x' }] }, 'triggers.0.condition', 'expression_error'],
    [{ analytics: { measures: { m: { type: 'mode' } } } }, 'analytics.measures.m.type', 'invalid_option'],
    [
      { analytics: { measures: { m: { type: 'number', expression: '1 +' } } } },
      'analytics.measures.m.expression',
      'expression_error',
    ],
  ])('is checked: %j', async (more, field, code) => {
    const answer = await host.put('/meta/object/holder', object(more))
    expectError(answer, 400, 'validation_error', { fieldErrors: [{ field, code }] })
    if (code !== 'expression_error') expect(validators.get('object')!(object(more))).toBe(false)
  })

  it('is warned about where a key is unknown', async () => {
    const hooks = [{ name: 'h', events: ['beforeInsert'], body: '', when: 'now' }]
    const { body } = await host.put('/meta/object/holder', object({ hooks }))
    expect(body.warnings).toEqual([{ path: 'hooks.0.when', message: expect.any(String) as string }])
  })
})
