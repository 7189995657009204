// Exports over HTTP: D-69 and C11 of the safety promises.
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import Papa from 'papaparse'
import { readSheet } from 'read-excel-file/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { onlyInLongRun } from '../support/test-size.ts'

let host: TestHost
let acme: string

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('account', { name: { type: 'text' }, city: { type: 'text' } })
  await host.defineObject('deal', {
    title: { type: 'text' },
    notes: { type: 'textarea' },
    amount: { type: 'number' },
    stage: {
      type: 'select',
      options: [
        { value: 'won', label: 'Closed, won' },
        { value: 'open', label: 'Open' },
      ],
    },
    labels: { type: 'tags' },
    due: { type: 'date' },
    seen: { type: 'datetime' },
    big: { type: 'boolean' },
    account: { type: 'lookup', reference: 'account' },
  })
  acme = (await host.post('/data/account', { name: 'Acme', city: 'Oslo' })).body.id
  const made = await host.post('/data/deal/createMany', {
    records: [
      { title: 'Plain', amount: -5.5, stage: 'won', labels: ['a', 'b'], due: '2026-02-01', account: acme, big: true },
      { title: '=HYPERLINK("x")', amount: 7, stage: 'open', seen: '2026-02-01T10:00:00.000Z', big: false },
      { title: 'Line, "quoted"', notes: 'Line\nbreak', labels: ['with, comma'] },
      { title: 'Last', amount: 0 },
    ],
  })
  expect(made.body).toMatchObject({ count: 4 })
})

afterAll(() => host.stop())

const exported = (query: string) => host.get(`/data/deal/export?${query}`)
const table = (text: string) => Papa.parse<string[]>(text, { skipEmptyLines: true }).data

async function download(query: string): Promise<Buffer> {
  const response = await host.ask(`/api/v1/data/deal/export?${query}`, {
    headers: { authorization: `Bearer ${host.host.token}` },
  })
  expect(response.status).toBe(200)
  return Buffer.from(await response.arrayBuffer())
}

