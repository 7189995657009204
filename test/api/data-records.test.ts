// Records one by one: specification "Data", D-51 to D-62, D-71.
import { leastStatements } from '../support/least-statements.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

const owner = '00000000-0000-7000-8000-000000000001'
const missing = '01900000-0000-7000-8000-000000000000'
const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('project', { name: { type: 'text', required: true } })
  await host.defineObject('task', {
    title: { type: 'text', required: true, maxLength: 20 },
    code: { type: 'text', unique: true },
    mail: { type: 'email', unique: true },
    locked: { type: 'text', readonly: true },
    project: { type: 'lookup', reference: 'project' },
    number: { type: 'autonumber', autonumberFormat: 'T-{000}' },
  })
  await host.defineObject('note', { text: { type: 'text' } }, { enable: { trash: false } })
})

afterAll(() => host.stop())

const create = async (object: string, data: Record<string, unknown>) => (await host.post(`/data/${object}`, data)).body

describe('POST /data/:object', () => {
  it('answers 201 with object, id and the complete record, server-generated fields included', async () => {
    const answer = await host.post('/data/task', { title: 'First' })
    expect(answer.status).toBe(201)
    expect(answer.body.object).toBe('task')
    expect(answer.body.id).toMatch(uuidV7)
    const { record } = answer.body
    expect(record).toMatchObject({
      id: answer.body.id,
      title: 'First',
      code: null,
      project: null,
      created_by: owner,
      updated_by: owner,
      owner,
    })
    expect(record.created_at).toMatch(instant)
    expect(record.updated_at).toBe(record.created_at)
    expect(record.number).toMatch(/^T-\d{3}$/)
    expect(record).not.toHaveProperty('deleted_at')
  })

  it('makes strictly increasing ids (D-09)', async () => {
    const first = await create('note', { text: 'a' })
    const second = await create('note', { text: 'b' })
    expect(second.id > first.id).toBe(true)
  })

  it('takes an id of the caller in lower case and refuses a taken one with conflict', async () => {
    const id = '0190AAAA-0000-7000-8000-00000000ABCD'
    const answer = await host.post('/data/note', { id, text: 'mine' })
    expect(answer.status).toBe(201)
    expect(answer.body.id).toBe(id.toLowerCase())
    const again = await host.post('/data/note', { id, text: 'other' })
    expect(again.status).toBe(409)
    expect(again.body.error.code).toBe('conflict')
  })

  it('drops server-generated and computed fields of the body silently (D-51)', async () => {
    const answer = await host.post('/data/task', {
      title: 'Drop',
      created_at: '2000-01-01T00:00:00.000Z',
      updated_by: 'x',
      deleted_at: 'x',
      number: 'T-999',
    })
    expect(answer.status).toBe(201)
    expect(answer.body.record.created_at > '2020').toBe(true)
    expect(answer.body.record.number).not.toBe('T-999')
  })

  it('reports every problem at once with validation_error (D-22, D-52)', async () => {
    const answer = await host.post('/data/task', {
      title: 'x'.repeat(21),
      mail: 'nobody',
      project: missing,
      surplus: 1,
      id: 'no',
    })
    expect(answer.status).toBe(400)
    expect(answer.body.error.code).toBe('validation_error')
    const codes = Object.fromEntries(
      answer.body.error.details.fieldErrors.map((e: { field: string; code: string }) => [e.field, e.code]),
    )
    expect(codes).toEqual({
      project: 'invalid_reference',
      title: 'max_length',
      mail: 'invalid_email',
      surplus: 'unknown_field',
      id: 'invalid_uuid',
    })
  })

  it('refuses a lookup to a record that is not there with invalid_reference', async () => {
    const answer = await host.post('/data/task', { title: 'Ref', project: missing })
    expect(answer.status).toBe(400)
    expect(answer.body.error.details.fieldErrors).toMatchObject([{ field: 'project', code: 'invalid_reference' }])
  })

  it('counts blank text as missing for a required field', async () => {
    const answer = await host.post('/data/task', { title: '   ' })
    expect(answer.body.error.details.fieldErrors).toMatchObject([{ field: 'title', code: 'required' }])
  })

  it('refuses a taken unique value with 409 conflict and not_unique; email regardless of case', async () => {
    await create('task', { title: 'U', code: 'one', mail: 'Ada@example.org' })
    const code = await host.post('/data/task', { title: 'U', code: 'one' })
    expect(code.status).toBe(409)
    expect(code.body.error.details.fieldErrors).toMatchObject([{ field: 'code', code: 'not_unique' }])
    const mail = await host.post('/data/task', { title: 'U', mail: 'aDA@example.org' })
    expect(mail.status).toBe(409)
    const both = await host.post('/data/task', { title: 'U', code: 'one', mail: 'ada@example.org' })
    expect(both.body.error.details.fieldErrors).toMatchObject([
      { field: 'code', code: 'not_unique' },
      { field: 'mail', code: 'not_unique' },
    ])
  })

  it('takes any UUID of a caller as the id, also nil and max (D-09)', async () => {
    for (const digit of ['0', 'f', 'F']) {
      const id = [8, 4, 4, 4, 12].map((length) => digit.repeat(length)).join('-')
      const answer = await host.post('/data/task', { id, title: 'own' })
      expect([answer.status, answer.body.id]).toEqual(digit === 'F' ? [409, undefined] : [201, id])
      expect((await host.get(`/data/task/${id.toLowerCase()}`)).status).toBe(200)
    }
  })

  it('answers 404 for an unknown object and 400 for a body that is no object', async () => {
    const unknown = await host.post('/data/nothing', { a: 1 })
    expect(unknown.status).toBe(404)
    expect(unknown.body.error.details).toMatchObject({ resource: 'object', id: 'nothing' })
    for (const body of ['[]', '"x"', '5', 'null']) {
      expect((await host.post('/data/task', body)).status, body).toBe(400)
    }
  })

  it('refuses a user field that names nobody, alone and in a list', async () => {
    await host.defineObject('duty', { who: { type: 'user' }, team: { type: 'user', multiple: true } })
    const made = await host.post('/data/duty', { who: owner, team: [owner] })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const answer = await host.post('/data/duty', { who: missing, team: [owner, missing] })
    expect(answer.body.error.details.fieldErrors).toMatchObject([
      { field: 'who', code: 'invalid_reference' },
      { field: 'team.1', code: 'invalid_reference' },
    ])
    expect((await host.patch(`/data/duty/${made.body.id}`, { who: missing })).status).toBe(400)
  })

  it('refuses an owner that is no user with invalid_reference', async () => {
    const answer = await host.post('/data/task', { title: 'O', owner: missing })
    expect(answer.body.error.details.fieldErrors).toMatchObject([{ field: 'owner', code: 'invalid_reference' }])
  })
})

