// The job the product is for, in a real browser over a real host: paste a table, see it, change it, find it again.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readAirportsCsv } from '../support/datasets.ts'
import { openBench, paste } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'

interface Airports {
  records: { id: string; iata: string; name: string; latitude: number }[]
  total: number
}

describe('main job', () => {
  let bench: ConsoleBench
  let opened: ConsolePage

  beforeAll(async () => {
    bench = await openBench()
    opened = await bench.open()
  })
  afterAll(async () => bench?.stop())

  it('asks one question on the first run and takes a pasted table at once', async () => {
    const { page } = opened
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('What do you want to keep track of?')
    expect(page.url()).not.toMatch(/#[^/]/)
    await paste(page, readAirportsCsv())
    await page.getByRole('heading', { name: 'Check the columns' }).waitFor()
    expect(await page.getByText('3,376 rows, 7 columns, separated by commas').isVisible()).toBe(true)
  })

  it('guesses a type for every column', async () => {
    const { page } = opened
    const typeOf = async (column: string): Promise<string> =>
      page.getByRole('combobox', { name: `Type of column ${column}` }).inputValue()
    const columns = ['iata', 'name', 'city', 'state', 'country', 'latitude', 'longitude']
    expect(await Promise.all(columns.map(typeOf))).toEqual([
      'text',
      'text',
      'text',
      'text',
      'select',
      'number',
      'number',
    ])
  })

  it('creates the object and shows its rows in the grid', async () => {
    const { page } = opened
    await page.getByRole('textbox', { name: 'Name of the object' }).fill('Airports')
    await page.getByRole('button', { name: /Create with 3,376 records/ }).click()
    await page.getByRole('grid', { name: 'Records of Airports' }).waitFor()
    await page.getByRole('gridcell', { name: 'Thigpen', exact: true }).waitFor()
    await page.getByText('3,376 records', { exact: true }).waitFor()
    await page.getByText('3,376 records added').waitFor()
    expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe('3378')
  })

  it('sorts by a header and says so in the address', async () => {
    const { page } = opened
    await page.getByRole('columnheader', { name: /^Name/ }).click()
    await page.waitForFunction(() => window.location.hash.includes('s=name'))
    await page.getByRole('columnheader', { name: /^Name/ }).click()
    await page.waitForFunction(() => window.location.hash.includes('s=-name'))
    const [last] = (await bench.api<Airports>('GET', '/data/airports?sort=-name&top=1')).records
    await expect
      .poll(async () => page.getByRole('row').nth(1).getByRole('gridcell').nth(1).textContent())
      .toBe(last?.name)
  })

  it('filters by one condition and says so in the address', async () => {
    const { page } = opened
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('combobox', { name: 'Field' }).selectOption('latitude')
    await page.getByRole('combobox', { name: 'Condition' }).selectOption('gte')
    await page.getByRole('textbox', { name: 'Value' }).fill('60')
    await page.waitForFunction(() => window.location.hash.includes('f=latitude.gte.60'))
    await page.keyboard.press('Escape')
    const { total } = await bench.api<Airports>('GET', '/data/airports?latitude=60&count=true&top=1')
    expect(total).toBe(0)
    await page.getByText(/^\d+ records found$/).waitFor()
    const shown = Number(/^\d+/.exec((await page.getByText(/^\d+ records found$/).textContent()) ?? '')?.[0])
    const filter = encodeURIComponent(JSON.stringify({ latitude: { $gte: 60 } }))
    expect(shown).toBe((await bench.api<Airports>('GET', `/data/airports?filter=${filter}&count=true&top=1`)).total)
  })

  it('opens the same view from its address', async () => {
    const address = new URL(opened.page.url()).hash.slice(1)
    const other = await bench.open(address)
    await other.page.getByText(/^\d+ records found$/).waitFor()
    expect(other.errors).toEqual([])
    await other.close()
  })

  it('saves an edited cell under the keyboard', async () => {
    const { page } = opened
    await page.evaluate(() => {
      window.location.hash = '/o/airports?s=iata'
    })
    await page.getByRole('gridcell', { name: 'Thigpen', exact: true }).click()
    await page.keyboard.press('Enter')
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('Thigpen Field')
    await page.keyboard.press('Enter')
    await page.getByRole('gridcell', { name: 'Thigpen Field', exact: true }).waitFor()
    await expect
      .poll(async () => (await bench.api<Airports>('GET', '/data/airports?iata=00M')).records[0]?.name)
      .toBe('Thigpen Field')
  })

  it('takes the edit back with one key', async () => {
    const { page } = opened
    await page.keyboard.press('ControlOrMeta+Z')
    await expect
      .poll(async () => (await bench.api<Airports>('GET', '/data/airports?iata=00M')).records[0]?.name)
      .toBe('Thigpen')
    await page.keyboard.press('ControlOrMeta+Shift+Z')
    await expect
      .poll(async () => (await bench.api<Airports>('GET', '/data/airports?iata=00M')).records[0]?.name)
      .toBe('Thigpen Field')
  })

  it('shows both values when a cell was changed elsewhere, and keeps the typed one on demand', async () => {
    const { page } = opened
    const [airport] = (await bench.api<Airports>('GET', '/data/airports?iata=00R')).records
    await page.getByRole('gridcell', { name: 'Livingston Municipal', exact: true }).click()
    await page.keyboard.press('Enter')
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('Mine')
    await bench.api('PATCH', `/data/airports/${airport?.id}`, { name: 'Theirs' })
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'This value was changed elsewhere' })
    await dialog.getByText('Theirs', { exact: true }).last().waitFor()
    await dialog.getByText('Mine', { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Keep mine' }).click()
    await expect
      .poll(async () => (await bench.api<Airports>('GET', '/data/airports?iata=00R')).records[0]?.name)
      .toBe('Mine')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid')
  })

  it('deletes ticked records and restores them from the message', async () => {
    const { page } = opened
    await page.getByRole('row').filter({ hasText: 'Thigpen Field' }).hover()
    await page.getByRole('checkbox', { name: 'Select row 1', exact: true }).click()
    await page.getByRole('button', { name: 'Delete 1 record' }).click()
    await page.getByText('1 record deleted').waitFor()
    expect((await bench.api<Airports>('GET', '/data/airports?count=true&top=1')).total).toBe(3375)
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await page.getByText('1 record restored').waitFor()
    expect((await bench.api<Airports>('GET', '/data/airports?count=true&top=1')).total).toBe(3376)
  })

  it('finds everything again after a restart of the host', async () => {
    expect(opened.errors.filter((line) => !line.includes('409'))).toEqual([])
    await opened.close()
    await bench.restart()
    const after = await bench.open('/o/airports')
    await after.page.getByRole('gridcell', { name: 'Thigpen Field', exact: true }).waitFor()
    await after.page.getByText('3,376 records', { exact: true }).waitFor()
    expect(after.errors).toEqual([])
    await after.close()
  })
})
