// The permission operations (D-43, D-44, D-48, D-49) and the items rights are made of.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PeopledHost } from '../support/test-identities.ts'
import { createPeopledHost, testUserId } from '../support/test-identities.ts'

let host: PeopledHost
let mine: string
const ownerId = '00000000-0000-7000-8000-000000000001'

beforeAll(async () => {
  host = await createPeopledHost({
    users: [{}, {}, { sameAs: 0, scope: { permissionSets: ['reads'], readOnly: false } }],
  })
  await host.defineObject(
    'task',
    {
      title: { type: 'text' },
      pay: { type: 'number' },
      stage: { type: 'text' },
      twice: { type: 'formula', expression: 'record.pay * 2' },
    },
    { sharingModel: 'private' },
  )
  await host.saveItem('permission', 'reads', { objects: { task: { allowRead: true } } })
  await host.saveItem('permission', 'hides_pay', {
    fields: { 'task.pay': { readable: false }, 'task.stage': { editable: false } },
    systemPermissions: ['view_audit'],
  })
  await host.assign(0, { permissionSets: ['hides_pay'] })
  mine = String((await host.as(0).post('/data/task', { title: 'mine' })).body.id)
})
afterAll(() => host.stop())

const check = async (number: number, question: Record<string, string>) => {
  const byQuery = await host.as(number).get(`/permissions/check?${new URLSearchParams(question).toString()}`)
  const byBody = await host.as(number).post('/permissions/check', question)
  expect([byQuery.status, byQuery.body]).toEqual([byBody.status, byBody.body])
  return byQuery.body as Record<string, unknown>
}

describe('delivered profiles', () => {
  it('are items of the program that take overlays', async () => {
    const { items } = (await host.get('/meta/profile')).body
    expect(items.map((item: { name: string }) => item.name)).toEqual(['administrator', 'guest', 'readonly', 'standard'])
    const removed = await host.delete('/meta/profile/standard')
    expect([removed.status, removed.body.error.code]).toEqual([403, 'item_locked'])
    await host.saveItem('profile', 'readonly', { label: 'Look only', objects: { '*': { allowRead: true } } })
    expect((await host.get('/meta/profile/readonly/overlay')).body.data).toMatchObject({ scope: 'platform' })
    await host.delete('/meta/profile/readonly')
    expect((await host.get('/meta/profile/readonly')).body.item.label).toBe('Read only')
  })

  it('survive a restart without a new version', async () => {
    const before = (await host.get('/meta/profile/standard/history')).body
    await host.restart()
    expect((await host.get('/meta/profile/standard/history')).body.data ?? {}).toEqual(before.data ?? {})
  })

  it('leave administrators everything', async () => {
    for (const item of [{ objects: {} }, { systemPermissions: [] }, { fields: { 'task.pay': { readable: false } } }]) {
      const answer = await host.put('/meta/profile/administrator', { name: 'administrator', ...item })
      expect(answer.status, JSON.stringify(answer.body)).toBe(400)
    }
    const present = (await host.get('/meta/profile/administrator')).body.item
    const named = await host.put('/meta/profile/administrator', { ...present, label: 'Boss' })
    expect(named.status, JSON.stringify(named.body)).toBe(200)
    await host.delete('/meta/profile/administrator')
  })
})

