// Every command of the registry, run with the keyboard alone on the screen that has it: by its keys where it has some, else
// from the palette; and what it does is looked at. A command without a case fails.
import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBench } from './open-console.ts'
import type { ConsoleBench } from './open-console.ts'
import { leadHub } from './program-screens.ts'
import { dialog } from './screen.ts'
import { makePerson, password } from './seed-access.ts'
import { seedDashboards } from './seed-dashboards.ts'
import { callAs } from './seed-organizations.ts'
import { seedViews } from './seed-views.ts'
import { seedWorkspace } from './seed-workspace.ts'
import { createTabPool } from './tab-pool.ts'
import type { TabPool } from './tab-pool.ts'

const renderer = fileURLToPath(new URL('../../renderer', import.meta.url))
const made: Readonly<Record<string, readonly string[]>> = {
  'views.new.': ['grid', 'kanban', 'calendar', 'gallery', 'form', 'chart'],
  'calendar.': ['month', 'week', 'day', 'agenda'],
}

/** Keys of every command by its id, null for none, as the sources have them. */
function registry(): ReadonlyMap<string, string | null> {
  const found = new Map<string, string | null>()
  for (const file of readdirSync(renderer, { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(file) || file.includes('.test.')) continue
    const source = readFileSync(`${renderer}/${file}`, 'utf8')
    if (!source.includes('useCommands([')) continue
    for (const [, whole] of source.matchAll(/\{\s+(id: ['`][\s\S]*?\brun:)/g)) {
      const [, id = '', , template] = /^id: ['`]([\w.]+)(\$\{(\w+)\})?/.exec(whole!) ?? []
      const keys = /shortcut: '([^']+)'/.exec(whole!)?.[1] ?? null
      for (const each of template === undefined ? [id] : made[id]!.map((word) => id + word)) found.set(each, keys)
    }
  }
  return found
}

interface Case {
  /** Where it is run. */
  at: string
  bench?: 'organized'
  /** Makes the screen ready; without it the heading is waited for and has the focus. */
  stand?: (page: Page) => Promise<unknown>
  /** What the palette calls it; of commands without keys. */
  label?: string
  effect: (page: Page) => Promise<unknown>
  /** Status of requests that fail on the way, as the console says it. */
  known?: string
}

const leadsTo =
  (hash: string) =>
  async (page: Page): Promise<void> => {
    await page.waitForFunction((wanted) => window.location.hash === `#${wanted}`, hash)
    await page.getByRole('heading', { level: 1 }).waitFor()
  }
const go = (hash: string, label?: string, at = '/account'): Case => ({
  at,
  ...(label === undefined ? {} : { label }),
  effect: leadsTo(hash),
})
const opens = (name: string | RegExp) => async (page: Page) => dialog(page, name)
const focuses =
  (name: RegExp) =>
  async (page: Page): Promise<void> => {
    await expect.poll(async () => focused(page)).toMatch(name)
  }
async function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement
    return element?.getAttribute('aria-label') ?? element?.textContent ?? ''
  })
}

const grid = async (page: Page): Promise<void> => {
  await page
    .getByRole('row', { name: /Book 1\b/ })
    .first()
    .waitFor()
  await page.getByRole('heading', { level: 1 }).focus()
}
const ticked = async (page: Page): Promise<void> => {
  await grid(page)
  await page.getByRole('checkbox', { name: 'Select row 3', exact: true }).check()
  await page.getByRole('heading', { level: 1 }).focus()
}
const active = async (page: Page): Promise<void> => {
  await grid(page)
  await page.getByRole('gridcell', { name: 'Book 2', exact: true }).click()
}
const films = async (page: Page): Promise<void> => {
  await page.getByRole('tab', { name: 'By status' }).waitFor()
  await page.getByRole('heading', { level: 1 }).focus()
}
const countOf = async (object: string): Promise<number> =>
  (await bench.api<{ total: number }>('GET', `/data/${object}?count=true&top=1`)).total

let bench: ConsoleBench
let organized: ConsoleBench
let tabs: Readonly<Record<'own' | 'organized', TabPool>>

const records = (rest: Omit<Case, 'at' | 'stand'> & Partial<Case>): Case => ({ at: '/o/book', stand: grid, ...rest })
const cases: Readonly<Record<string, Case>> = {
  'app.palette': { at: '/objects', effect: focuses(/Search records/) },
  'app.shortcuts': { at: '/objects', effect: opens('Keyboard shortcuts') },
  'app.nextRegion': {
    at: '/objects',
    effect: async (page) => {
      await expect.poll(async () => regionOf(page)).not.toBe('MAIN')
    },
  },
  'app.previousRegion': {
    at: '/objects',
    effect: async (page) => {
      await expect.poll(async () => regionOf(page)).not.toBe('MAIN')
    },
  },
  'app.undo': {
    at: '/o/book',
    stand: async (page) => {
      await ticked(page)
      await page.keyboard.press('ControlOrMeta+Delete')
      await page.getByText('1 record deleted').first().waitFor()
      await page.getByRole('heading', { level: 1 }).focus()
    },
    effect: async () => {
      await expect.poll(async () => countOf('book')).toBe(240)
    },
  },
  'app.redo': {
    at: '/o/note',
    stand: async (page) => {
      const all = await countOf('note')
      await page.getByRole('button', { name: 'New record', exact: true }).first().click()
      await page.getByRole('dialog').getByRole('textbox', { name: 'Title' }).fill('Again')
      await page.keyboard.press('ControlOrMeta+Enter')
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      await expect.poll(async () => countOf('note')).toBe(all + 1)
      await page.getByRole('heading', { level: 1 }).focus()
      await page.keyboard.press('ControlOrMeta+Z')
      await expect.poll(async () => countOf('note')).toBe(all)
    },
    effect: async (page) => page.getByText('Again', { exact: true }).first().waitFor(),
  },
  'app.undoList': { at: '/objects', effect: opens('Steps that can be undone') },
  'app.theme': {
    at: '/objects',
    label: 'Switch between light and dark',
    effect: async (page) => page.locator('html[data-mantine-color-scheme="dark"]').waitFor({ state: 'attached' }),
  },
  'app.themeAuto': {
    at: '/objects',
    label: 'Follow the colours of the system',
    effect: async (page) => page.locator('html[data-mantine-color-scheme="light"]').waitFor({ state: 'attached' }),
  },
  'app.rail': {
    at: '/objects',
    label: 'Show or hide the navigation',
    effect: async (page) => page.getByRole('button', { name: 'Show navigation' }).waitFor(),
  },
  'app.pin': {
    at: '/o/book',
    stand: grid,
    label: 'Pin this page to home, or take it off',
    effect: async (page) => {
      // Keys are those of the page again once the palette is gone.
      await page.getByRole('combobox', { name: /Search records/ }).waitFor({ state: 'hidden' })
      await page.getByRole('heading', { level: 1 }).focus()
      await page.keyboard.press('g')
      await page.keyboard.press('h')
      await page.getByRole('button', { name: /^Take Books.* off$/ }).waitFor()
    },
  },
  'go.home': go('/'),
  'go.objects': go('/objects'),
  'go.newTable': go('/new'),
  'go.imports': go('/imports'),
  'go.access': go('/access'),
  'go.notifications': go('/notifications'),
  // Who is no administrator asks for some things in vain.
  'go.organizations': { ...go('/organizations'), bench: 'organized', known: '403' },
  'go.account': go('/account', undefined, '/objects'),
  'go.conflicts': go('/sync/conflicts', 'Go to conflicts'),
  'go.sync': go('/sync'),
  'go.automation': go('/automation', 'Go to automations'),
  'go.approvals': go('/approvals', 'Go to approvals'),
  'go.webhooks': go('/webhooks', 'Go to webhooks'),
  'go.files': go('/files', 'Go to files'),
  'go.packages': go('/packages', 'Go to packages'),
  'go.assistant': go('/assistant', 'Ask the assistant'),
  'go.api': go('/api', 'Go to the API page'),
  'go.search': go('/search'),
  'go.dashboards': go('/dashboards'),
  'go.trash': go('/trash'),
  'go.backups': go('/backups'),
  'go.settings': go('/settings'),
  'go.storage': go('/settings/storage', 'Go to storage use'),
  'go.hub': {
    ...go('/settings/hub', 'Hub'),
    // Nothing answers here for the part itself.
    known: '404',
    stand: async (page) => {
      await leadHub(page)
      await page.reload()
      await page.getByRole('heading', { level: 1 }).focus()
    },
  },
  'go.about': go('/settings/about', 'About Cairn'),
  'go.blankObject': go('/new/blank', 'Start a blank object'),
  'records.new': records({ effect: opens('New record') }),
  'records.search': records({ effect: focuses(/^Search in Books$/) }),
  'records.find': records({ effect: focuses(/^Find in view$/) }),
  'records.filter': records({ effect: opens('Filter records') }),
  'records.group': records({ label: 'Group and totals', effect: opens('Group and totals') }),
  'records.sort': records({ effect: opens('Sort records') }),
  'records.columns': records({ label: 'Columns', effect: opens('Columns') }),
  'records.rowHeight': records({ label: 'Row height', effect: opens('Row height') }),
  'records.summary': records({
    label: 'Summary of Books',
    effect: async (page) => page.getByRole('region', { name: 'Summary of Books' }).waitFor(),
  }),
  'records.bulkEdit': records({ stand: ticked, effect: opens('Edit 1 record') }),
  'records.delete': records({
    stand: ticked,
    effect: async (page) => {
      await gone(page)
    },
  }),
  'records.open': records({
    stand: active,
    label: 'Open record',
    effect: async (page) => page.getByRole('heading', { name: 'Book 2', exact: true }).waitFor(),
  }),
  'records.share': records({ stand: active, label: 'Share…', effect: opens('Share “Book 2”') }),
  'records.import': records({ effect: leadsTo('/o/book/import') }),
  'records.api': records({
    label: 'Show the requests behind this view',
    effect: async (page) => page.waitForFunction(() => window.location.hash.startsWith('#/api/requests/book')),
  }),
  'records.fields': records({ label: 'Edit fields of Books', effect: leadsTo('/objects/book') }),
  'views.next': {
    at: '/o/film',
    stand: films,
    effect: async (page) => page.locator('[role="tab"][aria-selected="true"]', { hasText: 'By status' }).waitFor(),
  },
  'views.previous': {
    at: '/o/film?v=film.by_status',
    stand: films,
    effect: async (page) => page.locator('[role="tab"][aria-selected="true"]', { hasText: 'All records' }).waitFor(),
  },
  ...Object.fromEntries(
    ['Grid', 'Kanban', 'Calendar', 'Gallery', 'Form', 'Chart'].map((type): [string, Case] => [
      `views.new.${type.toLowerCase()}`,
      { at: '/o/film', stand: films, label: `New view: ${type}`, effect: opens(`New view: ${type}`) },
    ]),
  ),
  'kanban.move': {
    at: '/o/film?v=film.by_status',
    stand: async (page) => page.getByRole('button', { name: 'Film 1', exact: true }).focus(),
    effect: async (page) => page.getByRole('menuitem', { name: 'No value' }).waitFor(),
  },
  'calendar.move': {
    at: '/o/film?v=film.release&d=2026-03-10',
    stand: async (page) => page.locator('[data-event]').first().focus(),
    effect: opens(/^Dates of Film/),
  },
  'calendar.today': {
    at: '/o/film?v=film.release&d=2026-03-10',
    stand: async (page) => {
      await page.locator('[data-event]').first().waitFor()
      await page.getByRole('heading', { level: 1 }).focus()
    },
    effect: async (page) => page.waitForFunction(() => !window.location.hash.includes('d=2026-03-10')),
  },
  ...Object.fromEntries(
    ['Month', 'Week', 'Day', 'Agenda'].map((mode): [string, Case] => [
      `calendar.${mode.toLowerCase()}`,
      {
        at: `/o/film?v=film.release&d=2026-03-10&o=startDateField.first_day,mode.${mode === 'Month' ? 'week' : 'month'}`,
        stand: async (page) => {
          await page.locator('[data-event]').first().waitFor()
          await page.getByRole('heading', { level: 1 }).focus()
        },
        label: mode,
        effect: async (page) =>
          page.waitForFunction(
            (word) => new URLSearchParams(window.location.hash.split('?')[1]).get('o')?.includes(`mode.${word}`),
            mode.toLowerCase(),
          ),
      },
    ]),
  ),
  'record.next': { at: '/o/book', stand: onRecord, effect: async (page) => recordShown(page, 'Book 3') },
  'record.previous': { at: '/o/book', stand: onRecord, effect: async (page) => recordShown(page, 'Book 1') },
  'record.delete': {
    at: '/o/book',
    stand: onRecord,
    label: 'Delete record',
    known: '404',
    effect: async (page) => {
      await gone(page)
    },
  },
  'dashboard.edit': {
    at: '/dashboards/reading',
    label: 'Edit this dashboard',
    effect: leadsTo('/dashboards/reading/edit'),
  },
  'dashboard.link': {
    at: '/dashboards/reading',
    label: 'Copy link',
    effect: async (page) => {
      await page.getByText('Link copied').waitFor()
      expect(await page.evaluate(async () => navigator.clipboard.readText())).toBe(page.url())
    },
  },
  'dashboard.print': {
    at: '/dashboards/reading',
    stand: async (page) =>
      page.evaluate(() => window.addEventListener('beforeprint', () => (document.body.dataset['printed'] = ''))),
    label: 'Print this dashboard',
    effect: async (page) => page.locator('body[data-printed]').waitFor(),
  },
  'dashboard.save': {
    at: '/dashboards/reading/edit',
    stand: async (page) => {
      await page.getByRole('button', { name: 'Move Books', exact: true }).focus()
      await page.keyboard.press('Shift+ArrowRight')
    },
    label: 'Save this dashboard',
    effect: leadsTo('/dashboards/reading'),
  },
}

/** Sees one book deleted and takes that back, once the page has it in its list of steps. */
async function gone(page: Page): Promise<void> {
  await expect.poll(async () => countOf('book')).toBe(239)
  await page.getByText('1 record deleted').first().waitFor()
  await page.getByRole('heading', { level: 1 }).focus()
  await page.keyboard.press('ControlOrMeta+Z')
  await expect.poll(async () => countOf('book')).toBe(240)
}

async function onRecord(page: Page): Promise<void> {
  await active(page)
  await page.keyboard.press('Space')
  await recordShown(page, 'Book 2')
}

async function recordShown(page: Page, title: string): Promise<void> {
  await page.getByRole('heading', { name: title, exact: true }).waitFor()
}

async function regionOf(page: Page): Promise<string> {
  return page.evaluate(() => document.activeElement?.closest('header, nav, main')?.tagName ?? 'none')
}

/** Types a name into the palette and runs the entry of exactly this name. */
async function choose(page: Page, label: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+K')
  await page.getByRole('combobox', { name: /Search records/ }).waitFor()
  await page.keyboard.type(label)
  const option = page.getByRole('option').filter({ has: page.getByText(label, { exact: true }) })
  await option.first().waitFor()
  for (let steps = 0; steps < 60; steps += 1) {
    if ((await option.first().getAttribute('aria-selected')) === 'true') break
    await page.keyboard.press('ArrowDown')
  }
  await page.keyboard.press('Enter')
}

describe('commands', () => {
  const keys = registry()

  beforeAll(async () => {
    bench = await openBench()
    await seedWorkspace(bench)
    await seedViews(bench)
    await seedDashboards(bench)
    await bench.api('POST', '/sync/enable', { deviceName: 'Desk' })
    organized = await openBench({ plugins: { organization: true } })
    await makePerson(organized, 'Ada Lovelace', 'ada')
    const asAda = await callAs(organized, 'ada')
    await asAda('POST', '/auth/organization/create', { name: 'Analytical Engines', slug: 'engines' })
    await organized.signIn('ada', password)
    tabs = { own: createTabPool(bench), organized: createTabPool(organized) }
  }, 120_000)
  afterAll(async () => {
    await bench?.stop()
    await organized?.stop()
  })

  it('have a case each, and every case is of a command', () => {
    expect(keys.size).toBeGreaterThan(60)
    expect([...keys.keys()].toSorted()).toEqual(Object.keys(cases).toSorted())
  })

  it.each([...keys])('%s (%s) does what it says, and the focus is never lost', async (id, shortcut) => {
    const { at, stand, label, effect, known, bench: where } = cases[id]!
    const { page, errors, giveBack } = await tabs[where ?? 'own'].lend(at)
    try {
      if (stand) await stand(page)
      else await page.getByRole('heading', { level: 1 }).focus()
      if (shortcut === null) await choose(page, label!)
      else for (const key of shortcut.split(' ')) await page.keyboard.press(key.replace('Mod', 'ControlOrMeta'))
      await effect(page)
      await expect.poll(async () => page.evaluate(() => document.activeElement === document.body)).toBe(false)
      expect(errors.filter((line) => known === undefined || !line.includes(known))).toEqual([])
    } finally {
      await giveBack()
    }
  })
})
