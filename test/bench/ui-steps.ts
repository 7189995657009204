// What a person feels, in numbers: scrolling, opening, typing, pasting, importing, finding. Each is the best of three, and
// beside what moves stands what an idle page of the same browser reached at that moment.
import type { Page } from 'playwright-core'
import type { GoalFigure } from './goal-figures.ts'
import { percentileOf } from './goal-figures.ts'
import type { RunningServer } from './servers.ts'
import type { Frames, MeasuredBrowser } from './ui-page.ts'
import { idleFrames, idleNote, scrollFrames } from './ui-page.ts'
import { call, fieldCount, makePictures, makeWide } from './ui-world.ts'

/** What every step works with. */
export interface UiRun {
  readonly server: RunningServer
  readonly browser: MeasuredBrowser
  /** Records of the wide object. */
  readonly rows: number
  readonly pictures: number
  /** Records of the largest object; 0 leaves its step out. */
  readonly most: number
}

/** A step and what it measures. */
export interface UiStep {
  readonly id: string
  readonly label: string
  readonly measure: (run: UiRun) => Promise<GoalFigure[]>
}

const tries = 3
const frames = 200
const pastedCells = 10_000
const patienceMs = 60_000
const count = (number: number): string => number.toLocaleString('en')
const titleOf = (row: number): string => `Item ${row} of many`

async function bestOf<T>(work: () => Promise<T>, worth: (found: T) => number): Promise<T> {
  const found: T[] = []
  for (let at = 0; at < tries; at += 1) found.push(await work())
  return found.toSorted((a, b) => worth(b) - worth(a))[0]!
}

/** Frames of a page that scrolls, as figures; its picture must not be blank. */
async function scrolling(
  { browser }: UiRun,
  page: Page,
  step: { id: string; label: string; scroller: string; row: string; pixels: number; fps: number; p95Ms: number },
): Promise<GoalFigure[]> {
  const { id, label, fps, p95Ms } = step
  const seen = await bestOf(
    async () => {
      const idle = await idleFrames(browser.context, frames / 2)
      await page.bringToFront()
      return { idle, own: await scrollFrames(page, { ...step, count: frames }) }
    },
    ({ own }: { own: Frames }) => own.fps,
  )
  const note = `${idleNote(seen.idle)}; ${(seen.own.blank * 100).toFixed(0)} % of frames blank`
  return [
    { id, label, unit: 'fps', value: seen.own.fps, goal: ['higher', fps], note },
    { id: `${id}-p95`, label: `${label}, p95`, unit: 'ms', value: seen.own.p95Ms, goal: ['lower', p95Ms], note },
  ]
}

const gridParts = { scroller: '.cg-scroller', row: '.cg-row' }

async function openWide({ browser, rows }: UiRun, query = ''): Promise<Page> {
  const page = await browser.open(`/o/wide${query}`)
  await page.getByText(`${count(rows)} records`, { exact: true }).waitFor()
  await page.getByRole('gridcell', { name: titleOf(0), exact: true }).waitFor()
  return page
}

const scroll: UiStep = {
  id: 'scroll',
  label: 'scrolling a grid',
  async measure(run) {
    const page = await openWide(run)
    const size = `${count(run.rows)} × ${fieldCount}`
    const steps = { id: 'scroll-steps', label: `scroll ${size}, 400 px a frame`, pixels: 400, fps: 57, p95Ms: 22 }
    const flings = { id: 'scroll-flings', label: `scroll ${size}, 4,000 px a frame`, pixels: 4_000, fps: 50, p95Ms: 40 }
    const figures = [
      ...(await scrolling(run, page, { ...gridParts, ...steps })),
      ...(await scrolling(run, page, { ...gridParts, ...flings })).slice(0, 1),
    ]
    const session = await run.browser.context.newCDPSession(page)
    await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage')
    await page.close()
    return [
      ...figures,
      {
        id: 'heap',
        label: `heap of the page after scrolling ${count(run.rows)} records`,
        unit: 'MB',
        value: usedSize / 1_048_576,
        goal: ['lower', 120],
      },
    ]
  },
}

const thumbnails: UiStep = {
  id: 'thumbnails',
  label: 'scrolling pictures',
  async measure(run) {
    const { server, browser, pictures } = run
    await makePictures(server, 'photo', pictures)
    const grid = await browser.open('/o/photo')
    await grid.getByRole('gridcell', { name: 'Photo 0', exact: true }).waitFor()
    const label = `${count(pictures)} pictures`
    const inGrid = {
      id: 'thumbnails-grid',
      label: `${label} in a grid, 400 px a frame`,
      pixels: 400,
      fps: 57,
      p95Ms: 22,
    }
    const figures = await scrolling(run, grid, { ...gridParts, ...inGrid })
    await grid.close()
    const gallery = await browser.open('/o/photo?v=photo.pictures')
    await gallery.locator('[data-card] img').first().waitFor()
    const inCards = {
      id: 'thumbnails-gallery',
      label: `${label} as cards, 400 px a frame`,
      pixels: 400,
      fps: 57,
      p95Ms: 22,
    }
    const parts = { scroller: ':has(> ul > li > [data-card])', row: 'li:has(> [data-card])' }
    figures.push(...(await scrolling(run, gallery, { ...parts, ...inCards })))
    await gallery.close()
    return figures
  },
}

