// What a person lets other applications know: shown to that person alone, and ended with all it led to. Our own code: the
// library takes the consent away and leaves the application its tokens.
import { notFound } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { deleteConsent, readConsents } from './consent-store.ts'
import type { AuthParts } from './auth-parts.ts'
import { requireOwnSession } from './users.ts'

/** One of them, as the routes show it. */
export interface Consent {
  readonly id: string
  readonly clientId: string
  readonly userId: string
  readonly clientName?: string
  readonly clientUri?: string
  readonly scopes: string[]
  readonly createdAt: string
  readonly updatedAt: string
}

/** What the caller lets applications know, newest first. */
export function listConsents({ read }: Pick<AuthParts, 'read'>, ctx: RequestContext): Consent[] {
  return readConsents(read, ctx.actor.id).map(({ clientName, clientUri, scopes, ...rest }) => ({
    ...rest,
    ...(clientName === null ? {} : { clientName }),
    ...(clientUri === null ? {} : { clientUri }),
    scopes: JSON.parse(scopes) as string[],
  }))
}

/**
 * Ends one of them: the application must ask again, and its codes and tokens for the caller count no more.
 * @throws resource_not_found for one that is not the caller's, as for one that is not there; permission_denied for API
 * keys and whoever acts as somebody else
 */
export async function endConsent({ write }: Pick<AuthParts, 'write'>, ctx: RequestContext, id: string): Promise<void> {
  requireOwnSession(ctx)
  const userId = ctx.actor.id
  await write('auth.end-consent', (tx) => {
    const consent = readConsents(tx, userId).find((one) => one.id === id)
    if (consent === undefined || !deleteConsent(tx, userId, consent)) throw notFound('consent', id)
    const { clientId, clientName } = consent
    tx.emit(ctx, { type: 'auth.oauth_consent_ended', payload: { userId, clientId, clientName } })
  })
}

/** Tells listeners what a person answered an application, out of the request the library has judged. */
export async function tellConsent(
  { write }: Pick<AuthParts, 'write'>,
  ctx: RequestContext,
  given: Readonly<Record<string, unknown>>,
): Promise<void> {
  const asked = new URLSearchParams(String(given['oauth_query']))
  const type = given['accept'] === true ? 'auth.oauth_consent_given' : 'auth.oauth_consent_refused'
  const scope = typeof given['scope'] === 'string' ? given['scope'] : asked.get('scope')
  const payload = { userId: ctx.actor.id, clientId: asked.get('client_id'), scope }
  await write(type, (tx) => tx.emit(ctx, { type, payload }))
}
