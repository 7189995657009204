// Tabs that are led from screen to screen, as people go through the application: a fraction of the work of loading it
// for each. What a screen leaves behind in one does not reach the next. Knows no screen.
import type { Page, Request } from 'playwright-core'
import type { ConsoleBench, ConsolePage } from './open-console.ts'

/** A tab on loan. */
export interface LentTab {
  readonly page: Page
  /** What this screen complained about. */
  readonly errors: readonly string[]
  /** What the host told the page since it was loaded, whole answers; kept in a tab of a chosen language alone. */
  readonly answers: ReadonlySet<string>
  /** Resolves when the page has asked for nothing for a while. */
  settled(): Promise<void>
  /** Leaves the screen: the tab waits for the next one, or is closed where something of this one stays. */
  giveBack(): Promise<void>
  close(): Promise<void>
}

/** The tabs of one workspace in one language. */
export interface TabPool {
  /** A tab at a route. */
  lend(route: string): Promise<LentTab>
}

/** A place without a screen: whatever was there before is gone once its heading stands. */
const nowhere = '/nothing-here'
const leftOver = '[role="dialog"], [role="alertdialog"], [role="menu"], .mantine-Notification-root'
/** Whoever waits longer for what is loaded already waits for what never comes. */
const patienceMs = 10_000
const quietMs = 300

interface Tab extends ConsolePage, Pick<LentTab, 'settled'> {
  readonly title: string
  readonly answers: Set<string>
  /** Whether a screen answered requests itself: what the page heard then, it may still believe. */
  isDeceived(): boolean
}

/** Makes a pool; tabs are opened as they are needed. @param locale the language to open them in; the person's own without */
export function createTabPool(bench: ConsoleBench, locale?: string): TabPool {
  const idle: Tab[] = []

  const open = async (): Promise<Tab> => {
    const opened = await bench.openTab(nowhere, locale)
    const answers = new Set<string>()
    const running = new Set<Request>()
    let askedAt = Date.now()
    opened.page.on('request', (request) => {
      running.add(request)
      askedAt = Date.now()
    })
    for (const ending of ['requestfinished', 'requestfailed'] as const)
      opened.page.on(ending as 'requestfinished', (request) => running.delete(request))
    const settled = async (): Promise<void> => {
      while (running.size > 0 || Date.now() - askedAt < quietMs) await opened.page.waitForTimeout(quietMs / 3)
    }
    opened.page.on('response', (answer) => {
      if (locale === undefined || !answer.url().includes('/api/')) return
      void answer.text().then(
        (text) => answers.add(text),
        () => undefined,
      )
    })
    opened.page.setDefaultTimeout(patienceMs)
    let isDeceived = false
    const route = opened.page.route.bind(opened.page)
    opened.page.route = async (...args) => {
      isDeceived = true
      return route(...args)
    }
    // What it was told before anybody listened is told again.
    await opened.page.reload()
    await opened.page.getByRole('heading', { level: 1 }).waitFor()
    return { ...opened, answers, settled, isDeceived: () => isDeceived, title: await headingOf(opened.page) }
  }

  const leave = async ({ page, title, errors }: Tab): Promise<boolean> => {
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.mouse.move(0, 0)
    await page.evaluate((route) => {
      sessionStorage.clear()
      window.location.hash = route
    }, nowhere)
    await page.locator('h1', { hasText: title }).waitFor({ timeout: 2_000 })
    await page.evaluate(async () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50))))
    errors.length = 0
    return (await page.locator(leftOver).count()) === 0
  }

  return {
    async lend(route) {
      const tab = idle.pop() ?? (await open())
      const { page, title } = tab
      await page.evaluate((to) => {
        window.location.hash = to
      }, route)
      await page.locator('h1', { hasNotText: title }).first().waitFor({ state: 'attached' })
      return {
        ...tab,
        async giveBack() {
          if (!tab.isDeceived() && (await leave(tab).catch(() => false))) idle.push(tab)
          else await tab.close()
        },
      }
    },
  }
}

async function headingOf(page: Page): Promise<string> {
  return (await page.locator('h1').first().textContent()) ?? ''
}
