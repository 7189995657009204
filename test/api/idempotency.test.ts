// D-42: a repeated write with an Idempotency-Key has one effect.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { platformError } from '#shared/errors.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { Answer, TestHost } from '../support/create-test-host.ts'
import { createPeopledHost, testUserId } from '../support/test-identities.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('task', { title: { type: 'text', required: true } })
})

afterAll(() => host.stop())

const count = async (title: string): Promise<number> =>
  (await host.get(`/data/task?title=${title}&count=true`)).body.total

describe('POST /data/:object with Idempotency-Key', () => {
  it('creates one record and answers the repeat with the first answer and Idempotent-Replay', async () => {
    const headers = { 'idempotency-key': 'create-1' }
    const first = await host.post('/data/task', { title: 'once' }, headers)
    const second = await host.post('/data/task', { title: 'once' }, headers)
    expect([first.status, first.headers.get('idempotent-replay')]).toEqual([201, null])
    expect([second.status, second.headers.get('idempotent-replay')]).toEqual([201, 'true'])
    expect(second.body).toEqual(first.body)
    expect(await count('once')).toBe(1)
  })

  it('refuses the key with another body with conflict', async () => {
    const headers = { 'idempotency-key': 'create-2' }
    await host.post('/data/task', { title: 'two' }, headers)
    const other = await host.post('/data/task', { title: 'three' }, headers)
    expect([other.status, other.body.error.code]).toEqual([409, 'conflict'])
    expect(await count('three')).toBe(0)
  })

  it('has one effect when repeats arrive at once', async () => {
    const headers = { 'idempotency-key': 'create-3' }
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => host.post('/data/task', { title: 'race' }, headers)),
    )
    expect(await count('race')).toBe(1)
    for (const { status } of answers) expect([201, 409]).toContain(status)
  })

  it('refuses a key that is not 1 to 128 visible ASCII characters', async () => {
    const answer = await host.post('/data/task', { title: 'x' }, { 'idempotency-key': 'a'.repeat(129) })
    expect([answer.status, answer.body.error.details.fieldErrors[0].field]).toEqual([400, 'Idempotency-Key'])
  })
})

describe('PATCH /data/:object/:id with Idempotency-Key', () => {
  it('answers the repeat although the version has moved on', async () => {
    const { body } = await host.post('/data/task', { title: 'old' })
    const headers = { 'idempotency-key': 'change-1' }
    const change = { title: 'new', expectedVersion: body.record.updated_at }
    const first = await host.patch(`/data/task/${body.id}`, change, headers)
    const second = await host.patch(`/data/task/${body.id}`, change, headers)
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.body).toEqual(first.body)
  })
})

