// The screens of objects and of the designer, as entries of the register of screens.
import { dialog, heading, refuse } from './screen.ts'
import type { Screen } from './screen.ts'

/** Every state of them. */
export const objectScreens: readonly Screen[] = [
  {
    name: 'objects-none',
    covers: '/objects',
    state: 'empty',
    route: '/objects',
    workspace: 'fresh',
    reach: async (page) => page.getByText('No objects yet').waitFor(),
  },
  {
    name: 'objects',
    covers: '/objects',
    state: 'full',
    route: '/objects',
    workspace: 'seeded',
    reach: async (page) => {
      await heading(page, 'Objects')
      await page.getByRole('table').getByText('240').waitFor()
    },
  },
  {
    name: 'object-editor',
    covers: '/objects/:name',
    state: 'full',
    route: '/objects/book',
    workspace: 'seeded',
    reach: async (page) => {
      await heading(page, 'Fields of Books')
      await page.getByRole('button', { name: 'Delete field Pages' }).click()
      await page.getByText('1 unsaved change').waitFor()
    },
  },
  {
    name: 'object-plan',
    covers: '/objects/:name',
    state: 'dialog',
    route: '/objects/book',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Delete field Pages' }).click()
      await page.getByRole('button', { name: 'Save changes' }).click()
      await dialog(page, 'This change destroys data')
    },
  },
  {
    name: 'object-field-new',
    covers: '/objects/:name',
    state: 'dialog',
    route: '/objects/book',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Add field' }).click()
      await dialog(page, 'New field')
      await page.getByRole('button', { name: 'Change type' }).click()
      await page.getByRole('option', { name: /^Rating/ }).waitFor()
    },
  },
  {
    name: 'object-field-choices',
    covers: '/objects/:name',
    state: 'dialog',
    route: '/objects/book',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Edit field Genre' }).click()
      await dialog(page, 'Field Genre')
    },
  },
  {
    name: 'object-formula-wrong',
    covers: '/objects/:name',
    state: 'error',
    route: '/objects/book',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Add field' }).click()
      await page.getByRole('textbox', { name: 'Label of the field' }).fill('Price with tax')
      await page.getByRole('button', { name: 'Change type' }).click()
      await page.getByRole('combobox', { name: 'Type' }).fill('formula')
      await page.getByRole('combobox', { name: 'Type' }).press('Enter')
      await page.getByRole('textbox', { name: 'Formula' }).fill('record.prise * 1.19')
      await page.getByText('The object has no field "prise".').waitFor()
    },
  },
  {
    name: 'object-conversion',
    covers: '/objects/:name',
    state: 'full',
    route: '/objects/book',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Edit field Title' }).click()
      await page.getByRole('button', { name: 'Change type' }).click()
      await page.getByRole('combobox', { name: 'Type' }).fill('whole or decimal')
      await page.getByRole('combobox', { name: 'Type' }).press('Enter')
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('table', { name: /Values of Title/ }).waitFor()
      await page.getByRole('table', { name: /Values of Title/ }).scrollIntoViewIfNeeded()
    },
  },
  {
    name: 'object-relations',
    covers: '/objects/:name',
    state: 'full',
    route: '/objects/film',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('tab', { name: 'Relations' }).click()
      await page.getByRole('img', { name: /^Diagram of the relations of/ }).waitFor()
    },
  },
  {
    name: 'object-relations-none',
    covers: '/objects/:name',
    state: 'empty',
    route: '/objects/bare',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('tab', { name: 'Relations' }).click()
      await page.getByText('No links yet.', { exact: false }).waitFor()
    },
  },
  {
    name: 'object-views-part',
    covers: '/objects/:name',
    state: 'full',
    route: '/objects/film',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('tab', { name: 'Views' }).click()
      await page.getByText('The stored views of this object.', { exact: false }).waitFor()
    },
  },
  {
    name: 'object-rights-part',
    covers: '/objects/:name',
    state: 'full',
    route: '/objects/book',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('tab', { name: 'Permissions' }).click()
      await page.getByRole('region', { name: /^Rights for/ }).waitFor()
    },
  },
  {
    name: 'object-translations',
    covers: '/objects/:name',
    state: 'full',
    route: '/objects/book',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('tab', { name: 'Translations' }).click()
      await page.getByRole('textbox', { name: /^Title in / }).waitFor()
    },
  },
  {
    name: 'object-preview-failed',
    covers: '/objects/:name',
    state: 'error',
    route: '/objects/note',
    workspace: 'seeded',
    expectedErrors: ['500'],
    reach: async (page) => {
      await refuse(page, /\/data\/note\?/, 'internal_error', 500)
      await page.reload()
      await page.getByText('The records for the preview could not be read.', { exact: false }).waitFor()
    },
  },
  {
    name: 'object-rules-none',
    covers: '/objects/:name',
    state: 'empty',
    route: '/objects/book',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('tab', { name: 'Rules' }).click()
      await page.getByText('No rules yet.').waitFor()
    },
  },
  {
    name: 'object-rule-steps',
    covers: '/objects/:name',
    state: 'dialog',
    route: '/objects/book',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('tab', { name: 'Rules' }).click()
      await page.getByRole('button', { name: 'Add rule' }).click()
      await page.getByRole('combobox', { name: 'Kind of rule' }).selectOption('state_machine')
      await page.getByRole('combobox', { name: 'Field' }).selectOption('genre')
      await page.getByRole('checkbox', { name: 'From Novel to Poetry' }).check()
    },
  },
  {
    name: 'object-settings',
    covers: '/objects/:name',
    state: 'full',
    route: '/objects/book',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('tab', { name: 'Settings' }).click()
      await page.getByRole('textbox', { name: 'Description' }).waitFor()
    },
  },
  {
    name: 'object-backups',
    covers: '/objects/:name',
    state: 'full',
    route: '/objects/every',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('tab', { name: 'Backups' }).click()
      await page.getByRole('button', { name: 'Restore: Deleted field gone' }).waitFor()
    },
  },
  {
    name: 'object-backups-none',
    covers: '/objects/:name',
    state: 'empty',
    route: '/objects/note',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('tab', { name: 'Backups' }).click()
      await page.getByText('No backups.').waitFor()
    },
  },
  {
    name: 'records-every-type',
    covers: '/o/:name',
    state: 'full',
    route: '/o/every',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('gridcell', { name: 'All of them' }).waitFor()
    },
    scrollsSideways: true,
  },
  {
    name: 'records-new-every-type',
    covers: '/o/:name',
    state: 'dialog',
    route: '/o/every',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('gridcell', { name: 'All of them' }).waitFor()
      await page.getByRole('button', { name: 'New record', exact: true }).first().click()
      await dialog(page, 'New record in Every type')
      await page.getByRole('slider', { name: 'Rating' }).press('4')
      await page.getByRole('button', { name: 'Add row' }).click()
    },
    scrollsSideways: true,
  },
  {
    name: 'object-delete',
    covers: '/objects/:name',
    state: 'dialog',
    route: '/objects/book',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Delete object' }).click()
      await dialog(page, 'Delete Books?')
    },
  },
  {
    name: 'object-unknown',
    covers: '/objects/:name',
    state: 'error',
    route: '/objects/nothing',
    workspace: 'seeded',
    reach: async (page) => page.getByText('It no longer exists.').waitFor(),
    expectedErrors: ['404'],
  },
]
