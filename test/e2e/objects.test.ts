// Objects from nothing: create one, give it fields of several types, change and delete them, delete the object.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBench } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'

interface Definition {
  item: {
    label: string
    fields: Record<string, { type: string; label: string; required?: boolean; options?: unknown }>
  }
}

describe('objects', () => {
  let bench: ConsoleBench
  let opened: ConsolePage

  const definition = async (): Promise<Definition['item']> =>
    (await bench.api<Definition>('GET', '/meta/object/customer_visit')).item

  beforeAll(async () => {
    bench = await openBench()
    await bench.api('PUT', '/meta/object/customer', { name: 'customer', fields: { name: { type: 'text' } } })
    await bench.api('POST', '/data/customer', { name: 'Ada Lovelace' })
    opened = await bench.open('/new/blank')
  })
  afterAll(async () => bench?.stop())

  it('makes the API name from the label', async () => {
    const { page } = opened
    await page.getByRole('textbox', { name: 'Label' }).fill('Customer Visit')
    expect(await page.getByRole('textbox', { name: 'API name' }).inputValue()).toBe('customer_visit')
    await page.getByRole('button', { name: 'Create object' }).click()
    await page.getByRole('heading', { name: 'Fields of Customer Visit' }).waitFor()
    expect(Object.keys((await definition()).fields)).toEqual(['name'])
  })

  it('adds fields with choices and links in one save', async () => {
    const { page } = opened
    await page.getByRole('button', { name: 'Add field' }).click()
    const dialog = page.getByRole('dialog', { name: 'New field' })
    const pick = async (type: string): Promise<void> => {
      await dialog.getByRole('button', { name: 'Change type' }).click()
      await dialog.getByRole('combobox', { name: 'Type' }).fill(type)
      await dialog.getByRole('combobox', { name: 'Type' }).press('Enter')
    }
    await dialog.getByRole('textbox', { name: 'Label of the field' }).fill('Mood')
    await pick('one of several choices')
    await dialog.getByRole('textbox', { name: 'Add several at once' }).fill('Good\nVery bad')
    await dialog.getByRole('button', { name: 'Add these' }).click()
    await dialog.getByRole('button', { name: 'Add and continue' }).click()
    await dialog.getByRole('textbox', { name: 'Label of the field' }).fill('Customer')
    await pick('link to a record')
    await dialog.getByRole('combobox', { name: 'Links to' }).selectOption('customer')
    await dialog.getByRole('button', { name: 'Add field' }).click()
    await page.getByText('2 unsaved changes').waitFor()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Customer Visit saved').waitFor()
    const { fields } = await definition()
    expect(Object.keys(fields)).toEqual(['name', 'mood', 'customer'])
    expect(fields.mood?.options).toMatchObject([{ value: 'Good' }, { value: 'very_bad', label: 'Very bad' }])
  })

  it('adds a record with a chosen option and a linked record', async () => {
    const { page } = opened
    await page.getByRole('link', { name: 'Open records' }).click()
    await page.getByText('No records yet').waitFor()
    await page.getByRole('button', { name: 'New record' }).last().click()
    const dialog = page.getByRole('dialog', { name: 'New record in Customer Visit' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('First visit')
    await dialog.getByRole('option', { name: 'Very bad' }).click()
    await dialog.getByRole('combobox', { name: 'Customer' }).fill('ada')
    await dialog.getByRole('option', { name: 'Ada Lovelace' }).click()
    await dialog.getByRole('button', { name: 'Add record' }).click()
    await page.getByRole('gridcell', { name: 'Ada Lovelace' }).waitFor()
    expect(await page.getByRole('gridcell', { name: 'Very bad' }).isVisible()).toBe(true)
  })

  it('moves and renames fields without touching their names', async () => {
    const { page } = opened
    await page.getByRole('button', { name: 'More tools' }).click()
    await page.getByRole('menuitem', { name: 'Edit fields' }).click()
    await page.getByRole('textbox', { name: 'Label of name' }).fill('Title')
    await page.getByRole('textbox', { name: 'Label of name' }).press('Alt+ArrowDown')
    await page.getByRole('button', { name: 'Save changes' }).click()
    // The message of the save before may still be there.
    await page.getByText(/unsaved change/).waitFor({ state: 'detached' })
    await expect.poll(async () => Object.keys((await definition()).fields)).toEqual(['mood', 'name', 'customer'])
    expect((await definition()).fields.name?.label).toBe('Title')
  })

  it('shows what a deletion destroys and waits for a yes', async () => {
    const { page } = opened
    await page.getByRole('button', { name: 'Delete field Mood' }).click()
    await page.getByRole('button', { name: 'Save changes' }).click()
    const dialog = page.getByRole('dialog', { name: 'This change destroys data' })
    await dialog.getByText('Deletes the field Mood with its 1 value.').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(Object.keys((await definition()).fields)).toContain('mood')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await dialog.getByRole('button', { name: 'Save and destroy' }).click()
    await expect.poll(async () => Object.keys((await definition()).fields)).toEqual(['name', 'customer'])
  })

  it('keeps the draft when the object was changed elsewhere, and saves nothing over it', async () => {
    const { page } = opened
    await page.getByRole('textbox', { name: 'Label', exact: true }).fill('Visit')
    const item = await definition()
    const other = { ...item, name: 'customer_visit', description: 'changed elsewhere' }
    await bench.api('PUT', '/meta/object/customer_visit', { type: 'object', name: 'customer_visit', item: other })
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('The object was changed elsewhere.').waitFor()
    expect(await page.getByRole('textbox', { name: 'Label', exact: true }).inputValue()).toBe('Visit')
    expect((await definition()).label).toBe('Customer Visit')
    await page.getByRole('button', { name: 'Load the new version' }).click()
    expect(await page.getByRole('textbox', { name: 'Label', exact: true }).inputValue()).toBe('Customer Visit')
  })

  it('deletes the object once its name was typed', async () => {
    const { page } = opened
    await page.getByRole('button', { name: 'Delete object' }).click()
    const dialog = page.getByRole('dialog')
    const confirm = dialog.getByRole('button', { name: 'Delete object' })
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByRole('textbox', { name: 'Type customer_visit to confirm' }).fill('customer_visit')
    await confirm.click()
    await page.getByRole('heading', { level: 1, name: 'Objects' }).waitFor()
    await page.getByText('Customer Visit deleted').waitFor()
    const { items } = await bench.api<{ items: { name: string }[] }>('GET', '/meta/object')
    expect(items.map((entry) => entry.name)).toEqual(['customer'])
    expect(opened.errors.filter((line) => !line.includes('409'))).toEqual([])
  })
})
