// Import jobs of people who are shut out or gone before their rows are written (D-68).
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthHost } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'

let host: AuthHost

beforeAll(async () => {
  host = await createAuthHost()
  await host.defineObject('contact', { name: { type: 'text', required: true } })
})

afterAll(() => host.stop())

const total = async () => (await host.get('/data/contact?count=true&top=1')).body.total as number
// More than one slice, so that there is always something left to write.
const csv = `name\n${Array.from({ length: 20_000 }, (_, at) => `N${at}`).join('\n')}\n`

/** A job of a person, held still after it began. */
async function begun(name: string): Promise<{ id: string; jobId: string; created: number }> {
  const { id } = await host.account(name)
  return { id, ...(await begunBy(await host.signIn(name))) }
}

async function begunBy(token: string): Promise<{ jobId: string; created: number }> {
  const { jobId } = (await host.as(token, 'POST', '/data/contact/import/jobs', { csv })).body
  for (;;) {
    const { body } = await host.as(token, 'GET', `/data/import/jobs/${jobId}`)
    if (body.processed > 0) break
    await pause(5)
  }
  const { body, status } = await host.as(token, 'POST', `/data/import/jobs/${jobId}/pause`)
  expect([status, body.paused]).toEqual([200, true])
  return { jobId, created: body.created }
}

async function ended(jobId: string) {
  for (;;) {
    const { body } = await host.get(`/data/import/jobs/${jobId}`)
    if (!['pending', 'running'].includes(body.status)) return body
    await pause(50)
  }
}

describe('an import job', () => {
  it.each([
    ['is shut out', 'ban-user', 'boris'],
    ['is gone', 'remove-user', 'gio'],
  ])('writes nothing more once its person %s, says so, and can be undone', async (_what, step, name) => {
    const before = await total()
    const { id, jobId, created } = await begun(name)
    expect((await host.post(`/auth/admin/${step}`, { userId: id })).status).toBe(200)
    expect((await host.post(`/data/import/jobs/${jobId}/resume`)).status).toBe(200)
    expect(await ended(jobId)).toMatchObject({ status: 'failed', created, error: { code: 'permission_denied' } })
    expect(await total()).toBe(before + created)
    await host.post(`/data/import/jobs/${jobId}/undo`)
    expect(await ended(jobId)).toMatchObject({ status: 'undone', undo: { kept: 0 } })
    expect(await total()).toBe(before)
  })

  it.each([
    ['whole', {}],
    ['narrowed', { permissionSets: ['contacts'] }],
  ])('of a key that is %s writes nothing more once that is revoked', async (name, narrowing) => {
    const all = { allowCreate: true, allowRead: true, allowEdit: true }
    const set = { name: 'contacts', objects: { contact: all }, fields: {}, systemPermissions: ['import_data'] }
    await host.put('/meta/permission/contacts', { ...set, rowLevelSecurity: [] })
    await host.account(name)
    const token = await host.signIn(name)
    const { id: keyId, key } = (await host.as(token, 'POST', '/keys', { name, ...narrowing })).body
    const before = await total()
    const { jobId, created } = await begunBy(key)
    expect((await host.as(token, 'DELETE', `/keys/${keyId}`)).status).toBe(200)
    await host.post(`/data/import/jobs/${jobId}/resume`)
    const error = { code: 'permission_denied' }
    expect(await ended(jobId)).toMatchObject({ status: 'failed', created, error })
    expect(await total()).toBe(before + created)
  })
})
