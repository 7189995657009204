// The part of the register of screens about search, trash, backups and settings.
import type { Page } from 'playwright-core'
import { dialog, heading, refuse } from './screen.ts'
import type { Screen } from './screen.ts'
import type { ConsoleBench } from './open-console.ts'

const goTo = async (page: Page, hash: string): Promise<void> =>
  page.evaluate((to) => {
    window.location.hash = to
  }, hash)

/** A record in the trash; what was deleted before stays there. */
async function fillTrash(bench: ConsoleBench): Promise<void> {
  const { id } = await bench.api<{ id: string }>('POST', '/data/note', { title: 'An old remark' })
  await bench.api('DELETE', `/data/note/${id}`)
}

/** Screens around the data. */
export const programScreens: readonly Screen[] = [
  {
    name: 'trash',
    covers: '/trash/:object?',
    workspace: 'seeded',
    state: 'full',
    route: '/',
    reach: async (page, bench) => {
      await fillTrash(bench)
      await goTo(page, '/trash')
      await heading(page, 'Trash')
      await page.getByRole('rowheader', { name: 'An old remark' }).first().waitFor()
    },
  },
  {
    name: 'trash-empty',
    covers: '/trash/:object?',
    workspace: 'fresh',
    state: 'empty',
    route: '/trash',
    reach: async (page) => page.getByText('The trash is empty').waitFor(),
  },
  {
    name: 'trash-failed',
    covers: '/trash/:object?',
    workspace: 'seeded',
    state: 'error',
    route: '/',
    reach: async (page) => {
      await refuse(page, '**/api/v1/trash', 'internal_error', 500)
      await goTo(page, '/trash')
      await page.getByText('Cairn failed to do this.').waitFor()
    },
    expectedErrors: ['500'],
  },
  {
    name: 'backups',
    covers: '/backups',
    workspace: 'seeded',
    state: 'full',
    route: '/backups',
    reach: async (page) => {
      await heading(page, 'Backups')
      await page.getByRole('button', { name: 'Back up now' }).click()
      await page
        .getByRole('button', { name: /^Restore the backup of/ })
        .first()
        .waitFor()
    },
  },
  {
    name: 'backups-none',
    covers: '/backups',
    workspace: 'fresh',
    state: 'empty',
    route: '/backups',
    reach: async (page) => page.getByText('No backup yet').waitFor(),
  },
  {
    name: 'backups-failed',
    covers: '/backups',
    workspace: 'seeded',
    state: 'error',
    route: '/',
    reach: async (page) => {
      await refuse(page, '**/api/v1/backups', 'internal_error', 500)
      await goTo(page, '/backups')
      await page.getByText('Cairn failed to do this.').waitFor()
    },
    expectedErrors: ['500'],
  },
  {
    name: 'backup-restore',
    covers: '/backups',
    workspace: 'seeded',
    state: 'dialog',
    route: '/',
    reach: async (page, bench) => {
      await bench.api('POST', '/backups', {})
      await bench.api('POST', '/data/note', { title: 'Later than the backup' })
      await goTo(page, '/backups')
      await page
        .getByRole('button', { name: /^Restore the backup of/ })
        .first()
        .click()
      await dialog(page, /^Restore the backup of/)
      await page.getByRole('rowheader', { name: 'Notes' }).waitFor()
    },
  },
  {
    name: 'settings',
    covers: '/settings/:part?',
    workspace: 'seeded',
    state: 'full',
    route: '/settings',
    reach: async (page) => page.getByRole('textbox', { name: 'Time zone' }).waitFor(),
  },
  {
    name: 'settings-no-match',
    covers: '/settings/:part?',
    workspace: 'seeded',
    state: 'empty',
    route: '/settings?find=elephants',
    reach: async (page) => page.getByText('No setting matches “elephants”').waitFor(),
  },
  {
    name: 'settings-failed',
    covers: '/settings/:part?',
    workspace: 'seeded',
    state: 'error',
    route: '/',
    reach: async (page) => {
      await refuse(page, '**/api/v1/settings', 'internal_error', 500)
      await goTo(page, '/settings')
      await page.getByText('Cairn failed to do this.').waitFor()
    },
    expectedErrors: ['500'],
  },
  {
    name: 'settings-storage',
    covers: '/settings/:part?',
    workspace: 'seeded',
    state: 'full',
    route: '/settings/storage',
    reach: async (page) => page.getByRole('rowheader', { name: 'Books' }).waitFor(),
  },
  {
    name: 'settings-hub-failed',
    covers: '/settings/:part?',
    workspace: 'seeded',
    state: 'error',
    route: '/',
    reach: async (page) => {
      await leadHub(page)
      await refuse(page, '**/api/v1/hub', 'service_unavailable', 503)
      await page.reload()
      await goTo(page, '/settings/hub')
      await page.getByRole('alert').waitFor()
    },
    expectedErrors: ['503'],
  },
  {
    name: 'settings-about',
    covers: '/settings/:part?',
    workspace: 'seeded',
    state: 'full',
    route: '/settings/about',
    reach: async (page) => page.getByText('react-dom').first().waitFor(),
  },
  {
    name: 'search',
    covers: '/search',
    workspace: 'seeded',
    state: 'full',
    route: '/search?q=longer+remark',
    reach: async (page) => page.getByRole('list', { name: 'Results' }).waitFor(),
  },
  {
    name: 'search-start',
    covers: '/search',
    workspace: 'seeded',
    state: 'empty',
    route: '/search',
    reach: async (page) => page.getByRole('searchbox', { name: 'Words in records' }).waitFor(),
  },
  {
    name: 'search-none',
    covers: '/search',
    workspace: 'seeded',
    state: 'empty',
    route: '/search?q=elephants',
    reach: async (page) => page.getByText('No record has all of “elephants”').waitFor(),
  },
  {
    name: 'search-failed',
    covers: '/search',
    workspace: 'seeded',
    state: 'error',
    route: '/',
    reach: async (page) => {
      await refuse(page, '**/api/v1/search?**', 'internal_error', 500)
      await goTo(page, '/search?q=book')
      await page.getByText('Cairn failed to do this.').waitFor()
    },
    expectedErrors: ['500'],
  },
  {
    name: 'palette-records',
    covers: '/',
    workspace: 'seeded',
    state: 'dialog',
    route: '/',
    reach: async (page) => {
      await page.keyboard.press('ControlOrMeta+K')
      await page.getByRole('combobox', { name: 'Search records, objects, commands and settings' }).fill('book')
      await page.getByRole('option', { name: 'Search everything for “book”' }).waitFor({ state: 'attached' })
      await page
        .getByRole('option', { name: /^Book 1/ })
        .first()
        .waitFor({ state: 'attached' })
    },
  },
]

/** As a host says that leads a hub. The part with its machines is looked at over real ones (hub.long.test.ts). */
export async function leadHub(page: Page): Promise<void> {
  await page.route('**/api/v1', async (route) => {
    const answer = await route.fetch()
    const manifest = (await answer.json()) as { features: Record<string, boolean> }
    await route.fulfill({ response: answer, json: { ...manifest, features: { ...manifest.features, hub: true } } })
  })
}
