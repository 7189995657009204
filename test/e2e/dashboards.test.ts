// Dashboards in a real browser: making one with three kinds of tile by keyboard and pointer, undoing, saving, drilling to
// records, filtering all tiles, following changes, printing, a picture.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { look, pictures } from './look.ts'
import { openBench } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'

interface Widget {
  type: string
  layout: { x: number; y: number; w: number; h: number }
}

describe('dashboards', () => {
  let bench: ConsoleBench
  let opened: ConsolePage

  beforeAll(async () => {
    bench = await openBench()
    const fields = {
      title: { type: 'text', label: 'Title' },
      genre: { type: 'select', label: 'Genre', options: ['Novel', 'Poetry'] },
      pages: { type: 'number', label: 'Pages' },
      bought: { type: 'date', label: 'Bought' },
    }
    await bench.api('PUT', '/meta/object/book', {
      type: 'object',
      name: 'book',
      item: { name: 'book', label: 'Book', pluralLabel: 'Books', fields },
    })
    const records = Array.from({ length: 12 }, (_, at) => ({
      title: `Book ${at + 1}`,
      genre: at % 3 === 0 ? 'Poetry' : 'Novel',
      pages: 100 * (at + 1),
      bought: `2026-0${(at % 6) + 1}-15`,
    }))
    await bench.api('POST', '/data/book/createMany', { records })
    await bench.api('POST', '/ui/views', {
      object: 'book',
      key: 'poems',
      viewKind: 'list',
      label: 'Poems',
      scope: 'shared',
      config: { type: 'grid', columns: ['title', 'pages'], filter: { genre: 'Poetry' } },
    })
    opened = await bench.open('/dashboards')
  })
  afterAll(async () => {
    expect(opened.errors).toEqual([])
    await bench?.stop()
  })

  const stored = async (): Promise<Widget[]> =>
    (await bench.api<{ item: { widgets: Widget[] } }>('GET', '/meta/dashboard/sales')).item.widgets

  it('are made of tiles by keyboard, and each step can be undone', async () => {
    const { page } = opened
    await page.getByRole('button', { name: 'New dashboard' }).click()
    await page.getByRole('textbox', { name: 'Name of the dashboard' }).fill('Sales')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Edit Sales' }).waitFor()
    for (const kind of ['Number', 'Bars', 'List of records']) {
      await page.getByRole('button', { name: 'Add tile', exact: true }).click()
      await page.getByRole('menuitem', { name: kind, exact: true }).click()
    }
    await page.getByRole('combobox', { name: 'View' }).selectOption('Poems')
    await page.getByRole('textbox', { name: 'Title' }).fill('Verse')
    await page.getByRole('button', { name: 'Bars: Books', exact: true }).click()
    await page.getByRole('combobox', { name: 'Show' }).selectOption('Sum of Pages')

    const place = page.getByRole('status').filter({ hasText: /wide/ })
    await page.getByRole('button', { name: 'Move Verse', exact: true }).focus()
    await page.keyboard.press('Shift+ArrowLeft')
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => place.textContent()).toBe('Verse: column 7, row 4, 5 wide, 4 high')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Move Verse')
    await page.keyboard.press('Delete')
    await expect.poll(() => page.getByRole('button', { name: 'Move Verse', exact: true }).count()).toBe(0)
    await page.keyboard.press('ControlOrMeta+Z')
    await page.getByRole('button', { name: 'Move Verse', exact: true }).waitFor()

    const grip = page.getByRole('button', { name: 'Move Number: Books', exact: true })
    await grip.focus()
    for (let step = 0; step < 6; step += 1) await page.keyboard.press('Shift+ArrowLeft')
    await expect.poll(() => place.textContent()).toBe('Number: Books: column 1, row 1, 6 wide, 2 high')
    const from = (await grip.boundingBox())!
    await page.mouse.move(from.x + 12, from.y + 12)
    await page.mouse.down()
    await page.mouse.move(from.x + 12 + 500, from.y + 12, { steps: 4 })
    await page.mouse.up()
    await look(page, 'dashboard-making')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Sales', exact: true }).waitFor()
    const widgets = await stored()
    expect(widgets.map(({ type }) => type).toSorted()).toEqual(['chart', 'list', 'metric'])
    expect(widgets.find(({ type }) => type === 'list')?.layout).toEqual({ x: 6, y: 3, w: 5, h: 4 })
    expect(widgets.find(({ type }) => type === 'metric')?.layout.x).toBeGreaterThan(3)
  })

  it('lead to the records behind a figure, under the filters of the address', async () => {
    const { page } = opened
    const number = page.getByRole('region', { name: 'Number: Books' })
    await number.getByRole('link', { name: 'Number: Books: 12. Show the records' }).waitFor()
    await page.locator('.recharts-bar-rectangle').first().waitFor()
    await look(page, 'dashboard-made')
    await page.getByRole('combobox', { name: 'Time' }).selectOption('Days…')
    await page.getByLabel('From', { exact: true }).fill('2026-01-01')
    await page.getByLabel('To', { exact: true }).fill('2026-03-31')
    await number.getByRole('link', { name: 'Number: Books: 6. Show the records' }).waitFor()
    expect(page.url()).toContain('range=bought.2026-01-01.2026-03-31')
    await page.getByRole('button', { name: 'Show Bars: Books as a table' }).click()
    await page.getByRole('link', { name: 'Show the records of Poetry' }).click()
    await page.getByRole('gridcell', { name: 'Book 1', exact: true }).waitFor()
    await page.getByText('2 records found').waitFor()
    await page.goBack()
    await page.locator('.recharts-bar-rectangle').first().click()
    await page.getByText('4 records found').waitFor()
    await page.goBack()
    await number.getByRole('link', { name: 'Number: Books: 6. Show the records' }).waitFor()
  })

  it('follow what others write, are printed without the frame, and give a picture', async () => {
    const { page } = opened
    await bench.api('POST', '/data/book', { title: 'Book 13', genre: 'Novel', bought: '2026-02-01' })
    const number = page.getByRole('region', { name: 'Number: Books' })
    await number.getByRole('link', { name: 'Number: Books: 7. Show the records' }).waitFor()

    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('navigation', { name: 'Main navigation' }).isVisible()).toBe(false)
    expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false)
    expect(await page.getByText('Printed on').isVisible()).toBe(true)
    const { width } = (await page.locator('svg.recharts-surface').first().boundingBox())!
    expect(width).toBeGreaterThan(100)
    const size = page.viewportSize()!
    await page.setViewportSize({ width: 720, height: 1000 })
    await page.screenshot({ path: join(pictures, 'dashboard-print.png') })
    await page.setViewportSize(size)
    await page.emulateMedia({ media: null })

    await page.getByRole('button', { name: 'What to do with the tile Bars: Books' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'Save as picture' }).click()
    const picture = await download
    expect(picture.suggestedFilename()).toBe('Bars Books.png')
    await picture.saveAs(join(pictures, 'dashboard-picture.png'))
    const bytes = readFileSync(join(pictures, 'dashboard-picture.png'))
    // Twice as many pixels as on screen: the file says its width at byte 16.
    const drawn = (await page.locator('svg.recharts-surface').first().boundingBox())!
    expect(bytes.readUInt32BE(16)).toBe(Math.ceil(drawn.width * 2))
  })

  it('ask for the group of a drawing that has none', async () => {
    await bench.api('PUT', '/meta/dashboard/bare', {
      type: 'dashboard',
      name: 'bare',
      item: {
        name: 'bare',
        label: 'Bare',
        widgets: [{ id: 'a', type: 'chart', query: { cube: 'book', measures: ['count'] } }],
      },
    })
    const { page, close } = await bench.openTab('/dashboards/bare/edit')
    await page.getByText('A chart needs a field to group the records by.').waitFor()
    const group = page.getByRole('combobox', { name: 'Group by' })
    expect(await group.locator('option:checked').textContent()).toBe('Choose…')
    await group.selectOption('Genre')
    await page.locator('.recharts-bar-rectangle').first().waitFor()
    await close()
    await bench.api('DELETE', '/meta/dashboard/bare')
  })

  it('come back after they were deleted', async () => {
    const { page } = opened
    await page.getByRole('button', { name: 'What to do with Sales' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByText('No dashboards yet').waitFor()
    await page.getByRole('button', { name: 'Undo', exact: true }).last().click()
    await page.getByRole('row', { name: /Sales/ }).waitFor()
    expect(await stored()).toHaveLength(3)
  })

  it('come with every ready application, and all their tiles show something', async () => {
    interface Available {
      data: { packages: { packageId: string; artifactRef: string }[] }
    }
    const { data } = await bench.api<Available>('GET', '/packages/available')
    for (const { artifactRef } of data.packages) await bench.api('POST', '/packages/install', { artifactRef })
    const { items } = await bench.api<{ items: { name: string; label: string; widgets: { title: string }[] }[] }>(
      'GET',
      '/meta/dashboard',
    )
    const overviews = items.filter(({ name }) => name.endsWith('_overview'))
    expect(overviews).toHaveLength(6)
    for (const { name, label, widgets } of overviews) {
      const { page, errors, close } = await bench.openTab(`/dashboards/${name}`)
      await page.getByRole('heading', { level: 1, name: label }).waitFor()
      for (const { title } of widgets) {
        const tile = page.getByRole('region', { name: title, exact: true })
        await tile.locator('svg.recharts-surface, ul li a, p a').first().waitFor()
      }
      await page.screenshot({ path: join(pictures, `dashboard-${name}.png`) })
      expect({ name, errors }).toEqual({ name, errors: [] })
      await close()
    }
  })
})
