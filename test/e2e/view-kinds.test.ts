// The kinds of view in a real browser: what they show is what the API answers, by pointer and by keyboard alike.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { openBench } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'
import { seedViews } from './seed-views.ts'

interface Film {
  id: string
  title: string
  status: string | null
  cost: number
  first_day: string | null
  last_day: string | null
  genre: string | null
}

let bench: ConsoleBench
let open: ConsolePage
let page: Page

beforeAll(async () => {
  bench = await openBench()
  await seedViews(bench)
  open = await bench.open('/o/film')
  page = open.page
  await page.getByText('40 records').waitFor()
})
afterAll(async () => {
  await open.close()
  await bench.stop()
})

const films = async (filter: unknown): Promise<Film[]> =>
  (
    await bench.api<{ records: Film[] }>(
      'GET',
      `/data/film?top=1000&filter=${encodeURIComponent(JSON.stringify(filter))}`,
    )
  ).records
const film = async (title: string): Promise<Film> => (await films({ title }))[0]!
const tab = (name: string) => page.getByRole('tab', { name, exact: true })
const column = (name: string) => page.getByRole('region', { name: new RegExp(`^${name}, \\d+ records?$`) })
const card = (title: string) => page.getByRole('button', { name: title, exact: true })
const focused = async (): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement
    return element?.getAttribute('aria-label') ?? element?.textContent ?? ''
  })

