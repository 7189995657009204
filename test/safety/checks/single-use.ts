// What opens something once opens it once: redeemed twice, by 50 at the same time, after a restart, and when it has
// expired (N3). The kinds are those the code makes; each says how one is made and how it is redeemed.
import { createHash, randomBytes } from 'node:crypto'
import type { Write } from '#main/kernel/database.ts'
import { withAuthDoors, withoutWrites } from '../../support/auth-doors.ts'
import { createAuthHost, password } from '../../support/auth-host.ts'
import type { AuthHost } from '../../support/auth-host.ts'
import { startOidcPeer } from '../../support/oidc-peer.ts'
import type { OidcPeer } from '../../support/oidc-peer.ts'
import { totp } from '../../support/totp.ts'
import { cookiesOf, send, sendMany } from '../identity-client.ts'
import type { IdentityAnswer } from '../identity-client.ts'
import { minimumOf } from '../minimums.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'
import { answerChallenge, openChallenge, withSecondFactor } from '../second-factor.ts'
import { attempt } from './sockets.ts'

/** Something that may be redeemed once. */
interface Kind {
  readonly name: string
  /** Makes a fresh one and answers how to redeem it; the number tells accounts of one kind apart. */
  make(number: number): Promise<() => Promise<IdentityAnswer>>
  /** Whether an answer let in; default: 200. */
  readonly opened?: (answer: IdentityAnswer) => boolean
  /** Makes everything of this kind expire; absent where it lives in memory and ends with the host. */
  readonly expire?: (host: AuthHost) => Promise<void>
}

const signedIn = (answer: IdentityAnswer): boolean =>
  (answer.headers['set-cookie'] ?? []).some((cookie) => /session_token=[^;]/.test(cookie))

const redirect = 'https://client.example/back'

/** Sets the instant of expiry of every row of a table of the library back. */
function expireRows(table: string, column = 'expiresAt') {
  return async (host: AuthHost): Promise<void> => {
    const past = new Date(Date.now() - 60_000).toISOString()
    await host.host.database.write('expire', (tx) => {
      tx.run({ sql: `UPDATE ${table} SET ${column} = ?`, parameters: [past] })
    })
  }
}

const expireVerifications = expireRows('auth_verification')

/** What a sign-in with a provider remembers says itself until when it counts. */
async function expireStates(host: AuthHost): Promise<void> {
  await host.host.database.write('expire', (tx) => {
    const sql = `UPDATE auth_verification SET value = json_set(value, '$.expiresAt', ?)
      WHERE json_valid(value) AND json_type(value, '$.expiresAt') IS NOT NULL`
    tx.run({ sql, parameters: [Date.now() - 60_000] })
  })
}

async function mailed(host: AuthHost, name: string, kind: string): Promise<string> {
  return host.waitingMail(`${name}@example.org`, kind)
}

