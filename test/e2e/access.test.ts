// People sign in, keep a second factor and keys, and see what they are given: in a browser, against a real host.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBench } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'
import { makePerson, password, putRight, widenLimits } from './seed-access.ts'
import { enterPassword, totp } from './sign-in-steps.ts'
import { seedWorkspace } from './seed-workspace.ts'
import { sized } from '../support/test-size.ts'

const navigation = (page: Page) => page.getByRole('navigation', { name: 'Main navigation' })

async function go(page: Page, route: string): Promise<void> {
  await page.evaluate((hash) => {
    window.location.hash = hash
  }, route)
}

describe('people and access', () => {
  let bench: ConsoleBench
  let ada: ConsolePage
  let adaId: string
  let backupCode: string | undefined

  beforeAll(async () => {
    bench = await openBench()
    await seedWorkspace(bench)
    await widenLimits(bench)
    adaId = await makePerson(bench, 'Ada Lovelace', 'ada')
    await putRight(bench, 'permission', 'readers', { label: 'Readers' })
    await bench.api('PUT', `/permissions/assignments/${adaId}`, {
      profile: 'guest',
      roles: [],
      permissionSets: ['readers'],
    })
    ada = await bench.openAnonymous()
  })
  afterAll(async () => bench?.stop())

  it('refuses a wrong password at its field and takes the right one', async () => {
    const { page } = ada
    await enterPassword(page, 'ada', 'not the password')
    await page.getByText('The name or the password is wrong.').waitFor()
    const field = page.getByLabel('Password', { exact: true })
    expect(await field.inputValue()).toBe('')
    expect(await field.evaluate((node) => node === document.activeElement)).toBe(true)
    expect(await field.getAttribute('autocomplete')).toBe('current-password')
    await field.fill(password)
    await page.keyboard.press('Enter')
    await navigation(page).waitFor()
    expect(page.url()).not.toContain('correct')
  })

  describe('keeps what is typed when the session was ended elsewhere, for whoever signs in again', () => {
    const typeAndEnd = async (typed: string) => {
      await go(ada.page, '/account')
      const name = ada.page.getByRole('textbox', { name: 'Name', exact: true })
      await name.fill(typed)
      await bench.api('POST', '/auth/admin/revoke-user-sessions', { userId: adaId })
      return name
    }
    const signInAgain = async () => {
      await enterPassword(ada.page, 'ada', password)
      await navigation(ada.page).waitFor()
    }

    it('and the page heard of it', async () => {
      const name = await typeAndEnd('Ada King')
      await signInAgain()
      expect(await name.inputValue()).toBe('Ada King')
    })

    it('and the next request is the first to tell the page', async () => {
      let deaf = true
      await ada.page.routeWebSocket(/realtime/, (socket) => void (deaf || socket.connectToServer()))
      await ada.page.reload()
      const name = await typeAndEnd('Ada Byron')
      await ada.page.getByRole('button', { name: 'Save', exact: true }).click()
      await signInAgain()
      expect(await name.inputValue()).toBe('Ada Byron')
      deaf = false
      await ada.page.reload()
      await navigation(ada.page).waitFor()
    })
  })

  it('sets a second factor up and asks for it', async () => {
    const { page } = ada
    await go(page, '/account/security')
    await page.getByRole('button', { name: 'Set up…' }).click()
    await page.getByRole('textbox', { name: 'Confirm with your password' }).fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('img', { name: /QR code/ }).waitFor()
    const secret = await page.getByRole('textbox', { name: 'Key', exact: true }).inputValue()
    await page.getByRole('textbox', { name: /code the app shows/ }).fill('000000')
    await page.keyboard.press('Enter')
    await page.getByText('This code is not right.').waitFor()
    await page.getByRole('textbox', { name: /code the app shows/ }).fill(totp(secret, Date.now()))
    await page.keyboard.press('Enter')
    const codes = page.getByRole('list', { name: 'Backup codes' }).getByRole('listitem')
    await codes.first().waitFor()
    expect(await codes.count()).toBeGreaterThan(4)
    backupCode = (await codes.first().textContent()) ?? undefined
    await page.getByRole('button', { name: 'I kept them' }).click()
    await page.getByText('Two-factor sign-in is on.').waitFor()

    await go(page, '/account')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await enterPassword(page, 'ada@example.org', password)
    await page.getByRole('heading', { level: 1, name: 'Second step' }).waitFor()
    await page.getByRole('textbox', { name: 'Code' }).fill('000000')
    await page.keyboard.press('Enter')
    await page.getByText('This code is not right.').waitFor()
    await page.getByRole('button', { name: 'Use a backup code' }).click()
    await page.getByRole('textbox', { name: 'Backup code' }).fill(backupCode ?? '')
    await page.keyboard.press('Enter')
    await navigation(page).waitFor()
  })

  it('shows a key once, and a revoked key counts no more', async () => {
    const owner = await bench.open('/account/keys')
    const { page } = owner
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Reports')
    await page.getByRole('checkbox', { name: 'May only read' }).check()
    await page.getByRole('button', { name: 'Make the key' }).click()
    const key = await page.getByRole('textbox', { name: 'Key', exact: true }).inputValue()
    expect(key).toMatch(/^cairn_[\w-]{43}$/)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('rowheader', { name: 'Reports' }).waitFor()
    expect(await page.content()).not.toContain(key)
    const use = async (method: string): Promise<number> =>
      (
        await fetch(`${bench.host.url}/api/v1/data/note`, {
          method,
          headers: { 'x-api-key': key, 'content-type': 'application/json' },
          body: method === 'POST' ? '{"title":"By key"}' : undefined,
        })
      ).status
    expect([await use('GET'), await use('POST')]).toEqual([200, 403])
    await page.getByRole('button', { name: 'Revoke the key Reports' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('The key “Reports” is revoked.').waitFor()
    expect(await use('GET')).toBe(401)
    expect(owner.errors).toEqual([])
    await owner.close()
  })

  it('lets the matrix decide what somebody else sees', async () => {
    const { page } = ada
    await go(page, '/o/book')
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await navigation(page).getByRole('link', { name: 'Books' }).count()).toBe(0)
    expect(await page.getByRole('gridcell', { name: 'Book 1', exact: true }).count()).toBe(0)

    const owner = await bench.open('/access/rights/permission/readers')
    await owner.page.getByRole('checkbox', { name: 'Books: Read' }).click()
    await owner.page.getByRole('button', { name: 'Show the fields of Books' }).click()
    await owner.page.getByRole('checkbox', { name: 'Price: Read' }).click()
    await owner.page.getByRole('button', { name: 'Save', exact: true }).click()
    await owner.page.getByText('Readers is saved.').waitFor()

    await page.reload()
    await page.getByRole('gridcell', { name: 'Book 1', exact: true }).waitFor()
    await navigation(page).getByRole('link', { name: 'Books' }).waitFor()
    await page.getByRole('columnheader', { name: /^Genre/ }).waitFor()
    expect(await page.getByRole('columnheader', { name: /^Price/ }).count()).toBe(0)

    await go(owner.page, `/access/check?user=${adaId}`)
    await owner.page.getByRole('button', { name: /^Books, Read: Yes/ }).click()
    await owner.page.getByText('Permission set readers', { exact: false }).waitFor()
    expect(owner.errors).toEqual([])
    await owner.close()
  })

  it('tells it all in the audit log, whose chain is whole', async () => {
    const owner = await bench.open('/access/audit')
    const { page } = owner
    const table = page.getByRole('table')
    await table.getByText('Rights saved').first().waitFor()
    await page.getByRole('combobox', { name: 'What' }).selectOption('auth.*')
    await page.waitForFunction(() => window.location.hash.includes('kind=auth.'))
    await expect.poll(async () => table.getByText('Rights saved').count()).toBe(0)
    await table.getByText('Failed').first().waitFor()
    await page.getByRole('button', { name: 'Verify the chain' }).click()
    await page.getByText('The chain is whole').waitFor()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    expect((await saved).suggestedFilename()).toMatch(/ndjson$/)
    await owner.close()
  })

  it('acts as somebody with a line that says so, and stops', async () => {
    const owner = await bench.openAnonymous()
    await bench.api('POST', '/auth/set-password', { newPassword: 'the owner has one now' })
    const { page } = owner
    await enterPassword(page, 'owner', 'the owner has one now')
    await navigation(page).waitFor()
    await go(page, `/access/people/${adaId}`)
    await page.getByRole('button', { name: 'What to do with Ada Lovelace' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Act as Ada Lovelace…' }).press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Act as Ada Lovelace' }).click()
    await page.getByText('You act as Ada Lovelace.').waitFor()
    await page.getByRole('complementary').getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor()
    expect(await page.getByText('You act as Ada Lovelace.').count()).toBe(0)
    await owner.close()
  })

  it('sets a password with a link, once, and replaces one that somebody else set', async () => {
    const graceId = await makePerson(bench, 'Grace Hopper', 'grace')
    const email = 'grace@example.org'
    const redirectTo = `${bench.host.url}${bench.host.uiBasePath}/#/reset-password`
    await bench.api('POST', '/auth/request-password-reset', { email, redirectTo })
    const find = async (): Promise<string | undefined> => {
      const { messages } = await bench.api<{ messages: { to: string; content: string }[] }>('GET', '/auth/outbox')
      return messages.find((message) => message.to === email)?.content
    }
    await expect.poll(find).toBeDefined()
    const link = (await find()) ?? ''
    const grace = await bench.openAnonymous()
    const { page } = grace
    const choose = async (secret: string): Promise<void> => {
      await page.getByLabel('New password', { exact: true }).fill(secret)
      await page.getByLabel('New password again', { exact: true }).fill(secret)
      await page.getByRole('button', { name: 'Set the password' }).click()
    }
    await page.goto(link)
    await page.getByRole('heading', { level: 1, name: 'Choose a new password' }).waitFor()
    expect(page.url()).not.toContain('token')
    await choose('grace chose this one')
    await page.getByRole('heading', { level: 1, name: 'The password is set' }).waitFor()
    await page.goto(link)
    await page.getByRole('heading', { level: 1, name: 'This link does not work' }).waitFor()

    await bench.api('POST', '/auth/admin/set-user-password', { userId: graceId, newPassword: 'somebody else set it' })
    await page.goto(redirectTo.replace('reset-password', ''))
    await enterPassword(page, 'grace', 'somebody else set it')
    await page.getByRole('heading', { level: 1, name: 'Choose a password of your own' }).waitFor()
    await choose('grace chose that one')
    await navigation(page).waitFor()
    await grace.close()
  })

  it('lets a device act as whoever allows it', async () => {
    const device = await bench.api<{ device_code: string; verification_uri_complete: string }>(
      'POST',
      '/auth/device/code',
      { client_id: 'cairn-cli' },
    )
    const owner = await bench.open()
    const { page } = owner
    await page.goto(device.verification_uri_complete)
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByRole('heading', { level: 1, name: 'Is this your device?' }).waitFor()
    expect(page.url()).not.toContain('user_code')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('heading', { level: 1, name: 'The device is connected' }).waitFor()
    const answer = await bench.api<{ access_token: string }>('POST', '/auth/device/token', {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: device.device_code,
      client_id: 'cairn-cli',
    })
    expect(answer.access_token.length).toBeGreaterThan(20)
    await owner.close()
  })

  const routes = ['/account', '/account/security', '/account/keys', '/device', '/access', '/access/rights'] as const
  const further = ['/access/rights/permission/readers', '/access/check', '/access/audit'] as const
  it.each(sized(['/account', '/access'], [...routes, ...further]))(
    'reaches every control of %s with the keyboard',
    async (route) => {
      const owner = await bench.open(route)
      const { page } = owner
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.waitForTimeout(500)
      const wanted = await page.evaluate(() => {
        const controls = document.querySelectorAll('main :is(a[href], button, input, select, textarea, summary)')
        return [...controls].filter((control) => {
          // Only one of a group of tabs or radio buttons is a stop.
          const inGroup = control.getAttribute('tabindex') === '-1'
          return !inGroup && !(control as HTMLButtonElement).disabled && control.checkVisibility()
        }).length
      })
      expect(wanted).toBeGreaterThan(0)
      await page.locator('main').focus()
      const missing = async (): Promise<number> => {
        const seen = await page.evaluate(() => document.querySelectorAll('main [data-reached]').length)
        return wanted - seen
      }
      for (let step = 0; step < wanted * 2 + 10 && (await missing()) > 0; step++) {
        await page.keyboard.press('Tab')
        await page.evaluate(() => {
          const { activeElement } = document
          if (activeElement?.matches('a[href], button, input, select, textarea, summary')) {
            activeElement.setAttribute('data-reached', '')
          }
        })
      }
      expect(await missing()).toBe(0)
      await owner.close()
    },
  )
})

describe('a workspace that signs in through its organization', () => {
  it('shows its button only, and the password behind a link for emergencies', async () => {
    const provider = {
      providerId: 'corp',
      name: 'Corp',
      discoveryUrl: 'https://127.0.0.1:9/.well-known/openid-configuration',
      clientId: 'cairn',
      clientSecret: 'not a secret of anybody',
    }
    const bench = await openBench({ ssoEnforced: true, oidcProviders: [provider] })
    try {
      const { page } = await bench.openAnonymous()
      await page.getByRole('button', { name: 'Continue with Corp' }).waitFor()
      expect(await page.getByLabel('Password', { exact: true }).count()).toBe(0)
      expect(await page.getByRole('textbox', { name: 'Link or code' }).count()).toBe(0)
      await page.getByRole('button', { name: 'Emergency sign-in with a password' }).click()
      await page.getByLabel('Password', { exact: true }).waitFor()
    } finally {
      await bench.stop()
    }
  })
})
