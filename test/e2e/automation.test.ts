// Flows at work in a real browser: their list and switch, runs as they happen, what is done with one, and schedules.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { look } from './look.ts'
import { openBench } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'
import { putFlows } from './seed-flows.ts'

describe('automation', () => {
  let bench: ConsoleBench
  let opened: ConsolePage

  beforeAll(async () => {
    bench = await openBench()
    const fields = { title: { type: 'text', label: 'Title' }, pages: { type: 'number', label: 'Pages' } }
    const item = { name: 'book', label: 'Book', pluralLabel: 'Books', fields }
    await bench.api('PUT', '/meta/object/book', { type: 'object', name: 'book', item })
    await putFlows(bench, 'book')
    opened = await bench.open('/')
  })
  afterAll(async () => bench?.stop())

  it('lists flows with their state, and switches one off and on', async () => {
    const { page } = opened
    await page.getByRole('link', { name: 'Automations' }).click()
    const row = page.getByRole('row').filter({ hasText: 'Check new books' })
    await row.getByText('Active').waitFor()
    const onOff = page.getByRole('switch', { name: 'On: Check new books' })
    await onOff.focus()
    await page.keyboard.press('Space')
    const switched = async (checked: boolean): Promise<void> => {
      await page.getByRole('switch', { name: 'On: Check new books', checked }).waitFor()
      const { data } = await bench.api<{ data: unknown }>('GET', '/automation/check_books')
      expect(data).toMatchObject({ enabled: checked, active: checked })
    }
    await switched(false)
    await page.keyboard.press('Space')
    await switched(true)
  })

  it('shows a run as it happens, with its steps, what failed in it, and tries it again', async () => {
    const { page } = opened
    await page.getByRole('link', { name: 'Check new books' }).click()
    await page.getByText('No runs yet').waitFor()
    await bench.api('POST', '/data/book', { title: 'Emma', pages: 7 })
    await page.getByRole('link', { name: /by a record: book.*Failed/ }).click()
    await page.getByText('The run failed').waitFor()
    const steps = page.getByRole('region', { name: 'Steps' }).getByRole('listitem')
    await steps.nth(2).waitFor()
    expect(await steps.count()).toBe(3)
    await steps.nth(1).locator('summary').click()
    await page.getByRole('region', { name: 'Output of Work out hours' }).getByText('21').waitFor()
    await page.getByRole('button', { name: 'Again from here: Start' }).click()
    await page.getByText('Attempt', { exact: true }).waitFor()
    await page.getByRole('combobox', { name: 'Show runs' }).selectOption('completed')
    await page.getByText('The run failed').waitFor()
    await page.getByRole('link', { name: /by a record: book/ }).waitFor({ state: 'detached' })
  })

  it('starts a flow by hand with a record, fills in its form, and shows what came of it', async () => {
    const { page } = opened
    await page.getByRole('link', { name: 'All automations' }).click()
    await page.getByRole('link', { name: 'Ask for a reason' }).click()
    await page.getByRole('button', { name: 'Run…' }).click()
    const start = page.getByRole('dialog', { name: 'Run Ask for a reason' })
    await start.getByRole('combobox', { name: 'Try it on a record of' }).selectOption('book')
    await start.getByRole('combobox', { name: 'Record', exact: true }).selectOption({ label: 'Emma' })
    await start.getByRole('textbox', { name: 'Parameters, as JSON' }).fill('{')
    await page.keyboard.press('Tab')
    await start.getByRole('button', { name: 'Run' }).click()
    await start.getByText('This is not JSON', { exact: false }).waitFor()
    await start.getByRole('textbox', { name: 'Parameters, as JSON' }).fill('')
    await start.getByRole('button', { name: 'Run' }).click()
    await page.getByText('It waits for somebody to fill in a form.').waitFor()
    await page.getByRole('button', { name: 'Go on…' }).click()
    const form = page.getByRole('dialog', { name: 'Let the run go on' })
    await form.getByRole('button', { name: 'Send it' }).click()
    await form.getByText('A value is required.').first().waitFor()
    await form.getByRole('textbox', { name: 'Why?' }).fill('It is long')
    await page.keyboard.press('Enter')
    await page.getByRole('status').getByText('Done').waitFor()
    await page.getByText('What it was given, and what it gave back').click()
    const output = await page.getByRole('region', { name: 'Output', exact: true }).innerText()
    expect(JSON.parse(output)).toEqual({ answer: 'It is long: Emma' })
    await look(page, 'run-done')
  })

  it('cancels a run that waits', async () => {
    const { page } = opened
    const { data } = await bench.api<{ data: { runId: string } }>(
      'POST',
      '/automation/wait_signal/trigger?waitMs=3000',
      {},
    )
    await page.goto(`${bench.host.url}/_console/#/automation/flow/wait_signal/runs/${data.runId}`)
    await page.getByText('It waits for the signal “paid”.').waitFor()
    await page.getByRole('button', { name: 'Cancel run…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click()
    await page.getByRole('status').getByText('Cancelled').waitFor()
    const { data: run } = await bench.api<{ data: unknown }>('GET', `/automation/wait_signal/runs/${data.runId}`)
    expect(run).toMatchObject({ status: 'cancelled' })
  })

  it('lists schedules with their next times in words, and pauses one', async () => {
    const { page } = opened
    await page.getByRole('link', { name: 'All automations' }).click()
    await page.getByRole('tab', { name: 'Schedules' }).click()
    await page.getByText('every day at 09:00').waitFor()
    await page.getByText('0 9 * * *, Europe/Berlin').waitFor()
    await page.getByText(/^(in \d+ (hours?|minutes?)|tomorrow), \w{3}, .* 09:00$/).waitFor()
    await page.getByRole('button', { name: 'Pause: Nightly' }).click()
    await page.getByText('not while it is paused or off').waitFor()
    const { data } = await bench.api<{ data: unknown }>('GET', '/automation/schedules')
    expect(data).toMatchObject({ schedules: [{ flowName: 'nightly', status: 'paused', nextRunAt: null }] })
    await page.getByRole('button', { name: 'Resume: Nightly' }).click()
    await page.getByText('every day at 09:00').waitFor()
  })

  it('makes a flow by keyboard, shows what is wrong beside its step, and runs it once that is right', async () => {
    const { page } = opened
    await page.getByRole('tab', { name: 'Flows' }).click()
    await page.getByRole('button', { name: 'New flow' }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Label' }).fill('Sequels')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Show the outline' }).click()
    await page.getByRole('heading', { level: 2, name: 'Outline' }).waitFor()
    const outline = page.getByRole('region', { name: 'Outline' })
    const step = page.getByRole('region', { name: /^(Start|Log|Create a record|End)$/ })
    await step.getByRole('combobox', { name: 'Object' }).selectOption('book')
    await step.getByRole('checkbox', { name: 'update' }).check()
    await outline.getByRole('combobox', { name: 'Next step' }).selectOption('log')
    await outline.getByRole('button', { name: 'Add after Start' }).press('Enter')
    await outline.getByRole('combobox', { name: 'Next step' }).selectOption('create_record')
    await outline.getByRole('button', { name: 'Add after Log' }).press('Enter')
    /** Labels of the steps, one after the other; the buttons that move one have no text. */
    const steps = async (): Promise<string> =>
      (await outline.getByRole('listitem').getByRole('button').allInnerTexts())
        .filter((text) => text !== '')
        .map((text) => text.split('\n')[0])
        .join(', ')
    const row = outline
      .getByRole('listitem')
      .getByRole('button', { name: /^Create a record/ })
      .first()
    await row.press('Alt+ArrowUp')
    await expect.poll(steps).toBe('Start, Create a record, Log, End')
    const focused = async (): Promise<string> => page.evaluate(() => document.activeElement?.textContent ?? '')
    await page.keyboard.press('Alt+ArrowDown')
    await expect.poll(steps).toBe('Start, Log, Create a record, End')
    await page.keyboard.press('Alt+ArrowUp')
    await expect.poll(steps).toBe('Start, Create a record, Log, End')
    expect(await focused()).toBe('Create a record')
    await page.getByRole('button', { name: 'Make active' }).click()
    await page.getByText(/\d problems keep the flow from running/).waitFor()
    await step.getByText('A value is required.').first().waitFor()
    await look(page, 'flow-design-problems')
    await outline.getByRole('listitem').getByRole('button', { name: /^Log/ }).first().press('Delete')
    expect(await focused()).toMatch(/^Create a record/)
    await row.click()
    await step.getByRole('combobox', { name: 'Object' }).selectOption('book')
    await step.getByRole('button', { name: 'Add value' }).click()
    await step.getByRole('combobox', { name: 'Name 1' }).selectOption('title')
    await step.getByRole('textbox', { name: 'Value 1' }).fill('More of {{ record.title }}')
    await page.getByRole('button', { name: 'Make active' }).click()
    await page.getByText('The flow is active.').waitFor()
    await page.getByRole('button', { name: 'Run…' }).click()
    const start = page.getByRole('dialog', { name: 'Run Sequels' })
    await start.getByRole('combobox', { name: 'Record', exact: true }).selectOption({ label: 'Emma' })
    await start.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('status').getByText('Done').waitFor()
    const { records } = await bench.api<{ records: unknown[] }>('GET', '/data/book?title=More of Emma')
    expect(records).toHaveLength(1)
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete flow' }).click()
    await page.getByRole('row').filter({ hasText: 'Sequels' }).waitFor({ state: 'detached' })
  })

  it('has steps inside of steps, by keyboard and on the canvas, and shows on it how a run went', async () => {
    const { page } = opened
    await page.goto(`${bench.host.url}/_console/#/automation/flow/idea/design`)
    const canvas = page.getByRole('group', { name: 'Steps of An idea' })
    await canvas.getByRole('button', { name: 'Add a step between Start and End' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Loop', exact: true }).press('Enter')
    await canvas.getByRole('button', { name: 'Body: no steps yet' }).press('Enter')
    await page.getByRole('combobox', { name: 'Next step' }).selectOption('transform')
    await page.getByRole('button', { name: 'Add first step' }).press('Enter')
    const expression = page.getByRole('textbox', { name: 'Expression' })
    await expression.pressSequentially('upp')
    await page.getByRole('option', { name: 'upper(' }).waitFor()
    await page.keyboard.press('Enter')
    await expression.pressSequentially('ite')
    await page.getByRole('option', { name: 'item' }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.type(')')
    expect(await expression.inputValue()).toBe('upper(item)')
    await page.getByRole('button', { name: 'Show the outline' }).click()
    const outline = page.getByRole('region', { name: 'Outline' })
    await outline.getByRole('button', { name: /^Loop/ }).click()
    await page.getByRole('textbox', { name: 'Collection' }).fill('["a", "b"]')
    await page.getByRole('button', { name: 'Make active' }).click()
    await page.getByText('The flow is active.').last().waitFor()
    await look(page, 'flow-outline-nested')
    const { data } = await bench.api<{ data: { runId: string; status: string } }>(
      'POST',
      '/automation/idea/trigger',
      {},
    )
    expect(data).toMatchObject({ status: 'completed' })
    await page.goto(`${bench.host.url}/_console/#/automation/flow/idea/runs/${data.runId}`)
    await page.getByText('The flow, and how its steps went').click()
    const drawing = page.getByRole('group', { name: 'The flow, and how its steps went' })
    await drawing.getByRole('button', { name: /^Transform Done/ }).waitFor()
    await look(page, 'run-drawing')
    expect(opened.errors.filter((line) => !line.includes('400'))).toEqual([])
  })
})
