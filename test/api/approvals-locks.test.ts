// Records that wait for an approval are closed on every way of writing, to everybody but administrators (D-167, D-255).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../support/create-test-host.ts'
import { runFlow, rowOf, saveFlow } from '../support/flow-calls.ts'
import type { PeopledHost } from '../support/test-identities.ts'
import { createPeopledHost, testUserId } from '../support/test-identities.ts'

const [clerk, ann, admin] = [1, 2, 3]
let host: PeopledHost

beforeAll(async () => {
  host = await createPeopledHost({
    users: [
      {},
      {},
      {},
      {},
      { sameAs: admin, scope: { readOnly: false, permissionSets: ['wide'] } },
      { sameAs: ann, scope: { readOnly: false, permissionSets: [] } },
      { sameAs: ann, scope: { readOnly: false, permissionSets: ['looks'] } },
    ],
  })
  const transitions = ['approve', 'free'].map((name) => ({
    name,
    from: 'draft',
    to: 'done',
    requiresApproval: true,
    approval: { approvers: [{ type: 'user', value: testUserId(ann) }], lockRecord: name === 'approve' },
  }))
  await host.defineObject(
    'claim',
    {
      title: { type: 'text' },
      code: { type: 'text', unique: true, externalId: true },
      parent: { type: 'lookup', reference: 'folder' },
      box: { type: 'lookup', reference: 'folder', deleteBehavior: 'cascade' },
      stage: { type: 'select', options: ['draft', 'done'] },
    },
    {
      sharingModel: 'full',
      validations: [{ name: 'steps', type: 'state_machine', field: 'stage', initial: 'draft', transitions }],
    },
  )
  await host.defineObject('folder', { name: { type: 'text' } }, { sharingModel: 'full' })
  const all = { allowCreate: true, allowRead: true, allowEdit: true, allowDelete: true, allowTransfer: true }
  const objects = { '*': { ...all, allowRestore: true, allowPurge: true } }
  const systemPermissions = ['import_data', 'run_flows']
  await host.saveItem('profile', 'worker', { objects, systemPermissions })
  await host.saveItem('permission', 'wide', { objects })
  await host.saveItem('permission', 'looks', { objects: { '*': { allowRead: true } } })
  await host.assign(clerk, { profile: 'worker' })
  await host.assign(admin, { profile: 'administrator' })
}, 60_000)

afterAll(() => host?.stop())

let made = 0
const make = async (more: object = {}): Promise<{ id: string; code: string }> => {
  made += 1
  const code = `c${made}`
  const { status, body } = await host.as(clerk).post('/data/claim', { title: 'one', code, ...more })
  expect(status, JSON.stringify(body)).toBe(201)
  return { id: body.id, code }
}
const locked = async (more: object = {}) => {
  const record = await make(more)
  const { body } = await host.as(clerk).post(`/workflow/claim/${record.id}/transition`, { transition: 'approve' })
  return { ...record, approval: body.state.pendingApproval.id as string }
}
const codeOf = ({ status, body }: Answer): string => `${status} ${body.error?.code ?? 'none'}`
const refused = '423 record_locked'