describe('items of rights', () => {
  const refused: readonly [string, string, Record<string, unknown>, string][] = [
    ['an unknown system permission', 'permission', { systemPermissions: ['manage_everything'] }, 'systemPermissions.0'],
    ['a field without an object', 'permission', { fields: { pay: {} } }, 'fields.pay'],
    [
      'a condition no list can ask',
      'permission',
      { rowLevelSecurity: [{ name: 'r', object: 'task', actions: ['read'], condition: 'size(record.title) > 1' }] },
      'rowLevelSecurity.0.condition',
    ],
    [
      'a condition on an unknown field',
      'profile',
      { rowLevelSecurity: [{ name: 'r', object: 'task', actions: ['read'], condition: 'record.none == 1' }] },
      'rowLevelSecurity.0.condition',
    ],
    [
      'a filter on an unknown field',
      'permission',
      { rowLevelSecurity: [{ name: 'r', object: 'task', actions: ['read'], condition: { none: 1 } }] },
      'rowLevelSecurity.0.condition',
    ],
    [
      'a condition that searches',
      'permission',
      { rowLevelSecurity: [{ name: 'r', object: 'task', actions: ['read'], condition: { $search: 'x' } }] },
      'rowLevelSecurity.0.condition',
    ],
    ['a flag that is no boolean', 'permission', { objects: { task: { allowRead: 'yes' } } }, 'objects.task.allowRead'],
    [
      'an unknown action',
      'permission',
      { rowLevelSecurity: [{ name: 'r', object: 'task', actions: ['look'], condition: 'true' }] },
      'rowLevelSecurity.0.actions.0',
    ],
  ]

  it.each(refused)('refuse %s', async (_what, type, item, field) => {
    const answer = await host.put(`/meta/${type}/wrong`, { name: 'wrong', ...item })
    expect(answer.status, JSON.stringify(answer.body)).toBe(400)
    expect(answer.body.error.details.fieldErrors.map((one: { field: string }) => one.field)).toContain(field)
    if (field.endsWith('condition')) expect(answer.body.error.details.fieldErrors[0].code).toBe('expression_error')
  })

  it('refuse roles above themselves', async () => {
    await host.saveItem('role', 'upper', { permissionSets: [] })
    await host.saveItem('role', 'lower', { parent: 'upper', permissionSets: [] })
    const ring = await host.put('/meta/role/upper', { name: 'upper', parent: 'lower', permissionSets: [] })
    expect([ring.status, ring.body.error.details.fieldErrors[0].field]).toEqual([400, 'parent'])
  })

  it('need manage_permissions', async () => {
    for (const type of ['permission', 'profile', 'role']) {
      const answer = await host.as(0).put(`/meta/${type}/mine`, { name: 'mine' })
      expect([answer.status, answer.body.error.details.permission]).toEqual([403, 'manage_permissions'])
      expect((await host.as(0).get(`/meta/${type}/standard`)).status).toBe(404)
    }
  })
})

describe('check', () => {
  it('answers every reason', async () => {
    expect(await check(0, { object: 'task', action: 'edit' })).toEqual({ allowed: true })
    expect(await check(0, { object: 'task', action: 'purge' })).toEqual({
      allowed: false,
      reason: 'no_object_permission',
    })
    expect(await check(0, { object: 'none', action: 'read' })).toEqual({ allowed: false, reason: 'object_not_found' })
    expect(await check(0, { object: 'task', action: 'edit', recordId: mine })).toEqual({ allowed: true })
    expect(await check(1, { object: 'task', action: 'edit', recordId: mine })).toEqual({
      allowed: false,
      reason: 'record_not_found',
    })
    await host.post(`/data/task/${mine}/shares`, { principalType: 'user', principalId: testUserId(1), access: 'read' })
    expect(await check(1, { object: 'task', action: 'read', recordId: mine })).toEqual({ allowed: true })
    expect(await check(1, { object: 'task', action: 'edit', recordId: mine })).toEqual({
      allowed: false,
      reason: 'no_record_access',
    })
    for (const field of ['pay', 'none']) {
      expect(await check(0, { object: 'task', action: 'read', field })).toEqual({
        allowed: false,
        reason: 'no_field_permission',
      })
    }
    expect(await check(0, { object: 'task', action: 'edit', field: 'stage' })).toEqual({
      allowed: false,
      reason: 'no_field_permission',
    })
    expect(await check(0, { object: 'task', action: 'read', field: 'stage' })).toEqual({ allowed: true })
  })

  it('refuses malformed questions', async () => {
    for (const question of ['object=task&action=look', 'action=read', 'object=task', '']) {
      const answer = await host.as(0).get(`/permissions/check?${question}`)
      expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error'])
    }
  })

  it('asks for others only with manage_permissions', async () => {
    const question = `object=task&action=edit&recordId=${mine}&userId=${testUserId(1)}`
    expect((await host.as(0).get(`/permissions/check?${question}`)).status).toBe(403)
    expect((await host.get(`/permissions/check?${question}`)).body).toEqual({
      allowed: false,
      reason: 'no_record_access',
    })
    expect((await host.get('/permissions/check?object=task&action=edit&userId=nobody')).status).toBe(404)
  })
})

