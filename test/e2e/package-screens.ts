// The part of the register of screens about packages and files.
import { dialog, heading, refuse } from './screen.ts'
import type { Screen } from './screen.ts'

const packages = { covers: '/packages/:part?/:id?', workspace: 'seeded' } as const
const files = { covers: '/files', workspace: 'seeded' } as const

/** Screens of packages and of files. */
export const packageScreens: readonly Screen[] = [
  {
    ...packages,
    name: 'packages',
    state: 'full',
    route: '/packages',
    reach: async (page) => page.getByRole('list', { name: 'They come with Cairn' }).waitFor(),
  },
  {
    ...packages,
    name: 'package-preview',
    state: 'dialog',
    route: '/packages/gallery/app.cairn.crm',
    reach: async (page) => {
      await dialog(page, 'CRM 1.0.0')
      await page.getByText('What it may do').waitFor()
    },
  },
  {
    ...packages,
    name: 'package-installed',
    state: 'full',
    route: '/packages/installed/app.cairn.hiring',
    reach: async (page) => page.getByRole('heading', { level: 2, name: 'Hiring' }).waitFor(),
  },
  {
    ...packages,
    name: 'package-uninstall',
    state: 'dialog',
    route: '/packages/installed/app.cairn.hiring',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Uninstall' }).click()
      await dialog(page, 'Uninstall Hiring?')
    },
  },
  {
    ...packages,
    name: 'packages-none',
    workspace: 'fresh',
    state: 'empty',
    route: '/packages/installed',
    reach: async (page) => page.getByText('Nothing is installed').waitFor(),
  },
  {
    ...packages,
    name: 'packages-failed',
    state: 'error',
    route: '/',
    reach: async (page) => {
      await refuse(page, '**/api/v1/packages/available', 'internal_error', 500)
      await page.evaluate(() => {
        window.location.hash = '/packages'
      })
      await page.getByText('Cairn failed to do this.').waitFor()
    },
    expectedErrors: ['500'],
  },
  {
    ...files,
    name: 'files',
    state: 'full',
    route: '/files',
    reach: async (page) => page.getByRole('button', { name: 'Look at notes.txt' }).waitFor(),
  },
  {
    ...files,
    name: 'file-preview',
    state: 'dialog',
    route: '/files',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Look at notes.txt' }).click()
      await page.getByText('Words of a file').waitFor()
    },
  },
  {
    ...files,
    name: 'files-none',
    workspace: 'fresh',
    state: 'empty',
    route: '/files',
    reach: async (page) => page.getByText('No files yet').waitFor(),
  },
  {
    ...files,
    name: 'files-failed',
    state: 'error',
    route: '/',
    reach: async (page) => {
      await refuse(page, '**/api/v1/storage/files?**', 'internal_error', 500)
      await page.evaluate(() => {
        window.location.hash = '/files'
      })
      await heading(page, 'Files')
      await page.getByText('Cairn failed to do this.').waitFor()
    },
    expectedErrors: ['500'],
  },
]
