// Imports from every kind of source, and those that do not go smoothly: rows that fail, an answer that gets lost, a pause, a
// reload half-way, and taking it all back.
import { readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import writeXlsx from 'write-excel-file/node'
import { openBench, paste } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'
import { onlyInLongRun, sized } from '../support/test-size.ts'

const manyRows = sized(30_000, 60_000)
const many = ['Code,Amount', ...Array.from({ length: manyRows }, (_, index) => `C${index + 1},${index}`)].join('\n')

describe('import', () => {
  let bench: ConsoleBench
  let opened: ConsolePage

  const total = async (object: string): Promise<number> =>
    (await bench.api<{ total: number }>('GET', `/data/${object}?count=true&top=1`)).total

  const define = async (name: string, fields: Record<string, unknown>): Promise<unknown> =>
    bench.api('PUT', `/meta/object/${name}`, { name, label: name, pluralLabel: name, fields })

  beforeAll(async () => {
    bench = await openBench()
    await define('account', {
      code: { type: 'text', label: 'Code', required: true, unique: true },
      amount: { type: 'number', label: 'Amount' },
      kind: { type: 'select', label: 'Kind', options: [{ value: 'big', label: 'Big' }] },
    })
    await define('log', { code: { type: 'text', label: 'Code' }, amount: { type: 'number', label: 'Amount' } })
  })
  afterAll(async () => bench?.stop())
  beforeEach(async () => {
    opened = await bench.open('/')
  })
  afterEach(async () => opened.close())

  const go = async (route: string): Promise<void> => {
    await opened.page.evaluate((hash) => {
      window.location.hash = hash
    }, route)
  }

  const open = async (object: string): Promise<void> => {
    await go(`/o/${object}/import`)
    await opened.page.getByRole('heading', { name: `Import into ${object}` }).waitFor()
  }

  const choose = async (name: string, mimeType: string, content: string | Buffer): Promise<void> =>
    opened.page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer: Buffer.from(content) })

  const run = async (count: string): Promise<void> =>
    opened.page.getByRole('button', { name: new RegExp(`^Import ${count} record`) }).click()

  it('reports rows that fail with their reason, keeps the others, and hands out the failed ones', async () => {
    const { page } = opened
    await open('account')
    await paste(page, 'Code,Amount,Kind\nA1,12,Big\nA2,many,Big\n,5,\nA1,7,\nA3,8,Huge\n')
    await run('5')
    await page.getByRole('heading', { name: 'Import finished: account' }).waitFor()
    expect(await page.getByText('1 record added').isVisible()).toBe(true)
    expect(await page.getByText('4 rows failed').isVisible()).toBe(true)
    const reasons = async (): Promise<string[]> => {
      await page.getByRole('cell', { name: 'Code: A value is required.' }).waitFor()
      return page.getByRole('table').getByRole('row').locator('td:nth-child(2)').allTextContents()
    }
    const expected = [
      'Amount: This is not a number.',
      'Code: A value is required.',
      'Code: Another record already has this value, and it must be unique.',
      'Kind: This is not one of the choices.',
    ]
    expect(await reasons()).toEqual(expected)
    const save = async (): Promise<string[]> => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download failed rows as CSV' }).click(),
      ])
      expect(download.suggestedFilename()).toBe('account-failed.csv')
      return readFileSync(await download.path(), 'utf8').split('\r\n')
    }
    const lines = await save()
    expect(lines[0]).toBe('\uFEFFCode,Amount,Kind,reason')
    expect(lines[1]).toBe('A2,many,Big,Amount: This is not a number.')
    expect(await total('account')).toBe(1)
    // The host remembers the job; the cells of the table are gone with the page.
    await page.reload()
    await page.getByRole('heading', { name: 'Import finished: account' }).waitFor()
    expect(await reasons()).toEqual(expected)
    expect((await save()).slice(0, 2)).toEqual(['\uFEFFrow,reason', '2,Amount: This is not a number.'])
  })

  it('checks without writing, then imports what was checked', async () => {
    const { page } = opened
    await open('account')
    await paste(page, 'Code,Amount\nB1,1\nB2,two\n')
    await page.getByRole('button', { name: 'Check first' }).click()
    await page.getByRole('heading', { name: 'Check finished: account' }).waitFor()
    expect(await page.getByText('1 of 2 rows can be imported, 1 has a problem.').isVisible()).toBe(true)
    expect(await page.getByText('1 record would be added').isVisible()).toBe(true)
    await page.getByRole('cell', { name: 'Amount: This is not a number.' }).waitFor()
    expect(await total('account')).toBe(1)
    await page.getByRole('button', { name: 'Import 1 record, leave 1 out' }).click()
    await page.getByRole('heading', { name: 'Import finished: account' }).waitFor()
    expect(await total('account')).toBe(2)
  })

  it('offers nothing after a check that found no good row, and says why', async (test) => {
    onlyInLongRun(test)
    const { page } = opened
    await open('account')
    await paste(page, 'Code,Amount\nD1,one\nD2,two\n')
    await page.getByRole('button', { name: 'Check first' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('0 of 2 rows can be imported, 2 have problems.').waitFor()
    const button = page.getByRole('button', { name: 'Nothing to import' })
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    await page.getByText('Every row has a problem.', { exact: false }).waitFor()
    await button.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Rows with problems' }).waitFor()
    expect(await total('account')).toBe(2)
  })

  it('updates the records that match and gives them their earlier values back', async () => {
    const { page } = opened
    await open('account')
    await paste(page, 'Code,Amount\nA1,99\nC1,5\n')
    await page.getByRole('combobox', { name: 'Records that are there already' }).selectOption('upsert')
    await page.getByText('Choose by which columns a row finds its record').waitFor()
    await page.getByRole('checkbox', { name: 'Match records by column Code' }).check()
    await run('2')
    await page.getByText('2 records added or updated').waitFor()
    const amounts = async (): Promise<Record<string, unknown>> => {
      const { records } = await bench.api<{ records: { code: string; amount: number }[] }>('GET', '/data/account')
      return Object.fromEntries(records.map(({ code, amount }) => [code, amount]))
    }
    expect(await amounts()).toEqual({ A1: 99, B1: 1, C1: 5 })
    await page.getByRole('button', { name: 'Undo', exact: true }).last().click()
    const dialog = page.getByRole('dialog', { name: 'Undo the import?' })
    await dialog.getByText('The 1 record it changed in account gets its earlier values again.').waitFor()
    await dialog.getByRole('button', { name: 'Undo the import' }).click()
    await page.getByRole('heading', { name: 'Import undone: account' }).waitFor()
    expect(await page.getByText('1 record removed').isVisible()).toBe(true)
    expect(await amounts()).toEqual({ A1: 12, B1: 1 })
  })

  it('says what undoing has kept because somebody changed it since', async (test) => {
    onlyInLongRun(test)
    const { page } = opened
    await open('account')
    await paste(page, 'Code,Amount,Kind\nD1,1,\nD2,2,\nD3,3,Small\n')
    await run('3')
    await page.getByRole('heading', { name: 'Import finished: account' }).waitFor()
    const { records } = await bench.api<{ records: { id: string }[] }>('GET', '/data/account?code=D1')
    await bench.api('PATCH', `/data/account/${records[0]?.id}`, { amount: 1_000 })
    await page.getByRole('button', { name: 'Undo import' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Undo the import' }).click()
    await page.getByRole('heading', { name: 'Import undone: account' }).waitFor()
    expect(await page.getByText('1 record removed').isVisible()).toBe(true)
    expect(await page.getByText('1 row kept: somebody changed it since').isVisible()).toBe(true)
    await page.getByRole('cell', { name: 'Somebody changed the record since.' }).waitFor()
    expect(await total('account')).toBe(3)
  })

  it('links rows by what the records are called', async () => {
    const { page } = opened
    await define('entry', {
      name: { type: 'text', label: 'Name' },
      account: { type: 'lookup', label: 'Account', reference: 'account' },
    })
    await open('entry')
    await paste(page, 'Name,Account\nfirst,A1\nsecond,nobody\n')
    await run('2')
    await page.getByRole('heading', { name: 'Import finished: entry' }).waitFor()
    await page.getByRole('cell', { name: /^Account: / }).waitFor()
    const { records } = await bench.api<{ records: { account: { code: string } }[] }>(
      'GET',
      '/data/entry?expand=account',
    )
    expect(records.map((record) => record.account.code)).toEqual(['A1'])
  })

  const tables: [name: string, mimeType: string, content: string][] = [
    ['people.csv', 'text/csv', 'Name,Age\nAda,36\nAlan,41\n'],
    ['people.tsv', 'text/tab-separated-values', 'Name\tAge\nAda\t36\nAlan\t41\n'],
    ['people.json', 'application/json', '[{"Name":"Ada","Age":36},{"Name":"Alan","Age":41}]'],
    ['people.ndjson', 'application/x-ndjson', '{"Name":"Ada","Age":36}\n{"Name":"Alan","Age":41}\n'],
  ]

  it.each(sized(tables.slice(0, 1), tables))('makes a table of %s', async (name, mimeType, content) => {
    const { page } = opened
    await go('/new')
    await page.getByRole('heading', { name: 'New object' }).waitFor()
    await choose(name, mimeType, content)
    const table = name.replace('.', ' ')
    await page.getByRole('textbox', { name: 'Name of the object' }).fill(table)
    await page.getByRole('button', { name: 'Create with 2 records' }).click()
    await page.getByText('2 records added').waitFor()
    const object = name.replace('.', '_')
    const { records } = await bench.api<{ records: Record<string, unknown>[] }>('GET', `/data/${object}`)
    expect(records.map((record) => [record.name, record.age])).toEqual([
      ['Ada', 36],
      ['Alan', 41],
    ])
    const { jobs } = await bench.api<{ jobs: { fileName: string }[] }>('GET', '/data/import/jobs?limit=1')
    expect(jobs[0]?.fileName).toBe(name)
  })

  it('makes a table of the chosen sheet of a spreadsheet, with a column of links', async (test) => {
    onlyInLongRun(test)
    const { page } = opened
    const row = (...values: (string | number)[]) => values.map((value) => ({ value }))
    const file = await writeXlsx([
      { sheet: 'Notes', data: [row('Remark'), row('nothing here')] },
      { sheet: 'Orders', data: [row('Number', 'Account'), row(7, 'A1'), row(8, 'B1')] },
    ]).toBuffer()
    await go('/new')
    await page.getByRole('heading', { name: 'New object' }).waitFor()
    await choose('orders.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', file)
    await page.getByRole('textbox', { name: 'Field name of column Remark' }).waitFor()
    await page.getByRole('combobox', { name: 'Sheet' }).selectOption('Orders')
    await page.getByRole('combobox', { name: 'Type of column Account' }).selectOption({ label: 'Link to account' })
    await page.getByRole('button', { name: 'Create with 2 records' }).click()
    await page.getByText('2 records added').waitFor()
    const { records } = await bench.api<{ records: { number: number; account: { code: string } }[] }>(
      'GET',
      '/data/orders?expand=account',
    )
    expect(records.map((record) => [record.number, record.account.code])).toEqual([
      [7, 'A1'],
      [8, 'B1'],
    ])
  })

  it('saves exactly the records that are shown, in every format, and takes its own file back by the ids', async (test) => {
    onlyInLongRun(test)
    const { page } = opened
    await define('stock', {
      name: { type: 'text', label: 'Name' },
      amount: { type: 'number', label: 'Amount' },
      kind: { type: 'select', label: 'Kind', options: [{ value: 'big', label: 'Big' }] },
    })
    const records = ['one', 'two', 'three'].map((name, index) => ({ name, amount: index + 1, kind: 'big' }))
    await bench.api('POST', '/data/stock/createMany', { records })
    // Wide enough for the button: with a filter in words it is in the menu of tools otherwise.
    await page.setViewportSize({ width: 1720, height: 900 })
    await go('/o/stock?f=amount.gte.2&s=-amount')
    await page.getByText('2 records found').waitFor()
    const save = async (format: string): Promise<Buffer> => {
      await page.getByRole('button', { name: 'Export' }).focus()
      await page.keyboard.press('Enter')
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: new RegExp(`^${format}`) }).click(),
      ])
      expect(download.suggestedFilename()).toMatch(new RegExp(`^stock.*[.]${format.toLowerCase()}$`))
      await expect.poll(async () => page.evaluate(() => document.activeElement?.textContent)).toBe('Export')
      return readFileSync(await download.path())
    }
    const csv = (await save('CSV')).toString()
    expect(csv.charAt(0)).toBe('\uFEFF')
    expect(csv).toMatch(/three,3,Big.*\r?\n.*two,2,Big/)
    expect(csv).not.toContain('one,1')
    const json = await save('JSON')
    const listed = JSON.parse(json.toString()) as { id: string; name: string }[]
    expect(listed.map((record) => record.name)).toEqual(['three', 'two'])
    const lines = (await save('NDJSON')).toString().trim().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { name: string }).name)).toEqual(['three', 'two'])
    const sheet = await save('XLSX')
    expect(sheet.subarray(0, 2).toString()).toBe('PK')
    await bench.api('PATCH', `/data/stock/${listed[0]?.id}`, { amount: 50 })
    await open('stock')
    await choose('stock.json', 'application/json', json)
    await page.getByRole('combobox', { name: 'Field for column id' }).waitFor()
    expect(await page.getByRole('combobox', { name: 'Field for column id' }).inputValue()).toBe('id')
    expect(await page.getByRole('combobox', { name: 'Records that are there already' }).inputValue()).toBe('upsert')
    await run('2')
    await page.getByText(/^2 records added or updated/).waitFor()
    const after = await bench.api<{ records: { amount: number }[] }>('GET', '/data/stock')
    expect(after.records.map((record) => record.amount)).toEqual([1, 2, 3])
  })

  it('adds no row twice when the answer to the start is lost', async () => {
    const { page } = opened
    let lost = false
    await page.route('**/data/log/import/jobs?**', async (route) => {
      if (lost) return route.continue()
      lost = true
      // The host has begun; the page never hears of it.
      await route.fetch()
      return route.abort('connectionreset')
    })
    await open('log')
    await paste(page, 'Code,Amount\nL1,1\nL2,2\n')
    await run('2')
    await page.getByText('starting it once more finds it and adds nothing twice').waitFor()
    await run('2')
    await page.getByText('2 records added').waitFor()
    expect(await total('log')).toBe(2)
  })

  it('pauses, survives a reload, goes on, and lists the records in the order of the table', async () => {
    const { page } = opened
    const before = await total('log')
    await open('log')
    await paste(page, many)
    await run(manyRows.toLocaleString('en'))
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('heading', { name: 'Import paused: log' }).waitFor()
    const paused = await total('log')
    expect(paused).toBeLessThan(before + manyRows)
    await page.reload()
    await page.getByRole('heading', { name: 'Import paused: log' }).waitFor()
    await go('/imports')
    await page.getByRole('row', { name: /Pasted table log Paused/ }).waitFor()
    expect(await total('log')).toBe(paused)
    await page
      .getByRole('row', { name: /Paused/ })
      .getByRole('link')
      .click()
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByRole('heading', { name: 'Import finished: log' }).waitFor({ timeout: 60_000 })
    expect(await total('log')).toBe(before + manyRows)
    const { records } = await bench.api<{ records: { code: string }[] }>(
      'GET',
      `/data/log?top=1000&skip=${before + 1500}`,
    )
    expect(records.map((record) => record.code)).toEqual(
      Array.from({ length: 1_000 }, (_, index) => `C${index + 1501}`),
    )
  })

  it('stops half-way and takes back exactly what it added', async (test) => {
    onlyInLongRun(test)
    const { page } = opened
    const existing = await total('log')
    await open('log')
    await paste(page, many)
    await run(manyRows.toLocaleString('en'))
    await page
      .getByText(/rows per second/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('heading', { name: 'Import stopped: log' }).waitFor()
    const added = (await total('log')) - existing
    expect(added).toBeGreaterThan(0)
    expect(added).toBeLessThan(manyRows)
    await page.getByRole('button', { name: 'Undo import' }).click()
    await page
      .getByRole('dialog', { name: 'Undo the import?' })
      .getByRole('button', { name: 'Undo the import' })
      .click()
    await page.getByRole('heading', { name: 'Import undone: log' }).waitFor({ timeout: 60_000 })
    expect(await total('log')).toBe(existing)
  })

  it('deletes the new table again after asking', async (test) => {
    onlyInLongRun(test)
    const { page } = opened
    await go('/new')
    await page.getByRole('heading', { name: 'New object' }).waitFor()
    await paste(page, 'Day;Weight\n31.12.2025;1.234,5\n01.01.2026;2,25\n')
    await page.getByRole('heading', { name: 'Check the columns' }).waitFor()
    await page.getByRole('textbox', { name: 'Name of the object' }).fill('Weights')
    await page.getByRole('button', { name: 'Create with 2 records' }).click()
    await page.getByText('2 records added').waitFor()
    const { records } = await bench.api<{ records: Record<string, unknown>[] }>('GET', '/data/weights')
    expect(records.map(({ day, weight }) => ({ day, weight }))).toEqual([
      { day: '2025-12-31', weight: 1234.5 },
      { day: '2026-01-01', weight: 2.25 },
    ])
    await page.getByRole('button', { name: 'Undo' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete the new object?' })
    await dialog.getByRole('button', { name: 'Delete the object' }).click()
    await page.getByText('The import was undone.').waitFor()
    const { items } = await bench.api<{ items: { name: string }[] }>('GET', '/meta/object')
    expect(items.map((item) => item.name)).not.toContain('weights')
  })
})
