// The part of the register of screens about flows, runs and schedules.
import type { Page } from 'playwright-core'
import type { ConsoleBench } from './open-console.ts'
import { dialog, heading, refuse } from './screen.ts'
import type { Screen } from './screen.ts'

const list = { covers: '/automation/:part?', workspace: 'seeded' } as const
const flow = { covers: '/automation/flow/:name/:part?', workspace: 'seeded' } as const
const run = { covers: '/automation/flow/:name/runs/:id', workspace: 'seeded' } as const

async function go(page: Page, route: string): Promise<void> {
  await page.evaluate((hash) => {
    window.location.hash = hash
  }, route)
}

/** Starts a flow and opens its run. */
async function openRun(page: Page, bench: ConsoleBench, name: string): Promise<void> {
  const body = { object: 'note', params: {} }
  const { data } = await bench.api<{ data: { runId: string } }>('POST', `/automation/${name}/trigger?async=true`, body)
  await go(page, `/automation/flow/${name}/runs/${data.runId}`)
}

/** Screens of automation. */
export const automationScreens: readonly Screen[] = [
  {
    ...list,
    name: 'flows',
    state: 'full',
    route: '/automation',
    reach: async (page) => page.getByRole('switch', { name: 'On: Check new books' }).waitFor(),
  },
  {
    ...list,
    name: 'flows-none',
    workspace: 'fresh',
    state: 'empty',
    route: '/automation',
    reach: async (page) => page.getByText('No flows yet').waitFor(),
  },
  {
    ...list,
    name: 'flows-failed',
    state: 'error',
    route: '/',
    reach: async (page) => {
      await refuse(page, /\/api\/automation\?/, 'internal_error', 500)
      await go(page, '/automation')
      await page.getByText('Cairn failed to do this.').waitFor()
    },
    expectedErrors: ['500'],
  },
  {
    ...list,
    name: 'flows-loading',
    state: 'loading',
    route: '/',
    reach: async (page) => {
      await page.route(/\/api\/automation\?/, async () => new Promise(() => undefined))
      await go(page, '/automation')
      await page.getByRole('status').getByText('Loading').waitFor()
    },
  },
  {
    ...list,
    name: 'schedules',
    state: 'full',
    route: '/automation/schedules',
    reach: async (page) => page.getByText('every day at 09:00').waitFor(),
  },
  {
    ...list,
    name: 'schedules-none',
    workspace: 'fresh',
    state: 'empty',
    route: '/automation/schedules',
    reach: async (page) => page.getByText('No schedules yet').waitFor(),
  },
  {
    ...flow,
    name: 'flow-design',
    state: 'full',
    route: '/automation/flow/check_books/design',
    reach: async (page) => {
      await page.getByRole('button', { name: /^Work out hours/ }).click()
      await page.getByRole('textbox', { name: 'Expression' }).waitFor()
    },
  },
  {
    ...flow,
    name: 'flow-canvas',
    state: 'full',
    route: '/automation/flow/summary/design',
    reach: async (page) => {
      await page.getByRole('button', { name: /^Tell desk/ }).click()
      await page.getByText('Variables and failures').click()
      await page.getByRole('textbox', { name: 'Name of variable 1' }).waitFor()
    },
  },
  {
    ...flow,
    name: 'flow-outline',
    state: 'full',
    route: '/automation/flow/summary/design',
    reach: async (page) => {
      const outline = page.getByRole('button', { name: 'Show the outline' })
      // A narrow window begins with it.
      await outline
        .or(page.getByRole('heading', { name: 'Outline' }))
        .first()
        .waitFor()
      if (await outline.isVisible()) await outline.click()
      await page.getByRole('button', { name: /^Divide/ }).click()
      await page.getByText('Failures and name').click()
      await page.getByRole('combobox', { name: 'When a step fails' }).last().selectOption('retry')
      await page.getByRole('textbox', { name: 'Expression' }).press('Control+ ')
      await page.getByRole('listbox', { name: 'Names that fit' }).waitFor()
    },
  },
  {
    ...run,
    name: 'run-drawing',
    state: 'full',
    route: '/automation',
    reach: async (page, bench) => {
      await openRun(page, bench, 'summary')
      await page.getByText('The flow, and how its steps went').click()
      await page.getByRole('group', { name: 'The flow, and how its steps went' }).getByText('Failed').first().waitFor()
    },
  },
  {
    ...flow,
    name: 'flow-runs-none',
    state: 'empty',
    route: '/automation/flow/idea',
    reach: async (page) => page.getByText('No runs yet').waitFor(),
  },
  {
    ...flow,
    name: 'flow-start',
    state: 'dialog',
    route: '/automation/flow/ask_reason',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Run…' }).click()
      await dialog(page, 'Run Ask for a reason')
    },
  },
  {
    ...flow,
    name: 'flow-unknown',
    state: 'error',
    route: '/automation/flow/nothing',
    reach: async (page) => {
      await heading(page, 'Automations')
      await page.getByRole('button', { name: 'Try again' }).waitFor()
    },
    expectedErrors: ['404'],
  },
  {
    ...list,
    name: 'flow-new',
    state: 'dialog',
    route: '/automation',
    reach: async (page) => {
      await page.getByRole('button', { name: 'New flow' }).click()
      await dialog(page, 'New flow')
      await page.getByRole('button', { name: 'Create flow' }).click()
      await page.getByText('Give the flow a label.').waitFor()
    },
  },
  {
    ...flow,
    name: 'flow-design-refused',
    state: 'error',
    route: '/automation/flow/check_books/design',
    reach: async (page) => {
      await page.getByRole('button', { name: /^Store hours/ }).click()
      await page.getByRole('textbox', { name: 'ID', exact: true }).fill('')
      await page.getByRole('button', { name: 'Add way' }).click()
      await page.getByRole('combobox', { name: 'Way 2 is taken' }).selectOption('conditional')
      await page.getByRole('textbox', { name: 'Condition of way 2' }).fill('record.pages >')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText(/keep the flow from running/).waitFor()
    },
    expectedErrors: ['400'],
  },
  {
    ...flow,
    name: 'flow-design-failed',
    state: 'error',
    route: '/',
    reach: async (page) => {
      await refuse(page, '**/api/automation/actions?**', 'internal_error', 500)
      await go(page, '/automation/flow/check_books/design')
      await page.getByText('Cairn failed to do this.').waitFor()
    },
    expectedErrors: ['500'],
  },
  {
    ...run,
    name: 'run-failed',
    state: 'full',
    route: '/automation',
    reach: async (page, bench) => {
      await openRun(page, bench, 'check_books')
      await page.getByText('The run failed').waitFor()
      await page.getByRole('region', { name: 'Steps' }).locator('summary').first().click()
    },
  },
  {
    ...run,
    name: 'run-form',
    state: 'dialog',
    route: '/automation',
    reach: async (page, bench) => {
      await openRun(page, bench, 'ask_reason')
      await page.getByRole('button', { name: 'Go on…' }).click()
      await page.getByRole('textbox', { name: 'Why?' }).waitFor()
    },
  },
  {
    ...run,
    name: 'run-waits',
    state: 'dialog',
    route: '/automation',
    reach: async (page, bench) => {
      await openRun(page, bench, 'wait_signal')
      await page.getByText('It waits for the signal “paid”.').waitFor()
      await page.getByRole('button', { name: 'Go on…' }).click()
      await dialog(page, 'Let the run go on')
    },
  },
  {
    ...run,
    name: 'run-unknown',
    state: 'error',
    route: '/automation/flow/ask_reason/runs/0197b2f0-0000-7000-8000-000000000000',
    reach: async (page) => page.getByRole('button', { name: 'Try again' }).waitFor(),
    expectedErrors: ['404'],
  },
]
