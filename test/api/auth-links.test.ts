// Links that are mailed: of each kind an account has one that counts, the newest, and it counts once (D-37, D-39). What is
// no link is refused like anything else, whatever page it names to lead back to.
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthHost, password } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'
import type { Answer } from '../support/create-test-host.ts'
import { sendBare } from '../support/raw-request.ts'

let host: AuthHost
const next = 'another long password'
/** Signed links that are made in the same second are the same link. */
const aSecond = 1_050

beforeAll(async () => {
  host = await createAuthHost({ plugins: { magicLink: true, oidcProvider: true, organization: true } })
})

afterAll(() => host.stop())

/** The secrets of all links of a kind that wait for an address, newest first, once there are so many. */
async function secretsOf(to: string, kind: string, count: number): Promise<string[]> {
  for (let tries = 0; tries < 200; tries += 1) {
    const { body } = await host.get('/auth/outbox')
    const links = (body.messages as { to: string; kind: string; content: string }[])
      .filter((message) => message.to === to && message.kind === kind)
      .map(({ content }) => new URL(content))
    if (links.length >= count)
      return links.map((link) => link.searchParams.get('token') ?? link.pathname.split('/').at(-1)!)
    await pause(10)
  }
  throw new Error(`${count} mails of kind ${kind} do not come to wait for ${to}.`)
}

const post = (path: string, body: unknown): Promise<Answer> => host.anonymous('POST', path, body)
const reset = (token: string): Promise<Answer> => post('/auth/reset-password', { token, newPassword: next })
const prove = (token: string): Promise<Answer> => host.anonymous('GET', `/auth/verify-email?token=${token}`)
const codeOf = ({ status, body }: Answer): unknown => (status === 200 ? 200 : body.error.code)

/** Each kind: how a link is asked for, and how it is redeemed. */
const kinds = [
  {
    kind: 'reset-password',
    ask: (email: string) => post('/auth/request-password-reset', { email }),
    redeem: reset,
  },
  {
    kind: 'verify-email',
    ask: (email: string) => post('/auth/send-verification-email', { email }),
    redeem: prove,
  },
  {
    kind: 'magic-link',
    ask: (email: string) => post('/auth/magic-link/send', { email }),
    redeem: (token: string) => post('/auth/magic-link/verify', { token }),
  },
] as const

describe.each(kinds)('a link of kind $kind', ({ kind, ask, redeem }) => {
  it('does not count any more when a newer one was sent', async () => {
    const { email } = await host.account(`new_${kind.replace('-', '_')}`)
    await ask(email)
    const [first] = await secretsOf(email, kind, 1)
    if (kind === 'verify-email') await pause(aSecond)
    await ask(email)
    const second = (await secretsOf(email, kind, 2)).find((secret) => secret !== first)!
    const answers = [await redeem(first!), await redeem(second), await redeem(second)]
    expect(answers.map(codeOf)).toEqual(['token_invalid', 200, 'token_invalid'])
  })

  it('opens once of three that were asked for and redeemed at the same time', async () => {
    const { email } = await host.account(`many_${kind.replace('-', '_')}`)
    await Promise.all([ask(email), ask(email), ask(email)])
    const secrets = await secretsOf(email, kind, 3)
    const answers = await Promise.all([...secrets, ...secrets].map(redeem))
    expect(answers.map(codeOf).filter((code) => code === 200)).toHaveLength(1)
    expect(answers.map(codeOf).filter((code) => code === 'token_invalid')).toHaveLength(5)
  })
})

