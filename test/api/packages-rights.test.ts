// Who may install what (D-124, D-125): reading needs a session, changing the right to manage packages, and nobody brings along
// through a package what they could not do themselves.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthHost } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'

let host: AuthHost
const tokens: Record<string, string> = {}

beforeAll(async () => {
  host = await createAuthHost()
  await host.defineObject('vault', { code: { type: 'text', externalId: true } })
  await host.post('/data/vault', { code: 'closed' })
  const open = { '*': { allowCreate: true, allowRead: true, allowEdit: true } }
  const profiles: Record<string, [string[], Record<string, unknown>]> = {
    installer: [['manage_packages'], { '*': { allowRead: true, allowCreate: true, allowEdit: true }, vault: {} }],
    reader: [[], open],
    nobody: [[], {}],
    narrow: [['manage_packages'], { vault: { allowRead: true } }],
  }
  for (const [name, [systemPermissions, objects]] of Object.entries(profiles)) {
    const item = { name, systemPermissions, objects, fields: {}, rowLevelSecurity: [] }
    await host.put(`/meta/profile/${name}`, { type: 'profile', name, item })
    const { id } = await host.account(name)
    await host.put(`/permissions/assignments/${id}`, { profile: name, roles: [], permissionSets: [] })
    tokens[name] = await host.signIn(name)
  }
}, 60_000)

afterAll(() => host?.stop())

const as = (who: string, method: string, path: string, body?: unknown) => host.as(tokens[who]!, method, path, body)

const shop = (more: object = {}) => ({
  id: 'org.rights.shop',
  name: 'Shop',
  version: '1.0.0',
  namespace: 'shop',
  metadata: [{ type: 'object', name: 'shop_item', item: { fields: { title: { type: 'text' } } } }],
  ...more,
})

