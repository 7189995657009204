// Everything people do with accounts and rights that the audit must tell of, done for real. Knows no entry.
import { createHash } from 'node:crypto'
import type { AuthHost } from '../support/auth-host.ts'
import { createAuthHost, password } from '../support/auth-host.ts'
import type { ForgingPeer } from '../support/forging-peer.ts'
import { totp } from '../support/totp.ts'
import { cookiesOf, send } from './identity-client.ts'
import type { IdentityAnswer } from './identity-client.ts'

/** Where the application of these deeds is led back to. */
const back = 'https://client.example/back'

/** Settings of accounts the deeds need; the provider is called `company`. */
export function deedSettings(peer: ForgingPeer): Record<string, unknown> {
  const discoveryUrl = `${peer.issuer}/.well-known/openid-configuration`
  const { clientId, clientSecret } = peer
  return {
    plugins: { magicLink: true, oidcProvider: true },
    oidcProviders: [{ providerId: 'company', discoveryUrl, clientId, clientSecret }],
  }
}

/** @throws Error when a deed did not come about: what was not done leaves no entry */
export async function doWithAccounts(host: AuthHost, peer: ForgingPeer): Promise<void> {
  const { id, email } = await host.account('ada')
  const ada = await host.signIn('ada')
  const as = async (token: string, path: string, body: unknown = {}): Promise<IdentityAnswer> =>
    done(path, await send(host, 'POST', path, { token, body }))
  const owner = async (path: string, body: unknown): Promise<IdentityAnswer> =>
    done(path, await send(host, 'POST', path, { token: host.host.token, body }))
  await send(host, 'POST', '/auth/login', { body: { username: 'ada', password: 'wrong' } })
  await as(ada, '/auth/update-user', { name: 'Ada' })
  await as(ada, '/auth/change-password', { currentPassword: password, newPassword: password })

  await send(host, 'POST', '/auth/send-verification-email', { body: { email } })
  const proof = new URL(await host.waitingMail(email, 'verify-email')).searchParams.get('token')
  done('verify-email', await send(host, 'GET', `/auth/verify-email?token=${proof}`))
  await as(ada, '/auth/change-email', { newEmail: 'ada@new.example.org' })
  await linkAndUnlink(host, peer, ada, email)

  const { totpURI } = (await as(ada, '/auth/two-factor/enable', { password })).body as { totpURI: string }
  const verified = await as(ada, '/auth/two-factor/verify-totp', { code: totp(totpURI) })
  const second = decodeURIComponent(String(verified.headers['set-auth-token']))
  await as(second, '/auth/two-factor/generate-backup-codes', { password })
  await as(second, '/auth/two-factor/disable', { password })

  await send(host, 'POST', '/auth/request-password-reset', { body: { email } })
  const reset = new URL(await host.waitingMail(email, 'reset-password')).pathname.split('/').at(-1)
  done('reset', await send(host, 'POST', '/auth/reset-password', { body: { token: reset, newPassword: password } }))
  await as(await host.signIn('ada'), '/auth/sign-out')
  const [one, other] = [await host.signIn('ada'), await host.signIn('ada')]
  await as(one, '/auth/revoke-session', { token: other })
  await as(one, '/auth/revoke-sessions')

  await owner('/auth/admin/set-role', { userId: id, role: 'admin' })
  await owner('/auth/admin/set-role', { userId: id, role: 'user' })
  await owner('/auth/admin/ban-user', { userId: id })
  await owner('/auth/admin/unban-user', { userId: id })
  const acting = await owner('/auth/admin/impersonate-user', { userId: id })
  await as(acting.body.session.token as string, '/auth/admin/stop-impersonating')
  await useDevices(host, await host.signIn('ada'))
  await useKey(host)
  await answerApplication(host)
  await giveRights(host, id)
  await owner('/auth/admin/remove-user', { userId: id })
}

/** Does what only a host with organizations can, in one of its own, and answers the kinds of its audit. */
export async function doWithOrganizations(plugins: Parameters<typeof createAuthHost>[1]): Promise<string[]> {
  const host = await createAuthHost({ plugins: { organization: true } }, plugins)
  try {
    await host.account('wanda')
    const token = await host.signIn('wanda')
    const made = await host.as(token, 'POST', '/auth/organization/create', { name: 'Acme', slug: 'acme' })
    if (made.status !== 200) throw new Error(JSON.stringify(made.body))
    return await kindsOf(host)
  } finally {
    await host.stop()
  }
}

