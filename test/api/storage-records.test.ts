// Files under rights and in records: who reads and deletes what, fields and feeds that name files, organizations (D-41, D-94,
// D-137, D-184, D-186, D-377).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer } from '../support/create-test-host.ts'
import type { PeopledHost } from '../support/test-identities.ts'
import { asTestUser, createPeopledHost } from '../support/test-identities.ts'
import { fetchBytes, filesOnDisk, multipart, noise, png, svg, upload } from '../support/storage-calls.ts'

let host: PeopledHost
/** 0 alice, 1 bob: standard; 2 carol: may not read the field `papers`; 3 dave: guest; 4 alice with a key for reading. */
const [alice, bob, carol, dave, reading] = [0, 1, 2, 3, 4]
const absent = '01a21b14-882a-7000-9c6a-9692c111217d'

beforeAll(async () => {
  host = await createPeopledHost({
    users: [{}, {}, {}, {}, { sameAs: 0, scope: { permissionSets: null, readOnly: true } }],
  })
  const fields = {
    title: { type: 'text' },
    papers: { type: 'file', multiple: true, maxItems: 3 },
    photo: { type: 'image' },
    small: { type: 'file', fileAttachmentConfig: { maxSize: 4, allowedTypes: ['txt'], blockedMimeTypes: ['image/*'] } },
  }
  await host.defineObject('deal', fields, { sharingModel: 'private' })
  await host.defineObject('task', fields)
  await host.defineObject('bare', { title: { type: 'text' } }, { enable: { files: false } })
  await host.saveItem('permission', 'hides_papers', { fields: { 'task.papers': { readable: false } } })
  await host.assign(carol, { permissionSets: ['hides_papers'] })
  await host.assign(dave, { profile: 'guest' })
}, 60_000)

afterAll(async () => host?.stop())

const refusal = ({ status, body }: Answer): [number, string?] => [status, body.error?.code]
const problems = (answer: Answer): [string, string][] =>
  (answer.body.error?.details.fieldErrors ?? []).map(({ field, code }: { field: string; code: string }) => [
    field,
    code,
  ])

/** Statuses of reading the bytes, the metadata and an address. */
const reads = async (user: number | null, fileId: string): Promise<number[]> => {
  const headers = user === null ? {} : asTestUser(user)
  const paths = [`/storage/${fileId}`, `/storage/files/${fileId}/metadata`, `/storage/files/${fileId}/url`]
  const answers = await Promise.all(paths.map((path) => fetchBytes(`${host.host.url}/api/v1${path}`, headers)))
  return answers.map(({ status }) => status)
}

