// The part of the register of screens about signing in, the own account, people, rights and the audit log.
import type { Page } from 'playwright-core'
import { dialog, heading, refuse } from './screen.ts'
import type { Screen } from './screen.ts'

const anonymous = { state: 'signed-out', workspace: 'fresh', expectedErrors: ['401'] } as const

async function go(page: Page, route: string): Promise<void> {
  await page.evaluate((hash) => {
    window.location.hash = hash
  }, route)
}

async function openPerson(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name }).click()
  await heading(page, name)
  await page.getByRole('combobox', { name: 'Profile' }).waitFor()
}

async function openRules(page: Page): Promise<void> {
  await page.getByRole('tab', { name: /Row rules/ }).click()
  await page.getByRole('rowheader', { name: 'novels' }).waitFor()
}

/** Screens of identity and rights. */
export const accessScreens: readonly Screen[] = [
  {
    ...anonymous,
    name: 'sign-in-wrong',
    covers: 'session',
    state: 'error',
    reach: async (page) => {
      await page.getByRole('textbox', { name: 'Email or username' }).fill('nobody')
      await page.getByLabel('Password', { exact: true }).fill('nonsense nonsense')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('The name or the password is wrong.').waitFor()
    },
  },
  {
    ...anonymous,
    name: 'forgot-password',
    covers: '/forgot-password',
    reach: async (page) => {
      await go(page, '/forgot-password')
      await heading(page, 'Set a new password')
      await page.getByRole('button', { name: 'Send the link' }).click()
      await page.getByText('Enter a complete email address.').waitFor()
    },
  },
  {
    ...anonymous,
    name: 'reset-password',
    covers: '/reset-password',
    reach: async (page) => {
      await go(page, '/reset-password?token=looks-like-one')
      await heading(page, 'Choose a new password')
      await page.getByRole('button', { name: 'Set the password' }).click()
      await page.getByText('Use at least 8 characters.').waitFor()
    },
  },
  {
    ...anonymous,
    name: 'reset-password-invalid',
    covers: '/reset-password',
    state: 'error',
    reach: async (page) => {
      await go(page, '/reset-password')
      await heading(page, 'This link does not work')
    },
  },
  {
    ...anonymous,
    name: 'magic-link',
    covers: '/magic-link',
    reach: async (page) => {
      await go(page, '/magic-link?token=looks-like-one')
      await heading(page, 'Sign in with this link')
    },
  },
  {
    name: 'account',
    covers: '/account/:part?',
    state: 'full',
    route: '/account',
    workspace: 'seeded',
    reach: async (page) => page.getByText('What you may do').waitFor(),
  },
  {
    name: 'account-security',
    covers: '/account/:part?',
    state: 'empty',
    route: '/account/security',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Set a password' }).click()
      await page.getByText('Use at least 8 characters.').waitFor()
    },
  },
  {
    name: 'account-sessions',
    covers: '/account/:part?',
    state: 'empty',
    route: '/account/sessions',
    workspace: 'seeded',
    reach: async (page) => page.getByText('No other sessions').waitFor(),
  },
  {
    name: 'account-keys-none',
    covers: '/account/:part?',
    state: 'empty',
    route: '/account/keys',
    workspace: 'fresh',
    reach: async (page) => page.getByText('No keys yet').waitFor(),
  },
  {
    name: 'account-keys',
    covers: '/account/:part?',
    state: 'full',
    route: '/account/keys',
    workspace: 'seeded',
    reach: async (page) => page.getByRole('rowheader', { name: 'Reports' }).waitFor(),
  },
  {
    name: 'account-key-new',
    covers: '/account/:part?',
    state: 'dialog',
    route: '/account/keys',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('button', { name: 'New key' }).click()
      await dialog(page, 'New API key')
      await page.getByRole('radio', { name: 'Only what these permission sets allow' }).check()
      await page.getByRole('button', { name: 'Make the key' }).click()
      await page.getByText('Choose at least one permission set.').waitFor()
    },
  },
  {
    name: 'account-applications',
    covers: '/account/:part?',
    state: 'full',
    route: '/account/applications',
    workspace: 'seeded',
    reach: async (page) => page.getByRole('rowheader', { name: 'Reports' }).waitFor(),
  },
  {
    name: 'account-applications-end',
    covers: '/account/:part?',
    state: 'dialog',
    route: '/account/applications',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('button', { name: 'End what Reports may do' }).click()
      await dialog(page, 'End what “Reports” may do?')
    },
  },
  {
    name: 'account-applications-none',
    covers: '/account/:part?',
    state: 'empty',
    route: '/',
    workspace: 'seeded',
    reach: async (page) => {
      await page.route('**/auth/oauth2/get-consents', async (route) => route.fulfill({ json: [] }))
      await go(page, '/account/applications')
      await page.getByText('No applications yet').waitFor()
    },
  },
  {
    name: 'device',
    covers: '/device',
    state: 'error',
    route: '/device?user_code=BCDF-GHJK',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Go on' }).click()
      await page.getByText('No device waits with this code.').waitFor()
    },
    expectedErrors: ['400', '404'],
  },
  {
    name: 'device-check',
    covers: '/device',
    state: 'full',
    route: '/device',
    workspace: 'seeded',
    reach: async (page, bench) => {
      const { user_code: code } = await bench.api<{ user_code: string }>('POST', '/auth/device/code', {
        client_id: 'cairn-cli',
      })
      await page.getByRole('textbox', { name: 'Code of the device' }).fill(code)
      await page.getByRole('button', { name: 'Go on' }).click()
      await heading(page, 'Is this your device?')
    },
  },
  {
    name: 'invitation-over',
    covers: '/invitations/:id',
    state: 'error',
    route: '/invitations/none',
    workspace: 'seeded',
    reach: async (page) => page.getByText('This invitation is not open').waitFor(),
    expectedErrors: ['404', '400'],
  },
  {
    name: 'people-alone',
    covers: '/access',
    state: 'empty',
    route: '/access',
    workspace: 'fresh',
    reach: async (page) => page.getByText('You use this Cairn alone').waitFor(),
  },
  {
    name: 'people',
    covers: '/access',
    state: 'full',
    route: '/access',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor()
      await page.getByText('Messages to hand on').waitFor()
    },
  },
  {
    name: 'people-denied',
    covers: '/access',
    state: 'error',
    route: '/',
    workspace: 'seeded',
    reach: async (page) => {
      await refuse(page, '**/auth/admin/list-users**', 'permission_denied', 403)
      await go(page, '/access')
      await page.getByText('Your rights do not reach here').waitFor()
    },
    expectedErrors: ['403'],
  },
  {
    name: 'people-new',
    covers: '/access',
    state: 'dialog',
    route: '/access',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Add a person' }).click()
      await dialog(page, 'Add a person')
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await page.getByText('Enter a name.').waitFor()
    },
  },
  {
    name: 'person',
    covers: '/access/people/:id',
    state: 'full',
    route: '/access',
    workspace: 'seeded',
    reach: async (page) => openPerson(page, 'Ada Lovelace'),
  },
  {
    name: 'person-banned',
    covers: '/access/people/:id',
    state: 'full',
    route: '/access',
    workspace: 'seeded',
    reach: async (page) => {
      await openPerson(page, 'Alan Turing')
      await page.getByText('Left the company').waitFor()
    },
  },
  {
    name: 'person-unknown',
    covers: '/access/people/:id',
    state: 'error',
    route: '/access/people/nobody',
    workspace: 'seeded',
    reach: async (page) => page.getByText('There is no such person').waitFor(),
    expectedErrors: ['404'],
  },
  {
    name: 'rights',
    covers: '/access/rights',
    state: 'full',
    route: '/access/rights',
    workspace: 'seeded',
    reach: async (page) => page.getByRole('link', { name: 'Clerk' }).waitFor(),
  },
  {
    name: 'right-matrix',
    covers: '/access/rights/:type/:name',
    state: 'full',
    route: '/access/rights/permission/editors',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Show the fields of Books' }).click()
      await page.getByRole('checkbox', { name: 'Books: Delete' }).click()
      await page.getByText('1 change not saved').waitFor()
    },
  },
  {
    name: 'right-row-rules',
    covers: '/access/rights/:type/:name',
    state: 'full',
    route: '/access/rights/permission/editors',
    workspace: 'seeded',
    reach: async (page) => openRules(page),
  },
  {
    name: 'right-row-rule-refused',
    covers: '/access/rights/:type/:name',
    state: 'dialog',
    route: '/access/rights/permission/editors',
    workspace: 'seeded',
    reach: async (page) => {
      await openRules(page)
      await page.getByRole('button', { name: 'Edit the rule novels' }).click()
      await dialog(page, 'Edit the row rule')
      await page.getByRole('textbox', { name: 'Condition' }).fill('record.genre == ')
      await page.locator('.mantine-Textarea-error').waitFor()
    },
  },
  {
    name: 'right-administration',
    covers: '/access/rights/:type/:name',
    state: 'full',
    route: '/access/rights/profile/administrator',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('tab', { name: /Administration/ }).click()
      await page.getByRole('checkbox', { name: 'Read the audit log' }).waitFor()
    },
  },
  {
    name: 'right-role',
    covers: '/access/rights/:type/:name',
    state: 'full',
    route: '/access/rights/role/chief',
    workspace: 'seeded',
    reach: async (page) => page.getByText('Roles below').waitFor(),
  },
  {
    name: 'check-role',
    covers: '/access/check',
    state: 'full',
    route: '/access/check?role=chief',
    workspace: 'seeded',
    reach: async (page) => page.getByRole('table', { name: 'What Chief may do' }).waitFor(),
  },
  {
    name: 'check-why',
    covers: '/access/check',
    state: 'dialog',
    route: '/access/check',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('combobox', { name: 'Preview as' }).selectOption({ label: 'Ada Lovelace' })
      await page.getByText('Preview: the navigation shows what Ada Lovelace could open.').waitFor()
      await page.getByRole('button', { name: /^Books, Edit: Yes/ }).click()
      await page.getByText('Because of').waitFor()
    },
  },
  {
    name: 'audit',
    covers: '/access/audit',
    state: 'full',
    route: '/access/audit?kind=permissions.*',
    workspace: 'seeded',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Verify the chain' }).click()
      await page.getByText('The chain is whole').waitFor()
      await page.getByText('Details').nth(1).click()
    },
  },
  {
    name: 'audit-no-match',
    covers: '/access/audit',
    state: 'empty',
    route: '/access/audit?until=2001-01-01',
    workspace: 'seeded',
    reach: async (page) => page.getByText('No entry matches').waitFor(),
  },
]
