// Owns signing in a browser: the one-time code in the page's fragment or typed by hand becomes a session cookie.
// Knows no screen; the desktop shell needs none of this.
import { request } from './api-client.ts'

/** A one-time code as the host prints it; routes begin with a slash, so the two cannot be mistaken. */
const codePattern = /^[A-Za-z0-9_-]{6,128}$/

/** The code in a fragment such as `#k3Jx…`, or undefined when the fragment is a route or empty. */
export function codeInFragment(hash: string): string | undefined {
  const text = hash.replace(/^#/, '')
  return codePattern.test(text) ? text : undefined
}

/** The code in what a person pasted: the bare code or the whole printed link; undefined when there is none. */
export function codeInText(text: string): string | undefined {
  const trimmed = text.trim()
  const hash = trimmed.indexOf('#')
  return codeInFragment(hash < 0 ? trimmed : trimmed.slice(hash))
}

/**
 * Exchanges a one-time code for a session cookie.
 * @throws ApiError invalid_credentials for a used, wrong or expired code
 * @source D-208
 */
export async function signInWithCode(code: string): Promise<void> {
  await request('POST', new URL('session', document.baseURI).pathname, { code })
}

/** Takes the code out of the address bar, so that neither history nor a bookmark keeps it. */
export function takeCodeFromAddress(): string | undefined {
  const code = codeInFragment(window.location.hash)
  if (code !== undefined) window.history.replaceState(null, '', '#/')
  return code
}