async function kindsOf(host: AuthHost, peer: OidcPeer): Promise<Kind[]> {
  await host.post('/auth/set-password', { newPassword: password })
  const owner = cookiesOf(await send(host, 'POST', '/auth/sign-in/username', { body: { username: 'owner', password } }))
  const founder = await accountWithToken(host, 'wanda')
  const organization = await host.as(founder, 'POST', '/auth/organization/create', { name: 'Acme', slug: 'acme' })
  const client = await host.post('/auth/oauth2/create-client', {
    client_name: 'Client',
    redirect_uris: [redirect],
    scope: 'openid offline_access',
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'client_secret_post',
  })
  const secret = { client_id: client.body.client_id as string, client_secret: client.body.client_secret as string }
  const token = (fields: Record<string, string>) => () =>
    send(host, 'POST', '/auth/oauth2/token', { form: { ...secret, ...fields } })
  const codeOf = async (): Promise<Record<string, string>> => {
    const verifier = randomBytes(32).toString('base64url')
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const code = await authorizationCode(host, owner, secret.client_id, challenge)
    return { grant_type: 'authorization_code', code, redirect_uri: redirect, code_verifier: verifier }
  }
  return [
    {
      name: 'link to reset a password',
      async make(number) {
        const name = `resa${number}`
        await host.account(name)
        await send(host, 'POST', '/auth/request-password-reset', { body: { email: `${name}@example.org` } })
        const secretOfLink = new URL(await mailed(host, name, 'reset-password')).pathname.split('/').at(-1)
        const body = { token: secretOfLink, newPassword: 'another long password' }
        return () => send(host, 'POST', '/auth/reset-password', { body })
      },
      expire: expireVerifications,
    },
    {
      name: 'token to change a password that was given',
      async make(number) {
        const name = `cara${number}`
        const { id } = await host.account(name)
        await host.post('/auth/admin/set-user-password', { userId: id, newPassword: password })
        const held = await send(host, 'POST', '/auth/login', { body: { username: name, password } })
        const body = { token: held.body.error.details.resetToken as string, newPassword: 'another long password' }
        return () => send(host, 'POST', '/auth/reset-password', { body })
      },
      expire: expireVerifications,
    },
    {
      name: 'link to prove an address',
      async make(number) {
        const name = `vera${number}`
        await host.account(name)
        await send(host, 'POST', '/auth/send-verification-email', { body: { email: `${name}@example.org` } })
        const secretOfLink = new URL(await mailed(host, name, 'verify-email')).searchParams.get('token')
        return () => send(host, 'GET', `/auth/verify-email?token=${secretOfLink}`)
      },
    },
    {
      name: 'link to change an address',
      async make(number) {
        const name = `cora${number}`
        const { id } = await host.account(name)
        await host.post('/auth/admin/update-user', { userId: id, data: { emailVerified: true } })
        const body = { newEmail: `${name}@new.example.org` }
        await send(host, 'POST', '/auth/change-email', { token: await host.signIn(name), body })
        const secretOfLink = new URL(await mailed(host, name, 'change-email')).searchParams.get('token')
        return () => send(host, 'GET', `/auth/verify-email?token=${secretOfLink}`)
      },
    },
    {
      name: 'ticket of a socket',
      async make(number) {
        const session = await accountWithToken(host, `tina${number}`)
        const { body } = await send(host, 'POST', '/realtime/connect', { token: session, body: {} })
        const ticket = body.ticket as string
        // Beside the address, and in the first words.
        const ways = [
          { protocols: ['cairn.v1', `cairn.ticket.${ticket}`] },
          { frames: [JSON.stringify({ type: 'auth', ticket })] },
        ]
        let turn = 0
        return async () => {
          const { heard } = await attempt(host.host.url, ways[turn++ % 2]!)
          return { status: heard.length > 0 ? 200 : 401, code: '', body: heard, headers: {} }
        }
      },
    },
    {
      name: 'link that signs in',
      async make(number) {
        const name = `mara${number}`
        await host.account(name)
        await send(host, 'POST', '/auth/magic-link/send', { body: { email: `${name}@example.org` } })
        const body = { token: new URL(await mailed(host, name, 'magic-link')).searchParams.get('token') }
        return () => send(host, 'POST', '/auth/magic-link/verify', { body })
      },
      expire: expireVerifications,
    },
    {
      name: 'one-time code of the console',
      make() {
        const code = host.host.mintCode()
        const headers = { origin: host.host.url }
        return Promise.resolve(() => send(host, 'POST', '/_console/session', { body: { code }, headers }))
      },
    },
    {
      name: 'code of a device',
      async make() {
        const begun = await send(host, 'POST', '/auth/device/code', { body: { client_id: 'cairn-cli' } })
        const session = await accountWithToken(host, `dora${randomBytes(4).toString('hex')}`)
        const approved = await send(host, 'POST', '/auth/device/approve', {
          token: session,
          body: { userCode: begun.body.user_code },
        })
        if (approved.status !== 200) throw new Error('The device could not be approved.')
        const form = {
          grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
          device_code: begun.body.device_code as string,
          client_id: 'cairn-cli',
        }
        return () => send(host, 'POST', '/auth/device/token', { form })
      },
      expire: expireRows('auth_device_code'),
    },
    {
      name: 'state and code of a provider',
      async make(number) {
        peer.claims = { sub: `peer-${number}`, email: `peer${number}@example.org`, email_verified: true, name: 'Peer' }
        const body = { providerId: 'company', callbackURL: '/_console/' }
        const begun = await send(host, 'POST', '/auth/sign-in/oauth2', { body })
        const back = new URL(await peer.follow(begun.body.url as string))
        const headers = { cookie: cookiesOf(begun) }
        return () => send(host, 'GET', back.pathname.slice('/api/v1'.length) + back.search, { headers })
      },
      opened: signedIn,
      expire: expireStates,
    },
    {
      name: 'authorization code',
      make: async () => token(await codeOf()),
      expire: expireVerifications,
    },
    {
      name: 'refresh token',
      async make() {
        const { body } = await token(await codeOf())()
        return token({ grant_type: 'refresh_token', refresh_token: body.refresh_token as string })
      },
      expire: expireRows('auth_oauth_refresh_token'),
    },
    {
      name: 'invitation',
      async make(number) {
        const name = `inga${number}`
        const { id } = await host.account(name)
        await host.post('/auth/admin/update-user', { userId: id, data: { emailVerified: true } })
        const session = await host.signIn(name)
        const invited = await host.as(founder, 'POST', '/auth/organization/invite-member', {
          email: `${name}@example.org`,
          role: 'member',
          organizationId: organization.body.id,
        })
        const body = { invitationId: invited.body.id as string }
        return () => send(host, 'POST', '/auth/organization/accept-invitation', { token: session, body })
      },
      expire: expireRows('auth_invitation'),
    },
    {
      name: 'backup code, at challenges of its own',
      async make(number) {
        const { name, backupCodes } = await withSecondFactor(host, `bako${number}`)
        const cookies = await challengesOf(host, name, 3)
        let turn = 0
        return () => answerChallenge(host, cookies[turn++ % 3]!, backupCodes[0]!, 'verify-backup-code')
      },
      opened: signedIn,
    },
    {
      name: 'challenge for a second factor',
      async make(number) {
        const { name, backupCodes } = await withSecondFactor(host, `chas${number}`)
        const cookie = await openChallenge(host, name)
        // Another right code each time: the challenge itself is what is used up.
        let turn = 0
        return () => answerChallenge(host, cookie, backupCodes[1 + (turn++ % 8)]!, 'verify-backup-code')
      },
      opened: signedIn,
      expire: expireVerifications,
    },
    {
      name: 'code of an authenticator, at challenges of its own',
      async make(number) {
        const { name, uri } = await withSecondFactor(host, `tomo${number}`)
        const cookies = await challengesOf(host, name, 3)
        const code = totp(uri)
        let turn = 0
        return () => answerChallenge(host, cookies[turn++ % 3]!, code)
      },
      // It expires by the clock that shows it.
      opened: signedIn,
    },
    {
      name: 'mailed code',
      async make(number) {
        const { name } = await withSecondFactor(host, `olga${number}`)
        const cookie = await openChallenge(host, name)
        const headers = { cookie, origin: host.host.url }
        await send(host, 'POST', '/auth/two-factor/send-otp', { body: {}, headers })
        const code = await mailed(host, name, 'two-factor-code')
        return () => answerChallenge(host, cookie, code, 'verify-otp')
      },
      opened: signedIn,
      expire: expireVerifications,
    },
  ]
}

