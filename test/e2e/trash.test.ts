// The trash in a real browser: what was deleted is seen over all objects, comes back, or goes for good after a question.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { look, tabTo } from './look.ts'
import { openBench } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'

describe('the trash', () => {
  let bench: ConsoleBench
  let opened: ConsolePage

  beforeAll(async () => {
    bench = await openBench()
    for (const [name, label] of [
      ['book', 'Book'],
      ['author', 'Author'],
    ] as const) {
      const item = { name, label, pluralLabel: `${label}s`, fields: { title: { type: 'text', label: 'Title' } } }
      await bench.api('PUT', `/meta/object/${name}`, { type: 'object', name, item })
    }
    for (const [object, titles] of [
      ['book', ['Emma', 'Persuasion', 'Ulysses', 'Dubliners']],
      ['author', ['Austen']],
    ] as const) {
      for (const title of titles) {
        const { id } = await bench.api<{ id: string }>('POST', `/data/${object}`, { title })
        if (title !== 'Dubliners') await bench.api('DELETE', `/data/${object}/${id}`)
      }
    }
    opened = await bench.open('/')
  })
  afterAll(async () => {
    expect(opened.errors).toEqual([])
    await bench?.stop()
  })

  const live = async (object: string): Promise<string[]> =>
    (await bench.api<{ records: { title: string }[] }>('GET', `/data/${object}?sort=title`)).records.map(
      ({ title }) => title,
    )

  it('shows what was deleted of all objects, and brings back what is chosen, by keyboard, with a way to undo it', async () => {
    const { page } = opened
    await page.getByRole('link', { name: 'Trash' }).click()
    await page.getByText('until somebody deletes them for good').waitFor()
    await page.getByRole('rowheader', { name: 'Austen' }).waitFor()
    expect(await page.getByRole('rowheader').count()).toBe(4)
    await look(page, 'trash')
    await tabTo(page, 'Restore Persuasion')
    await page.keyboard.press('Enter')
    await page.getByText('1 record is back.').waitFor()
    expect(await live('book')).toEqual(['Dubliners', 'Persuasion'])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Undo/ }).first().click()
    await expect.poll(() => live('book')).toEqual(['Dubliners'])
    await page.reload()
    await page.getByRole('checkbox', { name: 'Select Emma' }).check()
    await page.getByRole('checkbox', { name: 'Select Austen' }).check()
    await page.getByRole('button', { name: 'Restore 2 records' }).click()
    await page.getByText('2 records are back.').waitFor()
    expect([await live('book'), await live('author')]).toEqual([['Dubliners', 'Emma'], ['Austen']])
  })

  it('says when records go, and deletes for good only after a question', async () => {
    const { page } = opened
    await bench.api('PATCH', '/settings', { trashRetentionDays: 30 })
    await page.reload()
    await page.getByText('stay here for 30 days').waitFor()
    await page.getByRole('link', { name: 'Change how long' }).waitFor()
    await page.getByRole('button', { name: 'Empty the trash', exact: true }).click()
    const question = page.getByRole('dialog', { name: 'Delete 2 records for good?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Delete for good: Ulysses' }).click()
    await page
      .getByRole('dialog', { name: 'Delete 1 record for good?' })
      .getByRole('button', { name: 'Delete for good' })
      .click()
    await page.getByText('1 record was deleted for good.').waitFor()
    await page.getByRole('button', { name: 'Empty the trash', exact: true }).click()
    await page
      .getByRole('dialog', { name: 'Delete 1 record for good?' })
      .getByRole('button', { name: 'Delete for good' })
      .click()
    await page.getByText('The trash is empty').waitFor()
    const left = await bench.api<{ records: unknown[] }>('GET', '/data/book?deleted=only')
    expect(left.records).toEqual([])
  })
})
