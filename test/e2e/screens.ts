// The register of screens: every route in every state it has, and how a test brings it there. The runner checks each in
// both schemes. Knows the words on the screens; knows no checks.
import type { Page } from 'playwright-core'
import writeXlsx from 'write-excel-file/node'
import { paste } from './open-console.ts'
import type { ConsoleBench } from './open-console.ts'

/** One screen in one state. */
export interface Screen {
  /** Unique, kebab-case; names the screenshot. */
  name: string
  /** The route pattern of the application it covers. */
  covers: string
  state: 'empty' | 'full' | 'loading' | 'error' | 'offline' | 'dialog' | 'signed-out'
  /** Address to open; absent for a page without a session. */
  route?: string
  /** Which workspace it needs: one without objects, or the seeded one. */
  workspace: 'fresh' | 'seeded'
  /** Brings the page into the state and resolves when it is there. */
  reach(page: Page, bench: ConsoleBench): Promise<void>
  /** Failed requests that belong to the state, as parts of console lines. */
  expectedErrors?: readonly string[]
  /** Scrolls sideways on purpose: the grid. */
  scrollsSideways?: boolean
}

const table = 'Name,Country,Founded\nAda,England,1815\nGrace,USA,1906\nAlan,England,1912\n'
const refusedTable = 'Title,Pages\nShort,12\nLong,many\nNone,x\n'

const heading = async (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('heading', { level: 1, name }).waitFor()
const dialog = async (page: Page, name: string | RegExp): Promise<void> => page.getByRole('dialog', { name }).waitFor()

/** Makes the requests to a part of the API fail like a host that is not there. */
async function cut(page: Page, path: string): Promise<void> {
  await page.route(path, async (route) => route.abort('connectionrefused'))
}

/** Makes the requests to a part of the API answer with an error of the protocol. */
async function refuse(page: Page, path: string, code: string, httpStatus: number): Promise<void> {
  const error = {
    code,
    message: 'The server failed to handle the request.',
    httpStatus,
    category: 'server',
    retryable: false,
    details: {},
    requestId: '0197b2f0-0000-7000-8000-000000000000',
  }
  await page.route(path, async (route) => route.fulfill({ status: httpStatus, json: { success: false, error } }))
}

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
      await page.getByRole('button', { name: 'Sign in' }).click()
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
    reach: async (page) => heading(page, 'New table'),
  },
  {
    name: 'new-table-preview',
    covers: '/new',
    state: 'full',
    route: '/new',
    workspace: 'seeded',
    reach: async (page) => {
      await heading(page, 'New table')
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
      await heading(page, 'New table')
      await paste(page, table)
      await page.getByRole('button', { name: /^Create with/ }).click()
      await page.getByText('Give the table a name.').waitFor()
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
      await page.getByRole('button', { name: 'Add condition' }).click()
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.getByText('Enter a value.').waitFor()
    },
  },
  {
    name: 'records-views',
    covers: '/o/:name',
    state: 'dialog',
    route: '/o/book',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('button', { name: 'View: All records' }).click()
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
      await page.getByRole('button', { name: 'View: All records' }).click()
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
      await page.getByRole('button', { name: 'New record' }).first().click()
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
      await page.getByRole('combobox', { name: 'Type a command' }).fill('o')
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
