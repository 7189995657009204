// An order from two desks to a mail: one person asks, another approves in a second browser, a flow mails when it is approved.
// The mail server is missing first: the run says so, somebody mends it, and the run is tried again.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SmtpPeer } from '../support/smtp-peer.ts'
import { startSmtpPeer } from '../support/smtp-peer.ts'
import { look } from './look.ts'
import { openBench } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'
import { password, widenLimits } from './seed-access.ts'
import { makeBuyer, makeOrder, putOrders } from './seed-workflows.ts'
import { enterPassword } from './sign-in-steps.ts'

const line = (page: Page) => page.getByRole('region', { name: 'Workflow: Ordering' })

describe('an order with an approval and a mail', () => {
  let bench: ConsoleBench
  let owner: ConsolePage
  let grace: ConsolePage
  let smtp: SmtpPeer
  let id: string

  const go = async (page: Page, route: string): Promise<void> =>
    page.evaluate((hash) => {
      window.location.hash = hash
    }, route)

  beforeAll(async () => {
    bench = await openBench()
    smtp = await startSmtpPeer()
    await widenLimits(bench)
    await putOrders(bench)
    await makeBuyer(bench, 'Grace Hopper', 'grace')
    id = await makeOrder(bench, { title: 'Paper', amount: 700, due: '2026-12-01' })
    owner = await bench.open('/automation')
    grace = await bench.openAnonymous()
    await enterPassword(grace.page, 'grace', password)
    await grace.page.getByRole('navigation', { name: 'Main navigation' }).waitFor()
    await go(grace.page, `/o/order?rec=${id}`)
  })
  afterAll(async () => {
    await bench?.stop()
    await smtp?.stop()
  })

  it('begins with a flow that is drawn on the canvas', async () => {
    const { page } = owner
    await page.getByRole('button', { name: 'New flow' }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Label' }).fill('Tell the buyer')
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'Object' }).selectOption('order')
    await page.getByRole('checkbox', { name: 'update' }).check()
    const condition = page.getByRole('textbox', { name: 'Condition' }).first()
    await condition.fill('record.stage == "ordered" && changed("stage")')
    const canvas = page.getByRole('group', { name: 'Steps of Tell the buyer' })
    await canvas.getByRole('button', { name: 'Add a step between Start and End' }).click()
    await page.getByRole('menuitem', { name: 'Send e-mail' }).click()
    await page.getByRole('textbox', { name: /^To/ }).fill('grace@example.org')
    await page.getByRole('textbox', { name: 'Subject' }).fill('Ordered: {{ record.title }}')
    await page.getByRole('textbox', { name: 'Body' }).fill('It was approved.')
    await page.getByRole('button', { name: 'Make active' }).click()
    await page.getByText('The flow is active.').waitFor()
    expect(owner.errors).toEqual([])
    await look(page, 'tour-flow')
  })

  it('asks as one person and is approved by another', async () => {
    const { page } = grace
    await line(page).getByRole('button', { name: 'Check', exact: true }).click()
    await line(page).getByRole('button', { name: 'Place order…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Place order' })
    await dialog.getByRole('textbox', { name: /^Comment/ }).fill('We are out of paper.')
    await dialog.getByRole('button', { name: 'Ask for approval' }).click()
    await line(page).getByText('Waits for approval: Place order').waitFor()
    await go(owner.page, `/o/order/record/${id}`)
    await line(owner.page).getByRole('button', { name: 'Approve…' }).click()
    await owner.page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await line(page).getByRole('status').filter({ hasText: 'Ordered' }).waitFor()
    expect((await bench.api<{ record: { stage: string } }>('GET', `/data/order/${id}`)).record.stage).toBe('ordered')
  })

  it('says what went wrong, and goes on once that is mended', async () => {
    const { flows } = (await bench.api<{ data: { flows: { name: string }[] } }>('GET', '/automation')).data
    const { name } = flows[0]!
    await go(owner.page, `/automation/flow/${name}`)
    await owner.page.getByRole('link', { name: /by a record: order.*Failed/ }).click()
    await owner.page.getByText('The run failed').waitFor()
    await owner.page
      .getByText(/mail.*not (installed|configured)/)
      .first()
      .waitFor()
    await look(owner.page, 'tour-run-failed')
    const mail = { host: '127.0.0.1', port: smtp.port, from: 'Cairn <cairn@example.org>' }
    writeFileSync(join(bench.host.dataDir, 'config.json'), JSON.stringify({ mail }), { mode: 0o600 })
    await bench.restart()
    const mended = await bench.open(`/automation/flow/${name}`)
    await mended.page.getByRole('link', { name: /by a record: order.*Failed/ }).click()
    await mended.page.getByRole('button', { name: 'Try again' }).click()
    await mended.page.getByRole('status').getByText('Done').waitFor()
    expect((await smtp.take('grace@example.org')).text).toContain('Subject: Ordered: Paper')
    await look(mended.page, 'tour-run-done')
  })
})