async function accountWithToken(host: AuthHost, name: string): Promise<string> {
  await host.account(name)
  return host.signIn(name)
}

async function challengesOf(host: AuthHost, name: string, count: number): Promise<string[]> {
  const cookies: string[] = []
  for (let turn = 0; turn < count; turn += 1) cookies.push(await openChallenge(host, name))
  return cookies
}

async function authorizationCode(host: AuthHost, cookie: string, clientId: string, challenge: string): Promise<string> {
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirect,
    scope: 'openid offline_access',
    state: 's',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    prompt: 'consent',
  })
  const asked = await send(host, 'GET', `/auth/oauth2/authorize?${query}`, { headers: { cookie } })
  const page = String(asked.headers.location ?? '')
  const oauthQuery = page.slice(page.lastIndexOf('?') + 1)
  const headers = { cookie, origin: host.host.url }
  const agreed = await send(host, 'POST', '/auth/oauth2/consent', {
    body: { accept: true, oauth_query: oauthQuery },
    headers,
  })
  const to = (agreed.body?.url ?? agreed.body?.redirect_uri ?? agreed.body?.redirectURI) as string | undefined
  const code = to === undefined ? null : new URL(to).searchParams.get('code')
  if (code === null) throw new Error(`No code was given: ${asked.status} ${page} ${JSON.stringify(agreed.body)}`)
  return code
}

