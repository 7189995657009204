// Import jobs over HTTP: D-68 and the limits of D-199.
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { statement } from '#main/kernel/database.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { sized } from '../support/test-size.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('company', { name: { type: 'text', required: true } })
  await host.defineObject('contact', {
    name: { type: 'text', required: true },
    email: { type: 'email', unique: true },
    age: { type: 'number', scale: 0, min: 0 },
    level: { type: 'select', options: ['gold', 'basic'] },
    company: { type: 'lookup', reference: 'company' },
  })
})

afterAll(() => host.stop())

const csvType = { 'content-type': 'text/csv' }
const start = (body: unknown) => host.post('/data/contact/import/jobs', body)
const job = async (id: string) => (await host.get(`/data/import/jobs/${id}`)).body
const total = async (object = 'contact') => (await host.get(`/data/${object}?count=true&top=1`)).body.total as number
const byEmail = async (email: string) =>
  (await host.get(`/data/contact?email=${encodeURIComponent(email)}`)).body.records[0]
const csvOf = (from: number, to: number) =>
  `name,email,age\n${Array.from({ length: to - from }, (_, at) => `N${from + at},n${from + at}@example.org,${(from + at) % 90}`).join('\n')}\n`

async function ended(id: string) {
  for (;;) {
    const state = await job(id)
    if (!['pending', 'running'].includes(state.status)) return state
    // Less often than the host takes for traffic beside which an import makes way.
    await pause(250)
  }
}

