// The screens of the import and of the list of imports, as entries of the register of screens.
import type { Page } from 'playwright-core'
import writeXlsx from 'write-excel-file/node'
import { paste } from './open-console.ts'
import { cut, dialog, heading, refuse } from './screen.ts'
import type { Screen } from './screen.ts'

const table = 'Name,Country,Founded\nAda,England,1815\nGrace,USA,1906\nAlan,England,1912\n'
const refusedTable = 'Title,Pages\nShort,12\nLong,many\nNone,x\n'

/** Lets the host seem to hold a large job in a state that passes too quickly to be looked at. */
async function jobLike(page: Page, part: Record<string, unknown>): Promise<void> {
  const jobId = '0197b2f0-0000-7000-8000-000000000000'
  const job = {
    jobId,
    object: 'note',
    status: 'running',
    paused: false,
    total: 120_000,
    processed: 0,
    created: 0,
    updated: 0,
    skipped: 0,
    failed: 0,
    dryRun: false,
    writeMode: 'insert',
    format: 'ndjson',
    fileName: 'notes of the last year.csv',
    createdAt: '2026-03-02T10:20:30.000Z',
    createdBy: 'local-owner',
    startedAt: '2026-03-02T10:20:31.000Z',
    ...part,
  }
  await page.route(`**/data/import/jobs/${jobId}`, async (route) => route.fulfill({ json: job }))
}

