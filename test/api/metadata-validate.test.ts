// Checking items without storing them: D-108 (validate), D-100 (plans).
import { describe, expect, it } from 'vitest'
import { expectError, host, item, name, put, useMetadataHost } from '../support/metadata-suite.ts'

useMetadataHost()

const validate = async (type: string, data: unknown) => {
  const { status, body } = await host.post('/meta/validate', { type, data })
  expect(status).toBe(200)
  return body.data
}

describe('POST /meta/validate', () => {
  it('answers valid for an item that a save would take, and stores nothing', async () => {
    expect(await validate('page', { name, label: 'Page' })).toEqual({ valid: true })
    expect((await host.get(`/meta/page/${name}/exists`)).body.data).toEqual({ exists: false })
  })

  it('answers the plan of an object', async () => {
    expect(await validate('objects', item())).toMatchObject({ valid: true, plan: [{ change: 'add_object' }] })
    await put(item({ fields: { title: { type: 'text' }, done: { type: 'boolean' } } }))
    await host.post(`/data/${name}`, { title: 'a', done: true })
    const { body: dry } = await put(item(), {}, '?dryRun=true')
    const { valid, plan } = await validate('object', item())
    expect({ valid, plan }).toEqual({ valid: true, plan: dry.plan })
    expect(plan).toMatchObject([{ change: 'delete_field', field: 'done', records: 1, destructive: true }])
    expect((await host.get(`/meta/object/${name}`)).body.item.fields).toHaveProperty('done')
  })

  it('answers every problem with path, message and code', async () => {
    const { valid, errors } = await validate('object', item({ label: 7, fields: { title: { type: 'nothing' } } }))
    expect(valid).toBe(false)
    expect(errors).toMatchObject([
      { path: 'label', code: 'invalid_type', message: expect.any(String) as string },
      { path: 'fields.title.type', code: 'invalid_option' },
    ])
  })

  it.each([{}, { name: 7 }])('answers the other problems of an item without a name: %j', async (given) => {
    const { valid, errors } = await validate('page', { ...given, label: 7, columns: { a: 1 }, layout: 'wide' })
    expect([valid, errors[0].path]).toEqual([false, 'name'])
    expect(errors.slice(1).map(({ path }: { path: string }) => path)).toEqual(['label', 'layout'])
    const object = await validate('object', { ...given, fields: { title: { type: 'nothing' } } })
    expect(object.errors.map(({ path }: { path: string }) => path)).toEqual(['name', 'fields.title.type'])
  })

  it('answers warnings about unknown keys', async () => {
    expect(await validate('dashboard', { name, colour: 1 })).toEqual({
      valid: true,
      warnings: [{ path: 'colour', message: expect.any(String) as string }],
    })
  })

  it.each([
    ['an unknown type', 'thing', { name: 'x' }, 'type', 'invalid_option'],
    ['no name', 'page', {}, 'name', 'required'],
    ['a name that is no text', 'page', { name: 7 }, 'name', 'invalid_type'],
    ['a wrong name', 'page', { name: 'A b' }, 'name', 'invalid_format'],
    [
      'a field of an object that is not there',
      'field',
      { name: 'nowhere.title', type: 'text' },
      'name',
      'invalid_reference',
    ],
    ['a type that nobody makes', 'router', { name: 'x' }, 'type', 'not_allowed'],
  ])('answers invalid for %s', async (_what, type, data, path, code) => {
    expect(await validate(type, data)).toMatchObject({ valid: false, errors: [{ path, code }] })
  })

  it('names the values that stand in the way of a unique field', async () => {
    await put(item())
    await host.post(`/data/${name}`, { title: 'same' })
    await host.post(`/data/${name}`, { title: 'same' })
    const fields = { title: { type: 'text', unique: true } }
    expect(await validate('object', item({ fields }))).toMatchObject({
      valid: false,
      errors: [{ path: 'fields.title.unique', code: 'not_unique' }],
    })
  })

  it('refuses a request without type or data', async () => {
    expectError(await host.post('/meta/validate', {}), 400, 'validation_error', {
      fieldErrors: [
        { field: 'type', code: 'required' },
        { field: 'data', code: 'required' },
      ],
    })
  })
})
