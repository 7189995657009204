// Writes the cookies of accounts that are not the library's own doing.
import type { AuthConfig } from './auth-config.ts'
import { cookiesAreSecure, crossDomain, sessionCookieName } from './auth-config.ts'

/** The cookies of one host. */
export interface Cookies {
  readonly session: string
  /** The session of an administrator who acts as somebody else. */
  readonly admin: string
  /** A Set-Cookie value; an age of 0 removes the cookie. */
  set(name: string, value: string, maxAgeSeconds: number): string
}

/**
 * Makes the cookies.
 * @source D-27
 */
export function createCookies(config: AuthConfig): Cookies {
  const session = sessionCookieName(config)
  const domain = crossDomain(config)
  const attributes = [
    'Path=/',
    'HttpOnly',
    'SameSite=Lax',
    ...(cookiesAreSecure(config) ? ['Secure'] : []),
    ...(domain === undefined ? [] : [`Domain=${domain}`]),
  ].join('; ')
  return {
    session,
    admin: session.replace(/session_token$/, 'admin_session'),
    set: (name, value, maxAge) => `${name}=${value}; Max-Age=${maxAge}; ${attributes}`,
  }
}
