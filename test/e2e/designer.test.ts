// The object designer on screen: computed fields, rules, a change of type whose losses are named before it is made, and
// the backup that takes it back. Once through by keyboard alone.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Locator, Page } from 'playwright-core'
import { look } from './look.ts'
import { openBench } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'

type Fields = Record<string, Record<string, unknown>>
interface Definition {
  item: { fields: Fields; validations?: Record<string, unknown>[]; description?: string; enable?: unknown }
}

const statuses = ['Open', 'Doing', 'Done'].map((label) => ({ value: label.toLowerCase(), label }))

describe('the object designer', () => {
  let bench: ConsoleBench
  let opened: ConsolePage
  let page: Page

  const definition = async (name: string): Promise<Definition['item']> =>
    (await bench.api<Definition>('GET', `/meta/object/${name}`)).item
  const dialog = (name: string): Locator => page.getByRole('dialog', { name })
  const pickType = async (box: Locator, text: string): Promise<void> => {
    await box.getByRole('button', { name: 'Change type' }).click()
    await box.getByRole('combobox', { name: 'Type' }).fill(text)
    await box.getByRole('combobox', { name: 'Type' }).press('Enter')
  }
  const save = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'detached' })
  }

  beforeAll(async () => {
    bench = await openBench()
    await bench.api('PUT', '/meta/object/project', {
      name: 'project',
      label: 'Project',
      fields: { name: { type: 'text', label: 'Name' } },
    })
    await bench.api('PUT', '/meta/object/task', {
      name: 'task',
      label: 'Task',
      fields: {
        title: { type: 'text', label: 'Title' },
        price: { type: 'number', label: 'Price' },
        hours: { type: 'text', label: 'Hours' },
        status: { type: 'select', label: 'Status', options: statuses },
        project: { type: 'lookup', label: 'Project', reference: 'project' },
      },
    })
    const project = await bench.api<{ id: string }>('POST', '/data/project', { name: 'House' })
    for (const [title, price, hours] of [
      ['Walls', 100, '8'],
      ['Roof', 250, 'two days'],
      ['Door', 50, '1.5'],
    ]) {
      await bench.api('POST', '/data/task', { title, price, hours, status: 'open', project: project.id })
    }
    opened = await bench.open('/objects/task')
    page = opened.page
    page.setDefaultTimeout(8_000)
    await page.getByRole('heading', { name: 'Fields of Task' }).waitFor()
  })
  afterAll(async () => bench?.stop())

  it('checks a formula while it is typed and computes it for the records there are', async () => {
    await page.getByRole('button', { name: 'Add field' }).click()
    const box = dialog('New field')
    await box.getByRole('textbox', { name: 'Label of the field' }).fill('Gross')
    await pickType(box, 'formula')
    await box.getByRole('textbox', { name: 'Formula' }).fill('record.prize * 1.19')
    await box.getByText('The object has no field "prize".').waitFor()
    await box.getByRole('textbox', { name: 'Formula' }).fill('record.price * 2')
    await box.getByText('Cairn can save this field.').waitFor()
    await box.getByRole('button', { name: 'Add field' }).click()
    await page.getByText('Adds the field Gross', { exact: false }).waitFor()
    await save()
    const { records } = await bench.api<{ records: { gross: number }[] }>('GET', '/data/task?sort=price')
    expect(records.map((record) => record.gross)).toEqual([100, 200, 500])
  })

  it('adds up the records that link to a record', async () => {
    await page.goto(page.url().replace(/#.*/, '#/objects/project'))
    await page.getByRole('heading', { name: 'Fields of Project' }).waitFor()
    await page.getByRole('button', { name: 'Add field' }).click()
    const box = dialog('New field')
    await box.getByRole('textbox', { name: 'Label of the field' }).fill('Total')
    await pickType(box, 'summary')
    expect(await box.getByRole('combobox', { name: 'Records of' }).textContent()).toBe('Choose an objectTask')
    await box.getByRole('combobox', { name: 'Records of' }).selectOption('task')
    await box.getByRole('combobox', { name: 'Function' }).selectOption('sum')
    await box.getByRole('combobox', { name: 'Of the field' }).selectOption('price')
    await box.getByRole('button', { name: 'Add field' }).click()
    await save()
    const { records } = await bench.api<{ records: { total: number }[] }>('GET', '/data/project')
    expect(records.map((record) => record.total)).toEqual([400])
  })

  it('makes the steps of a choice a rule, which the API keeps to', async () => {
    await page.goto(page.url().replace(/#.*/, '#/objects/task'))
    await page.getByRole('tab', { name: 'Rules' }).click()
    await page.getByRole('button', { name: 'Add rule' }).click()
    const box = dialog('New rule')
    await box.getByRole('textbox', { name: 'Label of the rule' }).fill('One after the other')
    await box.getByRole('combobox', { name: 'Kind of rule' }).selectOption('state_machine')
    await box.getByRole('combobox', { name: 'Field' }).selectOption('status')
    await box.getByRole('combobox', { name: 'New records begin with' }).selectOption('open')
    await box.getByRole('checkbox', { name: 'From Open to Doing' }).check()
    await box.getByRole('checkbox', { name: 'From Doing to Done' }).check()
    await box.getByRole('textbox', { name: 'Message' }).fill('Do it first.')
    await box.getByRole('button', { name: 'Add rule' }).click()
    await page.getByRole('row', { name: /One after the other/ }).waitFor()
    await save()
    expect((await definition('task')).validations).toMatchObject([
      { name: 'one_after_the_other', type: 'state_machine', field: 'status', initial: 'open' },
    ])
    const { records } = await bench.api<{ records: { id: string }[] }>('GET', '/data/task?top=1')
    const path = `/data/task/${records[0]?.id}`
    await expect(bench.api('PATCH', path, { status: 'done' })).rejects.toThrow('Do it first.')
    await bench.api('PATCH', path, { status: 'doing' })
  })

  it('names the values a change of type cannot keep before anything is written', async () => {
    await page.getByRole('tab', { name: 'Fields' }).click()
    await page.getByRole('button', { name: 'Edit field Hours' }).click()
    const box = dialog('Field Hours')
    await pickType(box, 'whole or decimal')
    await box.getByRole('button', { name: 'Done' }).click()
    await page.getByText('Changes Hours from Text to Number.', { exact: false }).waitFor()
    await page
      .getByRole('table', { name: /Values of Hours/ })
      .getByText('two days')
      .waitFor()
    await page.getByRole('button', { name: 'Save changes' }).click()
    const ask = dialog('This change destroys data')
    await ask.getByText('1 value cannot be converted and becomes empty.', { exact: false }).waitFor()
    await ask.getByRole('cell', { name: 'two days' }).waitFor()
    expect((await definition('task')).fields.hours?.type).toBe('text')
    await ask.getByRole('button', { name: 'Save and destroy' }).click()
    await expect.poll(async () => (await definition('task')).fields.hours?.type).toBe('number')
    const { records } = await bench.api<{ records: { hours: unknown }[] }>('GET', '/data/task?sort=title')
    expect(records.map((record) => record.hours)).toEqual([1.5, null, 8])
  })

  it('brings the values back from the backup', async () => {
    await page.getByRole('tab', { name: 'Backups' }).click()
    await page.getByRole('button', { name: /^Restore: Values of hours/i }).click()
    await dialog('Restore this backup?').getByRole('button', { name: 'Restore' }).click()
    await page.getByText('Restored: ', { exact: false }).waitFor()
    expect((await definition('task')).fields.hours?.type).toBe('text')
    const { records } = await bench.api<{ records: { hours: unknown }[] }>('GET', '/data/task?sort=title')
    expect(records.map((record) => record.hours)).toEqual(['1.5', 'two days', '8'])
  })

  it('is worked by keyboard alone', async () => {
    const press = async (...keys: string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key)
    }
    const isFocused = async (control: Locator): Promise<boolean> =>
      control.evaluate((element) => element === document.activeElement)
    const label = dialog('New field').getByRole('textbox', { name: 'Label of the field' })
    const search = dialog('New field').getByRole('combobox', { name: 'Type' })
    await page.getByRole('tab', { name: 'Backups' }).focus()
    await press('Home')
    const last = page.getByRole('button', { name: 'Add field' })
    for (let turn = 0; turn < 60 && !(await isFocused(last)); turn++) {
      await press('Tab')
    }
    await press('Enter')
    await expect.poll(async () => isFocused(label)).toBe(true)
    await page.keyboard.type('Stars')
    await press('Tab', 'Enter')
    await expect.poll(async () => isFocused(search)).toBe(true)
    await page.keyboard.type('stars')
    await press('Enter')
    await dialog('New field').getByRole('button', { name: 'Change type' }).waitFor()
    await press('Enter', 'Escape')
    await page.keyboard.press('Escape')
    await dialog('New field').waitFor({ state: 'detached' })
    await expect.poll(async () => isFocused(last)).toBe(true)
    await press('Enter')
    await expect.poll(async () => isFocused(label)).toBe(true)
    await page.keyboard.type('Stars')
    await press('Tab', 'Enter')
    await expect.poll(async () => isFocused(search)).toBe(true)
    await page.keyboard.type('stars')
    await press('Enter')
    await page.getByText('A number of stars.').waitFor()
    await page.getByRole('textbox', { name: 'Label of the field' }).focus()
    await press('Enter')
    await dialog('New field').waitFor({ state: 'detached' })
    await page.getByRole('textbox', { name: 'Label of stars' }).focus()
    await press('Alt+ArrowUp', 'Alt+ArrowUp')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Label of stars')
    await page.getByRole('button', { name: 'Save changes' }).focus()
    await press('Enter')
    await expect.poll(async () => Object.keys((await definition('task')).fields).indexOf('stars')).toBe(4)
    expect((await definition('task')).fields.stars?.type).toBe('rating')
  })

  it('keeps what is unsaved when it is left and reloaded, and asks before what is typed is lost', async () => {
    const go = async (hash: string): Promise<void> => {
      await page.evaluate((to) => {
        window.location.hash = to
      }, hash)
    }
    const question = dialog('Leave without saving?')
    const label = page.getByRole('textbox', { name: 'Label of title' })
    await go('#/objects')
    await page.getByRole('heading', { name: 'Objects', level: 1 }).waitFor()
    await go('#/objects/task')
    await label.fill('Heading')
    await page.getByText('1 unsaved change').waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Objects', level: 1 }).waitFor()
    await go('#/objects/task')
    await page.getByText('Your draft is back.', { exact: false }).waitFor()
    expect(await label.inputValue()).toBe('Heading')
    await page.reload()
    await page.getByText('Your draft is back.', { exact: false }).waitFor()
    expect(await label.inputValue()).toBe('Heading')
    expect((await definition('task')).fields.title?.label).toBe('Title')
    await look(page, 'designer-draft')
    await save()
    expect((await definition('task')).fields.title?.label).toBe('Heading')
    // Saved is saved: there is no draft any more.
    await page.reload()
    await label.waitFor()
    expect(await page.getByText('unsaved change', { exact: false }).count()).toBe(0)
    await label.fill('Title')
    await save()
    await label.fill('Other')
    await page.getByRole('button', { name: 'Discard' }).click()
    expect(await label.inputValue()).toBe('Title')
    // What is typed into the dialog of a field counts, too.
    await page.getByRole('button', { name: 'Add field' }).click()
    await dialog('New field').getByRole('textbox', { name: 'Label of the field' }).fill('Half')
    await page.goBack()
    await question.getByText('What you typed for Half is not part of it yet', { exact: false }).waitFor()
    // It lies over the dialog that it asks about.
    await question.getByRole('button', { name: 'Stay' }).click({ trial: true })
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Objects', level: 1 }).waitFor()
    expect((await definition('task')).fields.title?.label).toBe('Title')
    expect(opened.errors.filter((line) => !line.includes('409'))).toEqual([])
  })
})
