// Cairn as an OpenID provider for people: they come from another site, sign in in every way there is, allow or refuse, and
// are led back. In a browser, with a standard client on the other side.
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as openid from 'openid-client'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startOidcPeer } from '../support/oidc-peer.ts'
import type { OidcPeer } from '../support/oidc-peer.ts'
import { openBench } from './open-console.ts'
import type { ConsoleBench, ConsolePage } from './open-console.ts'
import { makePerson, password, widenLimits } from './seed-access.ts'
import { enterPassword, totp } from './sign-in-steps.ts'

/** An application on another site: one page that leads to the provider, one that is led back to. */
interface Application {
  readonly server: Server
  readonly origin: string
  /** Where its link leads. */
  goesTo: string
}

async function startApplication(): Promise<Application> {
  const application = { goesTo: '' } as { -readonly [K in keyof Application]: Application[K] }
  application.server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    const body = path === '/back' ? '<h1>Back</h1>' : `<h1>Reports</h1><a href="${application.goesTo}">Sign in</a>`
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>Reports</title>${body}`)
  })
  await new Promise<void>((resolve) => application.server.listen(0, 'localhost', resolve))
  // By name: to the browser another site than 127.0.0.1.
  application.origin = `http://localhost:${(application.server.address() as AddressInfo).port}`
  return application
}

