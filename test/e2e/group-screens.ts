// The states of the grid under group headings and with totals, and of the menu of tools that do not fit.
import { dialog, refuse } from './screen.ts'
import type { Screen } from './screen.ts'

const records = { covers: '/o/:name', workspace: 'seeded' } as const

/** Screens of grouped records. */
export const groupScreens: readonly Screen[] = [
  {
    ...records,
    name: 'records-grouped',
    state: 'full',
    route: '/o/book?g=genre,bought.month&t=pages.sum,price.avg,read.count',
    reach: async (page) => {
      await page.getByRole('rowheader', { name: /^Bought: Jan 2026, 6 rows/ }).waitFor()
      await page.getByRole('gridcell', { name: 'Book 10', exact: true }).waitFor()
      await page.getByRole('gridcell', { name: 'Sum 114,960' }).waitFor()
    },
    scrollsSideways: true,
  },
  {
    ...records,
    name: 'records-grouped-many',
    state: 'full',
    route: '/o/book?g=title&t=pages.max',
    reach: async (page) => page.getByRole('rowheader', { name: /^Title: Book 10, 1 row,/ }).waitFor(),
    scrollsSideways: true,
  },
  {
    ...records,
    name: 'records-grouped-one',
    state: 'full',
    route: '/o/book?g=genre&f=genre.eq.poetry',
    reach: async (page) => {
      await page.getByRole('rowheader', { name: /^Genre: Poetry, 48 rows/ }).waitFor()
      await page.getByRole('gridcell', { name: 'Book 2', exact: true }).waitFor()
    },
    scrollsSideways: true,
  },
  {
    ...records,
    name: 'records-grouped-closed',
    state: 'full',
    route: '/o/book?g=genre,read,bought.quarter&t=pages.min,price.max',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Grouped by Genre, Read, Bought' }).click()
      await page.getByRole('button', { name: 'Close all groups' }).click()
      await page.keyboard.press('Escape')
      await page.getByRole('rowheader', { name: /^Genre: Novel, 48 rows/ }).click()
      await page.getByRole('rowheader', { name: /^Read: Yes, 16 rows/ }).click()
      await page.getByRole('rowheader', { name: /^Bought: Q1 2026/ }).click()
      await page.getByRole('gridcell', { name: 'Book 1', exact: true }).waitFor()
    },
    scrollsSideways: true,
  },
  {
    ...records,
    name: 'records-grouped-none',
    state: 'empty',
    route: '/o/book?g=genre&q=zzzzzz',
    reach: async (page) => page.getByText('Nothing matches').waitFor(),
    scrollsSideways: true,
  },
  {
    ...records,
    name: 'records-grouped-failed',
    state: 'error',
    route: '/',
    reach: async (page) => {
      await refuse(page, '**/api/v1/data/book?*groupBy*', 'timeout', 504)
      await page.evaluate(() => {
        window.location.hash = '/o/book?g=genre'
      })
      await page.getByRole('button', { name: 'Try again' }).waitFor()
    },
    expectedErrors: ['504'],
  },
  {
    ...records,
    name: 'records-grouped-rows-failed',
    state: 'error',
    route: '/',
    reach: async (page) => {
      await refuse(page, /api.v1.data.book[?](?!.*aggregations)/, 'timeout', 504)
      await page.evaluate(() => {
        window.location.hash = '/o/book?g=genre'
      })
      await page.getByText('Part of the records could not be loaded.').waitFor()
    },
    expectedErrors: ['504'],
    scrollsSideways: true,
  },
  {
    ...records,
    name: 'records-group-dialog',
    state: 'dialog',
    route: '/o/book?g=genre&t=pages.sum',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Grouped by Genre' }).click()
      await dialog(page, 'Group and totals')
    },
    scrollsSideways: true,
  },
  {
    ...records,
    name: 'records-more',
    state: 'dialog',
    route: '/o/book',
    reach: async (page) => {
      await page.setViewportSize({ width: 1024, height: 800 })
      await page.getByRole('button', { name: 'More tools' }).click()
      await page.getByRole('menuitem', { name: 'Edit fields' }).waitFor()
    },
    scrollsSideways: true,
  },
]