describe('tabs', () => {
  it('make, duplicate and delete views of a kind, by keyboard', async () => {
    await tab('All records').focus()
    await page.keyboard.press('End')
    await tab('Takings').waitFor()
    expect(await focused()).toBe('Takings')
    await page.getByRole('button', { name: 'New view' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Kanban' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const name = page.getByRole('dialog', { name: 'New view: Kanban' }).getByRole('textbox', { name: 'Name' })
    await name.fill('Board')
    await page.getByRole('checkbox', { name: 'Only for me' }).focus()
    await page.keyboard.press('Space')
    await name.press('Enter')
    await column('Proposed').waitFor()
    const views = async () =>
      (
        await bench.api<{ views: { id: string; label: string; scope: string; config: object; isDefault: boolean }[] }>(
          'GET',
          '/ui/views?object=film',
        )
      ).views
    expect((await views()).find(({ id }) => id === 'film.board')).toMatchObject({
      scope: 'personal',
      config: { type: 'kanban', kanban: { groupByField: 'status' } },
    })
    await page.getByLabel('Columns by').selectOption('Genre')
    await page.getByRole('tab', { name: /^Board \(changed\)/ }).waitFor()
    await page.getByRole('button', { name: 'What to do with the view Board' }).click()
    await page.getByRole('menuitem', { name: 'Save changes to this view' }).click()
    await page.getByRole('tab', { name: /^Board(?! \(changed)/ }).waitFor()
    expect((await views()).find(({ id }) => id === 'film.board')?.config).toMatchObject({
      kanban: { groupByField: 'genre' },
    })
    await page.getByRole('button', { name: 'What to do with the view Board' }).click()
    await page.getByRole('menuitem', { name: 'Delete view' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete view' }).click()
    await tab('All records').and(page.locator('[aria-selected="true"]')).waitFor()
    expect((await views()).map(({ id }) => id)).not.toContain('film.board')
  })
})

describe('a kanban', () => {
  it('shows the columns, counts and sums that the API answers', async () => {
    await tab('By status').click()
    for (const status of ['proposed', 'confirmed', 'scheduled', 'running', null]) {
      const records = await films({ status })
      const shown = column(status === null ? 'No value' : status[0]!.toUpperCase() + status.slice(1))
      await shown.waitFor()
      expect(await shown.getAttribute('aria-label')).toContain(`${records.length} record`)
      const sum = records.reduce((all, { cost }) => all + cost, 0)
      await shown.getByText(new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' }).format(sum)).waitFor()
      await expect.poll(async () => shown.locator('[data-card] > button').first().textContent()).toBe(records[0]?.title)
    }
  })

  it('moves a card by key and keeps the focus on it, and gives it back', async () => {
    await card('Film 1').focus()
    await page.keyboard.press('ArrowRight')
    expect(await focused()).toBe('Film 2')
    await page.keyboard.press('m')
    await page.getByRole('menuitem', { name: 'No value' }).waitFor()
    for (const name of ['Proposed', 'Confirmed', 'Scheduled']) {
      await page.keyboard.press('ArrowDown')
      expect(await focused()).toBe(name)
    }
    await page.keyboard.press('Enter')
    await column('Scheduled').locator('[data-card]', { hasText: 'Film 2' }).first().waitFor()
    await expect.poll(focused).toBe('Film 2')
    expect((await film('Film 2')).status).toBe('scheduled')
    await page.keyboard.press('ControlOrMeta+Z')
    await expect.poll(async () => (await film('Film 2')).status).toBe('confirmed')
    await column('Confirmed').locator('[data-card]', { hasText: 'Film 2' }).first().waitFor()
  })

  it('has frames around its columns where colours are forced', async () => {
    await page.emulateMedia({ forcedColors: 'active' })
    const edge = await column('Proposed').evaluate((element) => getComputedStyle(element).borderTop)
    expect(edge).toMatch(/^1px solid rgb\(/)
    await page.emulateMedia({ forcedColors: null })
  })

  it('moves a card by pointer', async () => {
    await column('Proposed').locator('[data-card]', { hasText: 'Film 1' }).first().dragTo(column('Confirmed'))
    await expect.poll(async () => (await film('Film 1')).status).toBe('confirmed')
    await column('Confirmed').locator('[data-card]', { hasText: 'Film 1' }).first().waitFor()
  })

  it('shows what others write, and adds where it is asked to', async () => {
    const { id } = await film('Film 3')
    await bench.api('PATCH', `/data/film/${id}`, { status: 'proposed' })
    await column('Proposed').getByRole('button', { name: 'Film 3', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Add record to Proposed' }).click()
    await page.getByRole('textbox', { name: 'Title of the new record' }).fill('Brand new')
    await page.keyboard.press('Enter')
    await expect
      .poll(async () => (await films({ title: 'Brand new' })).map(({ status }) => status))
      .toEqual(['proposed'])
    await page.keyboard.press('Escape')
    await card('Film 3').click()
    await page.getByRole('complementary', { name: /Film 3/ }).waitFor()
    await page.getByRole('complementary', { name: /Film 3/ }).press('Escape')
  })
})

describe('a calendar', () => {
  const event = (title: string) => page.getByRole('button', { name: new RegExp(`^${title}, `) })

  it('walks by day, and opens and adds by key', async () => {
    await page.evaluate(() => {
      window.location.hash = '#/o/film?v=film.release&d=2026-03-18'
    })
    await event('Film 1').waitFor()
    await page.locator('[data-day="2026-03-18"]').focus()
    await page.keyboard.press('ArrowDown')
    await expect.poll(focused).toMatch(/^Wednesday, March 25, 2026, /)
    await page.keyboard.press('PageDown')
    await expect.poll(focused).toMatch(/^Saturday, April 25, 2026, 0 records/)
    await page.keyboard.press('n')
    const form = page.getByRole('dialog', { name: 'New record in Film' })
    expect(await form.getByRole('textbox', { name: 'First day' }).first().inputValue()).toBe('2026-04-25')
    await page.keyboard.press('Escape')
  })

  it('moves a record by pointer, stretches it, and places one without a day', async () => {
    // Two films alone, so that no other one lies over their days.
    await page.evaluate(() => {
      const both = encodeURIComponent('["any",["title","eq","Film 1"],["title","eq","Film 5"]]')
      window.location.hash = `#/o/film?v=film.release&d=2026-03-18&w=${both}`
    })
    // From the first to the third: two days later.
    const before = await film('Film 1')
    expect([before.first_day, before.last_day]).toEqual(['2026-03-01', null])
    const over = async (day: string) => {
      const box = (await page.locator(`[data-day="${day}"]`).boundingBox())!
      return { x: box.x + 60, y: box.y + 100 }
    }
    const drag = async (from: { x: number; y: number }, to: { x: number; y: number }): Promise<void> => {
      await page.mouse.move(from.x, from.y)
      await page.mouse.down()
      await page.mouse.move(to.x - 5, to.y, { steps: 3 })
      await page.mouse.move(to.x, to.y)
      await page.mouse.up()
    }
    const bar = (await event('Film 1').boundingBox())!
    await drag({ x: bar.x + 40, y: bar.y + 10 }, await over('2026-03-03'))
    await expect.poll(async () => (await film('Film 1')).first_day).toBe('2026-03-03')
    await event('Film 1')
      .and(page.getByRole('button', { name: /Mar 3, 2026/ }))
      .waitFor()
    const moved = (await event('Film 1').boundingBox())!
    await drag({ x: moved.x + moved.width - 2, y: moved.y + 10 }, await over('2026-03-05'))
    await expect.poll(async () => (await film('Film 1')).last_day).toBe('2026-03-05')
    await page.getByRole('button', { name: /^No date: / }).click()
    const undated = (await page.getByRole('button', { name: 'Film 5', exact: true }).boundingBox())!
    await drag({ x: undated.x + 20, y: undated.y + 10 }, await over('2026-03-10'))
    await expect.poll(async () => (await film('Film 5')).first_day).toBe('2026-03-10')
  })

  it('moves and stretches by key', async () => {
    await event('Film 1').first().focus()
    await page.keyboard.press('Alt+ArrowRight')
    await expect.poll(async () => (await film('Film 1')).first_day).toBe('2026-03-04')
    await event('Film 1').first().focus()
    await page.keyboard.press('Alt+Shift+ArrowLeft')
    await expect.poll(async () => (await film('Film 1')).last_day).toBe('2026-03-05')
    await event('Film 1').first().focus()
    await page.keyboard.press('m')
    await page
      .getByRole('dialog', { name: 'Dates of Film 1' })
      .getByRole('textbox', { name: 'Last day' })
      .first()
      .fill('2026-03-01')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The end would be before the start.').waitFor()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Last day' }).first().fill('2026-03-09')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(async () => (await film('Film 1')).last_day).toBe('2026-03-09')
  })
})

describe('a gallery, a chart and a form', () => {
  it('shows the records of the API as cards, and opens one by key', async () => {
    await tab('Posters').click()
    await card('Film 1').waitFor()
    const first = await films({})
    await expect
      .poll(async () => page.locator('[data-card] button:first-child').allTextContents())
      .toEqual(expect.arrayContaining(first.slice(0, 8).map(({ title }) => title)))
    await card('Film 1').focus()
    await page.keyboard.press('ArrowRight')
    expect(await focused()).toBe(first[1]?.title)
    await page.keyboard.press('Enter')
    await page.getByRole('complementary', { name: new RegExp(first[1]!.title) }).press('Escape')
    await expect.poll(focused).toBe(first[1]?.title)
  })

  it('draws sums that the API has, and leads to their records', async () => {
    await tab('Takings').click()
    const running = await films({ status: 'running' })
    const row = page.getByRole('row', { name: /Running/ })
    await row.waitFor()
    const sum = running.reduce((all, { cost }) => all + cost, 0)
    const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' })
    expect(await row.getByRole('cell').textContent()).toBe(dollars.format(sum))
    await row.getByRole('button').click()
    await page.getByText(`${running.length} records found`).waitFor()
  })

  it('asks for what the form needs, sends it and offers another', async () => {
    await tab('Propose a film').click()
    await page.getByRole('textbox', { name: 'Title' }).fill('A quiet harbour')
    await page.getByRole('button', { name: 'Send proposal' }).click()
    await page
      .locator('[data-field="genre"] p')
      .filter({ hasText: /value|required/i })
      .waitFor()
    await page.getByRole('combobox', { name: /^Kind/ }).fill('Drama')
    await page.getByRole('option', { name: 'Drama' }).click()
    await page.keyboard.press('ControlOrMeta+Enter')
    await page.getByText('Thank you. The record is added.').waitFor()
    expect(await focused()).toBe('Add another')
    expect(await films({ title: 'A quiet harbour' })).toMatchObject([{ genre: 'drama' }])
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Title' }).waitFor()
    await expect.poll(async () => page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('')
  })

  it('complain about nothing', () => {
    expect(open.errors).toEqual([])
  })
})
