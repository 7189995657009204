// Files whose bytes are on another device, on screen: said so in the list, fetched by opening, and what is said while that
// device is away. Two real hosts.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { upload } from '../support/storage-calls.ts'
import { pair, startFounder, until } from '../support/synced-hosts.ts'
import { openBench } from './open-console.ts'
import type { ConsoleBench } from './open-console.ts'

describe('files of another device', () => {
  let desk: TestHost
  let laptop: ConsoleBench

  beforeAll(async () => {
    desk = await startFounder('Desk')
    laptop = await openBench()
    await pair(desk, {
      get: async (path) => ({ body: await laptop.api('GET', path) }),
      post: async (path, body) => ({
        status: path.endsWith('join') ? 202 : 200,
        body: await laptop.api('POST', path, body),
      }),
    })
    await upload(desk, 'Words from the desk', { name: 'words.txt', scope: 'public' })
    await upload(desk, 'Words for later', { name: 'later.txt', scope: 'public' })
    const names = async () => (await laptop.api<{ data: { files: unknown[] } }>('GET', '/storage/files')).data.files
    await until('the files are known', async () => (await names()).length === 2)
  }, 60_000)

  afterAll(async () => {
    await laptop?.stop()
    await desk?.stop()
  })

  it('are said to be there, and come when they are opened', { timeout: 60_000 }, async () => {
    const { page, errors, close } = await laptop.open('/files')
    const row = page.getByRole('row', { name: /words\.txt/ })
    await row.getByText('On Desk').waitFor()
    await page.getByText('Files that are not on this device yet: open one to fetch it.').waitFor()
    for (const width of [1024, 390, 320]) {
      await page.setViewportSize({ width, height: 700 })
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0)
    }
    await page.getByRole('button', { name: 'Look at words.txt' }).click()
    await page.getByRole('dialog').getByText('Words from the desk').waitFor()
    await page.keyboard.press('Escape')
    await row.getByText('On this device').waitFor()
    expect(errors).toEqual([])
    await close()
  })

  it('are said to be on a device that is away, and come once it is back', { timeout: 60_000 }, async () => {
    await laptop.api('PATCH', '/sync/settings', { paused: true })
    const { page, close } = await laptop.open('/files')
    const look = page.getByRole('button', { name: 'Look at later.txt' })
    await look.click()
    const said = 'This file is on Desk, which is not connected. Start Desk, then open it again.'
    await page.getByRole('dialog').getByText(said).waitFor()
    await page.keyboard.press('Escape')
    await laptop.api('PATCH', '/sync/settings', { paused: false })
    await page.goto(page.url().replace(/#.*/, '#/sync/connection'))
    const keep = page.getByRole('switch', { name: 'Keep every file on this device' })
    await keep.click()
    await page.getByText('Every file is kept on this device').waitFor()
    await page.goto(page.url().replace(/#.*/, '#/files'))
    const row = page.getByRole('row', { name: /later\.txt/ })
    const came = await until('it comes by itself', async () => {
      await page.reload()
      return row
        .getByText('On this device')
        .waitFor({ timeout: 2_000 })
        .then(
          () => true,
          () => false,
        )
    })
    expect(came).toBe(true)
    await close()
  })

  it('are shown on their way', { timeout: 60_000 }, async () => {
    const bytes = randomBytes(40_000_000)
    const text = Buffer.from(bytes.toString('base64').slice(0, 40_000_000))
    await laptop.api('PATCH', '/sync/settings', { keepFiles: false })
    const { fileId } = await upload(desk, text, { name: 'long.txt', type: 'text/plain', scope: 'public' })
    await until('it is known', async () =>
      laptop.api('GET', `/storage/files/${fileId}/metadata`).then(
        () => true,
        () => false,
      ),
    )
    const { page, errors, close } = await laptop.open('/files')
    await page.getByRole('button', { name: 'Look at long.txt' }).click()
    // A bar of nothing yet has no width.
    await page.getByRole('progressbar', { name: 'Fetching long.txt' }).waitFor({ state: 'attached' })
    await page.getByRole('dialog').getByText('Only the beginning is shown.').waitFor({ timeout: 30_000 })
    expect(errors).toEqual([])
    await close()
  })
})
