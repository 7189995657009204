// Steps outlive the page: what was done before a reload is taken back after it, from the list and by key, and what somebody
// else changed since is neither overwritten nor hidden.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { openBench, paste } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'

let bench: ConsoleBench
let open: ConsolePage
let page: Page

interface Line {
  id: string
  a: string
  b: number | null
}

beforeAll(async () => {
  bench = await openBench()
  const fields = { a: { type: 'text', label: 'A' }, b: { type: 'number', label: 'B' } }
  await bench.api('PUT', '/meta/object/line', { name: 'line', label: 'Line', pluralLabel: 'Lines', fields })
  await bench.api('POST', '/data/line/createMany', {
    records: Array.from({ length: 300 }, (_, index) => ({ a: `old ${index}`, b: index })),
  })
  open = await bench.open('/o/line')
  page = open.page
  await page.getByText('300 records').waitFor()
})
afterAll(async () => {
  await open?.close()
  await bench?.stop()
})

/** The machine may be busy with other things. */
const patient = { timeout: 20_000 }
const stored = async (): Promise<Line[]> =>
  (await bench.api<{ records: Line[] }>('GET', '/data/line?top=1000&select=id,a,b')).records
const texts = async (): Promise<string> => JSON.stringify((await stored()).map(({ a, b }) => [a, b]))
const cell = (name: string) => page.getByRole('gridcell', { name, exact: true })

