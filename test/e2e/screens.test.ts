// Checks the screens of the register: one of each part of the application in light, in a long run every other one by turns
// of the day, in light and in dark by turns of two days, and before a release all of them in both. It has a heading, no error, no accessibility violation, no sideways
// scrolling at 1024 and 320 CSS pixels; and leaves a picture behind where pictures are asked for (`CAIRN_PICTURES`).
import { mkdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isLong, isOnTurn, sized, today } from '../support/test-size.ts'
import { picture, pictures as shots, schemes, turn, violations } from './look.ts'
import { openBench } from './open-console.ts'
import { createTabPool } from './tab-pool.ts'
import type { TabPool } from './tab-pool.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'
import { screens } from './screens.ts'
import type { Screen } from './screen.ts'
import { english } from '../../renderer/lib/strings/en/index.ts'
import { password, seedAccess } from './seed-access.ts'
import { seedActivity } from './seed-activity.ts'
import { seedDashboards } from './seed-dashboards.ts'
import { putFlows } from './seed-flows.ts'
import { seedOrganizations } from './seed-organizations.ts'
import { seedPackages } from './seed-packages.ts'
import { seedViews } from './seed-views.ts'
import { seedWebhooks } from './seed-webhooks.ts'
import { seedWorkflows } from './seed-workflows.ts'
import { seedWorkspace } from './seed-workspace.ts'

const routerFiles = ['app/app.tsx', 'features/sign-in/sign-in-pages.tsx', 'features/sign-in/authorize-pages.tsx'].map(
  (file) => fileURLToPath(new URL(`../../renderer/${file}`, import.meta.url)),
)
const signInRoutes = routesOf(routerFiles.slice(1))
/** Parts whose stories look at their screens on the way (look.ts). */
const seenByStories = new Set('approvals assistant automation backups dashboards search'.split(' '))
/** Parts whose stories work through them at a commit, and pages of one kind with others that are looked at. */
const leftToLongRun = new Set(
  'access api device files import imports invitations new notifications objects organizations packages sync trash webhooks'.split(
    ' ',
  ),
)
/** Every state of every route before a release, a third of them in a long run, by turns of the day; at a commit one of each part of the application that no story looks at. */
const looked = sized(
  [...new Map(screens.toReversed().map((screen) => [partOf(screen), screen])).values()].filter(
    (screen) => !seenByStories.has(partOf(screen)) && !leftToLongRun.has(partOf(screen)),
  ),
  screens.filter((_, at) => isOnTurn(at, 3)),
  screens,
)
/** Rules about colours: between schemes nothing else changes. */
const colorRules = ['color-contrast', 'link-in-text-block']
/** Rules about names, which is what a narrow screen folds away; before a release it is asked for everything. */
const nameRules = ['button-name', 'link-name', 'label', 'select-name', 'aria-input-field-name', 'aria-command-name']
/** German, longer words with accents, and those from right to left: by turns of the day in a long run, each before a release. */
const languages = ['de', 'en-XA', 'ar-XB']
/** Each route once, the objects' own screens among them. */
const routes = [
  ...new Map(
    screens
      .filter(({ route, state }) => route !== undefined && (state === 'full' || state === 'empty'))
      .map((screen) => [`${screen.workspace} ${screen.route!.split('?')[0]}`, screen]),
  ).values(),
]
/** States that a person meets on the way; the others are those of a page that begins so. */
const ledTo = new Set<Screen['state']>(['full', 'empty', 'dialog'])
const englishWords = new Set(Object.values(english).filter((text) => /[a-z]{3}/.test(text) && text !== 'Cairn'))

type Reached = Pick<ConsolePage, 'page' | 'close'> & { readonly errors: readonly string[] }

/** The first segment of a screen's route; the pages around signing in, which are one frame with other fields, are one. */
function partOf({ covers }: Screen): string {
  const [, part = 'session'] = covers.split('/')
  return signInRoutes.some((route) => route.startsWith(`/${part}`)) ? 'session' : part
}

function routesOf(files: readonly string[]): string[] {
  const text = files.map((file) => readFileSync(file, 'utf8')).join('\n')
  return [...text.matchAll(/<Route path="([^"]+)"/g)].map((match) => match[1]!)
}

