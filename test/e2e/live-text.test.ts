// Two people in one long text at once: both see every letter and each other's cursor, by keyboard alone, light and dark.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { schemes, violations } from './look.ts'
import { openBench } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'
import { makePerson, password, putRight, widenLimits } from './seed-access.ts'

/** Where pictures of the screens are left for people to look at. */
const pictures = fileURLToPath(new URL('shots/', import.meta.url))

const editor = (page: Page) => page.getByRole('textbox', { name: 'Body' })
const opener = (page: Page) => page.getByRole('button', { name: /^Edit Body/ })
const status = (page: Page) =>
  page.getByRole('status').filter({ hasText: /Escape leaves|not stored|No connection|Not stored/ })

/** The text without what the cursors of others show in it. */
async function plainText(page: Page): Promise<string> {
  return page.evaluate(() => {
    const content = document.querySelector('.cm-content')!.cloneNode(true) as HTMLElement
    for (const caret of content.querySelectorAll('[aria-hidden="true"]')) caret.remove()
    return [...content.querySelectorAll('.cm-line')].map((line) => line.textContent.replaceAll('\u200b', '')).join('\n')
  })
}

describe('two people in one text', () => {
  let bench: ConsoleBench
  let owner: ConsolePage
  let grace: ConsolePage
  let id: string

  const stored = async (): Promise<unknown> =>
    (await bench.api<{ record: { body: unknown } }>('GET', `/data/article/${id}`)).record.body

  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true })
    bench = await openBench()
    await widenLimits(bench)
    await bench.api('PATCH', '/settings', {
      rateLimits: Object.fromEntries(
        ['auth', 'write', 'read'].map((name) => [name, { burst: 100_000, refillPerSecond: 10_000 }]),
      ),
    })
    await bench.api('PUT', '/meta/object/article', {
      type: 'object',
      name: 'article',
      item: {
        name: 'article',
        label: 'Article',
        pluralLabel: 'Articles',
        fields: {
          title: { type: 'text', label: 'Title' },
          body: { type: 'markdown', label: 'Body', maxLength: 5_000 },
          short: { type: 'textarea', label: 'Short', required: true },
        },
      },
    })
    const objects = { article: { allowRead: true, allowEdit: true } }
    await putRight(bench, 'permission', 'writers', { label: 'Writers', objects })
    const graceId = await makePerson(bench, 'Grace Hopper', 'grace')
    await bench.api('PUT', `/permissions/assignments/${graceId}`, {
      profile: 'guest',
      roles: [],
      permissionSets: ['writers'],
    })
    const body = '# Plan\n\nFirst the **text**, then the rest.\n'
    id = (await bench.api<{ id: string }>('POST', '/data/article', { title: 'Together', body, short: 's' })).id
    owner = await bench.open(`/o/article/record/${id}`)
    grace = await bench.openAnonymous()
    await grace.page.getByRole('textbox', { name: 'Email or username' }).fill('grace')
    await grace.page.getByLabel('Password', { exact: true }).fill(password)
    await grace.page.getByRole('button', { name: 'Sign in' }).click()
    await grace.page.getByRole('navigation', { name: 'Main navigation' }).waitFor()
    await grace.page.evaluate((hash) => {
      window.location.hash = hash
    }, `/o/article/record/${id}`)
    for (const { page } of [owner, grace]) await opener(page).waitFor()
  })
  afterAll(async () => bench?.stop())

  it('open it by keyboard and see each other', async () => {
    for (const { page } of [owner, grace]) {
      await opener(page).focus()
      await page.keyboard.press('Enter')
      await editor(page).waitFor()
      expect(await editor(page).evaluate((node) => node === document.activeElement)).toBe(true)
      await status(page).waitFor()
    }
    await owner.page.getByText('Also in this text: Grace Hopper').waitFor()
    await grace.page.getByText('Also in this text: owner').waitFor()
  })

  it('type at the same time and end with one text, which is stored', async () => {
    await owner.page.keyboard.press('ControlOrMeta+End')
    await grace.page.keyboard.press('ControlOrMeta+Home')
    const typing = { owner: 'The owner writes at the end, letter by letter.', grace: 'Grace writes above it.' }
    await Promise.all([
      owner.page.keyboard.type(typing.owner, { delay: 15 }),
      grace.page.keyboard.type(`${typing.grace}`, { delay: 30 }),
    ])
    const expected = `${typing.grace}# Plan\n\nFirst the **text**, then the rest.\n${typing.owner}`
    for (const { page } of [owner, grace]) await expect.poll(() => plainText(page), { timeout: 5_000 }).toBe(expected)
    await expect.poll(stored, { timeout: 5_000 }).toBe(expected)
  })

  it('see the cursor and the marked text of the other, with a name that can be read', async () => {
    await grace.page.keyboard.press('ControlOrMeta+Home')
    for (let count = 0; count < 12; count += 1) await grace.page.keyboard.press('Shift+ArrowRight')
    await owner.page.locator('.cm-content [data-hue]').filter({ hasText: 'Grace Hopper' }).waitFor()
    await grace.page.locator('.cm-content [data-hue]').filter({ hasText: 'owner' }).waitFor()
    const marked = owner.page.locator('.cm-content span[data-hue]').filter({ hasText: /^Grace writes/ })
    expect(await marked.innerText()).toBe('Grace writes')
  })

  it.each(schemes)('have nothing that keeps anybody out, %s', async (colorScheme) => {
    for (const [name, { page }] of Object.entries({ owner, grace })) {
      await page.emulateMedia({ colorScheme })
      const found = await violations(page)
      // By then colours have settled after the change of the scheme.
      await page.screenshot({ path: join(pictures, `live-text-${name}-${colorScheme}.png`) })
      expect(found).toEqual([])
    }
  })

  it('undo what they typed themselves, and nothing of the other', async () => {
    await grace.page.keyboard.press('ControlOrMeta+End')
    await grace.page.keyboard.type(' mine')
    await owner.page.keyboard.press('ControlOrMeta+Home')
    await owner.page.keyboard.type('X')
    await expect.poll(() => plainText(grace.page)).toMatch(/^X[^]* mine$/)
    await owner.page.keyboard.press('ControlOrMeta+Z')
    await expect.poll(() => plainText(grace.page)).toMatch(/^G[^]* mine$/)
  })

  it('are told that nothing is stored while there is no connection, and lose nothing', async () => {
    const { page } = grace
    let isCut = true
    await page.route('**/api/v1/sync/docs/open', async (route) => (isCut ? route.abort() : route.continue()))
    // Without the right to edit the room is left, and the way back is cut.
    const grant = async (rights: object): Promise<void> =>
      putRight(bench, 'permission', 'writers', { label: 'Writers', objects: { article: rights } })
    await grant({ allowRead: true })
    await page.getByText(/^No connection/).waitFor()
    await grant({ allowRead: true, allowEdit: true })
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.type(' offline')
    await page.getByText('No connection: what you typed is not stored yet.').waitFor()
    isCut = false
    await expect.poll(() => plainText(owner.page), { timeout: 15_000 }).toMatch(/ mine offline$/)
  })

  it('leave by Tab and by Escape, and the record shows what is stored', async () => {
    const { page } = owner
    await page.keyboard.press('Escape')
    await opener(page).waitFor()
    expect(await opener(page).evaluate((node) => node === document.activeElement)).toBe(true)
    await expect.poll(() => page.locator('[data-field="body"]').innerText()).toContain('mine offline')
    await grace.page.keyboard.press('Tab')
    await opener(grace.page).waitFor()
    await expect.poll(stored).toContain('mine offline')
  })

  it('are told why a text is not stored, and keep it', async () => {
    const { page } = owner
    await page.getByRole('button', { name: /^Edit Short/ }).click()
    const short = page.getByRole('textbox', { name: 'Short' })
    await short.waitFor()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.press('Delete')
    await page.getByText(/^Not stored: /).waitFor()
    await expect.poll(() => short.getAttribute('aria-invalid')).toBe('true')
    await page.screenshot({ path: join(pictures, 'live-text-refused.png') })
    await page.keyboard.type('fits')
    await page.getByText('Stored as you type. Escape leaves.').waitFor()
    await page.keyboard.press('Escape')
    await expect
      .poll(async () => (await bench.api<{ record: { short: string } }>('GET', `/data/article/${id}`)).record.short)
      .toBe('fits')
  })

  it('edit it beside the table too, where Escape leaves the text and not the record', async () => {
    const { page } = owner
    await page.evaluate((hash) => {
      window.location.hash = hash
    }, `/o/article?rec=${id}`)
    const peek = page.getByRole('complementary', { name: 'Record: Together' })
    await peek.getByRole('button', { name: /^Edit Body/ }).click()
    await editor(page).waitFor()
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.type(' peek')
    await page.keyboard.press('Escape')
    await peek.getByRole('button', { name: /^Edit Body/ }).waitFor()
    await expect.poll(stored).toContain(' peek')
    expect([...owner.errors, ...grace.errors].filter((line) => !/ERR_FAILED|\b(401|403|404)\b/.test(line))).toEqual([])
  })

  it('get the plain editor where the host offers no live text', async () => {
    const plain = await bench.open(`/o/article/record/${id}`)
    await plain.page.route('**/api/v1/sync/docs/open', async (route) =>
      route.fulfill({
        status: 404,
        json: {
          success: false,
          error: {
            code: 'resource_not_found',
            message: 'The resource does not exist.',
            httpStatus: 404,
            category: 'request',
            retryable: false,
            details: { reason: 'route' },
            requestId: '0197b2f0-0000-7000-8000-000000000000',
          },
        },
      }),
    )
    await opener(plain.page).click()
    const area = plain.page.locator('textarea[aria-label="Body"]')
    await area.waitFor()
    await area.fill('plain')
    await plain.page.keyboard.press('ControlOrMeta+Enter')
    await expect.poll(stored).toBe('plain')
    await plain.close()
  })
})