describe('a locked record', () => {
  it('is closed to single writes, with the approval that holds it', async () => {
    const { id, approval } = await locked()
    const mine = host.as(clerk)
    const patched = await mine.patch(`/data/claim/${id}`, { title: 'two' })
    expect([codeOf(patched), patched.body.error.details]).toEqual([refused, { approvalRequestId: approval }])
    expect(codeOf(await mine.delete(`/data/claim/${id}`))).toBe(refused)
    expect(codeOf(await mine.delete(`/data/claim/${id}?purge=true`))).toBe(refused)
    expect(codeOf(await mine.post(`/data/claim/${id}/transfer`, { owner: testUserId(ann) }))).toBe(refused)
    expect((await mine.get(`/data/claim/${id}`)).body.record.title).toBe('one')
    expect((await mine.post(`/data/claim/${id}/clone`, { overrides: { title: 'copy' } })).status).toBe(201)
    const may = async (action: string) =>
      (await mine.get(`/permissions/check?object=claim&action=${action}&recordId=${id}`)).body
    expect(await may('edit')).toEqual({ allowed: false, reason: 'record_locked' })
    expect(await may('read')).toEqual({ allowed: true })
  })

  it('is an error of its item in writes of many', async () => {
    const { id, code } = await locked()
    const free = await make()
    const mine = host.as(clerk)
    const options = { atomic: false, continueOnError: true }
    const failures = async (path: string, body: object): Promise<string[]> => {
      const { results } = (await mine.post(path, body)).body as { results: { errors?: { code: string }[] }[] }
      return results.map(({ errors }) => errors?.[0]?.code ?? 'none')
    }
    const data = { title: 'many' }
    const two = [
      { id, data },
      { id: free.id, data },
    ]
    expect(await failures('/data/claim/updateMany', { records: two, options })).toEqual(['record_locked', 'none'])
    expect(await failures('/data/claim/deleteMany', { ids: [id], options })).toEqual(['record_locked'])
    const upsert = { operation: 'upsert', records: [{ externalId: code, data }], options }
    expect(await failures('/data/claim/batch', upsert)).toEqual(['record_locked'])
    const across = { operations: [{ object: 'claim', action: 'update', id, data }], options }
    expect(await failures('/batch', across)).toEqual(['record_locked'])
    const atomic = await mine.post('/data/claim/updateMany', { records: two })
    expect(atomic.body).toMatchObject({ success: false, succeeded: 0, error: { code: 'record_locked' } })
    const imported = await mine.post('/data/claim/import', {
      rows: [{ code, title: 'imported' }],
      writeMode: 'upsert',
      matchFields: ['code'],
    })
    expect(imported.body).toMatchObject({ failed: 1, errors: [{ code: 'record_locked' }] })
    expect((await mine.get(`/data/claim/${id}`)).body.record.title).toBe('one')
  })

  it('keeps what would take it along from being deleted, and lets references go', async () => {
    const folder = (await host.as(clerk).post('/data/folder', { name: 'f' })).body.id as string
    const { id } = await locked({ box: folder })
    expect(codeOf(await host.as(clerk).delete(`/data/folder/${folder}`))).toBe(refused)
    const parent = (await host.as(clerk).post('/data/folder', { name: 'p' })).body.id as string
    const other = await locked({ parent })
    expect((await host.as(clerk).delete(`/data/folder/${parent}`)).status).toBe(200)
    expect((await host.get(`/data/claim/${other.id}`)).body.record.parent).toBeNull()
    expect((await host.get(`/data/claim/${id}`)).status).toBe(200)
  })

  it('is closed to flows and scripts', async () => {
    const { id } = await locked()
    for (const runAs of ['user', 'system']) {
      await saveFlow(host, `write_${runAs}`, {
        runAs,
        ...rowOf({
          id: 'w',
          type: 'update_record',
          config: { object: 'claim', id: '{{ params.id }}', data: { title: 'f' } },
        }),
      })
      const run = await runFlow({ get: host.get, post: host.as(clerk).post }, `write_${runAs}`, { params: { id } })
      expect(run).toMatchObject({ status: 'failed', error: { code: 'record_locked' } })
    }
    await host.saveItem('hook', 'touch', {
      object: 'folder',
      events: ['beforeInsert'],
      body: `await records.update('claim', ${JSON.stringify(id)}, { title: 's' })`,
      timeoutMs: 5_000,
    })
    const hooked = await host.as(clerk).post('/data/folder', { name: 'x' })
    expect([hooked.status, JSON.stringify(hooked.body)]).toEqual([400, expect.stringContaining('locked')])
    await host.delete('/meta/hook/touch')
    expect((await host.get(`/data/claim/${id}`)).body.record.title).toBe('one')
  })

  it('is open to administrators, with a credential that takes nothing away', async () => {
    const { id } = await locked()
    expect((await host.patch(`/data/claim/${id}`, { title: 'by owner' })).status).toBe(200)
    expect((await host.as(admin).patch(`/data/claim/${id}`, { title: 'by admin' })).status).toBe(200)
    expect(codeOf(await host.as(4).patch(`/data/claim/${id}`, { title: 'by key' }))).toBe(refused)
  })

  it('is free again once it is decided, taken back or deleted, also over a restart', async () => {
    const [one, two, three] = [await locked(), await locked(), await locked()]
    const patch = (id: string) => host.as(clerk).patch(`/data/claim/${id}`, { title: 'free' })
    await host.restart()
    expect(codeOf(await patch(one.id))).toBe(refused)
    await host.as(ann).post(`/approvals/requests/${one.approval}/reject`)
    await host.as(clerk).post(`/approvals/requests/${two.approval}/recall`)
    expect([(await patch(one.id)).status, (await patch(two.id)).status]).toEqual([200, 200])
    expect((await host.delete(`/data/claim/${three.id}`)).status).toBe(200)
    expect((await host.get(`/approvals/requests/${three.approval}`)).status).toBe(404)
    expect((await host.as(ann).get(`/approvals/requests/${three.approval}`)).body.status).toBe('recalled')
    expect((await host.as(clerk).post(`/data/claim/${three.id}/restore`)).status).toBe(200)
    expect((await patch(three.id)).status).toBe(200)
    await host.delete(`/data/claim/${one.id}?purge=true`)
    expect((await host.as(ann).get(`/approvals/requests/${one.approval}`)).status).toBe(404)
  })

  it('is closed within the very transaction that locks it', async () => {
    const { id } = await make()
    const ask = host.as(clerk).post(`/workflow/claim/${id}/transition`, { transition: 'approve' })
    const writes = Array.from({ length: 8 }, (_, at) => host.as(clerk).patch(`/data/claim/${id}`, { title: `t${at}` }))
    const { body } = await ask
    const codes = (await Promise.all(writes)).map(codeOf)
    expect(codes.every((code) => code === refused || code === '200 none')).toBe(true)
    expect(codeOf(await host.as(clerk).patch(`/data/claim/${id}`, { title: 'last' }))).toBe(refused)
    expect(body.pending).toBe(true)
  })
})

it('shows and gives a narrowed credential no more than its sets let it read and edit', async () => {
  const { id, approval } = await locked()
  expect((await host.as(5).get(`/approvals/requests/${approval}`)).status).toBe(404)
  expect((await host.as(5).get(`/approvals/requests?recordId=${id}`)).body.total).toBe(0)
  expect(codeOf(await host.as(6).post(`/approvals/requests/${approval}/approve`))).toBe('403 permission_denied')
  expect((await host.as(6).get(`/approvals/requests/${approval}`)).body.status).toBe('pending')
})

it('leaves records open where the approval does not lock them', async () => {
  const { id } = await make()
  await host.as(clerk).post(`/workflow/claim/${id}/transition`, { transition: 'free' })
  expect((await host.as(clerk).patch(`/data/claim/${id}`, { title: 'open' })).status).toBe(200)
})