/** The kinds there are entries of. */
export async function kindsOf(host: AuthHost): Promise<string[]> {
  const { kinds } = (await host.get('/audit/kinds')).body as { kinds: { kind: string; present: boolean }[] }
  return kinds.filter(({ present }) => present).map(({ kind }) => kind)
}

async function linkAndUnlink(host: AuthHost, peer: ForgingPeer, token: string, email: string): Promise<void> {
  const body = { provider: 'company', callbackURL: '/_console/' }
  const begun = done('link', await send(host, 'POST', '/auth/link-social', { token, body }))
  const asked = new URL(begun.body.url as string).searchParams
  const idToken = peer.mint(asked.get('nonce') ?? '', { claims: { email } })
  peer.answer = { access_token: 'a', token_type: 'Bearer', id_token: idToken }
  const query = new URLSearchParams({ code: 'c', state: asked.get('state') ?? '', iss: peer.issuer })
  await send(host, 'GET', `/auth/callback/company?${query}`, { headers: { cookie: cookiesOf(begun) } })
  done('unlink', await send(host, 'POST', '/auth/unlink-account', { token, body: { providerId: 'company' } }))
}

async function useDevices(host: AuthHost, token: string): Promise<void> {
  for (const step of ['approve', 'deny']) {
    const { body } = await send(host, 'POST', '/auth/device/code', { body: { client_id: 'cairn-cli' } })
    done(step, await send(host, 'POST', `/auth/device/${step}`, { token, body: { userCode: body.user_code } }))
  }
}

async function useKey(host: AuthHost): Promise<void> {
  const { id, key } = (await host.post('/keys', { name: 'Key' })).body as { id: string; key: string }
  done('key', await send(host, 'GET', '/permissions/effective', { token: key }))
  await host.delete(`/keys/${id}`)
}

/** Refuses an application once, then lets it know who one is, and ends that. */
async function answerApplication(host: AuthHost): Promise<void> {
  const made = await host.post('/auth/oauth2/create-client', { client_name: 'Client', redirect_uris: [back] })
  const query = new URLSearchParams({
    client_id: made.body.client_id as string,
    response_type: 'code',
    redirect_uri: back,
    scope: 'openid',
    state: 's',
    code_challenge: createHash('sha256').update('a proof').digest('base64url'),
    code_challenge_method: 'S256',
  })
  const { token } = host.host
  for (const accept of [false, true]) {
    const asked = await send(host, 'GET', `/auth/oauth2/authorize?${query}`, { token })
    const page = String(asked.headers.location)
    const body = { accept, oauth_query: page.slice(page.lastIndexOf('?') + 1) }
    done('consent', await send(host, 'POST', '/auth/oauth2/consent', { token, body }))
  }
  const [consent] = (await host.get('/auth/oauth2/get-consents')).body as { id: string }[]
  done('end', await send(host, 'POST', '/auth/oauth2/delete-consent', { token, body: { id: consent!.id } }))
}

/** Gives somebody less than they had, is refused as that person, shares a record and takes that back. */
async function giveRights(host: AuthHost, id: string): Promise<void> {
  await host.defineObject('note', { title: { type: 'text' } }, { sharingModel: 'private' })
  await host.put(`/permissions/assignments/${id}`, { profile: 'guest' })
  const refused = await host.as(await host.signIn('ada'), 'POST', '/data/note', { title: 'x' })
  if (refused.status !== 403) throw new Error('A guest was not refused.')
  const { body: note } = await host.post('/data/note', { title: 'x' })
  const share = { principalType: 'user', principalId: id, access: 'read' }
  const { body: shared } = await host.post(`/data/note/${note.id}/shares`, share)
  await host.delete(`/data/note/${note.id}/shares/${shared.id}`)
}

function done(what: string, answer: IdentityAnswer): IdentityAnswer {
  if (answer.status !== 200) throw new Error(`${what} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer
}
