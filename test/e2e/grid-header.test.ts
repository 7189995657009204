// What is done at the head of a column, by mouse and by keyboard: order, width of what stays, sorting, filtering, grouping,
// fields added and changed in place. Compared with what the API answers.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
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
})
afterAll(async () => {
  await open?.close()
  await bench?.stop()
})

/** The machine may be busy with other things. */
const patient = { timeout: 20_000 }
const head = (name: string) => page.getByRole('columnheader', { name: new RegExp(`^${name}`) })
const entry = (name: string) => page.getByRole('menuitem', { name, exact: true })
/** Names of the columns on screen, in their order. */
const names = async (): Promise<(string | null)[]> =>
  page
    .getByRole('columnheader')
    .evaluateAll((cells) =>
      cells
        .toSorted((a, b) => Number(a.ariaColIndex) - Number(b.ariaColIndex))
        .flatMap((cell) => cell.querySelector('.cg-head-label')?.textContent ?? []),
    )
const frozen = async () => page.locator('.cg-head-cell.cg-frozen').count()
const hash = async (): Promise<string> => page.evaluate(() => decodeURIComponent(window.location.hash))
/** Goes into the header above a column by keys alone. */
const toHead = async (right: number): Promise<void> => {
  await page.getByRole('grid').focus()
  await page.keyboard.press('ControlOrMeta+Home')
  await page.keyboard.press('ArrowUp')
  for (let step = 0; step < right; step++) await page.keyboard.press('ArrowRight')
}
const choose = async (name: string): Promise<void> => {
  await page.keyboard.press('Alt+Enter')
  const wanted = entry(name)
  await wanted.waitFor()
  const isThere = async () => wanted.evaluate((element) => element === document.activeElement)
  for (let step = 0; step < 16 && !(await isThere()); step++) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
}

