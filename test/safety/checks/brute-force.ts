// Guesses at one account are judged as often as the limits allow and not once more: in parallel, from many addresses, over
// a restart (N1). A guess counts as judged when the answer tells right from wrong; refused ones tell nothing.
import { setTimeout as pause } from 'node:timers/promises'
import { createManualClock } from '#main/kernel/clock.ts'
import type { PluginDefinition } from '#main/kernel/plugin.ts'
import { withAuthDoors, withoutWrites } from '../../support/auth-doors.ts'
import { createAuthHost, password } from '../../support/auth-host.ts'
import type { AuthHost } from '../../support/auth-host.ts'
import { pretendedAddress, send, sendMany } from '../identity-client.ts'
import type { IdentityAnswer } from '../identity-client.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'
import { answerChallenge, openChallenge, withSecondFactor } from '../second-factor.ts'

/** One thing that can be guessed: how one guess looks, and how many may be judged over all. */
interface Target {
  readonly name: string
  readonly limit: number
  guess(index: number): Promise<IdentityAnswer>
  judged(answer: IdentityAnswer): boolean
}

const wrong = (answer: IdentityAnswer): boolean => answer.code === 'invalid_credentials'
const done = (answer: IdentityAnswer): boolean => answer.status === 200

/** Addresses of the loopback network that are really different. */
const addressOf = (index: number): number => 2 + (index % 200)

async function targetsOf(host: AuthHost): Promise<Target[]> {
  for (const name of ['loga', 'emil', 'nama', 'seth', 'mara', 'rena', 'vera', 'devi']) await host.account(name)
  const sessions = { seth: await host.signIn('seth'), devi: await host.signIn('devi') }
  const post = (path: string, body: (index: number) => unknown, token?: string) => (index: number) =>
    send(host, 'POST', path, {
      body: body(index),
      headers: pretendedAddress(index),
      from: addressOf(index),
      ...(token === undefined ? {} : { token }),
    })
  const factors = await Promise.all(['tomo', 'bako', 'otto'].map((name) => withSecondFactor(host, name)))
  const challenges = new Map<string, string[]>()
  for (const { name } of factors) {
    const opened: string[] = []
    for (let count = 0; count < 8; count += 1) opened.push(await openChallenge(host, name))
    challenges.set(name, opened)
  }
  for (const cookie of challenges.get('otto')!)
    await send(host, 'POST', '/auth/two-factor/send-otp', { body: {}, headers: { cookie, origin: host.host.url } })
  const factor = (name: string, step: string, code: (index: number) => string): Target => ({
    name: `second factor, ${step}`,
    limit: 10,
    guess(index) {
      const opened = challenges.get(name)!
      return answerChallenge(host, opened[index % opened.length]!, code(index), step, addressOf(index))
    },
    judged: wrong,
  })
  const digits = (index: number): string => String(index * 4_799).padStart(6, '0')
  const named = (name: string, limit: number, judged: Target['judged'], guess: Target['guess']): Target => ({
    name,
    limit,
    guess,
    judged,
  })
  return [
    named(
      'login, by name and address in turn',
      10,
      wrong,
      post('/auth/login', (index) => ({
        username: ['loga', 'LOGA ', 'loga@example.org', 'Loga@Example.org'][index % 4],
        password: `guess ${index}`,
      })),
    ),
    named(
      'sign-in by address',
      10,
      wrong,
      post('/auth/sign-in/email', (index) => ({ email: 'emil@example.org', password: `guess ${index}` })),
    ),
    named(
      'sign-in by name',
      10,
      wrong,
      post('/auth/sign-in/username', (index) => ({ username: 'nama', password: `guess ${index}` })),
    ),
    named('the password inside a session, at every step that asks for it', 10, wrong, (index) =>
      post(
        passwordSteps[index % passwordSteps.length]!,
        () => ({ currentPassword: `guess ${index}`, password: `guess ${index}`, newPassword: 'whatever it is' }),
        sessions.seth,
      )(index),
    ),
    factor('tomo', 'verify-totp', digits),
    factor('bako', 'verify-backup-code', (index) => `${digits(index).slice(1)}-${digits(index).slice(1)}`),
    factor('otto', 'verify-otp', digits),
    named(
      'user codes of devices',
      10,
      (answer) => answer.status !== 429,
      (index) => {
        if (index % 3 === 2)
          return send(host, 'GET', `/auth/device?user_code=${userCode(index)}`, { token: sessions.devi })
        const step = index % 3 === 0 ? 'approve' : 'deny'
        return post(`/auth/device/${step}`, () => ({ userCode: userCode(index) }), sessions.devi)(index)
      },
    ),
    named(
      'links to reset a password',
      3,
      done,
      post('/auth/request-password-reset', () => ({ email: 'rena@example.org' })),
    ),
    named(
      'links to prove an address',
      3,
      done,
      post('/auth/send-verification-email', () => ({ email: 'vera@example.org' })),
    ),
    named(
      'links that sign in',
      3,
      done,
      post('/auth/magic-link/send', (index) => ({ email: index % 2 === 0 ? 'mara@example.org' : 'MARA@example.org' })),
    ),
  ]
}

