// Forms of a source and ways to name linked records: D-68.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Papa from 'papaparse'
import writeSheet from 'write-excel-file/node'
import type { SheetData } from 'write-excel-file/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { readAirportsCsv, readMovies } from '../support/datasets.ts'
import { sized } from '../support/test-size.ts'

const sheetType = { 'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' }
let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('account', {
    name: { type: 'text' },
    code: { type: 'text', externalId: true, unique: true },
  })
  await host.defineObject('order', {
    title: { type: 'text' },
    amount: { type: 'number' },
    due: { type: 'date' },
    at: { type: 'datetime' },
    clock: { type: 'time' },
    paid: { type: 'boolean' },
    phone: { type: 'phone' },
    account: { type: 'lookup', reference: 'account' },
    partners: { type: 'lookup', reference: 'account', multiple: true },
  })
})

afterAll(() => host.stop())

const run = (body: Record<string, unknown>, object = 'order') => host.post(`/data/${object}/import`, body)
const byTitle = async (title: string) =>
  (await host.get(`/data/order?title=${encodeURIComponent(title)}`)).body.records[0]
const sheet = (rows: unknown[][]) => writeSheet(rows as SheetData).toBuffer()

async function ended(id: string) {
  for (;;) {
    const { body } = await host.get(`/data/import/jobs/${id}`)
    if (!['pending', 'running'].includes(body.status)) return body
    // Less often than the host takes for traffic beside which an import makes way.
    await pause(250)
  }
}

describe('spreadsheets', () => {
  it('are read from base64 and from a body, with cells by the type of their field', async () => {
    const file = await sheet([
      ['title', 'amount', 'due', 'at', 'clock', 'paid', 'phone'],
      [
        'Typed',
        1.5,
        { value: new Date('2026-02-03T00:00:00Z'), format: 'yyyy-mm-dd' },
        { value: new Date('2026-02-03T10:30:00Z'), format: 'yyyy-mm-dd hh:mm' },
        null,
        true,
        4930123456,
      ],
      ['Serial', 2, 46056, 46056.4375, 0.75, 1, '+49 30'],
      [null, null, null, null, null, null, null],
      ['Text', '3', '2026-02-03', '2026-02-03T10:30', '18:00', 'yes', ''],
    ])
    const { body } = await run({ format: 'xlsx', xlsxBase64: file.toString('base64') })
    expect(body).toMatchObject({ total: 3, created: 3, errors: [] })
    expect(await byTitle('Typed')).toMatchObject({
      amount: 1.5,
      due: '2026-02-03',
      at: '2026-02-03T10:30:00.000Z',
      clock: null,
      paid: true,
      phone: '4930123456',
    })
    expect(await byTitle('Serial')).toMatchObject({
      amount: 2,
      due: '2026-02-03',
      at: '2026-02-03T10:30:00.000Z',
      clock: '18:00:00',
      paid: true,
    })
    expect(await byTitle('Text')).toMatchObject({
      amount: 3,
      due: '2026-02-03',
      at: '2026-02-03T10:30:00.000Z',
      clock: '18:00:00',
      paid: true,
      phone: null,
    })
    expect((await host.post('/data/order/import?dryRun=true', file, sheetType)).body).toMatchObject({
      created: 3,
      dryRun: true,
    })
  })

  it('are chosen by name or number', async () => {
    const rows = (title: string) => [['title'], [title]]
    const file = await writeSheet([
      { data: rows('First'), sheet: 'One' },
      { data: rows('Second'), sheet: 'Two' },
    ]).toBuffer()
    const xlsxBase64 = file.toString('base64')
    expect((await run({ xlsxBase64, sheet: 'Two' })).body.created).toBe(1)
    expect(await byTitle('Second')).toBeDefined()
    expect(await byTitle('First')).toBeUndefined()
    expect((await run({ xlsxBase64, sheet: 1 })).body.created).toBe(1)
    expect(await byTitle('First')).toBeDefined()
    const missing = await run({ xlsxBase64, sheet: 'Three' })
    expect(missing.body.error.details.fieldErrors).toMatchObject([{ field: 'sheet', code: 'invalid_option' }])
  })

  it('are refused when their directory names more than they may unpack to', async () => {
    const entry = Buffer.alloc(46)
    entry.write('PK\x01\x02', 'latin1')
    entry.writeUInt32LE(2_000_000_000, 24)
    const end = Buffer.alloc(22)
    end.write('PK\x05\x06', 'latin1')
    end.writeUInt16LE(1, 10)
    end.writeUInt32LE(entry.length, 12)
    const { status, body } = await host.post('/data/order/import', Buffer.concat([entry, end]), sheetType)
    expect([status, body.error.details.fieldErrors[0].message]).toEqual([
      400,
      'The file is too large once it is unpacked: at most 200 MB, 100 times its size.',
    ])
  })

  it('are refused when they are none, and take a thousand and more rows in a job', async () => {
    for (const xlsxBase64 of ['', 'AAAA', Buffer.from('PK\x03\x04 broken').toString('base64')]) {
      const { status, body } = await run({ xlsxBase64 })
      expect([status, body.error.code]).toEqual([400, 'validation_error'])
    }
    const many = sized(1_200, 3_000)
    const file = await sheet([['title', 'amount'], ...Array.from({ length: many }, (_, n) => [`Job ${n}`, n])])
    const { status, body } = await host.post('/data/order/import/jobs?fileName=orders.xlsx', file, sheetType)
    expect([status, body.total, body.format]).toEqual([202, many, 'xlsx'])
    expect(await ended(body.jobId)).toMatchObject({ created: many, failed: 0 })
  })
})

