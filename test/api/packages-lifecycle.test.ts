// The lifecycle of packages by the rows of D-124 to D-135: dependencies, names, settings, customizations, records.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'
import { bare, manifestOf, newNamespace, packageCalls, text } from '../support/package-archives.ts'
import { leastProcessorMs } from '../support/processor-time.ts'

let host: TestHost
const { install, upgrade, upload } = packageCalls(() => host)

beforeAll(async () => {
  host = await createTestHost()
}, 60_000)

afterAll(async () => host?.stop())

describe('installing', () => {
  it('answers the record at the top and under package, with defaults', async () => {
    const ns = newNamespace()
    const data = await install(manifestOf({ id: `org.${ns}.app`, ns, more: { description: 'For tests' } }))
    expect(data).toMatchObject({
      id: `org.${ns}.app`,
      version: '1.0.0',
      installedVersion: '1.0.0',
      namespace: ns,
      type: 'app',
      description: 'For tests',
      status: 'installed',
      enabled: true,
      trust: 'unsigned',
      settings: {},
      registeredNamespaces: [ns],
      upgradeHistory: [],
      items: { object: 1 },
      namespaceConflicts: [],
      dependencyResolution: { canProceed: true, dependencies: [], circularDependencies: [] },
    })
    expect(data.manifest).toMatchObject({ id: `org.${ns}.app`, engines: { platform: '*' }, dependencies: {} })
    expect(data.package.id).toBe(data.id)
    const read = await host.get(`/packages/${data.id}`)
    expect(read.body.data.package).toEqual({ ...data.package })
    expect((await host.get('/packages/org.nobody')).body.error).toMatchObject({
      code: 'package_not_found',
      httpStatus: 404,
    })
  })

  it.each([
    ['org.spaces.some-thing', 'some_thing'],
    ['org.spaces.a', 'spaces_a'],
    ['org.spaces.2go', 'spaces_2go'],
    ['org.spaces.user', 'spaces_user'],
    ['org.spaces.a-very-long-name-of-a-package', expect.stringMatching(/^a_very_long_nam_[0-9a-f]{4}$/)],
  ])('takes the namespace from the id %s', async (id, namespace) => {
    expect((await install({ id, name: id, version: '1.0.0' })).namespace).toEqual(namespace)
  })

  it.each<[object, string]>([
    [{ id: 'nodots' }, 'manifest.id'],
    [{ version: '1' }, 'manifest.version'],
    [{ name: undefined }, 'manifest.name'],
    [{ namespace: 'No' }, 'manifest.namespace'],
    [{ type: 'virus' }, 'manifest.type'],
    [{ dependencies: { 'org.a': 'not a range' } }, 'manifest.dependencies.org.a'],
    [{ permissions: ['be_god'] }, 'manifest.permissions.0'],
    [{ metadata: [{ type: 'nothing', name: 'a', item: {} }] }, 'manifest.metadata.0.type'],
    [{ metadata: [{ type: 'object', name: 'foreign', item: { fields: {} } }] }, 'manifest.metadata.0.name'],
    [{ id: 'cairn.system' }, 'manifest.id'],
  ])('refuses a manifest with %j', async (change, field) => {
    const manifest = { ...bare('org.refused'), namespace: 'refused', ...change }
    const { status, body } = await host.post('/packages', { manifest })
    expect(status).toBe(400)
    expect(body.error.code).toBe('validation_error')
    expect(body.error.details.fieldErrors.map((one: { field: string }) => one.field)).toContain(field)
  })

  it('needs one source, the platform it is made for, and free names', async () => {
    expect((await host.post('/packages', {})).body.error.details.fieldErrors).toMatchObject([{ field: 'manifest' }])
    const unknown = await host.post('/packages', { artifactRef: `sha256:${'0'.repeat(64)}` })
    expect(unknown.body.error.code).toBe('version_not_found')
    const old = await host.post('/packages', { manifest: { ...bare('org.old'), engines: { platform: '>=99' } } })
    expect(old.body.error).toMatchObject({ code: 'platform_incompatible', httpStatus: 409 })

    const ns = newNamespace()
    await host.defineObject(`${ns}_thing`, { title: { type: 'text' } })
    const custom = await host.post('/packages', { manifest: manifestOf({ id: `org.${ns}.a`, ns }) })
    expect(custom.body.error).toMatchObject({ code: 'namespace_conflict', httpStatus: 409 })
    expect(custom.body.error.details.conflicts).toMatchObject([
      {
        type: 'namespace_conflict',
        requestedNamespace: ns,
        conflictingPackageId: null,
        suggestion: expect.any(String),
      },
    ])
    const other = newNamespace()
    await install(manifestOf({ id: `org.${other}.a`, ns: other }))
    const taken = await host.post('/packages', { manifest: { ...bare(`org.${other}.b`), namespace: other } })
    expect(taken.body.error.details.conflicts[0]).toMatchObject({ conflictingPackageId: `org.${other}.a` })
  })

  it('stores nothing of a package of which anything is refused', async () => {
    const ns = newNamespace()
    const bad = manifestOf({
      id: `org.${ns}.a`,
      ns,
      more: { data: [{ object: `${ns}_thing`, records: [{ title: 'ok' }, { nonsense: 1 }] }] },
    })
    const { status, body } = await host.post('/packages', { manifest: bad })
    expect(status).toBe(400)
    expect(body.error.details).toMatchObject({ seed: { object: `${ns}_thing`, index: 1 } })
    expect((await host.get(`/packages/org.${ns}.a`)).status).toBe(404)
    expect((await host.get(`/meta/object/${ns}_thing`)).status).toBe(404)
    expect((await host.get(`/data/${ns}_thing`)).status).toBe(404)
  })

  it('disabled from the start keeps everything back until it is enabled', async () => {
    const ns = newNamespace()
    const id = `org.${ns}.a`
    const more = { data: [{ object: `${ns}_thing`, records: [{ title: 'seed' }] }] }
    const made = await install(manifestOf({ id, ns, more }), { enableOnInstall: false })
    expect(made).toMatchObject({ status: 'disabled', enabled: false })
    expect((await host.get(`/data/${ns}_thing`)).status).toBe(404)
    await host.patch(`/packages/${id}/enable`)
    expect((await host.get(`/data/${ns}_thing`)).body.records).toMatchObject([{ title: 'seed' }])
    expect((await host.patch(`/packages/${id}/enable`)).status).toBe(200)
    await host.patch(`/packages/${id}/disable`)
    expect((await host.patch(`/packages/${id}/disable`)).body.data.status).toBe('disabled')
  })
})