/** Brings a screen before somebody: in a tab that was led to it where that is its state, else in a page of its own. */
async function reach(screen: Screen, bench: ConsoleBench, pool: TabPool): Promise<Reached> {
  let notLedTo: unknown
  if (screen.route !== undefined && ledTo.has(screen.state)) {
    const tab = await pool.lend(screen.route)
    try {
      await stand(screen, tab.page, bench)
      return { ...tab, close: async () => tab.giveBack() }
    } catch (error) {
      // What another screen had asked for stands in the way of what this one is to ask: it is loaded by itself.
      notLedTo = error
      await tab.close()
    }
  }
  const opened = screen.route === undefined ? await bench.openAnonymous() : await bench.openTab(screen.route)
  try {
    await stand(screen, opened.page, bench)
    if (notLedTo !== undefined) console.info(`${screen.name}: reached in a page of its own only: ${String(notLedTo)}`)
    return opened
  } catch (error) {
    await opened.page.screenshot({ path: `${shots}failed-${screen.name}.png` })
    await opened.close()
    throw error
  }
}

async function stand(screen: Screen, page: Page, bench: ConsoleBench): Promise<void> {
  // Pages share what the browser keeps, and a draft of the designer outlives its page.
  const discard = page.getByRole('button', { name: 'Discard', exact: true })
  if (screen.covers === '/objects/:name' && (await discard.count()) > 0) await discard.click()
  await screen.reach(page, bench)
}

/** Elements wider than the page or its main region, by what they are and what sticks out; the grid scrolls in itself. */
async function sidewaysScrolling(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('main, header, [role="dialog"]')]
      .filter((element) => element.scrollWidth > element.clientWidth + 1)
      .map((element) => {
        const { left, right } = element.getBoundingClientRect()
        const out = [...element.querySelectorAll('*')].filter((part) => {
          const box = part.getBoundingClientRect()
          return box.left < left - 1 || box.right > right + 1
        })
        const named = out.slice(0, 3).map((part) => `${part.tagName}.${part.className}`)
        return `${element.tagName} ${element.scrollWidth} > ${element.clientWidth}: ${named.join(', ')}`
      }),
  )
}

/** Narrows the page to 1024 and 320 CSS pixels, where only the grid may be wider. */
async function expectNoSidewaysScrolling(page: Page): Promise<void> {
  for (const width of [1024, 320]) {
    await page.setViewportSize({ width, height: 800 })
    await page.waitForTimeout(100)
    // A busy machine folds the sidebar later.
    let wide = await sidewaysScrolling(page)
    for (let turn = 0; wide.length > 0 && turn < 50; turn++) {
      await page.waitForTimeout(100)
      wide = await sidewaysScrolling(page)
    }
    expect({ width, wide }).toEqual({ width, wide: [] })
  }
}

/**
 * Texts of the page that are words of the program in English: somebody forgot to look them up, or did so too early.
 * @param answers what the host told the page, whose words may be the same
 */
async function englishTexts(page: Page, answers: ReadonlySet<string>): Promise<string[]> {
  const texts = await page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const found: string[] = []
    while (walker.nextNode()) found.push(walker.currentNode.textContent!.trim())
    for (const element of document.querySelectorAll('[aria-label], [placeholder], [title]'))
      for (const name of ['aria-label', 'placeholder', 'title']) found.push(element.getAttribute(name) ?? '')
    return found
  })
  const told = [...answers]
  const isTold = (text: string): boolean => told.some((answer) => answer.includes(JSON.stringify(text)))
  return [...new Set(texts)].filter((text) => englishWords.has(text) && !isTold(text))
}