describe('other forms', () => {
  it('takes TSV, a chosen delimiter and NDJSON in direct imports', async () => {
    expect((await run({ format: 'tsv', csv: 'title\tamount\nT1\t1\n' })).body.created).toBe(1)
    expect(
      (await run({ csv: 'title|amount,x\nP1|1\n', delimiter: '|', mapping: { 'amount,x': 'amount' } })).body.created,
    ).toBe(1)
    const lines = await host.post('/data/order/import', '{"title":"N1","amount":5}\n{"title":"N2"}', {
      'content-type': 'application/x-ndjson',
    })
    expect(lines.body).toMatchObject({ total: 2, created: 2 })
    expect((await run({ format: 'xlsx', csv: 'title\nx' })).status).toBe(400)
    expect((await run({ format: 'tsv', rows: [] })).status).toBe(400)
  })

  it('refuses far too many rows and columns at once', async () => {
    const rows = await run({ csv: `title\n${'x\n'.repeat(1_000_000)}` })
    expect([rows.status, rows.body.error.details.fieldErrors[0].code]).toEqual([400, 'max_items'])
    const columns = await run({ csv: `title${',a'.repeat(1_000_000)}\nx\n` })
    expect([columns.status, columns.body.error.details.fieldErrors[0].code]).toEqual([400, 'max_items'])
  })

  it('refuses two columns for one field, rows longer than the header, and columns that would poison objects', async () => {
    const twice = await run({ csv: 'title,Title\na,b\n' })
    expect(twice.body.error.details.fieldErrors).toMatchObject([{ field: 'Title', code: 'duplicate_value' }])
    expect((await run({ csv: 'title,amount\nLong,1,2\nShort\n' })).body).toMatchObject({
      created: 1,
      failed: 1,
      errors: [{ row: 1, code: 'invalid_format' }],
    })
    const poison = ['__proto__', 'constructor', 'prototype']
    for (const name of poison) {
      const csv = await run({ csv: `title,${name}\na,{"x":1}\n` })
      expect(csv.body.error.details.fieldErrors).toMatchObject([{ field: name, code: 'unknown_field' }])
      const line = `{"title":"p","${name}":{"polluted":true}}`
      const sent = await host.post('/data/order/import/jobs', line, { 'content-type': 'application/x-ndjson' })
      expect(sent.body.error.details.fieldErrors).toMatchObject([{ field: name, code: 'unknown_field' }])
      expect((await run({ csv: `title,x\na,b\n`, mapping: { x: name } })).status).toBe(400)
    }
    const plain: Record<string, unknown> = {}
    expect([plain['polluted'], plain['x']]).toEqual([undefined, undefined])
  })
})