describe('an Idempotency-Key after a restart', () => {
  const headers = { 'idempotency-key': 'restarted' }

  it('answers the stored response, success and refusal alike, and still refuses another body', async () => {
    const first = await host.post('/data/task', { title: 'kept' }, headers)
    const refused = await host.post('/data/task', { nope: 1 }, { 'idempotency-key': 'refused' })
    await host.restart()
    const second = await host.post('/data/task', { title: 'kept' }, headers)
    expect([second.status, second.headers.get('idempotent-replay'), second.body]).toEqual([201, 'true', first.body])
    const again = await host.post('/data/task', { nope: 1 }, { 'idempotency-key': 'refused' })
    expect([again.status, again.headers.get('idempotent-replay')]).toEqual([400, 'true'])
    expect(again.body.error.details).toEqual(refused.body.error.details)
    const other = await host.post('/data/task', { title: 'other' }, headers)
    expect(other.body.error.details.reason).toBe('idempotency_key_reused')
    expect(await count('kept')).toBe(1)
  })

  it('has no second effect when the process ended before the answer was kept', async () => {
    const lost = { 'idempotency-key': 'lost-answer' }
    await host.post('/data/task', { title: 'done once' }, lost)
    // What a kill between the commit of the write and the commit of its answer leaves behind.
    await host.host.database.write('test.lose', (tx) => {
      tx.run({ sql: "UPDATE _answer SET answer = NULL WHERE instr(answer, 'done once') > 0", parameters: [] })
    })
    await host.restart()
    const repeat = await host.post('/data/task', { title: 'done once' }, lost)
    expect([repeat.status, repeat.body.error.details.reason]).toEqual([409, 'idempotency_answer_unknown'])
    expect(await count('done once')).toBe(1)
  })

  it('stores the answer in the transaction of the write, whichever of these writes it is', async () => {
    const ids = async (): Promise<string[]> => {
      const { records } = (await host.post('/data/task/createMany', [{ title: 'r' }, { title: 's' }])).body
      return records.map(({ id }: { id: string }) => id)
    }
    const [first, second] = await ids()
    const feed = `/data/task/${first}/feed`
    const { id: comment } = (await host.post(feed, { type: 'comment', body: 'c' })).body.data
    const sliced = { atomic: false, continueOnError: true, returnRecords: true, validateOnly: false }
    const create = { operation: 'create', records: [{ data: { title: 'm' } }], options: sliced }
    const writes: ['post' | 'patch', string, unknown][] = [
      ['post', '/data/task', { title: 'one commit' }],
      ['patch', `/data/task/${first}`, { title: 'changed' }],
      ['post', '/data/task/createMany', [{ title: 'p' }, { title: 'q' }]],
      ['post', '/data/task/batch', create],
      ['post', '/data/task/updateMany', { records: [{ id: first, data: { title: 'again' } }] }],
      ['post', '/data/task/deleteMany', { ids: [second] }],
      ['post', `/data/task/${second}/restore`, {}],
      ['post', `/data/task/${first}/clone`, {}],
      ['post', '/batch', { operations: [{ object: 'task', action: 'create', data: { title: 'x' } }] }],
      ['post', feed, { type: 'comment', body: 'd', parentId: comment }],
      ['post', `${feed}/${comment}/reactions`, { emoji: '👍' }],
      ['post', `${feed}/${comment}/pin`, undefined],
      ['patch', '/settings', { timezone: 'Europe/Berlin' }],
    ]
    const withoutAnswer = (): number =>
      host.host.database.read.get<{ n: number }>({
        sql: 'SELECT count(*) AS n FROM _answer WHERE answer IS NULL',
        parameters: [],
      })!.n
    const before = withoutAnswer()
    let after = -1
    for (const type of ['record.*', 'feed.*', 'settings.changed'])
      onTestFinished(host.host.bus.on(type, (_event, tx) => tx.afterCommit(() => (after = withoutAnswer())), 0))
    for (const [at, [method, path, body]] of writes.entries()) {
      const headers = { 'idempotency-key': `one-commit-${at}` }
      after = -1
      const answer = await host[method](path, body, headers)
      expect([path, answer.status < 300, after]).toEqual([path, true, before])
      const again = await host[method](path, body, headers)
      const told = ({ meta: _own, ...rest }: Answer['body']): unknown => rest
      expect([again.status, again.headers.get('idempotent-replay'), told(again.body)]).toEqual([
        answer.status,
        'true',
        told(answer.body),
      ])
    }
  })

  it('lets an import that was cut off go on with the rows that are left', async () => {
    const rows = Array.from({ length: 1_500 }, (_, n) => ({ title: n % 500 === 7 ? '' : `cut off ${n}` }))
    const [key, other] = [{ 'idempotency-key': 'cut-off' }, { 'idempotency-key': 'cut-off-2' }]
    let room = 700
    const end = host.host.bus.on(
      'record.created',
      () => {
        room -= 1
        if (room < 0) throw platformError('service_unavailable', { reason: 'standby', retryAfterSeconds: 1 })
      },
      0,
    )
    host.takeEvents()
    expect((await host.post('/data/task/import', { rows }, key)).status).toBe(503)
    end()
    const filter = encodeURIComponent('{"title":{"$contains":"cut off"}}')
    const written = (): Promise<Answer> => host.get(`/data/task?filter=${filter}&top=1&count=true`)
    expect((await written()).body.total).toBeGreaterThan(400)
    expect((await written()).body.total).toBeLessThan(701)
    const refused = await host.post('/data/task/import', { rows: rows.slice(1) }, key)
    expect(refused.body.error.details.reason).toBe('idempotency_key_reused')
    const done = await host.post('/data/task/import', { rows }, key)
    expect([done.status, done.body.created, done.body.failed, done.body.total]).toEqual([200, 1_497, 3, 1_500])
    expect(done.body.errors.map(({ row }: { row: number }) => row)).toEqual([8, 508, 1_008])
    expect((await written()).body.total).toBe(1_497)
    const again = await host.post('/data/task/import', { rows }, key)
    expect([again.headers.get('idempotent-replay'), again.body]).toEqual(['true', done.body])
    expect(host.takeEvents().filter(({ type }) => type === 'import.started')).toHaveLength(1)
    expect((await host.post('/data/task/import', { rows: rows.slice(0, 1) }, other)).body.created).toBe(1)
  })

  it('stores the key in the transaction of the write', async () => {
    const rows = (): number =>
      host.host.database.read.get<{ n: number }>({ sql: 'SELECT count(*) AS n FROM _answer', parameters: [] })!.n
    const before = rows()
    let inside = -1
    const stop = host.host.bus.on(
      'record.created',
      (_event, tx) => {
        inside = tx.get<{ n: number }>({ sql: 'SELECT count(*) AS n FROM _answer', parameters: [] })!.n
      },
      Number.MAX_SAFE_INTEGER,
    )
    await host.post('/data/task', { title: 'marked' }, { 'idempotency-key': 'marked' })
    stop()
    expect([inside, rows()]).toEqual([before + 1, before + 1])
  })

  it('keeps nothing of a record that is purged', async () => {
    const gone = { 'idempotency-key': 'purged-answer' }
    const { body } = await host.post('/data/task', { title: 'to be purged' }, gone)
    await host.delete(`/data/task/${body.id}?purge=true`)
    const kept = host.host.database.read.all({
      sql: "SELECT 1 FROM _answer WHERE instr(answer, 'to be purged') > 0",
      parameters: [],
    })
    expect(kept).toEqual([])
    const repeat = await host.post('/data/task', { title: 'to be purged' }, gone)
    expect([repeat.status, repeat.body.error.details.reason]).toEqual([409, 'idempotency_answer_unknown'])
  })

  it('never keeps the answer of a reveal', async () => {
    await host.defineObject('safe', { code: { type: 'secret' } })
    const { body } = await host.post('/data/safe', { code: 'canary-answer' })
    const look = { 'idempotency-key': 'look' }
    for (let times = 0; times < 2; times += 1) {
      const revealed = await host.post(`/data/safe/${body.id}/reveal`, { field: 'code' }, look)
      expect([revealed.body.value, revealed.headers.get('idempotent-replay')]).toEqual(['canary-answer', null])
    }
    const kept = host.host.database.read.all({
      sql: "SELECT 1 FROM _answer WHERE instr(answer, 'canary') > 0",
      parameters: [],
    })
    expect(kept).toEqual([])
  })
})