describe('packages', () => {
  it('are changed by those who manage packages, and read by everybody who is signed in', async () => {
    const manifest = shop({ data: [{ object: 'shop_item', records: [{ title: 'seed' }] }] })
    for (const who of ['reader', 'nobody']) {
      for (const [method, path, body] of [
        ['POST', '/packages', { manifest }],
        ['POST', '/packages/install', { manifest }],
        ['POST', '/packages/upgrade', { packageId: manifest.id }],
        ['POST', '/packages/upload', { artifact: { format: 'zip', content: 'AAAA' } }],
        ['PATCH', `/packages/${manifest.id}`, { settings: {} }],
        ['PATCH', `/packages/${manifest.id}/enable`, undefined],
        ['PATCH', `/packages/${manifest.id}/disable`, undefined],
        ['POST', `/packages/${manifest.id}/rollback`, { snapshotId: 'x' }],
        ['DELETE', `/packages/${manifest.id}`, undefined],
        ['GET', `/packages/${manifest.id}/export`, undefined],
        ['GET', '/packages/trusted-keys', undefined],
        ['POST', '/packages/trusted-keys', { keyId: 'k', publicKey: 'x' }],
        ['DELETE', '/packages/trusted-keys/k', undefined],
      ] as const) {
        const { status, body: answer } = await as(who, method, path, body)
        expect([who, method, path, status, answer.error?.code]).toEqual([who, method, path, 403, 'permission_denied'])
      }
    }
    const made = await as('installer', 'POST', '/packages', { manifest })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    expect((await as('reader', 'GET', '/packages')).body.data.packages).toHaveLength(1)
    const path = `/packages/${manifest.id}`
    const { body: shown } = await as('nobody', 'GET', path)
    expect(shown.data.manifest).toMatchObject({ id: manifest.id, version: '1.0.0' })
    for (const seen of [shown, (await as('reader', 'GET', '/packages')).body]) {
      expect(JSON.stringify(seen)).not.toMatch(/seed|shop_item/)
    }
    expect((await as('installer', 'GET', path)).body.data.manifest.data).toHaveLength(1)
    expect((await as('nobody', 'GET', `${path}/snapshots`)).body.data.snapshots).toEqual([])
    expect((await host.anonymous('GET', '/packages')).status).toBe(401)
    const removed = await as('installer', 'DELETE', `/packages/${manifest.id}?keepData=false&confirm=true`)
    expect(removed.status, JSON.stringify(removed.body)).toBe(200)
  })

  it.each<[string, object, string]>([
    ['a permission it asks for', { permissions: ['manage_users'] }, 'manage_users'],
    ['an action on an object of others', { permissions: ['object:vault:read'] }, 'object:vault:read'],
    [
      'a permission set',
      { metadata: [{ type: 'permission', name: 'all_of_it', item: { systemPermissions: ['manage_users'] } }] },
      'manage_permissions',
    ],
    ['a flow', { metadata: [{ type: 'flow', name: 'any', item: { nodes: [], edges: [] } }] }, 'manage_flows'],
    [
      'a trigger, which acts as the system',
      {
        metadata: [{ type: 'trigger', name: 'vault.tell', item: { object: 'vault', events: ['create'], actions: [] } }],
      },
      'manage_metadata',
    ],
    [
      'a hook, whose code runs as whoever writes',
      {
        metadata: [
          { type: 'hook', name: 'shop_item.mark', item: { object: 'shop_item', events: ['beforeInsert'], body: '' } },
        ],
      },
      'manage_metadata',
    ],
    ['a function', { functions: [{ name: 'shop_sum', source: 'return 1' }] }, 'manage_metadata'],
    [
      'code inside of its own object',
      {
        metadata: [
          {
            type: 'object',
            name: 'shop_item',
            item: { fields: {}, hooks: [{ name: 'h', events: ['afterUpdate'], body: '' }] },
          },
        ],
      },
      'manage_metadata',
    ],
    [
      'a field of an object of others, which may be made from one that is closed',
      {
        metadata: [
          {
            type: 'object',
            name: 'shop_ext',
            item: { extend: 'vault', fields: { shop_code: { type: 'formula', expression: 'record.code' } } },
          },
        ],
      },
      'manage_metadata',
    ],
    [
      'a rule for an object of others',
      { metadata: [{ type: 'validation', name: 'vault.shut', item: { object: 'vault', condition: 'true' } }] },
      'manage_metadata',
    ],
  ])('are refused to those who lack %s', async (_what, change, missing) => {
    const { status, body } = await as('installer', 'POST', '/packages', { manifest: shop(change) })
    expect(status).toBe(403)
    expect(body.error.details.permissions).toEqual([missing])
    expect((await host.get('/packages/org.rights.shop')).status).toBe(404)
  })

  it('come back by a rollback, or by being enabled, with what whoever does it could bring along', async () => {
    const set = (name: string, systemPermissions: string[]) => ({
      ...{ type: 'permission', name, item: { systemPermissions } },
    })
    const manifest = shop({ metadata: [...shop().metadata, set('shop_agent', ['manage_users'])] })
    expect((await host.post('/packages', { manifest })).status).toBe(201)
    const next = { ...manifest, version: '2.0.0', metadata: [...shop().metadata, set('shop_agent', [])] }
    const upgraded = await host.post('/packages/upgrade', { packageId: manifest.id, manifest: next })
    expect(upgraded.status, JSON.stringify(upgraded.body)).toBe(200)
    const path = `/packages/${manifest.id}`
    const [{ id: snapshotId }] = (await as('installer', 'GET', `${path}/snapshots`)).body.data.snapshots
    const missing = async (answer: ReturnType<typeof as>) => (await answer).body.error?.details.permissions
    expect(await missing(as('installer', 'POST', `${path}/rollback`, { snapshotId }))).toEqual(['manage_permissions'])
    expect((await as('installer', 'PATCH', `${path}/disable`)).status).toBe(200)
    expect(await missing(as('installer', 'PATCH', `${path}/enable`))).toEqual(['manage_permissions'])
    expect((await host.get('/meta/permission/shop_agent')).status).toBe(404)
    expect((await host.patch(`${path}/enable`)).status).toBe(200)
    await host.patch('/settings', { 'packages.requireSigned': true })
    const unsigned = await host.post(`${path}/rollback`, { snapshotId })
    expect(unsigned.body.error).toMatchObject({ code: 'signature_invalid', details: { reason: 'signature_required' } })
    const key = { keyId: 'own', publicKey: `${'A'.repeat(43)}=` }
    expect(await missing(as('installer', 'POST', '/packages/trusted-keys', key))).toEqual(['manage_settings'])
    await host.patch('/settings', { 'packages.requireSigned': false })
    expect((await host.post(`${path}/rollback`, { snapshotId })).status).toBe(200)
    expect((await host.delete(`${path}?keepData=false&confirm=true`)).status).toBe(200)
  })

  it('leave what they delivered with those who had it: it comes back with them', async () => {
    const set = { type: 'permission', name: 'shop_reader', item: { objects: { shop_item: { allowRead: true } } } }
    const manifest = shop({ metadata: [...shop().metadata, set] })
    const { id } = await host.account('assigned')
    for (const disabled of [false, true]) {
      expect((await host.post('/packages', { manifest })).status).toBe(201)
      await host.put(`/permissions/assignments/${id}`, { permissionSets: ['shop_reader'] })
      expect((await host.post('/keys', { name: 'till', permissionSets: ['shop_reader'] })).status).toBe(201)
      if (disabled) await host.patch(`/packages/${manifest.id}/disable`)
      expect((await host.delete(`/packages/${manifest.id}?keepData=false&confirm=true`)).status).toBe(200)
      const { body } = await host.get(`/permissions/assignments/${id}`)
      expect([disabled, body.permissionSets]).toEqual([disabled, ['shop_reader']])
    }
    // What people make under the name is something else.
    const setsOfKeys = async () =>
      (await host.get('/keys')).body.keys.map((key: { permissionSets: string[] }) => key.permissionSets)
    expect(await setsOfKeys()).toEqual([['shop_reader'], ['shop_reader']])
    await host.put('/meta/permission/shop_reader', { name: 'shop_reader', objects: {} })
    expect(await setsOfKeys()).toEqual([[], []])
    expect((await host.get(`/permissions/assignments/${id}`)).body.permissionSets).toEqual([])
    await host.delete('/meta/permission/shop_reader')
  })

  it('ask for what is their own without more ado', async () => {
    const manifest = shop({ permissions: ['object:shop_item:read', 'manage_packages'] })
    expect((await as('installer', 'POST', '/packages', { manifest })).status).toBe(201)
    await host.delete('/packages/org.rights.shop?keepData=false&confirm=true')
  })

  it('write records with the rights of whoever installs them', async () => {
    const data = [{ object: 'vault', externalId: 'code', records: [{ code: 'closed' }, { code: 'new' }] }]
    for (const who of ['installer', 'narrow']) {
      const { status, body } = await as(who, 'POST', '/packages', { manifest: { ...shop(), metadata: [], data } })
      expect([who, status, body.error.code]).toEqual([who, 403, 'permission_denied'])
    }
    expect((await host.get('/data/vault')).body.records).toHaveLength(1)
  })

  it('deliver what people change through overlays only, and other packages not at all', async () => {
    await host.post('/packages', { manifest: shop() })
    const direct = await host.delete('/meta/object/shop_item?confirm=true')
    expect(direct.body.error.code).toBe('item_locked')
    const stolen = {
      ...shop({ id: 'org.rights.thief', namespace: 'thief' }),
      metadata: [{ type: 'profile', name: 'reader', item: { systemPermissions: ['manage_users'] } }],
    }
    const { body } = await host.post('/packages', { manifest: stolen })
    expect(body.error).toMatchObject({ code: 'namespace_conflict' })
    const profile = (await host.get('/meta/profile/reader')).body.item
    expect(profile.systemPermissions).toEqual([])
  })
})
