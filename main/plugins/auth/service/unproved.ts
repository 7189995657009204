// Accounts people made for addresses they had not proved: a mailed link that is redeemed proves whose the address is, and
// then nothing stays that opens the account to whoever made it. Knows no route.
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { AuthParts } from './auth-parts.ts'
import { deleteConsent, deleteTokens, readConsents } from './consent-store.ts'
import { asUser } from './sign-in.ts'
import { endUnprovedAccess, readUnproved } from './unproved-store.ts'

/**
 * Takes a mailed link for the proof of an address, in the transaction that uses the link up: before anything can be opened
 * with it. Nothing happens to an account whose address is proved, or that an administrator made.
 * @param by whose link it was
 * @returns the account whose access was ended
 * @source D-35
 */
export function proveByMail(
  { clock, changed }: Pick<AuthParts, 'clock' | 'changed'>,
  tx: Tx,
  ctx: RequestContext,
  operation: string,
  by: { readonly id: string } | { readonly email: string },
): string | undefined {
  const userId = readUnproved(tx, by)
  if (userId === undefined) return undefined
  const own = asUser(ctx, userId)
  const tell = (type: string, payload: Record<string, unknown>): void =>
    tx.emit(own, { type, payload: { userId, ...payload } })
  for (const consent of readConsents(tx, userId)) {
    deleteConsent(tx, userId, consent)
    tell('auth.oauth_consent_ended', { clientId: consent.clientId, clientName: consent.clientName })
  }
  deleteTokens(tx, userId, null)
  const ended = endUnprovedAccess(tx, userId, clock.iso())
  for (const keyId of ended.keys) tell('auth.key_revoked', { keyId })
  for (const provider of ended.providers) tell('auth.account_unlinked', { operation, provider })
  if (ended.hadSecondFactor) tell('auth.two_factor_disabled', { operation })
  if (ended.sessions > 0) tell('auth.sessions_ended', { count: ended.sessions, except: null })
  // What others keep for the account, and would go on doing for whoever made it, is switched off by them.
  tell('auth.email_verified', { operation, endedAccess: true })
  tx.afterCommit(changed)
  return userId
}
