// Packages over a real host: install, read, disable, upgrade, roll back, uninstall (D-124 to D-135).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
}, 60_000)

afterAll(async () => host?.stop())

const shop = (version: string, more: object = {}) => ({
  id: 'com.acme.shop',
  name: 'Shop',
  version,
  metadata: [
    {
      type: 'object',
      name: 'shop_item',
      item: {
        label: 'Item',
        fields: { title: { type: 'text', label: 'Title', required: true }, price: { type: 'number' } },
      },
    },
  ],
  data: [{ object: 'shop_item', records: [{ id: '019b8b74-1800-7001-8c00-6a11e3070000', title: 'Pen', price: 2 }] }],
  ...more,
})

describe('a package that is switched off', () => {
  it('has no objects, views, flows, actions and functions meanwhile', async () => {
    const id = 'org.off.desk'
    const rowNode = { id: 'start', type: 'start', label: 'Start', config: {}, position: { x: 0, y: 0 } }
    const endNode = { ...rowNode, id: 'end', type: 'end', label: 'End' }
    const flow = {
      label: 'Go',
      type: 'autolaunched',
      status: 'active',
      nodes: [rowNode, endNode],
      edges: [{ id: 'e', source: 'start', target: 'end' }],
    }
    const columns = [{ field: 'title' }]
    const manifest = {
      id,
      name: 'Desk',
      version: '1.0.0',
      namespace: 'desk',
      metadata: [
        {
          type: 'view',
          name: 'desk_case.all',
          item: { object: 'desk_case', viewKind: 'list', config: { type: 'grid', columns } },
        },
        {
          type: 'object',
          name: 'desk_case',
          item: { fields: { title: { type: 'text' }, on: { type: 'lookup', reference: 'desk_kind' } } },
        },
        {
          type: 'object',
          name: 'desk_kind',
          item: { fields: { title: { type: 'text' }, first: { type: 'lookup', reference: 'desk_case' } } },
        },
        { type: 'flow', name: 'desk_go', item: flow },
        {
          type: 'action',
          name: 'desk_case.open',
          item: { object: 'desk_case', type: 'url', target: 'https://example.org' },
        },
        {
          type: 'validation',
          name: 'desk_case.long',
          item: { object: 'desk_case', type: 'script', condition: 'size(record.title) > 5', message: 'Too long.' },
        },
      ],
      functions: [{ name: 'desk_run', source: 'return 1' }],
    }
    const made = await host.post('/packages', { manifest })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const paths = [
      '/data/desk_case',
      '/meta/object/desk_case',
      '/meta/view/desk_case.all',
      '/automation/desk_go',
      '/meta/flow/desk_go',
      '/meta/action/desk_case.open',
      '/meta/function/desk_run',
    ]
    const all = async (): Promise<number[]> => Promise.all(paths.map(async (path) => (await host.get(path)).status))
    expect(await all()).toEqual(paths.map(() => 200))
    expect((await host.post('/data/desk_case', { title: 'much too long' })).status).toBe(400)
    await host.patch(`/packages/${id}/disable`)
    expect(await all()).toEqual(paths.map(() => 404))
    expect((await host.post('/automation/desk_go/trigger')).status).toBe(404)
    expect(JSON.stringify((await host.get('/meta/object')).body)).not.toContain('desk_case')
    await host.patch(`/packages/${id}/enable`)
    expect(await all()).toEqual(paths.map(() => 200))
    expect((await host.delete(`/packages/${id}?keepData=false&confirm=true`)).status).toBe(200)
    expect(await all()).toEqual(paths.map(() => 404))
  })
})

describe('a package', () => {
  it('is installed with its objects and records', async () => {
    const { status, body } = await host.post('/packages', { manifest: shop('1.0.0') })
    expect(status, JSON.stringify(body)).toBe(201)
    expect(body.data).toMatchObject({ id: 'com.acme.shop', version: '1.0.0', namespace: 'shop', status: 'installed' })
    const records = await host.get('/data/shop_item')
    expect(records.body.records).toMatchObject([{ title: 'Pen', price: 2 }])
    const again = await host.post('/packages/install', { manifest: shop('1.0.0') })
    expect(again.body.error.code).toBe('package_already_installed')
  })

  it('vanishes and comes back', async () => {
    expect((await host.patch('/packages/com.acme.shop/disable')).body.data.status).toBe('disabled')
    expect((await host.get('/data/shop_item')).status).toBe(404)
    expect((await host.get('/meta/object/shop_item')).status).toBe(404)
    expect((await host.patch('/packages/com.acme.shop/enable')).body.data.status).toBe('installed')
    expect((await host.get('/data/shop_item')).body.records).toHaveLength(1)
  })

  it('is upgraded and rolled back', async () => {
    const next = shop('1.1.0')
    const fields = next.metadata[0]!.item.fields as Record<string, unknown>
    delete fields['price']
    fields['color'] = { type: 'text' }
    const dry = await host.post('/packages/upgrade', { packageId: 'com.acme.shop', manifest: next, dryRun: true })
    expect(dry.body.data.plan, JSON.stringify(dry.body)).toMatchObject({
      impactLevel: 'critical',
      requiresMigration: true,
    })
    const refused = await host.post('/packages/upgrade', { packageId: 'com.acme.shop', manifest: next })
    expect(refused.body.error.code).toBe('destructive_change')
    const { planHash } = refused.body.error.details
    const done = await host.post('/packages/upgrade', { packageId: 'com.acme.shop', manifest: next, confirm: planHash })
    expect(done.status, JSON.stringify(done.body)).toBe(200)
    expect(done.body.data).toMatchObject({ success: true, phase: 'completed', package: { version: '1.1.0' } })
    expect((await host.get('/data/shop_item')).body.records[0]).not.toHaveProperty('price')
    const { snapshotId } = done.body.data
    const made = await host.post('/data/shop_item', { title: 'New', color: 'red' })
    expect(made.status).toBe(201)
    const back = await host.post('/packages/com.acme.shop/rollback', { packageId: 'com.acme.shop', snapshotId })
    expect(back.status, JSON.stringify(back.body)).toBe(200)
    const records = (await host.get('/data/shop_item?sort=title')).body.records
    expect(records).toMatchObject([
      { title: 'New', price: null },
      { title: 'Pen', price: 2 },
    ])
  })

  it('is uninstalled and finds its records again', async () => {
    const gone = await host.delete('/packages/com.acme.shop')
    expect(gone.body.data, JSON.stringify(gone.body)).toMatchObject({ packageId: 'com.acme.shop', success: true })
    expect((await host.get('/data/shop_item')).status).toBe(404)
    expect((await host.post('/packages', { manifest: shop('1.0.0') })).status).toBe(201)
    expect((await host.get('/data/shop_item')).body.records).toHaveLength(2)
    const refused = await host.delete('/packages/com.acme.shop?keepData=false')
    expect(refused.body.error.code).toBe('destructive_change')
    const purged = await host.delete('/packages/com.acme.shop?keepData=false&confirm=true')
    expect(purged.body.data.backupId, JSON.stringify(purged.body)).toBeTruthy()
    expect((await host.get('/packages/com.acme.shop')).body.error.code).toBe('package_not_found')
  })
})
