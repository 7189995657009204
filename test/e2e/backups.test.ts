// Backups in a real browser: one is made, what its restore would change is said, and afterwards the workspace is what it was.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { look } from './look.ts'
import { openBench } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'

describe('backups', () => {
  let bench: ConsoleBench
  let opened: ConsolePage

  beforeAll(async () => {
    bench = await openBench()
    const fields = { title: { type: 'text', label: 'Title' } }
    const item = { name: 'book', label: 'Book', pluralLabel: 'Books', fields }
    await bench.api('PUT', '/meta/object/book', { type: 'object', name: 'book', item })
    for (const title of ['Emma', 'Ulysses']) await bench.api('POST', '/data/book', { title })
    opened = await bench.open('/')
  })
  afterAll(async () => bench?.stop())

  /** Everything people see: records, deleted ones too, and definitions. */
  const state = async (): Promise<unknown> => {
    const { records } = await bench.api<{ records: unknown[] }>('GET', '/data/book?deleted=include&sort=id')
    const { items } = await bench.api<{ items: { name: string }[] }>('GET', '/meta/object')
    return { records, items }
  }

  it('are made, and put back the workspace as it was, records and definitions', async () => {
    const { page } = opened
    await page.getByRole('link', { name: 'Backups', exact: true }).click()
    await page.getByText('No backup yet').waitFor()
    await page.getByRole('button', { name: 'Back up now' }).click()
    await page.getByText('The backup is there and was checked.').waitFor()
    const before = await state()

    const [first] = (await bench.api<{ records: { id: string }[] }>('GET', '/data/book')).records
    await bench.api('DELETE', `/data/book/${first!.id}?purge=true`)
    for (const title of ['New', 'Newer']) await bench.api('POST', '/data/book', { title })
    const item = { name: 'young', label: 'Young', fields: { title: { type: 'text' } } }
    await bench.api('PUT', '/meta/object/young', { type: 'object', name: 'young', item })

    await page.getByRole('button', { name: /^Restore the backup of/ }).click()
    const dialog = page.getByRole('dialog')
    const row = dialog.getByRole('row', { name: /^Books/ })
    await row.waitFor()
    expect(await row.getByRole('cell').allTextContents()).toEqual(['3', '2', '1', '2', '0'])
    await dialog.getByText('object young: goes').waitFor()
    await look(page, 'backup-restore')
    await dialog.getByRole('button', { name: 'Restore and restart' }).click()
    expect(await page.getByText('Restoring the backup').count()).toBe(0)
    await dialog.getByRole('checkbox').check()
    const { stopped } = bench.host
    await dialog.getByRole('button', { name: 'Restore and restart' }).click()
    await page.getByRole('heading', { level: 1, name: 'Restoring the backup' }).waitFor()
    expect(await stopped).toBe('restart')
    await bench.restart()
    // The session of the former host is over.
    await page.getByRole('heading', { name: 'Sign in to Cairn' }).waitFor()
    expect(await state()).toEqual(before)
    const { backups } = await bench.api<{ backups: { note?: string }[] }>('GET', '/backups')
    expect(backups[0]?.note).toMatch(/^before the restore of /)
  })
})
