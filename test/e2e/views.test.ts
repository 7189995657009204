// Filters of several conditions, stored views, columns and summaries in a real browser.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { openBench, paste } from './open-console.ts'
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

/** The tab of a view, which is the chosen one after everything done here. */
const tab = (name: string) => page.getByRole('tab', { name, exact: true })
const condition = (n: number) => page.getByRole('group', { name: `Condition ${n}` })

describe('records on screen', () => {
  it('are filtered by several conditions, all or any of them', async () => {
    await page.getByRole('button', { name: 'Filter' }).click()
    await condition(1).getByLabel('Value').fill('Book 1')
    await page.getByRole('button', { name: 'Add condition' }).click()
    await condition(2).getByLabel('Field').selectOption('Pages')
    await condition(2).getByLabel('Condition', { exact: true }).selectOption('gte')
    await condition(2).getByLabel('Value').fill('500')
    const filter = { $and: [{ title: { $contains: 'Book 1' } }, { pages: { $gte: 500 } }] }
    const query = await bench.api<{ total: number }>(
      'GET',
      `/data/book?top=1&count=true&filter=${encodeURIComponent(JSON.stringify(filter))}`,
    )
    expect(query.total).toBeGreaterThan(0)
    await page.getByText(`${query.total} records found`).waitFor()
    await page.getByRole('dialog', { name: 'Filter records' }).getByText(`${query.total} records`).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Filter: Title contains Book 1 and 1 more$/ }).waitFor()
  })

  it('are kept as a view that is there after a reload', async () => {
    await page.getByRole('button', { name: 'What to do with the view All records' }).click()
    await page.getByRole('menuitem', { name: 'Save as new view…' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Give the view a name.').waitFor()
    await page.getByRole('textbox', { name: 'Name' }).fill('Long ones')
    await page.getByRole('button', { name: 'Save' }).click()
    await tab('Long ones').waitFor()
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
    await tab('Long ones').waitFor()
    await page.getByText(/records found/).waitFor()
  })

  it('are narrowed by a view that a script wrote with a filter alone, opened by its link from another view', async () => {
    const body = { object: 'book', viewKind: 'list', label: 'Long', config: { filter: { pages: { $gte: 500 } } } }
    const { viewId } = await bench.api<{ viewId: string }>('POST', '/ui/views', body)
    const found = await bench.api<{ total: number }>('GET', '/data/book?filter={"pages":{"$gte":500}}&count=true&top=1')
    await page.reload()
    await tab('Long ones').waitFor()
    await page.evaluate((id) => window.location.assign(`#/o/book?v=${id}`), viewId)
    await page.getByText(`${found.total} records found`).waitFor()
    await page.getByRole('button', { name: /^Filter: Pages/ }).click()
    await page.getByRole('button', { name: 'Clear filter' }).click()
    await page.getByText('240 records', { exact: true }).first().waitFor()
    // The button is out of reach by now; the panel still hears the key.
    await page.waitForTimeout(100)
    await page.keyboard.press('Escape')
    await expect.poll(async () => page.getByRole('dialog').count()).toBe(0)
    await tab('Long ones').click()
    await bench.api('DELETE', `/ui/views/${viewId}`)
    await page.reload()
    await tab('Long ones').waitFor()
  })

  it('are narrowed by what no editor has words for, and say so', async () => {
    const filter = { $and: [{ pages: { $gte: 200 } }, { $not: { pages: { $gte: 500 } } }] }
    const body = { object: 'book', viewKind: 'list', label: 'Middling', config: { filter } }
    const { viewId } = await bench.api<{ viewId: string }>('POST', '/ui/views', body)
    const totalOf = async (): Promise<number> =>
      (
        await bench.api<{ total: number }>(
          'GET',
          `/data/book?filter=${encodeURIComponent(JSON.stringify(filter))}&count=true&top=1`,
        )
      ).total
    await page.reload()
    await tab('Middling').click()
    await page.getByText(`${await totalOf()} records found`).waitFor()
    await page.getByRole('button', { name: /^Filter: Pages .*and 1 more$/ }).click()
    await condition(2).getByText('this page cannot edit it').waitFor()
    await condition(2).getByText('{"$not":{"pages":{"$gte":500}}}').waitFor()
    await condition(1).getByLabel('Value').fill('300')
    await page.keyboard.press('Escape')
    filter.$and[0] = { pages: { $gte: 300 } }
    await page.getByText(`${await totalOf()} records found`).waitFor()
    await page.getByRole('button', { name: 'What to do with the view Middling' }).click()
    await page.getByRole('menuitem', { name: 'Save changes to this view' }).click()
    await tab('Middling').waitFor()
    const { views } = await bench.api<{ views: { id: string; config: unknown }[] }>('GET', '/ui/views?object=book')
    expect(views.find(({ id }) => id === viewId)?.config).toMatchObject({ filter })
    await tab('Long ones').click()
    await bench.api('DELETE', `/ui/views/${viewId}`)
    await page.reload()
    await tab('Long ones').waitFor()
  })

  it('show the columns that are ticked, and say that the view was changed', async () => {
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('checkbox', { name: 'Website' }).uncheck()
    await page.keyboard.press('Escape')
    await expect.poll(async () => page.getByRole('columnheader', { name: 'Website' }).count()).toBe(0)
    await tab('Long ones (changed)').waitFor()
    await page.getByRole('button', { name: 'What to do with the view Long ones' }).click()
    await page.getByRole('menuitem', { name: 'Save changes to this view' }).click()
    await tab('Long ones').waitFor()
    await page.reload()
    await page.getByRole('columnheader', { name: 'Title' }).waitFor()
    expect(await page.getByRole('columnheader', { name: 'Website' }).count()).toBe(0)
  })

  it('are summed up in groups with a chart, and a group leads to its records', async () => {
    await tab('All records').click()
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

  it('take a paste of more rows than are loaded, add the rest, and give all of it back in one step', async () => {
    const names = ['a', 'b', 'c', 'd']
    const fields = Object.fromEntries(
      names.map((name) => [name, { type: name === 'd' ? 'number' : 'text', label: name.toUpperCase() }]),
    )
    await bench.api('PUT', '/meta/object/line', { name: 'line', label: 'Line', pluralLabel: 'Lines', fields })
    const before = Array.from({ length: 600 }, (_, index) => ({ a: `old ${index}`, d: index }))
    await bench.api('POST', '/data/line/createMany', { records: before })
    const stored = async () =>
      bench.api<{ total: number; records: { a: string; d: number | null }[] }>(
        'GET',
        `/data/line?count=true&top=1000&select=${names.join(',')}`,
      )
    await page.evaluate(() => {
      window.location.hash = '#/o/line'
    })
    await page.getByText('600 records').waitFor()
    await page.getByRole('gridcell', { name: 'old 0', exact: true }).click()
    // The second part waits until the bar has been seen.
    let letGo = (): void => undefined
    const gate = new Promise<void>((resolve) => (letGo = resolve))
    const acts: (string | null)[] = []
    await page.route('**/data/line/updateMany', async (route) => {
      acts.push(await route.request().headerValue('x-request-id'))
      if (acts.length === 2) await gate
      await route.continue()
    })
    const rows = Array.from({ length: 620 }, (_, index) =>
      [`new ${index}`, `b${index}`, `c${index}`, index === 610 ? 'many' : index, 'out'].join('\t'),
    )
    await paste(page, rows.join('\n'))
    await page.getByText('Writing rows: 500 of 620').waitFor()
    letGo()
    // D of the rows that were there is pasted as it was: three cells of each change.
    const told = page.getByRole('alert').filter({ hasText: 'rows added' })
    await told.waitFor()
    expect(await told.locator('p').textContent()).toBe(
      '1,800 cells changed. 20 rows added. 1 cell not taken over: the text is kept in the marked cells. ' +
        '1 column of the clipboard left out: beyond the last column.',
    )
    // One act for whoever follows the records (D-177).
    expect(acts).toEqual([expect.stringMatching(/^range-\w{8,}$/), acts[0]])
    const after = await stored()
    expect(after.total).toBe(620)
    expect(after.records.map(({ a }) => a)).toEqual(rows.map((_, index) => `new ${index}`))
    expect(after.records[610]?.d).toBeNull()
    await page.getByText('620 records').waitFor()
    await page.keyboard.press('ControlOrMeta+Z')
    await page.getByText('600 records').waitFor()
    expect((await stored()).records.map(({ a }) => a)).toEqual(before.map(({ a }) => a))
    await page.keyboard.press('ControlOrMeta+Shift+Z')
    await page.getByText('620 records').waitFor()
    expect((await stored()).records.at(-1)?.a).toBe('new 619')
    await page.unroute('**/data/line/updateMany')
  })

  it('say when nothing can be added below the last row', async () => {
    await page.goto(page.url().replace(/#.*/, '#/o/line?q=new'))
    await page.getByText('620 records found').waitFor()
    await page.getByRole('gridcell', { name: 'new 0', exact: true }).click()
    await page.keyboard.press('ControlOrMeta+End')
    await paste(page, '1\n2\n3')
    await page.getByRole('alert').filter({ hasText: '2 rows of the clipboard left out: below the last row.' }).waitFor()
    const { total } = await bench.api<{ total: number }>('GET', '/data/line?count=true&top=1')
    expect(total).toBe(620)
  })

  it('complain about nothing', () => {
    expect(open.errors).toEqual([])
  })
})
