// `npm run pictures`: starts the program on a folder of its own, fills it with the films of vega-datasets, and writes the
// pictures of the README from the running screens, so that they stay true.
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import type { Page } from 'playwright-core'
import { startHost } from '#main/index.ts'
import { chromiumInstallHint, chromiumLaunchOptions, findChromium } from '../support/find-chromium.ts'
import { seedFilms } from './seed-films.ts'

/** Bytes of the largest picture: they are part of every clone. */
const largest = 150_000

const folder = new URL('../../docs/pictures/', import.meta.url).pathname
const executable = findChromium()
if (executable === undefined) throw new Error(`Pictures need a Chromium: ${chromiumInstallHint()}`)

const dataDir = mkdtempSync(join(tmpdir(), 'cairn-pictures-'))
const host = await startHost({ dataDir, port: 0 })
const browser = await chromium.launch(chromiumLaunchOptions(executable))

async function api<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(`${host.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${host.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as T
}

async function show(page: Page, route: string): Promise<void> {
  await page.goto(`${host.url}${host.uiBasePath}/#${route}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
}

async function take(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle')
  const file = join(folder, `${name}.png`)
  await page.screenshot({ path: file, animations: 'disabled' })
  const { size } = statSync(file)
  if (size > largest) throw new Error(`${file} has ${size} bytes, more than ${largest}.`)
  process.stdout.write(`${name}.png ${size} bytes\n`)
}

try {
  mkdirSync(folder, { recursive: true })
  const film = await seedFilms({ api })
  const context = await browser.newContext({
    viewport: { width: 1_200, height: 720 },
    reducedMotion: 'reduce',
    colorScheme: 'light',
    locale: 'en',
    timezoneId: 'UTC',
  })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  await page.goto(`${host.url}${host.uiBasePath}/#${host.mintCode()}`)
  await page.getByRole('navigation', { name: 'Main navigation' }).waitFor()

  await show(page, '/o/film')
  await page.getByRole('gridcell', { name: film.title }).first().waitFor()
  await take(page, 'grid')

  await show(page, '/o/film?v=film.by_rating')
  await page.getByRole('region', { name: /^PG-13/ }).waitFor()
  await take(page, 'board')

  await show(page, `/o/film/record/${film.id}?tab=feed`)
  await page.getByText(film.comment).waitFor()
  await take(page, 'record')

  await show(page, '/objects/film')
  await page.getByRole('button', { name: 'Edit field Released' }).click()
  const box = page.getByRole('dialog', { name: 'Field Released' })
  await box.getByRole('button', { name: 'Change type' }).click()
  await box.getByRole('combobox', { name: 'Type' }).fill('whole or decimal')
  await box.getByRole('combobox', { name: 'Type' }).press('Enter')
  await box.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('table', { name: /Values of Released/ }).scrollIntoViewIfNeeded()
  await take(page, 'designer')
} finally {
  await browser.close()
  await host.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
