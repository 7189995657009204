// Rows under group headings in a real browser: figures against the data itself, the keyboard alone, edits that lead to
// another group, what is kept, and what is asked of the host.
import Papa from 'papaparse'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Locator, Page } from 'playwright-core'
import { readAirportsCsv } from '../support/datasets.ts'
import { openBench } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'
import { seedWorkspace } from './seed-workspace.ts'

type Airport = Readonly<Record<'iata' | 'name' | 'state' | 'country' | 'latitude', string>>

const airports = Papa.parse<Airport>(readAirportsCsv(), { header: true, skipEmptyLines: true }).data
const byState = Map.groupBy(airports, ({ state }) => state)
/** Groups and rows are asked for again a moment after an edit. */
const patient = { timeout: 15_000 }
const number = (value: number): string => new Intl.NumberFormat('en', { maximumFractionDigits: 2 }).format(value)

let bench: ConsoleBench
let open: ConsolePage
let page: Page
/** Lists that were asked for since the test began. */
let lists: URL[] = []

const go = async (route: string): Promise<void> => {
  await page.goto('about:blank')
  lists = []
  await page.goto(`${bench.host.url}${bench.host.uiBasePath}/#${route}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
}
const heading = (name: string | RegExp): Locator => page.getByRole('rowheader', { name })
const groupRow = (name: string): Locator => page.getByRole('row').filter({ has: heading(new RegExp(`^${name},`)) })
const activeName = async (): Promise<string | null> =>
  page.evaluate(() => {
    const id = document.querySelector('[role=treegrid]')?.getAttribute('aria-activedescendant')
    const cell = id ? document.getElementById(id) : null
    return cell?.getAttribute('aria-label') ?? cell?.textContent ?? null
  })

beforeAll(async () => {
  bench = await openBench()
  await seedWorkspace(bench)
  await bench.api('PUT', '/meta/object/airport', {
    name: 'airport',
    label: 'Airport',
    pluralLabel: 'Airports',
    fields: {
      iata: { type: 'text', label: 'IATA' },
      state: { type: 'text', label: 'State' },
      country: { type: 'text', label: 'Country' },
      latitude: { type: 'number', label: 'Latitude' },
    },
  })
  const rows = airports.map(({ iata, state, country, latitude }) => ({
    iata,
    state,
    country,
    latitude: Number(latitude),
  }))
  await bench.api('POST', '/data/airport/import', { rows })
  open = await bench.open('/')
  page = open.page
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.pathname.includes('/api/v1/data/')) lists.push(url)
  })
})
afterAll(async () => {
  await open?.close()
  await bench?.stop()
})
/** Closes all groups in the dialog. */
const closeAll = async (): Promise<void> => {
  await page.getByRole('button', { name: /^Grouped by/ }).click()
  await page.getByRole('button', { name: 'Close all groups' }).click()
  await page.keyboard.press('Escape')
}

beforeEach(() => {
  lists = []
})

describe('a grouped grid', () => {
  it('heads 3,376 airports with what the data itself says, asked for at once', async () => {
    await go('/o/airport?g=country,state&t=latitude.avg')
    const usa = airports.filter(({ country }) => country === 'USA')
    await heading(new RegExp(`^Country: USA, ${number(usa.length)} rows`)).waitFor()
    const texas = byState.get('TX') ?? []
    const average = texas.reduce((sum, { latitude }) => sum + Number(latitude), 0) / texas.length
    await page.getByRole('treegrid').focus()
    await page.keyboard.press('ControlOrMeta+End')
    await page.getByText('Total', { exact: true }).waitFor()
    const all = airports.reduce((sum, { latitude }) => sum + Number(latitude), 0) / airports.length
    await page.getByRole('gridcell', { name: `Average ${number(all)}` }).waitFor()
    expect(lists.filter((url) => url.searchParams.has('groupBy'))).toHaveLength(1)
    // Every state is closed, because there are many: nothing of them was loaded.
    await go('/o/airport?g=state&t=latitude.avg')
    await heading(/^State: AK,/).waitFor()
    expect(byState.size).toBeGreaterThan(50)
    await page.getByRole('treegrid').focus()
    const place = [...byState.keys()].toSorted().indexOf('TX')
    for (let step = 0; step < place; step++) await page.keyboard.press('ArrowDown')
    await expect.poll(activeName).toBe(`State: TX, ${texas.length} rows, Average of Latitude ${number(average)}`)
  })

  it('loads no rows of closed groups, and of an open one those on screen', async () => {
    await go('/o/airport?g=state&s=iata')
    await heading(/^State: AL,/).waitFor()
    const rowLists = (): URL[] =>
      lists.filter((url) => url.pathname.endsWith('/airport') && !url.searchParams.has('aggregations'))
    expect(rowLists()).toEqual([])
    await heading(/^State: AK,/).click()
    const alaska = (byState.get('AK') ?? []).map(({ iata }) => iata).toSorted()
    await page.getByRole('gridcell', { name: alaska[0] ?? '', exact: true }).waitFor()
    expect(rowLists().map((url) => JSON.parse(url.searchParams.get('filter') ?? ''))).toEqual([
      { state: { $eq: 'AK' } },
    ])
    // On through all of its 263 rows: the second block continues the first.
    await page.getByRole('treegrid').focus()
    const last = page.getByRole('gridcell', { name: alaska.at(-1) ?? '', exact: true })
    for (let step = 0; step < 30 && !(await last.isVisible()); step++) await page.keyboard.press('PageDown')
    await last.waitFor()
    expect(rowLists().some((url) => url.searchParams.has('cursor'))).toBe(true)
  })

  it('is worked by the keyboard alone, and keeps what is open', async () => {
    await go('/o/book?g=genre')
    await heading(/^Genre: \(empty\), 48 rows/).waitFor()
    const grid = page.getByRole('treegrid')
    await grid.focus()
    await expect.poll(activeName).toMatch(/^Genre: \(empty\), 48 rows/)
    await page.keyboard.press('ArrowLeft')
    await expect.poll(async () => groupRow('Genre: \\(empty\\)').getAttribute('aria-expanded')).toBe('false')
    await page.keyboard.press('ArrowDown')
    await expect.poll(activeName).toMatch(/^Genre: Novel, 48 rows/)
    await page.keyboard.press('Enter')
    await expect.poll(async () => groupRow('Genre: Novel').getAttribute('aria-expanded')).toBe('false')
    await page.keyboard.press('ArrowRight')
    await expect.poll(async () => groupRow('Genre: Novel').getAttribute('aria-expanded')).toBe('true')
    await page.keyboard.press('ArrowRight')
    await expect.poll(activeName).toBe('Book 1')
    await page.reload()
    await heading(/^Genre: Novel, 48 rows/).waitFor()
    await expect.poll(async () => groupRow('Genre: \\(empty\\)').getAttribute('aria-expanded')).toBe('false')
    await expect.poll(async () => groupRow('Genre: Novel').getAttribute('aria-expanded')).toBe('true')
    const book = page.getByRole('row').filter({ has: page.getByRole('gridcell', { name: 'Book 6', exact: true }) })
    expect(await book.getAttribute('aria-level')).toBe('2')
  })

  it('moves a record to the group an edit leads to, figures included, and back by undo', async () => {
    await page.setViewportSize({ width: 1440, height: 2300 })
    await go('/o/book?g=genre&t=pages.sum')
    await heading(/^Genre: \(empty\), 48 rows/).waitFor()
    await closeAll()
    await heading(/^Genre: History, 48 rows/).waitFor()
    await heading(/^Genre: \(empty\)/).click()
    const before = await sums()
    const row = page.getByRole('row').filter({ has: page.getByRole('gridcell', { name: 'Book 10', exact: true }) })
    await row.getByRole('gridcell').nth(1).click()
    await page.keyboard.type('Nov')
    await page.keyboard.press('Enter')
    const figures = (n: number, pages: number): string => `${n} rows, Sum of Pages ${number(pages)}`
    const { novel, none } = before
    const leaves = [`Genre: (empty), ${figures(none!.n - 1, none!.pages - 373)}`]
    await expect.poll(async () => heading(/^Genre: \(empty\)/).getAttribute('aria-label'), patient).toBe(leaves[0])
    await expect
      .poll(async () => heading(/^Genre: Novel/).getAttribute('aria-label'), patient)
      .toBe(`Genre: Novel, ${figures(novel!.n + 1, novel!.pages + 373)}`)
    await expect.poll(async () => row.count(), patient).toBe(0)
    // The next record is the one that Enter has led to, though it stands a line higher now.
    await expect
      .poll(async () => page.locator('[role=row]:has(.cg-active) [aria-colindex="2"]').textContent(), patient)
      .toBe('Book 15')
    await heading(/^Genre: \(empty\)/).click()
    await heading(/^Genre: Novel/).click()
    await row.waitFor()
    await page.keyboard.press('ControlOrMeta+Z')
    await heading(new RegExp(`^Genre: Novel, ${novel!.n} rows`)).waitFor()
    await expect.poll(async () => row.count(), patient).toBe(0)
    expect(await sums()).toEqual(before)
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  it('is chosen in its panel and kept with a view', async () => {
    await go('/o/book')
    await page.getByText('240 records').waitFor()
    await page.getByRole('button', { name: 'Group', exact: true }).click()
    await page.getByLabel('Group by', { exact: true }).selectOption('Tags')
    await page.getByLabel('Then by', { exact: true }).selectOption('Bought by quarter')
    await page.getByLabel('Price', { exact: true }).selectOption('Largest')
    await page.getByRole('button', { name: 'Close all groups' }).click()
    await page.keyboard.press('Escape')
    await heading('Tags: lent, 48 rows, Largest of Price $39.50').waitFor()
    await page.getByRole('button', { name: 'What to do with the view All records' }).click()
    await page.getByRole('menuitem', { name: 'Save as new view…' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('By tag')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('tab', { name: 'By tag', exact: true, selected: true }).waitFor()
    const { views } = await bench.api<{ views: { config: Record<string, unknown> }[] }>('GET', '/ui/views?object=book')
    expect(views[0]?.config).toMatchObject({
      grouping: [{ field: 'tags' }, { field: 'bought', dateGranularity: 'quarter' }],
      columns: expect.arrayContaining(['title', { field: 'price', summary: 'max' }]),
    })
    await page.getByRole('tab', { name: 'All records' }).click()
    await page.getByRole('grid').waitFor()
    await page.getByRole('tab', { name: 'By tag' }).click()
    await heading(/^Tags: lent, 48 rows/).click()
    const quarter = heading(/^Bought: Q2 2026, /).first()
    await quarter.waitFor()
    const filter = { $and: [{ tags: { $contains: 'gift' } }, { bought: { $between: ['2026-04-01', '2026-06-30'] } }] }
    const { total } = await bench.api<{ total: number }>(
      'GET',
      `/data/book?top=1&count=true&filter=${encodeURIComponent(JSON.stringify(filter))}`,
    )
    await heading(new RegExp(`^Bought: Q2 2026, ${total} rows`))
      .first()
      .waitFor()
  })

  it('has every tool at any width: those that do not fit are in a menu', async () => {
    await go('/o/book')
    await page.getByText('240 records').waitFor()
    const names = ['Filter', 'Sort', 'Group', 'Columns', 'Row height', 'Summary', 'Import', 'Edit fields']
    for (const width of [1600, 1440, 1024, 700, 320]) {
      await page.setViewportSize({ width, height: 800 })
      const line = page.getByRole('button', { name: 'New record' }).first().locator('xpath=../..')
      await expect
        .poll(async () => line.evaluate((element) => element.scrollWidth - element.clientWidth), {
          message: `${width}`,
        })
        .toBeLessThanOrEqual(0)
      // The tools fold one after another: what is there is read at once, until it stands.
      const linesOf = (element: Element): number =>
        new Set(
          [...element.children]
            .map((box) => box.getBoundingClientRect())
            .flatMap(({ y, height }) => (height > 0 ? [y] : [])),
        ).size
      await expect.poll(async () => line.evaluate(linesOf), { message: `one line at ${width}` }).toBe(1)
      const more = page.getByRole('button', { name: 'More tools' })
      const isFolded = await more.isVisible()
      if (isFolded) await more.click()
      for (const name of names) {
        const tool = page.getByRole('button', { name, exact: true }).or(page.getByRole('link', { name, exact: true }))
        const entry = page.getByRole('menuitem', { name, exact: true })
        const seen = [await tool.first().isVisible(), await entry.isVisible()]
        expect(seen.filter(Boolean), `${name} at ${width}`).toHaveLength(1)
      }
      if (isFolded) await page.keyboard.press('Escape')
    }
    await page.getByRole('button', { name: 'More tools' }).focus()
    await page.keyboard.press('Enter')
    const group = page.getByRole('menuitem', { name: 'Group', exact: true })
    await group.waitFor()
    for (let steps = 0; steps < 10 && !(await isFocused(group)); steps += 1) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await expect
      .poll(async () => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe('More tools')
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  it('complains about nothing', () => {
    expect(open.errors).toEqual([])
  })
})

async function isFocused(target: Locator): Promise<boolean> {
  return target.evaluate((element) => element === document.activeElement)
}

/** Count and pages by genre, as the host has them. */
async function sums(): Promise<Record<string, { n: number; pages: number }>> {
  const { records } = await bench.api<{ records: { genre: string | null; n: number; pages: number }[] }>(
    'GET',
    `/data/book?groupBy=genre&aggregations=${encodeURIComponent(
      '[{"function":"count","alias":"n"},{"function":"sum","field":"pages","alias":"pages"}]',
    )}`,
  )
  return Object.fromEntries(records.map(({ genre, n, pages }) => [genre ?? 'none', { n, pages }]))
}
