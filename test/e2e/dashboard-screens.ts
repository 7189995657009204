// The part of the register of screens about dashboards.
import { dialog, heading, refuse } from './screen.ts'
import type { Screen } from './screen.ts'

/** Screens of dashboards. */
export const dashboardScreens: readonly Screen[] = [
  {
    name: 'dashboards',
    covers: '/dashboards',
    workspace: 'seeded',
    state: 'full',
    route: '/dashboards',
    reach: async (page) => page.getByRole('link', { name: 'Hiring overview' }).last().waitFor(),
  },
  {
    name: 'dashboard',
    covers: '/dashboards/:name/:part?',
    workspace: 'seeded',
    state: 'full',
    route: '/dashboards/reading',
    reach: async (page) => {
      await heading(page, 'Reading')
      await page.locator('svg.recharts-surface').nth(4).waitFor()
      await page.getByText('Figures of today').waitFor()
      await page.getByRole('region', { name: 'Long books' }).getByRole('list').waitFor()
    },
  },
  {
    name: 'dashboard-tables',
    covers: '/dashboards/:name/:part?',
    workspace: 'seeded',
    state: 'full',
    route: '/dashboards/genres?range=bought.this_year&f=genre.eq.novel',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Show Books by genre as a table' }).click()
      await page.getByRole('link', { name: 'Show the records of Novel', exact: true }).waitFor()
    },
  },
  {
    name: 'dashboard-empty',
    covers: '/dashboards/:name/:part?',
    workspace: 'seeded',
    state: 'empty',
    route: '/dashboards/blank',
    reach: async (page) => page.getByText('No tiles yet').waitFor(),
  },
  {
    name: 'dashboard-failed',
    covers: '/dashboards/:name/:part?',
    workspace: 'seeded',
    state: 'error',
    route: '/',
    reach: async (page) => {
      await refuse(page, '**/api/v1/analytics/query', 'internal_error', 500)
      await page.evaluate(() => {
        window.location.hash = '/dashboards/reading'
      })
      await page.getByText('Cairn failed to do this.').first().waitFor()
    },
    expectedErrors: ['500'],
  },
  {
    name: 'dashboard-unknown',
    covers: '/dashboards/:name/:part?',
    workspace: 'seeded',
    state: 'error',
    route: '/dashboards/nothing_here',
    reach: async (page) => heading(page, 'There is no dashboard with this name'),
    expectedErrors: ['404'],
  },
  {
    name: 'dashboard-editor',
    covers: '/dashboards/:name/:part?',
    workspace: 'seeded',
    state: 'full',
    route: '/dashboards/reading/edit',
    reach: async (page) => {
      await heading(page, 'Edit Reading')
      await page.getByRole('button', { name: 'Books by genre', exact: true }).click()
      await page.getByRole('combobox', { name: 'Group by' }).waitFor()
      await page.locator('svg.recharts-surface').nth(4).waitFor()
    },
  },
  {
    name: 'dashboard-editor-filter',
    covers: '/dashboards/:name/:part?',
    workspace: 'seeded',
    state: 'dialog',
    route: '/dashboards/genres/edit',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Paid for novels', exact: true }).click()
      await page.getByRole('button', { name: /^Filter/ }).click()
      await dialog(page, 'Filter of the tile')
    },
  },
  {
    name: 'dashboards-none',
    covers: '/dashboards',
    workspace: 'fresh',
    state: 'empty',
    route: '/dashboards',
    reach: async (page) => page.getByText('No dashboards yet').waitFor(),
  },
]
