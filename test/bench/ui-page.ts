// A browser beside a host under measurement: signed-in pages, and what is counted inside of them. Knows no screen.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { mintCodeOf } from '#main/http/running-host.ts'
import type { RunningHostAddress } from '#main/http/running-host.ts'
import { chromiumInstallHint, chromiumLaunchOptions, findChromium } from '../support/find-chromium.ts'
import { percentileOf } from './goal-figures.ts'
import type { RunningServer } from './servers.ts'

/** A browser with one signed-in context. */
export interface MeasuredBrowser {
  readonly context: BrowserContext
  /** Opens a page at a route of the program, `/o/task`. */
  open(route: string): Promise<Page>
  close(): Promise<void>
}

/** Frames of a page while something moves in it. */
export interface Frames {
  readonly fps: number
  /** Milliseconds between two frames, of a hundred frames the 95th. */
  readonly p95Ms: number
  /** Share of frames without anything in the middle of what moves. */
  readonly blank: number
}

/** Starts a browser and signs it in. @throws Error with what to install when there is none */
export async function startBrowser(server: RunningServer): Promise<MeasuredBrowser> {
  const path = findChromium()
  if (path === undefined) throw new Error(`There is no browser to measure with: ${chromiumInstallHint()}`)
  const address = JSON.parse(readFileSync(join(server.dataDir, 'connection.json'), 'utf8')) as RunningHostAddress
  const options = chromiumLaunchOptions(path)
  const browser: Browser = await chromium.launch({
    ...options,
    args: [...options.args, '--enable-precise-memory-info'],
  })
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    locale: 'en',
    timezoneId: 'UTC',
  })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const first = await context.newPage()
  await first.goto(await mintCodeOf(address))
  await first.getByRole('navigation', { name: 'Main navigation' }).waitFor()
  await first.close()
  return {
    context,
    async open(route) {
      const page = await context.newPage()
      await page.goto(`${address.url}${address.uiBasePath ?? '/_console'}/#${route}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      return page
    },
    close: () => browser.close(),
  }
}

/** Moves what scrolls by so many pixels with every frame. @param row what should be in the middle of it, by selector */
export async function scrollFrames(
  page: Page,
  { scroller, row, pixels, count }: { scroller: string; row: string; pixels: number; count: number },
): Promise<Frames> {
  const { times, blank } = await page.evaluate(
    async (asked) => {
      const moved = document.querySelector(asked.scroller)
      if (!moved) throw new Error(`There is no ${asked.scroller}.`)
      const { top, height } = moved.getBoundingClientRect()
      const middle = top + height / 2
      const at: number[] = []
      let blanks = 0
      let way = asked.pixels
      for (let frame = 0; frame <= asked.count; frame++) {
        at.push(await new Promise<number>((resolve) => requestAnimationFrame(resolve)))
        // A short list is passed from end to end, and back.
        if (moved.scrollTop + moved.clientHeight >= moved.scrollHeight - 1) way = -asked.pixels
        if (moved.scrollTop === 0) way = asked.pixels
        moved.scrollTop += way
        const isDrawn = [...document.querySelectorAll(asked.row)].some((element) => {
          const box = element.getBoundingClientRect()
          return box.top <= middle && box.bottom >= middle
        })
        if (!isDrawn) blanks++
      }
      return { times: at, blank: blanks / (asked.count + 1) }
    },
    { scroller, row, pixels, count },
  )
  const deltas = times.slice(1).map((time, index) => time - times[index]!)
  return {
    fps: 1_000 / (deltas.reduce((sum, delta) => sum + delta, 0) / deltas.length),
    p95Ms: percentileOf(deltas, 0.95),
    blank,
  }
}

/** What the same browser makes of a page on which there is nothing but lines: what the machine has left at the moment. */
export async function idleFrames(context: BrowserContext, count: number): Promise<Frames> {
  const page = await context.newPage()
  try {
    await page.setContent(
      `<div id="all" style="height:800px;overflow:auto">${'<p class="line">A line of text</p>'.repeat(2_000)}</div>`,
    )
    return await scrollFrames(page, { scroller: '#all', row: '.line', pixels: 400, count })
  } finally {
    await page.close()
  }
}

/** A word for what an idle page reached. */
export function idleNote({ fps, p95Ms }: Frames): string {
  return `idle page ${fps.toFixed(1)} fps, ${p95Ms.toFixed(1)} ms`
}
