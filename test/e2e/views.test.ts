// Filters of several conditions, stored views, columns and summaries in a real browser.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { openBench } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'
import { seedWorkspace } from './seed-workspace.ts'

let bench: ConsoleBench
let open: ConsolePage
let page: Page

beforeAll(async () => {
  bench = await openBench()
  await seedWorkspace(bench)
  open = await bench.open('/o/book')
  page = open.page
  await page.getByText('240 records').waitFor()
})
afterAll(async () => {
  await open.close()
  await bench.stop()
})

const condition = (n: number) => page.getByRole('group', { name: `Condition ${n}` })

describe('records on screen', () => {
  it('are filtered by several conditions, all or any of them', async () => {
    await page.getByRole('button', { name: 'Filter' }).click()
    await condition(1).getByLabel('Value').fill('Book 1')
    await page.getByRole('button', { name: 'Add condition' }).click()
    await condition(2).getByLabel('Field').selectOption('Pages')
    await condition(2).getByLabel('Condition', { exact: true }).selectOption('gte')
    await condition(2).getByLabel('Value').fill('500')
    await page.getByRole('button', { name: 'Apply' }).click()
    const filter = { $and: [{ title: { $contains: 'Book 1' } }, { pages: { $gte: 500 } }] }
    const query = await bench.api<{ total: number }>(
      'GET',
      `/data/book?top=1&count=true&filter=${encodeURIComponent(JSON.stringify(filter))}`,
    )
    expect(query.total).toBeGreaterThan(0)
    await page.getByText(`${query.total} records found`).waitFor()
    await page.getByRole('button', { name: /^Filter: Title contains Book 1 and 1 more$/ }).waitFor()
  })

  it('are kept as a view that is there after a reload', async () => {
    await page.getByRole('button', { name: 'View: All records' }).click()
    await page.getByRole('menuitem', { name: 'Save as new view…' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Give the view a name.').waitFor()
    await page.getByRole('textbox', { name: 'Name' }).fill('Long ones')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'View: Long ones', exact: true }).waitFor()
    const { views } = await bench.api<{ views: { id: string; config: { filter: unknown } }[] }>(
      'GET',
      '/ui/views?object=book',
    )
    expect(views).toMatchObject([
      {
        id: 'book.long_ones',
        config: { filter: { $and: [{ title: { $contains: 'Book 1' } }, { pages: { $gte: 500 } }] } },
      },
    ])
    await page.reload()
    await page.getByRole('button', { name: 'View: Long ones', exact: true }).waitFor()
    await page.getByText(/records found/).waitFor()
  })

  it('show the columns that are ticked, and say that the view was changed', async () => {
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('checkbox', { name: 'Website' }).uncheck()
    await page.keyboard.press('Escape')
    await expect.poll(async () => page.getByRole('columnheader', { name: 'Website' }).count()).toBe(0)
    await page.getByRole('button', { name: 'View: Long ones (changed)' }).click()
    await page.getByRole('menuitem', { name: 'Save changes to this view' }).click()
    await page.getByRole('button', { name: 'View: Long ones', exact: true }).waitFor()
    await page.reload()
    await page.getByRole('columnheader', { name: 'Title' }).waitFor()
    expect(await page.getByRole('columnheader', { name: 'Website' }).count()).toBe(0)
  })

  it('are summed up in groups with a chart, and a group leads to its records', async () => {
    await page.getByRole('button', { name: /^View: Long ones/ }).click()
    await page.getByRole('menuitem', { name: 'All records' }).click()
    await page.getByText('240 records').waitFor()
    await page.getByRole('button', { name: 'Summary' }).click()
    const summary = page.getByRole('region', { name: 'Summary of Books' })
    await summary.getByRole('row', { name: /Novel 48/ }).waitFor()
    await summary.locator('svg.recharts-surface').waitFor()
    await summary.getByLabel('Group by').selectOption('Bought by month')
    await summary.getByLabel('Show', { exact: true }).selectOption('Sum of Pages')
    const row = summary.getByRole('row', { name: /Mar 2026/ })
    await row.waitFor()
    const answer = await bench.api<{ records: { n: number; pages: number }[] }>(
      'GET',
      `/data/book?filter=${encodeURIComponent('{"bought":{"$between":["2026-03-01","2026-03-31"]}}')}&aggregations=${encodeURIComponent(
        '[{"function":"count","alias":"n"},{"function":"sum","field":"pages","alias":"pages"}]',
      )}`,
    )
    const [expected] = answer.records
    expect(await row.getByRole('cell').textContent()).toBe(new Intl.NumberFormat('en').format(expected!.pages))
    await row.getByRole('button').click()
    await page.getByText(`${expected!.n} records found`).waitFor()
  })

  it('complain about nothing', () => {
    expect(open.errors).toEqual([])
  })
})
