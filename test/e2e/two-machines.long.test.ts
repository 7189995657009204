// Two hosts, two browsers, one workspace: paired by keyboard, cut apart, written on both, decided on one screen; then two
// people in one text, one on each host.
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { look, tabTo } from './look.ts'
import type { ConsolePage } from './open-console.ts'
import { heading } from './screen.ts'
import type { TwoBenches } from './two-benches.ts'
import { openTwoBenches } from './two-benches.ts'
import { putFlows } from './seed-flows.ts'

const patient = { timeout: 20_000 }
const many = 400

const pill = (page: Page): Locator => page.getByRole('button', { name: /^Sync: / })
const opener = (page: Page, field: string): Locator => page.getByRole('button', { name: new RegExp(`^Edit ${field}`) })
const badge = (page: Page, field: string): Locator =>
  page.getByRole('button', { name: `Conflict in ${field}: choose a value` })
const card = (page: Page, name: string): Locator => page.getByRole('listitem', { name })

async function go(page: Page, route: string): Promise<void> {
  await page.evaluate((hash) => {
    window.location.hash = hash
  }, route)
}

/** Writes a field of the open record. */
async function write(page: Page, field: string, value: string): Promise<void> {
  await opener(page, field).click()
  await page.getByRole('textbox', { name: field }).fill(value)
  await page.keyboard.press('Enter')
  await expect.poll(() => opener(page, field).innerText()).toContain(value)
}

/** The text that is edited, without what the cursors of others show in it. */
async function typed(page: Page): Promise<string> {
  return page.evaluate(() => {
    const content = document.querySelector('.cm-content')!.cloneNode(true) as HTMLElement
    for (const caret of content.querySelectorAll('[aria-hidden="true"]')) caret.remove()
    return [...content.querySelectorAll('.cm-line')].map((line) => line.textContent.replaceAll('\u200b', '')).join('\n')
  })
}

