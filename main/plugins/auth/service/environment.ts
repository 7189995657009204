// The one environment variable of accounts. It may hold client secrets, so it is taken away before any child starts.

let taken: string | undefined

/**
 * The text of OIDC_PROVIDERS, read once and removed; a restart inside the process gets the same text again.
 * @source D-40
 */
export function takeOidcProviders(): string | undefined {
  const text = process.env['OIDC_PROVIDERS']
  if (text !== undefined) {
    taken = text
    delete process.env['OIDC_PROVIDERS']
  }
  return taken
}
