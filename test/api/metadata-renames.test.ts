// Renames are followed wherever a name stands: D-100 ("references, views, indexes, overlays rewritten").
import { describe, expect, it } from 'vitest'
import { host, name, useMetadataHost } from '../support/metadata-suite.ts'

useMetadataHost()

const fields = {
  title: { type: 'text' },
  sum: { type: 'number' },
  state: { type: 'select', options: ['open', 'done'] },
}
const renamedFields = {
  heading: { type: 'text', renamedFrom: 'title' },
  total: { type: 'number', renamedFrom: 'sum' },
  state: fields.state,
}
const save = async (type: string, key: string, item: Record<string, unknown>): Promise<void> => {
  const { status, body } = await host.put(`/meta/${type}/${key}`, item)
  expect({ status, error: body.error }).toEqual({ status: 200 })
}
const read = async (type: string, key: string) => {
  const { uid: _uid, ...item } = (await host.get(`/meta/${type}/${key}`)).body.item
  return item
}
const define = (more: Record<string, unknown> = {}) => save('object', name, { fields, ...more })
const rename = (more: Record<string, unknown> = {}) => save('object', name, { fields: renamedFields, ...more })

describe('renaming fields', () => {
  it.each([
    [
      'view',
      () => `${name}.all`,
      () => ({
        object: name,
        viewKind: 'list',
        config: {
          columns: ['title', { field: 'sum', width: 10 }, 'created_at'],
          filter: { $or: [{ title: 'title' }, { sum: { $gt: 1 } }] },
          sort: [{ field: 'sum', order: 'desc' }],
          searchableFields: ['title'],
          grouping: 'title',
          kanban: { groupByField: 'state', columns: ['title'], sumField: 'sum' },
          calendar: { startDateField: 'created_at', titleField: 'title' },
          chart: { dimension: 'state', measures: ['sum.avg', 'count'] },
          conditionalFormatting: [{ condition: 'record.sum > 1 && "sum" != record.title', color: 'red' }],
        },
      }),
      () => ({
        object: name,
        viewKind: 'list',
        config: {
          columns: ['heading', { field: 'total', width: 10 }, 'created_at'],
          filter: { $or: [{ heading: 'title' }, { total: { $gt: 1 } }] },
          sort: [{ field: 'total', order: 'desc' }],
          searchableFields: ['heading'],
          grouping: 'heading',
          kanban: { groupByField: 'state', columns: ['title'], sumField: 'total' },
          calendar: { startDateField: 'created_at', titleField: 'heading' },
          chart: { dimension: 'state', measures: ['total.avg', 'count'] },
          conditionalFormatting: [{ condition: 'record.total > 1 && "sum" != record.heading', color: 'red' }],
        },
      }),
    ],
    [
      'view',
      () => `${name}.form`,
      () => ({
        object: name,
        viewKind: 'form',
        config: {
          sections: [{ label: 'title', fields: ['title', { field: 'sum', visibleOn: 'record.title != null' }] }],
        },
      }),
      () => ({
        object: name,
        viewKind: 'form',
        config: {
          sections: [{ label: 'title', fields: ['heading', { field: 'total', visibleOn: 'record.heading != null' }] }],
        },
      }),
    ],
    [
      'validation',
      () => `${name}.rule`,
      () => ({
        object: name,
        type: 'conditional',
        message: 'No.',
        when: { dialect: 'cel', source: 'changed("title") || previous["sum"] == record . sum' },
        then: {
          type: 'cross_field',
          fields: ['title', 'sum'],
          condition: 'has(record.title) && record.state == "title"',
        },
      }),
      () => ({
        object: name,
        type: 'conditional',
        message: 'No.',
        when: { dialect: 'cel', source: 'changed("heading") || previous["total"] == record . total' },
        then: {
          type: 'cross_field',
          fields: ['heading', 'total'],
          condition: 'has(record.heading) && record.state == "title"',
        },
      }),
    ],
    [
      'validation',
      () => `${name}.unique`,
      () => ({
        object: name,
        type: 'unique',
        message: 'No.',
        fields: ['title'],
        where: [
          ['sum', '>', 1],
          ['state', '=', 'open'],
        ],
      }),
      () => ({
        object: name,
        type: 'unique',
        message: 'No.',
        fields: ['heading'],
        where: [
          ['total', '>', 1],
          ['state', '=', 'open'],
        ],
      }),
    ],
    [
      'report',
      () => `${name}_report`,
      () => ({
        object: name,
        columns: ['title', { field: 'sum' }],
        groupings: [{ field: 'title' }],
        aggregations: [{ field: 'sum', function: 'sum' }],
        filter: { field: 'title', operator: 'contains', value: 'sum' },
        sort: ['-sum', 'title'],
      }),
      () => ({
        object: name,
        columns: ['heading', { field: 'total' }],
        groupings: [{ field: 'heading' }],
        aggregations: [{ field: 'total', function: 'sum' }],
        filter: { field: 'heading', operator: 'contains', value: 'sum' },
        sort: ['-total', 'heading'],
      }),
    ],
    [
      'dashboard',
      () => `${name}_board`,
      () => ({
        widgets: [
          {
            id: 'a',
            type: 'chart',
            query: {
              cube: name,
              measures: ['sum.avg', `${name}.sum.max`],
              dimensions: ['title'],
              filters: [{ or: [{ member: 'title', operator: 'set', values: [] }] }],
              order: { 'sum.avg': 'desc' },
              where: { title: { $ne: 'sum' } },
            },
          },
        ],
      }),
      () => ({
        widgets: [
          {
            id: 'a',
            type: 'chart',
            query: {
              cube: name,
              measures: ['total.avg', `${name}.total.max`],
              dimensions: ['heading'],
              filters: [{ or: [{ member: 'heading', operator: 'set', values: [] }] }],
              order: { 'total.avg': 'desc' },
              where: { heading: { $ne: 'sum' } },
            },
          },
        ],
      }),
    ],
    [
      'permission',
      () => `${name}_rights`,
      () => ({
        fields: { [`${name}.title`]: { readable: true }, 'other.title': { readable: true } },
        rowLevelSecurity: [
          { name: 'a', object: name, actions: ['read'], condition: 'record.title == user.id' },
          { name: 'b', object: name, actions: ['read'], condition: { sum: 1 } },
        ],
      }),
      () => ({
        fields: { [`${name}.heading`]: { readable: true }, 'other.title': { readable: true } },
        rowLevelSecurity: [
          { name: 'a', object: name, actions: ['read'], condition: 'record.heading == user.id' },
          { name: 'b', object: name, actions: ['read'], condition: { total: 1 } },
        ],
      }),
    ],
    [
      'translation',
      () => `de_${name}`,
      () => ({
        locale: 'de',
        translations: {
          objects: {
            [name]: { label: 'L', fields: { title: { label: 'T' } } },
            other: { fields: { title: { label: 'O' } } },
          },
        },
      }),
      () => ({
        locale: 'de',
        translations: {
          objects: {
            [name]: { label: 'L', fields: { heading: { label: 'T' } } },
            other: { fields: { title: { label: 'O' } } },
          },
        },
      }),
    ],
    [
      'action',
      () => `${name}.act`,
      () => ({
        object: name,
        type: 'update',
        config: { data: { title: '{{ record.sum }}', state: 'done' } },
        visibleOn: 'record.sum > 0',
      }),
      () => ({
        object: name,
        type: 'update',
        config: { data: { heading: '{{ record.total }}', state: 'done' } },
        visibleOn: 'record.total > 0',
      }),
    ],
    [
      'trigger',
      () => `${name}.trig`,
      () => ({
        object: name,
        events: ['update'],
        condition: 'record.sum > 1',
        actions: [{ type: 'update_record', config: { data: { title: 'sum' } } }],
      }),
      () => ({
        object: name,
        events: ['update'],
        condition: 'record.total > 1',
        actions: [{ type: 'update_record', config: { data: { heading: 'sum' } } }],
      }),
    ],
    [
      'email_template',
      () => `${name}_mail`,
      () => ({ object: name, subject: 'title {{record.title}}', html: '<b>{{ record.sum + 1 }}</b>' }),
      () => ({ object: name, subject: 'title {{record.heading}}', html: '<b>{{ record.total + 1 }}</b>' }),
    ],
    [
      'flow',
      () => `${name}_flow`,
      () => ({
        nodes: [
          {
            id: 's',
            type: 'start',
            config: { object: name, events: ['update'], condition: 'record.sum > 1', fields: ['title'] },
          },
          { id: 'u', type: 'update_record', config: { object: name, filter: { title: 'a' }, data: { sum: 1 } } },
        ],
        edges: [{ id: 'e', source: 's', target: 'u', condition: 'record.title != null' }],
      }),
      () => ({
        nodes: [
          {
            id: 's',
            type: 'start',
            config: { object: name, events: ['update'], condition: 'record.total > 1', fields: ['heading'] },
          },
          { id: 'u', type: 'update_record', config: { object: name, filter: { heading: 'a' }, data: { total: 1 } } },
        ],
        edges: [{ id: 'e', source: 's', target: 'u', condition: 'record.heading != null' }],
      }),
    ],
  ])('is followed in a %s', async (type, key, before, after) => {
    await define()
    await save(type, key(), before())
    await rename()
    expect(await read(type, key())).toEqual({ name: key(), ...after() })
    expect((await host.get(`/meta/${type}/${key()}/history`)).body.data.events).toHaveLength(2)
  })

  it('is followed inside of the object itself, where its author still wrote the old name', async () => {
    const more = {
      displayNameField: 'title',
      indexes: [{ fields: ['sum', 'title'], where: { sum: { $gt: 0 } } }],
      search: { fields: ['title'] },
      compactLayout: ['title', 'state'],
      validations: [{ name: 'v', type: 'script', condition: 'record.sum < 0', field: 'sum', message: 'No.' }],
      analytics: { measures: { best: { type: 'max', field: 'sum' } } },
    }
    const formula = { twice: { type: 'formula', expression: 'record.sum * 2', returnType: 'number' } }
    await save('object', name, { ...more, fields: { ...fields, ...formula } })
    const { body: record } = await host.post(`/data/${name}`, { title: 'a', sum: 4 })
    await save('object', name, { ...more, fields: { ...renamedFields, ...formula } })
    expect(await read('object', name)).toMatchObject({
      displayNameField: 'heading',
      indexes: [{ fields: ['total', 'heading'], where: { total: { $gt: 0 } } }],
      search: { fields: ['heading'] },
      compactLayout: ['heading', 'state'],
      validations: [{ condition: 'record.total < 0', field: 'total' }],
      analytics: { measures: { best: { field: 'total' } } },
      fields: { twice: { expression: 'record.total * 2' } },
    })
    const { body } = await host.patch(`/data/${name}/${record.id}`, { total: 5 })
    expect(body.record).toMatchObject({ heading: 'a', total: 5, twice: 10 })
  })

  it('through a field item is followed too', async () => {
    await define({ displayNameField: 'title' })
    await save('view', `${name}.all`, { object: name, viewKind: 'list', config: { columns: ['title'] } })
    await save('field', `${name}.heading`, { type: 'text', renamedFrom: 'title' })
    expect((await read('object', name)).displayNameField).toBe('heading')
    expect((await read('view', `${name}.all`)).config).toEqual({ columns: ['heading'] })
  })

  it('is followed in summaries and lookups of other objects and along paths', async () => {
    const child = `${name}_line`
    await define({
      fields: {
        ...fields,
        lines: {
          type: 'summary',
          summaryOperations: {
            object: child,
            function: 'sum',
            field: 'price',
            relationField: 'parent',
            filter: { price: { $gt: 0 } },
          },
        },
      },
    })
    await save('object', child, {
      fields: {
        price: { type: 'number' },
        parent: { type: 'lookup', reference: name, referenceFilters: { title: 'a' } },
      },
    })
    await save('view', `${child}.all`, {
      object: child,
      viewKind: 'list',
      config: { columns: ['parent.title', 'price'], filter: { 'parent.sum': 1 } },
    })
    await save('object', name, {
      fields: { ...(await read('object', name)).fields, title: undefined, sum: undefined, ...renamedFields },
    })
    expect((await read('object', child)).fields.parent.referenceFilters).toEqual({ heading: 'a' })
    expect((await read('view', `${child}.all`)).config).toEqual({
      columns: ['parent.heading', 'price'],
      filter: { 'parent.total': 1 },
    })
    await save('object', child, {
      fields: {
        cost: { type: 'number', renamedFrom: 'price' },
        owner_of: { type: 'lookup', reference: name, renamedFrom: 'parent' },
      },
    })
    expect((await read('object', name)).fields.lines.summaryOperations).toEqual({
      object: child,
      function: 'sum',
      field: 'cost',
      relationField: 'owner_of',
      filter: { cost: { $gt: 0 } },
    })
    expect((await read('view', `${child}.all`)).config.columns).toEqual(['owner_of.heading', 'cost'])
  })

  it('of two fields that change places gives each its own', async () => {
    await save('object', name, { fields: { a: { type: 'text' }, b: { type: 'text' } } })
    await save('view', `${name}.all`, {
      object: name,
      viewKind: 'list',
      config: { columns: ['a', 'b', 'a'], filter: { a: 1, b: 2 } },
    })
    await save('object', name, {
      fields: { b: { type: 'text', renamedFrom: 'a' }, a: { type: 'text', renamedFrom: 'b' } },
    })
    expect((await read('view', `${name}.all`)).config).toEqual({ columns: ['b', 'a', 'b'], filter: { b: 1, a: 2 } })
  })

  it('reaches overlays and drafts', async () => {
    await define()
    await host.put(`/meta/view/${name}.all?packageId=org.example.kit`, {
      object: name,
      viewKind: 'list',
      config: { columns: ['state'] },
    })
    await host.put(`/meta/view/${name}.all/overlay?scope=platform`, { patch: { config: { columns: ['title'] } } })
    await host.put(`/meta/view/${name}.all/overlay?scope=user`, { patch: { config: { searchableFields: ['title'] } } })
    await save('view', `${name}.own`, { object: name, viewKind: 'list', config: {} })
    await host.put(`/meta/view/${name}.own?mode=draft`, {
      object: name,
      viewKind: 'list',
      config: { columns: ['sum'] },
    })
    await rename()
    expect((await read('view', `${name}.all`)).config).toEqual({ columns: ['heading'], searchableFields: ['heading'] })
    expect((await host.get(`/meta/view/${name}.own?state=draft`)).body.item.config).toEqual({ columns: ['total'] })
  })

  it('writes nothing where nothing names the fields', async () => {
    await define()
    await save('view', `${name}.all`, { object: name, viewKind: 'list', config: { columns: ['state'] } })
    await save('page', `${name}_page`, { label: 'title' })
    await rename()
    for (const path of [`view/${name}.all`, `page/${name}_page`]) {
      expect((await host.get(`/meta/${path}/history`)).body.data.events).toHaveLength(1)
    }
  })
})