describe('the list of steps', () => {
  let before = ''
  let after = ''

  it('holds an edit, a paste over rows that are not loaded, a deletion and a new record', async () => {
    before = await texts()
    await cell('old 0').click()
    await page.keyboard.press('Enter')
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('edited')
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await stored())[0]?.a, patient).toBe('edited')
    await cell('old 1').click()
    await paste(page, Array.from({ length: 302 }, (_, index) => `new ${index}`).join('\n'))
    await page.getByText('303 records').waitFor()
    await page.getByRole('checkbox', { name: 'Select row 3', exact: true }).check()
    await page.keyboard.press('ControlOrMeta+Delete')
    await page.getByText('302 records').waitFor()
    await page.getByRole('button', { name: 'New record', exact: true }).first().click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'A' }).fill('last')
    await page.keyboard.press('ControlOrMeta+Enter')
    await page.getByText('303 records').waitFor()
    after = await texts()
  })

  it('is there after a restart of the host and a reload, and leads back to the beginning and forth again', async () => {
    const told = open.errors.length
    await bench.restart()
    await page.goto('about:blank')
    // What the page said of a host that was away, in whatever words of the browser.
    open.errors.splice(told)
    await page.goto(`${bench.host.url}${bench.host.uiBasePath}/#${bench.host.mintCode()}`)
    await page.getByRole('navigation', { name: 'Main navigation' }).waitFor()
    await page.goto(`${bench.host.url}${bench.host.uiBasePath}/#/o/line`)
    await page.getByText('303 records').waitFor()
    await page.getByRole('button', { name: 'Undo: new record' }).click()
    await page.getByText('302 records').waitFor()
    await page.getByRole('button', { name: 'List of steps' }).click()
    await page.getByRole('button', { name: 'Undo up to here: change of A' }).click()
    await page.getByText('3 steps undone').waitFor()
    expect(await texts()).toBe(before)
    // What was undone outlives the page as well.
    await page.reload()
    await page.getByText('300 records').waitFor()
    await page.getByRole('button', { name: 'List of steps' }).click()
    await page.getByRole('button', { name: 'Redo up to here: new record' }).click()
    await page.getByText('4 steps done again').waitFor()
    const again = await stored()
    expect(again.map(({ a }) => a).toSorted()).toEqual(
      (JSON.parse(after) as [string, number][]).map(([a]) => a).toSorted(),
    )
    await page.keyboard.press('Escape')
  })

  it('says what a step leaves, because somebody else changed it since, and overwrites it only when asked', async () => {
    const [first, second] = await stored()
    await cell('edited').click()
    await paste(page, 'mine 0\nmine 1')
    await expect.poll(async () => (await stored())[1]?.a, patient).toBe('mine 1')
    await bench.api('PATCH', `/data/line/${first!.id}`, { a: 'theirs' })
    await page.keyboard.press('ControlOrMeta+Z')
    const question = page.getByRole('dialog', { name: 'Changed since' })
    await question.getByText('A is now “theirs”, not “mine 0”.').waitFor()
    await question.getByRole('button', { name: 'Leave them' }).click()
    await page.getByText(/1 value left as it is, because it was changed since/).waitFor()
    expect((await stored()).slice(0, 2).map(({ a }) => a)).toEqual(['theirs', second!.a])
  })

  it('waits for nothing that belongs to another object, and leaves other fields of a record alone', async () => {
    const [first] = await stored()
    await page.reload()
    await cell('theirs').click()
    await page.keyboard.type('once more')
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await stored())[0]?.a, patient).toBe('once more')
    await bench.api('PATCH', `/data/line/${first!.id}`, { b: 4711 })
    await page.keyboard.press('ControlOrMeta+Z')
    await expect.poll(async () => (await stored())[0], patient).toMatchObject({ a: 'theirs', b: 4711 })
  })

  it('begins, after an undo, with the rows as they are, also those out of sight', async () => {
    const fields = { a: { type: 'text', label: 'A' }, b: { type: 'number', label: 'B' } }
    await bench.api('PUT', '/meta/object/sheet', { name: 'sheet', label: 'Sheet', pluralLabel: 'Sheets', fields })
    const records = Array.from({ length: 700 }, (_, index) => ({ a: `old ${index}`, b: index }))
    await bench.api('POST', '/data/sheet/createMany', { records })
    const sheet = async (): Promise<string[]> =>
      (await bench.api<{ records: Line[] }>('GET', '/data/sheet?top=1000&select=a')).records.map(({ a }) => a)
    const before = await sheet()
    await page.goto(`${bench.host.url}${bench.host.uiBasePath}/#/o/sheet`)
    await page.getByText('700 records').waitFor()
    const scroll = async (to: number): Promise<void> =>
      page.evaluate((top) => document.querySelector('.cg-scroller')!.scrollTo({ top }), to)
    await cell('old 0').click()
    await scroll(1_000_000)
    await cell('old 699').click({ modifiers: ['Shift'] })
    await page.keyboard.press('ControlOrMeta+D')
    await expect.poll(async () => new Set(await sheet()).size, patient).toBe(1)
    await page.keyboard.press('ControlOrMeta+Z')
    await expect.poll(sheet, patient).toEqual(before)
    await scroll(0)
    await cell('old 0').click()
    await paste(page, Array.from({ length: 500 }, (_, index) => `new ${index}`).join('\n'))
    await expect.poll(async () => (await sheet())[499], patient).toBe('new 499')
    await page.keyboard.press('ControlOrMeta+Z')
    await expect.poll(sheet, patient).toEqual(before)
  })

  it('names the records of a link that was changed since', async () => {
    await bench.api('PUT', '/meta/object/person', {
      name: 'person',
      label: 'Person',
      fields: { name: { type: 'text', label: 'Name' } },
    })
    const person = async (name: string): Promise<string> =>
      (await bench.api<{ id: string }>('POST', '/data/person', { name })).id
    const [ada, ben, cleo] = [await person('Ada'), await person('Ben'), await person('Cleo')]
    const fields = {
      name: { type: 'text', label: 'Name' },
      lead: { type: 'lookup', label: 'Lead', reference: 'person' },
    }
    await bench.api('PUT', '/meta/object/team', { name: 'team', label: 'Team', pluralLabel: 'Teams', fields })
    const team = await bench.api<{ id: string }>('POST', '/data/team', { name: 'North', lead: ada })
    await page.goto(`${bench.host.url}${bench.host.uiBasePath}/#/o/team`)
    await cell('Ada').click()
    await paste(page, ben)
    await cell('Ben').waitFor()
    await bench.api('PATCH', `/data/team/${team.id}`, { lead: cleo })
    await page.keyboard.press('ControlOrMeta+Z')
    const question = page.getByRole('dialog', { name: 'Changed since' })
    expect(await question.textContent()).toContain('Lead is now “Cleo”, not “Ben”.')
    await question.getByRole('button', { name: 'Leave them' }).click()
    await cell('Cleo').waitFor()
  })

  it('complains about nothing', () => {
    // A page without its sign-in yet, a step that met a newer version, and sockets that a reload cuts.
    const expected = ['401', '409', 'WebSocket']
    expect(open.errors.filter((line) => !expected.some((part) => line.includes(part))).join('\n')).toBe('')
  })
})