describe('GET /data/:object/:id', () => {
  it('answers the record with its version as ETag', async () => {
    const { id, record } = await create('task', { title: 'Get' })
    const answer = await host.get(`/data/task/${id}`)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ object: 'task', id, record })
    expect(answer.headers.get('etag')).toBe(`"${record.updated_at}"`)
  })

  it('honours select and expand and discards every other parameter (D-54)', async () => {
    const project = await create('project', { name: 'P' })
    const { id } = await create('task', { title: 'Sel', project: project.id })
    const answer = await host.get(`/data/task/${id}?select=title&expand=project&filter=broken&top=x`)
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.body.record).toSorted()).toEqual(['created_at', 'id', 'project', 'title', 'updated_at'])
    expect(answer.body.record.project.name).toBe('P')
  })

  it('refuses an unknown field of a relation in select and expand, also where no record is related', async () => {
    const { id } = await create('task', { title: 'No project' })
    for (const path of [`/data/task/${id}?select=project.nope`, '/data/task?select=project.nope'])
      expect((await host.get(path)).body.error).toMatchObject({
        code: 'invalid_query',
        details: { parameter: 'select', path: 'project.nope' },
      })
    const mapped = await host.post('/data/task/query', { expand: { project: { fields: ['name', 'nope'] } } })
    expect([mapped.status, mapped.body.error?.code]).toEqual([400, 'invalid_query'])
  })

  it('refuses an unknown field in select with invalid_query', async () => {
    const { id } = await create('task', { title: 'Sel' })
    const answer = await host.get(`/data/task/${id}?select=nope`)
    expect(answer.status).toBe(400)
    expect(answer.body.error.code).toBe('invalid_query')
  })

  it('answers 404 for a missing id, an id that is no UUID, and a deleted record', async () => {
    const { id } = await create('task', { title: 'Gone' })
    await host.delete(`/data/task/${id}`)
    for (const which of [missing, 'abc', id]) {
      const answer = await host.get(`/data/task/${which}`)
      expect(answer.status, which).toBe(404)
      expect(answer.body.error.code).toBe('resource_not_found')
    }
  })

  it('executes one SQL statement when warm', async () => {
    const { id } = await create('task', { title: 'Warm' })
    await host.get(`/data/task/${id}`)
    expect(await leastStatements(host, () => host.get(`/data/task/${id}`))).toBe(1)
  })
})