describe('the head of a column', () => {
  beforeEach(async () => {
    await page.goto('about:blank')
    await page.goto(`${bench.host.url}${bench.host.uiBasePath}/#/o/book`)
    await page.getByText('240 records').waitFor()
    await head('Genre').waitFor()
  })

  it('is dragged to another place, by mouse, and the order is kept with a view', async () => {
    const from = await head('Pages').boundingBox()
    const to = await head('Genre').boundingBox()
    await page.mouse.move(from!.x + 60, from!.y + 16)
    await page.mouse.down()
    await page.mouse.move(from!.x, from!.y + 16, { steps: 4 })
    await page.mouse.move(to!.x + 10, to!.y + 16, { steps: 4 })
    await page.mouse.up()
    await expect.poll(async () => (await names()).slice(0, 3), patient).toEqual(['Title', 'Pages', 'Genre'])
    // The click that ends a drag does not sort.
    expect(await hash()).toBe('#/o/book')
    await page.getByRole('button', { name: 'What to do with the view All records' }).click()
    await entry('Save as new view…').click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Pages first')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('tab', { name: 'Pages first' }).waitFor()
    await page.reload()
    await head('Pages').waitFor()
    expect((await names()).slice(0, 3)).toEqual(['Title', 'Pages', 'Genre'])
    // A stored view is a step like any other.
    await page.keyboard.press('ControlOrMeta+Z')
    await expect
      .poll(async () => (await bench.api<{ views: unknown[] }>('GET', '/ui/views?object=book')).views.length, patient)
      .toBe(0)
  })

  it('is moved, frozen and hidden by keys alone', async () => {
    await toHead(2)
    await page.keyboard.press('Alt+ArrowLeft')
    expect((await names()).slice(0, 3)).toEqual(['Title', 'Pages', 'Genre'])
    await page.keyboard.press('Alt+ArrowRight')
    expect((await names()).slice(0, 3)).toEqual(['Title', 'Genre', 'Pages'])
    await choose('Freeze up to here')
    await expect.poll(frozen, patient).toBe(3)
    await choose('Hide column')
    await expect.poll(names, patient).not.toContain('Pages')
    expect(await frozen()).toBe(2)
    await page.getByRole('button', { name: 'Columns, 1 hidden' }).waitFor()
    await toHead(1)
    await choose('Unfreeze columns')
    await expect.poll(frozen, patient).toBe(0)
  })

  it('sorts both ways, filters and groups from its menu', async () => {
    await head('Pages').click({ button: 'right' })
    await entry('Sort descending').click()
    await page.waitForFunction(() => window.location.hash.includes('s=-pages'))
    const [most] = (await bench.api<{ records: { title: string }[] }>('GET', '/data/book?sort=-pages&top=1')).records
    await page.getByRole('gridcell', { name: most!.title, exact: true }).waitFor()
    await head('Genre').hover()
    await page.getByRole('button', { name: 'Menu of column Genre' }).click()
    await entry('Filter by this field').click()
    const value = page.getByRole('group', { name: 'Condition 1' }).getByLabel('Value')
    await value.selectOption('Poetry')
    await page.getByText('48 records found').waitFor()
    await page.keyboard.press('Escape')
    await head('Read').click({ button: 'right' })
    await entry('Group by this field').click()
    await page.getByRole('rowheader', { name: /^Read: No, 32 rows/ }).waitFor()
    expect(await hash()).toContain('g=read')
  })

  it('finds by nested groups what the API finds', async () => {
    await page.keyboard.press('f')
    const condition = (n: number) => page.getByRole('group', { name: `Condition ${n}` })
    await condition(1).getByLabel('Field').selectOption('Pages')
    await condition(1).getByLabel('Condition', { exact: true }).selectOption('gte')
    await condition(1).getByLabel('Value').fill('500')
    await page.getByRole('button', { name: 'Add group' }).click()
    await condition(2).getByLabel('Field').selectOption('Genre')
    await condition(2).getByLabel('Value').selectOption('Poetry')
    const group = page.getByRole('group', { name: 'Group 1' })
    await group.getByRole('button', { name: 'Add condition' }).click()
    await condition(3).getByLabel('Field').selectOption('Bought')
    await condition(3).getByLabel('Value').selectOption('Last year')
    await group.getByRole('button', { name: 'Add group' }).click()
    expect(await page.getByRole('group', { name: 'Group 2' }).getByRole('button', { name: 'Add group' }).count()).toBe(
      0,
    )
    await condition(4).getByLabel('Value').fill('Book 2')
    const filter = {
      $and: [
        { pages: { $gte: 500 } },
        { $or: [{ genre: 'poetry' }, { bought: { $during: 'last_year' } }, { title: { $contains: 'Book 2' } }] },
      ],
    }
    const { total } = await bench.api<{ total: number }>(
      'GET',
      `/data/book?top=1&count=true&filter=${encodeURIComponent(JSON.stringify(filter))}`,
    )
    expect(total).toBeGreaterThan(0)
    await page.getByText(`${total} records found`).waitFor()
    // The address keeps the groups.
    await page.reload()
    await page.getByText(`${total} records found`).waitFor()
  })

  it('adds a field beside and changes a type with its plan', async () => {
    await head('Genre').click({ button: 'right' })
    await entry('Insert field left…').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Label' }).fill('Shelf')
    await dialog.getByRole('button', { name: 'Add field' }).click()
    await expect.poll(async () => (await names()).slice(0, 3), patient).toEqual(['Title', 'Shelf', 'Genre'])
    await head('Pages').click({ button: 'right' })
    await entry('Change type…').click()
    await dialog.getByRole('combobox').fill('Text')
    await dialog.getByRole('option', { name: /^Text/ }).first().click()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByText('240 values are converted.').waitFor()
    await page.getByRole('button', { name: 'Change the field', exact: true }).click()
    const typeOf = async (field: string) =>
      (await bench.api<{ item: { fields: Record<string, { type: string }> } }>('GET', '/meta/object/book')).item.fields[
        field
      ]?.type
    await expect.poll(async () => typeOf('pages'), patient).toBe('text')
    expect(await typeOf('shelf')).toBe('text')
  })

  it('changes one field of all ticked records as one step', async () => {
    const poetry = async () =>
      (await bench.api<{ total: number }>('GET', '/data/book?genre=poetry&count=true&top=1')).total
    const before = await poetry()
    for (const row of [1, 3, 4]) await page.getByRole('checkbox', { name: `Select row ${row}`, exact: true }).check()
    await page.getByRole('button', { name: 'Edit 3 records…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Field').selectOption('Genre')
    await dialog.getByRole('option', { name: 'Poetry' }).click()
    await dialog.getByRole('button', { name: 'Change 3 records' }).click()
    await page.getByText('3 of 3 records changed.').waitFor()
    expect(await poetry()).toBe(before + 3)
    await page.keyboard.press('ControlOrMeta+Z')
    await expect.poll(poetry, patient).toBe(before)
  })

  it('goes on with a series by the corner of the selection and by key, and finds a text without narrowing', async () => {
    await bench.api('POST', '/data/note/createMany', {
      records: Array.from({ length: 12 }, (_, index) => ({ title: index < 2 ? `Day ${index * 2 + 1}` : `x${index}` })),
    })
    await page.evaluate(() => {
      window.location.hash = '#/o/note'
    })
    await page.getByText('12 records').waitFor()
    const titles = async () =>
      (await bench.api<{ records: { title: string }[] }>('GET', '/data/note?top=20')).records.map(({ title }) => title)
    const cell = (name: string) => page.getByRole('gridcell', { name, exact: true })
    await cell('Day 1').click()
    await cell('Day 3').click({ modifiers: ['Shift'] })
    const handle = await page.locator('.cg-fill').boundingBox()
    const end = await cell('x5').boundingBox()
    await page.mouse.move(handle!.x + 4, handle!.y + 4)
    await page.mouse.down()
    await page.mouse.move(handle!.x + 4, handle!.y + 40, { steps: 3 })
    await page.mouse.move(handle!.x + 4, end!.y + end!.height / 2, { steps: 3 })
    await page.mouse.up()
    await expect.poll(async () => (await titles())[5], patient).toBe('Day 11')
    expect(await titles()).toEqual([
      'Day 1',
      'Day 3',
      'Day 5',
      'Day 7',
      'Day 9',
      'Day 11',
      'x6',
      'x7',
      'x8',
      'x9',
      'x10',
      'x11',
    ])
    await cell('Day 11').click()
    await cell('x8').click({ modifiers: ['Shift'] })
    await page.keyboard.press('ControlOrMeta+Shift+D')
    // The second one leads nowhere: the two repeat.
    await expect.poll(async () => (await titles()).slice(5, 9), patient).toEqual(['Day 11', 'x6', 'Day 11', 'x6'])
    await page.keyboard.press('ControlOrMeta+Shift+F')
    await page.getByRole('textbox', { name: 'Find in view' }).fill('X1')
    await page.keyboard.press('Enter')
    await page.getByRole('search').getByText('Row 11').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('search').getByText('Row 12').waitFor()
    await page.keyboard.press('Shift+Enter')
    await page.getByRole('search').getByText('Row 11').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('12 records').waitFor()
    await expect.poll(async () => page.locator('.cg-active').textContent(), patient).toBe('x10')
  })

  it('complains about nothing', () => {
    expect(open.errors).toEqual([])
  })
})
