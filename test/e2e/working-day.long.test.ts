// A working day with public data: three sets imported and linked, a kanban, a calendar and a form made of them, 500 cells
// edited in four ways, the host restarted, and all of it taken back: every row, definition and view is as it was before.
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { readAirportsCsv, readFlights, readMovies } from '../support/datasets.ts'
import { openBench, paste } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'

type Row = Record<string, unknown> & { id: string }

/** 200,000 rows are looked at, and the machine may be busy with other things. */
const patient = { timeout: 60_000 }
const objects = ['airports', 'movies', 'flights'] as const
const movies = readMovies()
const airports = readAirportsCsv().trim().split('\n').length - 1

let bench: ConsoleBench
let open: ConsolePage
let page: Page
let edited = 0
let morning: unknown

beforeAll(async () => {
  bench = await openBench()
  open = await bench.open('/')
  page = open.page
})
afterAll(async () => {
  await open?.close()
  await bench?.stop()
})

const go = async (route: string): Promise<void> =>
  page.evaluate((hash) => {
    window.location.hash = hash
  }, route)
const rows = async (query: string): Promise<Row[]> => (await bench.api<{ records: Row[] }>('GET', query)).records
const dialog = () => page.getByRole('dialog')
const menuItem = (name: string) => page.getByRole('menuitem', { name, exact: true })
const tab = (name: string) => page.getByRole('tab', { name, exact: true })

/** Everything that a step may have changed: each record but for when it was written, each definition, each view. */
async function everything(): Promise<unknown> {
  const found: Record<string, unknown> = {}
  for (const name of objects) {
    const answer = await fetch(`${bench.host.url}/api/v1/data/${name}/export?format=ndjson`, {
      headers: { authorization: `Bearer ${bench.host.token}` },
    })
    expect(answer.status).toBe(200)
    const lines = (await answer.text()).trim().split('\n')
    const hash = createHash('sha256')
    for (const line of lines) {
      const { updated_at: _, ...rest } = JSON.parse(line) as Row
      hash.update(JSON.stringify(rest))
    }
    const { item } = await bench.api<{ item: { fields: object } }>('GET', `/meta/object/${name}`)
    const { views } = await bench.api<{ views: unknown[] }>('GET', `/ui/views?object=${name}`)
    found[name] = { records: lines.length, digest: hash.digest('hex'), fields: item.fields, views }
  }
  return found
}

async function importFile(name: string, mimeType: string, text: string, count: number): Promise<void> {
  await go('/new')
  await page.getByRole('heading', { name: 'New object' }).waitFor()
  await page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer: Buffer.from(text) })
  await page.getByRole('heading', { name: 'Check the columns' }).waitFor(patient)
  await page.getByRole('button', { name: `Create with ${count.toLocaleString('en')} records` }).click()
  await page.getByText(`${count.toLocaleString('en')} records`, { exact: true }).waitFor({ timeout: 300_000 })
}

/** The place of a column among those that are shown, from 1. */
async function columnOf(label: string): Promise<number> {
  const header = page.getByRole('columnheader').filter({ hasText: new RegExp(`^${label}$`) })
  return Number(await header.first().getAttribute('aria-colindex'))
}

const cell = (row: number, column: number) =>
  page.locator(`[aria-rowindex="${row + 1}"] [aria-colindex="${column}"]:not([aria-busy="true"])`)

/** Scrolls to a cell and presses the pointer on it. */
async function press(row: number, column: number): Promise<void> {
  await page.evaluate(
    (line) => document.querySelector('.cg-scroller')?.scrollTo({ top: Math.max(0, line - 5) * 28 }),
    row,
  )
  await cell(row, column).click()
}

/** Adds a field that links to airports, beside the first column of a grid. */
async function linkToAirports(object: string, beside: string): Promise<void> {
  await go(`/o/${object}`)
  await page.getByRole('columnheader', { name: beside }).first().click({ button: 'right' })
  await menuItem('Insert field right…').click()
  await dialog().getByRole('textbox', { name: 'Label' }).fill('Airport')
  await dialog().getByRole('button', { name: 'Change type' }).click()
  await dialog().getByRole('combobox', { name: 'Type' }).fill('Link to a record')
  await dialog().getByRole('combobox', { name: 'Type' }).press('Enter')
  await dialog().getByRole('combobox', { name: 'Links to' }).selectOption({ label: 'Airports' })
  await dialog().getByRole('button', { name: 'Add field' }).click()
  await dialog().waitFor({ state: 'detached' })
}

