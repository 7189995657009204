// Owns what the pages before a session ask of the host. Passwords and tokens pass through and are kept nowhere.
import { call } from '../../lib/api-client.ts'
import type { Provider } from '../../lib/auth-config.ts'

/**
 * Signs in with a password. Answers whether a second factor is due.
 * @throws ApiError invalid_credentials, account_banned, email_not_verified, rate_limit_exceeded
 */
export async function signInWithPassword(name: string, password: string, rememberMe: boolean): Promise<boolean> {
  const answer: Readonly<Record<string, unknown>> = name.includes('@')
    ? await call('signInEmail', { body: { email: name, password, rememberMe } })
    : await call('signInUsername', { body: { username: name, password, rememberMe } })
  return answer['twoFactorRedirect'] === true
}

/** Goes to the page of a provider, which leads back to `returnTo`. @throws ApiError */
export async function leaveForProvider(provider: Provider, returnTo: string): Promise<void> {
  const addresses = { callbackURL: returnTo, errorCallbackURL: returnTo }
  const answer: Readonly<Record<string, unknown>> =
    provider.type === 'social'
      ? await call('signInSocial', { body: { provider: provider.id, ...addresses } })
      : await call('signInOauth2', { body: { providerId: provider.id, ...addresses } })
  if (typeof answer['url'] === 'string') window.location.assign(answer['url'])
}