describe('renaming an object', () => {
  it('is followed by references of every kind and by its parts', async () => {
    const next = `${name}_new`
    await define()
    await save('object', `${name}_child`, { fields: { parent: { type: 'lookup', reference: name } } })
    await save('view', `${name}.all`, { object: name, viewKind: 'list', config: { columns: ['title'] } })
    await save('app', `${name}_app`, {
      navigation: [
        { id: 'g', type: 'group', children: [{ id: 'o', type: 'object', target: name }] },
        { id: 'v', type: 'view', target: `${name}.all` },
      ],
    })
    await save('permission', `${name}_rights`, {
      objects: { [name]: { allowRead: true } },
      fields: { [`${name}.title`]: { readable: true } },
    })
    await save('dashboard', `${name}_board`, {
      widgets: [{ id: 'a', type: 'metric', query: { cube: name, measures: [`${name}.count`] } }],
    })
    await save('translation', `de_${name}`, { locale: 'de', translations: { objects: { [name]: { label: 'L' } } } })
    await save('object', next, {
      renamedFrom: name,
      fields: { ...renamedFields, kin: { type: 'lookup', reference: name } },
    })

    expect((await read('object', next)).fields.kin.reference).toBe(next)
    expect((await read('object', `${name}_child`)).fields.parent.reference).toBe(next)
    expect(await read('view', `${next}.all`)).toEqual({
      name: `${next}.all`,
      object: next,
      viewKind: 'list',
      config: { columns: ['heading'] },
    })
    expect((await read('app', `${name}_app`)).navigation).toMatchObject([
      { children: [{ target: next }] },
      { target: `${next}.all` },
    ])
    expect(await read('permission', `${name}_rights`)).toMatchObject({
      objects: { [next]: { allowRead: true } },
      fields: { [`${next}.heading`]: { readable: true } },
    })
    expect((await read('dashboard', `${name}_board`)).widgets[0].query).toEqual({
      cube: next,
      measures: [`${next}.count`],
    })
    expect((await read('translation', `de_${name}`)).translations.objects).toEqual({ [next]: { label: 'L' } })
  })

  it('leaves what leads to its records as it is, without asking for consent', async () => {
    const [next, child] = [`${name}_next`, `${name}_child`]
    await save('object', name, { fields: { ...fields, kin: { type: 'lookup', reference: name } } })
    await save('object', child, {
      fields: {
        parent: { type: 'lookup', reference: name },
        owner_of: { type: 'master_detail', reference: name, required: true },
        several: { type: 'lookup', reference: name, multiple: true },
        link: { type: 'record', references: [name, 'user'] },
        any: { type: 'record' },
      },
    })
    const { id } = (await host.post(`/data/${name}`, { title: 'target' })).body
    await host.patch(`/data/${name}/${id}`, { kin: id })
    const link = { object: name, id }
    const values = { parent: id, owner_of: id, several: [id], link, any: link }
    const made = await host.post(`/data/${child}`, values)
    expect(made).toMatchObject({ status: 201 })
    const answer = await host.put(`/meta/object/${next}`, {
      renamedFrom: name,
      fields: { ...fields, kin: { type: 'lookup', reference: name } },
    })
    expect(answer.status).toBe(200)
    expect((answer.body.plan ?? []).filter(({ destructive }: { destructive: boolean }) => destructive)).toEqual([])
    const moved = { object: next, id }
    const { record } = (await host.get(`/data/${child}/${made.body.id}`)).body
    expect(record).toMatchObject({ ...values, link: moved, any: moved })
    expect((await host.get(`/data/${next}/${id}`)).body.record.kin).toBe(id)
    expect((await host.get(`/meta/object/${next}/backups`)).body.data ?? []).toEqual([])
    const expanded = (await host.get(`/data/${child}/${made.body.id}?expand=parent`)).body.record
    expect(expanded).toMatchObject({ parent: { title: 'target' } })
    const found = await host.get(`/data/${child}?filter=${encodeURIComponent(JSON.stringify({ link: moved }))}`)
    expect(found.body.records).toHaveLength(1)
  })

  it('keeps what a deletion did to its records, and what an import made of them', async () => {
    const [next, child] = [`${name}_next`, `${name}_child`]
    await save('object', name, { fields })
    const childFields = {
      owner_of: { type: 'master_detail', reference: name, required: true },
      title: { type: 'text' },
    }
    await save('object', child, { fields: childFields })
    const other = `${name}_other`
    const otherFields = { left: { type: 'lookup', reference: name }, right: { type: 'lookup', reference: name } }
    await save('object', other, { fields: otherFields })
    const imported = (await host.post(`/data/${child}/import/jobs`, { format: 'csv', csv: 'owner_of,title\n,lost\n' }))
      .body
    const { id } = (await host.post(`/data/${name}`, { title: 'master' })).body
    const detail = (await host.post(`/data/${child}`, { owner_of: id, title: 'detail' })).body.id
    const loose = (await host.post(`/data/${other}`, { left: id, right: id })).body.id
    expect((await host.delete(`/data/${name}/${id}`)).status).toBe(200)
    expect((await host.get(`/data/${other}/${loose}`)).body.record).toMatchObject({ left: null, right: null })
    await save('object', next, { renamedFrom: name, fields })
    await save('object', `${child}_next`, {
      renamedFrom: child,
      fields: { ...childFields, owner_of: { ...childFields.owner_of, reference: next } },
    })
    const swapped = {
      left: { ...otherFields.right, reference: next, renamedFrom: 'right' },
      right: { ...otherFields.left, reference: next, renamedFrom: 'left' },
    }
    await save('object', other, { fields: swapped })
    expect((await host.post(`/data/${next}/${id}/restore`, {})).status).toBe(200)
    expect((await host.get(`/data/${child}_next/${detail}`)).body.record).toMatchObject({ owner_of: id })
    expect((await host.get(`/data/${other}/${loose}`)).body.record).toMatchObject({ left: id, right: id })
    expect((await host.get(`/data/import/jobs/${imported.jobId}`)).body.object).toBe(`${child}_next`)
  })
})