describe('who reads a file', () => {
  it('of scope user: its owner alone', async () => {
    const { fileId } = await upload(host.as(alice), 'mine', { scope: 'user' })
    expect(await reads(alice, fileId)).toEqual([200, 200, 200])
    expect(await reads(reading, fileId)).toEqual([200, 200, 200])
    expect(await reads(bob, fileId)).toEqual([404, 404, 404])
    expect(await reads(dave, fileId)).toEqual([404, 404, 404])
    expect(await reads(null, fileId)).toEqual([401, 401, 401])
    expect(refusal(await host.get(`/storage/files/${fileId}/metadata`))).toEqual([404, 'file_not_found'])
    expect(refusal(await host.as(bob).delete(`/storage/${fileId}`))).toEqual([404, 'file_not_found'])
    expect(refusal(await host.as(reading).delete(`/storage/${fileId}`))).toEqual([403, 'permission_denied'])
  })

  it('of scope public: every session, and anybody once that is switched on', async () => {
    const { fileId } = await upload(host.as(alice), 'all', { scope: 'public' })
    expect(await reads(dave, fileId)).toEqual([200, 200, 200])
    expect(await reads(null, fileId)).toEqual([401, 401, 401])
    expect(refusal(await host.as(bob).delete(`/storage/${fileId}`))).toEqual([403, 'permission_denied'])
    await host.patch('/settings', { 'storage.publicDownloads': true })
    const { fileId: own } = await upload(host.as(alice), 'mine', { scope: 'user' })
    expect(await reads(null, fileId)).toEqual([200, 401, 401])
    // Whether there is a file is told to nobody.
    expect([await reads(null, own), await reads(null, absent)]).toEqual([
      [401, 401, 401],
      [401, 401, 401],
    ])
    const wrong = { authorization: 'Bearer nobody' }
    expect((await fetchBytes(`${host.host.url}/api/v1/storage/${fileId}`, wrong)).status).toBe(401)
    await host.patch('/settings', { 'storage.publicDownloads': false })
    expect((await host.delete(`/storage/${fileId}`)).status).toBe(200)
  })

  it('of scope system, or in a bucket: administrators', async () => {
    const parts = multipart(['file', Buffer.from('x'), 'x.txt'], ['scope', 'system'])
    expect(refusal(await host.as(alice).post('/storage/upload', ...parts))).toEqual([403, 'permission_denied'])
    const bucket = multipart(['file', Buffer.from('x'), 'x.txt'], ['bucket', 'media'])
    expect(refusal(await host.as(alice).post('/storage/upload', ...bucket))).toEqual([403, 'permission_denied'])
    expect((await host.post('/storage/upload', ...bucket)).body.data.bucket).toBe('media')
    const announced = { filename: 'a.txt', mimeType: 'text/plain', size: 1, scope: 'user', bucket: 'media' }
    expect(refusal(await host.as(alice).post('/storage/upload/presigned', announced))).toEqual([
      403,
      'permission_denied',
    ])
    const { fileId } = await upload(host, 'x', { scope: 'system' })
    expect(await reads(alice, fileId)).toEqual([404, 404, 404])
    expect((await host.get(`/storage/files/${fileId}/metadata`)).status).toBe(200)
    const seen = async (user: number | null): Promise<boolean> => {
      const answer = await (user === null ? host : host.as(user)).get('/storage/files?limit=200')
      return answer.body.data.files.some((file: { fileId: string }) => file.fileId === fileId)
    }
    expect([await seen(null), await seen(alice)]).toEqual([true, false])
  })

  it('of scope private: whoever reads a record and field that name it, as long as they do', async () => {
    const { fileId } = await upload(host.as(alice), 'secret paper', { scope: 'private' })
    expect(await reads(bob, fileId)).toEqual([404, 404, 404])
    const deal = (await host.as(alice).post('/data/deal', { papers: [fileId] })).body.id
    expect(await reads(bob, fileId)).toEqual([404, 404, 404])
    const share = { principalType: 'user', principalId: host.as(bob).id, access: 'read' }
    const shared = await host.as(alice).post(`/data/deal/${deal}/shares`, share)
    expect(await reads(bob, fileId)).toEqual([200, 200, 200])
    await host.as(alice).delete(`/data/deal/${deal}/shares/${shared.body.id}`)
    expect(await reads(bob, fileId)).toEqual([404, 404, 404])

    const task = (await host.as(alice).post('/data/task', { papers: [fileId] })).body.id
    expect(await reads(bob, fileId)).toEqual([200, 200, 200])
    expect(await reads(carol, fileId)).toEqual([404, 404, 404])
    expect(await reads(dave, fileId)).toEqual([404, 404, 404])
    await host.as(alice).patch(`/data/task/${task}`, { papers: [] })
    expect(await reads(bob, fileId)).toEqual([404, 404, 404])
    await host.as(alice).patch(`/data/task/${task}`, { papers: [fileId] })
    await host.as(alice).delete(`/data/task/${task}`)
    expect(await reads(bob, fileId)).toEqual([404, 404, 404])
    await host.as(alice).post(`/data/task/${task}/restore`)
    expect(await reads(bob, fileId)).toEqual([200, 200, 200])
    // Only its owner and administrators delete it.
    expect(refusal(await host.as(bob).delete(`/storage/${fileId}?force=true`))).toEqual([403, 'permission_denied'])
  })

  it('is asked of an object under its present name', async () => {
    await host.defineObject('paper_case', { scan: { type: 'file' } })
    const { fileId } = await upload(host.as(alice), 'scan', { scope: 'private' })
    await host.as(alice).post('/data/paper_case', { scan: fileId })
    expect(await reads(bob, fileId)).toEqual([200, 200, 200])
    const item = {
      name: 'paper_file',
      renamedFrom: 'paper_case',
      fields: { sheet: { type: 'file', renamedFrom: 'scan' } },
    }
    const renamed = await host.put('/meta/object/paper_file', item)
    expect(renamed.status, JSON.stringify(renamed.body)).toBe(200)
    expect(await reads(bob, fileId)).toEqual([200, 200, 200])
    const held = await host.as(alice).delete(`/storage/${fileId}`)
    expect(held.body.error.details).toEqual({
      dependentObject: 'paper_file',
      dependentField: 'sheet',
      dependentCount: 1,
    })
  })
})

