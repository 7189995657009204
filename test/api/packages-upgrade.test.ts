// Upgrades of packages and the way back: customizations, records, plans, failures (D-133 to D-135).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { PackageFields } from '../support/package-archives.ts'
import { bare, manifestOf, newNamespace, packageCalls, text } from '../support/package-archives.ts'
import { leastProcessorMs } from '../support/processor-time.ts'

let host: TestHost
const { install, upgrade, upload } = packageCalls(() => host)

beforeAll(async () => {
  host = await createTestHost()
}, 60_000)

afterAll(async () => host?.stop())

describe('an upgrade', () => {
  it('keeps what people changed, takes what the package changed, and reports where both did', async () => {
    const ns = newNamespace()
    const id = `org.${ns}.a`
    const object = `${ns}_thing`
    const one = (title: string, note: string, extra: PackageFields = {}) =>
      manifestOf({
        id,
        ns,
        fields: { title: { type: 'text', label: title }, note: { type: 'text', label: note }, ...extra },
      })
    await install(one('Title', 'Note'))
    const { item } = (await host.get(`/meta/object/${object}`)).body
    item.fields.title.label = 'Mine'
    item.fields.own = { type: 'text', label: 'Own' }
    item.label = 'My thing'
    expect((await host.put(`/meta/object/${object}`, { item })).status).toBe(200)
    expect((await host.post(`/data/${object}`, { title: 'a', own: 'b' })).status).toBe(201)

    const next = { ...one('Theirs', 'Remark', { more: { type: 'number', label: 'More' } }), version: '1.1.0' }
    const dry = await upgrade(next, { dryRun: true })
    expect(dry.body.data, JSON.stringify(dry.body)).toMatchObject({
      success: true,
      plan: {
        packageId: id,
        fromVersion: '1.0.0',
        toVersion: '1.1.0',
        impactLevel: 'medium',
        affectedCustomizations: 1,
        requiresMigration: true,
        dependencyUpgrades: [],
        changes: [{ type: 'object', name: object, changeType: 'modified', hasConflict: true }],
      },
      conflicts: [
        {
          type: 'object',
          name: object,
          path: '/fields/title/label',
          baseValue: 'Title',
          incomingValue: 'Theirs',
          customValue: 'Mine',
          suggestedResolution: 'keep-custom',
        },
      ],
    })
    expect((await host.get(`/packages/${id}`)).body.data.version).toBe('1.0.0')

    const done = await upgrade(next)
    expect(done.status, JSON.stringify(done.body)).toBe(200)
    expect(done.body.data).toMatchObject({ success: true, phase: 'completed', conflicts: [{ customValue: 'Mine' }] })
    const now = (await host.get(`/meta/object/${object}`)).body.item
    expect(now.label).toBe('My thing')
    expect(now.fields).toMatchObject({
      title: { label: 'Mine' },
      note: { label: 'Remark' },
      own: { label: 'Own' },
      more: { label: 'More' },
    })
    expect((await host.get(`/data/${object}`)).body.records).toMatchObject([{ title: 'a', own: 'b', more: null }])

    const third = { ...one('Again', 'Remark', { more: { type: 'number', label: 'More' } }), version: '1.2.0' }
    const taken = await upgrade(third, { mergeStrategy: 'accept-incoming' })
    expect(taken.body.data.conflicts).toMatchObject([{ suggestedResolution: 'accept-incoming' }])
    expect((await host.get(`/meta/object/${object}`)).body.item.fields.title.label).toBe('Again')

    const { snapshots } = (await host.get(`/packages/${id}/snapshots`)).body.data
    expect(snapshots).toMatchObject([
      { packageId: id, fromVersion: '1.1.0', toVersion: '1.2.0' },
      { packageId: id, fromVersion: '1.0.0', toVersion: '1.1.0' },
    ])
    const [, older] = snapshots
    const kept = await host.post(`/packages/${id}/rollback`, {
      packageId: id,
      snapshotId: older.id,
      rollbackCustomizations: false,
    })
    expect(kept.body.data, JSON.stringify(kept.body)).toMatchObject({ success: true, restoredVersion: '1.0.0' })
    const back = (await host.get(`/meta/object/${object}`)).body.item
    expect(back.fields).toMatchObject({ title: { label: 'Title' }, note: { label: 'Note' }, own: { label: 'Own' } })
    expect(back.fields).not.toHaveProperty('more')
    const all = await host.post(`/packages/${id}/rollback`, { snapshotId: older.id })
    expect(all.status, JSON.stringify(all.body)).toBe(200)
    expect((await host.get(`/meta/object/${object}`)).body.item.fields.title.label).toBe('Mine')
    expect((await host.get(`/data/${object}`)).body.records).toMatchObject([{ title: 'a', own: 'b' }])
    expect(all.body.data.package.upgradeHistory.map((entry: { status: string }) => entry.status)).toEqual([
      'rolled_back',
      'rolled_back',
    ])
  })

  it('leaves people a field they began, though the package had it in between and they gave an overlay of it by name', async () => {
    const ns = newNamespace()
    const id = `org.${ns}.a`
    const object = `${ns}_thing`
    const version = (number: string, fields: PackageFields) => ({
      ...manifestOf({ id, ns, fields: { title: text, ...fields } }),
      version: number,
    })
    await install(version('1.0.0', {}))
    const { item } = (await host.get(`/meta/object/${object}`)).body
    item.fields.own = { type: 'text', label: 'Own' }
    expect((await host.put(`/meta/object/${object}`, { item })).status).toBe(200)
    expect((await host.post(`/data/${object}`, { title: 'a', own: 'b' })).status).toBe(201)
    expect((await upgrade(version('1.1.0', { own: { type: 'text', label: 'Theirs' } }))).status).toBe(200)
    const said = await host.put(`/meta/object/${object}/overlay`, { patch: { fields: { own: { label: 'Mine' } } } })
    expect(said.status, JSON.stringify(said.body)).toBe(200)
    expect((await upgrade(version('1.2.0', {}), { confirm: true })).status).toBe(200)
    expect((await host.get(`/meta/object/${object}`)).body.item.fields.own).toMatchObject({ label: 'Mine' })
    expect((await host.get(`/data/${object}`)).body.records).toMatchObject([{ title: 'a', own: 'b' }])
  })

  it('asks before it loses data, and brings it back', async () => {
    const ns = newNamespace()
    const id = `org.${ns}.a`
    const object = `${ns}_thing`
    const full: PackageFields = { title: text, gone: text, size: text }
    await install(manifestOf({ id, ns, fields: full }))
    await host.post(`/data/${object}`, { title: 'a', gone: 'b', size: 'large' })
    await host.post(`/data/${object}`, { title: 'c', gone: 'd', size: '12' })
    const less = manifestOf({ id, ns, version: '2.0.0', fields: { title: text, size: { type: 'number' } } })
    const asked = await upgrade(less)
    expect(asked.body.error).toMatchObject({ code: 'destructive_change', httpStatus: 409 })
    expect(asked.body.error.details.plan.length).toBeGreaterThan(0)
    const { planHash } = asked.body.error.details
    expect((await upgrade(less, { confirm: 'another' })).body.error.code).toBe('destructive_change')
    const done = await upgrade(less, { confirm: planHash })
    expect(done.status, JSON.stringify(done.body)).toBe(200)
    expect(done.body.data.plan).toMatchObject({ impactLevel: 'critical' })
    expect((await host.get(`/data/${object}?sort=title`)).body.records).toMatchObject([{ size: null }, { size: 12 }])
    await host.post(`/data/${object}`, { title: 'e', size: 3 })
    const { snapshotId } = done.body.data
    const back = await host.post(`/packages/${id}/rollback`, { packageId: id, snapshotId })
    expect(back.status, JSON.stringify(back.body)).toBe(200)
    expect((await host.get(`/data/${object}?sort=title`)).body.records).toMatchObject([
      { title: 'a', gone: 'b', size: 'large' },
      { title: 'c', gone: 'd', size: '12' },
      { title: 'e', gone: null, size: '3' },
    ])
  })

  it('that fails leaves everything as it was, and is remembered', async () => {
    const ns = newNamespace()
    const id = `org.${ns}.a`
    const object = `${ns}_thing`
    await install(manifestOf({ id, ns }))
    const records = [{ title: 'x'.repeat(5_000) }]
    const bad = manifestOf({
      id,
      ns,
      version: '1.1.0',
      fields: { title: text, extra: text },
      more: { data: [{ object, records }] },
    })
    const failed = await upgrade(bad)
    expect(failed.body.error).toMatchObject({
      code: 'upgrade_failed',
      httpStatus: 500,
      details: { phase: 'migrating' },
    })
    expect(failed.body.error.details.cause.code).toBe('validation_error')
    const wrong = await upgrade(manifestOf({ id, ns, version: '1.1.0', fields: { title: { type: 'nothing' } } }))
    expect(wrong.body.error).toMatchObject({ code: 'upgrade_failed', details: { phase: 'executing' } })
    const now = (await host.get(`/packages/${id}`)).body.data
    expect(now).toMatchObject({ version: '1.0.0', status: 'installed' })
    expect(now.upgradeHistory.map((entry: { status: string }) => entry.status)).toEqual(['failed', 'failed'])
    expect((await host.get(`/meta/object/${object}`)).body.item.fields).not.toHaveProperty('extra')
    expect((await host.get(`/packages/${id}/snapshots`)).body.data.snapshots).toEqual([])
  })

  it('finds versions that are uploaded, and refuses lower and unknown ones', async () => {
    await install(bare('org.up.a', '1.0.0'))
    const none = await host.post('/packages/upgrade', { packageId: 'org.up.a' })
    expect(none.body.error).toMatchObject({ code: 'version_not_found', httpStatus: 404 })
    await upload(bare('org.up.a', '1.1.0'))
    await upload(bare('org.up.a', '1.3.0'))
    await upload(bare('org.up.a', '0.9.0'))
    const to = await host.post('/packages/upgrade', { packageId: 'org.up.a', targetVersion: '1.1.0' })
    expect(to.body.data.package, JSON.stringify(to.body)).toMatchObject({ version: '1.1.0', previousVersion: '1.0.0' })
    const unknown = await host.post('/packages/upgrade', { packageId: 'org.up.a', targetVersion: '1.2.0' })
    expect(unknown.body.error.code).toBe('version_not_found')
    const down = await host.post('/packages/upgrade', { packageId: 'org.up.a', targetVersion: '0.9.0' })
    expect(down.body.error).toMatchObject({ code: 'conflict', httpStatus: 409 })
    const highest = await host.post('/packages/upgrade', { packageId: 'org.up.a', createSnapshot: false })
    expect(highest.body.data).toMatchObject({ package: { version: '1.3.0' } })
    expect(highest.body.data).not.toHaveProperty('snapshotId')
    expect((await host.post('/packages/upgrade', { packageId: 'org.no.such' })).body.error.code).toBe(
      'package_not_found',
    )
    const over = await host.post('/packages/install', { manifest: bare('org.up.a', '1.4.0'), overwrite: true })
    expect(over.status).toBe(201)
    expect(over.body.data.version).toBe('1.4.0')
  })

  it('renames with its records, and back again', async () => {
    const ns = newNamespace()
    const id = `org.${ns}.a`
    await install(manifestOf({ id, ns }))
    await host.post(`/data/${ns}_thing`, { title: 'a' })
    const item = { renamedFrom: `${ns}_thing`, fields: { heading: { type: 'text', renamedFrom: 'title' } } }
    const next = { ...bare(id, '2.0.0'), namespace: ns, metadata: [{ type: 'object', name: `${ns}_item`, item }] }
    const done = await upgrade(next)
    expect(done.status, JSON.stringify(done.body)).toBe(200)
    expect(done.body.data.plan.changes).toMatchObject([
      { changeType: 'renamed', name: `${ns}_item`, previousName: `${ns}_thing` },
    ])
    expect((await host.get(`/data/${ns}_item`)).body.records).toMatchObject([{ heading: 'a' }])
    const back = await host.post(`/packages/${id}/rollback`, { snapshotId: done.body.data.snapshotId })
    expect(back.status, JSON.stringify(back.body)).toBe(200)
    expect((await host.get(`/data/${ns}_thing`)).body.records).toMatchObject([{ title: 'a' }])
  })
})

