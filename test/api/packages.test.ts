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
