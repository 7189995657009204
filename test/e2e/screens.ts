// The register of screens: every route in every state it has, and how a test brings it there. The runner checks each in
// both schemes. Knows the words on the screens; knows no checks.
import { accessScreens } from './access-screens.ts'
import { activityScreens } from './activity-screens.ts'
import { apiScreens } from './api-screens.ts'
import { automationScreens } from './automation-screens.ts'
import { importScreens } from './import-screens.ts'
import { dashboardScreens } from './dashboard-screens.ts'
import { objectScreens } from './object-screens.ts'
import { organizationScreens } from './organization-screens.ts'
import { paste } from './open-console.ts'
import { gridScreens } from './grid-screens.ts'
import { groupScreens } from './group-screens.ts'
import { packageScreens } from './package-screens.ts'
import { programScreens } from './program-screens.ts'
import { cut, dialog, heading, refuse } from './screen.ts'
import type { Screen } from './screen.ts'
import { syncScreens } from './sync-screens.ts'
import { viewScreens } from './view-screens.ts'
import { webhookScreens } from './webhook-screens.ts'
import { workflowScreens } from './workflow-screens.ts'

const table = 'Name,Country,Founded\nAda,England,1815\nGrace,USA,1906\nAlan,England,1912\n'

/** Every screen. A route of the application without an entry here fails the test of the register. */
export const screens: readonly Screen[] = [
  {
    name: 'sign-in',
    covers: 'session',
    state: 'signed-out',
    workspace: 'fresh',
    reach: async (page) => heading(page, 'Sign in to Cairn'),
    expectedErrors: ['401'],
  },
  {
    name: 'sign-in-refused',
    covers: 'session',
    state: 'error',
    workspace: 'fresh',
    reach: async (page) => {
      await page.getByRole('textbox', { name: 'Link or code' }).fill('http://127.0.0.1/_console/#not-a-valid-code')
      await page.getByRole('button', { name: 'Use the link' }).click()
      await page.getByText('This code is used, expired or wrong.').waitFor()
    },
    expectedErrors: ['401'],
  },
  {
    name: 'offline-at-start',
    covers: 'session',
    state: 'offline',
    workspace: 'fresh',
    reach: async (page) => {
      await cut(page, '**/api/v1/**')
      await page.reload()
      await heading(page, 'Cairn does not answer')
    },
    expectedErrors: ['401', 'ERR_CONNECTION_REFUSED'],
  },
  {
    name: 'welcome',
    covers: '/',
    state: 'empty',
    route: '/',
    workspace: 'fresh',
    reach: async (page) => heading(page, 'What do you want to keep track of?'),
  },
  {
    name: 'welcome-no-table',
    covers: '/',
    state: 'error',
    route: '/',
    workspace: 'fresh',
    reach: async (page) => {
      await heading(page, 'What do you want to keep track of?')
      await paste(page, '[1, 2')
      await page.getByText('This JSON cannot be read as a table').waitFor()
    },
  },
  {
    name: 'home',
    covers: '/',
    state: 'full',
    route: '/',
    workspace: 'seeded',
    reach: async (page) => {
      await heading(page, 'Home')
      await page.getByText('240 records').waitFor()
    },
  },
  {
    name: 'new-table',
    covers: '/new',
    state: 'empty',
    route: '/new',
    workspace: 'seeded',
    reach: async (page) => heading(page, 'New object'),
  },
  {
    name: 'new-table-preview',
    covers: '/new',
    state: 'full',
    route: '/new',
    workspace: 'seeded',
    reach: async (page) => {
      await heading(page, 'New object')
      await paste(page, table)
      await heading(page, 'Check the columns')
    },
  },
  {
    name: 'new-table-nameless',
    covers: '/new',
    state: 'error',
    route: '/new',
    workspace: 'seeded',
    reach: async (page) => {
      await heading(page, 'New object')
      await paste(page, table)
      await page.getByRole('button', { name: /^Create with/ }).click()
      await page.getByText('Give the object a name.').waitFor()
    },
  },
  {
    name: 'blank-object',
    covers: '/new/blank',
    state: 'empty',
    route: '/new/blank',
    workspace: 'seeded',
    reach: async (page) => heading(page, 'New object'),
  },
  {
    name: 'blank-object-taken',
    covers: '/new/blank',
    state: 'error',
    route: '/new/blank',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('textbox', { name: 'Label' }).fill('Book')
      await page.getByRole('button', { name: 'Create object' }).click()
      await page.getByText('There already is an object with this name.').waitFor()
    },
  },
  ...objectScreens,
  {
    name: 'conflicts-off',
    covers: '/sync/conflicts',
    state: 'empty',
    route: '/sync/conflicts',
    workspace: 'seeded',
    reach: async (page) => {
      await heading(page, 'Conflicts')
      await page.getByText('Sync is off on this device').waitFor()
    },
  },
  {
    name: 'records',
    covers: '/o/:name',
    state: 'full',
    route: '/o/book',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('gridcell', { name: 'Book 1', exact: true }).waitFor()
      await page.getByText('240 records').waitFor()
    },
    scrollsSideways: true,
  },
  {
    name: 'records-none',
    covers: '/o/:name',
    state: 'empty',
    route: '/o/note',
    workspace: 'seeded',
    reach: async (page) => page.getByText('No records yet').waitFor(),
    scrollsSideways: true,
  },
  {
    name: 'records-no-match',
    covers: '/o/:name',
    state: 'empty',
    route: '/o/book?q=zzzzzz',
    workspace: 'seeded',
    reach: async (page) => page.getByText('Nothing matches').waitFor(),
    scrollsSideways: true,
  },
  {
    name: 'records-no-fields',
    covers: '/o/:name',
    state: 'empty',
    route: '/o/bare',
    workspace: 'seeded',
    reach: async (page) => page.getByText('This object has no fields yet').waitFor(),
  },
  {
    name: 'records-unknown',
    covers: '/o/:name',
    state: 'error',
    route: '/o/nothing',
    workspace: 'seeded',
    reach: async (page) => heading(page, 'There is no object with this name'),
    expectedErrors: ['404'],
  },
  {
    name: 'records-failed',
    covers: '/o/:name',
    state: 'error',
    route: '/',
    workspace: 'seeded',
    reach: async (page) => {
      await refuse(page, '**/api/v1/data/book?**', 'internal_error', 500)
      await page.evaluate(() => {
        window.location.hash = '/o/book'
      })
      await page.getByText('Cairn failed to do this.').waitFor()
    },
    expectedErrors: ['500'],
  },
  {
    name: 'records-loading',
    covers: '/o/:name',
    state: 'loading',
    route: '/',
    workspace: 'seeded',
    reach: async (page) => {
      await page.route('**/api/v1/data/book?**', async () => new Promise(() => undefined))
      await page.evaluate(() => {
        window.location.hash = '/o/book'
      })
      await page.getByRole('grid').waitFor()
      await page.waitForTimeout(400)
    },
    scrollsSideways: true,
  },
  {
    name: 'records-offline',
    covers: '/o/:name',
    state: 'offline',
    route: '/o/book',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('gridcell', { name: 'Book 1', exact: true }).waitFor()
      await cut(page, '**/api/v1/**')
      await cut(page, '**/healthz')
      await page.getByRole('searchbox').fill('9')
      await page.getByText('Cairn does not answer. What you see').waitFor()
    },
    expectedErrors: ['ERR_CONNECTION_REFUSED'],
    scrollsSideways: true,
  },
  {
    name: 'records-ticked',
    covers: '/o/:name',
    state: 'full',
    route: '/o/book',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('gridcell', { name: 'Book 1', exact: true }).hover()
      await page.getByRole('checkbox', { name: 'Select row 1', exact: true }).click()
      await page.getByRole('button', { name: 'Delete 1 record' }).waitFor()
    },
    scrollsSideways: true,
  },
  {
    name: 'records-editing',
    covers: '/o/:name',
    state: 'dialog',
    route: '/o/book',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('gridcell', { name: 'Book 1', exact: true }).dblclick()
      await page.getByRole('textbox', { name: /Title, row 1/ }).waitFor()
    },
    scrollsSideways: true,
  },
  {
    name: 'records-filter',
    covers: '/o/:name',
    state: 'dialog',
    route: '/o/book',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Filter' }).click()
      await dialog(page, 'Filter records')
      await page.getByRole('combobox', { name: 'Field' }).selectOption('pages')
      await page.getByRole('combobox', { name: 'Condition' }).selectOption('between')
    },
    scrollsSideways: true,
  },
  {
    name: 'records-filters',
    covers: '/o/:name',
    state: 'dialog',
    route: '/o/book',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Filter' }).click()
      await dialog(page, 'Filter records')
      await page.getByRole('button', { name: 'Add group' }).click()
      await page.getByRole('group', { name: 'Group 1' }).getByRole('button', { name: 'Add group' }).click()
      await page.getByRole('group', { name: 'Group 2' }).getByRole('button', { name: 'Add condition' }).click()
      await page.getByRole('group', { name: 'Condition 2' }).getByLabel('Field').selectOption('Genre')
      await page.getByRole('group', { name: 'Condition 3' }).getByLabel('Field').selectOption('Bought')
      await page.getByText('Not in force yet: a value is missing.').first().waitFor()
    },
    scrollsSideways: true,
  },
  {
    name: 'records-views',
    covers: '/o/:name',
    state: 'dialog',
    route: '/o/book',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('button', { name: 'What to do with the view All records' }).click()
      await page.getByRole('menuitem', { name: 'Save as new view…' }).waitFor()
    },
  },
  {
    name: 'records-view-name',
    covers: '/o/:name',
    state: 'dialog',
    route: '/o/book',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('button', { name: 'What to do with the view All records' }).click()
      await page.getByRole('menuitem', { name: 'Save as new view…' }).click()
      await dialog(page, 'Save view')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Give the view a name.').waitFor()
    },
  },
  {
    name: 'records-columns',
    covers: '/o/:name',
    state: 'dialog',
    route: '/o/book',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Columns' }).click()
      await page.getByRole('checkbox', { name: 'Website' }).waitFor()
    },
  },
  {
    name: 'records-summary',
    covers: '/o/:name',
    state: 'full',
    route: '/o/book',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Summary' }).click()
      await page.locator('svg.recharts-surface').waitFor()
    },
    scrollsSideways: true,
  },
  {
    name: 'records-summary-failed',
    covers: '/o/:name',
    state: 'error',
    route: '/o/book',
    workspace: 'seeded',
    reach: async (page) => {
      await refuse(page, '**/api/v1/analytics/query', 'timeout', 504)
      await page.getByRole('button', { name: 'Summary' }).click()
      await page.getByRole('region', { name: 'Summary of Books' }).getByRole('alert').waitFor()
    },
    expectedErrors: ['504'],
  },
  {
    name: 'records-new',
    covers: '/o/:name',
    state: 'dialog',
    route: '/o/book',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('button', { name: 'New record', exact: true }).first().click()
      await dialog(page, 'New record in Book')
      await page.getByRole('textbox', { name: 'Pages' }).fill('many')
      await page.keyboard.press('ControlOrMeta+Enter')
      await page.getByText('is not a', { exact: false }).first().waitFor()
    },
    scrollsSideways: true,
  },
  {
    name: 'records-conflict',
    covers: '/o/:name',
    state: 'dialog',
    route: '/o/book?s=title',
    workspace: 'seeded',
    reach: async (page, bench) => {
      const { records } = await bench.api<{ records: { id: string }[] }>('GET', '/data/book?title=Book 7')
      await page.getByRole('searchbox').fill('"Book 7"')
      await page.getByText('1 record found').waitFor()
      await page.getByRole('gridcell', { name: /^Book 7/ }).dblclick()
      await page.keyboard.type(' mine')
      await bench.api('PATCH', `/data/book/${records[0]?.id}`, { title: `Book 7 theirs ${Date.now()}` })
      await page.keyboard.press('Enter')
      await dialog(page, 'This value was changed elsewhere')
      await bench.api('PATCH', `/data/book/${records[0]?.id}`, { title: 'Book 7' })
    },
    expectedErrors: ['409'],
    scrollsSideways: true,
  },
  ...gridScreens,
  ...groupScreens,
  ...viewScreens,
  ...importScreens,
  ...accessScreens,
  ...activityScreens,
  ...organizationScreens,
  ...syncScreens,
  ...packageScreens,
  ...programScreens,
  ...dashboardScreens,
  ...webhookScreens,
  ...workflowScreens,
  ...automationScreens,
  ...apiScreens,
  {
    name: 'navigation-folded',
    covers: 'frame',
    state: 'full',
    route: '/objects',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Hide navigation' }).click()
      await page.getByRole('button', { name: 'Show navigation' }).waitFor()
      await page.getByRole('link', { name: 'Books', exact: true }).first().waitFor()
    },
  },
  {
    name: 'navigation-drawer',
    covers: 'frame',
    state: 'full',
    route: '/objects',
    workspace: 'seeded',
    reach: async (page) => {
      await page.setViewportSize({ width: 600, height: 800 })
      await page.getByRole('button', { name: 'Show navigation' }).click()
      await page.getByRole('navigation', { name: 'Main navigation' }).waitFor()
    },
  },
  {
    name: 'palette',
    covers: 'frame',
    state: 'dialog',
    route: '/',
    workspace: 'seeded',
    reach: async (page) => {
      await heading(page, 'Home')
      await page.keyboard.press('ControlOrMeta+K')
      await page.getByRole('combobox', { name: 'Search records' }).fill('o')
      await page.getByRole('option').first().waitFor()
    },
  },
  {
    name: 'shortcuts',
    covers: 'frame',
    state: 'dialog',
    route: '/',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
      await dialog(page, 'Keyboard shortcuts')
    },
  },
  {
    name: 'not-found',
    covers: '*',
    state: 'error',
    route: '/nowhere/at/all',
    workspace: 'seeded',
    reach: async (page) => heading(page, 'There is nothing here'),
  },
]
