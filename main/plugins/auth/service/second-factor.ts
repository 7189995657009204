// Whose second factor a code is for, codes that were used already, and sessions that need more than they were opened with.
// Knows the cookie of a challenge, no route.
import { platformError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { UserRow } from '../store.ts'
import { deleteSession, readSessionByDigest, readUser } from '../store.ts'
import type { AuthParts } from './auth-parts.ts'
import type { LibraryAnswer, RequestHeaders } from './bridge.ts'
import { digestOf } from './session-lookup.ts'
import { needsMoreThanLink, newToken, tellSignIn } from './sign-in.ts'

/** A code of an authenticator is accepted for this long at most, the steps before and after included. */
const codeLifeMs = 120_000

/**
 * The account a code is judged for: the caller's, or that of the challenge a password opened. Null when there is no
 * challenge; then nothing is judged.
 * @source safety N1
 */
export async function challengedAccount(
  { cookies, lookup, library }: Pick<AuthParts, 'cookies' | 'lookup' | 'library'>,
  ctx: RequestContext,
  headers: RequestHeaders,
): Promise<string | null> {
  if (ctx.credential !== 'none') return ctx.actor.id
  const name = cookies.session.replace(/session_token$/, 'two_factor')
  const sent = (headers['cookie'] ?? '').split(';').map((part) => part.trim())
  const cookie = sent.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1)
  const challenge = cookie === undefined ? null : lookup.unsign(cookie)
  return challenge === null ? null : ((await (await library()).findVerification(challenge))?.value ?? null)
}

/**
 * Uses up the code of an authenticator that signed somebody in: whoever saw it typed cannot sign in with it as well while
 * it would still be right. Judged before it is used up, so that a wrong code counts as a try however often it comes.
 * @throws invalid_credentials when it was used
 * @source RFC 6238 section 5.2; safety N3
 */
export async function refuseUsedCode(
  parts: AuthParts,
  ctx: RequestContext,
  given: Readonly<Record<string, unknown>>,
  answer: LibraryAnswer,
): Promise<void> {
  const opened = openedSession(parts, ctx, answer)
  if (opened === null) return
  const digits = String(given['code']).replaceAll(/\D/g, '')
  const until = parts.clock.now() + codeLifeMs
  if (await parts.attempts.useUp('totp', `${opened.user.id} ${digits}`, until)) return
  await takeAway(parts, opened.sessionId)
  throw platformError('invalid_credentials', { reason: 'INVALID_CODE' })
}

/** A link in a mail proves one thing only: where more is due than that, it proves the address and opens no session. */
export async function keepLinkFromSigningIn(
  parts: AuthParts,
  ctx: RequestContext,
  _given: Readonly<Record<string, unknown>>,
  answer: LibraryAnswer,
): Promise<void> {
  const opened = openedSession(parts, ctx, answer)
  if (opened === null) return
  const { user, sessionId } = opened
  if (!needsMoreThanLink(parts.config, user)) return tellSignIn(parts, ctx, user.id, 'verify-email', sessionId)
  await takeAway(parts, sessionId)
  delete answer.headers['set-cookie']
  delete answer.headers['set-auth-token']
}

/** The session an answer opened for a caller who had none. */
function openedSession(
  parts: AuthParts,
  ctx: RequestContext,
  answer: LibraryAnswer,
): { readonly user: UserRow; readonly sessionId: string } | null {
  const token = ctx.credential === 'none' ? newToken(parts, answer) : null
  const session = token === null ? undefined : readSessionByDigest(parts.read, digestOf(token))
  const user = session === undefined ? undefined : readUser(parts.read, session.userId)
  return session === undefined || user === undefined ? null : { user, sessionId: session.id }
}

function takeAway(parts: AuthParts, sessionId: string): Promise<void> {
  return parts.write('auth.session-end', (tx) => {
    deleteSession(tx, sessionId)
    tx.afterCommit(parts.changed)
  })
}