/** Redemptions beyond the first, and of what has expired. */
async function countReuse(context: CheckContext, write: (given: Write) => Write): Promise<number> {
  const peer = await startOidcPeer()
  const host = await createAuthHost(
    {
      plugins: { magicLink: true, organization: true, oidcProvider: true },
      emailVerification: { autoSignInAfterVerification: true },
      oidcProviders: [
        {
          providerId: 'company',
          discoveryUrl: `${peer.issuer}/.well-known/openid-configuration`,
          clientId: peer.clientId,
          clientSecret: peer.clientSecret,
        },
      ],
    },
    // Nothing else may stand in the way of the 50: that tries are counted is another check (N1).
    { plugins: withAuthDoors({ write: (given) => withoutWrites('auth.attempt', 0)(write(given)) }) },
  )
  try {
    const allow = (): void => peer.allow(`${host.host.url}/api/v1/auth/callback/company`)
    allow()
    const kinds = await kindsOf(host, peer)
    let reused = 0
    let cases = 0
    const judge = (kind: Kind, how: string, answers: readonly IdentityAnswer[], allowed: number): void => {
      const opened = answers.filter(kind.opened ?? ((answer) => answer.status === 200)).length
      cases += 1
      if (opened === allowed) return
      // What does not even open once proves nothing.
      if (opened < allowed)
        throw new Error(`${kind.name}, ${how}: opened ${opened} times: ${JSON.stringify(answers[0])}`)
      reused += opened - allowed
      context.log(`${kind.name}, ${how}: opened ${opened} times`)
    }
    const afterRestart: [Kind, () => Promise<IdentityAnswer>][] = []
    for (const kind of kinds) {
      const one = await kind.make(1)
      judge(kind, 'twice', [await one(), await one()], 1)
      afterRestart.push([kind, one])
      const many = await kind.make(2)
      judge(kind, '50 at once', await sendMany(50, many), 1)
      if (kind.expire === undefined) continue
      const old = await kind.make(3)
      await kind.expire(host)
      judge(kind, 'expired', [await old()], 0)
    }
    await host.restart()
    for (const [kind, redeem] of afterRestart) judge(kind, 'after a restart', [await redeem()], 0)
    context.log(`${cases} cases of ${kinds.length} kinds`)
    return kinds.length >= minimumOf('singleUseKinds') ? reused : NaN
  } finally {
    await host.stop()
    await peer.stop()
  }
}

/** Writes that keep what they should use up: rows the library consumes are read instead, and nothing counts as used. */
function keeping(given: Write): Write {
  const asRead = (sql: string): string =>
    sql.replace(/^delete from/i, 'select * from').replace(/ returning [\s\S]+$/i, '')
  type Run = { readonly sql: string }
  type Consuming = { all(run: Run): unknown[] }
  const reading = (tx: Consuming): Consuming =>
    new Proxy(tx, {
      get(target, member) {
        if (member === 'all') return (run: Run) => target.all({ ...run, sql: asRead(run.sql) })
        if (member === 'run') return (run: Run) => ({ changes: target.all({ ...run, sql: asRead(run.sql) }).length })
        const found: unknown = Reflect.get(target, member, target)
        return typeof found === 'function' ? (found.bind(target) as unknown) : found
      },
    })
  return ((name: string, work: (tx: Consuming) => unknown) => {
    if (name === 'auth.use-up') return Promise.resolve(true)
    if (!name.startsWith('auth.Delete') && name !== 'auth.take-link') return given(name, work as never)
    return given(name, ((tx: Consuming) => work(reading(tx))) as never)
  }) as Write
}

defineCheck({
  id: 'N3',
  file: 'single-use',
  stage: 2,
  unit: 'redemptions of links, codes and tokens beyond the first',
  target: 0,
  run: (context) => countReuse(context, (given) => given),
  twin: (context) => countReuse(context, keeping),
})