const open: UiStep = {
  id: 'open',
  label: 'opening a grid',
  async measure(run) {
    const page = await openWide(run)
    const seen = await bestOf(
      async () => {
        await page.reload()
        await page.getByRole('gridcell', { name: titleOf(0), exact: true }).waitFor()
        return page.evaluate(() => ({
          paintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
          usableMs: performance.now(),
        }))
      },
      ({ usableMs }) => -usableMs,
    )
    await page.close()
    return [
      { id: 'paint', label: 'first contentful paint, warm', unit: 'ms', value: seen.paintMs, goal: ['lower', 1_000] },
      { id: 'usable', label: 'grid with its records, warm', unit: 'ms', value: seen.usableMs, goal: ['lower', 1_800] },
    ]
  },
}

const most: UiStep = {
  id: 'most',
  label: 'a very large object',
  async measure({ server, browser, most: rows }) {
    if (rows === 0) return []
    await makeWide(server, 'widest', rows)
    const page = await browser.open('/o/widest')
    await page.getByText(`${count(rows)} records`, { exact: true }).waitFor()
    const seen = await bestOf(
      async () => {
        await page.reload()
        await page.getByRole('gridcell', { name: titleOf(0), exact: true }).waitFor()
        const openMs = await page.evaluate(() => performance.now())
        await page.getByRole('gridcell', { name: titleOf(0), exact: true }).click()
        const began = performance.now()
        await page.keyboard.press('ControlOrMeta+End')
        await page.getByRole('gridcell', { name: count(rows - 1 + fieldCount - 1), exact: true }).waitFor()
        return { openMs, endMs: performance.now() - began }
      },
      ({ openMs, endMs }) => -Math.max(openMs, endMs),
    )
    await page.close()
    return [
      { id: 'most-open', label: `open ${count(rows)} records`, unit: 'ms', value: seen.openMs, goal: ['lower', 2_000] },
      {
        id: 'most-end',
        label: `jump to the end of ${count(rows)}`,
        unit: 'ms',
        value: seen.endMs,
        goal: ['lower', 2_000],
      },
    ]
  },
}

const edit: UiStep = {
  id: 'edit',
  label: 'typing into cells',
  async measure(run) {
    const page = await openWide(run)
    const keys = 40
    const seen = await bestOf(
      async () => {
        await page.getByRole('gridcell', { name: 'r1c3', exact: true }).click()
        await page.evaluate(() => {
          const times: number[] = []
          Object.assign(window, { painted: times })
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) if (entry.name === 'keydown') times.push(entry.duration)
          }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit)
        })
        for (let at = 0; at < keys / 2; at += 1) {
          // Opens the editor with the letter in it, then leaves it as it was.
          await page.keyboard.press('x')
          await page.keyboard.press('Escape')
        }
        await page.waitForTimeout(300)
        const slow = await page.evaluate(() => (window as unknown as { painted: number[] }).painted)
        // What is not told took less than the threshold.
        return [...slow, ...Array.from<number>({ length: Math.max(0, keys - slow.length) }).fill(16)]
      },
      (times) => -percentileOf(times, 0.95),
    )
    await page.close()
    const value = percentileOf(seen, 0.95)
    const note = `p50 ${percentileOf(seen, 0.5).toFixed(0)} ms; told in steps of 8 ms, 16 or less as 16`
    return [{ id: 'edit', label: 'key press to painted cell, p95', unit: 'ms', value, goal: ['lower', 100], note }]
  },
}

const paste: UiStep = {
  id: 'paste',
  label: 'pasting cells',
  async measure(run) {
    const { server } = run
    const across = 10
    const down = pastedCells / across
    const page = await openWide(run)
    let round = 0
    const seen = await bestOf(
      async () => {
        round += 1
        const lines = Array.from({ length: down }, (_, line) =>
          Array.from({ length: across }, (__, at) =>
            at === 0 ? titleOf(line) : at % 3 === 0 ? `p${round}r${line}c${at}` : String(round * 1_000_000 + line),
          ).join('\t'),
        )
        await page.evaluate(async (text) => navigator.clipboard.writeText(text), lines.join('\n'))
        await page.getByRole('gridcell', { name: titleOf(0), exact: true }).click()
        const began = performance.now()
        await page.keyboard.press('ControlOrMeta+V')
        const last = encodeURIComponent(JSON.stringify({ f9: `p${round}r${down - 1}c9` }))
        const isStored = async (): Promise<boolean> =>
          (await call<{ records: unknown[] }>(server, 'GET', `/data/wide?top=1&filter=${last}`)).records.length > 0
        while (!(await isStored())) {
          if (performance.now() - began > patienceMs) throw new Error('what was pasted is not stored after a minute')
          await page.waitForTimeout(20)
        }
        return performance.now() - began
      },
      (ms) => -ms,
    )
    await page.close()
    const label = `paste ${count(pastedCells)} cells, until they are stored`
    return [{ id: 'paste', label, unit: 'ms', value: seen, goal: ['lower', 3_000] }]
  },
}

