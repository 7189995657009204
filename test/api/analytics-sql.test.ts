// Raw SQL over HTTP: what it answers, and the ways out of its views that are closed (D-122, safety row C9).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer, TestHost } from '../support/create-test-host.ts'
import { closedSql } from '../support/closed-sql.ts'
import { createTestHost } from '../support/create-test-host.ts'
import { createPeopledHost } from '../support/test-identities.ts'
import { onlyInLongRun } from '../support/test-size.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('company', { name: { type: 'text' } })
  await host.defineObject('task', {
    title: { type: 'text' },
    hours: { type: 'number' },
    done: { type: 'boolean' },
    company: { type: 'lookup', reference: 'company' },
    code: { type: 'secret' },
  })
  const { id } = (await host.post('/data/company', { name: 'Acme' })).body
  for (const hours of [1, 2, 3])
    await host.post('/data/task', { title: `t${hours}`, hours, done: hours > 1, company: id })
  const gone = (await host.post('/data/task', { title: 'gone', hours: 100 })).body.id
  await host.delete(`/data/task/${gone}`)
})
afterAll(() => host.stop())

const sql = (text: string, rest: Record<string, unknown> = {}): Promise<Answer> =>
  host.post('/analytics/sql', { sql: text, ...rest })

describe('raw SQL', () => {
  it('reads live records of objects by their names', async () => {
    const { body } = await sql(
      'SELECT c.name AS company, count(*) AS tasks, sum(hours) AS hours FROM task AS t JOIN company AS c ON c.id = t.company GROUP BY 1',
    )
    expect(body).toMatchObject({
      data: [{ company: 'Acme', tasks: 3, hours: 6 }],
      columns: [
        { name: 'company', type: 'text' },
        { name: 'tasks', type: 'integer' },
        { name: 'hours', type: 'integer' },
      ],
      rowCount: 1,
      truncated: false,
    })
    expect(body.durationMs).toBeGreaterThanOrEqual(0)
  })

  it('binds parameters by position and by name', async () => {
    expect(
      (await sql('SELECT title FROM task WHERE hours > ? AND done = ?', { params: [1, true] })).body.rowCount,
    ).toBe(2)
    expect((await sql('SELECT title FROM task WHERE hours = $h', { params: { h: 3 } })).body.data).toEqual([
      { title: 't3' },
    ])
    expect((await sql('SELECT ? AS x', { params: [{}] })).status).toBe(400)
  })

  it('cuts off after the limit and says so; columns of one name stay apart', async () => {
    const { body } = await sql('SELECT hours, hours FROM task ORDER BY 1', { limit: 2 })
    expect(body).toMatchObject({ data: [{ hours: 1, hours_2: 1 }, { hours: 2 }], rowCount: 2, truncated: true })
    expect((await sql('SELECT 1', { limit: 10_001 })).status).toBe(400)
  })

  it('takes WITH, EXPLAIN, JSON functions, comments and a closing semicolon', async () => {
    expect((await sql('WITH t AS (SELECT hours FROM task) SELECT max(hours) AS m FROM t; -- end')).body.data).toEqual([
      { m: 3 },
    ])
    expect((await sql('EXPLAIN QUERY PLAN SELECT * FROM task')).body.rowCount).toBeGreaterThan(0)
    expect((await sql(`SELECT value FROM json_each('[1,2]')`)).body.rowCount).toBe(2)
    expect((await sql(`/* a; b */ SELECT 'x; y' AS t`)).body.data).toEqual([{ t: 'x; y' }])
  })

  it('has neither deleted records nor secrets', async () => {
    expect((await sql(`SELECT * FROM task WHERE title = 'gone'`)).body.rowCount).toBe(0)
    expect(Object.keys((await sql('SELECT * FROM task LIMIT 1')).body.data[0])).not.toContain('code')
    expect((await sql('SELECT code FROM task')).status).toBe(400)
    expect((await sql('SELECT deleted_at FROM task')).status).toBe(400)
  })

  it('leaves a trace before it runs', async () => {
    host.takeEvents()
    await sql('SELECT 1 AS one')
    expect(host.takeEvents()).toMatchObject([{ type: 'analytics.sql.run', payload: { sql: 'SELECT 1 AS one' } }])
  })

  it('is stopped at its limit while other requests go on', { timeout: 30_000 }, async (test) => {
    onlyInLongRun(test)
    const start = performance.now()
    const endless = sql('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n')
    let slowest = 0
    while (performance.now() - start < 3_000) {
      const before = performance.now()
      expect((await host.get('/data/task?top=1')).status).toBe(200)
      slowest = Math.max(slowest, performance.now() - before)
    }
    const { status, body } = await endless
    const elapsed = performance.now() - start
    expect([status, body.error.code]).toEqual([504, 'timeout'])
    expect(elapsed).toBeLessThan(13_000)
    expect(slowest).toBeLessThan(1_000)
  })

  it('may not fill the memory of the machine', async () => {
    const { status, body } = await sql('SELECT length(randomblob(900000000)) AS n')
    expect([status, body.error.code]).toEqual([400, 'invalid_query'])
    expect((await host.get('/data/task?top=1')).status).toBe(200)
  })
})

describe('statements of somebody who may not read every row', () => {
  it('are never told of another one, not even by what fails where it is looked at', async () => {
    const people = await createPeopledHost({ users: [{}, {}] })
    await people.defineObject('deal', { title: { type: 'text' } }, { sharingModel: 'private' })
    const objects = { deal: { allowCreate: true, allowRead: true } }
    await people.saveItem('permission', 'runs', { systemPermissions: ['run_sql'], objects })
    for (const [at, title] of ['secret plan', 'own'].entries()) {
      await people.assign(at, { permissionSets: ['runs'] })
      expect((await people.as(at).post('/data/deal', { title })).status).toBe(201)
    }
    for (const text of ['secret%', 'nothing%']) {
      const json = `CASE WHEN title LIKE '${text}' THEN '{' ELSE '{}' END`
      const statement = `SELECT title FROM deal WHERE json_extract(${json}, '$.a') IS NULL`
      const { status, body } = await people.as(1).post('/analytics/sql', { sql: statement })
      expect([text, status, body.data]).toEqual([text, 200, [{ title: 'own' }]])
    }
    // A text is a table's name to SQLite where one is expected.
    for (const statement of [
      `SELECT r.title FROM deal AS d, 'o_deal' AS r`,
      `SELECT count(*) AS n FROM 'feed_word' WHERE body MATCH 'secret'`,
    ]) {
      const { status, body } = await people.as(1).post('/analytics/sql', { sql: statement })
      expect([statement, status, body.error?.code, body.data]).toEqual([statement, 400, 'invalid_query', undefined])
    }
    const shown = await people.as(1).post('/analytics/sql', { sql: 'EXPLAIN SELECT title FROM deal' })
    expect([shown.status, shown.body.error?.code]).toEqual([400, 'invalid_query'])
    await people.stop()
  })
})

describe('statements that reach beyond the views', () => {
  it.each(closedSql)('%s', async (text) => {
    const before = (await host.get('/data/task?count=true')).body
    const { status, body } = await sql(text)
    expect([status, body.error?.code]).toEqual([400, 'invalid_query'])
    expect((await host.get('/data/task?count=true')).body).toEqual(before)
  })

  it('are more than the sixty that are asked for', () => {
    expect(closedSql.length).toBeGreaterThanOrEqual(60)
  })
})