describe('effective rights', () => {
  it('are the union of everything given', async () => {
    const { body } = await host.as(0).get('/permissions/effective')
    expect(body).toMatchObject({ profile: 'standard', roles: [], permissionSets: ['hides_pay'] })
    expect(body.objects.task).toEqual({
      create: true,
      read: true,
      edit: true,
      delete: true,
      transfer: false,
      restore: true,
      purge: false,
      viewAllRecords: false,
      modifyAllRecords: false,
    })
    expect(body.systemPermissions).toEqual(['run_flows', 'manage_api_keys', 'view_audit', 'export_data', 'import_data'])
    const own = (await host.get('/permissions/effective')).body
    expect([own.profile, own.objects.task.modifyAllRecords, own.systemPermissions.length]).toEqual([
      'administrator',
      true,
      16,
    ])
    const other = (await host.get(`/permissions/effective?userId=${testUserId(0)}`)).body
    expect(other).toEqual(body)
  })

  it('are narrowed by the sets of a key', async () => {
    const { body } = await host.as(2).get('/permissions/effective')
    expect(body.objects).toEqual({ task: expect.objectContaining({ read: true, edit: false, create: false }) })
    expect(body.systemPermissions).toEqual([])
    expect((await host.as(2).get(`/data/task/${mine}`)).status).toBe(200)
    expect((await host.as(2).patch(`/data/task/${mine}`, { title: 'x' })).status).toBe(403)
    const answer = await host.as(2).post('/data/task', { title: 'x' })
    expect([answer.status, answer.body.error.code]).toEqual([403, 'permission_denied'])
  })

  it('on one object name its fields', async () => {
    const { body } = await host.as(0).get('/permissions/objects/task')
    expect(body.fieldPermissions).toEqual({
      title: { readable: true, editable: true },
      stage: { readable: true, editable: false },
      twice: { readable: true, editable: false },
    })
    expect((await host.as(0).get('/permissions/objects/none')).status).toBe(404)
    for (const base of ['/permissions', '/auth']) {
      expect((await host.as(0).get(`${base}/permissions/task`)).body).toEqual(body)
      expect((await host.as(0).get(`${base}/permissions/effective`)).body).toHaveProperty('objects.task')
    }
    expect((await host.as(0).post('/auth/check', { object: 'task', action: 'read' })).status).toBe(200)
  })

  it('hide what names a hidden field', async () => {
    const { body } = await host.as(0).get('/meta/object/task')
    expect(Object.keys(body.item.fields)).toEqual(['title', 'stage', 'twice'])
    expect(JSON.stringify(body.item)).not.toContain('pay')
  })
})

describe('explain', () => {
  it('says from where a right comes', async () => {
    const question = `object=task&action=read&recordId=${mine}`
    expect((await host.as(0).get(`/permissions/explain?${question}`)).status).toBe(403)
    const ofOwner = (await host.get(`/permissions/explain?${question}&userId=${testUserId(0)}`)).body
    expect(ofOwner).toEqual({
      allowed: true,
      because: [
        { source: 'profile', name: 'standard', grants: 'read' },
        { source: 'owner', name: testUserId(0), grants: 'read' },
      ],
    })
    const ofOther = (await host.get(`/permissions/explain?${question}&userId=${testUserId(1)}`)).body
    expect(ofOther.because).toContainEqual({ source: 'share', name: 'read', grants: 'read' })
    const refused = (await host.get(`/permissions/explain?object=task&action=purge&userId=${testUserId(0)}`)).body
    expect(refused).toEqual({ allowed: false, reason: 'no_object_permission', because: [] })
  })
})

