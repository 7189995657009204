// Random filters, searches and orders: each kind of view shows what the API answers to the same question. And what takes
// longer of the kinds: long columns, links, views of others, forms that are set up.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { openBench } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'
import { seedViews, states } from './seed-views.ts'

interface Film {
  id: string
  title: string
  status: string | null
  cost: number
}

/** A condition as the address writes it and as the API takes it. */
type Condition = readonly [field: string, operator: string, text: string, api: Record<string, unknown>]

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

const titlesOf = (films: readonly Film[]): string[] => films.map(({ title }) => title)
const go = async (address: string): Promise<void> =>
  page.evaluate((to) => {
    window.location.hash = to
  }, address)
const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' })
const cards = (within: string): Promise<string[]> =>
  page.locator(`${within} [data-card] button:not([aria-label])`).allTextContents()

const conditions = fc.oneof(
  fc
    .constantFrom(...states)
    .map((state): Condition => ['status', 'eq', state.toLowerCase(), { status: { $eq: state.toLowerCase() } }]),
  fc
    .integer({ min: 400, max: 2_400 })
    .map((cost): Condition => ['cost', 'gte', String(cost), { cost: { $gte: cost } }]),
  fc
    .integer({ min: 1, max: 40 })
    .map((number): Condition => ['title', 'contains', String(number), { title: { $contains: String(number) } }]),
  fc
    .constantFrom('comedy', 'drama', 'documentary')
    .map((genre): Condition => ['genre', 'ne', genre, { genre: { $ne: genre } }]),
)
const questions = fc.record({
  any: fc.boolean(),
  conditions: fc.array(conditions, { maxLength: 3 }),
  sort: fc.constantFrom('', 'title', '-cost', 'first_day', '-genre'),
  search: fc.constantFrom('', '', 'film 1', 'northlight'),
})

describe('views of random filters, orders and searches', () => {
  it('show in each kind what the API answers', async () => {
    await fc.assert(
      fc.asyncProperty(questions, async ({ any, conditions: chosen, sort, search }) => {
        const parts = chosen.map(([, , , api]) => api)
        const filter = parts.length === 0 ? {} : { [any ? '$or' : '$and']: parts }
        const address = new URLSearchParams({
          ...(chosen.length > 0
            ? { w: JSON.stringify([any ? 'any' : 'all', ...chosen.map((condition) => condition.slice(0, 3))]) }
            : {}),
          ...(sort === '' ? {} : { s: sort }),
          ...(search === '' ? {} : { q: search }),
        }).toString()
        const ask = async (more: Record<string, unknown>, order = sort): Promise<Film[]> => {
          const query = new URLSearchParams({
            top: '1000',
            filter: JSON.stringify({ $and: [filter, more] }),
            ...(order === '' ? {} : { sort: order }),
            ...(search === '' ? {} : { search }),
          })
          return (await bench.api<{ records: Film[] }>('GET', `/data/film?${query.toString()}`)).records
        }

        await go(`/o/film?v=film.posters&${address}`)
        const all = titlesOf(await ask({}))
        await expect.poll(async () => (await cards('main')).slice(0, 10)).toEqual(all.slice(0, 10))

        await go(`/o/film?v=film.by_status&${address}`)
        for (const state of [null, ...states]) {
          const records = await ask({ status: state === null ? null : state.toLowerCase() })
          const place = `[data-column='${JSON.stringify(state?.toLowerCase() ?? null)}']`
          await expect.poll(async () => (await cards(place)).slice(0, 4)).toEqual(titlesOf(records).slice(0, 4))
          expect(await page.locator(place).getAttribute('aria-label')).toMatch(
            new RegExp(`^${state ?? 'No value'}, ${records.length} record`),
          )
        }

        await go(
          `/o/film?v=film.release&${address}&d=2026-03-15&o=startDateField.first_day,endDateField.last_day,mode.agenda`,
        )
        const dated = await ask({ first_day: { $null: false } }, 'first_day')
        await page.getByText(new RegExp(`^${dated.length} records? in this time$`)).waitFor()
        const named = await page.locator('main [data-event]').allTextContents()
        expect([...new Set(named)].toSorted()).toEqual(titlesOf(dated).toSorted())

        // A chart cannot be searched.
        if (search !== '') return
        await go(`/o/film?v=film.takings&${address}`)
        const sums = new Map<string, number>()
        for (const { status, cost } of await ask({})) {
          const name = states.find((state) => state.toLowerCase() === status) ?? '(empty)'
          sums.set(name, (sums.get(name) ?? 0) + cost)
        }
        await expect
          .poll(async () => {
            const rows = await page.locator('main tbody tr').all()
            return Promise.all(rows.map(async (row) => (await row.innerText()).replace(/\s+/g, ' ').trim())).then(
              (texts) => texts.toSorted(),
            )
          })
          .toEqual([...sums].map(([name, sum]) => `${name} ${dollars.format(sum)}`).toSorted())
      }),
      { numRuns: 12 },
    )
  })
})