const importing: UiStep = {
  id: 'import',
  label: 'importing a file',
  async measure({ server, browser, rows }) {
    const lines = Array.from({ length: rows }, (_, at) => `Name ${at},${at},Kind ${at % 7},2026-0${(at % 9) + 1}-11`)
    const buffer = Buffer.from(['Name,Amount,Kind,Day', ...lines].join('\n'))
    const fields = {
      name: { type: 'text', label: 'Name' },
      amount: { type: 'number', label: 'Amount' },
      kind: { type: 'text', label: 'Kind' },
      day: { type: 'date', label: 'Day' },
    }
    await call(server, 'PUT', '/meta/object/taken', { name: 'taken', label: 'Taken', pluralLabel: 'Taken', fields })
    const idle = await idleFrames(browser.context, frames)
    const page = await browser.open('/o/taken/import')
    await page.locator('input[type=file]').setInputFiles({ name: 'taken.csv', mimeType: 'text/csv', buffer })
    const button = page.getByRole('button', { name: new RegExp(`^Import ${count(rows)} record`) })
    await button.waitFor({ timeout: 60_000 })
    await page.evaluate(() => {
      const times: number[] = []
      Object.assign(window, { drawn: times })
      const next = (at: number): void => {
        times.push(at)
        requestAnimationFrame(next)
      }
      requestAnimationFrame(next)
    })
    const began = performance.now()
    await button.click()
    await page.getByText(`${count(rows)} records`, { exact: true }).waitFor({ timeout: 180_000 })
    const seconds = (performance.now() - began) / 1_000
    const drawn = await page.evaluate(() => (window as unknown as { drawn: number[] }).drawn)
    const { total } = await call<{ total: number }>(server, 'GET', '/data/taken?count=true&top=1')
    await page.close()
    if (total !== rows) throw new Error(`${total} of ${rows} rows arrived`)
    const fps = (1_000 * (drawn.length - 1)) / (drawn.at(-1)! - drawn[0]!)
    return [
      { id: 'import', label: `import a CSV of ${count(rows)} rows`, unit: 's', value: seconds, goal: ['lower', 40] },
      {
        id: 'import-fps',
        label: 'frames of the page meanwhile',
        unit: 'fps',
        value: fps,
        goal: ['higher', 50],
        note: idleNote(idle),
      },
    ]
  },
}

const palette: UiStep = {
  id: 'palette',
  label: 'finding records',
  async measure(run) {
    const page = await openWide(run)
    const times: number[] = []
    for (let at = 0; at < 12; at += 1) {
      // Numbers of the same length: none of them is the beginning of another.
      const low = 10 ** (String(run.rows - 1).length - 1)
      const row = low + ((at * 7_919 + 13) % (run.rows - low))
      await page.keyboard.press('ControlOrMeta+K')
      const field = page.getByRole('combobox', { name: 'Search', exact: false })
      await field.waitFor()
      await page.keyboard.type(`item ${String(row).slice(0, -1)}`)
      await page.waitForTimeout(300)
      await page.evaluate(() => {
        const mark = (): unknown => Object.assign(window, { pressedAt: performance.now() })
        addEventListener('keydown', mark, { once: true, capture: true })
      })
      await page.keyboard.type(String(row).slice(-1))
      times.push(
        await page.evaluate(
          (text) =>
            new Promise<number>((resolve, reject) => {
              setTimeout(() => reject(new Error(`${text} did not appear`)), 10_000)
              const { pressedAt } = window as unknown as { pressedAt: number }
              const look = (): void => {
                const isThere = [...document.querySelectorAll('[role=option]')].some((one) =>
                  one.textContent?.includes(text),
                )
                if (isThere) resolve(performance.now() - pressedAt)
                else requestAnimationFrame(look)
              }
              look()
            }),
          titleOf(row),
        ),
      )
      await page.keyboard.press('Escape')
      await field.waitFor({ state: 'detached' })
    }
    await page.close()
    const label = `palette, from the last letter to the record, of ${count(run.rows)}`
    const note = `p95 ${percentileOf(times, 0.95).toFixed(0)} ms; 80 ms of it are waited for another letter`
    return [{ id: 'palette', label, unit: 'ms', value: percentileOf(times, 0.5), goal: ['lower', 200], note }]
  },
}

/** The steps, in their order. */
export const uiSteps: readonly UiStep[] = [scroll, open, edit, paste, palette, importing, thumbnails, most]
