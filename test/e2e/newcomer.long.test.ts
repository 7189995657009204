// A newcomer's run, from an empty folder to a shared dashboard, in English and in German: what a person does on the
// screens, with the words of the screens, from the first question to a second person who sees the same figures. Each step
// leaves a picture in the folder that CAIRN_PICTURES names. The API is asked for results alone.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { german } from '../../renderer/lib/strings/de/index.ts'
import { english } from '../../renderer/lib/strings/en/index.ts'
import { readMovies } from '../support/datasets.ts'
import { openBench, paste } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'
import { password } from './seed-access.ts'

type Language = 'en' | 'de'
type Words = keyof typeof english
type Parameters = Readonly<Record<string, string | number>>

const tables: Readonly<Record<Language, Readonly<Record<string, string>>>> = { en: english, de: german }

/** What the newcomer types, in each language. */
const typed = {
  en: {
    films: 'Films',
    board: 'By rating',
    dashboard: 'Box office',
    gross: 'Taken in',
    genres: 'Genres',
    ratings: 'Ratings',
  },
  de: {
    films: 'Filme',
    board: 'Nach Freigabe',
    dashboard: 'Kinokasse',
    gross: 'Einnahmen',
    genres: 'Genres',
    ratings: 'Freigaben',
  },
} as const

const person = { name: 'Grace Hopper', email: 'grace@example.org' }
const viewport = { width: 1280, height: 800 }

const columns = [
  'Title',
  'Major Genre',
  'MPAA Rating',
  'Director',
  'Release Date',
  'Production Budget',
  'Worldwide Gross',
  'IMDB Rating',
] as const
const films = readMovies()
  .filter((film) => typeof film['Title'] === 'string' && Number(film['IMDB Votes']) > 50_000)
  .slice(0, 300)

/** A cell as a spreadsheet of the language copies it: 8,9 and 13.04.1957 for a German. */
function cellText(value: unknown, column: string, language: Language): string {
  if (value === null || value === undefined) return ''
  if (language === 'en') return String(value)
  if (typeof value === 'number') return String(value).replace('.', ',')
  if (column !== 'Release Date') return String(value)
  return new Date(`${String(value)} UTC`).toLocaleDateString('de', {
    day: '2-digit',
    month: '2-digit',
    year: 'numeric',
    timeZone: 'UTC',
  })
}

function clipboardOf(language: Language): string {
  const rows = films.map((film) => columns.map((column) => cellText(film[column], column, language)))
  return [columns, ...rows].map((cells) => cells.join('\t')).join('\n')
}

/** The words of the screens in a language, with their parameters as the locale writes them. */
function wordsOf(language: Language) {
  const numbers = new Intl.NumberFormat(language)
  const plurals = new Intl.PluralRules(language)
  const filled = (key: string, parameters: Parameters): string => {
    const text = tables[language][key]
    if (text === undefined) throw new Error(`There is no text ${key} in ${language}.`)
    return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
      const value = parameters[name]
      return typeof value === 'number' ? numbers.format(value) : (value ?? whole)
    })
  }
  return {
    number: (value: number) => numbers.format(value),
    t: (key: Words, parameters: Parameters = {}) => filled(key, parameters),
    /** The text of a key that has a form for one and one for more. */
    tn: (key: string, count: number, parameters: Parameters = {}) =>
      filled(`${key}.${plurals.select(count)}`, { ...parameters, count }),
  }
}

/** Texts and names on a page that are English ones of ours and should be German. What people typed or pasted is theirs. */
async function englishOn(page: Page): Promise<string[]> {
  const shown = await page.evaluate(() => {
    const texts: string[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      if (walker.currentNode.parentElement?.checkVisibility()) texts.push(walker.currentNode.textContent ?? '')
    }
    for (const element of document.querySelectorAll('[aria-label], [title], [placeholder]')) {
      if (!element.checkVisibility()) continue
      for (const name of ['aria-label', 'title', 'placeholder']) texts.push(element.getAttribute(name) ?? '')
    }
    return [...new Set(texts.map((text) => text.trim()))]
  })
  return shown.filter((text) => !theirs.has(text) && foreign.some((pattern) => pattern.test(text)))
}

