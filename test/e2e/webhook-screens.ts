// The part of the register of screens about webhooks and receivers.
import { dialog, heading, refuse } from './screen.ts'
import type { Screen } from './screen.ts'

const covers = { covers: '/webhooks/:part?/:name?', workspace: 'seeded' } as const

/** Screens of webhooks. */
export const webhookScreens: readonly Screen[] = [
  {
    ...covers,
    name: 'webhook',
    state: 'full',
    route: '/webhooks/out/shop',
    reach: async (page) => {
      await heading(page, 'Webhooks')
      await page.getByText('2 deliveries were given up').waitFor()
      await page.getByRole('cell', { name: 'Given up' }).first().waitFor()
    },
  },
  {
    ...covers,
    name: 'webhooks',
    state: 'full',
    route: '/webhooks',
    reach: async (page) => page.getByText('Choose a webhook to see its deliveries').waitFor({ state: 'attached' }),
  },
  {
    ...covers,
    name: 'webhooks-none',
    workspace: 'fresh',
    state: 'empty',
    route: '/webhooks',
    reach: async (page) => page.getByText('No webhooks yet').waitFor(),
  },
  {
    ...covers,
    name: 'webhooks-failed',
    state: 'error',
    route: '/',
    reach: async (page) => {
      await refuse(page, '**/api/v1/webhooks?**', 'internal_error', 500)
      await page.evaluate(() => {
        window.location.hash = '/webhooks'
      })
      await page.getByText('Cairn failed to do this.').waitFor()
    },
    expectedErrors: ['500'],
  },
  {
    ...covers,
    name: 'webhooks-loading',
    state: 'loading',
    route: '/',
    reach: async (page) => {
      await page.route('**/api/v1/webhooks?**', async () => new Promise(() => undefined))
      await page.evaluate(() => {
        window.location.hash = '/webhooks'
      })
      await page.getByRole('status').getByText('Loading').waitFor()
    },
  },
  {
    ...covers,
    name: 'webhook-edit',
    state: 'dialog',
    route: '/webhooks/out/shop',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Edit' }).click()
      await dialog(page, 'Edit shop')
      await page.getByText('More: headers, body, retries, secret').click()
      await page.getByRole('textbox', { name: 'Own body, as JSON' }).fill('{')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('This is not JSON.', { exact: false }).waitFor()
    },
  },
  {
    ...covers,
    name: 'webhook-delivery',
    state: 'dialog',
    route: '/webhooks/out/shop',
    reach: async (page) => {
      await page
        .getByRole('button', { name: /^Details/ })
        .first()
        .click()
      await dialog(page, /^Delivery of/)
    },
  },
  {
    ...covers,
    name: 'receiver',
    state: 'full',
    route: '/webhooks/in/notes',
    reach: async (page) => page.getByRole('region', { name: 'Try it from a shell' }).waitFor(),
  },
  {
    ...covers,
    name: 'receiver-open',
    state: 'full',
    route: '/webhooks/in/anybody',
    reach: async (page) => page.getByText('Anybody who knows the address may call it').waitFor(),
  },
  {
    ...covers,
    name: 'receivers-none',
    workspace: 'fresh',
    state: 'empty',
    route: '/webhooks/in',
    reach: async (page) => page.getByText('No receivers yet').waitFor(),
  },
  {
    ...covers,
    name: 'receiver-new',
    state: 'dialog',
    route: '/webhooks/in',
    reach: async (page) => {
      await page.getByRole('button', { name: 'New receiver' }).click()
      await dialog(page, 'New receiver')
      await page.getByRole('button', { name: 'Create receiver' }).click()
      await page.getByText('Give it a name.').waitFor()
    },
  },
]