describe('two machines', () => {
  let two: TwoBenches
  let desk: ConsolePage
  let laptop: ConsolePage
  let id: string

  const eachPage = (): readonly Page[] => [desk.page, laptop.page]
  const settled = async (object: string, record: string): Promise<void> => {
    await expect.poll(() => two.open(), patient).toEqual([0, 0])
    await expect
      .poll(async () => {
        const [here, there] = await two.records(object, record)
        return JSON.stringify(here) === JSON.stringify(there)
      }, patient)
      .toBe(true)
  }

  beforeAll(async () => {
    two = await openTwoBenches()
    const fields = {
      title: { type: 'text', label: 'Title' },
      pages: { type: 'number', label: 'Pages' },
      place: { type: 'text', label: 'Place' },
      body: { type: 'markdown', label: 'Body', maxLength: 5_000 },
    }
    await two.desk.api('PUT', '/meta/object/article', {
      type: 'object',
      name: 'article',
      item: { name: 'article', label: 'Article', pluralLabel: 'Articles', fields },
    })
    const article = { title: 'Notes on the engine', pages: 96, place: 'Shelf', body: 'It weaves algebra.\n' }
    id = (await two.desk.api<{ id: string }>('POST', '/data/article', article)).id
    const operations = Array.from({ length: many }, (_, at) => ({
      object: 'article',
      action: 'create',
      data: { title: `Article ${at + 1}`, pages: at, place: 'Store', body: `The text of article ${at + 1}.` },
    }))
    for (let at = 0; at < many; at += 100)
      await two.desk.api('POST', '/batch', { operations: operations.slice(at, at + 100) })
    desk = await two.desk.open('/sync')
    laptop = await two.laptop.open('/')
  }, 120_000)
  afterAll(async () => two?.stop())

  it('become one workspace by keyboard alone', { timeout: 240_000 }, async () => {
    const [here, there] = eachPage() as [Page, Page]
    await heading(here, 'Sync and devices')
    await look(here, 'two-off')
    await tabTo(here, 'Name of this device')
    await here.keyboard.type('Desk')
    await here.keyboard.press('Enter')
    await here.locator('main').getByText('Local only').waitFor({ timeout: 60_000 })
    await look(here, 'two-alone')
    await two.desk.api('PATCH', '/sync/settings', { interfaces: ['127.0.0.1'] })
    await tabTo(here, 'Add a device')
    await here.keyboard.press('Enter')
    await here.getByRole('button', { name: 'Listen and make a code' }).waitFor()
    await tabTo(here, 'Listen and make a code')
    await here.keyboard.press('Enter')
    const code = here.getByText(/^\d{3} \d{4}$/)
    await code.waitFor()
    await look(here, 'two-invite')

    await heading(there, 'What do you want to keep track of?')
    await tabTo(there, 'Join another device')
    await there.keyboard.press('Enter')
    await there.getByRole('textbox', { name: 'Code' }).waitFor()
    await look(there, 'two-join')
    const network = await two.network()
    await tabTo(there, 'Code')
    await there.keyboard.type(await code.innerText())
    await tabTo(there, 'Address of the other device')
    await there.keyboard.type(`127.0.0.1:${network.port}`)
    await tabTo(there, 'Name of this device')
    await there.keyboard.type('Laptop')
    await there.keyboard.press('Enter')

    const digits: string[] = []
    for (const page of [here, there]) {
      await page.getByRole('heading', { name: 'Do both screens show the same number?' }).waitFor({ timeout: 60_000 })
      digits.push(await page.getByText(/^\d{3} \d{3}$/).innerText())
    }
    expect(digits[0]).toBe(digits[1])
    await look(here, 'two-compare-desk')
    await look(there, 'two-compare-laptop')
    // Slow enough that a person sees what arrives.
    network.throttle(20_000)
    for (const page of [here, there]) {
      await tabTo(page, 'Yes, the same')
      await page.keyboard.press('Enter')
    }
    await there
      .locator('main')
      .getByText(/^Receiving \d+ of [\d,]+$/)
      .waitFor({ timeout: 60_000 })
    await look(there, 'two-transfer-laptop')
    await look(here, 'two-transfer-desk')
    network.heal()
    await here.getByText('Laptop belongs to this workspace now').waitFor({ timeout: 60_000 })
    await there.getByRole('button', { name: 'Open the workspace' }).waitFor({ timeout: 60_000 })
    await look(there, 'two-joined-laptop')
    await there.getByRole('link', { name: 'Articles', exact: true }).waitFor(patient)
    await tabTo(there, 'Open the workspace')
    await there.keyboard.press('Enter')
    await tabTo(here, 'Done')
    await here.keyboard.press('Enter')
    await two.tie()

    await go(there, '/o/article')
    await there.getByText(`${many + 1} records`).waitFor({ timeout: 60_000 })
    const [mine, theirs] = await two.records('article', id)
    expect(theirs).toEqual(mine)
    await here.getByRole('rowheader', { name: /^Laptop/ }).waitFor()
    await here
      .getByRole('button', { name: /^Sync: Up to date \(proved \d\d:\d\d with Laptop\)$/ })
      .waitFor({ timeout: 60_000 })
    await look(here, 'two-devices')
    await pill(here).click()
    await here.getByRole('dialog', { name: 'Sync' }).waitFor()
    await look(here, 'two-pill')
    await here.keyboard.press('Escape')
    await go(there, '/sync')
    await there.getByRole('button', { name: 'Rename…' }).click()
    await there.getByRole('textbox', { name: 'Name' }).fill('Travel laptop')
    await there.keyboard.press('Enter')
    await there.getByText('Travel laptop').first().waitFor()
    await here.getByRole('rowheader', { name: /^Travel laptop/ }).waitFor(patient)
  })

  it('say truthfully that changes wait while they are apart', { timeout: 120_000 }, async () => {
    await two.part()
    for (const page of eachPage()) {
      await go(page, `/o/article/record/${id}`)
      await heading(page, 'Notes on the engine')
      await page.getByRole('button', { name: /^Sync: Offline/ }).waitFor(patient)
    }
    const seen: string[] = []
    for (const [page, pages, field, value] of [
      [desk.page, '120', 'Place', 'Desk drawer'],
      [laptop.page, '132', 'Title', 'Notes on the analytical engine'],
    ] as const) {
      await write(page, 'Pages', pages)
      await write(page, field, value)
      await page.getByRole('button', { name: /^Sync: Offline, 2 changes waiting since \d\d:\d\d$/ }).waitFor(patient)
      await page.getByText('Not yet on other devices').waitFor(patient)
      seen.push(...(await page.getByText(/^Up to date/).allInnerTexts()))
    }
    expect(seen).toEqual([])
    await pill(laptop.page).click()
    await laptop.page.getByRole('dialog', { name: 'Sync' }).waitFor()
    await look(laptop.page, 'two-pill-offline')
    await laptop.page.keyboard.press('Escape')
    await look(desk.page, 'two-record-offline')
    await go(desk.page, '/sync')
    await desk.page.getByRole('rowheader', { name: /^Travel laptop/ }).waitFor()
    await look(desk.page, 'two-devices-offline')
    await go(desk.page, `/o/article/record/${id}`)
  })

  it(
    'meet, show the same winner and both values, and follow the one screen that decides',
    { timeout: 180_000 },
    async () => {
      await two.join()
      const met = Date.now()
      for (const page of eachPage()) {
        await heading(page, 'Notes on the analytical engine')
        await badge(page, 'Pages').waitFor(patient)
        await expect.poll(() => opener(page, 'Pages').innerText(), patient).toContain('132')
        await expect.poll(() => opener(page, 'Place').innerText(), patient).toContain('Desk drawer')
        await page.getByRole('link', { name: '1 conflict', exact: true }).waitFor(patient)
      }
      expect(Date.now() - met).toBeLessThan(10_000)
      await look(desk.page, 'two-record-conflict')
      await badge(desk.page, 'Pages').click()
      await desk.page.getByRole('button', { name: /^Take this instead/ }).waitFor()
      await look(desk.page, 'two-record-conflict-open')
      await desk.page.keyboard.press('Escape')

      for (const page of eachPage()) {
        await go(page, '/sync/conflicts')
        const sides = card(page, 'Pages: Two values')
        await sides.waitFor(patient)
        expect(await sides.getByText('Stands now').count()).toBe(1)
        expect(await sides.getByText('132', { exact: true }).count()).toBe(1)
        expect(await sides.getByText('120', { exact: true }).count()).toBe(1)
        for (const name of ['owner on Desk', 'owner on Travel laptop']) await sides.getByText(name).waitFor()
      }
      await look(laptop.page, 'two-conflicts')
      // By keyboard alone: the side that lost is taken on one screen.
      await tabTo(laptop.page, 'Pages: Two values')
      await laptop.page.keyboard.press('2')
      await laptop.page.keyboard.press('Enter')
      for (const page of eachPage()) await page.getByText('Nothing to decide').waitFor(patient)
      await settled('article', id)
      for (const page of eachPage()) {
        await go(page, `/o/article/record/${id}`)
        await expect.poll(() => opener(page, 'Pages').innerText(), patient).toContain('120')
        expect(await badge(page, 'Pages').count()).toBe(0)
        await page.getByRole('button', { name: /^Sync: Up to date/ }).waitFor({ timeout: 60_000 })
      }
      await go(laptop.page, '/sync/conflicts?state=resolved')
      await laptop.page.getByText('Took the other value').waitFor()
      await go(desk.page, '/sync/conflicts?state=resolved')
      await desk.page.getByText('Decided on another device').waitFor()
      await look(desk.page, 'two-conflicts-decided')
    },
  )

  it('decide about a record that one deleted and the other edited', { timeout: 120_000 }, async () => {
    const { records } = await two.desk.api<{ records: { id: string }[] }>('GET', '/data/article?title=Article 7')
    const record = records[0]!.id
    await go(laptop.page, `/o/article/record/${record}`)
    await heading(laptop.page, 'Article 7')
    await go(desk.page, `/o/article/record/${record}`)
    await heading(desk.page, 'Article 7')
    await two.part()
    await write(laptop.page, 'Place', 'Reading room')
    await desk.page.getByRole('button', { name: 'More' }).first().click()
    await desk.page.getByRole('menuitem', { name: /^Delete/ }).click()
    await expect
      .poll(async () => two.desk.api('GET', `/data/article/${record}`).catch(() => 'gone'), patient)
      .toBe('gone')
    await two.join()
    for (const page of eachPage()) {
      await go(page, '/sync/conflicts')
      await card(page, 'The whole record: Deleted and edited').waitFor(patient)
      await page.getByText('Reading room').waitFor(patient)
    }
    await look(desk.page, 'two-conflicts-deleted')
    await desk.page.getByRole('button', { name: /^Restore with the edit/ }).click()
    for (const page of eachPage()) await page.getByText('Nothing to decide').waitFor(patient)
    await settled('article', record)
    for (const page of eachPage()) {
      await go(page, `/o/article/record/${record}`)
      await expect.poll(() => opener(page, 'Place').innerText(), patient).toContain('Reading room')
    }
  })

  it(
    'end with one text, and see each other in it, where a person on each types into it at once',
    { timeout: 180_000 },
    async () => {
      for (const page of eachPage()) {
        await go(page, `/o/article/record/${id}`)
        await opener(page, 'Body').click()
        await page.getByRole('textbox', { name: 'Body' }).waitFor()
        await page.getByText('Stored as you type. Escape leaves.').waitFor()
      }
      await desk.page.keyboard.press('ControlOrMeta+Home')
      await laptop.page.keyboard.press('ControlOrMeta+End')
      const words = { desk: 'The desk writes above. ', laptop: 'The laptop writes below.' }
      await Promise.all([
        desk.page.keyboard.type(words.desk, { delay: 40 }),
        laptop.page.keyboard.type(words.laptop, { delay: 40 }),
      ])
      const expected = `${words.desk}It weaves algebra.\n${words.laptop}`
      for (const page of eachPage()) await expect.poll(() => typed(page), { timeout: 3_000 }).toBe(expected)
      await expect
        .poll(
          async () => (await two.records('article', id)).map((record) => (record as { body: string }).body),
          patient,
        )
        .toEqual([expected, expected])
      for (let count = 0; count < 10; count += 1) await laptop.page.keyboard.press('Shift+ArrowLeft')
      for (const page of eachPage())
        await page.locator('.cm-content [data-hue]').filter({ hasText: 'owner' }).first().waitFor(patient)
      const marked = desk.page.locator('.cm-content span[data-hue]').filter({ hasText: /^tes below\.$/ })
      await marked.waitFor(patient)
      await look(desk.page, 'two-text-desk')
      await look(laptop.page, 'two-text-laptop')
      for (const page of eachPage()) await page.keyboard.press('Escape')
      await settled('article', id)
      for (const page of eachPage())
        await expect.poll(() => page.locator('[data-field="body"]').innerText()).toContain(words.laptop)
    },
  )

  it(
    'show which of them runs schedules, and one takes over while the other is away',
    { timeout: 120_000 },
    async () => {
      await putFlows(two.desk, 'article')
      await go(desk.page, '/automation/schedules')
      await desk.page.getByText('on this machine').first().waitFor(patient)
      await go(laptop.page, '/automation/schedules')
      const choice = laptop.page.getByRole('combobox', { name: 'Schedules run on' })
      await choice.waitFor(patient)
      const own = (await choice.locator('option').allInnerTexts()).find((label) => label.endsWith('(this machine)'))!
      await two.part()
      await choice.selectOption({ label: own })
      await laptop.page.getByText(/still runs the schedules/).waitFor(patient)
      await look(laptop.page, 'two-schedules-handover')
      await laptop.page.getByRole('button', { name: 'Take over now…' }).click(patient)
      await laptop.page.getByRole('dialog').getByRole('button', { name: 'Take over' }).click()
      await laptop.page.getByText('on this machine').first().waitFor(patient)
      await two.join()
      await expect.poll(() => desk.page.getByText('on this machine').count(), patient).toBe(0)
      await look(desk.page, 'two-schedules-desk')
    },
  )

  it('complained of nothing', () => {
    const known = /\b(404|409)\b/
    expect([...desk.errors, ...laptop.errors].filter((line) => !known.test(line))).toEqual([])
  })
})