describe('assignments', () => {
  it('are given and read by those who manage permissions', async () => {
    const path = `/permissions/assignments/${testUserId(1)}`
    expect((await host.as(0).get(path)).status).toBe(403)
    expect((await host.as(0).put(path, { profile: 'administrator' })).status).toBe(403)
    expect((await host.get(path)).body).toEqual({
      userId: testUserId(1),
      profile: 'standard',
      roles: [],
      permissionSets: [],
    })
    const given = await host.put(path, { profile: 'readonly', permissionSets: ['reads', 'reads'] })
    expect(given.body).toEqual({ userId: testUserId(1), profile: 'readonly', roles: [], permissionSets: ['reads'] })
    expect((await host.put(path, { permissionSets: [] })).body.profile).toBe('readonly')
    await host.restart()
    expect((await host.get(path)).body.profile).toBe('readonly')
  })

  it('name what there is', async () => {
    const path = `/permissions/assignments/${testUserId(1)}`
    const answer = await host.put(path, { profile: 'none', roles: ['none'], permissionSets: ['reads', 'none'] })
    expect(answer.body.error.details.fieldErrors.map((one: { field: string }) => one.field)).toEqual([
      'profile',
      'roles.0',
      'permissionSets.1',
    ])
    expect((await host.get('/permissions/assignments/nobody')).status).toBe(404)
  })

  it('that are given at once are all there: what is left out stays as others made it', async () => {
    const path = `/permissions/assignments/${testUserId(1)}`
    await host.saveItem('role', 'at_once', { permissionSets: [] })
    await host.put(path, { profile: 'standard', roles: [], permissionSets: [] })
    const given = { profile: 'readonly', roles: ['at_once'], permissionSets: ['reads'] }
    await Promise.all(Object.entries(given).map(([name, value]) => host.put(path, { [name]: value })))
    expect((await host.get(path)).body).toMatchObject(given)
  })

  it('are in the audit: what somebody has now and had before, and nothing where nothing changed', async () => {
    const path = `/permissions/assignments/${testUserId(1)}`
    const before = { profile: 'standard', roles: [], permissionSets: [] }
    await host.put(path, before)
    const find = async () => (await host.get('/audit?kind=permissions.assigned')).body.entries
    const known = (await find()).length
    await host.put(path, { permissionSets: ['reads'] })
    await host.put(path, { permissionSets: ['reads'] })
    const entries = await find()
    expect(entries).toHaveLength(known + 1)
    expect(entries[0]).toMatchObject({
      actor: { id: ownerId },
      details: { userId: testUserId(1), profile: 'standard', roles: [], permissionSets: ['reads'], before },
    })
    await host.put(path, before)
  })

  it('end with what they name, and do not begin again with what has its name later', async () => {
    const path = `/permissions/assignments/${testUserId(1)}`
    const before = (await host.get(path)).body
    const sets = ['passing', 'staying']
    const other = (await host.as(0).post('/data/task', { title: 'other' })).body.id as string
    const items = [
      ...sets.map((name) => ['permission', name, { objects: { task: { allowRead: true, viewAllRecords: true } } }]),
      ['role', 'passer', { permissionSets: ['staying'] }],
      ['profile', 'passage', { permission: { objects: { task: { allowRead: true, viewAllRecords: true } } } }],
    ] as const
    const make = async () => {
      for (const [type, name, item] of items) await host.saveItem(type as string, name as string, item as object as {})
    }
    await make()
    await host.put(path, { profile: 'passage', roles: ['passer'], permissionSets: sets })
    const share = { principalType: 'role', principalId: 'passer', access: 'read' }
    expect((await host.as(0).post(`/data/task/${other}/shares`, share)).status).toBe(201)
    expect((await host.as(1).get(`/data/task/${other}`)).status).toBe(200)
    const answer = await host.post('/meta/bulk/unregister', {
      items: [
        { type: 'role', name: 'passer' },
        { type: 'profile', name: 'passage' },
        ...sets.map((name) => ({ type: 'permission', name })),
      ],
    })
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    const gone = { userId: testUserId(1), profile: 'guest', roles: [], permissionSets: [] }
    expect((await host.get(path)).body).toEqual(gone)
    const { body: told } = await host.get('/audit?kind=permissions.assigned&limit=1')
    expect(told.entries[0].details).toMatchObject({ ...gone, before: { profile: 'guest' } })
    await make()
    expect((await host.get(path)).body).toEqual(gone)
    await host.put(path, { profile: 'readonly', roles: ['passer'] })
    await host.put('/meta/permission/staying', {
      ...{ type: 'permission', name: 'staying', item: { name: 'staying', objects: {} } },
    })
    // The role is given again; what was shared with the one before it is not.
    expect((await host.as(1).get(`/data/task/${other}`)).status).toBe(404)
    await host.restart()
    expect((await host.get(path)).body).toMatchObject({ profile: 'readonly', roles: ['passer'], permissionSets: [] })
    await host.as(0).delete(`/data/task/${other}`)
    await host.put(path, { profile: before.profile, roles: [], permissionSets: before.permissionSets })
    for (const [type, name] of items) await host.delete(`/meta/${type as string}/${name as string}`)
  })

  it('never take the last administrator away', async () => {
    const answer = await host.put(`/permissions/assignments/${ownerId}`, { profile: 'guest' })
    expect([answer.status, answer.body.error.code]).toEqual([409, 'conflict'])
    expect((await host.put(`/permissions/assignments/${ownerId}`, { permissionSets: ['reads'] })).status).toBe(200)
    expect((await host.get('/data/task')).status).toBe(200)
  })
})

