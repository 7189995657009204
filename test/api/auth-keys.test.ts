// API keys: made, shown once, used, narrowed and revoked (D-27, D-30).
import { leastStatements } from '../support/least-statements.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localOwnerId } from '#main/kernel/context.ts'
import { createManualClock } from '#main/kernel/clock.ts'
import { createAuthHost } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'

const clock = createManualClock(Date.now())
let host: AuthHost

beforeAll(async () => {
  host = await createAuthHost({}, { clock })
  await host.defineObject('task', { title: { type: 'text' } })
  expect((await host.put('/meta/permission/reports', { name: 'reports', objects: {} })).status).toBe(200)
})

afterAll(() => host.stop())

type Ask = typeof host.anonymous

async function make(body: Record<string, unknown> = {}): Promise<{ id: string; key: string }> {
  const answer = await host.post('/keys', { name: 'Key', ...body })
  expect(answer.status).toBe(201)
  return answer.body as { id: string; key: string }
}

describe('a key', () => {
  it('is shown once and kept as a digest', async () => {
    const { status, body } = await host.post('/keys', { name: 'Reports' })
    expect(status).toBe(201)
    expect(Object.keys(body).toSorted()).toEqual(['createdAt', 'expiresAt', 'id', 'key', 'name', 'prefix'])
    expect(body.key).toMatch(/^cairn_[A-Za-z0-9_-]{43}$/)
    expect(body.key.startsWith(body.prefix)).toBe(true)
    const list = (await host.get('/keys')).body.keys as { id: string }[]
    expect(list.find(({ id }) => id === body.id)).toEqual({
      id: body.id,
      name: 'Reports',
      prefix: body.prefix,
      createdAt: body.createdAt,
      lastUsedAt: null,
      expiresAt: null,
      permissionSets: null,
      readOnly: false,
      purpose: null,
    })
    for (const name of ['cairn.db', 'cairn.db-wal'])
      expect(readFileSync(join(host.dataDir, name)).includes(body.key.slice(10)), name).toBe(false)
  })

  it('is made once by repeats with one Idempotency-Key, and no answer or body of them reaches the disk (D-42)', async () => {
    const repeat = { 'idempotency-key': 'make-once' }
    const first = await host.post('/keys', { name: 'Once' }, repeat)
    const second = await host.post('/keys', { name: 'Once' }, repeat)
    expect([first.status, first.headers.get('idempotent-replay')]).toEqual([201, null])
    expect([second.status, second.headers.get('idempotent-replay'), second.body]).toEqual([201, 'true', first.body])
    const other = await host.post('/keys', { name: 'Twice' }, repeat)
    expect([other.status, other.body.error.details.reason]).toEqual([409, 'idempotency_key_reused'])
    const list = (await host.get('/keys')).body.keys as { name: string }[]
    expect(list.filter(({ name }) => ['Once', 'Twice'].includes(name))).toHaveLength(1)
    const kept = host.host.database.read.all({ sql: 'SELECT digest, answer FROM _answer', parameters: [] })
    expect(kept).toEqual([{ digest: '', answer: null }])
    for (const name of ['cairn.db', 'cairn.db-wal'])
      expect(readFileSync(join(host.dataDir, name)).includes(first.body.key.slice(10)), name).toBe(false)
  })

  it('acts as its maker, in every place a key may stand', async () => {
    const { id, key } = await make()
    const places: Record<string, string>[] = [
      { authorization: `Bearer ${key}` },
      { authorization: `ApiKey ${key}` },
      { 'x-api-key': key },
    ]
    for (const headers of places) {
      const made = await host.anonymous('POST', '/data/task', { title: 'By key' }, headers)
      expect([made.status, made.body.record?.created_by]).toEqual([201, localOwnerId])
    }
    const used = (await host.get('/keys')).body.keys.find((one: { id: string }) => one.id === id)
    expect(used.lastUsedAt).not.toBeNull()
  })

  it('costs no statement once it is known', async () => {
    const { key } = await make()
    const headers = { 'x-api-key': key }
    await host.anonymous('GET', '/auth/config', undefined, headers)
    await host.anonymous('GET', '/auth/config', undefined, headers)
    const ask = () => host.anonymous('GET', '/auth/config', undefined, headers)
    expect(await leastStatements(host, ask)).toBe(0)
  })

  it('is listed with what it is narrowed to', async () => {
    const { id } = await make({ permissionSets: ['reports'], readOnly: true })
    const listed = (await host.get('/keys')).body.keys.find((one: { id: string }) => one.id === id)
    expect(listed).toMatchObject({ permissionSets: ['reports'], readOnly: true })
  })

  it('is narrowed to sets that are there, and no others (D-302)', async () => {
    const { status, body } = await host.post('/keys', {
      name: 'Key',
      permissionSets: ['reports', 'nowhere', '__proto__'],
    })
    expect([
      status,
      body.error.details.fieldErrors.map(({ field, code }: Record<string, string>) => [field, code]),
    ]).toEqual([
      400,
      [
        ['permissionSets.1', 'invalid_reference'],
        ['permissionSets.2', 'invalid_reference'],
      ],
    ])
  })

  it('begins nothing with what has the name of its set later', async () => {
    const set = { name: 'passing', objects: { task: { allowRead: true, viewAllRecords: true } } }
    await host.put('/meta/permission/passing', set)
    const { id, key } = await make({ permissionSets: ['passing', 'reports'] })
    const reads = async () => (await host.anonymous('GET', '/data/task', undefined, { 'x-api-key': key })).status
    expect(await reads()).toBe(200)
    expect((await host.delete('/meta/permission/passing')).status).toBe(200)
    await host.put('/meta/permission/passing', set)
    expect(await reads()).toBe(403)
    const listed = (await host.get('/keys')).body.keys.find((one: { id: string }) => one.id === id)
    expect(listed.permissionSets).toEqual(['reports'])
  })

  it('has a name that is one line, as people and devices have (D-302)', async () => {
    const { id } = await host.account('line')
    const odd = ['a\u0000b', 'a\nb', 'a\u001b[31mb', 'a\u0085b', 'a\u2028b']
    for (const name of [...odd, ' \t ']) {
      const answers = await Promise.all([
        host.post('/keys', { name }),
        host.post('/auth/update-user', { name }),
        host.post('/auth/admin/update-user', { userId: id, data: { name } }),
        host.post('/auth/admin/create-user', { email: 'odd@example.org', name }),
        host.patch('/sync/settings', { deviceName: name }),
      ])
      expect(
        answers.map(({ status }) => status),
        JSON.stringify(name),
      ).toEqual(answers.map(() => 400))
      expect(answers[0].body.error.details.fieldErrors[0].field).toBe('name')
    }
    expect((await host.post('/keys', { name: ' Zoë \u200f(עברית) 👩‍🚀 ' })).body.name).toBe('Zoë \u200f(עברית) 👩‍🚀')
  })

  it('that is narrowed keeps conversations of its own: answers tell records', async () => {
    const { body: told } = await host.post('/ai/chat', { message: 'tasks' })
    const { key } = await make({ permissionSets: ['reports'] })
    const ask = (method: string, path: string, body?: unknown) =>
      host.anonymous(method, `/ai/${path}`, body, { 'x-api-key': key })
    expect((await ask('GET', `conversations/${told.conversationId}`)).status).toBe(404)
    const { body: own } = await ask('POST', 'chat', { message: 'tasks' })
    const listed = (await ask('GET', 'conversations')).body.conversations
    expect(listed.map(({ id }: { id: string }) => id)).toEqual([own.conversationId])
    expect((await host.get(`/ai/conversations/${own.conversationId}`)).status).toBe(404)
  })

  it('that is narrowed owns the files it uploaded, none of its maker, whatever the way to them', async () => {
    const keys = await Promise.all([1, 2].map(() => make({ permissionSets: ['reports'] })))
    const [asKey, asOther] = keys.map(
      ({ key }) =>
        (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
          host.anonymous(method, `/storage/${path}`, body, { 'x-api-key': key, ...headers }),
    ) as [Ask, Ask]
    const asMaker: Ask = (method, path, body, headers) =>
      method === 'GET' ? host.get(`/storage/${path}`) : host.post(`/storage/${path}`, body, headers)
    const upload = async (ask: Ask, scope: string) => {
      const answer = await ask('POST', `upload?filename=a.txt&scope=${scope}`, 'text', { 'content-type': 'text/plain' })
      return answer.body.data.fileId as string
    }
    const listed = async (ask: Ask) => {
      const { files } = (await ask('GET', 'files')).body.data as { files: { fileId: string }[] }
      return files.map(({ fileId }) => fileId).toSorted()
    }
    const makers = [await upload(asMaker, 'user'), await upload(asMaker, 'private')]
    const own = await upload(asKey, 'user')
    expect(await listed(asKey)).toEqual([own])
    expect(await listed(asOther)).toEqual([])
    expect(await listed(asMaker)).toEqual([...makers, own].toSorted())
    const ways = (id: string) =>
      [
        ['GET', id],
        ['GET', `files/${id}/metadata`],
        ['GET', `files/${id}/url`],
        ['GET', `files/${id}/uses`],
        ['POST', 'upload/complete', { fileId: id }],
        ['DELETE', id],
      ] as const
    for (const [ask, id] of [...makers.map((one) => [asKey, one] as const), [asOther, own] as const])
      for (const [method, path, body] of ways(id)) {
        const answer = await ask(method, path, body)
        expect([answer.status, answer.body.error.code], `${method} ${path}`).toEqual([404, 'file_not_found'])
      }
    for (const [method, path, body] of ways(own))
      expect((await asKey(method, path, body)).status, path).toBeLessThan(300)

    const announced = { filename: 'b.txt', mimeType: 'text/plain', totalSize: 4, chunkSize: 5_242_880 }
    const begun = (await asMaker('POST', 'upload/chunked', announced)).body.data
    const kept = (await asKey('POST', 'upload/chunked', announced)).body.data
    const token = { 'content-type': 'application/octet-stream', 'x-resume-token': begun.resumeToken }
    const chunked = `upload/chunked/${begun.uploadId}`
    for (const answer of [
      await asKey('PUT', `${chunked}/chunk/0`, 'text', token),
      await asKey('GET', `${chunked}/progress`),
      await asKey('DELETE', chunked),
    ])
      expect([answer.status, answer.body.error.code]).toEqual([404, 'upload_not_found'])
    expect((await asKey('GET', `upload/chunked/${kept.uploadId}/progress`)).status).toBe(200)
    expect((await asMaker('GET', `upload/chunked/${kept.uploadId}/progress`)).status).toBe(200)
  })

  it('that is narrowed sees the imports it began, and those over objects it may read and write', async () => {
    const all = { allowRead: true, allowCreate: true, allowEdit: true }
    const put = async (name: string, objects: object) => {
      const answer = await host.put(`/meta/permission/${name}`, { name, objects, systemPermissions: ['import_data'] })
      expect(answer.status).toBe(200)
    }
    await put('imports', {})
    await put('tasks', { task: all })
    const job = await host.post('/data/task/import/jobs', { csv: 'title\nOne\n' })
    const jobs = `/data/import/jobs`
    const path = `${jobs}/${job.body.jobId}`
    const [blind, writer] = [await make({ permissionSets: ['imports'] }), await make({ permissionSets: ['tasks'] })]
    const ask = ({ key }: { key: string }, method: string, at: string, body?: unknown) =>
      host.anonymous(method, at, body, { 'x-api-key': key })
    expect((await ask(blind, 'GET', jobs)).body).toMatchObject({ jobs: [], total: 0 })
    for (const [method, at] of [
      ['GET', path],
      ['GET', `${path}/results`],
      ['POST', `${path}/cancel`],
      ['POST', `${path}/undo`],
    ] as const)
      expect((await ask(blind, method, at, method === 'GET' ? undefined : {})).status, at).toBe(404)
    expect((await ask(writer, 'GET', jobs)).body.total).toBe(1)
    expect((await ask(writer, 'GET', path)).status).toBe(200)

    const own = await ask(writer, 'POST', '/data/task/import/jobs', { csv: 'title\nTwo\n' })
    expect(own.status).toBe(202)
    await put('tasks', {})
    const { body: left } = await ask(writer, 'GET', jobs)
    expect(left.jobs.map(({ jobId }: { jobId: string }) => jobId)).toEqual([own.body.jobId])
    expect((await ask(writer, 'GET', path)).status).toBe(404)
    expect((await host.get(jobs)).body.total).toBe(2)
  })

  it('that only reads writes nothing', async () => {
    const { key } = await make({ readOnly: true })
    const headers = { 'x-api-key': key }
    expect((await host.anonymous('GET', '/data/task', undefined, headers)).status).toBe(200)
    const refused = await host.anonymous('POST', '/data/task', { title: 'No' }, headers)
    expect([refused.status, refused.body.error.details.reason]).toEqual([403, 'read_only_key'])
  })

  it('ends at its instant', async () => {
    const { key } = await make({ expires_at: new Date(clock.now() + 60_000).toISOString() })
    const headers = { 'x-api-key': key }
    expect((await host.anonymous('GET', '/data/task', undefined, headers)).status).toBe(200)
    clock.advance(60_000)
    const ended = await host.anonymous('GET', '/data/task', undefined, headers)
    expect([ended.status, ended.body.error.code]).toEqual([401, 'api_key_invalid'])
    await host.patch('/settings', { timezone: 'Europe/Berlin' })
    for (const [given, kept] of [
      ['2030-01-01T10:00:00', '2030-01-01T09:00:00.000Z'],
      ['2030-07-01T10:00', '2030-07-01T08:00:00.000Z'],
      ['2030-01-01T10:00Z', '2030-01-01T10:00:00.000Z'],
      ['2030-01-01T10:00:00.123456+05:30', '2030-01-01T04:30:00.123Z'],
    ] as const) {
      for (const name of ['expiresAt', 'expires_at']) {
        const made = await host.post('/keys', { name: 'Later', [name]: given })
        expect([made.status, made.body.expiresAt], given).toEqual([201, kept])
      }
    }
    const none = await host.post('/keys', { name: 'None', expiresAt: 'tomorrow' })
    expect(none.body.error.details.fieldErrors[0]).toMatchObject({ field: 'expiresAt', code: 'invalid_datetime' })
    // Beyond the last moment that can be written, but only in the zone of the workspace.
    await host.patch('/settings', { timezone: 'America/New_York' })
    for (const name of ['expiresAt', 'expires_at']) {
      const beyond = await host.post('/keys', { name: 'Beyond', [name]: '9999-12-31T23:59:59' })
      expect(beyond.status).toBe(400)
      expect(beyond.body.error.details.fieldErrors[0]).toMatchObject({ field: name, code: 'invalid_datetime' })
    }
    await host.patch('/settings', { timezone: null })
    const past = await host.post('/keys', { name: 'Past', expiresAt: '2020-01-01T00:00:00Z' })
    expect(past.body.error.details.fieldErrors[0]).toMatchObject({ field: 'expiresAt', code: 'min_value' })
  })

  it('that is none is api_key_invalid in whatever header, and no other credential is (D-23)', async () => {
    const cases: [Record<string, string>, string][] = [
      [{ 'x-api-key': 'none' }, 'api_key_invalid'],
      [{ authorization: 'ApiKey none' }, 'api_key_invalid'],
      [{ authorization: 'Bearer cairn_none' }, 'api_key_invalid'],
      [{ authorization: 'Bearer none' }, 'unauthenticated'],
      [{ authorization: 'Bearer none', 'x-api-key': 'none' }, 'unauthenticated'],
      [{ authorization: 'Basic bm9uZTo=' }, 'unauthenticated'],
      [{}, 'unauthenticated'],
    ]
    for (const [headers, code] of cases) {
      const { status, body } = await host.anonymous('GET', '/data/task', undefined, headers)
      expect([status, body.error.code, body.error.category, body.error.retryable]).toEqual([401, code, 'auth', false])
    }
  })

  it('counts no more once it is revoked, and revoking is for its maker', async () => {
    const { id, key } = await make()
    const headers = { 'x-api-key': key }
    expect((await host.anonymous('GET', '/data/task', undefined, headers)).status).toBe(200)
    expect((await host.delete(`/keys/${id}`)).body).toEqual({ id, success: true })
    expect((await host.anonymous('GET', '/data/task', undefined, headers)).status).toBe(401)
    expect((await host.delete(`/keys/${id}`)).status).toBe(404)
  })

  it('makes no key, changes no password and opens no session', async () => {
    const { key } = await make()
    const headers = { 'x-api-key': key }
    const steps: [string, unknown][] = [
      ['/keys', { name: 'More' }],
      ['/auth/set-password', { newPassword: 'another long one' }],
      ['/auth/change-password', { currentPassword: 'a', newPassword: 'another long one' }],
      ['/auth/update-user', { name: 'Me' }],
      ['/auth/two-factor/enable', { password: 'a' }],
      ['/auth/device/approve', { userCode: 'BCDF-GHJK' }],
      ['/auth/admin/impersonate-user', { userId: localOwnerId }],
    ]
    for (const [path, body] of steps) {
      const answer = await host.anonymous('POST', path, body, headers)
      expect([answer.status, answer.body.error.details.reason], path).toEqual([403, 'SESSION_REQUIRED'])
    }
  })

  it('tells listeners that it was made and revoked, never what it is', async () => {
    host.takeEvents()
    const { id, key } = await make()
    await host.delete(`/keys/${id}`)
    const events = host.takeEvents()
    expect(events.map(({ type }) => type)).toEqual(['auth.key_created', 'auth.key_revoked'])
    expect(JSON.stringify(events)).not.toContain(key)
  })
})