describe('GET /data/:object/export', () => {
  it('writes CSV with a header of field names, lines as RFC 4180 wants them, numbers as numbers', async () => {
    const { status, body, headers } = await exported('select=title,notes,amount,labels,due,seen,big')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="deal-\d{4}-\d{2}-\d{2}\.csv"$/)
    const rows = table(body)
    expect(rows[0]).toEqual(['title', 'notes', 'amount', 'labels', 'due', 'seen', 'big'])
    expect(rows.find((row) => row[0] === 'Plain')).toEqual(['Plain', '', '-5.5', 'a;b', '2026-02-01', '', 'true'])
    expect(rows.find((row) => row[0]!.startsWith('Line'))).toEqual([
      'Line, "quoted"',
      'Line\nbreak',
      '',
      '["with, comma"]',
      '',
      '',
      '',
    ])
    expect(body).toContain('"Line, ""quoted""","Line\nbreak"')
    expect(body.endsWith('\r\n')).toBe(true)
    expect(rows.find((row) => row[0]!.includes('HYPERLINK'))).toEqual([
      '\'=HYPERLINK("x")',
      '',
      '7',
      '',
      '',
      '2026-02-01T10:00:00.000Z',
      'false',
    ])
  })

  it('honours filter, conditions, sort, top and skip, and has no limit of its own without top', async () => {
    const titles = async (query: string) =>
      table((await exported(`select=title&${query}`)).body)
        .slice(1)
        .flat()
    expect(await titles('sort=-title')).toEqual(['Plain', 'Line, "quoted"', 'Last', '\'=HYPERLINK("x")'])
    expect(await titles('stage=won')).toEqual(['Plain'])
    expect(await titles(`filter=${encodeURIComponent('{"amount":{"$gte":0}}')}&sort=title`)).toEqual([
      '\'=HYPERLINK("x")',
      'Last',
    ])
    expect(await titles('sort=title&top=2&skip=1')).toEqual(['Last', 'Line, "quoted"'])
    expect(await titles('search=plain')).toEqual(['Plain'])
    await host.defineObject('number', { n: { type: 'number' } })
    await host.post('/data/number/import', { rows: Array.from({ length: 2_600 }, (_, n) => ({ n })) })
    const all = table((await host.get('/data/number/export?select=n&sort=-n')).body)
      .slice(1)
      .flat()
    expect(all).toEqual(Array.from({ length: 2_600 }, (_, n) => String(2_599 - n)))
  })

  it('follows relation paths and writes choices by value or by label', async () => {
    const rows = table(
      (await exported('select=title,stage,account,account.name,account.city&stage=won&cells=labels')).body,
    )
    expect(rows).toEqual([
      ['title', 'stage', 'account', 'account.name', 'account.city'],
      ['Plain', 'Closed, won', acme, 'Acme', 'Oslo'],
    ])
  })

  it('writes JSON and NDJSON as the list answers them', async () => {
    const list = (await host.get('/data/deal?sort=title')).body.records
    expect((await exported('format=json&sort=title')).body).toEqual(list)
    const { body, headers } = await exported('format=ndjson&sort=title')
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
    expect(
      body
        .trim()
        .split('\n')
        .map((line: string) => JSON.parse(line)),
    ).toEqual(list)
    expect((await exported('format=json&title=nobody')).body).toEqual([])
  })

  it('writes XLSX whose cells keep their types', async () => {
    const rows = await readSheet(await download('format=xlsx&select=title,amount,big,due&sort=title'))
    expect(rows).toEqual([
      ['title', 'amount', 'big', 'due'],
      ['\'=HYPERLINK("x")', 7, false, null],
      ['Last', 0, null, null],
      ['Line, "quoted"', null, null, null],
      ['Plain', -5.5, true, '2026-02-01'],
    ])
  })

  it('writes other delimiters and a byte order mark', async () => {
    const bytes = await download('select=title,labels&stage=won&delimiter=%3B&bom=true')
    expect(bytes.toString('utf8')).toBe('\uFEFFtitle;labels\r\nPlain;"a;b"\r\n')
  })

  it('leaves the names of the columns out, and takes another spelling of the order', async () => {
    expect((await download('select=title&stage=won&header=false')).toString('utf8')).toBe('Plain\r\n')
    const falling = table((await exported('select=title&orderby=title:desc&top=2')).body)
    expect(falling).toEqual([['title'], ['Plain'], ['Line, "quoted"']])
    for (const order of [[{ field: 'title', order: 'desc' }], { title: 'desc' }]) {
      const query = `select=title&orderby=${encodeURIComponent(JSON.stringify(order))}&top=2`
      expect(table((await exported(query)).body)).toEqual(falling)
    }
  })

  it('takes deleted records along when asked to', async () => {
    const gone = (await host.post('/data/deal', { title: 'Gone' })).body.id
    await host.delete(`/data/deal/${gone}`)
    expect(table((await exported('select=title&deleted=only')).body)).toEqual([['title'], ['Gone']])
  })

  it('writes groups as a table of their own', async () => {
    const query = `groupBy=stage&aggregations=${encodeURIComponent('[{"function":"count","alias":"n"}]')}`
    const rows = table((await exported(query)).body)
    expect(rows[0]).toEqual(['stage', 'n'])
    expect(rows.slice(1).toSorted()).toEqual([
      ['', '2'],
      ['open', '1'],
      ['won', '1'],
    ])
  })

  it('never writes secrets, by no name and in no format', async () => {
    await host.defineObject('safe', { name: { type: 'text' }, pin: { type: 'password' }, key: { type: 'secret' } })
    const canary = 'canary-7f3a'
    const made = await host.post('/data/safe', { name: 'n', pin: `${canary}-1`, key: `${canary}-2` })
    expect(made.status).toBe(201)
    for (const query of ['', 'format=json', 'format=ndjson', 'select=name,pin,key', 'format=ndjson&select=pin,key']) {
      const { status, body } = await host.get(`/data/safe/export?${query}`)
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      expect(status).toBe(200)
      expect(text).not.toContain(canary)
      expect(text).not.toMatch(/pin|key/)
    }
  })

  it('refuses unknown formats, fields, objects, cursors, and objects without export', async () => {
    for (const query of ['format=pdf', 'select=nope', 'nope=1', 'cells=x', 'cursor=abc', 'bom=maybe', 'top=x']) {
      const { status, body } = await exported(query)
      expect([query, status, body.error.code]).toEqual([query, 400, 'invalid_query'])
    }
    expect((await host.get('/data/none/export')).status).toBe(404)
    expect((await host.anonymous('GET', '/data/deal/export')).status).toBe(401)
    await host.defineObject('closed', { a: { type: 'text' } }, { enable: { apiMethods: ['list'] } })
    expect((await host.get('/data/closed/export')).status).toBe(405)
  })

  describe('ends where the key that began it holds no more', () => {
    beforeAll(async () => {
      await host.defineObject('long', { text: { type: 'textarea', maxLength: 5000 } })
      // Hardly to be made smaller: a spreadsheet of it is as long as its text.
      const rows = Array.from({ length: 6_000 }, (_, n) => ({ text: `${n} ${randomBytes(3_000).toString('base64')}` }))
      for (let part = 0; part < 3; part += 1)
        await host.post('/data/long/import', { rows: rows.slice(part * 2_000, part * 2_000 + 2_000) })
    })

    it.each([
      ['as ndjson', 'ndjson'],
      ['as xlsx', 'xlsx'],
    ])('%s', async (_title, format) => {
      const { body: made } = await host.post('/keys', { name: `download ${format}` })
      const url = `${host.host.url}/api/v1/data/long/export?format=${format}`
      // Nobody reads on yet: what is written waits.
      const response = await fetch(url, { headers: { 'x-api-key': made.key } })
      expect(response.status).toBe(200)
      const reader = response.body!.getReader()
      let bytes = (await reader.read()).value!.length
      expect((await host.delete(`/keys/${made.id}`)).status).toBe(200)
      const readOn = async (): Promise<void> => {
        for (;;) {
          const { done, value } = await reader.read()
          if (done) return
          bytes += value.length
        }
      }
      await expect(readOn()).rejects.toThrow()
      expect(bytes).toBeLessThan(12_000_000)
    })
  })

  it('ends its process when the client goes away', async (test) => {
    onlyInLongRun(test)
    const rows = Array.from({ length: 10_000 }, (_, n) => ({ text: `${n} ${'x'.repeat(2_000)}` }))
    await host.defineObject('wide', { text: { type: 'textarea', maxLength: 5000 } })
    for (let part = 0; part < 5; part += 1) {
      await host.post('/data/wide/import', { rows: rows.slice(part * 2_000, part * 2_000 + 2_000) })
    }
    // Four downloads that stop reading take every place; once they are given up a fifth finds one.
    const abort = new AbortController()
    const url = `${host.host.url}/api/v1/data/wide/export?format=ndjson`
    const headers = { authorization: `Bearer ${host.host.token}` }
    const held: Response[] = []
    for (let n = 0; n < 4; n += 1) held.push(await fetch(url, { headers, signal: abort.signal }))
    expect(held.map((response) => response.status)).toEqual([200, 200, 200, 200])
    expect((await host.get('/data/wide/export?format=ndjson&top=1')).status).toBe(503)
    abort.abort()
    await expect(held[0]!.text()).rejects.toThrow()
    for (let tries = 0; tries < 100; tries += 1) {
      const { status } = await host.get('/data/wide/export?format=ndjson&top=1')
      if (status === 200) break
      await pause(50)
    }
    expect((await host.get('/data/wide/export?format=ndjson&top=1')).status).toBe(200)
  })
})