describe('shares', () => {
  it('are in the audit when they are given and when they end, without their reason', async () => {
    const recordId = String((await host.as(0).post('/data/task', { title: 'to share' })).body.id)
    const path = `/data/task/${recordId}/shares`
    const principal = { principalType: 'user', principalId: testUserId(1) }
    const made = await host.as(0).post(path, { ...principal, access: 'read', reason: 'canary' })
    expect(made.status).toBe(201)
    await host.as(0).delete(`${path}/${made.body.id}`)
    for (const kind of ['permissions.shared', 'permissions.unshared']) {
      const [entry] = (await host.get(`/audit?kind=${kind}`)).body.entries
      expect(entry, kind).toMatchObject({
        actor: { id: testUserId(0) },
        object: 'task',
        recordId,
        details: { ...principal, access: 'read', shareId: made.body.id },
      })
      expect(JSON.stringify(entry)).not.toContain('canary')
    }
  })

  it('are given and ended in the words of client libraries, too', async () => {
    await host.saveItem('role', 'lead', { permissionSets: [] })
    const path = `/data/task/${mine}/shares`
    const words = { recipientType: 'role', recipientId: 'lead', accessLevel: 'edit' }
    const made = await host.as(0).post(path, { ...words, reason: 'asked' })
    const share = { principalType: 'role', principalId: 'lead', access: 'edit', reason: 'asked' }
    expect([made.status, made.body]).toEqual([201, expect.objectContaining(share)])
    expect((await host.as(0).delete(`${path}/${made.body.id}`)).body).toEqual({
      shareId: made.body.id,
      success: true,
      deleted: true,
    })
    const { body } = await host.as(0).post(path, { ...words, accessLevel: 'all' })
    expect(body.error.details.fieldErrors).toMatchObject([{ field: 'accessLevel', code: 'invalid_option' }])
  })

  it('name principals there are, and are listed', async () => {
    const path = `/data/task/${mine}/shares`
    for (const principal of [
      { principalType: 'user', principalId: 'nobody' },
      { principalType: 'role', principalId: 'nobody' },
      { principalType: 'team', principalId: 'nobody' },
    ]) {
      const answer = await host.as(0).post(path, { ...principal, access: 'read' })
      expect([answer.status, answer.body.error.details.fieldErrors[0].code]).toEqual([400, 'invalid_reference'])
    }
    const { shares, data } = (await host.as(0).get(path)).body
    expect(data).toEqual(shares)
    expect(shares).toEqual([
      {
        id: expect.any(String),
        object: 'task',
        recordId: mine,
        principalType: 'user',
        principalId: testUserId(1),
        principalName: 'Test user 1',
        access: 'read',
        createdAt: expect.any(String),
        createdBy: ownerId,
      },
    ])
    const again = await host
      .as(0)
      .post(path, { principalType: 'user', principalId: testUserId(1), access: 'full', reason: 'Holiday' })
    expect(again.body).toMatchObject({ id: shares[0].id, access: 'full', reason: 'Holiday' })
    expect((await host.as(0).delete(`${path}/${mine}`)).status).toBe(404)
  })

  it('go with a purge', async () => {
    await host.delete(`/data/task/${mine}?purge=true`)
    expect(host.host.database.read.all({ sql: 'SELECT * FROM permissions_share', parameters: [] })).toEqual([])
  })
})
