// Conflicts in the browser: side by side, decided by pointer and by key, taken back, decided many at a time; the mark on a
// record; what lies aside. Each state is looked at in its schemes and leaves a picture behind.
import { join } from 'node:path'
import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { look as lookAt, pictures, schemes, turn } from './look.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'
import { openBench } from './open-console.ts'
import { heading, refuse } from './screen.ts'
import { createWriter, seedBooks, seedConflicts } from './seed-conflicts.ts'
import type { ConflictBooks } from './seed-conflicts.ts'

const writer = createWriter()
let bench: ConsoleBench
let books: ConflictBooks

beforeAll(async () => {
  bench = await openBench(undefined, [writer.plugin])
  books = await seedBooks(bench)
})
afterAll(async () => bench?.stop())

interface OpenConflict {
  readonly id: string
  readonly kind: string
  readonly state: string
}
const open = async (): Promise<readonly OpenConflict[]> =>
  (await bench.api<{ conflicts: OpenConflict[] }>('GET', '/sync/conflicts')).conflicts

/** Pictures in its schemes and of a narrow window, without a violation and without scrolling sideways. */
async function look(page: Page, name: string): Promise<void> {
  await lookAt(page, name)
  await page.setViewportSize({ width: 320, height: 800 })
  await page.waitForTimeout(100)
  await page.screenshot({ path: join(pictures, `${name}-320.png`) })
  const wide = await page.evaluate(
    () =>
      [document.documentElement, ...document.querySelectorAll('main')].filter(
        (element) => element.scrollWidth > element.clientWidth + 1,
      ).length,
  )
  expect(wide).toBe(0)
  await page.setViewportSize({ width: 1440, height: 900 })
}

async function at(route: string, name: string | RegExp): Promise<ConsolePage> {
  const opened = await bench.open(route)
  await heading(opened.page, name)
  return opened
}

it('says that there is nothing to decide', async () => {
  const { page, errors, close } = await at('/sync/conflicts', 'Conflicts')
  await page.getByText('Nothing to decide').waitFor()
  await look(page, 'conflicts-empty')
  expect(errors).toEqual([])
  await close()
})