describe('the list', () => {
  it('is filtered and paged', async () => {
    const all = (await host.get('/packages')).body.data
    expect(all.total).toBe(all.packages.length)
    const first = (await host.get('/packages?limit=1')).body.data
    expect(first).toMatchObject({ hasMore: true, total: all.total })
    const second = (await host.get(`/packages?limit=1&cursor=${first.nextCursor}`)).body.data
    expect(second.packages[0].id > first.packages[0].id).toBe(true)
    const disabled = (await host.get('/packages?status=disabled')).body.data.packages
    expect(disabled.length).toBeGreaterThan(0)
    expect(disabled.every((one: { enabled: boolean }) => !one.enabled)).toBe(true)
    expect((await host.get('/packages?enabled=false')).body.data.packages).toEqual(disabled)
    expect((await host.get('/packages?type=theme')).body.data.packages).toEqual([])
    expect((await host.get('/packages?status=none')).body.error.code).toBe('validation_error')
    expect((await host.get('/packages?limit=101')).body.error.details.fieldErrors).toMatchObject([
      { code: 'max_value' },
    ])
    expect((await host.get('/packages?limit=0')).body.error.details.fieldErrors).toMatchObject([{ code: 'min_value' }])
    expect((await host.get('/packages?cursor=')).status).toBe(200)
    expect((await host.get('/packages?cursor=x')).body.error.details.fieldErrors).toMatchObject([{ field: 'cursor' }])
  })
})

