// The part of the settings about the hub, over two real machines: through the door of the one that follows, and once nobody
// follows any more.
import pg from 'pg'
import { chromium } from 'playwright-core'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { chromiumLaunchOptions } from '../support/find-chromium.ts'
import { leaderOf } from '../support/hub-machine.ts'
import { createHub } from '../support/hub-of-machines.ts'
import type { HubOfMachines } from '../support/hub-of-machines.ts'
import { hasPostgres } from '../support/postgres-cluster.ts'
import { look } from './look.ts'

// reason: there is no PostgreSQL to test with on every machine
describe.skipIf(!hasPostgres)('the hub on screen', () => {
  let made: HubOfMachines
  let browser: Browser
  beforeAll(async () => {
    made = await createHub(['a', 'b'])
    browser = await chromium.launch(chromiumLaunchOptions(inject('chromiumPath')))
  })
  afterAll(async () => {
    await browser?.close()
    await made?.remove()
  })

  it('says who leads and who follows, asked at any machine, that nobody could take over, and that PostgreSQL is away', async () => {
    const [first, second] = made.machines as [(typeof made.machines)[0], (typeof made.machines)[0]]
    first.start()
    await leaderOf([first])
    second.start()
    await second.follows()
    const code = /running at \S+#(\S+)/.exec(first.output)![1]!
    const context = await browser.newContext({ locale: 'en', viewport: { width: 1024, height: 768 } })
    const page = await context.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    await page.goto(`${second.url}/_console/#${code}`)
    await page.getByRole('navigation', { name: 'Main navigation' }).waitFor()
    await page.goto(`${second.url}/_console/#/settings/hub`)
    const table = page.getByRole('region', { name: 'Computers' })
    await table.getByRole('row', { name: new RegExp(`${first.url} Leads`) }).waitFor()
    await table.getByRole('row', { name: new RegExp(`${second.url} Follows`) }).waitFor({ timeout: 20_000 })
    await look(page, 'hub')
    const client = new pg.Client({ connectionString: made.cluster.url })
    await client.connect()
    await client.query('ALTER SYSTEM SET full_page_writes = off')
    await client.query('SELECT pg_reload_conf()')
    await page.getByText('PostgreSQL can lose what it has acknowledged, by its settings: full_page_writes.').waitFor()
    await client.query('ALTER SYSTEM RESET full_page_writes')
    await client.query('SELECT pg_reload_conf()')
    await client.end()

    await page.goto(`${first.url}/_console/#/settings/hub`)
    await second.stop()
    await page.getByText('No other computer follows').waitFor({ timeout: 30_000 })
    await table.getByRole('row', { name: /Gone/ }).waitFor()
    for (const width of [1024, 390, 320]) {
      await page.setViewportSize({ width, height: 800 })
      const wide = await page.evaluate(() => document.documentElement.scrollWidth)
      expect({ width, fits: wide <= width }).toEqual({ width, fits: true })
    }
    await look(page, 'hub-alone')

    await page.setViewportSize({ width: 1024, height: 768 })
    await made.cluster.kill()
    await page.getByText('The hub does not answer. What you see is of').waitFor({ timeout: 60_000 })
    await look(page, 'hub-silent')
    await made.cluster.start()
    await page.getByText('The hub does not answer.').waitFor({ state: 'hidden', timeout: 60_000 })
    expect(errors).toEqual([])
  })
})