describe('an answer that is told again', () => {
  it('is so by the rights of now: not after a field, the record or the object was closed', async () => {
    const people = await createPeopledHost({ users: [{}, {}] })
    onTestFinished(() => people.stop())
    await people.defineObject(
      'paper',
      { title: { type: 'text' }, grade: { type: 'text' } },
      { sharingModel: 'private' },
    )
    const all = { allowCreate: true, allowRead: true, allowEdit: true, allowDelete: true, allowTransfer: true }
    const may = async (fields: object, objects: object = { paper: all }): Promise<void> => {
      const item = { name: 'plain', objects, fields, systemPermissions: [], rowLevelSecurity: [] }
      expect((await people.put('/meta/profile/plain', { type: 'profile', name: 'plain', item })).status).toBe(200)
      await people.assign(0, { profile: 'plain' })
    }
    const open = { readable: true, editable: true }
    await may({ 'paper.grade': open })
    let keys = 0
    const write = async () => {
      const headers = { 'idempotency-key': `told-${(keys += 1)}` }
      const send = () => people.as(0).post('/data/paper', { title: 'mine', grade: 'canary-grade' }, headers)
      const made = await send()
      expect(JSON.stringify(made.body)).toContain('canary-grade')
      return { id: made.body.id as string, again: send }
    }
    const isGone = async (again: () => Promise<Answer>): Promise<void> => {
      const { status, body } = await again()
      expect([status, body.error?.details.reason, JSON.stringify(body).includes('canary')]).toEqual([
        409,
        'idempotency_answer_unknown',
        false,
      ])
    }
    const total = async () => (await people.get('/data/paper?count=true')).body.total as number
    const [field, record, object, kept] = [await write(), await write(), await write(), await write()]
    expect((await kept.again()).headers.get('idempotent-replay')).toBe('true')
    const outdated = { expectedVersion: '2020-01-01T00:00:00.000Z', data: { title: 'late' } }
    const { data, ...version } = outdated
    const refusals = [
      () => people.as(0).patch(`/data/paper/${record.id}`, { ...data, ...version }, { 'idempotency-key': 'late' }),
      () =>
        people
          .as(0)
          .post('/data/paper/updateMany', { records: [{ id: record.id, ...outdated }] }, { 'idempotency-key': 'late' }),
    ]
    for (const refused of refusals) expect(JSON.stringify((await refused()).body)).toContain('canary-grade')
    await people.patch(`/data/paper/${record.id}`, { owner: testUserId(1) })
    for (const again of [record.again, ...refusals]) await isGone(again)
    await may({ 'paper.grade': { readable: false, editable: false } })
    await isGone(field.again)
    await may({}, {})
    await people.as(0).get('/data/paper')
    expect((await object.again()).status).toBeGreaterThanOrEqual(400)
    expect(await total()).toBe(4)
  })
})
