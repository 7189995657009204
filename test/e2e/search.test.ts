// Finding anything in a real browser: the palette over records, commands and settings, the page of results, and home with
// the ways back.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { look, tabTo } from './look.ts'
import { openBench } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'

describe('search', () => {
  let bench: ConsoleBench
  let opened: ConsolePage

  beforeAll(async () => {
    bench = await openBench()
    const fields = { title: { type: 'text', label: 'Title' }, notes: { type: 'textarea', label: 'Notes' } }
    for (const [name, label] of [
      ['book', 'Book'],
      ['letter', 'Letter'],
    ] as const) {
      const item = { name, label, pluralLabel: `${label}s`, fields, search: { fields: ['title', 'notes'] } }
      await bench.api('PUT', `/meta/object/${name}`, { type: 'object', name, item })
    }
    await bench.api('POST', '/data/book', { title: 'Sense and Sensibility', notes: 'Elinor and Marianne' })
    await bench.api('POST', '/data/letter', { title: 'To the printer', notes: 'about the Sénsibility of paper' })
    opened = await bench.open('/')
  })
  afterAll(async () => {
    // The value that was refused on purpose.
    expect(opened.errors.filter((line) => !line.includes('400'))).toEqual([])
    await bench?.stop()
  })

  const palette = async (words: string): Promise<void> => {
    const { page } = opened
    await page.keyboard.press('ControlOrMeta+K')
    await page.keyboard.type(words)
  }

  it('takes what is typed right behind the key that opens the palette, on a slow machine too', async () => {
    const { page } = opened
    const slow = await page.context().newCDPSession(page)
    const field = page.getByRole('combobox', { name: 'Search', exact: false })
    await slow.send('Emulation.setCPUThrottlingRate', { rate: 8 })
    try {
      await palette('printer')
      // The field is on screen before it has the focus, and takes what was typed with it.
      await expect.poll(() => field.inputValue(), { timeout: 20_000 }).toBe('printer')
    } finally {
      await slow.send('Emulation.setCPUThrottlingRate', { rate: 1 })
      await page.keyboard.press('Escape')
    }
    await field.waitFor({ state: 'detached' })
  })

  it('leads to records, settings and all results from the palette, by keyboard', async () => {
    const { page } = opened
    await palette('sensib')
    const first = page.getByRole('option').first()
    await page.getByRole('option', { name: /^Sense and Sensibility/ }).waitFor()
    expect(await first.locator('mark').allTextContents()).toEqual(['Sensibility'])
    await look(page, 'palette-records')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Sense and Sensibility' }).waitFor()

    await palette('currency')
    await page.getByRole('option', { name: 'Currency', selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Currency' }).fill('euro')
    await page.keyboard.press('Enter')
    await page.locator('input[aria-invalid="true"]').waitFor()
    await page.getByRole('textbox', { name: 'Currency' }).fill('EUR')
    await page.keyboard.press('Enter')
    await page.getByText('Currency was saved.').waitFor()
    expect((await bench.api<{ settings: { currency: string } }>('GET', '/settings')).settings.currency).toBe('EUR')

    await palette('sensib')
    await page.getByRole('option', { name: 'Search everything for “sensib”' }).click()
    await page.getByText('Everything (2)').waitFor()
    await page.getByText('about the Sénsibility of paper').waitFor()
    await look(page, 'search')
    await tabTo(page, 'Letters (1)')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('list', { name: 'Results' }).getByRole('link').count()).toBe(1)
  })

  it('has home show what was opened last, what is pinned, and what others changed since', async () => {
    const { page } = opened
    await page.getByRole('list', { name: 'Results' }).getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: 'To the printer' }).waitFor()
    await page.waitForTimeout(1_200)
    await page.keyboard.press('ControlOrMeta+K')
    await page.getByRole('option', { name: 'To the printer' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    await page.getByRole('heading', { name: 'What next?' }).waitFor()
    await page.getByRole('button', { name: 'Pin To the printer' }).click()
    await page.getByRole('heading', { name: 'Pinned' }).waitFor()
    await page.getByRole('button', { name: 'Take To the printer off' }).waitFor()
    await look(page, 'home')
    await page.evaluate(() => {
      for (const key of Object.keys(localStorage).filter((each) => each.startsWith('cairn.visits.')))
        localStorage.setItem(key, '2020-01-01T00:00:00.000Z 2020-01-02T00:00:00.000Z')
    })
    await page.reload()
    await page.getByText('Nothing was changed by others since Jan 2, 2020', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'I know my way' }).click()
    expect(await page.getByRole('heading', { name: 'What next?' }).count()).toBe(0)
  })

  it('fits small windows', async () => {
    const { page } = opened
    for (const route of [
      '/search?q=sensib',
      '/trash',
      '/backups',
      '/settings',
      '/settings/storage',
      '/settings/about',
      '/',
    ]) {
      for (const width of [1024, 390, 320]) {
        await page.setViewportSize({ width, height: 800 })
        await page.goto(`${page.url().split('#')[0]}#${route}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        const wide = await page.evaluate(() =>
          [document.documentElement, ...document.querySelectorAll('main')]
            .filter((element) => element.scrollWidth > element.clientWidth + 1)
            .map((element) => element.tagName),
        )
        expect({ route, width, wide }).toEqual({ route, width, wide: [] })
      }
    }
  })
})