describe('a link to set a new password', () => {
  it('of an older mail leads to the page with an error, that of the newest with its token', async () => {
    const email = (await host.account('lea')).email
    for (let count = 1; count <= 2; count += 1) await post('/auth/request-password-reset', { email })
    const secrets = await secretsOf(email, 'reset-password', 2)
    const led = await Promise.all(
      secrets.map((secret) => host.anonymous('GET', `/auth/reset-password/${secret}?callbackURL=/`)),
    )
    const places = led.map(({ headers }) => headers.get('location') ?? '')
    expect(places.filter((place) => place.endsWith('/?error=INVALID_TOKEN'))).toHaveLength(1)
    expect(places.filter((place) => secrets.some((secret) => place.endsWith(`/?token=${secret}`)))).toHaveLength(1)
  })

  it('stays good when the new password is refused for its length', async () => {
    const { email } = await host.account('pia')
    await post('/auth/request-password-reset', { email })
    const [token] = await secretsOf(email, 'reset-password', 1)
    const short = await post('/auth/reset-password', { token, newPassword: 'x' })
    expect(short.body.error.details.fieldErrors).toMatchObject([{ field: 'newPassword', code: 'min_length' }])
    expect((await reset(token!)).status).toBe(200)
    expect((await post('/auth/login', { username: 'pia', password: next })).status).toBe(200)
  })

  it('is void after the person, or whoever manages accounts, has set a password', async () => {
    const { id, email } = await host.account('careful')
    const ask = async (count: number): Promise<string> => {
      await post('/auth/request-password-reset', { email })
      return (await secretsOf(email, 'reset-password', count))[0]!
    }
    const first = await ask(1)
    const body = { currentPassword: password, newPassword: next }
    expect((await host.as(await host.signIn('careful'), 'POST', '/auth/change-password', body)).status).toBe(200)
    expect(codeOf(await reset(first))).toBe('token_invalid')
    const second = await ask(2)
    expect((await host.post('/auth/admin/set-user-password', { userId: id, newPassword: password })).status).toBe(200)
    expect(codeOf(await reset(second))).toBe('token_invalid')
  })

  it('is void after the person has set a first password, too', async () => {
    const owner = 'owner@cairn.local'
    await post('/auth/request-password-reset', { email: owner })
    const [secret] = await secretsOf(owner, 'reset-password', 1)
    expect(codeOf(await host.post('/auth/set-password', { newPassword: password }))).toBe(200)
    expect(codeOf(await reset(secret!))).toBe('token_invalid')
  })

  it('is void after a password was set with the token a sign-in gave, and the other way round', async () => {
    const { id, email } = await host.account('rut')
    await post('/auth/request-password-reset', { email })
    const [mailed] = await secretsOf(email, 'reset-password', 1)
    await host.post('/auth/admin/set-user-password', { userId: id, newPassword: password })
    const held = await post('/auth/login', { username: 'rut', password })
    const { resetToken } = held.body.error.details
    expect(codeOf(await reset(mailed!))).toBe('token_invalid')
    expect(codeOf(await reset(resetToken as string))).toBe(200)
  })
})

describe('a change of address', () => {
  it('follows the newest request alone', async () => {
    const { id, email } = await host.account('eva')
    await host.post('/auth/admin/update-user', { userId: id, data: { emailVerified: true } })
    const token = await host.signIn('eva')
    await host.as(token, 'POST', '/auth/change-email', { newEmail: 'one@new.example.org' })
    const [first] = await secretsOf(email, 'change-email', 1)
    await pause(aSecond)
    await host.as(token, 'POST', '/auth/change-email', { newEmail: 'two@new.example.org' })
    const second = (await secretsOf(email, 'change-email', 2)).find((secret) => secret !== first)!
    expect([codeOf(await prove(first!)), codeOf(await prove(second))]).toEqual(['token_invalid', 200])
    const [proof] = await secretsOf('two@new.example.org', 'verify-email', 1)
    await host.as(token, 'POST', '/auth/change-email', { newEmail: 'three@new.example.org' })
    await secretsOf(email, 'change-email', 3)
    expect(codeOf(await prove(proof!))).toBe('token_invalid')
  })
})

describe('what is no link', () => {
  it('breaks no step that follows one, with whatever it comes and wherever it is to lead', async () => {
    const rubbish = [
      '',
      'a',
      '/',
      '//evil.example',
      'http://evil.example/',
      'javascript:a',
      '%00',
      '%EF%BF%BF',
      '[]',
      'x.e30.y',
      '%2e%2e',
    ]
    const steps = [
      'reset-password/X?callbackURL=Y',
      'reset-password/a?callbackURL=Y&token=X',
      'verify-email?token=X&callbackURL=Y',
    ]
    steps.push('magic-link/verify?token=X&callbackURL=Y&errorCallbackURL=Y&newUserCallbackURL=X', 'device?user_code=X')
    steps.push('callback/X?code=X&state=Y', 'callback/google?error=X&state=Y', 'oauth2/callback/X?state=X&code=Y&iss=Y')
    steps.push('oauth2/authorize?client_id=X&redirect_uri=Y&response_type=code&state=X', 'oauth2/authorize?X=Y')
    steps.push('oauth2/end-session?id_token_hint=X&post_logout_redirect_uri=Y', 'oauth2/public-client?client_id=X')
    const broken: string[] = []
    for (const step of steps)
      for (const [index, first] of rubbish.entries()) {
        const second = index % 2 === 0 ? '/' : rubbish[(index + 3) % rubbish.length]!
        const path = `/api/v1/auth/${step.replaceAll('X', first).replaceAll('Y', second)}`
        const { status } = await sendBare(host.host.port, path)
        if (status === 0 || status >= 500) broken.push(`${status} ${path}`)
      }
    expect(broken).toEqual([])
  })

  it('is refused, whatever page it names, and proves nobody’s address', async () => {
    const payload = Buffer.from(JSON.stringify({ email: 'owner@cairn.local' })).toString('base64url')
    host.takeEvents()
    for (const token of ['a', '/', '..', 'a.b.c', 'x.bnVsbA.y', `x.${payload}.y`, '%00', '%F0%9F%98%80']) {
      const answer = await host.anonymous('GET', `/auth/verify-email?token=${token}&callbackURL=/`)
      expect([answer.status, codeOf(answer)], token).toEqual([400, 'token_invalid'])
    }
    expect(host.takeEvents().filter(({ type }) => type === 'auth.email_verified')).toEqual([])
  })
})