describe('a field for files', () => {
  it('stores what is true of a file, whatever the body says', async () => {
    const file = await upload(host, 'hello', { name: 'a.txt' })
    const stored = { fileId: file.fileId, name: 'a.txt', mimeType: 'text/plain', size: 5 }
    for (const given of [
      file.fileId,
      file.fileId.toUpperCase(),
      { fileId: file.fileId },
      { ...stored, name: 'b', size: 1 },
    ]) {
      const made = await host.post('/data/task', { papers: [given] })
      expect(made.status, JSON.stringify(made.body)).toBe(201)
      expect(made.body.record.papers).toEqual([stored])
      expect((await host.get(`/data/task/${made.body.id}`)).body.record.papers).toEqual([stored])
    }
  })

  it('that is written again changes nothing', async () => {
    const file = await upload(host, 'hello')
    const made = (await host.post('/data/task', { papers: [file.fileId] })).body
    const again = await host.patch(`/data/task/${made.id}`, { papers: [file.fileId] })
    expect(again.body.record.updated_at).toBe(made.record.updated_at)
  })

  it('names what is wrong with each file', async () => {
    const foreign = await upload(host.as(alice), 'mine')
    const picture = await upload(host, png, { name: 'a.png', type: 'image/png' })
    const text = await upload(host, 'hello')
    const pending = { filename: 'a.txt', mimeType: 'text/plain', size: 5, scope: 'user' }
    const { fileId: open } = (await host.post('/storage/upload/presigned', pending)).body.data
    const send = (values: object) => host.post('/data/task', values)
    const answer = await send({ title: 5, papers: [text.fileId, absent, foreign.fileId], photo: open })
    expect(refusal(answer)).toEqual([400, 'validation_error'])
    expect(problems(answer)).toEqual(
      expect.arrayContaining([
        ['title', 'invalid_type'],
        ['papers.1', 'invalid_reference'],
        ['papers.2', 'invalid_reference'],
        ['photo', 'invalid_reference'],
      ]),
    )
    expect(problems(await send({ photo: text.fileId }))).toEqual([['photo', 'file_type_not_allowed']])
    expect(problems(await send({ small: text.fileId }))).toEqual([['small', 'file_too_large']])
    expect(problems(await send({ small: picture.fileId }))).toContainEqual(['small', 'file_type_not_allowed'])
    const four = await Promise.all([1, 2, 3, 4].map((seed) => upload(host, noise(9, seed), { name: 'x' })))
    expect(problems(await send({ papers: four.map(({ fileId }) => fileId) }))).toEqual([['papers', 'max_items']])
    expect((await send({ photo: picture.fileId })).status).toBe(201)
    const drawing = await upload(host, svg, { name: 'a.svg', type: 'image/svg+xml' })
    expect((await send({ photo: drawing.fileId })).status).toBe(201)
    expect(problems(await host.as(bob).post('/data/task', { papers: [foreign.fileId] }))).toEqual([
      ['papers.0', 'invalid_reference'],
    ])
    const bulk = await host.post('/data/task/createMany', {
      records: [{ papers: [text.fileId] }, { papers: [absent] }],
    })
    expect(refusal(bulk)).toEqual([400, 'validation_error'])
  })

  it('keeps what it names when somebody else changes the record', async () => {
    const { fileId } = await upload(host.as(alice), 'mine', { scope: 'user' })
    const { id } = (await host.as(alice).post('/data/task', { title: 'a', papers: [fileId] })).body
    const text = await upload(host.as(bob), 'other')
    const changed = await host.as(bob).patch(`/data/task/${id}`, { papers: [fileId, text.fileId] })
    expect(changed.status, JSON.stringify(changed.body)).toBe(200)
    expect(changed.body.record.papers.map((file: { fileId: string }) => file.fileId)).toEqual([fileId, text.fileId])
    const copy = await host.as(bob).post(`/data/task/${id}/clone`, {})
    expect(copy.status, JSON.stringify(copy.body)).toBe(201)
    expect(copy.body.record.papers).toEqual(changed.body.record.papers)
  })
})

