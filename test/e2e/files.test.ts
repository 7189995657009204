// Files on screen: added to records and comments, looked at, paused and cancelled on their way, and found in the list of all.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { png } from '../support/storage-calls.ts'
import { openBench } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'

interface Named {
  name: string
  fileId: string
}

/** Drops files with these texts on an element, as a person would from a folder. */
async function dropOn(page: Page, selector: string, files: Record<string, string>): Promise<void> {
  const transfer = await page.evaluateHandle((texts) => {
    const data = new DataTransfer()
    for (const [name, text] of Object.entries(texts)) data.items.add(new File([text], name, { type: 'text/plain' }))
    return data
  }, files)
  for (const type of ['dragenter', 'dragover', 'drop'])
    await page.dispatchEvent(selector, type, { dataTransfer: transfer })
}

describe('files', () => {
  let bench: ConsoleBench
  let opened: ConsolePage
  let folder: string
  let id: string

  const record = async (): Promise<Record<string, unknown>> =>
    (await bench.api<{ record: Record<string, unknown> }>('GET', `/data/paper/${id}`)).record
  const names = async (field: string): Promise<string[]> =>
    [(await record())[field] ?? []].flat().map((file) => (file as Named).name)
  const file = (name: string, content: string | Buffer): string => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const pick = async (button: ReturnType<Page['getByRole']>, path: string): Promise<void> => {
    const chooser = opened.page.waitForEvent('filechooser')
    await button.click()
    await (await chooser).setFiles(path)
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cairn-files-'))
    bench = await openBench()
    await bench.api('PUT', '/meta/object/paper', {
      name: 'paper',
      label: 'Paper',
      fields: {
        title: { type: 'text', label: 'Title' },
        cover: { type: 'image', label: 'Cover' },
        files: { type: 'file', label: 'Files', multiple: true },
      },
    })
    id = (await bench.api<{ id: string }>('POST', '/data/paper', { title: 'First' })).id
    opened = await bench.open(`/o/paper/record/${id}`)
    opened.page.setDefaultTimeout(10_000)
  })
  afterAll(async () => {
    await bench?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('are picked and dropped on the page of a record, shown small and looked at', async () => {
    const { page } = opened
    const cover = page.locator('[data-field="cover"]')
    await pick(cover.getByRole('button', { name: 'Choose a file' }), file('dot.png', png))
    await cover.getByRole('button', { name: 'Look at dot.png' }).waitFor()
    await cover.locator('img').waitFor({ state: 'attached' })
    await expect.poll(() => names('cover')).toEqual(['dot.png'])
    await dropOn(page, '[data-field="files"] dd > div', { 'one.txt': 'The first words', 'two.txt': 'Others' })
    await expect.poll(async () => (await names('files')).toSorted()).toEqual(['one.txt', 'two.txt'])
    const files = page.locator('[data-field="files"]')
    await files.getByRole('button', { name: 'Look at two.txt' }).waitFor()
    await files.getByRole('button', { name: 'Look at one.txt' }).click()
    const box = page.getByRole('dialog', { name: 'one.txt' })
    await box.getByText('The first words').waitFor()
    await box.getByRole('button', { name: 'Next file' }).click()
    await page.getByRole('dialog', { name: 'two.txt' }).getByText('Others').waitFor()
    await page.keyboard.press('Escape')
    await files.getByRole('button', { name: 'Remove two.txt' }).click()
    await expect.poll(() => names('files')).toEqual(['one.txt'])
  })

  it('go along with comments', async () => {
    const { page } = opened
    const composer = page.getByRole('form', { name: 'Comment' })
    await composer.getByRole('textbox').fill('See the draft')
    await pick(composer.getByRole('button', { name: 'Attach files' }), file('draft.txt', 'A draft'))
    await composer.getByRole('button', { name: 'Look at draft.txt' }).waitFor()
    await composer.getByRole('textbox').press('ControlOrMeta+Enter')
    await page.getByRole('article').getByRole('button', { name: 'Look at draft.txt' }).waitFor()
    const { items } = (
      await bench.api<{ data: { items: { attachments: Named[] }[] } }>('GET', `/data/paper/${id}/feed`)
    ).data
    // What happened to files is told by their names; many changes of one person are folded.
    await page
      .getByText(/made \d+ changes/)
      .first()
      .click()
    await page
      .getByRole('article')
      .filter({ hasText: 'two.txt, one.txt' })
      .or(page.getByRole('article').filter({ hasText: 'one.txt, two.txt' }))
      .first()
      .waitFor()
    expect(items.flatMap(({ attachments }) => attachments.map(({ name }) => name))).toEqual(['draft.txt'])
  })

  it('pause on their way in chunks, go on, and are cancelled', async () => {
    const { page } = opened
    const files = page.locator('[data-field="files"]')
    const big = file('big.bin', Buffer.alloc(12 * 1_048_576, 7))
    let sent = 0
    await page.route('**/chunk/*', async (route) => {
      sent += 1
      // Time enough to press a button between two chunks.
      await new Promise((resolve) => setTimeout(resolve, 700))
      await route.continue().catch(() => undefined)
    })
    await pick(files.getByRole('button', { name: 'Add files' }), big)
    await files.getByRole('button', { name: 'Pause big.bin' }).click()
    await files.getByText('paused', { exact: false }).waitFor()
    const before = sent
    await page.waitForTimeout(900)
    expect(sent).toBe(before)
    await files.getByRole('button', { name: 'Go on with big.bin' }).click()
    await expect.poll(() => names('files'), { timeout: 15_000 }).toContain('big.bin')
    await pick(files.getByRole('button', { name: 'Add files' }), big)
    await files.getByRole('button', { name: 'Cancel big.bin' }).click()
    await files.getByRole('list', { name: 'Files on their way' }).waitFor({ state: 'detached' })
    await page.unroute('**/chunk/*')
    expect((await names('files')).filter((name) => name === 'big.bin')).toHaveLength(1)
  })

  it('are dropped on cells of the grid and edited in them', async () => {
    const { page } = opened
    await page.evaluate(() => {
      window.location.hash = '/o/paper'
    })
    await page.getByRole('gridcell', { name: 'First' }).waitFor()
    await dropOn(page, '[aria-rowindex="2"] [aria-colindex="4"]', { 'three.txt': 'Third' })
    await page.getByText('three.txt is attached.').waitFor()
    await page.getByRole('gridcell', { name: 'dot.png' }).locator('img').waitFor({ state: 'attached' })
    expect(await names('files')).toContain('three.txt')
    await page.getByRole('gridcell', { name: /three\.txt/ }).dblclick()
    const editor = page.getByRole('group', { name: /Files, row 1/ })
    await editor.getByRole('button', { name: 'Remove one.txt' }).click()
    await page.keyboard.press('Tab')
    await page.getByRole('heading', { level: 1 }).click()
    await expect.poll(() => names('files')).not.toContain('one.txt')
    expect(await names('files')).toContain('three.txt')
  })

  it('are listed with what names them, and go when nothing does', async () => {
    const { page } = opened
    await page.getByRole('link', { name: 'Files', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Files' }).waitFor()
    await page.getByRole('button', { name: 'Show what uses dot.png' }).click()
    const box = page.getByRole('dialog', { name: 'What uses dot.png' })
    await box.getByText('Paper: Cover').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('checkbox', { name: 'Only unused' }).check()
    await page.getByRole('button', { name: 'Delete two.txt' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('two.txt is deleted.').waitFor()
    await page.getByRole('button', { name: 'Look at one.txt' }).waitFor()
    expect(await page.getByRole('button', { name: 'Look at dot.png' }).count()).toBe(0)
    expect(opened.errors).toEqual([])
  })
})
