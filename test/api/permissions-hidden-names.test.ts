// Hidden fields in what mentions them (D-25, D-113): layers of items, dashboards, measures, imports, histories.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PeopledHost, UserCalls } from '../support/test-identities.ts'
import { createPeopledHost } from '../support/test-identities.ts'

let host: PeopledHost
let me: UserCalls

beforeAll(async () => {
  host = await createPeopledHost({ users: [{}] })
  await host.defineObject('person', { name: { type: 'text' }, salary: { type: 'number' } })
  await host.defineObject('vault', { name: { type: 'text' } })
  await host.defineObject(
    'deal',
    {
      title: { type: 'text' },
      margin: { type: 'number' },
      tag: { type: 'text', externalId: true },
      key: { type: 'secret' },
      seller: { type: 'lookup', reference: 'person' },
      safe: { type: 'lookup', reference: 'vault' },
    },
    {
      analytics: {
        measures: { gain: { type: 'sum', field: 'margin' }, all: { type: 'count' } },
        dimensions: { wide: { type: 'boolean', expression: 'record.margin > 10' } },
      },
    },
  )
  await host.saveItem('view', 'deal.telling', {
    object: 'deal',
    viewKind: 'list',
    label: 'Telling',
    config: { type: 'grid', columns: ['title', 'margin', 'seller.salary', 'seller.name', 'safe.name'] },
  })
  await host.saveItem('dashboard', 'overview', {
    columns: 12,
    widgets: [
      {
        id: 'a',
        type: 'metric',
        query: { cube: 'deal', measures: ['margin.sum'] },
        layout: { x: 0, y: 0, w: 1, h: 1 },
      },
      { id: 'b', type: 'metric', query: { cube: 'vault', measures: ['count'] }, layout: { x: 1, y: 0, w: 1, h: 1 } },
      { id: 'c', type: 'metric', query: { cube: 'deal', measures: ['count'] }, layout: { x: 2, y: 0, w: 1, h: 1 } },
    ],
  })
  const flags = { allowCreate: true, allowRead: true, allowEdit: true }
  await host.saveItem('profile', 'worker', {
    objects: { deal: flags, person: flags },
    fields: Object.fromEntries(
      ['deal.margin', 'deal.tag', 'deal.key', 'person.salary'].map((name) => [name, { readable: false }]),
    ),
    systemPermissions: ['import_data'],
  })
  await host.assign(0, { profile: 'worker' })
  me = host.as(0)
})
afterAll(() => host.stop())

describe('a hidden field', () => {
  it('is in no layer of an item, nor at the end of a path', async () => {
    const { base, effective } = (await me.get('/meta/view/deal.telling/layers')).body.data
    for (const layer of [base, effective]) expect(layer.config.columns).toEqual(['title', 'seller.name'])
    expect((await host.get('/meta/view/deal.telling/layers')).body.data.base.config.columns).toHaveLength(5)
  })

  it('and a closed object are on no dashboard', async () => {
    const { item } = (await me.get('/meta/dashboard/overview')).body
    expect(item.widgets.map((widget: { id: string }) => widget.id)).toEqual(['c'])
  })

  it('takes the measures and dimensions that stand on it along', async () => {
    const { measures, dimensions } = (await me.get('/analytics/meta/deal')).body
    const names = [...measures, ...dimensions].map((member: { name: string }) => member.name)
    expect(names).toContain('all')
    expect(names).not.toContain('gain')
    expect(names).not.toContain('wide')
    expect(Object.keys((await me.get('/meta/object/deal')).body.item.analytics.measures)).toEqual(['all'])
    for (const measure of ['gain', 'nothing']) {
      const { status, body } = await me.post('/analytics/query', { cube: 'deal', measures: [measure] })
      expect([status, body.error.details.reason]).toEqual([400, `The cube has no member "${measure}".`])
    }
  })

  it('is an unknown one to whoever writes it', async () => {
    const { id } = (await me.post('/data/deal', { title: 'mine' })).body
    const told = async (field: string): Promise<string[]> => {
      const answers = [
        await me.post('/data/deal', { title: 'x', [field]: 1 }),
        await me.patch(`/data/deal/${id}`, { [field]: 1 }),
        await me.post(`/data/deal/${id}/clone`, { overrides: { [field]: 1 } }),
        await me.post(`/data/deal/${id}/reveal`, { field }),
        await me.post('/data/deal/batch', {
          operation: 'upsert',
          records: [{ externalId: { field, value: 'x' }, data: { title: 'x' } }],
        }),
        await me.post('/data/deal/import', { rows: [{ title: 'x', [field]: 1 }], dryRun: true }),
        await me.post('/data/deal/import', { rows: [{ title: 'x' }], mapping: { title: field }, dryRun: true }),
        await me.post('/data/deal/import', { rows: [{ title: 'x' }], writeMode: 'update', matchFields: [field] }),
        await me.get(`/meta/field/deal.${field}/history`),
        await me.get(`/meta/field/deal.${field}`),
      ]
      return answers.map(({ status, body }) =>
        `${status} ${JSON.stringify(body)}`.replaceAll(field, 'FIELD').replaceAll(/"requestId":"[^"]*"/g, ''),
      )
    }
    const unknown = await told('nothing')
    for (const field of ['margin', 'tag', 'key']) expect(await told(field)).toEqual(unknown)
  })

  it('that is gone still has its past for those who manage metadata', async () => {
    await host.defineObject('old', { name: { type: 'text' }, gone: { type: 'text' } })
    const item = { name: 'old', fields: { name: { type: 'text' } } }
    expect((await host.put('/meta/object/old?confirm=true', { type: 'object', name: 'old', item })).status).toBe(200)
    expect((await host.get('/meta/field/old.gone/history')).status).toBe(200)
    expect((await host.get('/meta/field/old.never/history')).status).toBe(404)
  })
})
