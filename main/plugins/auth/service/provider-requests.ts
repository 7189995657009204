// Judges what a request to begin at a provider asks for, before the library sees it.
import type { FieldError } from '#shared/errors.ts'
import { validationError } from '#shared/errors.ts'
import type { AuthParts } from './auth-parts.ts'

/**
 * Refuses the token of a provider that a client got by itself: it was not asked for with a state and a nonce of ours.
 * @throws validation_error
 * @source safety N4
 */
export function refuseIdToken({ idToken }: { readonly idToken?: unknown }): void {
  if (idToken === undefined) return
  const message = 'Nobody signs in with the token of a provider; the way leads through the provider.'
  throw validationError([{ field: 'idToken', code: 'not_allowed', message }])
}

/**
 * Refuses scopes the host is not configured to ask a provider for. A provider that is not there is left to the library.
 * @throws validation_error
 */
export function requireConfiguredScopes(
  { config }: Pick<AuthParts, 'config'>,
  provider: string,
  scopes: readonly string[] = [],
): void {
  const { socialProviders, oidcProviders } = config
  const social = Object.hasOwn(socialProviders, provider) ? socialProviders[provider] : undefined
  const oidc = oidcProviders.find(({ providerId }) => providerId === provider)
  if (social === undefined && oidc === undefined) return
  const configured = new Set([...(social?.scope ?? []), ...(oidc?.scopes ?? [])])
  const refused = scopes.flatMap((value, index): FieldError[] => {
    const message = 'The provider is not configured with this scope.'
    return configured.has(value) ? [] : [{ field: `scopes.${index}`, code: 'not_allowed', message, value }]
  })
  if (refused.length > 0) throw validationError(refused)
}
