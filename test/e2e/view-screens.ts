// The states of the kinds of view: kanban, calendar, gallery, chart and form, full, empty and failing.
import type { Page } from 'playwright-core'
import { dialog, heading, refuse } from './screen.ts'
import type { Screen } from './screen.ts'

const records = { covers: '/o/:name', workspace: 'seeded' } as const

/** Opens an address whose requests fail. */
async function failing(page: Page, route: string): Promise<void> {
  await refuse(page, /api.v1.(data.film[?]|analytics.query)/, 'timeout', 504)
  await page.evaluate((to) => {
    window.location.hash = to
  }, route)
  await page.getByRole('button', { name: 'Try again' }).waitFor()
}

const failed = (name: string, view: string): Screen => ({
  ...records,
  name,
  state: 'error',
  route: '/',
  reach: async (page) => failing(page, `/o/film?v=film.${view}`),
  expectedErrors: ['504'],
})

/** Screens of views that are no grid, and of their tabs. */
export const viewScreens: readonly Screen[] = [
  {
    ...records,
    name: 'view-tabs-menu',
    state: 'dialog',
    route: '/o/film?v=film.by_status',
    reach: async (page) => {
      await page.getByRole('button', { name: 'What to do with the view By status' }).click()
      await page.getByRole('menuitem', { name: 'Duplicate view' }).waitFor()
    },
  },
  {
    ...records,
    name: 'view-new',
    state: 'dialog',
    route: '/o/film',
    reach: async (page) => {
      await page.getByRole('button', { name: 'New view' }).click()
      await page.getByRole('menuitem', { name: 'Calendar' }).click()
      await dialog(page, 'New view: Calendar')
    },
    scrollsSideways: true,
  },
  {
    ...records,
    name: 'kanban',
    state: 'full',
    route: '/o/film?v=film.by_status',
    reach: async (page) => {
      await page.getByRole('region', { name: 'Proposed, 10 records' }).waitFor()
      await page.getByRole('button', { name: 'Film 1', exact: true }).waitFor()
    },
    scrollsSideways: true,
  },
  {
    ...records,
    name: 'kanban-by-link',
    state: 'full',
    route: '/o/film?v=film.by_status&o=groupByField.distributor',
    reach: async (page) => {
      await page.getByRole('region', { name: /^Blue Lumen, / }).waitFor()
      await page.getByRole('button', { name: 'Film 1', exact: true }).waitFor()
    },
    scrollsSideways: true,
  },
  {
    ...records,
    name: 'kanban-move',
    state: 'dialog',
    route: '/o/film?v=film.by_status',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Film 1', exact: true }).focus()
      await page.keyboard.press('m')
      await page.getByRole('menuitem', { name: 'Running' }).waitFor()
    },
    scrollsSideways: true,
  },
  {
    ...records,
    name: 'kanban-adding',
    state: 'full',
    route: '/o/film?v=film.by_status',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Fold No value' }).click()
      await page.getByRole('button', { name: 'Add record to Confirmed' }).click()
      await page.getByRole('textbox', { name: 'Title of the new record' }).waitFor()
    },
    scrollsSideways: true,
  },
  {
    ...records,
    name: 'kanban-empty',
    state: 'empty',
    route: '/o/film?v=film.by_status&q=zzzzzz',
    reach: async (page) => page.getByText('0 records found').waitFor(),
    scrollsSideways: true,
  },
  failed('kanban-failed', 'by_status'),
  {
    ...records,
    name: 'calendar-month',
    state: 'full',
    route: '/o/film?v=film.release&d=2026-03-18',
    reach: async (page) => page.getByRole('button', { name: /^Film 1, Mar 1, 2026/ }).waitFor(),
  },
  {
    ...records,
    name: 'calendar-undated',
    state: 'full',
    route: '/o/film?v=film.release&d=2026-03-18',
    reach: async (page) => {
      await page.getByRole('button', { name: 'No date: 8' }).click()
      await page.getByRole('button', { name: 'Set the date of Film 5', exact: true }).waitFor()
    },
  },
  {
    ...records,
    name: 'calendar-week',
    state: 'full',
    route: '/o/film?v=film.release&d=2026-03-18&o=startDateField.first_day,endDateField.last_day,mode.week',
    reach: async (page) => page.getByRole('heading', { name: /Mar 15 . 21, 2026/ }).waitFor(),
  },
  {
    ...records,
    name: 'calendar-day',
    state: 'full',
    route: '/o/film?v=film.release&d=2026-03-15&o=startDateField.first_day,endDateField.last_day,mode.day',
    reach: async (page) => page.getByRole('heading', { name: 'Sunday, March 15, 2026' }).waitFor(),
  },
  {
    ...records,
    name: 'calendar-agenda',
    state: 'full',
    route:
      '/o/film?v=film.release&d=2026-03-18&o=startDateField.first_day,endDateField.last_day,colorField.status,mode.agenda',
    reach: async (page) => page.getByRole('heading', { name: 'Sunday, March 1', exact: true }).waitFor(),
  },
  {
    ...records,
    name: 'calendar-dates',
    state: 'dialog',
    route: '/o/film?v=film.release&d=2026-03-18',
    reach: async (page) => {
      await page.getByRole('button', { name: /^Film 1, Mar 1, 2026/ }).focus()
      await page.keyboard.press('m')
      await dialog(page, 'Dates of Film 1')
    },
  },
  {
    ...records,
    name: 'calendar-empty',
    state: 'empty',
    route: '/o/film?v=film.release&d=1999-05-05&o=startDateField.first_day,mode.agenda',
    reach: async (page) => page.getByText('Nothing from May 1, 1999 to May 31, 1999.').waitFor(),
  },
  failed('calendar-failed', 'release'),
  {
    ...records,
    name: 'gallery',
    state: 'full',
    route: '/o/film?v=film.posters',
    reach: async (page) => page.getByRole('button', { name: 'Film 1', exact: true }).waitFor(),
  },
  {
    ...records,
    name: 'gallery-empty',
    state: 'empty',
    route: '/o/film?v=film.posters&q=zzzzzz',
    reach: async (page) => page.getByText('Nothing matches').waitFor(),
  },
  failed('gallery-failed', 'posters'),
  {
    ...records,
    name: 'chart',
    state: 'full',
    route: '/o/film?v=film.takings',
    reach: async (page) => {
      await page.getByRole('row', { name: /Running/ }).waitFor()
      await page.locator('svg.recharts-surface').waitFor()
    },
  },
  {
    ...records,
    name: 'chart-empty',
    state: 'empty',
    route: '/o/film?v=film.takings&f=title.eq.zzzzzz',
    reach: async (page) => page.getByText('Nothing to group: there are no records here.').waitFor(),
  },
  failed('chart-failed', 'takings'),
  {
    ...records,
    name: 'form',
    state: 'full',
    route: '/o/film?v=film.propose',
    reach: async (page) => page.getByRole('button', { name: 'Send proposal' }).waitFor(),
  },
  {
    ...records,
    name: 'form-settings',
    state: 'dialog',
    route: '/o/film?v=film.propose',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Edit form' }).click()
      await page.getByRole('button', { name: 'Name and help of Genre' }).click()
      await page.getByRole('textbox', { name: 'Help for Genre' }).waitFor()
    },
  },
  {
    ...records,
    name: 'form-refused',
    state: 'error',
    route: '/o/film?v=film.propose',
    reach: async (page) => {
      await page.getByRole('textbox', { name: 'First day' }).first().fill('soon')
      await page.getByRole('button', { name: 'Send proposal' }).click()
      await page.locator('[data-field="title"] p').filter({ hasText: /\w/ }).waitFor()
    },
  },
  {
    name: 'form-page',
    covers: '/o/:name/form/:view',
    state: 'full',
    workspace: 'seeded',
    route: '/o/film/form/film.propose',
    reach: async (page) => heading(page, 'Propose a film'),
  },
  {
    name: 'form-page-missing',
    covers: '/o/:name/form/:view',
    state: 'empty',
    workspace: 'seeded',
    route: '/o/film/form/film.nothing',
    reach: async (page) => heading(page, 'There is no such form'),
  },
]