describe('screens', () => {
  let fresh: ConsoleBench
  let seeded: ConsoleBench
  let organized: ConsoleBench
  const pools = new Map<string, TabPool>()

  /** The tabs of a workspace, in the person's own language or another one. */
  const poolOf = (workspace: Screen['workspace'], locale?: string): TabPool => {
    const key = `${workspace} ${locale ?? ''}`
    const pool = pools.get(key) ?? createTabPool({ fresh, seeded, organized }[workspace], locale)
    pools.set(key, pool)
    return pool
  }

  beforeAll(async () => {
    mkdirSync(shots, { recursive: true })
    fresh = await openBench()
    seeded = await openBench({ plugins: { oidcProvider: true } })
    await seedWorkspace(seeded)
    await seedAccess(seeded)
    await seedActivity(seeded)
    await seedViews(seeded)
    await seedWebhooks(seeded)
    await putFlows(seeded, 'note')
    await seedWorkflows(seeded)
    await seedPackages(seeded)
    await seedDashboards(seeded)
    organized = await openBench({ plugins: { organization: true } })
    await seedOrganizations(organized)
    await organized.signIn('ada', password)
    const chosen = await organized.open('/organizations')
    await chosen.page.getByRole('button', { name: 'Organization: Analytical Engines. Switch' }).waitFor()
    await chosen.close()
  })
  afterAll(async () => {
    await fresh?.stop()
    await seeded?.stop()
    await organized?.stop()
  })

  it('has an entry for every route of the application', () => {
    const routes = routesOf(routerFiles)
    expect(routes.length).toBeGreaterThan(5)
    const covered = new Set<string>(screens.map((screen) => screen.covers))
    expect(routes.filter((route) => !covered.has(route))).toEqual([])
  })

  // A screen is brought into its state once and looked at in its schemes; two at a time.
  describe.concurrent('one by one', () => {
    it.each(looked.map((screen, at) => [screen.name, screen, at] as const))('%s is sound', async (name, screen, at) => {
      const bench = { fresh, seeded, organized }[screen.workspace]
      const { page, errors, close } = await reach(screen, bench, poolOf(screen.workspace))
      try {
        const expected = screen.expectedErrors ?? []
        expect(await page.getByRole('heading', { level: 1, includeHidden: true }).count()).toBeGreaterThan(0)
        const turned = sized(schemes, [schemes[(at + Math.floor(today / 2)) % schemes.length]!], schemes)
        for (const scheme of turned) {
          await turn(page, scheme)
          await picture(page, `${name}-${scheme}`)
          const found = await violations(page, scheme === turned[0] ? undefined : colorRules)
          expect({ scheme, found }).toEqual({ scheme, found: [] })
        }
        await expectNoSidewaysScrolling(page)
        await picture(page, `${name}-320`)
        // Labels that are folded away on a narrow screen are missed in one scheme as well as in two.
        if (isLong)
          expect(await violations(page, sized<string[] | undefined>(nameRules, nameRules, undefined))).toEqual([])
        expect(errors.filter((line) => !expected.some((part) => line.includes(part)))).toEqual([])
      } finally {
        await close()
      }
    })
  })

  // reason: tiers of the design, of those that change every screen alike
  describe.skipIf(!isLong).concurrent('in other languages', () => {
    const cases = routes.flatMap((screen, at) =>
      sized([], isOnTurn(at, 3) ? [languages[((at + today) / 3) % languages.length]!] : [], languages).map(
        (tag) => [screen.route!, tag, screen] as const,
      ),
    )
    it.each(cases)('%s in %s is sound', async (route, tag, screen) => {
      const { page, errors, answers, settled, giveBack } = await poolOf(screen.workspace, tag).lend(route)
      try {
        await settled()
        const html = page.locator('html')
        expect(await html.getAttribute('lang')).toMatch(new RegExp(`^${tag}`))
        expect(await html.getAttribute('dir')).toBe(tag === 'ar-XB' ? 'rtl' : 'ltr')
        await picture(page, `${tag}${route.replace(/\W+/g, '-')}`)
        if (tag === 'en-XA') expect(await englishTexts(page, answers)).toEqual([])
        expect(await violations(page)).toEqual([])
        await expectNoSidewaysScrolling(page)
        await picture(page, `${tag}${route.replace(/\W+/g, '-')}-320`)
        expect(errors.filter((line) => !(screen.expectedErrors ?? []).some((part) => line.includes(part)))).toEqual([])
      } finally {
        await giveBack()
      }
    })
  })
})