describe('signing in to another application', () => {
  let peer: OidcPeer
  let application: Application
  let bench: ConsoleBench
  let ada: ConsolePage
  let adaId: string
  let client: openid.Configuration
  let checks: openid.AuthorizationCodeGrantChecks

  beforeAll(async () => {
    peer = await startOidcPeer()
    application = await startApplication()
    bench = await openBench({
      plugins: { oidcProvider: true, magicLink: true },
      oidcProviders: [
        {
          providerId: 'company',
          name: 'Company',
          discoveryUrl: `${peer.issuer}/.well-known/openid-configuration`,
          clientId: peer.clientId,
          clientSecret: peer.clientSecret,
        },
      ],
    })
    peer.allow(`${bench.host.url}/api/v1/auth/callback/company`)
    await widenLimits(bench)
    adaId = await makePerson(bench, 'Ada Lovelace', 'ada')
    await makePerson(bench, 'Grace Hopper', 'grace')
    ada = await bench.openAnonymous()
  })
  afterAll(async () => {
    await bench?.stop()
    await peer?.stop()
    application?.server.close()
  })

  /** Follows the link of the application, as somebody who comes from there. */
  async function come(page: Page, parameters: Record<string, string> = {}): Promise<void> {
    const verifier = openid.randomPKCECodeVerifier()
    const [state, nonce] = [openid.randomState(), openid.randomNonce()]
    checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce }
    application.goesTo = openid
      .buildAuthorizationUrl(client, {
        redirect_uri: `${application.origin}/back`,
        scope: 'openid profile email',
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        ...parameters,
      })
      .href.replaceAll('&', '&amp;')
    await page.goto(`${application.origin}/`)
    await page.getByRole('link', { name: 'Sign in' }).click()
  }

  /** Waits until the application is led back to; answers with what. */
  async function back(page: Page): Promise<URL> {
    await page.getByRole('heading', { name: 'Back' }).waitFor()
    return new URL(page.url())
  }

  const signedIn = async (page: Page) => openid.authorizationCodeGrant(client, await back(page), checks)

  it('begins with an administrator who adds the application and sees its secret once', async () => {
    const owner = await bench.open('/access/clients')
    const { page } = owner
    await page.getByRole('button', { name: 'Add an application' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Reports')
    await page.getByRole('textbox', { name: 'Where it is led back to' }).fill(`${application.origin}/back`)
    await page.getByRole('checkbox', { name: 'This also while the person is away' }).check()
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    const id = await page.getByRole('textbox', { name: 'Client id' }).inputValue()
    const first = await page.getByRole('textbox', { name: 'Secret' }).inputValue()
    await page.getByRole('button', { name: 'I kept them' }).click()
    await page.getByRole('rowheader', { name: /^Reports/ }).waitFor()
    expect(await page.content()).not.toContain(first)
    await page.getByRole('button', { name: 'Make a new secret for Reports' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click()
    const secret = await page.getByRole('textbox', { name: 'Secret' }).inputValue()
    expect(secret).not.toBe(first)
    client = await openid.discovery(new URL(bench.host.url), id, secret, openid.ClientSecretBasic(secret), {
      execute: [openid.allowInsecureRequests],
    })
    expect(owner.errors).toEqual([])
    await owner.close()
  })

  it('asks who somebody is, then whether the application may know, and leads back', async () => {
    const { page } = ada
    await come(page)
    await page.getByText('An application wants to know who you are.', { exact: false }).waitFor()
    await enterPassword(page, 'ada', password)
    await page.getByRole('heading', { level: 1, name: 'Let Reports sign you in?' }).waitFor()
    const said = page.getByRole('list').getByRole('listitem')
    expect(await said.allTextContents()).toEqual([
      'Recognise you when you come back',
      'See your name and your picture',
      'See your email address, ada@example.org',
    ])
    // From the heading, by keyboard alone: another account, Refuse, Allow.
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Allow')
    await page.keyboard.press('Enter')
    const tokens = await signedIn(page)
    expect(tokens.claims()?.sub).toBe(adaId)
    const info = await openid.fetchUserInfo(client, tokens.access_token, adaId)
    expect(info.email).toBe('ada@example.org')
  })

  it('remembers the answer, and asks nothing of who is signed in', async () => {
    await come(ada.page)
    expect((await signedIn(ada.page)).claims()?.sub).toBe(adaId)
    await come(ada.page, { prompt: 'none' })
    expect((await signedIn(ada.page)).claims()?.sub).toBe(adaId)
  })

  it('forgets the answer when the person ends it on the page of the account', async () => {
    const { page } = ada
    await page.goto(`${bench.host.url}/_console/#/account/applications`)
    await page.getByRole('button', { name: 'End what Reports may do' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click()
    await page.getByText('No applications yet').waitFor()
    await come(page)
    await page.getByRole('button', { name: 'Allow' }).click()
    expect((await signedIn(page)).claims()?.sub).toBe(adaId)
  })

  it('answers what it would have to ask where nothing may be asked', async () => {
    await come(ada.page, { prompt: 'none', scope: 'openid email offline_access' })
    expect((await back(ada.page)).searchParams.get('error')).toBe('consent_required')
    const stranger = await bench.openAnonymous()
    await come(stranger.page, { prompt: 'none' })
    expect((await back(stranger.page)).searchParams.get('error')).toBe('login_required')
    await stranger.close()
  })

  it('asks again where the application wants that, and takes a refusal', async () => {
    const { page } = ada
    await come(page, { prompt: 'consent' })
    await page.getByRole('button', { name: 'Refuse' }).click()
    const refused = await back(page)
    expect([refused.searchParams.get('error'), refused.searchParams.get('code')]).toEqual(['access_denied', null])

    await come(page, { prompt: 'login', max_age: '0' })
    await page.getByRole('heading', { level: 1, name: 'Sign in again' }).waitFor()
    const before = Math.floor(Date.now() / 1000)
    await enterPassword(page, 'ada@example.org', password)
    const claims = (await signedIn(page)).claims()
    expect(Number(claims?.auth_time)).toBeGreaterThanOrEqual(before)
  })

  it('lets somebody else in by the way of another account', async () => {
    const { page } = ada
    await come(page, { prompt: 'consent' })
    await page.getByRole('link', { name: 'Use another account' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sign in again' }).waitFor()
    await enterPassword(page, 'grace', password)
    await page.getByText('You are Grace Hopper (grace@example.org).').waitFor()
    await page.getByRole('button', { name: 'Allow' }).click()
    expect((await signedIn(page)).claims()?.sub).not.toBe(adaId)
  })

  it('goes on after a second factor', async () => {
    const id = await makePerson(bench, 'Alan Turing', 'alan')
    const call = async (token: string, path: string, body: unknown): Promise<Record<string, unknown>> => {
      const answer = await fetch(`${bench.host.url}/api/v1/auth/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(token === '' ? {} : { authorization: `Bearer ${token}` }) },
        body: JSON.stringify(body),
      })
      return (await answer.json()) as Record<string, unknown>
    }
    const { token } = await call('', 'login', { username: 'alan', password })
    const { totpURI } = await call(String(token), 'two-factor/enable', { password })
    const secret = new URL(String(totpURI)).searchParams.get('secret') ?? ''
    await call(String(token), 'two-factor/verify-totp', { code: totp(secret, Date.now()) })
    const alan = await bench.openAnonymous()
    await come(alan.page)
    await enterPassword(alan.page, 'alan', password)
    await alan.page.getByRole('heading', { level: 1, name: 'Second step' }).waitFor()
    await alan.page.getByRole('textbox', { name: 'Code' }).fill(totp(secret, Date.now() + 30_000))
    await alan.page.keyboard.press('Enter')
    await alan.page.getByRole('button', { name: 'Allow' }).click()
    expect((await signedIn(alan.page)).claims()?.sub).toBe(id)
    await alan.close()
  })

  it('goes on after a link in a mail and after another provider', async () => {
    const guest = await bench.openAnonymous()
    const { page } = guest
    await come(page)
    await page.getByRole('button', { name: 'Continue with Company' }).waitFor()
    const { pathname, hash } = new URL(page.url())
    await bench.api('POST', '/auth/magic-link/send', { email: 'ada@example.org', callbackURL: pathname + hash })
    const find = async (): Promise<string | undefined> => {
      const { messages } = await bench.api<{ messages: { to: string; kind: string; content: string }[] }>(
        'GET',
        '/auth/outbox',
      )
      return messages.find(({ to, kind }) => to === 'ada@example.org' && kind === 'magic-link')?.content
    }
    await expect.poll(find).toBeDefined()
    await page.goto((await find()) ?? '')
    // Allowed before, by the same person.
    expect((await signedIn(page)).claims()?.sub).toBe(adaId)
    await page.context().clearCookies()

    peer.claims = { sub: 'peer-1', email: 'tess@example.org', email_verified: true, name: 'Tess' }
    await come(page)
    await page.getByRole('button', { name: 'Continue with Company' }).click()
    await page.getByText('You are Tess (tess@example.org).').waitFor()
    await page.getByRole('button', { name: 'Allow' }).click()
    const tokens = await signedIn(page)
    const info = await openid.fetchUserInfo(client, tokens.access_token, tokens.claims()?.sub ?? '')
    expect(info.email).toBe('tess@example.org')
    await guest.close()
  })

  it('leads nobody to an address that is not registered', async () => {
    const { page } = ada
    for (const redirect_uri of ['https://evil.example/', `${application.origin}/other`]) {
      await come(page, { redirect_uri })
      await page.getByRole('heading', { level: 1, name: 'This request does not work' }).waitFor()
      expect(new URL(page.url()).origin).toBe(bench.host.url)
    }
    const forged = new URLSearchParams({ client_id: 'nobody', redirect_uri: 'https://evil.example/', sig: 'x' })
    await page.goto(`${bench.host.url}/_console/#/sign-in?${forged}`)
    await page.getByRole('heading', { level: 1, name: 'This request does not work' }).waitFor()
    await page.goto('about:blank')
    await page.goto(`${bench.host.url}/_console/#/consent?${forged}`)
    await page.getByRole('heading', { level: 1, name: 'This request does not work' }).waitFor()
    expect(new URL(page.url()).origin).toBe(bench.host.url)
  })
})
