// How the session cookie is named and written (D-27, D-39). Text only; knows no session.

/** The choices of the configuration about cookies. */
export interface CookieChoices {
  /** First part of the name. */
  readonly prefix: string
  /** True forces the `Secure` flag and the name prefix browsers tie to it. */
  readonly secure: boolean
}

/** The cookies of a host nobody configured. */
export const defaultCookies: CookieChoices = Object.freeze({ prefix: 'cairn', secure: false })

/**
 * Name of the session cookie.
 * @source D-27
 */
export function sessionCookieName({ prefix, secure }: CookieChoices): string {
  return `${secure ? '__Secure-' : ''}${prefix}.session_token`
}

/** A Set-Cookie value for a session token; an empty token and zero seconds remove it. It never names a domain. */
export function writeSessionCookie(choices: CookieChoices, token: string, maxAgeSeconds: number): string {
  const flags = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax`
  return `${sessionCookieName(choices)}=${token}; ${flags}${choices.secure ? '; Secure' : ''}`
}