async function newView(kind: string, name: string): Promise<void> {
  await page.getByRole('button', { name: 'New view' }).click()
  await menuItem(kind).click()
  await dialog().getByRole('textbox', { name: 'Name' }).fill(name)
  await dialog().getByRole('button', { name: 'Save' }).click()
  await page.getByRole('tab', { name: new RegExp(`^${name}`) }).waitFor()
}

async function saveView(name: string): Promise<void> {
  await page.getByRole('button', { name: `What to do with the view ${name}` }).click()
  await menuItem('Save changes to this view').click()
  await tab(name).waitFor()
}

describe('a working day', () => {
  it('begins with three files', async () => {
    await importFile('airports.csv', 'text/csv', readAirportsCsv(), airports)
    await importFile('movies.json', 'application/json', JSON.stringify(movies), movies.length)
    await importFile('flights.json', 'application/json', JSON.stringify(readFlights()), 200_000)
    morning = await everything()
    expect(morning).toMatchObject({
      airports: { records: airports, views: [] },
      movies: { records: movies.length, views: [] },
      flights: { records: 200_000, views: [] },
    })
  }, 600_000)

  it('links them', async () => {
    await linkToAirports('movies', 'Title')
    await linkToAirports('flights', 'Delay')
    for (const name of ['movies', 'flights'])
      expect(await bench.api('GET', `/meta/object/${name}`)).toMatchObject({
        item: { fields: { airport: { type: 'lookup', reference: 'airports' } } },
      })
  })

  it('has a kanban, a calendar and a form of them, and each is worked with', async () => {
    await go('/o/movies')
    await newView('Kanban', 'By rating')
    await page.getByLabel('Columns by').selectOption('MPAA Rating')
    await saveView('By rating')
    const column = (name: string) => page.getByRole('region', { name: new RegExp(`^${name}, [\\d,]+ records?$`) })
    const title = (await rows('/data/movies?mpaa_rating=G&top=1&select=title'))[0]!['title'] as string
    await column('G').getByRole('button', { name: title, exact: true }).focus()
    await page.keyboard.press('m')
    await menuItem('NC-17').click()
    await expect
      .poll(
        async () => (await rows(`/data/movies?title=${encodeURIComponent(title)}&top=1`))[0]?.['mpaa_rating'],
        patient,
      )
      .toMatch(/nc-?17/i)

    await newView('Calendar', 'Releases')
    const dated = (await rows('/data/movies?top=1&sort=release_date&filter={"release_date":{"$gte":"1990-03-01"}}'))[0]!
    const day = dated['release_date'] as string
    await go(`/o/movies?v=movies.releases&d=${day}`)
    await page
      .getByRole('button', { name: new RegExp(`^${dated['title'] as string}, `) })
      .first()
      .focus()
    await page.keyboard.press('Alt+ArrowRight')
    const next = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
    await expect
      .poll(
        async () =>
          (await rows(`/data/movies/${dated.id}`.replace(/\/data\/movies\/(.*)/, '/data/movies?id=$1')))[0]?.[
            'release_date'
          ],
        patient,
      )
      .toBe(next)

    await go('/o/movies')
    await newView('Form', 'Suggest')
    await page.getByRole('textbox', { name: 'Title', exact: true }).first().fill('A quiet harbour')
    await page.keyboard.press('ControlOrMeta+Enter')
    await page.getByText('Thank you. The record is added.').waitFor()
    expect(await rows('/data/movies?title=A quiet harbour')).toHaveLength(1)
    edited += 2
  })

  it('edits cells by typing', async () => {
    await go('/o/movies')
    const column = await columnOf('Title')
    await press(1, column)
    for (let row = 1; row <= 40; row++) {
      await page.keyboard.type(`Typed ${row}`)
      await page.keyboard.press('Enter')
    }
    await expect
      .poll(async () => (await rows('/data/movies?top=40')).map(({ title }) => title), patient)
      .toEqual(Array.from({ length: 40 }, (_, at) => `Typed ${at + 1}`))
    edited += 40
  })

  it('edits cells by pasting', async () => {
    await go('/o/flights')
    await page.getByText('200,000 records', { exact: true }).waitFor()
    await press(101, await columnOf('Distance'))
    await paste(page, Array.from({ length: 100 }, (_, at) => `${at + 5_000}\t${at / 4}`).join('\n'))
    await expect
      .poll(
        async () => (await rows('/data/flights?top=100&skip=100')).map(({ distance, time }) => [distance, time]),
        patient,
      )
      .toEqual(Array.from({ length: 100 }, (_, at) => [at + 5_000, at / 4]))
    edited += 200
  })

  it('edits cells by choosing a link and filling it down', async () => {
    const column = await columnOf('Airport')
    await press(1, column)
    await page.keyboard.press('Enter')
    await page.keyboard.type('Thigpen')
    await page.getByRole('option', { name: /Thigpen/ }).click()
    const linked = async () =>
      (await rows('/data/flights?top=200&expand=airport')).map(({ airport }) => (airport as Row | null)?.['name'])
    await expect.poll(async () => (await linked())[0], patient).toBe('Thigpen')
    await press(1, column)
    for (let row = 1; row < 200; row++) await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('ControlOrMeta+D')
    await expect.poll(async () => new Set(await linked()), patient).toEqual(new Set(['Thigpen']))
    edited += 200
  })

  it('edits one field of many records at once', async () => {
    const first = (await rows('/data/movies?title=Typed 1'))[0]!
    expect(first['airport']).toBeNull()
    await go('/o/movies?w=["all",["title","contains","Typed"]]')
    await page.getByText('40 records found').waitFor()
    await page.getByRole('checkbox', { name: 'Select row 1', exact: true }).check()
    await page.evaluate(() => document.querySelector('.cg-scroller')?.scrollTo({ top: 1_000_000 }))
    await page.getByRole('checkbox', { name: 'Select row 40', exact: true }).click({ modifiers: ['Shift'] })
    await page.getByRole('button', { name: 'Edit 40 records…' }).click()
    await dialog().getByLabel('Field').selectOption('Director')
    await dialog().getByRole('textbox', { name: 'Director' }).fill('Mary Shelley')
    await dialog().getByRole('button', { name: 'Change 40 records' }).click()
    await page.getByText('40 of 40 records changed.').waitFor()
    expect(await rows('/data/movies?director=Mary Shelley&top=100')).toHaveLength(40)
    edited += 40
    await page.getByRole('button', { name: 'Edit 40 records…' }).click()
    await dialog().getByLabel('Field').selectOption('Running Time min')
    await dialog().getByRole('textbox', { name: 'Running Time min' }).fill('90')
    await dialog().getByRole('button', { name: 'Change 40 records' }).click()
    await expect
      .poll(async () => (await rows('/data/movies?running_time_min=90&director=Mary Shelley&top=100')).length, patient)
      .toBe(40)
    edited += 40
    expect(edited).toBeGreaterThan(500)
  })

  it('ends with a restart and all of it taken back, in one go', async () => {
    expect(await everything()).not.toEqual(morning)
    await bench.restart()
    await page.goto('about:blank')
    open.errors.length = 0
    await page.goto(`${bench.host.url}${bench.host.uiBasePath}/#${bench.host.mintCode()}`)
    await page.getByRole('navigation', { name: 'Main navigation' }).waitFor()
    await page.getByRole('button', { name: 'List of steps' }).click()
    const back = page.getByRole('button', { name: /^Undo up to here: / })
    await back.last().click()
    await page.getByText(/^\d+ steps undone$/).waitFor({ timeout: 300_000 })
    expect(await everything()).toEqual(morning)
    expect(open.errors.filter((line) => !line.includes('401'))).toEqual([])
  }, 600_000)
})
