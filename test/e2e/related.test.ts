// Work on a record and on its object: lists of what leads to it, going back to a point of its history, links in values;
// the preview, the relations and the labels in other languages of the designer.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { look } from './look.ts'
import { openBench } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'

describe('a record and its object', () => {
  let bench: ConsoleBench
  let opened: ConsolePage
  let page: Page
  let house: string
  let shed: string

  const make = async (object: string, values: Record<string, unknown>): Promise<string> =>
    (await bench.api<{ id: string }>('POST', `/data/${object}`, values)).id
  const tasksOf = async (project: string): Promise<string[]> => {
    const filter = encodeURIComponent(JSON.stringify({ project }))
    const { records } = await bench.api<{ records: { title: string }[] }>(
      'GET',
      `/data/task?sort=title&filter=${filter}`,
    )
    return records.map(({ title }) => title)
  }
  const go = async (hash: string): Promise<void> => {
    await page.evaluate((to) => {
      window.location.hash = to
    }, hash)
  }

  beforeAll(async () => {
    bench = await openBench()
    await bench.api('PUT', '/meta/object/project', {
      name: 'project',
      label: 'Project',
      fields: {
        name: { type: 'text', label: 'Name' },
        budget: { type: 'number', label: 'Budget' },
        site: { type: 'url', label: 'Site' },
        mail: { type: 'email', label: 'Mail' },
        plan: { type: 'markdown', label: 'Plan' },
      },
    })
    await bench.api('PUT', '/meta/object/task', {
      name: 'task',
      label: 'Task',
      pluralLabel: 'Tasks',
      fields: {
        title: { type: 'text', label: 'Title' },
        hours: { type: 'text', label: 'Hours' },
        project: { type: 'lookup', label: 'Project', reference: 'project' },
      },
    })
    house = await make('project', {
      name: 'House',
      budget: 100,
      site: 'https://example.org/house',
      mail: 'ada@example.org',
      plan: 'First the **walls**, then the roof.',
    })
    shed = await make('project', { name: 'Shed' })
    for (const [at, hours] of ['8', 'two days', '3', '4', '5', '6', '7'].entries()) {
      await make('task', { title: `Step ${at + 1}`, hours, project: house })
    }
    await make('task', { title: 'Loose end', hours: '1' })
    opened = await bench.open(`/o/project/record/${house}`)
    page = opened.page
    page.setDefaultTimeout(12_000)
  })
  afterAll(async () => bench?.stop())

  it('lists what leads to the record: more of it, linking, unlinking, all with the keyboard', async () => {
    const list = page.getByRole('region', { name: 'Tasks by Project', exact: true })
    await list.getByRole('link', { name: 'Step 5' }).waitFor()
    expect(await list.getByRole('row').count()).toBe(6)
    await look(page, 'record-related')
    await list.getByRole('button', { name: 'Show 2 more' }).focus()
    await page.keyboard.press('Enter')
    await list.getByRole('link', { name: 'Step 7' }).waitFor()
    await list.getByRole('button', { name: 'Unlink Step 1' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(async () => tasksOf(house)).not.toContain('Step 1')
    await list.getByRole('link', { name: 'Step 1' }).waitFor({ state: 'detached' })
    await list.getByRole('button', { name: /^Link existing records/ }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: /^Link to Tasks/ })
    await dialog.getByRole('combobox', { name: 'Record' }).fill('Loose')
    await dialog.getByRole('option', { name: 'Loose end' }).click()
    await look(page, 'record-link')
    await dialog.getByRole('button', { name: 'Link existing' }).click()
    await list.getByRole('link', { name: 'Loose end' }).waitFor()
    expect(await tasksOf(house)).toContain('Loose end')
    await go(`#/o/project/record/${shed}`)
    await page.getByText('None of Tasks leads here yet.').waitFor()
    await page.getByRole('button', { name: 'Add to Tasks by Project' }).click()
    const form = page.getByRole('dialog', { name: 'New record in Task' })
    await form.getByRole('textbox', { name: 'Title' }).fill('Floor')
    await form.getByRole('button', { name: 'Add record' }).click()
    await page.getByRole('link', { name: 'Floor' }).waitFor()
    expect(await tasksOf(shed)).toEqual(['Floor'])
  })

  it('shows addresses as links and Markdown as it is meant, and still edits them', async () => {
    await go(`#/o/project/record/${house}`)
    expect(await page.getByRole('link', { name: 'https://example.org/house' }).getAttribute('rel')).toContain(
      'noopener',
    )
    expect(await page.getByRole('link', { name: 'ada@example.org' }).getAttribute('href')).toBe(
      'mailto:ada@example.org',
    )
    await page.locator('strong', { hasText: 'walls' }).waitFor()
    await page.getByRole('button', { name: 'Edit Mail ada@example.org' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Mail' }).fill('grace@example.org')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'grace@example.org' }).waitFor()
  })

  it('goes back to a point of its history as one change, which undo takes back', async () => {
    await bench.api('PATCH', `/data/project/${house}`, { budget: 200, name: 'Big house' })
    await bench.api('PATCH', `/data/project/${house}`, { budget: 300 })
    await go(`#/o/project/record/${house}?tab=history`)
    await page.getByRole('heading', { level: 1, name: 'Big house' }).waitFor()
    const points = page.getByRole('button', { name: /^Restore the record to this point/ })
    await expect.poll(async () => points.count()).toBe(3)
    await look(page, 'record-points')
    await points.last().click()
    const dialog = page.getByRole('dialog', { name: /^Restore the record to/ })
    await dialog.getByText('3 fields get the values they had then', { exact: false }).waitFor()
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click()
    const stored = async () => {
      const { record } = await bench.api<{ record: Record<string, unknown> }>('GET', `/data/project/${house}`)
      return [record['name'], record['budget'], record['mail']]
    }
    await expect.poll(stored).toEqual(['House', 100, 'ada@example.org'])
    await page.getByRole('heading', { level: 1, name: 'House', exact: true }).focus()
    await page.keyboard.press('Control+z')
    await expect.poll(stored).toEqual(['Big house', 300, 'grace@example.org'])
  })

  it('previews a draft with real records, and names the records a change of type fails for', async () => {
    await go('#/objects/task')
    const preview = page.getByRole('region', { name: 'Preview of Tasks' })
    await expect.poll(async () => preview.getByRole('row').count()).toBe(6)
    await page.getByRole('textbox', { name: 'Label of hours' }).fill('Effort')
    await preview.getByRole('columnheader', { name: 'Effort' }).waitFor()
    await page.getByRole('button', { name: 'Edit field Effort' }).click()
    const box = page.getByRole('dialog', { name: 'Field Effort' })
    await box.getByRole('button', { name: 'Change type' }).click()
    await box.getByRole('combobox', { name: 'Type' }).fill('whole or decimal')
    await box.getByRole('combobox', { name: 'Type' }).press('Enter')
    expect(await box.getByRole('textbox', { name: 'Decimals' }).isVisible()).toBe(false)
    await box.getByText(/^More: Decimals, /).click()
    await box.getByRole('textbox', { name: 'Decimals' }).waitFor()
    await box.getByRole('button', { name: 'Done' }).click()
    await preview.getByText('not kept').waitFor()
    const failures = page.getByRole('table', { name: /Values of Effort/ })
    await failures.getByRole('link', { name: 'Step 2' }).waitFor()
    await look(page, 'designer-preview')
    await page.getByRole('button', { name: 'Discard' }).click()
    await preview.getByRole('columnheader', { name: 'Hours' }).waitFor()
  })

  it('shows relations as a diagram and a list, and keeps labels in another language', async () => {
    await page.getByRole('tab', { name: 'Relations' }).click()
    await page.getByRole('img', { name: 'Diagram of the relations of Task' }).waitFor()
    await look(page, 'designer-relations')
    await page.getByRole('tab', { name: 'Views' }).click()
    await page.getByText('No views are stored for this object.', { exact: false }).waitFor()
    await page.getByRole('tab', { name: 'Permissions' }).click()
    await page.getByRole('region', { name: 'Rights for Tasks' }).waitFor()
    await look(page, 'designer-permissions')
    await page.getByRole('tab', { name: 'Translations' }).click()
    await page.getByRole('combobox', { name: 'Language' }).selectOption('de')
    await page.getByRole('textbox', { name: 'Object' }).fill('Aufgabe')
    await page.getByRole('textbox', { name: /^Hours in / }).fill('Stunden')
    await look(page, 'designer-translations')
    await page.getByRole('button', { name: 'Save translations' }).click()
    await page.getByText('Translations saved').waitFor()
    const { labels } = await bench.api<{ labels: Record<string, { label: string }> }>(
      'GET',
      '/i18n/labels/task?locale=de',
    )
    expect(labels['hours']?.label).toBe('Stunden')
    await page.getByRole('tab', { name: 'Relations' }).click()
    await page.getByRole('cell', { name: 'Project' }).last().getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: 'Fields of Project' }).waitFor()
    expect(opened.errors).toEqual([])
  })
})
