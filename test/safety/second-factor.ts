// Accounts with a second factor, for the identity checks.
import { password } from '../support/auth-host.ts'
import type { AuthHost } from '../support/auth-host.ts'
import { totp } from '../support/totp.ts'
import { cookiesOf, send } from './identity-client.ts'

/** An account whose second factor is on. */
export interface FactorAccount {
  readonly name: string
  readonly uri: string
  readonly backupCodes: readonly string[]
}

/** Makes an account with an authenticator and backup codes. */
export async function withSecondFactor(host: AuthHost, name: string): Promise<FactorAccount> {
  await host.account(name)
  const token = await host.signIn(name)
  const enabled = await send(host, 'POST', '/auth/two-factor/enable', { token, body: { password } })
  const uri = enabled.body.totpURI as string
  const verified = await send(host, 'POST', '/auth/two-factor/verify-totp', { token, body: { code: totp(uri) } })
  if (verified.status !== 200) throw new Error(`The second factor of ${name} could not be switched on.`)
  return { name, uri, backupCodes: enabled.body.backupCodes as string[] }
}

/** Signs in with the password and answers the cookie of the challenge. */
export async function openChallenge(host: AuthHost, name: string): Promise<string> {
  const answer = await send(host, 'POST', '/auth/login', { body: { username: name, password } })
  if (answer.body?.twoFactorRedirect !== true) throw new Error(`No second factor is due for ${name}: ${answer.status}.`)
  return cookiesOf(answer)
}

/** Answers a challenge. */
export function answerChallenge(host: AuthHost, cookie: string, code: string, step = 'verify-totp', from?: number) {
  const headers = { cookie, origin: host.host.url }
  return send(host, 'POST', `/auth/two-factor/${step}`, {
    body: { code },
    headers,
    ...(from === undefined ? {} : { from }),
  })
}
