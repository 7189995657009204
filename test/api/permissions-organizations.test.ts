// Organizations as walls between records (D-41).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PeopledHost, TestUser } from '../support/test-identities.ts'
import { createPeopledHost, testUserId } from '../support/test-identities.ts'

let host: PeopledHost

const member = (organizationId: string, role = 'member', teams: string[] = []): TestUser => ({
  organizationId,
  memberships: [{ organizationId, role, teams }],
})

beforeAll(async () => {
  host = await createPeopledHost({
    organizations: true,
    users: [member('org-1'), member('org-2'), member('org-1', 'admin'), {}, member('org-1', 'member', ['blue']), {}],
  })
  await host.defineObject('note', { title: { type: 'text', unique: true }, amount: { type: 'number' } })
  await host.defineObject('link', { note: { type: 'lookup', reference: 'note' } })
  await host.defineObject('paper', { title: { type: 'text' } }, { sharingModel: 'private' })
  await host.assign(1, { profile: 'administrator' })
})
afterAll(() => host.stop())

describe('with organizations', () => {
  let first: string

  it('records carry the one of their author and are seen in it alone', async () => {
    const made = await host.as(0).post('/data/note', { title: 'one', amount: 1, organization_id: 'org-2' })
    expect([made.status, made.body.record.organization_id]).toEqual([201, 'org-1'])
    first = made.body.id
    await host.as(1).post('/data/note', { title: 'two', amount: 2 })
    const seen = async (number: number) =>
      (await host.as(number).get('/data/note?count=true')).body as { total: number; records: { title: string }[] }
    expect((await seen(0)).records.map(({ title }) => title)).toEqual(['one'])
    // Also for administrators of the workspace.
    expect((await seen(1)).records.map(({ title }) => title)).toEqual(['two'])
    expect((await seen(2)).total).toBe(1)
    expect((await host.as(0).get(`/data/note/${first}`)).body.record.organization_id).toBe('org-1')
  })

  it('those of others are not there on any verb', async () => {
    for (const call of [
      () => host.as(1).get(`/data/note/${first}`),
      () => host.as(1).patch(`/data/note/${first}`, { title: 'x' }),
      () => host.as(1).delete(`/data/note/${first}`),
      () => host.as(1).delete(`/data/note/${first}?purge=true`),
      () => host.as(1).post(`/data/note/${first}/clone`),
    ])
      expect((await call()).status).toBe(404)
    expect((await host.as(1).post('/data/link', { note: first })).status).toBe(400)
    const sums = await host.as(1).post('/analytics/query', { cube: 'note', measures: ['amount.sum'] })
    expect(sums.body.data).toEqual([{ 'amount.sum': 2 }])
    const sql = await host.as(1).post('/analytics/sql', { sql: 'SELECT title FROM note' })
    expect(sql.body.data).toEqual([{ title: 'two' }])
  })

  it('nothing is open without an active one', async () => {
    for (const number of [3]) {
      const answer = await host.as(number).get('/data/note')
      expect([answer.status, answer.body.error.details.reason]).toEqual([403, 'no_organization'])
      expect((await host.as(number).post('/data/note', { title: 'three' })).status).toBe(403)
      expect((await host.as(number).post('/analytics/query', { cube: 'note', measures: ['count'] })).status).toBe(403)
    }
    expect((await host.as(3).get('/meta/object/note')).status).toBe(200)
  })

  it('nor what tells of records: import jobs, statements and the audit, also for administrators', async () => {
    await host.saveItem('permission', 'looks', { systemPermissions: ['view_audit', 'run_sql', 'import_data'] })
    await host.assign(3, { permissionSets: ['looks'] })
    await host.assign(5, { profile: 'administrator' })
    const job = '/data/import/jobs/0190f2a4-0000-7000-8000-000000000999'
    for (const number of [3, 5]) {
      const caller = host.as(number)
      for (const call of [
        () => caller.get('/audit'),
        () => caller.get('/audit/export'),
        () => caller.get('/data/import/jobs'),
        () => caller.get(job),
        () => caller.get(`${job}/results`),
        () => caller.post(`${job}/cancel`, {}),
        () => caller.post(`${job}/pause`, {}),
        () => caller.post(`${job}/resume`, {}),
        () => caller.post(`${job}/undo`, {}),
        () => caller.post('/analytics/sql', { sql: 'SELECT title FROM note' }),
      ]) {
        const { status, body } = await call()
        expect([status, body.error?.code, body.error?.details.reason]).toEqual([
          403,
          'permission_denied',
          'no_organization',
        ])
      }
    }
  })

  it('the audit shows the entries of the own one and of none', async () => {
    await host.as(0).get('/data/note/export?format=ndjson')
    const organizations = async (number: number): Promise<Set<string | null>> => {
      const { entries } = (await host.as(number).get('/audit?limit=200')).body as {
        entries: { organizationId: string | null }[]
      }
      return new Set(entries.map(({ organizationId }) => organizationId))
    }
    await host.assign(2, { profile: 'administrator' })
    expect(await organizations(2)).toContain('org-1')
    expect(await organizations(1)).not.toContain('org-1')
    await host.assign(2, {})
  })

  it('roles in an organization bring permission sets, teams are principals of shares', async () => {
    await host.saveItem('permission', 'cleans', { objects: { note: { allowPurge: true, modifyAllRecords: true } } })
    await host.saveItem('role', 'organization_admin', { permissionSets: ['cleans'] })
    expect((await host.as(2).get('/permissions/effective')).body.objects.note.purge).toBe(true)
    expect((await host.as(0).get('/permissions/effective')).body.objects.note.purge).toBe(false)
    const paper = (await host.as(0).post('/data/paper', { title: 'plan' })).body.id as string
    expect((await host.as(4).get(`/data/paper/${paper}`)).status).toBe(404)
    const share = { principalType: 'team', principalId: 'blue', access: 'read' }
    expect((await host.as(0).post(`/data/paper/${paper}/shares`, share)).status).toBe(201)
    expect((await host.as(4).get(`/data/paper/${paper}`)).status).toBe(200)
    const foreign = { principalType: 'user', principalId: testUserId(1), access: 'full' }
    const refused = await host.as(0).post(`/data/paper/${paper}/shares`, foreign)
    expect([refused.status, refused.body.error.details.fieldErrors[0].code]).toEqual([400, 'invalid_reference'])
    expect(JSON.stringify(refused.body)).not.toContain('Test user')
    expect((await host.as(1).get(`/data/paper/${paper}`)).status).toBe(404)
  })
})
