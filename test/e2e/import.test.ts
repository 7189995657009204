// Imports that do not go smoothly: rows that fail, an answer that gets lost, a stop half-way, and taking it all back.
import { readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openBench, paste } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'

const manyRows = 3_000
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

  it('reports rows that fail with their reason, keeps the others, and hands out the failed ones', async () => {
    const { page } = opened
    await go('/o/account/import')
    await page.getByRole('heading', { name: 'Import into account' }).waitFor()
    await paste(page, 'Code,Amount,Kind\nA1,12,Big\nA2,many,Big\n,5,\nA1,7,\nA3,8,Huge\n')
    await page.getByRole('button', { name: 'Import 5 records' }).click()
    await page.getByRole('heading', { name: 'Import finished: account' }).waitFor()
    expect(await page.getByText('1 record added').isVisible()).toBe(true)
    expect(await page.getByText('4 rows failed').isVisible()).toBe(true)
    const reasons = await page.getByRole('table').getByRole('row').allTextContents()
    expect(reasons.slice(1).map((text) => /^\d+(.*?\.)/.exec(text)?.[1])).toEqual([
      'Amount: This is not a number.',
      'Code: A value is required.',
      'Code: Another record already has this value.',
      'Kind: This is not one of the choices.',
    ])
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download failed rows as CSV' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('account-failed.csv')
    const lines = readFileSync(await download.path(), 'utf8').split('\r\n')
    expect(lines[0]).toBe('\uFEFFCode,Amount,Kind,reason')
    expect(lines[1]).toBe('A2,many,Big,Amount: This is not a number.')
    expect(await total('account')).toBe(1)
  })

  it('adds no row twice when an answer is lost and the import goes on', async () => {
    const { page } = opened
    let requests = 0
    await page.route('**/data/log/import', async (route) => {
      requests += 1
      if (requests !== 2) return route.continue()
      // The host has done its work; the page never hears of it.
      await route.fetch()
      return route.abort('connectionreset')
    })
    await go('/o/log/import')
    await page.getByRole('heading', { name: 'Import into log' }).waitFor()
    await paste(page, many)
    await page.getByRole('button', { name: 'Import 3,000 records' }).click()
    await page.getByRole('heading', { name: 'Import interrupted: log' }).waitFor()
    const before = await total('log')
    expect(before).toBeGreaterThan(500)
    await page.getByRole('button', { name: 'Go on with the rest' }).click()
    await page.getByText('3,000 records added').first().waitFor()
    expect(await total('log')).toBe(manyRows)
  })

  it('lists imported records in the order of the table', async () => {
    const { records } = await bench.api<{ records: { code: string }[] }>('GET', '/data/log?top=1000&skip=1500')
    expect(records.map((record) => record.code)).toEqual(
      Array.from({ length: 1_000 }, (_, index) => `C${index + 1501}`),
    )
  })

  it('stops after the part under way and takes back exactly what it added', async () => {
    const { page } = opened
    const existing = await total('log')
    let held: (() => void) | undefined
    await page.route('**/data/log/import', async (route) => {
      await new Promise<void>((resolve) => {
        held = resolve
      })
      await route.continue()
    })
    await go('/o/log/import')
    await page.getByRole('heading', { name: 'Import into log' }).waitFor()
    await paste(page, many)
    await page.getByRole('button', { name: 'Import 3,000 records' }).click()
    await expect.poll(() => held).toBeDefined()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopping after this part').waitFor()
    held?.()
    await page.getByRole('heading', { name: 'Import stopped: log' }).waitFor()
    const added = (await total('log')) - existing
    expect(added).toBeGreaterThan(0)
    expect(added).toBeLessThan(manyRows)
    await page.getByRole('button', { name: 'Undo import' }).click()
    await page
      .getByRole('dialog', { name: 'Undo the import?' })
      .getByRole('button', { name: 'Delete the records' })
      .click()
    await page.getByText('The import was undone.').waitFor()
    expect(await total('log')).toBe(existing)
  })

  it('deletes the new table again after asking', async () => {
    const { page } = opened
    await go('/new')
    await page.getByRole('heading', { name: 'New table' }).waitFor()
    await paste(page, 'Day;Weight\n31.12.2025;1.234,5\n01.01.2026;2,25\n')
    await page.getByRole('heading', { name: 'Check the columns' }).waitFor()
    await page.getByRole('textbox', { name: 'Name of the table' }).fill('Weights')
    await page.getByRole('button', { name: 'Create with 2 records' }).click()
    await page.getByText('2 records added').waitFor()
    const { records } = await bench.api<{ records: Record<string, unknown>[] }>('GET', '/data/weights')
    expect(records.map(({ day, weight }) => ({ day, weight }))).toEqual([
      { day: '2025-12-31', weight: 1234.5 },
      { day: '2026-01-01', weight: 2.25 },
    ])
    await page.getByRole('button', { name: 'Undo' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete the new table?' })
    await dialog.getByRole('button', { name: 'Delete the table' }).click()
    await page.getByText('The import was undone.').waitFor()
    const { items } = await bench.api<{ items: { name: string }[] }>('GET', '/meta/object')
    expect(items.map((item) => item.name)).not.toContain('weights')
  })
})
