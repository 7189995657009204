// The part of the register of screens about the API page and the assistant.
import type { Page } from 'playwright-core'
import { dialog, heading, refuse } from './screen.ts'
import type { Screen } from './screen.ts'

const api = { covers: '/api/:part?/:object?', workspace: 'seeded' } as const
const assistant = { covers: '/assistant/:part?', workspace: 'seeded' } as const

const ask = async (page: Page, question: string): Promise<void> => {
  await page.getByRole('textbox', { name: 'Question' }).fill(question)
  await page.getByRole('button', { name: 'Ask', exact: true }).click()
}

const lead = async (page: Page, hash: string): Promise<void> =>
  page.evaluate((to) => {
    window.location.hash = to
  }, hash)

/** Screens of the API page and the assistant. */
export const apiScreens: readonly Screen[] = [
  {
    ...api,
    name: 'api',
    state: 'full',
    route: '/api/requests/book?f=pages.gte.400&s=-pages',
    reach: async (page) => {
      await heading(page, 'API')
      await page.getByText('Records where Pages').waitFor()
      await page.getByRole('button', { name: 'Run' }).click()
      await page.getByText(/^Answered in/).waitFor()
    },
  },
  {
    ...api,
    name: 'api-none',
    workspace: 'fresh',
    state: 'empty',
    route: '/api',
    reach: async (page) => page.getByText('There is nothing to ask for yet').waitFor(),
  },
  {
    ...api,
    name: 'api-reference',
    state: 'full',
    route: '/api/reference/book?op=createRecord',
    reach: async (page) => page.getByRole('button', { name: 'Send POST' }).waitFor(),
  },
  {
    ...api,
    name: 'api-failed',
    state: 'error',
    route: '/',
    reach: async (page) => {
      await refuse(page, '**/api/v1/openapi.json', 'internal_error', 500)
      await lead(page, '/api/reference/book')
      await page.getByText('Cairn failed to do this.').waitFor()
    },
    expectedErrors: ['500'],
  },
  {
    ...api,
    name: 'api-loading',
    state: 'loading',
    route: '/',
    reach: async (page) => {
      await page.route('**/api/v1/openapi.json', async () => new Promise(() => undefined))
      await lead(page, '/api/reference/book')
      await page.getByRole('status').getByText('Loading').waitFor()
    },
  },
  {
    ...api,
    name: 'api-graphql',
    state: 'full',
    route: '/api/graphql',
    reach: async (page) => {
      await page.getByRole('button', { name: /^bookList / }).waitFor()
      await page.getByRole('textbox', { name: 'Query' }).fill('{ bookList(top: 2) { records { title } } }')
      await page.getByRole('button', { name: 'Run' }).click()
      await page.getByText(/^Answered in/).waitFor()
    },
  },
  {
    ...api,
    name: 'assistants-none',
    workspace: 'fresh',
    state: 'empty',
    route: '/api/assistants',
    reach: async (page) => page.getByText('No connections yet').waitFor(),
  },
  {
    ...api,
    name: 'assistants-new',
    state: 'dialog',
    route: '/api/assistants',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Connect an assistant' }).click()
      await dialog(page, 'Connect an assistant')
      await page.getByRole('button', { name: 'Connect', exact: true }).click()
      await page.getByText('Give the connection a name.').waitFor()
    },
  },
  {
    name: 'records-suggestions',
    covers: '/o/:name',
    state: 'dialog',
    route: '/o/book',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('button', { name: 'New record', exact: true }).first().click()
      await dialog(page, 'New record in Book')
      await page.getByRole('checkbox', { name: 'Read' }).click()
      await page.keyboard.press('ControlOrMeta+.')
      await page.getByText(/^\d+ suggestions?\./).waitFor()
    },
    scrollsSideways: true,
  },
  {
    ...assistant,
    name: 'assistant',
    state: 'empty',
    route: '/assistant',
    reach: async (page) => {
      await heading(page, 'Assistant')
      await page.getByText('Answered on this machine').waitFor()
    },
  },
  {
    ...assistant,
    name: 'assistant-answer',
    state: 'full',
    route: '/assistant',
    reach: async (page) => {
      await ask(page, 'books with genre Novel and pages over 500')
      await page.getByRole('button', { name: 'Run' }).click()
      await page.getByRole('region', { name: 'Result' }).waitFor()
    },
  },
  {
    ...assistant,
    name: 'assistant-not-understood',
    state: 'error',
    route: '/assistant',
    reach: async (page) => {
      await ask(page, 'xyzzy plugh')
      await page.getByText('This was not understood').waitFor()
    },
    expectedErrors: ['422', '400'],
  },
  {
    ...assistant,
    name: 'assistant-chat',
    state: 'full',
    route: '/assistant/chat',
    reach: async (page) => {
      await page.getByRole('textbox', { name: 'Message' }).fill('books with genre Poetry')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByText('From:').waitFor()
    },
  },
]
