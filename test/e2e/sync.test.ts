// Two real hosts become one workspace through their screens; and what holds of these screens whatever the state: a link
// only asks, a number is only confirmed by a person, focus goes back, unsent changes are not left without a question.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { minutesAgo, comparing, syncOffScene, syncScene, syncSceneWith } from '../support/sync-scenes.ts'
import { openBench } from './open-console.ts'
import type { ConsoleBench } from './open-console.ts'
import { heading } from './screen.ts'
import { answerSync } from './sync-screens.ts'
import { onlyInLongRun } from '../support/test-size.ts'

/** A pairing is asked for once a second. */
const patient = { timeout: 10_000 }

const focusedText = async (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '')

describe('two hosts', () => {
  let desk: ConsoleBench
  let laptop: ConsoleBench
  beforeAll(async () => {
    desk = await openBench()
    laptop = await openBench()
    await desk.api('PUT', '/meta/object/plant', {
      name: 'plant',
      label: 'Plant',
      pluralLabel: 'Plants',
      fields: { title: { type: 'text', label: 'Title' } },
    })
    for (const title of ['Fern', 'Ivy', 'Moss']) await desk.api('POST', '/data/plant', { title })
  })
  afterAll(async () => {
    await desk?.stop()
    await laptop?.stop()
  })

  it('become one workspace through their screens', { timeout: 240_000 }, async () => {
    const one = await desk.open('/sync')
    await one.page.getByRole('textbox', { name: 'Name of this device' }).fill('Desk')
    await one.page.getByRole('button', { name: 'Turn sync on' }).click()
    await one.page.getByRole('button', { name: 'Add a device' }).waitFor()
    await one.page.locator('main').getByText('Local only').waitFor({ timeout: 60_000 })
    // Any free port: the usual one may be held by another connection of this machine.
    await desk.api('PATCH', '/sync/settings', { interfaces: ['127.0.0.1'], port: 0 })
    await one.page.getByRole('button', { name: 'Add a device' }).click()
    await one.page.getByRole('button', { name: 'Listen and make a code' }).click()
    const link = await one.page.getByRole('textbox', { name: 'Link' }).inputValue()
    expect(link).toMatch(/^cairn:\/\/pair\?a=127\.0\.0\.1/)

    const other = await laptop.open('/')
    await heading(other.page, 'What do you want to keep track of?')
    await other.page.getByRole('link', { name: 'Join another device' }).click()
    await other.page.getByRole('radio', { name: 'With a link' }).check()
    await other.page.getByRole('textbox', { name: 'Link' }).fill(link)
    await other.page.getByRole('textbox', { name: 'Name of this device' }).fill('Laptop')
    await other.page.getByRole('button', { name: 'Connect' }).click()

    const digitsOf = async (page: Page): Promise<string> => {
      await page.getByRole('heading', { name: 'Do both screens show the same number?' }).waitFor({ timeout: 60_000 })
      return page.getByText(/^\d{3} \d{3}$/).innerText()
    }
    const [here, there] = [await digitsOf(one.page), await digitsOf(other.page)]
    expect(here).toBe(there)
    await one.page.getByText('Laptop', { exact: true }).waitFor()
    await other.page.getByText('Desk', { exact: true }).waitFor()
    await one.page.getByRole('button', { name: 'Yes, the same' }).click()
    await one.page.getByText('Waiting for the other screen').waitFor()
    await other.page.getByRole('button', { name: 'Yes, the same' }).click()
    await one.page.getByText('Laptop belongs to this workspace now').waitFor({ timeout: 60_000 })
    await other.page.getByRole('button', { name: 'Open the workspace' }).click({ timeout: 60_000 })

    await expect
      .poll(
        async () =>
          laptop.api<{ records: { title: string }[] }>('GET', '/data/plant?sort=title').then(
            ({ records }) => records.map(({ title }) => title),
            () => [],
          ),
        { timeout: 60_000 },
      )
      .toEqual(['Fern', 'Ivy', 'Moss'])
    await one.page.getByRole('button', { name: 'Done' }).click()
    await one.page.getByRole('rowheader', { name: /^Laptop/ }).waitFor()
    // Proved, and by whom: nothing less is called up to date.
    await one.page.getByRole('button', { name: /^Sync: Up to date \(proved \d\d:\d\d with Laptop\)$/ }).waitFor({
      timeout: 60_000,
    })
    expect(one.errors.filter((line) => !line.includes('409'))).toEqual([])
    expect(other.errors.filter((line) => !line.includes('404'))).toEqual([])
    await one.close()
    await other.close()
  })
})

