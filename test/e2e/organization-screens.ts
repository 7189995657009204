// The part of the register of screens about organizations, sharing, and signing in to other applications.
import type { Page } from 'playwright-core'
import type { ConsoleBench } from './open-console.ts'
import { cut, dialog, heading, refuse } from './screen.ts'
import type { Screen } from './screen.ts'
import { enterPassword } from './sign-in-steps.ts'
import { password } from './seed-access.ts'

async function go(page: Page, route: string): Promise<void> {
  await page.evaluate((hash) => {
    window.location.hash = hash
  }, route)
}

async function openOrganization(page: Page, tab?: RegExp): Promise<void> {
  await heading(page, 'Organizations')
  await page.getByRole('link', { name: 'Analytical Engines' }).click()
  await heading(page, 'Analytical Engines')
  if (tab) await page.getByRole('tab', { name: tab }).click()
}

/** Goes where an application would lead the browser of whoever is signed in. */
async function authorize(page: Page, bench: ConsoleBench, further: Record<string, string> = {}): Promise<void> {
  const [client] = await bench.api<{ client_id: string }[]>('GET', '/auth/oauth2/get-clients')
  const query = new URLSearchParams({
    client_id: client?.client_id ?? '',
    response_type: 'code',
    redirect_uri: 'http://127.0.0.1:9/back',
    scope: 'openid profile email offline_access',
    state: 'a state',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    ...further,
  })
  await page.goto(`${bench.host.url}/api/v1/auth/oauth2/authorize?${query}`)
}

