// Imports: D-68 and the limits of D-199.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('city', { name: { type: 'text', required: true } })
  await host.defineObject('person', {
    name: { type: 'text', required: true },
    email: { type: 'email', unique: true },
    age: { type: 'number', scale: 0, min: 0 },
    member: { type: 'boolean' },
    joined: { type: 'date' },
    level: {
      type: 'select',
      options: [
        { value: 'gold', label: 'Gold card' },
        { value: 'basic', label: 'Basic' },
      ],
    },
    labels: { type: 'tags' },
    city: { type: 'lookup', reference: 'city' },
  })
})

afterAll(() => host.stop())

const run = (body: Record<string, unknown>) => host.post('/data/person/import', body)
const count = async () => (await host.get('/data/person?count=true&top=1')).body.total as number
const byName = async (name: string) =>
  (await host.get(`/data/person?filter=${encodeURIComponent(JSON.stringify({ name }))}`)).body.records[0]

describe('POST /data/:object/import', () => {
  it('reads CSV cells by the type of their field and reports the counts', async () => {
    const csv =
      'name,email,age,member,joined,level,labels\r\nAda,ada@example.org,36,yes,2026-01-05,Gold card,"a;b"\r\n"Grace, H.",,,false,,basic,\r\n'
    const { status, body } = await run({ format: 'csv', csv })
    expect(status).toBe(200)
    expect(body).toEqual({
      object: 'person',
      total: 2,
      created: 2,
      updated: 0,
      skipped: 0,
      failed: 0,
      errors: [],
      dryRun: false,
    })
    expect(await byName('Ada')).toMatchObject({
      email: 'ada@example.org',
      age: 36,
      member: true,
      joined: '2026-01-05',
      level: 'gold',
      labels: ['a', 'b'],
    })
    expect(await byName('Grace, H.')).toMatchObject({ email: null, age: null, member: false, level: 'basic' })
  })

  it('takes JSON rows, a text/csv body, tabs, semicolons and a byte order mark', async () => {
    expect((await run({ rows: [{ name: 'Json', age: 5 }] })).body.created).toBe(1)
    const plain = await host.post('/data/person/import?trimWhitespace=true', '\uFEFFname;age\nSemi;7\n', {
      'content-type': 'text/csv',
    })
    expect(plain.body).toMatchObject({ created: 1, failed: 0 })
    expect((await run({ csv: 'name\tage\nTab\t8\n' })).body.created).toBe(1)
    expect(await byName('Semi')).toMatchObject({ age: 7 })
  })

  it('keeps good rows and names the row, field and code of bad ones', async () => {
    const { body } = await run({ csv: 'name,email,age\nok1,,1\n,x@example.org,2\nbad,nomail,minus\nok2,,4\n' })
    expect(body).toMatchObject({ total: 4, created: 2, failed: 2 })
    expect(
      body.errors.map(({ row, field, code }: { row: number; field: string; code: string }) => [row, field, code]),
    ).toEqual([
      [2, 'name', 'required'],
      [3, 'email', 'invalid_email'],
      [3, 'age', 'invalid_number'],
    ])
  })

  it('writes nothing in a dry run, and finds doubles within the file', async () => {
    const before = await count()
    host.takeEvents()
    const { body } = await run({ dryRun: true, csv: 'name,email\na,dup@example.org\nb,dup@example.org\nc,\n' })
    expect(body).toMatchObject({
      dryRun: true,
      total: 3,
      created: 2,
      failed: 1,
      errors: [{ row: 2, field: 'email', code: 'not_unique' }],
    })
    expect(await count()).toBe(before)
    expect(host.takeEvents()).toEqual([])
  })

  it('foretells in a dry run what the import does, row by row', async () => {
    await host.defineObject('place', {
      name: { type: 'text', required: true },
      code: { type: 'text', externalId: true },
      mail: { type: 'email', unique: true },
      rank: { type: 'number', required: true },
      kind: { type: 'select', options: ['old'] },
      kinds: { type: 'multiselect', options: ['old'] },
      within: { type: 'tree', reference: 'place' },
      near: { type: 'lookup', reference: 'place', multiple: true },
    })
    const told = async (body: Record<string, unknown>): Promise<Record<string, unknown>> => {
      const report = async (dryRun: boolean): Promise<unknown> => {
        const { errors, dryRun: _, ...counts } = (await host.post('/data/place/import', { ...body, dryRun })).body
        return {
          ...counts,
          errors: (errors as Record<string, unknown>[]).map((one) => [one['row'], one['field'], one['code']]),
        }
      }
      const before = (await host.get('/data/place?count=true&top=1')).body.total
      const foretold = await report(true)
      expect((await host.get('/data/place?count=true&top=1')).body.total).toBe(before)
      const done = await report(false)
      expect(foretold).toEqual(done)
      return done as Record<string, unknown>
    }
    const byMail = { writeMode: 'upsert', matchFields: ['mail'] }
    // The second row changes what the first one makes; the last one is refused for what it says itself.
    const repeated = 'name,mail,rank\nA,a@x.org,1\n,A@x.org,2\nA2,a@x.org,3\nB,b@x.org,\nB,b@x.org,1\n,a@x.org,no\n'
    expect(await told({ ...byMail, csv: repeated.replace('\n,A@x.org', '\nA1,A@x.org') })).toMatchObject({
      created: 2,
      updated: 2,
      failed: 2,
    })
    expect(
      await told({
        ...byMail,
        rows: [
          { name: 'C', mail: 'c@x.org', rank: 1 },
          { mail: 'C@x.org', rank: 2 },
        ],
      }),
    ).toMatchObject({ created: 1, updated: 1, failed: 0 })
    expect(
      await told({ ...byMail, writeMode: 'update', csv: 'mail,rank\na@x.org,7\nA@X.org,8\na@x.org,9\n' }),
    ).toMatchObject({ updated: 3, failed: 0 })
    // Values that another row has, in whatever case; a row that fails has none.
    expect(await told({ csv: 'name,mail,rank\n,d@x.org,1\nD,d@x.org,1\nE,D@X.ORG,1\nF,a@X.org,1\n' })).toMatchObject({
      created: 1,
      failed: 3,
    })
    expect(
      await told({
        writeMode: 'upsert',
        matchFields: ['code'],
        csv: 'name,code,mail,rank\nG,g,g@x.org,1\nH,h,G@x.org,1\nG,g,g2@x.org,2\nH,h,G@x.org,1\nH,h,g@x.org,1\n',
      }),
    ).toMatchObject({ created: 2, updated: 1, failed: 2 })
    // Records of the object itself, before and after the rows that name them.
    expect(
      await told({
        rows: [
          { name: 'Town', rank: 1, within: 'Land' },
          { name: 'Land', code: 'L', rank: 1 },
          { name: 'Street', rank: 1, within: 'Town', near: ['L', 'C'] },
          { name: 'Lost', rank: 1, within: 'Nowhere' },
          { name: 'Same', rank: 1 },
          { name: 'Same', rank: 1 },
          { name: 'Unsure', rank: 1, within: 'Same' },
        ],
      }),
    ).toMatchObject({ created: 5, failed: 2 })
    const added = {
      createMissingOptions: true,
      csv: 'name,rank,kind,kinds\nI,1,Brand new,old;x y\nJ,1,brand NEW,\nK,a,z,\n',
    }
    expect(await told(added)).toMatchObject({ created: 2, failed: 1 })
    // Values that earlier rows leave are free for whoever comes first.
    await told({ csv: 'name,mail,code,rank\nP,p@x.org,p,1\nQ,q@x.org,q,1\n' })
    const codes = [
      ['p', 'p2'],
      ['q', 'q2'],
      ['q', 'p'],
      ['r', 'q'],
      ['s', 'q'],
      ['p', 'q2'],
      ['p', 'q'],
    ]
    const moved = codes.map(([mail, code]) => ({ name: mail, mail: `${mail}@x.org`, code, rank: 1 }))
    expect(await told({ ...byMail, rows: moved })).toMatchObject({ created: 1, updated: 4, failed: 2 })
    // From one slice of rows to the next.
    const many = Array.from({ length: 1_200 }, (_, at) => ({
      name: `M${at}`,
      mail: `m${at % 1_100}@x.org`,
      rank: 1,
      ...(at === 1_199 ? { within: 'M3' } : {}),
    }))
    expect(await told({ rows: many.slice(0, 1_150) })).toMatchObject({ created: 1_100, failed: 50 })
    expect(
      await told({ ...byMail, rows: many.map((row) => ({ ...row, mail: `n${row.mail}`, name: `N${row.name}` })) }),
    ).toMatchObject({
      created: 1_100,
      updated: 100,
    })
  })

  it('updates and upserts by match fields; blank keys are skipped', async () => {
    await run({ rows: [{ name: 'Up', email: 'up@example.org', age: 1 }] })
    const updated = await run({
      writeMode: 'update',
      matchFields: ['email'],
      csv: 'email,age\nUP@example.org,2\nnobody@example.org,3\n,4\n',
    })
    expect(updated.body).toMatchObject({ updated: 1, created: 0, skipped: 2, failed: 0 })
    expect(await byName('Up')).toMatchObject({ age: 2 })
    const upserted = await run({
      writeMode: 'upsert',
      matchFields: ['email'],
      csv: 'name,email,age\nUp,up@example.org,9\nNew,new@example.org,1\n',
    })
    expect(upserted.body).toMatchObject({ updated: 1, created: 1 })
    const missing = await run({ writeMode: 'update', csv: 'name\nx\n' })
    expect(missing.body.error.details.fieldErrors).toMatchObject([{ field: 'matchFields', code: 'required' }])
    const unknown = await run({ writeMode: 'upsert', matchFields: ['nope'], csv: 'name\nx\n' })
    expect(unknown.body.error.details.fieldErrors).toMatchObject([{ field: 'matchFields.0', code: 'unknown_field' }])
  })

  it('fails a row whose key is no value of its field, and writes the others', async () => {
    await host.defineObject('member', {
      label: { type: 'text' },
      amount: { type: 'number' },
      day: { type: 'date' },
      at: { type: 'datetime' },
      clock: { type: 'time' },
      shade: { type: 'color' },
      open: { type: 'boolean' },
      home: { type: 'lookup', reference: 'city' },
    })
    const upsert = (rows: Record<string, unknown>[], matchFields: string[], more: Record<string, unknown> = {}) =>
      host.post('/data/member/import', { writeMode: 'upsert', matchFields, rows, ...more })
    const keys: [field: string, good: unknown, bad: unknown, code: string][] = [
      ['amount', 1, 'abc', 'invalid_number'],
      ['day', '2026-01-05', 'soon', 'invalid_date'],
      ['at', '2026-01-05T10:00:00Z', 'soon', 'invalid_datetime'],
      ['clock', '10:30', 'noon', 'invalid_time'],
      ['shade', '#aabbcc', 'dusk', 'invalid_color'],
      ['open', true, 'perhaps', 'invalid_boolean'],
      ['home', '0198c0de-0000-7000-8000-000000000001', 'nowhere', 'invalid_reference'],
    ]
    for (const [field, good, bad, code] of keys) {
      const rows = [
        { [field]: good, label: `${field} a` },
        { [field]: bad, label: `${field} b` },
      ]
      for (const dryRun of [true, false]) {
        const { status, body } = await upsert(field === 'home' ? [{ label: 'home a' }, rows[1]!] : rows, [field], {
          dryRun,
          skipBlankMatchKey: false,
        })
        expect([field, status, JSON.stringify(body)]).toEqual([field, 200, expect.any(String)])
        expect([field, body]).toMatchObject([field, { created: 1, failed: 1, errors: [{ row: 2, field, code }] }])
      }
      if (field === 'home') continue
      const again = await upsert([{ [field]: good, label: 'again' }], [field])
      expect([field, again.body]).toMatchObject([field, { updated: 1 }])
    }
    // A macro is no value either.
    const { body } = await upsert([{ amount: { $field: 'amount' }, label: 'all' }, { amount: 1 }], ['amount'])
    expect(body).toMatchObject({ updated: 1, failed: 1, errors: [{ row: 1, field: 'amount', code: 'invalid_number' }] })
    const update = { writeMode: 'update', matchFields: ['amount'], rows: [{ amount: 'x' }, { amount: 1 }] }
    expect((await host.post('/data/member/import', update)).body).toMatchObject({ updated: 1, skipped: 1, failed: 0 })
  })

  it('maps columns to fields, leaves columns out, and refuses columns without a field', async () => {
    const refused = await run({ csv: 'name,shoe size\nx,42\n' })
    expect(refused.status).toBe(400)
    expect(refused.body.error.details.fieldErrors).toMatchObject([{ field: 'shoe size', code: 'unknown_field' }])
    const mapped = await run({
      csv: 'Full name,shoe size\nMapped,42\n',
      mapping: { 'Full name': 'name', 'shoe size': '' },
    })
    expect(mapped.body.created).toBe(1)
  })

  it('creates missing options when asked to', async () => {
    const without = await run({ csv: 'name,level\nA,Platinum card\n' })
    expect(without.body).toMatchObject({ failed: 1, errors: [{ field: 'level', code: 'invalid_option' }] })
    const added = await run({ csv: 'name,level\nPlat,Platinum card\n', createMissingOptions: true })
    expect(added.body).toMatchObject({ created: 1, failed: 0 })
    expect(await byName('Plat')).toMatchObject({ level: 'platinum_card' })
  })

  it('honours nullValues and trimWhitespace', async () => {
    await run({ csv: 'name,age\n  Spaces  ,n/a\n', nullValues: ['n/a'] })
    expect(await byName('Spaces')).toMatchObject({ age: null })
  })

  it('takes off the mark that guards formulas', async () => {
    await run({ rows: [{ name: 'x' }], csv: undefined })
    await run({ csv: "name\n'=SUM(1)\n" })
    expect(await byName('=SUM(1)')).toBeDefined()
  })

  it('takes 10,000 rows and refuses 10,001', async () => {
    await host.defineObject('row', { n: { type: 'number' } })
    const rows = Array.from({ length: 10_001 }, (_, n) => ({ n }))
    const over = await host.post('/data/row/import', { rows })
    expect(over.status).toBe(400)
    expect(over.body.error.details).toMatchObject({
      limit: 10_000,
      received: 10_001,
      fieldErrors: [{ code: 'max_items' }],
    })
    expect((await host.post('/data/row/import', { rows: rows.slice(1) })).body).toMatchObject({ created: 10_000 })
  })

  it('refuses requests without rows, with both sources, and for unknown objects', async () => {
    expect((await run({})).status).toBe(400)
    expect((await run({ csv: 'name\nx', rows: [] })).status).toBe(400)
    expect((await run({ csv: '' })).status).toBe(400)
    expect((await run({ rows: [{}, 5, null] })).body.error.details.fieldErrors).toMatchObject([
      { field: 'rows.1', code: 'invalid_type' },
      { field: 'rows.2', code: 'invalid_type' },
    ])
    expect((await run({ csv: 'name,name\na,b' })).body.error.details.fieldErrors).toMatchObject([
      { field: 'csv', code: 'invalid_format' },
    ])
    expect((await host.post('/data/none/import', { rows: [] })).status).toBe(404)
    expect((await run({ csv: 'name\nx', writeMode: 'replace' })).status).toBe(400)
  })

  it('refuses a text whose quotation mark is never closed, which would swallow the lines after it', async () => {
    const before = await count()
    expect((await run({ csv: 'name\n"open\nlost' })).body.error.details.fieldErrors).toMatchObject([
      { field: 'csv', code: 'invalid_format' },
    ])
    expect(await count()).toBe(before)
  })

  it('reads the options of a text/csv body from the query; a mistyped dryRun writes nothing (D-12)', async () => {
    const before = await count()
    const csv = (query: string) =>
      host.post(`/data/person/import?${query}`, 'name,email\nCsv,csv@example.org', { 'content-type': 'text/csv' })
    for (const flag of ['maybe', 'TRUE', 'yes']) {
      expect((await csv(`dryRun=${flag}`)).body.error.details.fieldErrors).toMatchObject([
        { field: 'dryRun', code: 'invalid_boolean' },
      ])
    }
    for (const flag of ['dryRun', 'dryRun=1', 'dryRun=true']) expect((await csv(flag)).body.dryRun).toBe(true)
    expect(await count()).toBe(before)
    const matched = await csv('writeMode=upsert&matchFields=name&matchFields=email')
    expect(matched.body).toMatchObject({ created: 1, dryRun: false })
  })

  it('marks its events with the source import', async () => {
    host.takeEvents()
    await run({ rows: [{ name: 'Source' }] })
    expect(host.takeEvents().map((event) => [event.type, event.source])).toEqual([
      ['import.started', 'import'],
      ['record.created', 'import'],
    ])
  })
})