/** Steps that judge the password of whoever is signed in. */
const passwordSteps = [
  '/auth/change-password',
  '/auth/verify-password',
  '/auth/two-factor/enable',
  '/auth/two-factor/disable',
  '/auth/two-factor/generate-backup-codes',
  '/auth/two-factor/get-totp-uri',
  '/auth/delete-user',
] as const

function userCode(index: number): string {
  const letters = 'BCDFGHJKLMNPQRSTVWXZ'
  return Array.from({ length: 8 }, (_none, place) => letters[(index * (place + 7) + place) % 20]!).join('')
}

/** Guesses judged beyond the limit: as many as come at once, a restart, and as many again. */
async function countOverLimit(context: CheckContext, plugins: PluginDefinition[] | undefined): Promise<number> {
  // Without its guard every guess costs a hash; a few show as much as many.
  const atOnce = plugins !== undefined ? 20 : context.size === 'commit' ? 100 : 1_000
  const clock = createManualClock(Date.now())
  const host = await createAuthHost(
    { plugins: { magicLink: true, oidcProvider: true } },
    { clock, ...(plugins === undefined ? {} : { plugins }) },
  )
  try {
    let over = 0
    const targets = await targetsOf(host)
    const counts = new Map(targets.map(({ name }) => [name, 0]))
    for (const first of [0, atOnce]) {
      for (const { name, guess, judged } of targets) {
        const answers = await guessAtOnce(context, name, atOnce, guess, first)
        counts.set(name, counts.get(name)! + answers.filter(judged).length)
        const odd = answers.find((answer) => answer.status >= 500 || answer.status === 0)
        if (odd !== undefined) throw new Error(`${name} answered ${odd.status}`)
      }
      if (first === 0) await host.restart()
    }
    for (const { name, limit } of targets) {
      const found = counts.get(name)!
      context.log(`${name}: ${found} of ${2 * atOnce} judged, limit ${limit}`)
      over += Math.max(0, found - limit)
      // A limit that judges nothing at all would keep everybody out.
      if (found === 0) throw new Error(`${name}: no guess was judged`)
    }
    over += await countMails(context, host)
    over += await countOneTimeCodes(context, host, atOnce)
    over += await countAddressBuckets(context, host, atOnce)
    return over
  } finally {
    await host.stop()
  }
}

/**
 * Guesses that come at once. On a machine that is too busy to read a connection within its time limit the host breaks it
 * off; such a guess comes again, and too many of them are no measurement.
 */
