// The assistant in a real browser: a question becomes a query that is checked, corrected, run and kept; a conversation
// names the records it rests on.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { look, tabTo } from './look.ts'
import { openBench } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'

describe('the assistant', () => {
  let bench: ConsoleBench
  let opened: ConsolePage

  beforeAll(async () => {
    bench = await openBench()
    const item = {
      name: 'task',
      label: 'Task',
      pluralLabel: 'Tasks',
      fields: {
        title: { type: 'text', label: 'Title' },
        status: {
          type: 'select',
          label: 'Status',
          options: ['open', 'closed'].map((value) => ({ value, label: value === 'open' ? 'Open' : 'Closed' })),
        },
        hours: { type: 'number', label: 'Hours' },
      },
    }
    await bench.api('PUT', '/meta/object/task', { type: 'object', name: 'task', item })
    const records = [
      { title: 'Water the garden', status: 'open', hours: 2 },
      { title: 'Mend the roof', status: 'open', hours: 30 },
      { title: 'Paint the door', status: 'closed', hours: 4 },
    ]
    await bench.api('POST', '/data/task/createMany', { records })
    const visit = {
      name: 'visit',
      label: 'Visit',
      pluralLabel: 'Visits',
      fields: {
        city: { type: 'text', label: 'City' },
        channel: {
          type: 'select',
          label: 'Channel',
          options: ['Fair', 'Phone'].map((label) => ({ value: label.toLowerCase(), label })),
        },
        task: { type: 'lookup', label: 'Task', reference: 'task' },
        paid: { type: 'boolean', label: 'Paid' },
      },
    }
    await bench.api('PUT', '/meta/object/visit', { type: 'object', name: 'visit', item: visit })
    const { records: tasks } = await bench.api<{ records: { id: string }[] }>('GET', '/data/task?title=Mend the roof')
    const visits = ['Oslo', 'Oslo', 'Oslo', 'Rome'].map((city) => ({
      city,
      channel: city === 'Oslo' ? 'fair' : 'phone',
      task: city === 'Oslo' ? tasks[0]?.id : null,
    }))
    await bench.api('POST', '/data/visit/createMany', { records: visits })
    opened = await bench.open('/')
  })
  afterAll(async () => bench?.stop())

  it('shows what was understood before anything is run, and who understood it', async () => {
    const { page } = opened
    await page.getByRole('link', { name: 'Assistant' }).click()
    await page.getByText('Nothing leaves the computer that runs Cairn.', { exact: false }).waitFor()
    await page.getByRole('textbox', { name: 'Question' }).fill('open tasks with more than 10 hours')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'What was understood' }).waitFor()
    await page.getByText('Status is Open and Hours', { exact: false }).first().waitFor()
    await page.getByText('Rules on this machine', { exact: true }).waitFor()
    expect(await page.getByRole('region', { name: 'Result' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('link', { name: 'Mend the roof' }).waitFor()
    expect(await page.getByRole('region', { name: 'Result' }).textContent()).not.toContain('Water the garden')
    await look(page, 'assistant-answer')
  })

  it('lets the conditions be corrected, and keeps them as a view', async () => {
    const { page } = opened
    await page.getByRole('button', { name: 'Change conditions' }).click()
    const dialog = page.getByRole('dialog', { name: 'Filter records' })
    await dialog.getByRole('textbox', { name: 'Value' }).last().fill('1')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('link', { name: 'Water the garden' }).waitFor()
    await page.getByRole('button', { name: 'Keep as a view' }).click()
    await page.getByRole('dialog', { name: 'Keep as a view' }).getByRole('textbox').fill('Open ones')
    await page.keyboard.press('Enter')
    await page.getByText('The view “Open ones” is kept.', { exact: false }).waitFor()
    const { views } = await bench.api<{ views: { label: string; config: Record<string, unknown> }[] }>(
      'GET',
      '/ui/views?object=task&type=list',
    )
    const kept = views.find(({ label }) => label === 'Open ones')
    expect(kept?.config['conditions']).toEqual(['all', ['status', 'eq', 'open'], ['hours', 'gt', '1']])
    await page.getByRole('link', { name: 'Show as table' }).click()
    await page.getByText('2 records').waitFor()
  })

  it('says what it does not understand, and offers what it does', async () => {
    const { page } = opened
    await page.evaluate(() => {
      window.location.hash = '/assistant'
    })
    await page.getByRole('textbox', { name: 'Question' }).fill('xyzzy plugh')
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await page.getByText('This was not understood').waitFor()
    await look(page, 'assistant-refused')
    await page.getByRole('button', { name: 'Show all Tasks' }).click()
    await page.getByRole('heading', { name: 'What was understood' }).waitFor()
    expect(await page.getByText('No condition').count()).toBe(1)
  })

  it('talks about records and names those it rests on', async () => {
    const { page } = opened
    await page.getByRole('tab', { name: 'Conversation' }).click()
    await page.getByRole('textbox', { name: 'Message' }).fill('closed tasks')
    await page.keyboard.press('ControlOrMeta+Enter')
    const log = page.getByRole('log')
    await log.getByRole('link', { name: 'Paint the door' }).waitFor()
    expect(await log.textContent()).toContain('You')
    await look(page, 'assistant-chat')
    await log.getByRole('link', { name: 'Paint the door' }).click()
    await page.getByRole('heading', { level: 1, name: 'Paint the door' }).waitFor()
    expect(opened.errors.filter((line) => !/\b4\d\d\b/.test(line))).toEqual([])
  })
  it('suggests values while a form is filled, by keyboard alone, and writes nothing before it is saved', async () => {
    const { page } = opened
    const count = async (): Promise<number> =>
      (await bench.api<{ records: unknown[] }>('GET', '/data/visit')).records.length
    await page.evaluate(() => {
      window.location.hash = '/o/visit'
    })
    await page.getByText('4 records').waitFor()
    await page.keyboard.press('n')
    const form = page.getByRole('dialog', { name: 'New record in Visit' })
    await form.waitFor()
    await page.keyboard.press('ControlOrMeta+.')
    await form.getByText('Nothing to suggest yet.', { exact: false }).waitFor()
    await page.keyboard.type('Oslo')
    await page.keyboard.press('ControlOrMeta+.')
    await form.getByText('2 suggestions.', { exact: false }).waitFor()
    await form.getByText('3 of 3 similar records have it.').first().waitFor()
    await look(page, 'record-suggestions')
    // One is left, one is taken; the focus stays with their fields.
    await tabTo(page, 'Dismiss the suggestion for Channel')
    await page.keyboard.press('Enter')
    await form.getByText('1 suggestion.', { exact: false }).waitFor()
    const focused = async (): Promise<string | null> =>
      page.evaluate(() => document.activeElement?.closest('[data-field]')?.getAttribute('data-field') ?? null)
    expect(await focused()).toBe('channel')
    await tabTo(page, 'Take Mend the roof for Task')
    await page.keyboard.press('ControlOrMeta+.')
    await form.getByRole('button', { name: 'Take Mend the roof for Task' }).waitFor({ state: 'detached' })
    expect(await focused()).toBe('task')
    expect(await count()).toBe(4)
    await page.keyboard.press('ControlOrMeta+Enter')
    await form.waitFor({ state: 'detached' })
    await page.getByText('5 records').waitFor()
    const { records } = await bench.api<{ records: Record<string, unknown>[] }>(
      'GET',
      '/data/visit?sort=-id&top=1&expand=task',
    )
    expect(records[0]).toMatchObject({ city: 'Oslo', channel: null, task: { title: 'Mend the roof' } })
    expect(opened.errors.filter((line) => !/\b4\d\d\b/.test(line))).toEqual([])
  })
})