describe('a file that a record names', () => {
  it('is held by live records, not by those in the trash, and let go by a purge', async () => {
    const { fileId } = await upload(host.as(alice), 'held')
    const remove = (query = '') => host.as(alice).delete(`/storage/${fileId}${query}`)
    const { id } = (await host.as(alice).post('/data/task', { papers: [fileId], photo: null })).body
    const held = await remove()
    expect(refusal(held)).toEqual([409, 'delete_restricted'])
    expect(held.body.error.details).toEqual({ dependentObject: 'task', dependentField: 'papers', dependentCount: 1 })
    await host.as(alice).delete(`/data/task/${id}`)
    await host.as(alice).post(`/data/task/${id}/restore`)
    expect(refusal(await remove())).toEqual([409, 'delete_restricted'])
    await host.delete(`/data/task/${id}?purge=true`)
    expect((await remove()).status).toBe(200)
    expect(refusal(await remove())).toEqual([404, 'file_not_found'])
  })

  it('goes when that is forced; the record still tells its name', async () => {
    const { fileId, sha256 } = await upload(host.as(alice), 'forced away')
    const { id } = (await host.as(alice).post('/data/task', { papers: [fileId] })).body
    expect((await host.as(alice).delete(`/storage/${fileId}?force=true`)).status).toBe(200)
    expect(filesOnDisk(host.dataDir).stored).not.toContain(sha256)
    expect((await host.get(`/data/task/${id}`)).body.record.papers).toMatchObject([{ fileId, name: 'note.txt' }])
    expect((await host.patch(`/data/task/${id}`, { title: 'still' })).status).toBe(200)
  })

  it('tells nothing of records its owner may not see', async () => {
    const { fileId } = await upload(host.as(alice), 'shown', { scope: 'public' })
    await host.as(bob).post('/data/deal', { papers: [fileId] })
    const held = await host.as(alice).delete(`/storage/${fileId}`)
    expect(refusal(held)).toEqual([409, 'delete_restricted'])
    expect(held.body.error.details).toEqual({ dependentCount: 0 })
  })

  it('is not attached by a write that is refused or only tried', async () => {
    const { fileId } = await upload(host.as(alice), 'tried')
    const records = [{ data: { papers: [fileId] } }]
    const tried = await host.as(alice).post('/data/task/batch', {
      operation: 'create',
      records,
      options: { validateOnly: true },
    })
    expect(tried.status, JSON.stringify(tried.body)).toBe(200)
    expect((await host.as(alice).delete(`/storage/${fileId}`)).status).toBe(200)
  })
})

describe('columns of files', () => {
  it('go out and come back in every format, as long as the files are there and may be read', async () => {
    const [one, two] = [await upload(host, 'one', { name: 'a, "b".txt' }), await upload(host, 'two', { name: 'c.txt' })]
    const photo = await upload(host, png, { name: 'p.png' })
    const record = { title: 'Out', papers: [one, two].map(({ fileId }) => ({ fileId })), photo: photo.fileId }
    const { id } = (await host.post('/data/task', record)).body
    const stored = (await host.get(`/data/task/${id}`)).body.record
    const query = `select=title,papers,photo&filter=${encodeURIComponent(JSON.stringify({ id }))}`
    for (const [format, type] of [
      ['csv', 'text/csv'],
      ['ndjson', 'application/x-ndjson'],
      ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    ] as const) {
      const { bytes } = await fetchBytes(`${host.host.url}/api/v1/data/task/export?format=${format}&${query}`, {
        authorization: `Bearer ${host.host.token}`,
      })
      // What has an id would be that record again.
      const file = format === 'ndjson' ? JSON.stringify({ ...JSON.parse(bytes.toString()), id: undefined }) : bytes
      const answer = await host.post('/data/task/import?writeMode=insert', file, { 'content-type': type })
      expect([format, answer.status, answer.body.errors, answer.body.created]).toEqual([format, 200, [], 1])
      const { records } = (await host.get('/data/task?sort=-id&top=1')).body
      expect([format, records[0].papers, records[0].photo]).toEqual([format, stored.papers, stored.photo])
    }
    const labels = await host.get(`/data/task/export?format=csv&cells=labels&${query}`)
    expect(labels.body).toContain('c.txt')
    const rows = [
      { title: 'lost', photo: absent },
      { title: 'kept', photo: photo.fileId },
    ]
    const half = await host.post('/data/task/import', { rows })
    expect(half.body).toMatchObject({
      created: 1,
      failed: 1,
      errors: [{ row: 1, field: 'photo', code: 'invalid_reference' }],
    })
    // Naming a file one may not read gains nothing.
    const others = await host.as(alice).post('/data/task/import', { rows: [{ title: 'mine', photo: photo.fileId }] })
    expect(others.body.errors).toMatchObject([{ field: 'photo', code: 'invalid_reference' }])
  })
})