describe('screens of sync', () => {
  let bench: ConsoleBench
  beforeAll(async () => {
    bench = await openBench()
    await (await bench.open('/')).close()
  })
  afterAll(async () => bench?.stop())

  it('ask nothing of the host for a link before a person said so', async () => {
    const { page, close } = await bench.open('/')
    const { scene } = await answerSync(page, syncOffScene({ pairing: comparing('joiner') }))
    const { link } = syncScene().invite
    await page.evaluate((text) => {
      window.location.hash = `/sync/join?link=${encodeURIComponent(text)}`
    }, link)
    await heading(page, 'Join with this link?')
    await page.waitForTimeout(500)
    expect(scene.asked).toEqual([])
    // The link holds the code: neither the address nor the history keeps it.
    await expect.poll(() => page.url()).not.toContain('link=')
    await page.getByRole('textbox', { name: 'Name of this device' }).fill('Laptop')
    await page.keyboard.press('Enter')
    await page.getByText('482 913').waitFor()
    expect(scene.asked).toEqual([{ operation: 'joinPairing', body: { link, deviceName: 'Laptop' } }])
    await close()
  })

  it('lead through an invite by keyboard, say no, and give the focus back', async () => {
    const { page, errors, close } = await bench.open('/sync')
    const { scene } = await answerSync(page, syncScene())
    await page.getByRole('button', { name: 'Add a device' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(async () => focusedText(page), patient).toBe('Enter this on the other device')
    scene.pairing = comparing('inviter')
    await expect.poll(async () => focusedText(page), patient).toBe('Do both screens show the same number?')
    await page.keyboard.press('Tab')
    expect(await focusedText(page)).toBe('No, different')
    await page.keyboard.press('Enter')
    await expect.poll(async () => focusedText(page), patient).toBe('The devices were not connected')
    await page.getByText('The numbers differed').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(async () => focusedText(page), patient).toBe('Add a device')
    expect(scene.asked.map(({ operation }) => operation)).toEqual(['invitePairing', 'confirmPairing'])
    expect(scene.asked[1]?.body).toEqual({ matches: false })
    expect(errors.filter((line) => !line.includes('404'))).toEqual([])
    await close()
  })

  it('give an invite up when its dialog is closed', async () => {
    const { page, close } = await bench.open('/sync')
    const { scene } = await answerSync(page, syncScene())
    await page.getByRole('button', { name: 'Add a device' }).click()
    await page.getByText('409 3127').waitFor()
    await page.keyboard.press('Escape')
    await expect
      .poll(() => scene.asked.map(({ operation }) => operation), patient)
      .toEqual(['invitePairing', 'cancelPairing'])
    await close()
  })

  it('remove a device only after saying what cannot be recalled', async () => {
    const { page, close } = await bench.open('/sync')
    const { scene } = await answerSync(page, syncScene())
    const remove = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Actions for Laptop' }).click()
      await page.getByRole('menuitem', { name: 'Remove…' }).click()
      await page.getByText('stays there and cannot be recalled').waitFor()
    }
    await remove()
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(scene.asked).toEqual([])
    await remove()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('rowheader', { name: /^Laptop/ }).waitFor({ state: 'detached' })
    expect(scene.asked.map(({ operation }) => operation)).toEqual(['removeSyncPeer'])
    await close()
  })

  it('ask before the window is left only while changes are nowhere else', async (test) => {
    onlyInLongRun(test)
    const { page, close } = await bench.open('/sync')
    const offline = syncSceneWith({ state: 'offline', outgoing: { waiting: 5, oldestAt: minutesAgo(70) } })
    const { scene } = await answerSync(page, offline)
    await page.getByRole('button', { name: /^Sync: Offline, 5 changes waiting since/ }).waitFor()
    const holds = async (): Promise<boolean> =>
      page.evaluate(() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true })))
    expect(await holds()).toBe(true)
    scene.status = syncSceneWith({ state: 'offline' }).status
    await page.getByRole('button', { name: 'Sync: Offline', exact: true }).waitFor({ timeout: 40_000 })
    expect(await holds()).toBe(false)
    await close()
  })
})