describe('PATCH /data/:object/:id', () => {
  it('changes the supplied fields, answers the complete record and raises the version', async () => {
    const { id, record } = await create('task', { title: 'Old', code: 'keep' })
    const answer = await host.patch(`/data/task/${id}`, { title: 'New' })
    expect(answer.status).toBe(200)
    expect(answer.body.record).toMatchObject({ title: 'New', code: 'keep' })
    expect(answer.body.record.updated_at > record.updated_at).toBe(true)
  })

  it('writes nothing and raises no event when nothing changes (D-56)', async () => {
    const { id, record } = await create('task', { title: 'Same' })
    host.takeEvents()
    const answer = await host.patch(`/data/task/${id}`, { title: 'Same', expectedVersion: record.updated_at })
    expect(answer.status).toBe(200)
    expect(answer.body.record.updated_at).toBe(record.updated_at)
    expect(host.takeEvents()).toEqual([])
  })

  it.each<[string, (version: string) => [Record<string, string>, Record<string, string>]]>([
    ['expectedVersion in the body', (v) => [{ title: 'x', expectedVersion: v }, {}]],
    ['If-Match', (v) => [{ title: 'x' }, { 'if-match': `"${v}"` }]],
    ['a weak If-Match', (v) => [{ title: 'x' }, { 'if-match': `W/"${v}"` }]],
  ])('answers 409 CONCURRENT_UPDATE for a stale %s and accepts the present one', async (_name, make) => {
    const { id, record } = await create('task', { title: 'V1' })
    const [freshBody, freshHeaders] = make(record.updated_at)
    const fresh = await host.patch(`/data/task/${id}`, freshBody, freshHeaders)
    expect(fresh.status).toBe(200)
    const stale = await host.patch(`/data/task/${id}`, { ...freshBody, title: 'late' }, freshHeaders)
    expect(stale.status).toBe(409)
    expect(stale.body.error.code).toBe('CONCURRENT_UPDATE')
    expect(stale.body.error.details.currentVersion).toBe(fresh.body.record.updated_at)
    expect(stale.body.error.details.currentRecord.title).toBe('x')
  })

  it('compares versions as instants, takes * as existence and an unreadable token as a mismatch (D-55)', async () => {
    const { id, record } = await create('task', { title: 'I' })
    const shifted = record.updated_at.replace('Z', '+00:00')
    expect((await host.patch(`/data/task/${id}`, { title: 'I1', expectedVersion: shifted })).status).toBe(200)
    expect((await host.patch(`/data/task/${id}`, { title: 'I2' }, { 'if-match': '*' })).status).toBe(200)
    expect((await host.patch(`/data/task/${id}`, { title: 'I3', expectedVersion: 'yesterday' })).status).toBe(409)
    for (const value of [null, 7, true, [record.updated_at]]) {
      const answer = await host.patch(`/data/task/${id}`, { title: 'I4', expectedVersion: value })
      expect([answer.status, answer.body.error.details.fieldErrors]).toMatchObject([
        400,
        [{ field: 'expectedVersion', code: 'invalid_type' }],
      ])
    }
    expect((await host.get(`/data/task/${id}`)).body.record.title).not.toBe('I4')
  })

  it('lets the body win over If-Match', async () => {
    const { id, record } = await create('task', { title: 'W' })
    const answer = await host.patch(
      `/data/task/${id}`,
      { title: 'W2', expectedVersion: record.updated_at },
      { 'if-match': '"2000-01-01T00:00:00.000Z"' },
    )
    expect(answer.status).toBe(200)
  })

  it('refuses null for a required field and a change of a readonly one', async () => {
    const { id } = await create('task', { title: 'R', locked: 'a' })
    const nulled = await host.patch(`/data/task/${id}`, { title: null })
    expect(nulled.body.error.details.fieldErrors).toMatchObject([{ field: 'title', code: 'required' }])
    const locked = await host.patch(`/data/task/${id}`, { locked: 'b' })
    expect(locked.body.error.details.fieldErrors).toMatchObject([{ field: 'locked', code: 'read_only' }])
    expect((await host.patch(`/data/task/${id}`, { locked: 'a' })).status).toBe(200)
  })

  it('answers 404 for a deleted record', async () => {
    const { id } = await create('task', { title: 'D' })
    await host.delete(`/data/task/${id}`)
    expect((await host.patch(`/data/task/${id}`, { title: 'E' })).status).toBe(404)
  })

  it('keeps exactly one of two racing updates with the same version (R16)', async () => {
    const { id, record } = await create('task', { title: 'Race' })
    for (let round = 0; round < 20; round += 1) {
      const { body } = await host.get(`/data/task/${id}`)
      const expectedVersion = body.record.updated_at
      const answers = await Promise.all(
        ['a', 'b'].map((side) => host.patch(`/data/task/${id}`, { title: `${side}${round}`, expectedVersion })),
      )
      expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, 409])
    }
    const { body } = await host.get(`/data/task/${id}`)
    expect(body.record.updated_at > record.updated_at).toBe(true)
  })
})