describe('files in feeds', () => {
  it('are told with the item, searched for, read by readers and held by it', async () => {
    const file = await upload(host.as(alice), 'attached', { name: 'a.txt', scope: 'private' })
    const { id } = (await host.as(alice).post('/data/task', { title: 'x' })).body
    const say = (body: object) => host.as(alice).post(`/data/task/${id}/feed`, body)
    const made = await say({ type: 'comment', body: 'see the budget', attachments: [file.fileId] })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    expect(made.body.data.attachments).toEqual([
      { fileId: file.fileId, name: 'a.txt', mimeType: 'text/plain', size: 8 },
    ])
    await say({ type: 'comment', body: 'no budget' })
    const search = async (query: string) =>
      (await host.as(bob).get(`/data/task/${id}/feed/search?query=budget${query}`)).body.data.items.map(
        (item: { id: string }) => item.id,
      )
    expect(await search('&hasAttachments=true')).toEqual([made.body.data.id])
    expect(await search('&hasAttachments=false')).toHaveLength(1)
    expect(await reads(bob, file.fileId)).toEqual([200, 200, 200])
    expect(await reads(dave, file.fileId)).toEqual([404, 404, 404])
    expect(refusal(await host.as(alice).delete(`/storage/${file.fileId}`))).toEqual([409, 'delete_restricted'])
    const again = await say({ type: 'note', body: 'n', attachments: [absent, file.fileId, file.fileId] })
    expect(problems(again)).toEqual([
      ['attachments.0', 'invalid_reference'],
      ['attachments.2', 'duplicate_value'],
    ])
    await host.as(alice).delete(`/data/task/${id}/feed/${made.body.data.id}`)
    expect(await reads(bob, file.fileId)).toEqual([404, 404, 404])
    expect((await host.as(alice).delete(`/storage/${file.fileId}`)).status).toBe(200)
  })

  it('that only some may read are for those', async () => {
    const file = await upload(host.as(alice), 'private words', { scope: 'private' })
    const { id } = (await host.as(alice).post('/data/task', { title: 'x' })).body
    const item = { type: 'comment', body: 'psst', visibility: 'private', attachments: [file.fileId] }
    expect((await host.as(alice).post(`/data/task/${id}/feed`, item)).status).toBe(201)
    expect(await reads(bob, file.fileId)).toEqual([404, 404, 404])
  })

  it('are refused for objects without files', async () => {
    const file = await upload(host, 'x')
    const { id } = (await host.post('/data/bare', { title: 'x' })).body
    const answer = await host.post(`/data/bare/${id}/feed`, { type: 'comment', body: 'b', attachments: [file.fileId] })
    expect(problems(answer)).toEqual([['attachments.0', 'invalid_reference']])
  })
})

describe('between organizations', () => {
  it('files are as apart as records', async () => {
    const membership = (organizationId: string) => ({ organizationId, role: 'member', teams: [] })
    const walled = await createPeopledHost({
      organizations: true,
      users: [
        { organizationId: 'one', memberships: [membership('one')] },
        { organizationId: 'two', memberships: [membership('two')] },
        { memberships: [] },
      ],
    })
    try {
      const { fileId } = await upload(walled.as(0), 'ours', { scope: 'public' })
      expect((await walled.as(0).get(`/storage/${fileId}`)).status).toBe(200)
      expect(refusal(await walled.as(1).get(`/storage/${fileId}`))).toEqual([404, 'file_not_found'])
      expect((await walled.as(1).get('/storage/files')).body.data.files).toEqual([])
      for (const answer of [
        await walled.as(2).get('/storage/files'),
        await walled.as(2).get(`/storage/${fileId}`),
        await walled.as(2).post('/storage/upload?filename=a.txt', 'x', { 'content-type': 'text/plain' }),
      ])
        expect([answer.status, answer.body.error.details.reason]).toEqual([403, 'no_organization'])
      expect(filesOnDisk(walled.dataDir)).toMatchObject({ stored: [expect.any(String)], temporary: [] })
    } finally {
      await walled.stop()
    }
  }, 30_000)
})