describe('linked records', () => {
  it('are named by id, external id or display name; what is unknown or ambiguous is an error of the row', async () => {
    const made = await host.post('/data/account/createMany', {
      records: [
        { name: 'Acme', code: 'A-1' },
        { name: 'Bolt', code: 'B-1' },
        { name: 'Twin', code: 'T-1' },
        { name: 'Twin', code: 'T-2' },
      ],
    })
    const [acme, bolt] = made.body.records.map((record: { id: string }) => record.id)
    const csv = `title,account,partners\nById,${acme},\nByName,Acme,"Acme;B-1"\nByCode,B-1,\nUnknown,Nobody,\nTwice,Twin,\nSeveral,,Acme;Ghost\n`
    const { body } = await run({ csv })
    expect(body).toMatchObject({
      created: 3,
      failed: 3,
      errors: [
        { row: 4, field: 'account', code: 'invalid_reference' },
        { row: 5, field: 'account', code: 'not_unique' },
        { row: 6, field: 'partners', code: 'invalid_reference' },
      ],
    })
    expect(await byTitle('ById')).toMatchObject({ account: acme })
    expect(await byTitle('ByName')).toMatchObject({ account: acme, partners: [acme, bolt] })
    expect(await byTitle('ByCode')).toMatchObject({ account: bolt })
  })

  it('may come later in the file when they belong to the same object, in jobs and at once', async () => {
    const csv = 'name,parent\nbolt,wheel\nwheel,car\ncar,\nlost,nowhere\nleaf,lost\n'
    for (const object of ['part', 'piece']) {
      await host.defineObject(object, { name: { type: 'text', externalId: true }, parent: { type: 'tree' } })
    }
    const direct = await run({ csv }, 'part')
    expect(direct.body).toMatchObject({ created: 3, failed: 2, errors: [{ row: 4 }, { row: 5 }] })
    const far = Array.from({ length: 300 }, (_, n) => `fill${n},`).join('\n')
    const body = `name,parent\nbolt,wheel\nwheel,car\n${far}\ncar,\nlost,nowhere\nleaf,lost\n`
    const started = await host.post('/data/piece/import/jobs', body, { 'content-type': 'text/csv' })
    const done = await ended(started.body.jobId)
    expect(done).toMatchObject({ total: 305, processed: 305, created: 303, failed: 2 })
    const failed = (await host.get(`/data/import/jobs/${done.jobId}/results?only=failed`)).body.results
    expect(failed.map(({ row }: { row: number }) => row)).toEqual([304, 305])
    const named = async (name: string) => (await host.get(`/data/piece?name=${name}`)).body.records[0]
    expect((await named('bolt')).parent).toBe((await named('wheel')).id)
    expect((await named('wheel')).parent).toBe((await named('car')).id)
    await host.post(`/data/import/jobs/${done.jobId}/undo`)
    expect(await ended(done.jobId)).toMatchObject({ status: 'undone', undo: { purged: 303, kept: 0 } })
    expect((await host.get('/data/piece?count=true&deleted=include')).body.total).toBe(0)
  })

  it('can be matched by', async () => {
    const { body } = await run({
      writeMode: 'upsert',
      matchFields: ['account', 'title'],
      csv: 'title,account,amount\nByName,Acme,77\n',
    })
    expect(body).toMatchObject({ created: 0, updated: 1 })
    expect(await byTitle('ByName')).toMatchObject({ amount: 77 })
  })
})