describe('DELETE /data/:object/:id', () => {
  it('deletes softly: gone from get, list and count, still there with deleted=only', async () => {
    const { id } = await create('project', { name: 'Soft' })
    const answer = await host.delete(`/data/project/${id}`)
    expect(answer.body).toEqual({ object: 'project', id, success: true, deleted: true })
    expect((await host.get(`/data/project/${id}`)).status).toBe(404)
    const live = await host.get(`/data/project?filter=${encodeURIComponent(JSON.stringify({ id }))}&count=true`)
    expect(live.body).toMatchObject({ records: [], total: 0 })
    const trash = await host.get(`/data/project?deleted=only&filter=${encodeURIComponent(JSON.stringify({ id }))}`)
    expect(trash.body.records[0]).toMatchObject({ id, deleted_by: owner })
    expect(trash.body.records[0].deleted_at).toMatch(instant)
  })

  it('answers 404 for a record that is deleted already', async () => {
    const { id } = await create('project', { name: 'Twice' })
    await host.delete(`/data/project/${id}`)
    expect((await host.delete(`/data/project/${id}`)).status).toBe(404)
  })

  it('purges at once when the object keeps no trash', async () => {
    const { id } = await create('note', { text: 'bye' })
    const answer = await host.delete(`/data/note/${id}`)
    expect(answer.body).toEqual({ object: 'note', id, success: true, deleted: true, purged: true })
  })

  it('purges live and deleted records with purge=true and raises record.purged', async () => {
    const live = await create('project', { name: 'L' })
    host.takeEvents()
    await host.delete(`/data/project/${live.id}?purge=true`)
    expect(host.takeEvents().map((event) => event.type)).toEqual(['record.deleted', 'record.purged'])
    const dead = await create('project', { name: 'D' })
    await host.delete(`/data/project/${dead.id}`)
    host.takeEvents()
    expect((await host.delete(`/data/project/${dead.id}?purge=1`)).body.purged).toBe(true)
    expect(host.takeEvents().map((event) => event.type)).toEqual(['record.purged'])
    expect((await host.post(`/data/project/${dead.id}/restore`)).status).toBe(404)
  })

  it('checks expectedVersion of the query, of a body, and If-Match', async () => {
    const { id, record } = await create('project', { name: 'V' })
    const headers = { authorization: `Bearer ${host.host.token}`, 'content-type': 'application/json' }
    const byBody = (body: object) => host.anonymous('DELETE', `/data/project/${id}`, body, headers)
    expect((await byBody({ expectedVersion: '2000-01-01T00:00:00.000Z' })).body.error.code).toBe('CONCURRENT_UPDATE')
    expect((await byBody({ expectedVersion: null })).body.error.code).toBe('validation_error')
    const stale = await host.delete(`/data/project/${id}?expectedVersion=2000-01-01T00:00:00.000Z`)
    expect(stale.status).toBe(409)
    expect(stale.body.error.code).toBe('CONCURRENT_UPDATE')
    expect((await host.delete(`/data/project/${id}`, { 'if-match': `"${record.updated_at}"` })).status).toBe(200)
  })

  it('refuses a purge value that is no boolean', async () => {
    const { id } = await create('project', { name: 'B' })
    expect((await host.delete(`/data/project/${id}?purge=maybe`)).body.error).toMatchObject({
      code: 'invalid_query',
      details: { parameter: 'purge' },
    })
    expect((await host.get(`/data/project/${id}`)).status).toBe(200)
  })

  it('frees a unique value for another record', async () => {
    const { id } = await create('task', { title: 'F', code: 'free' })
    await host.delete(`/data/task/${id}`)
    expect((await host.post('/data/task', { title: 'G', code: 'free' })).status).toBe(201)
  })
})