const theirs = new Set<string>([...columns, ...films.flatMap((film) => columns.map((column) => String(film[column])))])
const germanTexts = new Set(Object.values(german))
const foreign = Object.values(english)
  .filter(
    (text) =>
      !germanTexts.has(text) &&
      text.replaceAll(/\{\w+\}/g, '').replaceAll(/[^a-z]/gi, '').length > (text.includes('{') ? 8 : 1),
  )
  .map((text) => {
    const parts = text.split(/\{\w+\}/).map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`))
    return new RegExp(`^${parts.join('.+')}$`)
  })

const folder = process.env['CAIRN_PICTURES'] ?? mkdtempSync(join(tmpdir(), 'cairn-newcomer-'))
mkdirSync(folder, { recursive: true })
afterAll(() => {
  if (process.env['CAIRN_PICTURES'] === undefined) rmSync(folder, { recursive: true, force: true })
})

describe.each(['en', 'de'] as const)('a newcomer who reads %s', (language) => {
  const { number, t, tn } = wordsOf(language)
  const mine = typed[language]
  let bench: ConsoleBench
  let owner: ConsolePage
  let other: ConsolePage
  let taken = 0
  let startedAt = 0

  beforeAll(async () => {
    bench = await openBench()
    startedAt = Date.now()
    owner = await bench.open('/', { locale: language, viewport })
  })
  afterAll(async () => bench?.stop())

  /** Leaves a picture of a step; in German nothing on it may be English of ours. */
  const picture = async (page: Page, step: string): Promise<void> => {
    await page.waitForLoadState('networkidle')
    taken += 1
    const name = `${String(taken).padStart(2, '0')}-${step}-${language}.png`
    await page.screenshot({ path: join(folder, name), animations: 'disabled' })
    const ours = await englishOn(page)
    if (language === 'de') expect({ name, ours }).toEqual({ name, ours: [] })
    // That nothing is found says something only because all of it is found here.
    else expect(ours).not.toEqual([])
  }
  const heading = async (page: Page, name: string): Promise<void> =>
    page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
  const button = (within: Page | Locator, name: string) => within.getByRole('button', { name, exact: true })
  const choice = (within: Page | Locator, name: string) => within.getByRole('combobox', { name, exact: true })
  const box = (within: Page | Locator, name: string) => within.getByRole('textbox', { name, exact: true })
  const drawn = async (page: Page): Promise<void> => page.locator('.recharts-bar-rectangle').first().waitFor()
  const rail = (page: Page) => page.getByRole('navigation', { name: t('app.navigation'), exact: true })
  const listed = async (query: string) =>
    bench.api<{ records: { title: string; imdb_rating: number }[]; total?: number }>(
      'GET',
      `/data/${object()}?${query}`,
    )
  const object = (): string => mine.films.toLowerCase()
  const asked = async (query: Record<string, unknown>): Promise<Record<string, string | number | null>[]> =>
    (
      await bench.api<{ data: Record<string, string | number | null>[] }>('POST', '/analytics/query', {
        cube: object(),
        ...query,
      })
    ).data

  it('is asked one question, pastes a table and checks its columns', async () => {
    const { page } = owner
    await heading(page, t('home.question'))
    await page.getByRole('heading', { name: t('ready.title'), exact: true }).waitFor()
    await picture(page, 'welcome')
    await paste(page, clipboardOf(language))
    await heading(page, t('import.preview.title'))
    await box(page, t('import.preview.objectName')).fill(mine.films)
    const types = await Promise.all(
      columns.map(async (column) => choice(page, t('import.preview.typeOf', { column })).inputValue()),
    )
    expect(types).toEqual(['text', 'select', 'select', 'text', 'date', 'number', 'number', 'number'])
    await picture(page, 'columns')
  })

  it('has a grid with its data, and is told what is next', async () => {
    const { page } = owner
    await page.getByRole('button', { name: tn('import.preview.create', films.length) }).click()
    await page.getByRole('grid', { name: t('records.grid', { object: mine.films }) }).waitFor()
    await page.getByText(tn('records.count', films.length), { exact: true }).waitFor()
    await page.getByRole('gridcell', { name: String(films[0]!['Title']), exact: true }).waitFor()
    await picture(page, 'grid')
    const { total, records } = await listed('count=true&top=1')
    expect([total, records[0]?.title]).toEqual([films.length, films[0]!['Title']])

    await rail(page)
      .getByRole('link', { name: t('word.home'), exact: true })
      .click()
    await page.getByRole('heading', { name: t('home.next'), exact: true }).waitFor()
    await picture(page, 'next')
    await page.getByRole('link', { name: t('home.next.view', { object: mine.films }), exact: true }).click()
    await page.getByText(tn('records.count', films.length), { exact: true }).waitFor()
  })

  it('edits a cell, filters and sorts', async () => {
    const { page } = owner
    const film = films[0]!
    const line = page.getByRole('row').filter({ hasText: String(film['Title']) })
    await line.getByRole('gridcell', { name: number(Number(film['IMDB Rating'])), exact: true }).dblclick()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type(number(9.1))
    await page.keyboard.press('Enter')
    await line.getByRole('gridcell', { name: number(9.1), exact: true }).waitFor()
    await expect.poll(async () => (await listed('top=1')).records[0]?.imdb_rating).toBe(9.1)
    await picture(page, 'edit')

    await button(page, t('records.filter')).click()
    const condition = page.getByRole('group', { name: t('filter.condition', { n: 1 }) })
    await choice(condition, t('word.field')).selectOption('Major Genre')
    await choice(condition, t('word.value')).selectOption('Drama')
    const dramas = films.filter((each) => each['Major Genre'] === 'Drama')
    await page.getByText(tn('records.countFiltered', dramas.length), { exact: true }).waitFor()
    await picture(page, 'filter')
    await page.keyboard.press('Escape')
    await button(page, t('sort.open')).click()
    await button(page, t('word.addField')).click()
    const term = page.getByRole('group', { name: t('sort.term', { n: 1 }) })
    await choice(term, t('word.field')).selectOption('IMDB Rating')
    await choice(term, t('word.order')).selectOption(t('sort.desc'))
    const { records } = await listed('major_genre=Drama&sort=-imdb_rating&top=3')
    await expect
      .poll(async () => page.locator('[role=row][aria-rowindex="2"] [role=gridcell]').allTextContents())
      .toContain(records[0]?.title)
    await picture(page, 'sort')
    await page.keyboard.press('Escape')
  })

  it('makes a board', async () => {
    const { page } = owner
    await button(page, t('views.new')).click()
    await page.getByRole('menuitem', { name: t('views.type.kanban'), exact: true }).click()
    const dialog = page.getByRole('dialog')
    await box(dialog, t('word.name')).fill(mine.board)
    await picture(page, 'new-board')
    await button(dialog, t('app.save')).click()
    await choice(page, t('kanban.columns')).selectOption('MPAA Rating')
    await choice(page, t('kanban.sum')).selectOption('Worldwide Gross')
    const rated = films.filter((film) => film['MPAA Rating'] === 'PG-13')
    await page.getByRole('region', { name: tn('kanban.column', rated.length, { name: 'PG-13' }) }).waitFor()
    await button(page, t('views.menu', { view: mine.board })).click()
    await page.getByRole('menuitem', { name: t('views.update'), exact: true }).click()
    await page.getByRole('tab', { name: mine.board, exact: true }).waitFor()
    expect(await page.locator('[data-card]').count()).toBeGreaterThan(0)
    const sum = rated.reduce((all, film) => all + Number(film['Worldwide Gross']), 0)
    await page.getByText(number(sum)).waitFor()
    await picture(page, 'board')
  })

  it('makes a dashboard of a number, bars and a table', async () => {
    const { page } = owner
    await rail(page)
      .getByRole('link', { name: t('word.allDashboards'), exact: true })
      .click()
    await heading(page, t('word.dashboards'))
    await picture(page, 'dashboards')
    await button(page, t('dashboards.new')).click()
    await box(page, t('dashboards.label')).fill(mine.dashboard)
    await page.keyboard.press('Enter')
    await heading(page, t('dashboards.editing', { label: mine.dashboard }))
    const add = async (kind: Words, title: string): Promise<void> => {
      await button(page, t('dashboards.add')).click()
      await page.getByRole('menuitem', { name: t(kind), exact: true }).click()
      await box(page, t('dashboards.tile.title')).fill(title)
    }
    await add('dashboards.kind.number', mine.gross)
    await choice(page, t('word.show')).selectOption(t('summary.sum', { field: 'Worldwide Gross' }))
    await add('dashboards.kind.bar', mine.genres)
    await choice(page, t('summary.groupBy')).selectOption('Major Genre')
    await add('dashboards.kind.table', mine.ratings)
    await choice(page, t('summary.groupBy')).selectOption('MPAA Rating')
    await drawn(page)
    await picture(page, 'tiles')
    await button(page, t('app.save')).click()
    await heading(page, mine.dashboard)
    await showsFigures(page)
    await drawn(page)
    await picture(page, 'dashboard')
    const { items } = await bench.api<{ items: { label: string; widgets: { type: string }[] }[] }>(
      'GET',
      '/meta/dashboard',
    )
    const kinds = items.map(({ label, widgets }) => [label, widgets.map(({ type }) => type).toSorted()])
    expect(kinds).toEqual([[mine.dashboard, ['chart', 'metric', 'table']]])
  })

  it('gives a second person an account that reads', async () => {
    const { page } = owner
    await rail(page)
      .getByRole('link', { name: t('word.home'), exact: true })
      .click()
    await page.getByRole('link', { name: t('home.next.people'), exact: true }).click()
    await heading(page, t('word.access'))
    await picture(page, 'alone')
    await button(page, t('word.addAPerson')).click()
    const dialog = page.getByRole('dialog')
    await box(dialog, t('word.name')).fill(person.name)
    await box(dialog, t('word.emailAddress')).fill(person.email)
    await dialog.getByLabel(t('people.new.password'), { exact: true }).fill(password)
    await picture(page, 'new-person')
    await button(dialog, t('word.add')).click()
    await heading(page, person.name)
    await choice(page, t('word.profile')).selectOption('readonly')
    await button(page.locator('form').filter({ has: choice(page, t('word.profile')) }), t('word.save')).click()
    await page.getByText(t('person.rightsSaved', person)).waitFor()
    await picture(page, 'person')
    expect(owner.errors).toEqual([])
  })

  it('shares the dashboard: the second person sees the same figures', async () => {
    other = await bench.openAnonymous({ locale: language, viewport })
    const { page } = other
    await heading(page, t('signIn.title'))
    await picture(page, 'sign-in')
    await box(page, t('signIn.name')).fill(person.email)
    await page.getByLabel(t('word.password'), { exact: true }).fill(password)
    await button(page, t('word.signIn')).click()
    await rail(page).waitFor()
    // Who may not make an object is not asked for a table.
    await page.getByRole('heading', { name: t('home.objects'), exact: true }).waitFor()
    await expect.poll(async () => page.getByText(t('word.objectFromFile'), { exact: true }).count()).toBe(0)
    await rail(page).getByRole('link', { name: mine.dashboard, exact: true }).click()
    await heading(page, mine.dashboard)
    await showsFigures(page)
    await drawn(page)
    for (const name of [t('word.edit'), t('word.newObject')]) {
      await expect.poll(async () => page.getByRole('link', { name, exact: true }).count()).toBe(0)
    }
    await picture(page, 'second-person')
    // The browser itself tells of the one request that finds nobody signed in.
    expect(other.errors.filter((line) => !line.includes('401'))).toEqual([])
    console.log(`a newcomer's run in ${language}: ${((Date.now() - startedAt) / 1000).toFixed(1)} s`)
  })

  /** The dashboard on screen says what analytics answers, in the form of the locale. */
  async function showsFigures(page: Page): Promise<void> {
    const [all] = await asked({ measures: ['worldwide_gross.sum'] })
    const figure = number(Number(all?.['worldwide_gross.sum']))
    const shown = t('dashboards.tile.show', { tile: mine.gross, figure })
    await page.getByRole('region', { name: mine.gross }).getByRole('link', { name: shown, exact: true }).waitFor()

    const genres = await asked({ measures: ['count'], dimensions: ['major_genre'] })
    const drawing = page.getByRole('region', { name: mine.genres }).locator('[role=img][aria-label]')
    const bars = (await drawing.getAttribute('aria-label')) ?? ''
    for (const { count } of genres) expect(bars).toMatch(new RegExp(` ${number(Number(count))}(;|$)`))
    expect(bars).toContain(`Drama ${number(films.filter((film) => film['Major Genre'] === 'Drama').length)}`)

    const ratings = await asked({ measures: ['count'], dimensions: ['mpaa_rating'] })
    const cells = page.getByRole('region', { name: mine.ratings }).getByRole('cell')
    const counts = ratings.map(({ count }) => number(Number(count)))
    await expect.poll(async () => (await cells.allTextContents()).toSorted()).toEqual(counts.toSorted())
  }
})