describe('real data', () => {
  it('takes the airports as CSV and as XLSX', async () => {
    const lines = readAirportsCsv().trim().split('\n')
    expect(lines).toHaveLength(3_377)
    // Every fifth at a commit: from all parts of the file.
    const csv = lines.filter((_line, at) => at === 0 || at % sized(5, 1) === 0).join('\n')
    const total = csv.split('\n').length - 1
    const fields = {
      iata: { type: 'text', unique: true },
      name: { type: 'text' },
      city: { type: 'text' },
      state: { type: 'text' },
      country: { type: 'text' },
      latitude: { type: 'number' },
      longitude: { type: 'number' },
    }
    await host.defineObject('airport', fields)
    await host.defineObject('airport2', fields)
    const { body } = await host.post('/data/airport/import/jobs', csv, { 'content-type': 'text/csv' })
    expect(await ended(body.jobId)).toMatchObject({ total, created: total, failed: 0 })
    const { data } = Papa.parse<string[]>(csv.trim())
    const rows = data.map((row, at) => (at === 0 ? row : [...row.slice(0, 5), Number(row[5]), Number(row[6])]))
    const xlsx = await host.post('/data/airport2/import/jobs', await sheet(rows), sheetType)
    expect(await ended(xlsx.body.jobId)).toMatchObject({ created: total, failed: 0 })
    const list = async (object: string) => {
      const page = await host.get(`/data/${object}?sort=iata&top=1000&select=iata,name,city,latitude,longitude`)
      return page.body.records.map(
        ({ id: _, created_at: __, updated_at: ___, ...rest }: Record<string, unknown>) => rest,
      )
    }
    expect(await list('airport2')).toEqual(await list('airport'))
  })

  it('takes the films as JSON lines, CSV and XLSX with equal results', async () => {
    const movies = readMovies().filter((_movie, at) => at % sized(4, 1) === 0)
    const fields = {
      title: { type: 'text' },
      gross: { type: 'number' },
      released: { type: 'text' },
      rating: { type: 'number' },
      genre: { type: 'select', options: [] },
    }
    const mapping = {
      Title: 'title',
      'US Gross': 'gross',
      'Release Date': 'released',
      'IMDB Rating': 'rating',
      'Major Genre': 'genre',
    }
    const names = Object.keys(mapping)
    const dir = mkdtempSync(join(tmpdir(), 'cairn-movies-'))
    try {
      const query = `createMissingOptions=true&mapping=${encodeURIComponent(JSON.stringify(mapping))}`
      const picked = movies.map((movie) => Object.fromEntries(names.map((name) => [name, movie[name] ?? null])))
      const forms: [string, string, string | Buffer][] = [
        ['film_json', 'application/x-ndjson', picked.map((movie) => JSON.stringify(movie)).join('\n')],
        ['film_csv', 'text/csv', Papa.unparse(picked, { columns: names })],
        [
          'film_xlsx',
          sheetType['content-type'],
          await sheet([names, ...picked.map((movie) => names.map((name) => movie[name] ?? null))]),
        ],
      ]
      const lists: unknown[] = []
      for (const [object, type, text] of forms) {
        await host.defineObject(object, fields)
        const { body } = await host.post(`/data/${object}/import/jobs?${query}`, text, { 'content-type': type })
        expect([object, await ended(body.jobId)]).toMatchObject([
          object,
          { total: movies.length, created: movies.length, failed: 0 },
        ])
        const page = await host.get(
          `/data/${object}?sort=title,gross,released&top=1000&select=title,gross,released,rating,genre`,
        )
        lists.push(
          page.body.records.map(({ id: _, created_at: __, updated_at: ___, ...rest }: Record<string, unknown>) => rest),
        )
      }
      expect(lists[1]).toEqual(lists[0])
      expect(lists[2]).toEqual(lists[0])
    } finally {
      rmSync(dir, { recursive: true })
    }
  })
})
