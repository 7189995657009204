// The part of the register of screens about workflows and approvals.
import type { Page } from 'playwright-core'
import type { ConsoleBench } from './open-console.ts'
import { dialog, refuse } from './screen.ts'
import type { Screen } from './screen.ts'

const inbox = { covers: '/approvals/:part?/:id?', workspace: 'seeded' } as const
const record = { covers: '/o/:name/record/:id', workspace: 'seeded', route: '/' } as const

async function go(page: Page, route: string): Promise<void> {
  await page.evaluate((hash) => {
    window.location.hash = hash
  }, route)
}

/** Opens the page of an order. */
async function openOrder(page: Page, bench: ConsoleBench, title: string): Promise<void> {
  const filter = encodeURIComponent(JSON.stringify({ title }))
  const { records } = await bench.api<{ records: { id: string }[] }>('GET', `/data/order?filter=${filter}`)
  await go(page, `/o/order/record/${records[0]!.id}`)
  await page.getByRole('heading', { level: 1, name: title }).waitFor()
}

/** Screens of workflows. */
export const workflowScreens: readonly Screen[] = [
  {
    ...inbox,
    name: 'approval',
    state: 'full',
    route: '/approvals',
    reach: async (page) => {
      await page.getByRole('link', { name: /^Paper/ }).click()
      await page.getByRole('heading', { level: 2, name: 'Paper' }).waitFor()
      await page.getByText('Jan 15, 2027').waitFor()
      await page.getByRole('button', { name: 'Hand on…' }).waitFor()
    },
  },
  {
    ...inbox,
    name: 'approvals-decided',
    state: 'full',
    route: '/approvals/decided',
    reach: async (page) => page.getByRole('link', { name: /^Chairs.*Rejected/ }).waitFor(),
  },
  {
    ...inbox,
    name: 'approvals-none',
    workspace: 'fresh',
    state: 'empty',
    route: '/approvals',
    reach: async (page) => page.getByText('Nothing waits for you').waitFor(),
  },
  {
    ...inbox,
    name: 'approvals-asked-none',
    state: 'empty',
    route: '/approvals/asked',
    reach: async (page) => page.getByText('You have asked for no approval').waitFor(),
  },
  {
    ...inbox,
    name: 'approvals-failed',
    state: 'error',
    route: '/',
    reach: async (page) => {
      await refuse(page, '**/approvals/requests?**', 'internal_error', 500)
      await go(page, '/approvals')
      await page.getByText('Cairn failed to do this.').waitFor()
    },
    expectedErrors: ['500'],
  },
  {
    ...inbox,
    name: 'approvals-loading',
    state: 'loading',
    route: '/',
    reach: async (page) => {
      await page.route('**/approvals/requests?**', async () => new Promise(() => undefined))
      await go(page, '/approvals')
      await page.getByRole('status').getByText('Loading').waitFor()
    },
  },
  {
    ...inbox,
    name: 'approval-unknown',
    state: 'error',
    route: '/approvals/decide/0197b2f0-0000-7000-8000-000000000000',
    reach: async (page) => page.getByText('It no longer exists.').waitFor(),
    expectedErrors: ['404'],
  },
  {
    ...inbox,
    name: 'approval-reject',
    state: 'dialog',
    route: '/approvals',
    reach: async (page) => {
      await page.getByRole('link', { name: /^Paper/ }).click()
      await page.getByRole('button', { name: 'Reject…' }).click()
      await dialog(page, 'Reject?')
      await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click()
      await page.getByText('A rejection needs a reason.').waitFor()
    },
  },
  {
    ...record,
    name: 'record-workflow-waits',
    state: 'full',
    reach: async (page, bench) => {
      await openOrder(page, bench, 'Lamps')
      await page.getByText('Waits for approval: Place order').waitFor()
      await page.getByText('History of the state').click()
    },
  },
  {
    ...record,
    name: 'record-workflow-step',
    state: 'dialog',
    reach: async (page, bench) => {
      await openOrder(page, bench, 'Stamps')
      await page.getByRole('button', { name: 'Place order…' }).click()
      await dialog(page, 'Place order')
    },
  },
  {
    ...record,
    name: 'record-workflow',
    state: 'full',
    reach: async (page, bench) => {
      await openOrder(page, bench, 'Stamps')
      await page.getByRole('button', { name: 'Place order…' }).waitFor()
    },
  },
  {
    ...record,
    name: 'record-workflow-diagram',
    state: 'dialog',
    reach: async (page, bench) => {
      await openOrder(page, bench, 'Stamps')
      await page.getByRole('button', { name: 'Diagram: Ordering' }).click()
      await page.getByRole('dialog').getByRole('cell', { name: 'Checked (now)' }).first().waitFor()
    },
  },
  {
    covers: '/objects/:name',
    workspace: 'seeded',
    route: '/objects/order',
    name: 'object-workflow',
    state: 'full',
    reach: async (page) => {
      await page.getByRole('tab', { name: 'Workflow' }).click()
      await page.getByRole('region', { name: 'Diagram: Ordering' }).waitFor()
    },
  },
  {
    ...record,
    name: 'record-workflow-failed',
    state: 'error',
    reach: async (page, bench) => {
      await refuse(page, '**/workflow/order/*/state**', 'internal_error', 500)
      await openOrder(page, bench, 'Stamps')
      await page.getByRole('alert').getByText('Cairn failed to do this.').waitFor()
    },
    expectedErrors: ['500'],
  },
]
