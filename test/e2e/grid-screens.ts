// The states of what is done with columns, with ticked records and with steps: menus, panels, the list of steps.
import { dialog } from './screen.ts'
import type { Screen } from './screen.ts'

const records = { covers: '/o/:name', workspace: 'seeded', state: 'dialog', scrollsSideways: true } as const

/** Screens of the grid's menus and panels. */
export const gridScreens: readonly Screen[] = [
  {
    ...records,
    name: 'records-column-menu',
    route: '/o/book',
    reach: async (page) => {
      await page.getByRole('columnheader', { name: 'Genre' }).click({ button: 'right' })
      await page.getByRole('menu', { name: 'Menu of column Genre' }).waitFor()
    },
  },
  {
    ...records,
    name: 'records-frozen-high',
    state: 'full',
    route: '/o/book?z=2&h=56&s=-pages',
    reach: async (page) => page.getByRole('columnheader', { name: 'Genre' }).waitFor(),
  },
  {
    ...records,
    name: 'records-sort',
    route: '/o/book?s=genre,-pages',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Sorted by 2 fields' }).click()
      await dialog(page, 'Sort records')
    },
  },
  {
    ...records,
    name: 'records-sort-none',
    route: '/o/book',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Sort', exact: true }).click()
      await dialog(page, 'Sort records')
    },
  },
  {
    ...records,
    name: 'records-row-height',
    route: '/o/book?h=36',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Row height' }).click()
      await page.getByRole('radio', { name: 'High' }).waitFor()
    },
  },
  {
    ...records,
    name: 'records-bulk-edit',
    route: '/o/book',
    reach: async (page) => {
      await page.getByRole('checkbox', { name: 'Select row 1', exact: true }).check()
      await page.getByRole('checkbox', { name: 'Select row 2', exact: true }).check()
      await page.getByRole('button', { name: 'Edit 2 records…' }).click()
      await dialog(page, 'Edit 2 records')
    },
  },
  {
    ...records,
    name: 'records-find',
    route: '/o/book',
    reach: async (page) => {
      await page.keyboard.press('ControlOrMeta+Shift+F')
      await page.getByRole('textbox', { name: 'Find in view' }).fill('Book 12')
      await page.keyboard.press('Enter')
      await page.getByRole('search').getByText('Row 12').waitFor()
    },
  },
  {
    ...records,
    name: 'records-retype',
    route: '/o/book',
    reach: async (page) => {
      await page.getByRole('columnheader', { name: 'Pages' }).click({ button: 'right' })
      await page.getByRole('menuitem', { name: 'Change type…' }).click()
      await dialog(page, 'Field Pages')
    },
  },
  {
    ...records,
    name: 'undo-list',
    route: '/o/note',
    reach: async (page, bench) => {
      // What an attempt in a tab that was too slow left behind.
      const left = await bench.api<{ records: { id: string }[] }>('GET', '/data/note')
      for (const { id } of left.records) await bench.api('DELETE', `/data/note/${id}?purge=true`)
      for (const title of ['Undone', 'Done']) {
        await page.getByRole('button', { name: 'New record', exact: true }).first().click()
        await page.getByRole('dialog').getByRole('textbox', { name: 'Title' }).fill(title)
        await page.keyboard.press('ControlOrMeta+Enter')
        await page.getByRole('dialog').waitFor({ state: 'hidden' })
      }
      await page.getByText('2 records', { exact: true }).waitFor()
      await page.getByRole('heading', { level: 1 }).focus()
      // Both are taken back: other screens are of an object without records.
      for (const count of ['1 record', '0 records']) {
        await page.keyboard.press('ControlOrMeta+Z')
        await page.getByText(count, { exact: true }).waitFor()
      }
      await page.getByRole('button', { name: 'List of steps' }).click()
      await dialog(page, 'Steps that can be undone')
      await page.getByRole('button', { name: 'Redo up to here: new record' }).first().waitFor()
    },
  },
]
