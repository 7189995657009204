// People work together: an organization with members and a team, records shared and handed over; in browsers of two
// people, against a real host.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBench } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'
import { password, putRight, widenLimits } from './seed-access.ts'
import { makeConfirmed } from './seed-organizations.ts'
import { enterPassword } from './sign-in-steps.ts'
import { onlyInLongRun } from '../support/test-size.ts'

async function go(page: Page, route: string): Promise<void> {
  await page.evaluate((hash) => {
    window.location.hash = hash
  }, route)
}

describe('an organization', () => {
  let bench: ConsoleBench
  let ada: ConsolePage
  let grace: ConsolePage
  let link = ''

  beforeAll(async () => {
    bench = await openBench({ plugins: { organization: true } })
    await widenLimits(bench)
    const item = { name: 'paper', label: 'Paper', pluralLabel: 'Papers', sharingModel: 'private' }
    const fields = { title: { type: 'text', label: 'Title' } }
    await bench.api('PUT', '/meta/object/paper', { type: 'object', name: 'paper', item: { ...item, fields } })
    await putRight(bench, 'permission', 'givers', { label: 'Givers', objects: { paper: { allowTransfer: true } } })
    const adaId = await makeConfirmed(bench, 'Ada Lovelace', 'ada')
    await bench.api('PUT', `/permissions/assignments/${adaId}`, { permissionSets: ['givers'] })
    await makeConfirmed(bench, 'Grace Hopper', 'grace')
    ada = await bench.openAnonymous()
    grace = await bench.openAnonymous()
  })
  afterAll(async () => bench?.stop())

  it('holds the owner from the start, who switches like everybody', async () => {
    const owner = await bench.open('/o/paper')
    const { page } = owner
    await page.getByRole('button', { name: 'Organization: Workspace. Switch' }).waitFor()
    await page.getByRole('heading', { level: 1, name: 'Papers' }).waitFor()
    await bench.api('POST', '/auth/organization/create', { name: 'Mills', slug: 'mills' })
    await page.reload()
    await page.getByRole('button', { name: 'Organization: Mills. Switch' }).click()
    await page.getByRole('menuitem', { name: 'Workspace' }).click()
    await page.getByRole('button', { name: 'Organization: Workspace. Switch' }).waitFor()
    expect(owner.errors).toEqual([])
    await owner.close()
  })

  it('is made by whoever is in none, and is worked in from then on', async () => {
    const { page } = ada
    await enterPassword(page, 'ada', password)
    await page.getByRole('heading', { level: 1, name: 'Choose an organization' }).waitFor()
    await page.getByRole('button', { name: 'New organization' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Analytical Engines')
    expect(await page.getByRole('textbox', { name: 'Short name' }).inputValue()).toBe('analytical-engines')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { level: 1, name: 'Analytical Engines' }).waitFor()
    await page.getByRole('button', { name: 'Organization: Analytical Engines. Switch' }).waitFor()
  })

  it('takes somebody in by a link that its inviter sees', async () => {
    const { page } = ada
    await page.getByRole('tab', { name: /Invitations/ }).click()
    await page.getByRole('button', { name: 'Invite somebody' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('grace@example.org')
    await page.keyboard.press('Enter')
    const field = page.getByRole('textbox', { name: 'Link for grace@example.org' })
    await field.waitFor()
    link = await field.inputValue()
    expect(link).toMatch(new RegExp(`^${bench.host.url}/_console/#/invitations/[\\w-]+$`))
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('The invitation of grace@example.org holds for two more days.').waitFor()

    await grace.page.goto(link)
    await grace.page.reload()
    await enterPassword(grace.page, 'grace', password)
    await grace.page.getByText('Analytical Engines', { exact: false }).first().waitFor()
    await grace.page.getByRole('button', { name: 'Accept' }).click()
    await grace.page.getByRole('button', { name: 'Organization: Analytical Engines. Switch' }).waitFor()
  })

  it('has teams of its members', async () => {
    const { page } = ada
    await page.getByRole('tab', { name: /Teams/ }).click()
    await page.getByRole('button', { name: 'New team' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Weavers')
    await page.keyboard.press('Enter')
    await page.reload()
    await page.getByRole('combobox', { name: 'Add a member' }).selectOption({ label: 'Grace Hopper' })
    const members = page.getByRole('list', { name: 'Members of the team Weavers' }).getByRole('listitem')
    await expect.poll(async () => members.allTextContents()).toEqual(['Grace HopperTake out'])
  })

  const papers = async (page: Page): Promise<number> => {
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Papers' }).waitFor()
    await page.getByText(/^(0|1) records?$/).waitFor()
    return page.getByRole('gridcell', { name: 'On looms', exact: true }).count()
  }

  it('shares a private record with a team, by keyboard, and takes it back', async () => {
    const { page } = ada
    await page.evaluate(async () => {
      const headers = { 'content-type': 'application/json', 'x-requested-with': 'cairn' }
      await fetch('/api/v1/data/paper', { method: 'POST', headers, body: '{"title":"On looms"}' })
    })
    await go(page, '/o/paper')
    await go(grace.page, '/o/paper')
    expect(await papers(grace.page)).toBe(0)
    await page.getByRole('gridcell', { name: 'On looms', exact: true }).click()
    await page.keyboard.press('Alt+Enter')
    await page.getByRole('menuitem', { name: 'Share…' }).waitFor()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Share “On looms”' })
    await dialog.getByRole('combobox', { name: 'They may' }).selectOption('edit')
    await dialog.getByRole('searchbox', { name: 'Find a person, role or team' }).fill('weav')
    await dialog.getByRole('button', { name: 'Share with Weavers' }).click()
    await dialog.getByRole('rowheader', { name: 'Weavers' }).waitFor()
    expect(await papers(grace.page)).toBe(1)

    await grace.page.getByRole('gridcell', { name: 'On looms', exact: true }).click({ button: 'right' })
    await grace.page.getByRole('menuitem', { name: 'Share…' }).click()
    await grace.page.getByText('Only the owner, roles above and people with full access share this record.').waitFor()
    await grace.page.keyboard.press('Escape')

    await dialog.getByRole('button', { name: 'End the share with Weavers' }).click()
    await page.getByText('The share with Weavers has ended.').waitFor()
    expect(await papers(grace.page)).toBe(0)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('ControlOrMeta+Z')
    await expect.poll(async () => papers(grace.page), { timeout: 10_000 }).toBe(1)
  })

  it('hands a record over, and the old owner keeps what shares give', async (test) => {
    onlyInLongRun(test)
    const { page } = ada
    await page.getByRole('gridcell', { name: 'On looms', exact: true }).click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Share…' }).click()
    await page.getByRole('button', { name: 'Find the new owner' }).click()
    await page.getByRole('button', { name: 'Give to Grace Hopper' }).click()
    await page.getByRole('button', { name: 'Give it to Grace Hopper' }).click()
    await page.getByText('“On looms” belongs to Grace Hopper now.').waitFor()
    expect(await papers(page)).toBe(0)
  })

  it('keeps an owner, and is left by who is not needed', async () => {
    const { page } = ada
    await go(page, '/organizations')
    await page.getByRole('link', { name: 'Analytical Engines' }).click()
    await page.getByRole('tab', { name: /Settings/ }).click()
    const leave = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Leave the organization…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
    }
    await leave()
    await page.getByText('An organization keeps at least one owner.').waitFor()
    await page.getByRole('tab', { name: /Members/ }).click()
    await page.getByRole('combobox', { name: 'Role of Grace Hopper' }).selectOption('owner')
    await page.getByText('Grace Hopper is now: Owner.').waitFor()
    await page.getByRole('tab', { name: /Settings/ }).click()
    await leave()
    await page.getByText('You are in no organization yet').waitFor()
    expect([...ada.errors, ...grace.errors].filter((line) => !/40[0139]/.test(line))).toEqual([])
  })
})