async function guessAtOnce(
  context: CheckContext,
  name: string,
  count: number,
  guess: Target['guess'],
  first: number,
): Promise<IdentityAnswer[]> {
  const broken: number[] = []
  const tries = await sendMany(
    count,
    (index) =>
      guess(index).catch(() => {
        broken.push(index)
        return null
      }),
    first,
  )
  if (broken.length > count / 10) throw new Error(`${name}: ${broken.length} of ${count} connections broke`)
  if (broken.length > 0) context.log(`${name}: ${broken.length} connections broke`)
  const again: IdentityAnswer[] = []
  for (const index of broken) again.push(await guess(index))
  return [...tries.filter((answer) => answer !== null), ...again]
}

/** Mails beyond three to one address, whatever the answers said. */
async function countMails(context: CheckContext, host: AuthHost): Promise<number> {
  await pause(200)
  const { messages } = (await host.get('/auth/outbox')).body as { messages: { to: string }[] }
  const sent = ['rena', 'vera', 'mara'].map((name) => messages.filter(({ to }) => to === `${name}@example.org`).length)
  context.log(`mails: ${sent.join(', ')}`)
  return sent.reduce((sum, count) => sum + Math.max(0, count - 3), 0)
}

/** An open one-time code that is still good after five wrong guesses. */
async function countOneTimeCodes(context: CheckContext, host: AuthHost, guesses: number): Promise<number> {
  const code = host.host.mintCode()
  const redeem = (tried: string) =>
    send(host, 'POST', '/_console/session', { body: { code: tried }, headers: { origin: host.host.url } })
  await sendMany(guesses, (index) => redeem(`${code.slice(0, -4)}${String(index).padStart(4, '0')}`))
  const { status } = await redeem(code)
  context.log(`the right one-time code after ${guesses} wrong ones: ${status}`)
  return status === 200 ? 1 : 0
}

/**
 * With buckets as they are delivered, or a share of that where time is short: names one after the other from one address,
 * whose bucket is ten times as wide, and secrets of one client.
 */
async function countAddressBuckets(context: CheckContext, host: AuthHost, guesses: number): Promise<number> {
  const made = await host.post('/auth/oauth2/create-client', {
    client_name: 'Guessed',
    redirect_uris: ['https://client.example/back'],
    grant_types: ['authorization_code'],
    token_endpoint_auth_method: 'client_secret_post',
  })
  const id = made.body.client_id as string
  const burst = guesses > 100 ? 10 : 3
  await host.patch('/settings', { rateLimits: { auth: { burst, refillPerSecond: burst / 60 } } })
  const spray = await sendMany(guesses, (index) =>
    send(host, 'POST', '/auth/login', {
      body: { username: `person-${index}`, password },
      headers: pretendedAddress(index),
      from: 201,
    }),
  )
  const grant = { grant_type: 'authorization_code', code: 'x', redirect_uri: 'https://client.example/back' }
  const basic = (secret: string): string => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
  const secrets = await sendMany(guesses, (index) =>
    send(host, 'POST', '/auth/oauth2/token', {
      form: { ...grant, ...(index % 2 === 0 ? { client_id: id, client_secret: `guess ${index}` } : {}) },
      headers: { ...pretendedAddress(index), ...(index % 2 === 0 ? {} : { authorization: basic(`guess ${index}`) }) },
      from: addressOf(index),
    }),
  )
  const judged = [spray, secrets].map((answers) => answers.filter(({ status }) => status !== 429).length)
  const limits = [burst * 10, burst]
  context.log(`one address, many names, and secrets of one client: ${judged} judged; limits ${limits}`)
  return judged.reduce((sum, count, index) => sum + Math.max(0, count - limits[index]!), 0)
}

defineCheck({
  id: 'N1',
  file: 'identity',
  stage: 2,
  unit: 'guesses judged and links sent beyond the limits',
  target: 0,
  run: (context) => countOverLimit(context, undefined),
  // Nothing is counted: every attempt goes on.
  twin: (context) => countOverLimit(context, withAuthDoors({ write: withoutWrites('auth.attempt', 0) })),
})
