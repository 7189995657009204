// The host goes away under an open page: a screen that was not shown before says so and comes by itself, and what was typed
// is still there.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { openBench } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'

let bench: ConsoleBench
let open: ConsolePage
let page: Page

beforeAll(async () => {
  bench = await openBench()
  const fields = { a: { type: 'text', label: 'A' }, b: { type: 'select', label: 'B', options: ['one', 'two'] } }
  await bench.api('PUT', '/meta/object/line', { name: 'line', label: 'Line', pluralLabel: 'Lines', fields })
  await bench.api('POST', '/data/line', { a: 'stored', b: 'one' })
  open = await bench.open('/o/line')
  page = open.page
  await page.getByText('1 record', { exact: true }).waitFor()
})
afterAll(async () => {
  await open?.close()
  await bench?.stop()
})

const away = async (): Promise<void> => {
  await page.route('**', async (route) => route.abort('connectionrefused'))
}
const back = async (): Promise<void> => page.unroute('**')
const cell = (name: string) => page.getByRole('gridcell', { name, exact: true })

describe('while the host is away', () => {
  it('parts of the screen that do not come leave what is typed where it is', async () => {
    await away()
    await cell('stored').click()
    await page.keyboard.type('typed meanwhile')
    await page.keyboard.press('Enter')
    await page.getByText('Host not reachable').waitFor()
    await page.getByRole('button', { name: 'Summary' }).click()
    await page.getByRole('button', { name: 'New view' }).click()
    await page.keyboard.press('Escape')
    expect(await cell('typed meanwhile').getAttribute('aria-invalid')).toBe('true')
    expect(await page.getByText('This screen stopped working').count()).toBe(0)
    await back()
    await page.getByText('Host not reachable').waitFor({ state: 'detached' })
    await cell('typed meanwhile').click()
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect
      .poll(async () => (await bench.api<{ records: { a: string }[] }>('GET', '/data/line')).records[0]?.a)
      .toBe('typed meanwhile')
  })

  it('a screen that was not shown before says why it does not come, and comes once the host is back', async () => {
    await away()
    await page.evaluate(() => {
      window.location.hash = '/settings/about'
    })
    await page.getByRole('heading', { level: 1, name: 'Cairn does not answer' }).waitFor()
    await back()
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
    expect(await page.getByRole('tab', { name: 'About' }).getAttribute('aria-selected')).toBe('true')
  })
})