describe('dependencies', () => {
  const resolve = async (manifest: object) =>
    (await host.post('/packages/resolve-dependencies', { manifest })).body.data

  it('are told, refused while they are missing, and installed when that is asked for', async () => {
    const root = bare('org.dep.root', '1.0.0', { 'org.dep.mid': '^1.0.0' })
    expect(await resolve(root)).toMatchObject({
      dependencies: [{ packageId: 'org.dep.mid', requiredRange: '^1.0.0', status: 'needs_install' }],
      canProceed: false,
    })
    const missing = await host.post('/packages', { manifest: root, installDependencies: true })
    expect(missing.body.error).toMatchObject({ code: 'dependency_conflict', httpStatus: 409 })
    expect(missing.body.error.details.dependencyResolution.canProceed).toBe(false)

    await upload(bare('org.dep.mid', '1.0.0', { 'org.dep.leaf': '~2.1.0' }))
    await upload(bare('org.dep.mid', '1.2.0', { 'org.dep.leaf': '~2.1.0' }))
    await upload(bare('org.dep.mid', '2.0.0'))
    await upload(bare('org.dep.leaf', '2.1.7'))
    await upload(bare('org.dep.leaf', '2.2.0'))
    const found = await resolve(root)
    expect(found).toMatchObject({
      canProceed: true,
      installOrder: ['org.dep.leaf', 'org.dep.mid', 'org.dep.root'],
      circularDependencies: [],
    })
    expect(found.dependencies).toMatchObject([
      { packageId: 'org.dep.leaf', resolvedVersion: '2.1.7', status: 'needs_install' },
      { packageId: 'org.dep.mid', resolvedVersion: '1.2.0', status: 'needs_install' },
    ])
    expect(found.requiredActions).toMatchObject([
      { type: 'install', packageId: 'org.dep.leaf' },
      { type: 'install', packageId: 'org.dep.mid' },
    ])
    expect((await host.post('/packages', { manifest: root })).body.error.code).toBe('dependency_conflict')
    await install(root, { installDependencies: true })
    expect((await host.get('/packages/org.dep.mid')).body.data.version).toBe('1.2.0')
    expect((await resolve(root)).dependencies).toMatchObject([{ status: 'satisfied' }, { status: 'satisfied' }])
  })

  it('hold a package that others need', async () => {
    for (const call of [host.patch('/packages/org.dep.leaf/disable'), host.delete('/packages/org.dep.leaf')]) {
      const { body } = await call
      expect(body.error).toMatchObject({ code: 'dependency_conflict', details: { dependents: ['org.dep.mid'] } })
    }
    const away = await upgrade(bare('org.dep.leaf', '3.0.0'))
    expect(away.body.error).toMatchObject({ code: 'dependency_conflict' })
    expect(away.body.error.details.dependents).toMatchObject([{ packageId: 'org.dep.mid', requiredRange: '~2.1.0' }])
    await host.patch('/packages/org.dep.root/disable')
    await host.patch('/packages/org.dep.mid/disable')
    const early = await host.patch('/packages/org.dep.root/enable')
    expect(early.body.error).toMatchObject({ code: 'dependency_conflict' })
    await host.patch('/packages/org.dep.mid/enable')
    expect((await host.patch('/packages/org.dep.root/enable')).body.data.status).toBe('installed')
  })

  it('in a ring are a conflict', async () => {
    await upload(bare('org.ring.b', '1.0.0', { 'org.ring.a': '*' }))
    const a = bare('org.ring.a', '1.0.0', { 'org.ring.b': '*' })
    expect(await resolve(a)).toMatchObject({ canProceed: false, circularDependencies: [['org.ring.a', 'org.ring.b']] })
    const { body } = await host.post('/packages', { manifest: a, installDependencies: true })
    expect(body.error.code).toBe('dependency_conflict')
  })

  it('take pre-releases only when a range names them', async () => {
    await upload(bare('org.pre.x', '1.0.0-beta.1'))
    expect((await resolve(bare('org.pre.root', '1.0.0', { 'org.pre.x': '>=0.9.0' }))).canProceed).toBe(false)
    const named = await resolve(bare('org.pre.root', '1.0.0', { 'org.pre.x': '>=1.0.0-beta.0' }))
    expect(named.dependencies).toMatchObject([{ resolvedVersion: '1.0.0-beta.1' }])
  })

  it('are looked for once each, however many there are', async () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`org.many.p${at}`, '*']))
    const root = bare('org.many.root', '1.0.0', many)
    const took = await leastProcessorMs(2, async () => {
      expect((await resolve(root)).dependencies).toHaveLength(10_000)
    })
    expect(took).toBeLessThan(1_500)
  })

  it('of a manifest with very many wrong entries are refused with some of them (D-22)', async () => {
    const data = Array.from({ length: 400 }, () => ({ object: 'x', records: Array.from({ length: 900 }, () => 1) }))
    const manifest = { ...bare('org.wrong.root', '1.0.0'), data }
    const { status, body } = await host.post('/packages/resolve-dependencies', { manifest })
    expect([status, body.error.details.fieldErrors?.length]).toEqual([400, 100])
    expect(body.error.details.fieldErrors[99].field).toBe('manifest.data.0.records.99')
  })

  it('need a manifest or a package', async () => {
    expect((await host.post('/packages/resolve-dependencies', {})).status).toBe(400)
    expect((await host.post('/packages/resolve-dependencies', { packageId: 'org.no.such' })).status).toBe(404)
    const own = await host.post('/packages/resolve-dependencies', { packageId: 'org.dep.root' })
    expect(own.body.data.canProceed).toBe(true)
  })
})

