// Generated views: specification "Metadata", D-114.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectError, host, item, name, put, useMetadataHost } from '../support/metadata-suite.ts'

useMetadataHost()

describe('GET /ui/view/:object/:type', () => {
  const fields = {
    notes: { type: 'textarea' },
    title: { type: 'text', required: true },
    amount: { type: 'currency' },
    due: { type: 'date', group: 'planning' },
    client: { type: 'lookup', reference: 'client' },
    status: { type: 'select', options: ['open', 'done'] },
    mail: { type: 'email' },
    flag: { type: 'boolean' },
    number: { type: 'autonumber' },
    internal: { type: 'text', hidden: true },
  }

  beforeAll(async () => {
    await host.defineObject('client', { name: { type: 'text' } })
  })

  beforeEach(async () => {
    await put(item({ label: 'Deal', fields, fieldGroups: [{ key: 'planning', label: 'Planning', collapsed: true }] }))
  })

  it('generates a list of the most telling fields', async () => {
    const { status, body } = await host.get(`/ui/view/${name}/list`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      object: name,
      viewKind: 'list',
      name: `${name}.list`,
      label: 'Deals',
      generated: true,
      type: 'grid',
      sort: [{ field: 'created_at', order: 'desc' }],
      pagination: { pageSize: 25 },
    })
    expect(body.columns.map((column: { field: string }) => column.field)).toEqual([
      'title',
      'status',
      'client',
      'due',
      'amount',
      'mail',
      'flag',
    ])
    expect(body.columns[0]).toEqual({ field: 'title', label: 'Title', type: 'text', sortable: true })
    expect(body.searchableFields).toEqual(['notes', 'title', 'mail', 'number', 'internal'])
    expect(body.filterableFields).not.toContain('internal')
    const {
      object: _object,
      viewKind: _kind,
      name: _name,
      label: _label,
      generated: _generated,
      list,
      ...config
    } = body
    expect(list).toEqual(config)
  })

  it('generates a form by field groups with the system fields last', async () => {
    const { body } = await host.get(`/ui/view/${name}/form`)
    expect(body).toMatchObject({ viewKind: 'form', generated: true, type: 'simple', label: 'Edit Deal' })
    expect(body.sections.map((section: { name: string }) => section.name)).toEqual(['general', 'planning', 'system'])
    const [general, planning, system] = body.sections
    expect(general).toMatchObject({ label: 'General', columns: 2, collapsible: false, collapsed: false })
    expect(general.fields).toContainEqual({
      field: 'notes',
      label: 'Notes',
      type: 'textarea',
      required: false,
      readonly: false,
      colSpan: 2,
    })
    expect(general.fields).toContainEqual({
      field: 'title',
      label: 'Title',
      type: 'text',
      required: true,
      readonly: false,
      colSpan: 1,
    })
    expect(general.fields).toContainEqual(expect.objectContaining({ field: 'number', readonly: true }))
    expect(general.fields.map((field: { field: string }) => field.field)).not.toContain('internal')
    expect(planning).toMatchObject({
      label: 'Planning',
      collapsible: true,
      collapsed: true,
      fields: [{ field: 'due' }],
    })
    expect(system.label).toBe('System')
    expect(system.fields.every((field: { readonly: boolean }) => field.readonly)).toBe(true)
    expect(system.fields.map((field: { field: string }) => field.field)).toContain('created_at')
    expect(body.fields).toEqual(body.sections.flatMap((section: { fields: unknown[] }) => section.fields))
    expect(body.form.sections).toEqual(body.sections)
  })

  it('takes the kind as a query parameter, list by default', async () => {
    expect((await host.get(`/ui/view/${name}`)).body.viewKind).toBe('list')
    expect((await host.get(`/ui/view/${name}?type=form`)).body).toEqual((await host.get(`/ui/view/${name}/form`)).body)
  })

  it('answers the stored default view', async () => {
    const config = { type: 'grid', columns: ['title'] }
    await host.put(`/meta/view/${name}.mine`, {
      object: name,
      viewKind: 'list',
      label: 'Mine',
      config: { type: 'kanban' },
      isDefault: true,
      scope: 'personal',
    })
    await host.put(`/meta/view/${name}.all`, { object: name, viewKind: 'list', label: 'All', config, isDefault: true })
    expect((await host.get(`/ui/view/${name}/list`)).body).toEqual({
      object: name,
      viewKind: 'list',
      name: `${name}.all`,
      label: 'All',
      generated: false,
      ...config,
      list: config,
    })
  })

  it('completes a stored default that says nothing of its columns or fields', async () => {
    for (const kind of ['list', 'form']) {
      const generated = (await host.get(`/ui/view/${name}/${kind}`)).body
      await host.put(`/meta/view/${name}.${kind}_default`, {
        object: name,
        viewKind: kind,
        label: kind,
        isDefault: true,
      })
      const { body } = await host.get(`/ui/view/${name}/${kind}`)
      const { type, columns, sections, fields: shown } = generated
      expect(body).toMatchObject(kind === 'list' ? { type, columns } : { type, sections, fields: shown })
      await host.delete(`/meta/view/${name}.${kind}_default`)
    }
  })

  it('refuses another kind and an unknown object', async () => {
    expectError(await host.get(`/ui/view/${name}/kanban`), 400, 'validation_error', {
      fieldErrors: [{ field: 'type', code: 'invalid_option' }],
    })
    expectError(await host.get('/ui/view/nothing/list'), 404, 'resource_not_found', {
      resource: 'object',
      id: 'nothing',
    })
    expectError(await host.get('/ui/view/constructor'), 404, 'resource_not_found')
  })
})
