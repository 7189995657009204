// Values of the rarer types of fields, entered where records are entered: stars, choices in sight, times, groups, rows,
// secrets that are revealed on demand.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBench } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'
import { seedWorkspace } from './seed-workspace.ts'

interface Found {
  records: Record<string, unknown>[]
}

describe('editors of fields', () => {
  let bench: ConsoleBench
  let opened: ConsolePage

  const record = async (name: string): Promise<Record<string, unknown> | undefined> =>
    (await bench.api<Found>('GET', `/data/every?name=${encodeURIComponent(name)}`)).records[0]

  beforeAll(async () => {
    bench = await openBench()
    await seedWorkspace(bench)
    // Wide enough for every column: the grid draws only what is in sight.
    opened = await bench.open('/o/every', { viewport: { width: 3_000, height: 900 } })
    opened.page.setDefaultTimeout(8_000)
    await opened.page.getByRole('gridcell', { name: 'All of them' }).waitFor()
  })
  afterAll(async () => bench?.stop())

  it('take a record of every type', async () => {
    const { page } = opened
    await page.getByRole('button', { name: 'New record', exact: true }).first().click()
    const box = page.getByRole('dialog', { name: 'New record in Every type' })
    await box.getByRole('textbox', { name: 'Name' }).fill('Second')
    await box.getByRole('slider', { name: 'Rating' }).focus()
    await page.keyboard.press('3')
    await page.keyboard.press('ArrowRight')
    expect(await box.getByRole('slider', { name: 'Rating' }).getAttribute('aria-valuetext')).toBe('4 / 5')
    await box.getByRole('textbox', { name: 'Progress' }).fill('101')
    await box.getByRole('textbox', { name: 'Starts' }).first().fill('2:30 pm')
    await box.getByRole('radio', { name: 'Large' }).check()
    await box.getByRole('checkbox', { name: 'Small' }).check()
    await box.getByRole('switch', { name: 'On' }).check()
    await box.getByRole('textbox', { name: 'Color' }).last().fill('#ABCDEF')
    await box.getByRole('textbox', { name: 'Address: City' }).fill('Oldtown')
    await box.getByRole('textbox', { name: 'Place' }).fill('52.5, 13.4')
    await box.getByRole('textbox', { name: 'Box: Width' }).fill('2.5')
    await box.getByRole('button', { name: 'Add row' }).click()
    await box.getByRole('textbox', { name: 'Lines, row 1: What' }).fill('Glue')
    await box.getByRole('textbox', { name: 'Lines, row 1: Count' }).fill('many')
    await box.getByLabel('Secret').fill('told to nobody')
    await page.keyboard.press('ControlOrMeta+Enter')
    await box.getByText('The value is above 100', { exact: false }).waitFor()
    await box.getByText('Row 1, Count: “many” is not a number.', { exact: false }).waitFor()
    await box.getByRole('textbox', { name: 'Progress' }).fill('30')
    await box.getByRole('textbox', { name: 'Lines, row 1: Count' }).fill('3')
    await page.keyboard.press('ControlOrMeta+Enter')
    await box.waitFor({ state: 'detached' })
    expect(await record('Second')).toMatchObject({
      rating: 4,
      progress: 30,
      starts: '14:30:00',
      size: 'large',
      sizes: ['small'],
      on: true,
      color: '#abcdef',
      address: { city: 'Oldtown' },
      place: { latitude: 52.5, longitude: 13.4 },
      box: { width: 2.5, height: null },
      lines: [{ what: 'Glue', count: 3 }],
      secret: '********',
      double: 8,
    })
  })

  it('change stars and rows in the grid', async () => {
    const { page } = opened
    await page.getByRole('gridcell', { name: '★★★★☆' }).first().dblclick()
    await page.getByRole('slider', { name: /Rating, row 1/ }).press('2')
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await record('All of them'))?.rating).toBe(2)
    await page.getByRole('gridcell', { name: '2 rows' }).dblclick()
    await page.getByRole('button', { name: 'Remove row 2' }).click()
    await page.getByRole('textbox', { name: /row 1: Count/ }).press('Enter')
    await expect.poll(async () => (await record('All of them'))?.lines).toEqual([{ what: 'Nails', count: 20 }])
  })

  it('reveal a secret when asked, and change nothing by it', async () => {
    const { page } = opened
    const before = (await record('All of them'))?.updated_at
    await page.getByRole('gridcell', { name: '••••••••' }).first().dblclick()
    await page.getByRole('button', { name: 'Reveal' }).click()
    await page.getByText('hidden words').waitFor()
    await page.getByRole('button', { name: 'Hide', exact: true }).click()
    expect(await page.getByText('hidden words').count()).toBe(0)
    await page.keyboard.press('Escape')
    expect((await record('All of them'))?.updated_at).toBe(before)
    expect(opened.errors).toEqual([])
  })
})