describe('delete behaviour of references (D-61)', () => {
  beforeAll(async () => {
    await host.defineObject('child_null', {
      parent: { type: 'lookup', reference: 'project' },
      all: { type: 'lookup', reference: 'project', multiple: true },
    })
    await host.defineObject('child_gone', {
      parent: { type: 'lookup', reference: 'project', deleteBehavior: 'cascade' },
    })
    await host.defineObject('holder', { name: { type: 'text' } })
    await host.defineObject('child_kept', {
      parent: { type: 'lookup', reference: 'holder', deleteBehavior: 'restrict' },
    })
  })

  it('sets references to null by an ordinary update of the system, and puts them back on restore', async () => {
    const parent = await create('project', { name: 'P' })
    const other = await create('project', { name: 'Q' })
    const child = await create('child_null', { parent: parent.id, all: [parent.id, other.id] })
    await host.delete(`/data/project/${parent.id}`)
    const cleared = (await host.get(`/data/child_null/${child.id}`)).body.record
    expect(cleared).toMatchObject({ parent: null, all: [other.id], updated_by: 'system' })
    expect(cleared.updated_at > child.record.updated_at).toBe(true)
    await host.post(`/data/project/${parent.id}/restore`)
    const back = (await host.get(`/data/child_null/${child.id}`)).body.record
    expect(back.parent).toBe(parent.id)
    expect(back.all.toSorted()).toEqual([parent.id, other.id].toSorted())
  })

  it('deletes along a cascade and restores what the cascade deleted', async () => {
    const parent = await create('project', { name: 'P' })
    const child = await create('child_gone', { parent: parent.id })
    await host.delete(`/data/project/${parent.id}`)
    expect((await host.get(`/data/child_gone/${child.id}`)).status).toBe(404)
    await host.post(`/data/project/${parent.id}/restore`)
    expect((await host.get(`/data/child_gone/${child.id}`)).body.record.parent).toBe(parent.id)
  })

  it.each(['restore', 'purge'])('leaves alone what came back from a cascade and was deleted again; %s', async (way) => {
    const parent = await create('project', { name: 'P' })
    const child = await create('child_gone', { parent: parent.id })
    await host.delete(`/data/project/${parent.id}`)
    expect((await host.post(`/data/child_gone/${child.id}/restore`)).status).toBe(200)
    await host.delete(`/data/child_gone/${child.id}`)
    if (way === 'purge') await host.delete(`/data/project/${parent.id}?purge=true`)
    else await host.post(`/data/project/${parent.id}/restore`)
    const trash = (await host.get('/data/child_gone?deleted=only&select=id')).body.records
    expect(trash.map(({ id }: { id: string }) => id)).toContain(child.id)
  })

  it('refuses with delete_restricted naming the dependents', async () => {
    const parent = await create('holder', { name: 'H' })
    const child = await create('child_kept', { parent: parent.id })
    const answer = await host.delete(`/data/holder/${parent.id}`)
    expect(answer.status).toBe(409)
    expect(answer.body.error).toMatchObject({
      code: 'delete_restricted',
      details: { dependentObject: 'child_kept', dependentField: 'parent', dependentCount: 1 },
    })
    await host.delete(`/data/child_kept/${child.id}`)
    expect((await host.delete(`/data/holder/${parent.id}`)).status).toBe(200)
  })
})