describe('a rollback', () => {
  it('needs a snapshot of the very package', async () => {
    await install(bare('org.up.b'))
    const { snapshots } = (await host.get('/packages/org.up.a/snapshots')).body.data
    const foreign = await host.post('/packages/org.up.b/rollback', { snapshotId: snapshots[0].id })
    expect(foreign.body.error).toMatchObject({ code: 'snapshot_not_found', httpStatus: 404 })
    const other = await host.post('/packages/org.up.a/rollback', {
      packageId: 'org.up.b',
      snapshotId: snapshots[0].id,
    })
    expect(other.body.error.code).toBe('validation_error')
    const nobody = await host.post('/packages/org.no.such/rollback', { snapshotId: 'x' })
    expect(nobody.body.error.code).toBe('package_not_found')
    expect((await host.get('/packages/org.no.such/snapshots')).body.error.code).toBe('package_not_found')
  })
})

describe('records a package brings along', () => {
  it('are written once, and again only where nobody changed them', async () => {
    const ns = newNamespace()
    const id = `org.${ns}.a`
    const object = `${ns}_thing`
    const fields: PackageFields = {
      code: { type: 'text', externalId: true },
      title: text,
      parent: { type: 'lookup', reference: object },
    }
    const [one, two] = ['019b8b74-1800-7001-8c00-6a11e3070001', '019b8b74-1800-7001-8c00-6a11e3070002']
    const records = (title: string) => [
      { id: one, code: 'one', title, parent: two },
      { id: two, code: 'two', title },
    ]
    const named = (title: string) => [{ code: 'three', title }]
    const data = (title: string) => [
      { object, records: records(title) },
      { object, mode: 'upsert', externalId: 'code', records: named(title) },
      { object, mode: 'insert', externalId: 'code', records: [{ code: 'four', title }] },
    ]
    const manifest = (version: string, title: string) =>
      manifestOf({ id, ns, version, fields, more: { data: data(title) } })
    await install(manifest('1.0.0', 'first'))
    const titles = async () =>
      Object.fromEntries(
        (await host.get(`/data/${object}`)).body.records.map((one_: Record<string, unknown>) => [
          one_['code'],
          one_['title'],
        ]),
      )
    expect(await titles()).toEqual({ one: 'first', two: 'first', three: 'first', four: 'first' })
    expect((await host.get(`/data/${object}/${one}`)).body.record.parent).toBe(two)
    await host.patch(`/data/${object}/${two}`, { title: 'mine' })
    expect((await upgrade(manifest('1.1.0', 'second'))).status).toBe(200)
    expect(await titles()).toEqual({ one: 'second', two: 'mine', three: 'second', four: 'first' })
    await host.delete(`/data/${object}/${one}`)
    expect((await upgrade(manifest('1.2.0', 'third'))).status).toBe(200)
    expect(await titles()).toEqual({ two: 'mine', three: 'third', four: 'first' })
  })

  it('are written in few passes where each refers to the one after it', async () => {
    const ns = newNamespace()
    const object = `${ns}_thing`
    const fields: PackageFields = { title: text, next: { type: 'lookup', reference: object } }
    const idOf = (at: number): string => `019b8b74-1800-7001-8c00-${String(at).padStart(12, '0')}`
    const records = Array.from({ length: 300 }, (_, at) => ({
      ...{ id: idOf(at), title: 'x' },
      ...(at < 299 ? { next: idOf(at + 1) } : {}),
    }))
    const manifest = manifestOf({ id: `org.${ns}.chain`, ns, fields, more: { data: [{ object, records }] } })
    expect(await leastProcessorMs(1, () => install(manifest))).toBeLessThan(2_000)
    expect((await host.get(`/data/${object}?count=true`)).body.total).toBe(300)
  })
})