describe('with conflicts', () => {
  beforeEach(async () => {
    for (const { id } of await open()) {
      await writer
        .host()
        .write('test.clear', (tx) => tx.run({ sql: 'DELETE FROM sync_conflict WHERE id = ?', parameters: [id] }))
    }
    await writer.host().write('test.clear', (tx) => tx.run({ sql: 'DELETE FROM sync_conflict', parameters: [] }))
    for (const [title, id] of Object.entries(books)) {
      await bench.api('PATCH', `/data/book/${id}`, { title, status: 'open', pages: 120, summary: null })
    }
    await seedConflicts(bench, writer, books)
  })

  it('shows them under their records with both sides', async () => {
    const { page, errors, close } = await at('/sync/conflicts', 'Conflicts')
    await page.getByRole('link', { name: 'Notes on the engine' }).waitFor()
    await page.getByRole('listitem', { name: 'Status: Two values' }).waitFor()
    await page.getByRole('link', { name: 'Conflicts 5 open' }).waitFor()
    await look(page, 'conflicts-full')
    expect(errors).toEqual([])
    await close()
  })

  it('is decided by a button, told with Undo, and opened again by it', async () => {
    const { page, close } = await at('/sync/conflicts', 'Conflicts')
    const card = page.getByRole('listitem', { name: 'Pages: Two values' })
    await card.getByRole('button', { name: /^Take this instead/ }).click()
    await card.waitFor({ state: 'detached' })
    const record = await bench.api<{ record: { pages: number } }>('GET', `/data/book/${books['Notes on the engine']!}`)
    expect(record.record.pages).toBe(132)
    expect(await open()).toHaveLength(4)
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
    await card.waitFor()
    expect(await open()).toHaveLength(5)
    await close()
  })

  it('is not decided on sides that are others by now: these are shown', async () => {
    const { page, close } = await at('/sync/conflicts', 'Conflicts')
    const card = page.getByRole('listitem', { name: 'Pages: Two values' })
    await card.getByText('132').waitFor()
    const sql = `UPDATE sync_conflict SET losers = replace(losers, '132', '140')`
    const meanwhile = async (route: Route): Promise<void> => {
      await writer.host().write('test.meanwhile', (tx) => tx.run({ sql, parameters: [] }))
      await route.continue()
    }
    await page.route('**/resolve', meanwhile, { times: 1 })
    const take = card.getByRole('button', { name: /^Take this instead/ })
    const pages = async () => {
      const { record } = await bench.api<{ record: { pages: number } }>(
        'GET',
        `/data/book/${books['Notes on the engine']!}`,
      )
      return record.pages
    }
    await take.click()
    await card.getByText('140').waitFor()
    expect(await pages()).toBe(120)
    await take.click()
    await card.waitFor({ state: 'detached' })
    expect(await pages()).toBe(140)
    await close()
  })

  it('is decided by keys alone', async () => {
    const { page, close } = await at('/sync/conflicts', 'Conflicts')
    const cards = page.locator('[data-card]')
    await cards.first().waitFor()
    await cards.first().focus()
    const status = page.getByRole('listitem', { name: 'Status: Two values' })
    for (let steps = 0; steps < 5; steps++) {
      if (await status.evaluate((element) => element === document.activeElement)) break
      await page.keyboard.press('ArrowDown')
    }
    expect(await status.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.press('2')
    await status.locator('[data-chosen]').waitFor()
    await look(page, 'conflicts-chosen')
    await page.keyboard.press('Enter')
    await status.waitFor({ state: 'detached' })
    const { record } = await bench.api<{ record: { status: string } }>(
      'GET',
      `/data/book/${books['Notes on the engine']!}`,
    )
    expect(record.status).toBe('done')
    expect(await page.evaluate(() => document.activeElement?.hasAttribute('data-card'))).toBe(true)
    await close()
  })

  it('takes a value of one’s own, and says when it does not fit', async () => {
    const { page, close } = await at('/sync/conflicts', 'Conflicts')
    const card = page.getByRole('listitem', { name: 'Pages: Does not fit' })
    await card.focus()
    await page.keyboard.press('e')
    const editor = card.getByRole('textbox', { name: 'Another value for Pages' })
    await editor.fill('many')
    await page.keyboard.press('Enter')
    await card.getByRole('alert').waitFor()
    await look(page, 'conflicts-own-value')
    await editor.fill('204')
    await page.keyboard.press('Enter')
    await card.waitFor({ state: 'detached' })
    const { record } = await bench.api<{ record: { pages: number } }>(
      'GET',
      `/data/book/${books['A table of logarithms']!}`,
    )
    expect(record.pages).toBe(204)
    await close()
  })

  it('decides all that can be at once, and shows them as decided', async () => {
    const { page, close } = await at('/sync/conflicts', 'Conflicts')
    await page.getByRole('button', { name: 'Decide all shown' }).click()
    await page.getByRole('menuitem', { name: 'Values of this device' }).click()
    await page
      .getByRole('dialog', { name: /^Decide \d conflicts\?$/ })
      .getByRole('button', { name: 'Values of this device' })
      .click()
    await page.getByRole('listitem', { name: 'Status: Two values' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Decided', exact: true }).click()
    await page.getByText('Kept what stood').first().waitFor()
    // The value that fits nowhere needs a decision of its own; a record that is not deleted is kept as it is (D-415).
    expect((await open()).map(({ kind }) => kind)).toEqual(['type'])
    await look(page, 'conflicts-decided')
    await close()
  })

  it('marks the record, and is decided there', async () => {
    const id = books['Notes on the engine']!
    const { page, close } = await at(`/o/book/record/${id}`, 'Notes on the engine')
    await page.getByRole('button', { name: 'Conflict in Pages: choose a value' }).click()
    await page.getByRole('button', { name: /^Take this instead/ }).waitFor()
    await look(page, 'conflicts-record')
    await page.getByRole('button', { name: /^Take this instead/ }).click()
    await page.getByRole('button', { name: 'Conflict in Pages: choose a value' }).waitFor({ state: 'detached' })
    await page.getByText('132').first().waitFor()
    expect(await open()).toHaveLength(4)
    await close()
  })

  it('marks the row and the cell in the table', async () => {
    const { page, close } = await at('/o/book', 'Books')
    await page.locator('.cg-conflict').first().waitFor()
    expect(await page.locator('.cg-conflicted').count()).toBe(4)
    for (const scheme of schemes) {
      await turn(page, scheme)
      await page.screenshot({ path: join(pictures, `conflicts-table-${scheme}.png`) })
    }
    await close()
  })

  it('lists what lies aside, and discards it only after asking', async () => {
    const { page, close } = await at('/sync/conflicts?part=aside', 'Conflicts')
    await page.getByText('A change it builds on has not arrived yet.').waitFor()
    await look(page, 'conflicts-aside')
    await page.getByRole('button', { name: 'Discard change 77001/15' }).click()
    await page.getByRole('dialog', { name: 'Discard this change?' }).waitFor()
    await look(page, 'conflicts-aside-discard')
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect((await bench.api<{ total: number }>('GET', '/sync/problems')).total).toBe(2)
    await close()
  })

  it('says what failed, and tries again', async () => {
    const { page, close } = await bench.open('/')
    await refuse(page, '**/api/v1/sync/conflicts*', 'service_unavailable', 503)
    await page.evaluate(() => {
      window.location.hash = '/sync/conflicts'
    })
    await page.getByRole('button', { name: 'Try again' }).waitFor({ timeout: 30_000 })
    await look(page, 'conflicts-error')
    await page.unroute('**/api/v1/sync/conflicts*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('listitem', { name: 'Status: Two values' }).waitFor()
    await close()
  })
})