describe('records that point at each other (D-61)', () => {
  beforeAll(async () => {
    for (const deleteBehavior of ['cascade', 'set_null'])
      await host.defineObject(`ring_${deleteBehavior}`, {
        name: { type: 'text' },
        next: { type: 'lookup', reference: `ring_${deleteBehavior}`, deleteBehavior },
      })
  })

  it.each([false, true])('go together along a cascade and come back together; purge: %s', async (purge) => {
    const first = await create('ring_cascade', { name: 'a' })
    const second = await create('ring_cascade', { name: 'b', next: first.id })
    await host.patch(`/data/ring_cascade/${first.id}`, { next: second.id })
    expect((await host.delete(`/data/ring_cascade/${first.id}?purge=${purge}`)).status).toBe(200)
    expect((await host.get('/data/ring_cascade')).body.records).toEqual([])
    const restored = await host.post(`/data/ring_cascade/${first.id}/restore`)
    expect(restored.status).toBe(purge ? 404 : 200)
    const names = (await host.get('/data/ring_cascade')).body.records.map((record: { name: string }) => record.name)
    expect(names).toEqual(purge ? [] : ['a', 'b'])
    await host.delete(`/data/ring_cascade/${first.id}`)
  })

  it.each(['cascade', 'set_null'])('a record that points at itself goes and comes back as it was; %s', async (kind) => {
    const { id } = await create(`ring_${kind}`, { name: 'self' })
    await host.patch(`/data/ring_${kind}/${id}`, { next: id })
    host.takeEvents()
    expect((await host.delete(`/data/ring_${kind}/${id}`)).status).toBe(200)
    expect(host.takeEvents().map((event) => event.type)).toEqual(['record.deleted'])
    expect((await host.post(`/data/ring_${kind}/${id}/restore`)).body.record.next).toBe(id)
  })
})

describe('the size of a record (D-199)', () => {
  it('is bounded by 5 MB on create and update with payload_too_large', async () => {
    const fields = ['a', 'b', 'c', 'd', 'e', 'f']
    await host.defineObject('tome', Object.fromEntries(fields.map((name) => [name, { type: 'markdown' }])))
    const text = (length: number) => Object.fromEntries(fields.map((name) => [name, 'x'.repeat(length)]))
    const fitting = await host.post('/data/tome', text(870_000))
    expect(fitting.status).toBe(201)
    const over = await host.post('/data/tome', text(880_000))
    expect([over.status, over.body.error.code, over.body.error.details.limitBytes]).toEqual([
      413,
      'payload_too_large',
      5_242_880,
    ])
    const grown = await host.patch(`/data/tome/${fitting.body.id}`, { a: 'ä'.repeat(600_000) })
    expect([grown.status, grown.body.error.code]).toEqual([413, 'payload_too_large'])
    expect((await host.get('/data/tome?count=true&top=1&select=id')).body.total).toBe(1)
  })
})

describe('POST /data/:object/:id/restore', () => {
  it('brings the record back with a higher version and raises record.restored', async () => {
    const { id, record } = await create('project', { name: 'Back' })
    await host.delete(`/data/project/${id}`)
    host.takeEvents()
    const answer = await host.post(`/data/project/${id}/restore`, {})
    expect(answer.status).toBe(200)
    expect(answer.body.record).toMatchObject({ id, name: 'Back' })
    expect(answer.body.record.updated_at > record.updated_at).toBe(true)
    expect(host.takeEvents().map((event) => event.type)).toEqual(['record.restored'])
  })

  it('answers 409 conflict for a live record and 404 for an unknown one', async () => {
    const { id } = await create('project', { name: 'Live' })
    expect((await host.post(`/data/project/${id}/restore`)).body.error.code).toBe('conflict')
    expect((await host.post(`/data/project/${missing}/restore`)).status).toBe(404)
  })

  it('answers 409 not_unique when the value was taken meanwhile', async () => {
    const { id } = await create('task', { title: 'T', code: 'taken' })
    await host.delete(`/data/task/${id}`)
    await create('task', { title: 'T', code: 'taken' })
    const answer = await host.post(`/data/task/${id}/restore`)
    expect(answer.status).toBe(409)
    expect(answer.body.error.details.fieldErrors).toMatchObject([{ field: 'code', code: 'not_unique' }])
  })
})