describe('a view', () => {
  it('is copied as a request that answers what it shows', async () => {
    await go('/o/film?v=film.posters&w=["all",["genre","eq","drama"]]&s=-cost')
    await page.getByRole('button', { name: 'What to do with the view Posters' }).click()
    await page.getByRole('menuitem', { name: 'Address (REST)' }).click()
    await page.getByText('Put an API key in its place').waitFor()
    const [method, address] = (await page.evaluate(async () => navigator.clipboard.readText())).split(' ')
    const answer = await fetch(address!, { method, headers: { authorization: `Bearer ${bench.host.token}` } })
    const { records } = (await answer.json()) as { records: Film[] }
    expect(records.length).toBeGreaterThan(5)
    expect((await cards('main')).slice(0, 6)).toEqual(titlesOf(records).slice(0, 6))
  })
})

describe('a kanban', () => {
  it('of a link has a column for each record that is linked, and moves cards between them', async () => {
    await go('/o/film?v=film.by_status&o=groupByField.distributor')
    const northlight = page.getByRole('region', { name: /^Northlight, / })
    await northlight.waitFor()
    const [record] = await ofDistributor('Blue Lumen')
    await page.getByRole('button', { name: record!.title, exact: true }).focus()
    await page.keyboard.press('m')
    await page.getByRole('menuitem', { name: 'Northlight' }).click()
    await northlight.getByRole('button', { name: record!.title, exact: true }).waitFor()
    expect(titlesOf(await ofDistributor('Northlight'))).toContain(record!.title)
  })

  it('of a long column draws what is in sight, to its end', async () => {
    const records = Array.from({ length: 900 }, (_, index) => ({ title: `Long ${index + 1}`, status: 'running' }))
    await bench.api('POST', '/data/film/createMany', { records })
    await go('/o/film?v=film.by_status&q=long')
    const running = page.getByRole('region', { name: 'Running, 900 records' })
    await running.waitFor()
    await running.getByRole('button', { name: 'Long 1', exact: true }).focus()
    expect(await running.locator('[data-card]').count()).toBeLessThan(40)
    await page.keyboard.press('End')
    await running.getByRole('button', { name: 'Long 900', exact: true }).waitFor()
    await expect.poll(async () => page.evaluate(() => document.activeElement?.textContent)).toBe('Long 900')
    await bench.api('POST', '/data/film/deleteMany', {
      ids: (await bench.api<{ records: Film[] }>('GET', '/data/film?top=1000&search=long')).records.map(({ id }) => id),
    })
    await page.getByText('0 records found').waitFor()
  })

  it('keeps folded columns over a reload', async () => {
    await go('/o/film?v=film.by_status')
    await page.getByRole('button', { name: 'Fold Confirmed' }).click()
    await page.reload()
    await page.getByRole('button', { name: 'Unfold Confirmed' }).click()
    await page.getByRole('button', { name: 'Fold Confirmed' }).waitFor()
    expect(await page.getByRole('button', { name: /^Unfold/ }).count()).toBe(0)
  })
})

describe('a form', () => {
  it('is set up by keyboard, and its page is what was set up', async () => {
    await go('/o/film?v=film.propose')
    await page.getByRole('button', { name: 'Edit form' }).click()
    await page.getByRole('switch', { name: 'Show Cost' }).focus()
    await page.keyboard.press('Space')
    const stored = async () => {
      const { view } = await bench.api<{ view: { config: { fields: unknown[]; title: string } } }>(
        'GET',
        '/ui/views/film.propose',
      )
      return view.config
    }
    await expect.poll(async () => (await stored()).fields.at(-1)).toBe('cost')
    await page.getByRole('button', { name: 'Move Cost up' }).focus()
    await page.keyboard.press('Alt+ArrowUp')
    await expect.poll(async () => (await stored()).fields.indexOf('cost')).toBe(2)
    await page.getByRole('textbox', { name: 'Title', exact: true }).last().fill('Suggest a film')
    await page.keyboard.press('Tab')
    await expect.poll(async () => (await stored()).title).toBe('Suggest a film')
    const link = await page.getByRole('textbox', { name: 'Link to share in this workspace' }).inputValue()
    const other = await bench.open(link.split('#')[1])
    await other.page.getByRole('heading', { level: 1, name: 'Suggest a film' }).waitFor()
    expect(
      await other.page
        .locator('[data-field]')
        .evaluateAll((all) => all.map((each) => (each as HTMLElement).dataset['field'])),
    ).toEqual(['title', 'genre', 'cost', 'first_day'])
    expect(other.errors).toEqual([])
    await other.close()
  })

  it('complains about nothing', () => {
    expect(open.errors).toEqual([])
  })
})

async function ofDistributor(name: string): Promise<Film[]> {
  const filter = encodeURIComponent(JSON.stringify({ 'distributor.name': name }))
  return (await bench.api<{ records: Film[] }>('GET', `/data/film?top=1000&filter=${filter}`)).records
}
