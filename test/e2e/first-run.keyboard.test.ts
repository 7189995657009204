// The first run with the keyboard alone: from the sign-in link to an edited cell, without one click and under a minute.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBench, paste } from './open-console.ts'
import type { ConsoleBench } from './open-console.ts'

/** What a person needs to decide on the next key, in milliseconds. */
const thinkMs = 200
const limitMs = 60_000

const rows = Array.from(
  { length: 120 },
  (_, index) => `Plant ${index + 1}\t${(index % 7) + 1}\t2026-03-${10 + (index % 9)}`,
)
const table = ['Plant\tLitres\tWatered', ...rows].join('\n')

describe('first run by keyboard', () => {
  let bench: ConsoleBench
  beforeAll(async () => {
    bench = await openBench()
  })
  afterAll(async () => bench?.stop())

  it('leads from the link to an edited cell in under a minute', async () => {
    const startedAt = Date.now()
    const { page, errors, close } = await bench.openWithCode()
    const press = async (...keys: string[]): Promise<void> => {
      for (const key of keys) {
        await page.waitForTimeout(thinkMs)
        await page.keyboard.press(key)
      }
    }
    const focused = async (): Promise<string | null> =>
      page.evaluate(() => {
        const { activeElement } = document
        return activeElement?.getAttribute('aria-label') ?? activeElement?.textContent ?? null
      })

    // The place for a table has the focus, so pasting needs no click.
    await expect.poll(focused).toContain('Paste or drop a table')
    await page.waitForTimeout(thinkMs)
    await paste(page, table)
    await page.getByRole('heading', { name: 'Check the columns' }).waitFor()
    await expect
      .poll(async () =>
        page.getByRole('textbox', { name: 'Name of the object' }).evaluate((node) => node === document.activeElement),
      )
      .toBe(true)
    await page.keyboard.type('Plants', { delay: 60 })
    await press('Tab')
    expect(await focused()).toContain('Create with 120 records')
    await press('Enter')
    await page.getByRole('grid', { name: 'Records of Plants' }).waitFor()
    await page.getByText('120 records', { exact: true }).waitFor()

    // To the grid with the key that moves between regions and Tab.
    const inGrid = async (): Promise<boolean> =>
      page.evaluate(() => document.activeElement?.getAttribute('role') === 'grid')
    for (let step = 0; step < 20 && !(await inGrid()); step++) await press('Tab')
    expect(await inGrid()).toBe(true)
    await press('ArrowRight', 'Enter', 'ControlOrMeta+A')
    await page.keyboard.type('9')
    await press('Enter')
    await expect
      .poll(
        async () =>
          (await bench.api<{ records: { litres: number }[] }>('GET', '/data/plants?plant=Plant 1')).records[0]?.litres,
      )
      .toBe(9)
    const tookMs = Date.now() - startedAt
    console.log(`first run by keyboard: ${(tookMs / 1000).toFixed(1)} s`)
    expect(tookMs).toBeLessThan(limitMs)
    expect(errors).toEqual([])
    await close()
  })

  it('reaches every command of the palette and gives the focus back', async () => {
    const { page, errors, close } = await bench.open('/objects')
    await page.getByRole('heading', { level: 1, name: 'Objects' }).waitFor()
    await page.keyboard.press('ControlOrMeta+K')
    await page.getByRole('combobox', { name: /Search records/ }).waitFor()
    const labels = await page.getByRole('option').allTextContents()
    expect(labels.length).toBeGreaterThan(8)
    await page.keyboard.type('go to home')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await expect.poll(async () => page.evaluate(() => document.activeElement === document.body)).toBe(false)
    await page.keyboard.press('g')
    await page.keyboard.press('o')
    await page.getByRole('heading', { level: 1, name: 'Objects' }).waitFor()
    expect(errors).toEqual([])
    await close()
  })

  it('walks through the regions of the screen with F6', async () => {
    const { page, close } = await bench.open('/objects')
    await page.getByRole('heading', { level: 1, name: 'Objects' }).waitFor()
    const seen = new Set<string>()
    for (let step = 0; step < 3; step++) {
      await page.keyboard.press('F6')
      seen.add(await page.evaluate(() => document.activeElement?.closest('header, nav, main')?.tagName ?? 'none'))
    }
    expect([...seen].toSorted()).toEqual(['HEADER', 'MAIN', 'NAV'])
    await close()
  })
})