describe('API gates of an object (D-71)', () => {
  it('answers 404 everywhere when the API is off', async () => {
    await host.defineObject('closed', { name: { type: 'text' } }, { enable: { apiEnabled: false } })
    expect((await host.get('/data/closed')).status).toBe(404)
    expect((await host.post('/data/closed', { name: 'x' })).status).toBe(404)
    expect((await host.post('/data/closed/import', { rows: [{ name: 'x' }] })).status).toBe(404)
  })

  it('answers 405 method_not_allowed with the allowed operations', async () => {
    await host.defineObject('readable', { name: { type: 'text' } }, { enable: { apiMethods: ['get', 'list'] } })
    expect((await host.get('/data/readable')).status).toBe(200)
    const answer = await host.post('/data/readable', { name: 'x' })
    expect(answer.status).toBe(405)
    expect(answer.body.error).toMatchObject({ code: 'method_not_allowed', details: { allowed: ['get', 'list'] } })
  })

  it.each([
    ['GET, HEAD', 'POST', ''],
    ['GET, HEAD', 'DELETE', `/${missing}`],
    ['GET, HEAD', 'PATCH', `/${missing}`],
    ['POST', 'POST', '/query', { search: 'x' }],
    ['', 'POST', `/${missing}/restore`],
    ['', 'POST', '/createMany', { records: [] }],
  ])(
    'tells with Allow %j which methods are left of %s /data/readable%s',
    async (allow, method, path, body?: object) => {
      await host.defineObject('readable', { name: { type: 'text' } }, { enable: { apiMethods: ['get', 'list'] } })
      for (const prefix of ['/api/v1', '/api']) {
        const headers = { authorization: `Bearer ${host.host.token}` }
        const answer = await host.anonymous(method, `${prefix}/data/readable${path}`, body ?? {}, headers)
        expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow])
      }
    },
  )

  it.each([
    ['import', { rows: [{ name: 'x' }] }],
    ['query', { aggregations: [{ function: 'count' }] }],
    ['query', { groupBy: ['name'] }],
    ['query', { search: 'x' }],
    ['createMany', { records: [{ name: 'x' }] }],
    ['updateMany', { records: [{ id: missing, data: {} }] }],
    ['deleteMany', { ids: [missing] }],
    ['batch', { operation: 'upsert', records: [{ data: { name: 'x' } }] }],
  ])('holds the gate on %s %j', async (segment, body) => {
    await host.defineObject('gated', { name: { type: 'text' } }, { enable: { apiMethods: ['list', 'bulk'] } })
    const answer = await host.post(`/data/gated/${segment}`, body)
    expect([answer.status, answer.body.error?.code]).toEqual([405, 'method_not_allowed'])
    expect((await host.get('/data/gated')).body.records).toEqual([])
  })
})

describe('what a list is (D-71, D-88)', () => {
  const asks = { 'x-requested-with': 'test' }

  it('is no search without words, and no aggregation without any', async () => {
    await host.defineObject('plain', { name: { type: 'text' } }, { enable: { apiMethods: ['list', 'create'] } })
    expect((await host.post('/data/plain', { name: 'x' })).status).toBe(201)
    for (const query of ['search=', 'search=%20', 'aggregations=', 'aggregations=[]', 'groupBy='])
      expect((await host.get(`/data/plain?${query}`)).body.records, query).toHaveLength(1)
    for (const body of [{ search: { query: '' } }, { search: null }, { aggregations: [], groupBy: [] }])
      expect((await host.post('/data/plain/query', body)).body.records, JSON.stringify(body)).toHaveLength(1)
    for (const query of ['search=x', 'search=-', 'groupBy=name'])
      expect((await host.get(`/data/plain?${query}`)).status, query).toBe(405)
  })

  it('is a list without words where only a search is offered', async () => {
    await host.defineObject('sought', { name: { type: 'text' } }, { enable: { apiMethods: ['search'] } })
    expect((await host.get('/data/sought?search=x')).status).toBe(200)
    for (const query of ['search=', '']) expect((await host.get(`/data/sought?${query}`)).status, query).toBe(405)
    expect((await host.get('/graphql?query={soughtList(search:"x"){total}}', asks)).body.errors).toBeUndefined()
    const { errors } = (await host.get('/graphql?query={soughtList(search:""){total}}', asks)).body
    expect(errors[0].extensions.code).toBe('method_not_allowed')
  })
})

describe('the paths of D-01', () => {
  it('serves /api/data as well as /api/v1/data, and ignores a trailing slash', async () => {
    const { id } = await create('note', { text: 'two doors' })
    expect((await host.get(`/api/data/note/${id}`)).body.id).toBe(id)
    expect((await host.get(`/api/v1/data/note/${id}/`)).body.id).toBe(id)
  })
})
