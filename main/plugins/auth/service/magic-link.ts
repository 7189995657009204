// Signing in with a link: the payloads of D-35 around the library's steps.
import { localOwnerId } from '#main/kernel/context.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reply } from '#main/kernel/reply.ts'
import { authError } from '../errors.ts'
import { deleteSession, forgetDevices, readSessionByDigest, readUser } from '../store.ts'
import type { AuthParts } from './auth-parts.ts'
import type { LibraryAnswer, RequestHeaders } from './bridge.ts'
import { replyOf } from './bridge.ts'
import { linkMs, noSoonerThan } from './minimum-duration.ts'
import { digestOf } from './session-lookup.ts'
import { anonymous, needsMoreThanLink, newToken, providerRequired, tellFailure, tellSignIn } from './sign-in.ts'
import { proveByMail } from './unproved.ts'

/** Sends a link; the answer is the same for every well-formed address. */
export async function sendLink(
  parts: AuthParts,
  ctx: RequestContext,
  body: { readonly email: string } & Readonly<Record<string, unknown>>,
): Promise<{ status: boolean }> {
  return noSoonerThan(linkMs, async () => {
    await parts.attempts.countLink(body.email, 'magic-link')
    await parts.bridge.call(anonymous(ctx), { method: 'POST', path: '/sign-in/magic-link', body, headers: {} })
    return { status: true }
  })
}

/**
 * Redeems the token of a link.
 * @throws token_invalid when it was used, has expired or never was; two_factor_required when a link is not enough
 */
export async function redeemLink(
  parts: AuthParts,
  ctx: RequestContext,
  headers: RequestHeaders,
  token: string,
): Promise<Reply<never>> {
  const answer = await verify(parts, ctx, headers, { token })
  const given = answer.body as { token?: string; user?: unknown; session?: { expiresAt: string } } | null
  if (typeof given?.token !== 'string') {
    const error = authError('token_invalid', { reason: 'INVALID_TOKEN' })
    await tellFailure(parts, ctx, null, 'magic-link', error)
    throw error
  }
  await finish(parts, ctx, given.token)
  return replyOf(answer, { ...given, expiresAt: given.session?.expiresAt ?? '' })
}

/** Follows a link: leads to where it points, signed in. */
export async function followLink(
  parts: AuthParts,
  ctx: RequestContext,
  headers: RequestHeaders,
  query: Readonly<Record<string, unknown>>,
): Promise<Reply<never>> {
  const answer = await verify(parts, ctx, headers, query)
  const token = newToken(parts, answer)
  if (token !== null) await finish(parts, ctx, token)
  else if (answer.location === null) throw authError('token_invalid', { reason: 'INVALID_TOKEN' })
  return replyOf(answer)
}

async function verify(
  parts: AuthParts,
  ctx: RequestContext,
  headers: RequestHeaders,
  query: Readonly<Record<string, unknown>>,
): Promise<LibraryAnswer> {
  const account = await parts.links.take('magic-link', String(query['token']), (tx, email) => {
    const userId = proveByMail(parts, tx, ctx, 'magic-link', { email })
    if (userId !== undefined) forgetDevices(tx, userId)
  })
  const isGood = account !== undefined
  return parts.bridge.call(anonymous(ctx), {
    method: 'GET',
    path: '/magic-link/verify',
    // To the library, which knows where to lead whoever follows it, a link that does not count is none.
    query: isGood ? query : { ...query, token: 'none' },
    headers: { 'user-agent': headers['user-agent'] },
  })
}

/** A link proves one thing only: accounts with a second factor sign in with a password (safety C6). */
async function finish(parts: AuthParts, ctx: RequestContext, token: string): Promise<void> {
  const session = readSessionByDigest(parts.read, digestOf(token))
  const user = session === undefined ? undefined : readUser(parts.read, session.userId)
  if (session === undefined || user === undefined) throw authError('token_invalid', { reason: 'INVALID_TOKEN' })
  if (needsMoreThanLink(parts.config, user)) {
    await parts.write('auth.session-end', (tx) => {
      deleteSession(tx, session.id)
      tx.afterCommit(parts.changed)
    })
    const byProvider = parts.config.ssoEnforced && user.id !== localOwnerId
    const error = byProvider ? providerRequired() : authError('two_factor_required', { reason: 'TWO_FACTOR_REQUIRED' })
    await tellFailure(parts, ctx, user.id, 'magic-link', error)
    throw error
  }
  await tellSignIn(parts, ctx, user.id, 'magic-link', session.id)
}
