// A page that cannot open a socket follows others all the same: over a stream, and by polls where there is no stream; and
// two people at one table see which cell the other is writing in.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBench } from './open-console.ts'
import type { ConsoleBench } from './open-console.ts'
import { bookCalled, letEditBooks } from './seed-activity.ts'
import { makePerson, password, widenLimits } from './seed-access.ts'
import { seedWorkspace } from './seed-workspace.ts'
import { enterPassword } from './sign-in-steps.ts'

/** What a screen may take to follow, in milliseconds. */
const followMs = 1_000
/** Every way is tried three times at most, with growing pauses, before the next one. */
const fallbackMs = 20_000

const cell = (page: Page, text: string) => page.getByRole('gridcell', { name: text, exact: true })
const others = async (page: Page): Promise<string> =>
  (await page.getByRole('list', { name: 'Also here' }).getByRole('listitem').allInnerTexts()).join()

/** Resolves when the screen shows it; fails when that takes longer. */
async function expectWithin(
  shown: { waitFor(options: { timeout: number }): Promise<void> },
  timeout = followMs,
): Promise<void> {
  await shown.waitFor({ timeout })
}

async function go(page: Page, route: string): Promise<void> {
  await page.evaluate((hash) => {
    window.location.hash = hash
  }, route)
}

let bench: ConsoleBench
let graceId: string
let bookId: string

/** A page of Grace's, which stays signed in over a restart. */
async function openAsGrace(): Promise<Page> {
  const { page } = await bench.openAnonymous()
  await enterPassword(page, 'grace', password)
  await page.getByRole('navigation', { name: 'Main navigation' }).waitFor()
  await go(page, '/o/book')
  await cell(page, 'Book 1').waitFor()
  return page
}

beforeAll(async () => {
  bench = await openBench()
  await seedWorkspace(bench)
  await widenLimits(bench)
  graceId = await makePerson(bench, 'Grace Hopper', 'grace')
  await letEditBooks(bench, graceId)
  bookId = await bookCalled(bench, 'Book 1')
})
afterAll(async () => bench?.stop())

describe('two people at one table', () => {
  it('see in which cell the other is writing, until the editor closes', async () => {
    const grace = await openAsGrace()
    const { page, close } = await bench.open('/o/book')
    await expect.poll(async () => others(grace), { timeout: 5_000 }).toContain('owner')
    await cell(page, 'Book 3').click()
    await page.keyboard.press('F2')
    await page.getByRole('textbox', { name: 'Title, row 3' }).waitFor()
    const theirs = grace.locator('.cg-theirs')
    await theirs.waitFor({ timeout: followMs })
    expect(await theirs.getAttribute('title')).toBe('owner is editing this')
    expect(await theirs.innerText()).toMatch(/^Book 3\s*O$/)
    expect(await page.locator('.cg-theirs').count()).toBe(0)
    await page.keyboard.press('Escape')
    await expect.poll(async () => theirs.count(), { timeout: followMs }).toBe(0)
    await close()
    await grace.context().close()
  })
})

describe.each([
  { name: 'a stream', blocked: [] as RegExp[], way: /realtime\/sse/ },
  { name: 'polls', blocked: [/realtime\/sse/], way: /realtime\/poll/ },
])('a page without a socket that falls back to $name', ({ blocked, way }) => {
  let page: Page
  let sockets = 0

  beforeAll(async () => {
    page = await openAsGrace()
    await page.routeWebSocket(/realtime/, async (socket) => {
      sockets += 1
      await socket.close()
    })
    for (const path of blocked) await page.route(path, async (route) => route.abort('connectionrefused'))
    const reached = page.waitForRequest(way, { timeout: fallbackMs })
    await page.reload()
    await cell(page, 'Book 1').waitFor()
    await reached
    // The next one of its kind waits for what happens.
    await page.waitForTimeout(500)
  })
  afterAll(async () => page?.context().close())

  it('tried a socket first', () => {
    expect(sockets).toBeGreaterThan(0)
  })

  it('shows what others change within a second, one change after the other', async () => {
    for (const pages of [7_001, 7_002, 7_003]) {
      await bench.api('PATCH', `/data/book/${bookId}`, { pages })
      await expectWithin(cell(page, pages.toLocaleString('en')))
    }
  })

  it('hears of who comes and goes', async () => {
    const owner = await bench.open('/o/book')
    await expect.poll(async () => others(page), { timeout: 3_000 }).toContain('owner')
    await expect.poll(async () => others(owner.page), { timeout: 3_000 }).toContain('Grace Hopper')
    await go(owner.page, '/')
    await expect.poll(async () => others(page), { timeout: 3_000 }).not.toContain('owner')
    await owner.close()
  })

  it('counts a notification that comes', async () => {
    const mention = { type: 'comment', body: `@[Grace](user:${graceId}) look` }
    const bell = page.getByRole('link', { name: /^Notifications, \d+ unread$/ })
    const before = (await bell.count()) === 0 ? 0 : Number(/\d+/.exec((await bell.getAttribute('aria-label')) ?? ''))
    await bench.api('POST', `/data/book/${bookId}/feed`, mention)
    await expectWithin(page.getByRole('link', { name: `Notifications, ${before + 1} unread` }))
  })

  it('goes on after the host was gone for a moment', async () => {
    await bench.restart()
    await bench.api('PATCH', `/data/book/${bookId}`, { pages: 7_100 })
    await expectWithin(cell(page, '7,100'), 15_000)
    await bench.api('PATCH', `/data/book/${bookId}`, { pages: 7_200 })
    await expectWithin(cell(page, '7,200'), 5_000)
  })
})