async function openShare(page: Page): Promise<void> {
  await page.getByRole('gridcell', { name: 'Book 1', exact: true }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Share…' }).click()
  await dialog(page, 'Share “Book 1”')
}

const organized = { workspace: 'organized', state: 'full' } as const

/** Screens of organizations, sharing and applications. */
export const organizationScreens: readonly Screen[] = [
  {
    ...organized,
    name: 'organizations',
    covers: '/organizations',
    route: '/organizations',
    reach: async (page) => page.getByRole('button', { name: 'Work here: Bletchley' }).waitFor(),
  },
  {
    ...organized,
    name: 'organizations-switch',
    covers: '/organizations',
    state: 'dialog',
    route: '/organizations',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Organization: Analytical Engines. Switch' }).click()
      await page.getByRole('menuitem', { name: 'Bletchley' }).waitFor()
    },
  },
  {
    ...organized,
    name: 'organizations-new',
    covers: '/organizations',
    state: 'dialog',
    route: '/organizations',
    reach: async (page) => {
      await page.getByRole('button', { name: 'New organization' }).click()
      await dialog(page, 'New organization')
      await page.getByRole('button', { name: 'Create' }).click()
      await page.getByText('Enter a name.').waitFor()
    },
  },
  {
    name: 'organizations-none',
    covers: '/organizations',
    state: 'empty',
    workspace: 'organized',
    reach: async (page) => {
      await enterPassword(page, 'kay', password)
      await heading(page, 'Choose an organization')
      await page.getByText('You are in no organization yet').waitFor()
    },
    expectedErrors: ['401', '403'],
  },
  {
    name: 'organizations-off',
    covers: '/organizations',
    state: 'empty',
    route: '/organizations',
    workspace: 'fresh',
    reach: async (page) => page.getByText('Organizations are off').waitFor(),
  },
  {
    ...organized,
    name: 'organizations-failed',
    covers: '/organizations',
    state: 'error',
    route: '/organizations',
    reach: async (page) => {
      await cut(page, '**/organization/**')
      await page.reload()
      await page.getByRole('button', { name: 'Try again' }).waitFor()
    },
    expectedErrors: ['ERR_CONNECTION_REFUSED'],
  },
  {
    ...organized,
    name: 'organization-members',
    covers: '/organizations/:id/:part?',
    route: '/organizations',
    reach: async (page) => {
      await openOrganization(page)
      await page.getByRole('combobox', { name: 'Role of Grace Hopper' }).waitFor()
    },
  },
  {
    ...organized,
    name: 'organization-invitations',
    covers: '/organizations/:id/:part?',
    route: '/organizations',
    reach: async (page) => {
      await openOrganization(page, /Invitations/)
      await page.getByRole('textbox', { name: 'Link for charles@example.org' }).waitFor()
    },
  },
  {
    ...organized,
    name: 'organization-invite',
    covers: '/organizations/:id/:part?',
    state: 'dialog',
    route: '/organizations',
    reach: async (page) => {
      await openOrganization(page, /Invitations/)
      await page.getByRole('button', { name: 'Invite somebody' }).click()
      await page.getByRole('dialog').getByRole('textbox').fill('charles@example.org')
      await page.getByRole('button', { name: 'Invite', exact: true }).click()
      await page.getByText('This person is invited or a member already.').waitFor()
    },
    expectedErrors: ['400', '409'],
  },
  {
    ...organized,
    name: 'organization-teams',
    covers: '/organizations/:id/:part?',
    route: '/organizations',
    reach: async (page) => {
      await openOrganization(page, /Teams/)
      await page.getByRole('button', { name: 'Take out: Grace Hopper from Weavers' }).waitFor()
    },
  },
  {
    ...organized,
    name: 'organization-settings',
    covers: '/organizations/:id/:part?',
    route: '/organizations',
    reach: async (page) => {
      await openOrganization(page, /Settings/)
      await page.getByRole('button', { name: 'Delete the organization…' }).waitFor()
    },
  },
  {
    ...organized,
    name: 'organization-missing',
    covers: '/organizations/:id/:part?',
    state: 'error',
    route: '/organizations/0190f2a4-0000-7000-8000-000000000000',
    reach: async (page) => page.getByText('There is no such organization').waitFor(),
    expectedErrors: ['403', '404', '400'],
  },
  {
    name: 'share',
    covers: '/o/:name',
    state: 'dialog',
    route: '/o/book',
    workspace: 'seeded',
    reach: async (page) => {
      await openShare(page)
      await page.getByRole('button', { name: 'Share with Ada Lovelace' }).waitFor()
      await page.getByRole('button', { name: 'Find the new owner' }).click()
      await page.getByRole('button', { name: 'Give to Ada Lovelace' }).waitFor()
    },
    scrollsSideways: true,
  },
  {
    name: 'share-missing',
    covers: '/o/:name',
    state: 'error',
    route: '/o/book',
    workspace: 'seeded',
    reach: async (page) => {
      await refuse(page, '**/shares', 'resource_not_found', 404)
      await openShare(page)
      await page.getByText('This record is gone').waitFor()
    },
    expectedErrors: ['404'],
    scrollsSideways: true,
  },
  {
    name: 'clients',
    covers: '/access/clients',
    state: 'full',
    workspace: 'seeded',
    route: '/access/clients',
    reach: async (page) => page.getByRole('rowheader', { name: /^Reports/ }).waitFor(),
  },
  {
    name: 'clients-new',
    covers: '/access/clients',
    state: 'dialog',
    workspace: 'seeded',
    route: '/access/clients',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Add an application' }).click()
      await page.getByRole('textbox', { name: 'Where it is led back to' }).fill('http://example.org/back')
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await page.getByText('Enter complete addresses', { exact: false }).waitFor()
    },
  },
  {
    name: 'clients-secret',
    covers: '/access/clients',
    state: 'dialog',
    workspace: 'seeded',
    route: '/access/clients',
    reach: async (page) => {
      await page.getByRole('button', { name: 'Make a new secret for Reports' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click()
      await page.getByRole('textbox', { name: 'Secret' }).waitFor()
    },
  },
  {
    name: 'clients-off',
    covers: '/access/clients',
    state: 'empty',
    route: '/access/clients',
    workspace: 'fresh',
    reach: async (page) => page.getByText('Cairn signs in for no other application').waitFor(),
  },
  {
    name: 'consent',
    covers: '/consent',
    state: 'full',
    route: '/',
    workspace: 'seeded',
    reach: async (page, bench) => {
      // The owner has allowed it before; this makes the host ask again.
      await authorize(page, bench, { prompt: 'consent' })
      await heading(page, 'Let Reports sign you in?')
    },
  },
  {
    name: 'consent-too-old',
    covers: '/consent',
    state: 'error',
    route: '/',
    workspace: 'seeded',
    reach: async (page, bench) => {
      // The owner has allowed it before; this makes the host ask again.
      await authorize(page, bench, { prompt: 'consent' })
      await heading(page, 'Let Reports sign you in?')
      await go(
        page,
        page
          .url()
          .split('#')[1]
          ?.replace(/sig=[^&]*/, 'sig=old') ?? '',
      )
      await page.getByRole('button', { name: 'Allow' }).click()
      await heading(page, 'This request does not work')
    },
    expectedErrors: ['400'],
  },
  {
    name: 'sign-in-again',
    covers: '/sign-in',
    state: 'full',
    route: '/',
    workspace: 'seeded',
    reach: async (page, bench) => {
      await authorize(page, bench, { prompt: 'login' })
      await heading(page, 'Sign in again')
    },
  },
  {
    name: 'authorize-error',
    covers: '/authorize-error',
    state: 'error',
    route: '/',
    workspace: 'seeded',
    reach: async (page, bench) => {
      await authorize(page, bench, { redirect_uri: 'https://evil.example/' })
      await heading(page, 'This request does not work')
    },
  },
]