describe('settings', () => {
  it('are judged, defaulted, masked and kept', async () => {
    const ns = newNamespace()
    const configuration = {
      properties: {
        url: { type: 'string', required: true },
        limit: { type: 'integer', default: 10 },
        mode: { type: 'string', enum: ['a', 'b'] },
        token: { type: 'string', secret: true },
      },
    }
    const manifest = manifestOf({ id: `org.${ns}.a`, ns, more: { configuration } })
    const missing = await host.post('/packages', { manifest })
    expect(missing.body.error.details.fieldErrors).toMatchObject([{ field: 'settings.url', code: 'required' }])
    const wrong = await host.post('/packages', { manifest, settings: { url: 1, mode: 'c', nothing: 1 } })
    expect(wrong.body.error.details.fieldErrors.map((one: { code: string }) => one.code)).toEqual([
      'invalid_type',
      'invalid_option',
      'unknown_field',
    ])
    const made = await install(manifest, { settings: { url: 'x', token: 'very secret' } })
    expect(made.settings).toEqual({ url: 'x', limit: 10, token: '********' })
    const path = `/packages/org.${ns}.a`
    const changed = await host.patch(path, { settings: { limit: 5, token: '********', mode: 'b' } })
    expect(changed.body.data.settings).toEqual({ url: 'x', limit: 5, mode: 'b', token: '********' })
    expect((await host.patch(path, { settings: { url: null } })).status).toBe(400)
    const back = await host.patch(path, { settings: { limit: null, token: null } })
    expect(back.body.data.settings).toEqual({ url: 'x', limit: 10, mode: 'b' })
    expect(JSON.stringify(await host.get('/packages'))).not.toContain('very secret')
  })
})