describe('import jobs', () => {
  it('answers 202, runs, and tells progress, times and what became of every row', async () => {
    const { status, body } = await start({
      csv: 'name,email,age\nA,a@example.org,1\n,b@example.org,x\nC,c@example.org,3\n',
      fileName: 'three.csv',
    })
    expect(status).toBe(202)
    expect(body).toMatchObject({
      object: 'contact',
      status: 'pending',
      total: 3,
      processed: 0,
      fileName: 'three.csv',
      format: 'csv',
    })
    const done = await ended(body.jobId)
    expect(done).toMatchObject({
      status: 'completed',
      total: 3,
      processed: 3,
      created: 2,
      updated: 0,
      skipped: 0,
      failed: 1,
    })
    expect(Date.parse(done.completedAt)).toBeGreaterThanOrEqual(Date.parse(done.startedAt))
    const results = (await host.get(`/data/import/jobs/${body.jobId}/results`)).body
    expect(results).toMatchObject({ jobId: body.jobId, hasMore: false })
    expect(results.results).toMatchObject([
      { row: 1, success: true, operation: 'create' },
      {
        row: 2,
        success: false,
        errors: [
          { field: 'name', code: 'required' },
          { field: 'age', code: 'invalid_number' },
        ],
      },
      { row: 3, success: true, operation: 'create' },
    ])
    expect((await host.get(`/data/contact/${results.results[0].id}`)).body.record).toMatchObject({ name: 'A' })
    // The staged rows are gone with the end of the job.
    expect(readdirSync(join(host.dataDir, 'imports'))).toEqual([])
  })

  it('fails a row whose match key is no value of its field, and goes on with the others', async () => {
    const { body } = await start({
      writeMode: 'upsert',
      matchFields: ['age'],
      csv: 'name,age\nK1,70001\nK2,old\nK3,70003\n',
    })
    expect(await ended(body.jobId)).toMatchObject({ status: 'completed', created: 2, failed: 1 })
    const failed = (await host.get(`/data/import/jobs/${body.jobId}/results?only=failed`)).body.results
    expect(failed).toMatchObject([{ row: 2, errors: [{ field: 'age', code: 'invalid_number' }] }])
  })

  it('takes the file itself as the body: CSV, TSV, NDJSON, a JSON array, other charsets, options in the query', async () => {
    const some = sized(200, 600)
    const send = async (query: string, body: string | Uint8Array, type: string) => {
      const answer = await host.post(`/data/contact/import/jobs?${query}`, body, { 'content-type': type })
      expect(answer.status).toBe(202)
      return ended(answer.body.jobId)
    }
    expect(await send('fileName=big.csv', csvOf(100, 100 + some), 'text/csv')).toMatchObject({
      created: some,
      fileName: 'big.csv',
    })
    expect(await send('', 'name\temail\nTab\ttab@example.org', 'text/tab-separated-values')).toMatchObject({
      created: 1,
      format: 'tsv',
    })
    expect(await send('', '{"name":"L1"}\n\n{"name":"L2","age":4}\n', 'application/x-ndjson')).toMatchObject({
      created: 2,
      format: 'ndjson',
    })
    expect(
      await send('format=json', '[{"name":"[E1]"},\n {"name":"E,2","age":4}]', 'application/x-ndjson'),
    ).toMatchObject({ created: 2, format: 'json' })
    const latin = Buffer.from('name,email\nJosé,jose@example.org', 'latin1')
    expect(await send('charset=windows-1252', latin, 'text/csv')).toMatchObject({ created: 1 })
    expect(await byEmail('jose@example.org')).toMatchObject({ name: 'José' })
    const wide = Buffer.from('\uFEFFname,email\nZoë,zoe@example.org', 'utf16le')
    expect(await send('', wide, 'text/csv')).toMatchObject({ created: 1 })
    expect(await byEmail('zoe@example.org')).toMatchObject({ name: 'Zoë' })
  })

  it('takes more than the 10 MB of a JSON body as a file', async () => {
    await host.defineObject('note', { text: { type: 'textarea', maxLength: 20000 } })
    const line = `${'x'.repeat(9_999)}\n`
    const text = `text\n${line.repeat(1_200)}`
    expect(text.length).toBeGreaterThan(11_000_000)
    const { status, body } = await host.post('/data/note/import/jobs', text, csvType)
    expect([status, body.total]).toEqual([202, 1_200])
    expect(await ended(body.jobId)).toMatchObject({ created: 1_200, failed: 0 })
  })

  it('refuses what cannot begin, and keeps nothing of it', async () => {
    const cases: [string | object, string, number][] = [
      ['shoe size\n42', 'text/csv', 400],
      ['name\n"open', 'text/csv', 400],
      ['', 'text/csv', 400],
      ['{"name":', 'application/x-ndjson', 400],
      ['[1]', 'application/x-ndjson', 400],
      ['[{"name":"x"}', 'application/x-ndjson', 400],
      ['PK no spreadsheet', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 400],
      ['name\nx', 'text/plain', 415],
      [{ csv: 'name\nx', writeMode: 'update', matchFields: ['email'] }, 'application/json', 400],
      [{}, 'application/json', 400],
    ]
    for (const [body, type, status] of cases) {
      const answer = await host.post('/data/contact/import/jobs', body, { 'content-type': type })
      expect([answer.status, body]).toEqual([status, body])
    }
    const bytes = Buffer.from([0x6e, 0x0a, 0xff, 0xfe, 0xfd])
    expect((await host.post('/data/contact/import/jobs', bytes, csvType)).status).toBe(400)
    expect((await host.post('/data/contact/import/jobs?charset=none', 'name\nx', csvType)).status).toBe(400)
    expect((await host.post('/data/contact/import/jobs?dryRun=maybe', 'name\nx', csvType)).status).toBe(400)
    expect((await host.post('/data/none/import/jobs', 'name\nx', csvType)).status).toBe(404)
    expect((await host.anonymous('POST', '/data/contact/import/jobs', { csv: 'name\nx' })).status).toBe(401)
    expect(readdirSync(join(host.dataDir, 'imports'))).toEqual([])
  })

  it('lists jobs newest first, by object and status, page by page', async () => {
    const { body } = await host.get('/data/import/jobs?object=contact&status=completed&limit=2')
    expect(body.jobs).toHaveLength(2)
    expect(body.total).toBeGreaterThan(2)
    expect(body.jobs[0].createdAt >= body.jobs[1].createdAt).toBe(true)
    const next = (await host.get('/data/import/jobs?object=contact&status=completed&limit=2&offset=2')).body
    expect(next.jobs.map((one: { jobId: string }) => one.jobId)).not.toContain(body.jobs[0].jobId)
    expect((await host.get('/data/import/jobs?object=company')).body).toEqual({ jobs: [], total: 0 })
    expect((await host.get('/data/import/jobs?limit=0')).status).toBe(400)
    expect((await host.get('/data/import/jobs?limit=201')).status).toBe(400)
    expect((await host.get('/data/import/jobs?status=paused')).status).toBe(400)
    expect((await host.get('/data/import/jobs/none')).status).toBe(404)
  })

  it('pages through results with a cursor and by outcome', async () => {
    const lines = Array.from({ length: 1_050 }, (_, at) => (at % 10 === 0 ? ',' : `R${at},r${at}@example.org`))
    const { body } = await start({ csv: `name,email,age\n${lines.map((line) => `${line},5`).join('\n')}` })
    expect(await ended(body.jobId)).toMatchObject({ created: 945, failed: 105 })
    const rows: number[] = []
    let cursor: string | undefined
    do {
      const query = cursor === undefined ? '' : `&cursor=${cursor}`
      const page = (await host.get(`/data/import/jobs/${body.jobId}/results?limit=400${query}`)).body
      rows.push(...page.results.map((result: { row: number }) => result.row))
      expect(page.hasMore).toBe(page.nextCursor !== undefined)
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(rows).toEqual(Array.from({ length: 1_050 }, (_, at) => at + 1))
    const failed = (await host.get(`/data/import/jobs/${body.jobId}/results?only=failed&limit=1000`)).body
    expect(failed.results).toHaveLength(105)
    expect(failed.results.every((result: { success: boolean }) => !result.success)).toBe(true)
    expect((await host.get(`/data/import/jobs/${body.jobId}/results?cursor=x1`)).status).toBe(400)
    expect((await host.get(`/data/import/jobs/${body.jobId}/results?limit=1001`)).status).toBe(400)
  })

  it('updates and upserts by match fields, skips blank keys, and creates missing options', async () => {
    await host.post('/data/contact', { name: 'Old', email: 'old@example.org', age: 10 })
    const upsert = await start({
      writeMode: 'upsert',
      matchFields: ['email'],
      createMissingOptions: true,
      csv: 'name,email,level\nNew,OLD@example.org,gold\nFresh,fresh@example.org,Silver card\nBlank,,basic\n',
    })
    expect(await ended(upsert.body.jobId)).toMatchObject({ created: 1, updated: 1, skipped: 1, failed: 0 })
    expect(await byEmail('old@example.org')).toMatchObject({ name: 'New', age: 10, level: 'gold' })
    expect(await byEmail('fresh@example.org')).toMatchObject({ level: 'silver_card' })
    const update = await start({
      writeMode: 'update',
      matchFields: ['email'],
      rows: [{ email: 'none@example.org', age: 1 }],
    })
    expect(await ended(update.body.jobId)).toMatchObject({ created: 0, updated: 0, skipped: 1 })
  })

  it('writes nothing in a dry run, reports all the same, and has nothing to undo', async () => {
    const before = await total()
    host.takeEvents()
    const { body } = await start({
      dryRun: true,
      csv: 'name,email\na,dup@example.org\nb,dup@example.org\n,c@example.org\n',
    })
    expect(await ended(body.jobId)).toMatchObject({ dryRun: true, created: 1, failed: 2 })
    expect(await total()).toBe(before)
    expect(host.takeEvents()).toEqual([])
    expect((await host.post(`/data/import/jobs/${body.jobId}/undo`)).status).toBe(409)
  })

  it('foretells in a dry run what the job does', async () => {
    await host.defineObject('branch', {
      name: { type: 'text', required: true },
      mail: { type: 'email', unique: true },
      kind: { type: 'select', options: ['old'] },
      within: { type: 'tree', reference: 'branch' },
    })
    const rows = [
      { name: 'Leaf', within: 'Trunk', kind: 'Quite new' },
      { name: 'Trunk', mail: 't@example.org' },
      { name: 'Trunk', mail: 'T@example.org', kind: 'old' },
      { mail: 'none@example.org' },
    ]
    const run = async (dryRun: boolean): Promise<unknown> => {
      const options = {
        writeMode: 'upsert',
        matchFields: ['mail'],
        skipBlankMatchKey: false,
        createMissingOptions: true,
      }
      const { body } = await host.post('/data/branch/import/jobs', { ...options, dryRun, rows })
      const { status, created, updated, failed } = await ended(body.jobId)
      const { results } = (await host.get(`/data/import/jobs/${body.jobId}/results`)).body
      return [
        status,
        created,
        updated,
        failed,
        results.map((one: { errors?: { code: string }[] }) => one.errors?.[0]?.code),
      ]
    }
    const foretold = await run(true)
    expect(foretold).toEqual(['completed', 2, 1, 1, [undefined, undefined, undefined, 'required']])
    expect(await total('branch')).toBe(0)
    expect(await run(false)).toEqual(foretold)
    expect(await total('branch')).toBe(2)
  })

  it('starts once for one Idempotency-Key, also when the body is a file', async () => {
    const headers = { ...csvType, 'idempotency-key': 'import-once' }
    const first = await host.post('/data/contact/import/jobs', 'name\nOnce\n', headers)
    await ended(first.body.jobId)
    const again = await host.post('/data/contact/import/jobs', 'name\nOnce\n', headers)
    expect([again.status, again.body.jobId]).toEqual([202, first.body.jobId])
    expect(again.headers.get('idempotent-replay')).toBe('true')
    expect((await host.get('/data/contact?name=Once&count=true')).body.total).toBe(1)
  })

  it('fails with a reason when its rows are gone', async () => {
    await host.defineObject('brief', { name: { type: 'text' } })
    const waiting = await start({ csv: csvOf(50_000, 50_000 + sized(1_000, 3_000)) })
    const { body } = await host.post('/data/brief/import/jobs', 'name\nx\n', csvType)
    await host.post(`/data/import/jobs/${body.jobId}/pause`)
    rmSync(join(host.dataDir, 'imports', `${body.jobId}.ndjson`))
    await host.post(`/data/import/jobs/${body.jobId}/resume`)
    const failed = await ended(body.jobId)
    expect(failed).toMatchObject({ status: 'failed', processed: 0, error: { code: 'resource_not_found' } })
    expect(failed).toMatchObject({ error: { message: expect.stringContaining('gone with the machine that had them') } })
    await ended(waiting.body.jobId)
  })

  it('tells its events when automations must stay quiet', async () => {
    for (const runAutomations of [true, false]) {
      host.takeEvents()
      const { body } = await start({ rows: [{ name: 'Quiet' }], runAutomations })
      await ended(body.jobId)
      const expected = runAutomations ? undefined : false
      expect(host.takeEvents().map((event) => event.runAutomations)).toEqual([expected, expected])
    }
  })

  it('marks its events with the source import', async () => {
    host.takeEvents()
    const { body } = await start({ rows: [{ name: 'Source' }] })
    await ended(body.jobId)
    expect(host.takeEvents().map((event) => [event.type, event.source])).toEqual([
      ['import.started', 'import'],
      ['record.created', 'import'],
    ])
  })
})

describe('undo', () => {
  it('purges created records and restores updated ones', async () => {
    await host.post('/data/contact', { name: 'Kept', email: 'kept@example.org', age: 10 })
    const before = await total()
    const { body } = await start({
      writeMode: 'upsert',
      matchFields: ['email'],
      csv: `name,email,age\nChanged,kept@example.org,11\n${csvOf(2_000, 2_500).split('\n').slice(1).join('\n')}`,
    })
    expect(await ended(body.jobId)).toMatchObject({ created: 500, updated: 1 })
    const undone = (await host.post(`/data/import/jobs/${body.jobId}/undo`)).body
    expect(undone).toMatchObject({ jobId: body.jobId })
    expect(await ended(body.jobId)).toMatchObject({
      status: 'undone',
      undo: { total: 501, processed: 501, purged: 500, restored: 1, kept: 0 },
    })
    expect(await total()).toBe(before)
    expect((await host.get('/data/contact?deleted=only&count=true')).body.total).toBe(0)
    expect(await byEmail('kept@example.org')).toMatchObject({ name: 'Kept', age: 10 })
    expect((await host.post(`/data/import/jobs/${body.jobId}/undo`)).body.error).toMatchObject({ code: 'conflict' })
  })

  it('leaves what somebody changed since as it is, and says so', async () => {
    for (const n of [1, 2]) await host.post('/data/contact', { name: `U${n}`, email: `u${n}@example.org`, age: n })
    const { body } = await start({
      writeMode: 'upsert',
      matchFields: ['email'],
      csv: 'name,email,age\nX1,u1@example.org,91\nX2,u2@example.org,92\nY1,y1@example.org,1\nY2,y2@example.org,2\n',
    })
    await ended(body.jobId)
    const edited = await byEmail('u1@example.org')
    await host.patch(`/data/contact/${edited.id}`, { age: 50 })
    const created = await byEmail('y1@example.org')
    await host.patch(`/data/contact/${created.id}`, { name: 'Mine' })
    const undone = (await host.post(`/data/import/jobs/${body.jobId}/undo`)).body
    expect(undone).toMatchObject({ status: 'undone', undo: { total: 4, purged: 1, restored: 1, kept: 2 } })
    // Untouched values go back, the touched one stays.
    expect(await byEmail('u1@example.org')).toMatchObject({ name: 'U1', age: 50 })
    expect(await byEmail('u2@example.org')).toMatchObject({ name: 'U2', age: 2 })
    expect(await byEmail('y1@example.org')).toMatchObject({ name: 'Mine' })
    expect(await byEmail('y2@example.org')).toBeUndefined()
    const kept = (await host.get(`/data/import/jobs/${body.jobId}/results?only=kept`)).body.results
    expect(kept).toMatchObject([
      { row: 1, undo: { success: false, errors: [{ field: 'age', code: 'CONCURRENT_UPDATE' }] } },
      { row: 3, undo: { success: false, errors: [{ code: 'CONCURRENT_UPDATE' }] } },
    ])
  })

  it('keeps no secret, neither before nor after the import', async () => {
    await host.defineObject('door', { name: { type: 'text', unique: true }, code: { type: 'secret' } })
    const old = 'canary-old-51c2'
    await host.post('/data/door', { name: 'Front', code: old })
    const { body } = await host.post(
      '/data/door/import/jobs?writeMode=upsert&matchFields=name',
      'name,code\nFront,canary-new-51c2\nBack,canary-new-51c2\n',
      csvType,
    )
    expect(await ended(body.jobId)).toMatchObject({ created: 1, updated: 1, failed: 0 })
    const stored = host.host.database.read.all(statement('SELECT outcomes FROM import_slice'))
    expect(JSON.stringify(stored)).toContain('code')
    expect(JSON.stringify(stored)).not.toContain('canary')
    await host.post(`/data/import/jobs/${body.jobId}/undo`)
    expect(await ended(body.jobId)).toMatchObject({ status: 'undone', undo: { purged: 1, restored: 0, kept: 1 } })
    const kept = (await host.get(`/data/import/jobs/${body.jobId}/results?only=kept`)).body.results
    expect(kept).toMatchObject([{ row: 1, undo: { errors: [{ field: 'code', code: 'not_allowed' }] } }])
  })

  it('takes figures of the engine for nobody’s change', async () => {
    await host.defineObject('bill', { name: { type: 'text', unique: true } })
    await host.defineObject('line', { bill: { type: 'lookup', reference: 'bill' } })
    await host.defineObject('bill', {
      name: { type: 'text', unique: true },
      lines: { type: 'summary', summaryOperations: { object: 'line', function: 'count' } },
    })
    const bills = await host.post('/data/bill/import/jobs', 'name\nB1\nB2\nB3\n', csvType)
    await ended(bills.body.jobId)
    const lines = await host.post('/data/line/import/jobs', 'bill\nB1\nB1\nB2\n', csvType)
    expect(await ended(lines.body.jobId)).toMatchObject({ created: 3, failed: 0 })
    const byName = async (name: string) => (await host.get(`/data/bill?name=${name}`)).body.records[0]
    expect(await byName('B1')).toMatchObject({ lines: 2 })
    await host.patch(`/data/bill/${(await byName('B3')).id}`, { name: 'Mine' })
    await host.post(`/data/import/jobs/${lines.body.jobId}/undo`)
    expect(await ended(lines.body.jobId)).toMatchObject({ status: 'undone', undo: { purged: 3, kept: 0 } })
    expect(await byName('B1')).toMatchObject({ lines: 0 })
    await host.post(`/data/import/jobs/${bills.body.jobId}/undo`)
    expect(await ended(bills.body.jobId)).toMatchObject({ status: 'undone', undo: { purged: 2, kept: 1 } })
  })

  it('keeps what somebody changed, also where the engine wrote the record after that', async () => {
    const own = { title: { type: 'text' }, note: { type: 'text' }, company: { type: 'lookup', reference: 'company' } }
    await host.defineObject('invoice', own)
    const amount = { type: 'number' }
    await host.defineObject('position', { invoice: { type: 'master_detail', reference: 'invoice' }, amount })
    const summaryOperations = { object: 'position', function: 'sum', field: 'amount' }
    await host.defineObject('invoice', { ...own, sum: { type: 'summary', summaryOperations } })
    const company = (await host.post('/data/company', { name: 'Away' })).body.id
    const rows = [1, 2, 3].map((at) => ({ title: `I${at}`, company }))
    const { body } = await host.post('/data/invoice/import/jobs', { rows })
    await ended(body.jobId)
    const { records } = (await host.get('/data/invoice?sort=title')).body
    const [edited, unlinked] = records as { id: string }[]
    await host.patch(`/data/invoice/${edited!.id}`, { note: 'of somebody' })
    await host.post('/data/position', { invoice: edited!.id, amount: 5 })
    await host.patch(`/data/invoice/${unlinked!.id}`, { note: 'of somebody' })
    await host.delete(`/data/company/${company}`)
    await host.post(`/data/import/jobs/${body.jobId}/undo`)
    await ended(body.jobId)
    const left = (await host.get('/data/invoice?sort=title')).body.records
    expect(left).toMatchObject([
      { title: 'I1', note: 'of somebody' },
      { title: 'I2', note: 'of somebody' },
    ])
  })

  it('takes back rows that updated what the same job had created or updated before', async () => {
    await host.post('/data/contact', { name: 'Twice', email: 'twice@example.org', age: 1 })
    const fill = Array.from({ length: 250 }, (_, at) => `F${at},f${at}@example.org,1`).join('\n')
    const { body } = await start({
      writeMode: 'upsert',
      matchFields: ['email'],
      csv: `name,email,age\nT1,twice@example.org,2\nT2,twice@example.org,3\n${fill}\nAgain,f0@example.org,9\n`,
    })
    expect(await ended(body.jobId)).toMatchObject({ created: 250, updated: 3, failed: 0 })
    await host.post(`/data/import/jobs/${body.jobId}/undo`)
    expect(await ended(body.jobId)).toMatchObject({ status: 'undone', undo: { purged: 250, restored: 3, kept: 0 } })
    expect(await byEmail('twice@example.org')).toMatchObject({ name: 'Twice', age: 1 })
    expect(await byEmail('f0@example.org')).toBeUndefined()
  })
})

describe('cancel, pause, resume', () => {
  // So many that the job is seen at work, on a slow machine too.
  const rows = sized(8_000, 30_000)
  const big = csvOf(10_000, 10_000 + rows)

  it('pauses between slices, resumes where it stopped, and cancels with what is written staying', async () => {
    const before = await total()
    const { body } = await host.post('/data/contact/import/jobs', big, csvType)
    while ((await job(body.jobId)).processed === 0) await pause(5)
    const paused = (await host.post(`/data/import/jobs/${body.jobId}/pause`)).body
    expect(paused).toMatchObject({ status: 'pending', paused: true })
    expect(paused.processed).toBeGreaterThan(0)
    expect(paused.processed).toBeLessThan(rows)
    await pause(100)
    expect(await job(body.jobId)).toMatchObject({ processed: paused.processed, paused: true })
    expect((await host.post(`/data/import/jobs/${body.jobId}/pause`)).status).toBe(409)
    const staged = join(host.dataDir, 'imports', `${body.jobId}.ndjson`)
    if (process.platform !== 'win32') expect(statSync(staged).mode & 0o777).toBe(0o600)
    expect((await host.post(`/data/import/jobs/${body.jobId}/resume`)).body).toMatchObject({ paused: false })
    while ((await job(body.jobId)).processed === paused.processed) await pause(5)
    const cancelled = (await host.post(`/data/import/jobs/${body.jobId}/cancel`)).body
    expect(cancelled).toMatchObject({ status: 'cancelled', failed: 0 })
    expect(await total()).toBe(before + cancelled.created)
    expect(existsSync(staged)).toBe(false)
    for (const action of ['cancel', 'pause', 'resume']) {
      expect((await host.post(`/data/import/jobs/${body.jobId}/${action}`)).body.error.code).toBe('conflict')
    }
    await host.post(`/data/import/jobs/${body.jobId}/undo`)
    expect(await ended(body.jobId)).toMatchObject({ status: 'undone', undo: { kept: 0 } })
    expect(await total()).toBe(before)
  })

  it('goes on after a restart of the host, without a row twice', async () => {
    const before = await total()
    const { body } = await host.post('/data/contact/import/jobs', big, csvType)
    const waiting = await start({ csv: 'name\nNext in line' })
    while ((await job(body.jobId)).processed === 0) await pause(5)
    await host.restart()
    expect(['running', 'pending']).toContain((await job(body.jobId)).status)
    expect(await ended(body.jobId)).toMatchObject({
      status: 'completed',
      processed: rows,
      created: rows,
      failed: 0,
    })
    expect(await ended(waiting.body.jobId)).toMatchObject({ status: 'completed', created: 1 })
    expect(await total()).toBe(before + rows + 1)
  })
})

describe('purged records', () => {
  const slicesOf = (id: string): string =>
    JSON.stringify(
      host.host.database.read.all(
        statement(
          'SELECT s.outcomes FROM import_slice AS s JOIN import_job AS j ON j.seq = s.job WHERE j.id = ? ORDER BY s.first_row',
          [id],
        ),
      ),
    )

  it('leave none of their values in what jobs keep for undo', async () => {
    await host.post('/data/contact', { name: 'Former-One', email: 'p1@example.org', age: 41 })
    await host.post('/data/contact', { name: 'Former-Two', email: 'p2@example.org', age: 42 })
    const csv = 'name,email,age\nLater-One,p1@example.org,51\nLater-Two,p2@example.org,52\nMade,p3@example.org,53\n'
    const { body } = await start({ writeMode: 'upsert', matchFields: ['email'], csv })
    await ended(body.jobId)
    expect(slicesOf(body.jobId)).toContain('Former-One')
    const { id } = await byEmail('p1@example.org')
    await host.delete(`/data/contact/${id}`)
    expect((await host.delete(`/data/contact/${id}?purge=true`)).status).toBe(200)
    expect(slicesOf(body.jobId)).not.toMatch(/Former-One|Later-One/)
    expect(slicesOf(body.jobId)).toContain('Former-Two')
    // The rest can be undone, and the purged record is named as gone.
    await host.post(`/data/import/jobs/${body.jobId}/undo`)
    expect(await ended(body.jobId)).toMatchObject({ undo: { total: 3, purged: 1, restored: 1, kept: 1 } })
    expect(await byEmail('p2@example.org')).toMatchObject({ name: 'Former-Two', age: 42 })
    const kept = (await host.get(`/data/import/jobs/${body.jobId}/results?only=kept`)).body.results
    expect(kept).toMatchObject([{ row: 1, id, undo: { success: false, errors: [{ code: 'resource_not_found' }] } }])
    expect(slicesOf(body.jobId)).not.toMatch(/Former|Later/)
  })

  it('leave none of their values when one job made and changed them and is undone', async () => {
    // A record occurs once in a slice, so the rows are far apart.
    const csv = `name,email,age\nFirst-Name,q1@example.org,1\n${csvOf(9_000, 9_400).split('\n').slice(1, -1).join('\n')}\nSecond-Name,q1@example.org,2\n`
    const { body } = await start({ writeMode: 'upsert', matchFields: ['email'], csv })
    expect(await ended(body.jobId)).toMatchObject({ created: 401, updated: 1 })
    expect(slicesOf(body.jobId)).toContain('Second-Name')
    await host.post(`/data/import/jobs/${body.jobId}/undo`)
    expect(await ended(body.jobId)).toMatchObject({ status: 'undone', undo: { kept: 0 } })
    expect(slicesOf(body.jobId)).not.toMatch(/First-Name|Second-Name/)
  })

  it('leave no word in the search index when their undo says it is done, and other records are still found', async () => {
    await host.defineObject('paper', { name: { type: 'text' } })
    await host.post('/data/paper', { name: 'common stays' })
    const rows = Array.from({ length: 60 }, (_, at) => ({ name: `common qzleaving${at}` }))
    const { body } = await host.post('/data/paper/import/jobs', { rows })
    await ended(body.jobId)
    const { read } = host.host.database
    const table = read.get(
      statement<{ name: string }>("SELECT 'search_' || object_uid AS name FROM search_index WHERE object = 'paper'"),
    )!.name
    const index = () =>
      read
        .all(
          statement<{ block: Buffer }>(
            `SELECT block FROM "${table}_data" UNION ALL SELECT CAST(texts AS BLOB) FROM "${table}_stale"`,
          ),
        )
        .map(({ block }) => block.toString('latin1'))
        .join()
    expect(index()).toContain('qzleaving')
    await host.post(`/data/import/jobs/${body.jobId}/undo`)
    expect(await ended(body.jobId)).toMatchObject({ status: 'undone', undo: { purged: 60, kept: 0 } })
    expect(index()).not.toContain('leaving')
    expect((await host.get('/data/paper?search=common')).body.records).toMatchObject([{ name: 'common stays' }])
  })
})