/** Every state of them. */
export const importScreens: readonly Screen[] = [
  {
    name: 'import',
    covers: '/o/:name/import',
    state: 'empty',
    route: '/o/book/import',
    workspace: 'seeded',
    reach: async (page) => heading(page, 'Import into Books'),
  },
  {
    name: 'import-mapping',
    covers: '/o/:name/import',
    state: 'full',
    route: '/o/book/import',
    workspace: 'seeded',
    reach: async (page) => {
      await heading(page, 'Import into Books')
      await paste(page, table)
      await page.getByRole('combobox', { name: 'Field for column Name' }).waitFor()
    },
  },
  {
    name: 'import-match',
    covers: '/o/:name/import',
    state: 'full',
    route: '/o/book/import',
    workspace: 'seeded',
    reach: async (page) => {
      await heading(page, 'Import into Books')
      await paste(page, 'Title,Genre,Pages\nBook 1,Novel,12\n')
      await page.getByRole('combobox', { name: 'Records that are there already' }).selectOption('upsert')
      await page.getByRole('checkbox', { name: 'Match records by column Title' }).check()
    },
  },
  {
    name: 'import-sheets',
    covers: '/o/:name/import',
    state: 'full',
    route: '/o/note/import',
    workspace: 'seeded',
    reach: async (page) => {
      await heading(page, 'Import into Notes')
      await page.locator('input[type=file]').setInputFiles({
        name: 'notes.xlsx',
        mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
        buffer: await writeXlsx([
          {
            sheet: 'This year',
            data: [
              [{ value: 'Title' }, { value: 'Pages' }],
              [{ value: 'Short' }, { value: 12 }],
            ],
          },
          { sheet: 'Last year', data: [[{ value: 'Title' }], [{ value: 'Long' }]] },
        ]).toBuffer(),
      })
      await page.getByRole('combobox', { name: 'Sheet' }).waitFor()
    },
  },
  {
    name: 'import-damaged',
    covers: '/o/:name/import',
    state: 'error',
    route: '/o/note/import',
    workspace: 'seeded',
    reach: async (page) => {
      await heading(page, 'Import into Notes')
      const buffer = Buffer.from([0x50, 0x4b, 0x03, 0x04, 1, 2, 3])
      await page.locator('input[type=file]').setInputFiles({ name: 'notes.xlsx', mimeType: '', buffer })
      await page.getByText('This spreadsheet cannot be read').waitFor()
    },
  },
  {
    name: 'import-unsure',
    covers: '/o/:name/import',
    state: 'offline',
    route: '/o/note/import',
    workspace: 'seeded',
    reach: async (page) => {
      await cut(page, '**/data/note/import/jobs?**')
      await heading(page, 'Import into Notes')
      await paste(page, refusedTable)
      await page.getByRole('button', { name: /^Import 3/ }).click()
      await page.getByText('starting it once more finds it').waitFor()
    },
    expectedErrors: ['ERR_CONNECTION_REFUSED'],
  },
  {
    name: 'imports-none',
    covers: '/imports',
    state: 'empty',
    route: '/imports',
    workspace: 'fresh',
    reach: async (page) => page.getByText('No imports yet').waitFor(),
  },
  {
    name: 'imports-unreachable',
    covers: '/imports',
    state: 'error',
    route: '/objects',
    workspace: 'seeded',
    reach: async (page) => {
      await refuse(page, '**/data/import/jobs?**', 'internal_error', 500)
      await page.evaluate(() => {
        window.location.hash = '/imports'
      })
      await page.getByRole('button', { name: 'Try again' }).waitFor()
    },
    expectedErrors: ['500'],
  },
  {
    name: 'import-report',
    covers: '/imports/:jobId',
    state: 'error',
    route: '/o/note/import',
    workspace: 'seeded',
    reach: async (page) => {
      await heading(page, 'Import into Notes')
      await paste(page, refusedTable.replace('Short,12\n', ''))
      await page.getByRole('button', { name: /^Import 2/ }).click()
      await heading(page, 'Import finished: Notes')
      await page.getByRole('cell', { name: 'many' }).waitFor()
    },
  },
  {
    name: 'imports',
    covers: '/imports',
    state: 'full',
    route: '/imports',
    workspace: 'seeded',
    reach: async (page) => {
      await heading(page, 'Imports')
      await page.getByRole('link', { name: 'Pasted table' }).first().waitFor()
    },
  },
  {
    name: 'import-check',
    covers: '/imports/:jobId',
    state: 'full',
    route: '/o/note/import',
    workspace: 'seeded',
    reach: async (page) => {
      await heading(page, 'Import into Notes')
      await paste(page, refusedTable)
      await page.getByRole('button', { name: 'Check first' }).click()
      await heading(page, 'Check finished: Notes')
      await page.getByRole('cell', { name: 'many' }).waitFor()
    },
  },
  {
    name: 'import-running',
    covers: '/imports/:jobId',
    state: 'loading',
    route: '/imports/0197b2f0-0000-7000-8000-000000000000',
    workspace: 'seeded',
    reach: async (page) => {
      await jobLike(page, { status: 'running', processed: 46_200, created: 46_200 })
      await page.reload()
      await heading(page, 'Importing: Notes')
    },
    expectedErrors: ['404'],
  },
  {
    name: 'import-paused',
    covers: '/imports/:jobId',
    state: 'loading',
    route: '/imports/0197b2f0-0000-7000-8000-000000000000',
    workspace: 'seeded',
    reach: async (page) => {
      await jobLike(page, { status: 'pending', paused: true, processed: 46_200, created: 46_200 })
      await page.reload()
      await heading(page, 'Import paused: Notes')
    },
    expectedErrors: ['404'],
  },
  {
    name: 'import-unknown',
    covers: '/imports/:jobId',
    state: 'error',
    route: '/imports/0197b2f0-0000-7000-8000-000000000000',
    workspace: 'seeded',
    reach: async (page) => page.getByText('It no longer exists.').waitFor(),
    expectedErrors: ['404'],
  },
  {
    name: 'import-undo',
    covers: '/imports/:jobId',
    state: 'dialog',
    route: '/imports/0197b2f0-0000-7000-8000-000000000000',
    workspace: 'seeded',
    reach: async (page) => {
      await jobLike(page, { status: 'completed', processed: 120_000, created: 119_000, updated: 1_000 })
      await page.reload()
      await page.getByRole('button', { name: 'Undo import' }).click()
      await dialog(page, 'Undo the import?')
    },
    expectedErrors: ['404'],
  },
  {
    name: 'import-undone',
    covers: '/imports/:jobId',
    state: 'full',
    route: '/o/note/import',
    workspace: 'seeded',
    reach: async (page, bench) => {
      await heading(page, 'Import into Notes')
      await paste(page, 'Title,Pages\nStays,1\nGoes,2\nFails,x\n')
      await page.getByRole('button', { name: /^Import 3/ }).click()
      await heading(page, 'Import finished: Notes')
      const { records } = await bench.api<{ records: { id: string }[] }>('GET', '/data/note?title=Stays')
      await bench.api('PATCH', `/data/note/${records[0]?.id}`, { pages: 40 })
      await page.getByRole('button', { name: 'Undo import' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Undo the import' }).click()
      await heading(page, 'Import undone: Notes')
      await page.getByRole('cell', { name: 'Somebody changed the record since.' }).waitFor()
      // The workspace stays as the other screens expect it.
      await bench.api('DELETE', `/data/note/${records[0]?.id}?purge=true`)
    },
  },
]