describe('uninstalling', () => {
  it('takes everything but records along, and finds them again', async () => {
    const ns = newNamespace()
    const id = `org.${ns}.a`
    const object = `${ns}_thing`
    const more = {
      metadata: [
        { type: 'object', name: object, item: { fields: { title: text } } },
        {
          type: 'view',
          name: `${object}.all`,
          item: { object, viewKind: 'list', config: { type: 'grid', columns: [{ field: 'title' }] } },
        },
        { type: 'permission', name: `${ns}_rights`, item: { objects: { [object]: { allowRead: true } } } },
      ],
      functions: [{ name: `${ns}_run`, source: 'return 1' }],
      translations: { de: { translations: { objects: { [object]: { label: 'Ding' } } } } },
    }
    const manifest = manifestOf({ id, ns, more })
    const made = await install(manifest)
    expect(made.items).toEqual({ object: 1, view: 1, permission: 1, function: 1, translation: 1 })
    await host.post(`/data/${object}`, { title: 'kept' })
    expect((await host.delete(`/packages/${id}`)).body.data).toMatchObject({ packageId: id, id, success: true })
    for (const path of [
      `/meta/view/${object}.all`,
      `/meta/function/${ns}_run`,
      `/meta/permission/${ns}_rights`,
      `/data/${object}`,
    ]) {
      expect((await host.get(path)).status, path).toBe(404)
    }
    expect((await host.delete(`/packages/${id}`)).body.error.code).toBe('package_not_found')
    await install(manifest)
    expect((await host.get(`/data/${object}`)).body.records).toMatchObject([{ title: 'kept' }])
    await host.delete(`/packages/${id}`)
    // What was kept may go later.
    const asked = await host.delete(`/packages/${id}?keepData=false`)
    expect(asked.body.error).toMatchObject({ code: 'destructive_change', httpStatus: 409 })
    const { planHash } = asked.body.error.details
    const gone = await host.delete(`/packages/${id}?keepData=false&confirm=${planHash}`)
    expect(gone.body.data).toMatchObject({ success: true, backupId: expect.any(String) })
    await install(manifest)
    expect((await host.get(`/data/${object}`)).body.records).toEqual([])
  })

  it('is held back by what refers to it, unless that is forced', async () => {
    const ns = newNamespace()
    const id = `org.${ns}.a`
    await install(manifestOf({ id, ns }))
    await host.defineObject(`${ns.slice(0, -1)}user`, { thing: { type: 'lookup', reference: `${ns}_thing` } })
    const held = await host.delete(`/packages/${id}?keepData=false&confirm=true`)
    expect(held.body.error).toMatchObject({ code: 'delete_restricted', httpStatus: 409 })
    expect((await host.get(`/packages/${id}`)).body.data.status).toBe('installed')
    const forced = await host.delete(`/packages/${id}?keepData=false&confirm=true&force=true`)
    expect(forced.status, JSON.stringify(forced.body)).toBe(200)
  })
})

describe('an export', () => {
  it('of an installed package is installed again elsewhere', async () => {
    const ns = newNamespace()
    const id = `org.${ns}.a`
    const more = { data: [{ object: `${ns}_thing`, records: [{ title: 'seed' }] }] }
    await install(manifestOf({ id, ns, more }))
    const response = await fetch(`${host.host.url}/api/v1/packages/${id}/export`, {
      headers: { authorization: `Bearer ${host.host.token}` },
    })
    expect(response.headers.get('content-type')).toBe('application/zip')
    const content = Buffer.from(await response.arrayBuffer()).toString('base64')
    await host.delete(`/packages/${id}?keepData=false&confirm=true`)
    const { status, body } = await host.post('/packages/install', { artifact: { format: 'zip', content } })
    expect(status, JSON.stringify(body)).toBe(201)
    expect((await host.get(`/data/${ns}_thing`)).body.records).toMatchObject([{ title: 'seed' }])
    expect((await host.get('/packages/org.no.such/export')).body.error.code).toBe('package_not_found')
  })

  it('of objects of the workspace makes a package of them', async () => {
    const ns = newNamespace()
    await host.defineObject(`${ns}_own`, { title: { type: 'text' } })
    await host.post(`/data/${ns}_own`, { title: 'mine' })
    const path = `/packages/org.${ns}.mine/export?objects=${ns}_own&namespace=${ns}&version=0.1.0&data=true`
    const response = await fetch(`${host.host.url}/api/v1${path}`, {
      headers: { authorization: `Bearer ${host.host.token}` },
    })
    expect(response.status).toBe(200)
    const content = Buffer.from(await response.arrayBuffer()).toString('base64')
    await host.delete(`/meta/object/${ns}_own?confirm=true`)
    const { status, body } = await host.post('/packages/install', { artifact: { format: 'zip', content } })
    expect(status, JSON.stringify(body)).toBe(201)
    expect(body.data).toMatchObject({ id: `org.${ns}.mine`, version: '0.1.0' })
    expect((await host.get(`/data/${ns}_own`)).body.records).toMatchObject([{ title: 'mine' }])
    const wrong = await host.get(`/packages/org.${ns}.other/export?objects=nobody&namespace=${ns}`)
    expect(wrong.body.error.code).toBe('validation_error')
  })
})

describe('discovery', () => {
  it('tells of packages', async () => {
    const { body } = await host.get('/discovery')
    expect(body.routes.packages).toBe('/api/v1/packages')
    expect(body.features.packages).toBe(true)
    expect(body.services.packages).toMatchObject({ enabled: true, status: 'available', provider: 'cairn-packages' })
  })
})
