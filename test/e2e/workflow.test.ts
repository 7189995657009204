// Two people and a workflow in real browsers: one takes the steps and asks, the other decides; each sees what the other does.
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { look, pictures, tabTo } from './look.ts'
import { openBench } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'
import { actAs, ownerId } from './seed-activity.ts'
import { password, widenLimits } from './seed-access.ts'
import { makeBuyer, makeOrder, putOrders } from './seed-workflows.ts'
import { enterPassword } from './sign-in-steps.ts'

const line = (page: Page) => page.getByRole('region', { name: 'Workflow: Ordering' })
/** Whether the focus is still in a part of the page, and not lost with the button that had it. */
const keepsFocus = async (page: Page): Promise<void> => {
  await expect.poll(() => page.evaluate(() => document.activeElement?.closest('section') != null)).toBe(true)
}
const state = (page: Page, name: string) => line(page).getByRole('status').filter({ hasText: name })

describe('a workflow of two people', () => {
  let bench: ConsoleBench
  let owner: ConsolePage
  let grace: ConsolePage
  let id: string
  let ada: string

  const go = async (page: Page, route: string): Promise<void> =>
    page.evaluate((hash) => {
      window.location.hash = hash
    }, route)
  const stage = async (): Promise<unknown> =>
    (await bench.api<{ record: { stage: unknown } }>('GET', `/data/order/${id}`)).record.stage

  beforeAll(async () => {
    bench = await openBench()
    await widenLimits(bench)
    await putOrders(bench)
    await makeBuyer(bench, 'Grace Hopper', 'grace')
    ada = await makeBuyer(bench, 'Ada Lovelace', 'ada')
    id = await makeOrder(bench, { title: 'Paper', amount: 0, due: '2026-12-01' })
    owner = await bench.open(`/o/order/record/${id}`)
    grace = await bench.openAnonymous()
    await enterPassword(grace.page, 'grace', password)
    await grace.page.getByRole('navigation', { name: 'Main navigation' }).waitFor()
    await go(grace.page, `/o/order?rec=${id}`)
    for (const { page } of [owner, grace]) await state(page, 'Draft').waitFor()
  })
  afterAll(async () => bench?.stop())

  it('shows the state and its steps, and follows what the other does', async () => {
    const check = line(grace.page).getByRole('button', { name: 'Check', exact: true })
    await check.focus()
    await grace.page.keyboard.press('Enter')
    for (const { page } of [grace, owner]) await state(page, 'Checked').waitFor()
    expect(await stage()).toBe('checked')
    await keepsFocus(grace.page)
    // Its condition is not met, so it is not offered.
    expect(
      await line(grace.page)
        .getByRole('button', { name: /^Place order/ })
        .count(),
    ).toBe(0)
    await bench.api('PATCH', `/data/order/${id}`, { amount: 5 })
    await line(grace.page).getByRole('button', { name: 'Place order…' }).waitFor()
  })

  it('asks for a comment where a step needs one', async () => {
    const { page } = grace
    await line(page).getByRole('button', { name: 'Refuse…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Refuse' })
    await dialog.getByRole('button', { name: 'Refuse' }).click()
    await dialog.getByText('This step needs a comment.').waitFor()
    await page.keyboard.press('Escape')
    expect(await stage()).toBe('checked')
  })

  it('says in words why a step is refused that was still on screen', async () => {
    const { page } = grace
    await page.route('**/transition', async (route) => {
      await bench.api('PATCH', `/data/order/${id}`, { amount: 0 })
      await route.continue()
    })
    await line(page).getByRole('button', { name: 'Place order…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Ask for approval' }).click()
    await page.getByRole('dialog').getByText('does not meet the condition of this step').waitFor()
    expect(await stage()).toBe('checked')
    await page.unroute('**/transition')
    await page.keyboard.press('Escape')
    await bench.api('PATCH', `/data/order/${id}`, { amount: 7 })
  })

  it('asks for an approval, closes the record meanwhile, and lets the submitter take it back', async () => {
    const { page } = grace
    const ask = async (): Promise<void> => {
      await line(page).getByRole('button', { name: 'Place order…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Place order' })
      await dialog.getByText('Others have to approve this.').waitFor()
      await dialog.getByRole('textbox', { name: /^Comment/ }).fill('We are out of paper.')
      await dialog.getByRole('button', { name: 'Ask for approval' }).click()
      await line(page).getByText('Waits for approval: Place order').waitFor()
    }
    await ask()
    expect(await line(page).getByRole('button', { name: 'Approve…' }).count()).toBe(0)
    // The line knows of the approval first; the record is read again behind it.
    await expect.poll(() => page.getByRole('button', { name: /^Edit Title/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'More', exact: true }).first().click()
    const held = page.getByRole('menuitem', { name: 'Delete record (waits for an approval)' })
    expect(await held.isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
    await line(owner.page).getByText('We are out of paper.').waitFor()
    await look(owner.page, 'workflow-waits')
    await line(page).getByRole('button', { name: 'Take back…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Take back' }).click()
    await line(owner.page).getByText('Waits for approval').waitFor({ state: 'detached' })
    await ask()
  })

  it('is approved on the record, and the other sees it', async () => {
    const { page } = owner
    await line(page).getByRole('button', { name: 'Approve…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Approve?' })
    await dialog.getByRole('textbox', { name: /^Comment/ }).fill('Fine.')
    await dialog.getByRole('button', { name: 'Approve' }).click()
    for (const each of [owner, grace]) await state(each.page, 'Ordered').waitFor()
    await keepsFocus(page)
    expect(await stage()).toBe('ordered')
    await line(page).getByText('History of the state').click()
    const entries = line(page).getByRole('list').getByRole('listitem')
    await expect.poll(() => entries.count()).toBe(2)
    expect(await entries.first().innerText()).toMatch(/Checked[\s\S]*Ordered[\s\S]*approved by you/)
  })

  it('is drawn with the state it is in', async () => {
    const { page } = grace
    await line(page).getByRole('button', { name: 'Diagram: Ordering' }).click()
    const dialog = page.getByRole('dialog', { name: 'Ordering' })
    await dialog.getByRole('row', { name: /^Place order Checked Ordered [(]now[)] approval/ }).waitFor()
    expect(await dialog.locator('rect[data-current]').count()).toBe(1)
    await page.screenshot({ path: join(pictures, 'workflow-diagram.png') })
    await page.keyboard.press('Escape')
  })

  it('lists what waits, and is rejected by keyboard with the reason that needs', async () => {
    const { page } = owner
    const second = await makeOrder(bench, { title: 'Ink', amount: 3 })
    await bench.api('POST', `/workflow/order/${second}/transition`, { transition: 'check' })
    const ask = { transition: 'order', comment: 'Black' }
    const call = await actAs(bench, 'grace')
    await go(page, '/approvals')
    await page.getByText('Nothing waits for you').waitFor()
    await call('POST', `/workflow/order/${second}/transition`, ask)
    await page.getByRole('link', { name: 'Approvals 1 open' }).waitFor()
    await tabTo(page, /^Ink/)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 2, name: 'Ink' }).waitFor()
    await tabTo(page, 'Reject…')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Reject?' })
    await dialog.getByRole('textbox', { name: 'Reason' }).waitFor()
    await tabTo(page, 'Reject')
    await page.keyboard.press('Enter')
    await dialog.getByText('A rejection needs a reason.').waitFor()
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('We have enough.')
    await go(grace.page, '/approvals/asked')
    await grace.page.getByRole('link', { name: /^Ink.*Waiting/ }).click()
    await tabTo(page, 'Reject')
    await page.keyboard.press('Enter')
    for (const each of [owner, grace]) {
      // Whoever rejected it is told so in a notice as well.
      const shown = each.page.getByRole('region', { name: 'Ink' })
      await shown.getByRole('status').getByText('Rejected', { exact: true }).waitFor()
      await each.page.getByText('We have enough.').waitFor()
      expect(await each.page.getByRole('button', { name: 'Reject…' }).count()).toBe(0)
    }
    await keepsFocus(page)
    await page.getByRole('link', { name: 'Approvals', exact: true }).waitFor()

    await call('POST', `/workflow/order/${second}/transition`, ask)
    await page.getByRole('link', { name: /^Ink/ }).click()
    await page.getByRole('button', { name: 'Hand on…' }).click()
    const hand = page.getByRole('dialog', { name: 'Hand the decision on' })
    await hand.getByRole('combobox', { name: 'Who decides instead' }).selectOption({ label: 'Ada Lovelace' })
    await hand.getByRole('button', { name: 'Hand on' }).click()
    await page.getByText('to Ada Lovelace').waitFor()
    const { requests } = await bench.api<{ requests: { approvers: string[] }[] }>(
      'GET',
      `/approvals/requests?recordId=${second}&status=pending`,
    )
    expect(requests.map(({ approvers }) => approvers)).toEqual([[ada]])
  })

  it('shows on the record what a flow waits for, whatever its workflows are', async () => {
    const { page } = owner
    await bench.api('POST', '/automation', {
      name: 'second_look',
      label: 'A second look',
      status: 'active',
      type: 'autolaunched',
      nodes: [
        { id: 'start', type: 'start' },
        { id: 'ask', type: 'approval', config: { approvers: [{ type: 'user', value: ownerId }] } },
        { id: 'end', type: 'end' },
      ],
      edges: [
        { id: 'e1', source: 'start', target: 'ask' },
        { id: 'e2', source: 'ask', target: 'end', label: 'approve' },
        { id: 'e3', source: 'ask', target: 'end', label: 'reject' },
      ],
    })
    const third = await makeOrder(bench, { title: 'Pens', amount: 1 })
    await go(page, `/o/order/record/${third}`)
    await bench.api('POST', '/automation/second_look/trigger', { object: 'order', recordId: third })
    await page.getByText('Waits for an approval of a flow').waitFor()
    await look(page, 'workflow-flow-waits')
    await page.getByRole('button', { name: 'Approve…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Waits for an approval of a flow').waitFor({ state: 'detached' })
    const statuses = async (): Promise<string[]> => {
      const { data } = await bench.api<{ data: { runs: { status: string }[] } }>('GET', '/automation/second_look/runs')
      return data.runs.map(({ status }) => status)
    }
    await expect.poll(statuses).toEqual(['completed'])
  })

  it('complained of nothing', () => {
    const errors = [...owner.errors, ...grace.errors].filter((text) => !/40[0149]/.test(text))
    expect(errors).toEqual([])
  })
})
