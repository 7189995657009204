// Signing in with a password: counted, judged by the library, told to listeners. One way for every route, so that the
// limits are the same whatever name a person uses.
import { hash } from 'node:crypto'
import { PlatformError, platformError } from '#shared/errors.ts'
import { localOwnerId } from '#main/kernel/context.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { deleteSession, readSessionByDigest, readUserByName } from '../store.ts'
import type { UserRow } from '../store.ts'
import type { AuthParts } from './auth-parts.ts'
import type { LibraryAnswer, RequestHeaders } from './bridge.ts'
import { digestOf } from './session-lookup.ts'

/** What signing in came to. */
export interface SignInResult {
  readonly answer: LibraryAnswer
  /** Null while a second factor is due. */
  readonly token: string | null
  readonly expiresAt: string | null
  readonly user: UserRow | null
}

/** Names who tries, in what way. */
export interface SignInRequest {
  readonly name: string
  readonly password: string
  readonly rememberMe?: boolean | undefined
  readonly callbackURL?: string | undefined
  /** The route, for buckets and listeners. */
  readonly route: string
}

/**
 * Signs in. Unknown and known names take the same way through the library, which hashes the password in both cases.
 * @throws invalid_credentials, account_banned, email_not_verified, rate_limit_exceeded, and permission_denied where a
 * provider is demanded, or with a token for `reset-password` when the password must be changed first
 * @source D-33; safety N1, N2, C10
 */
export async function signIn(
  parts: AuthParts,
  ctx: RequestContext,
  headers: RequestHeaders,
  request: SignInRequest,
): Promise<SignInResult> {
  const { read, attempts, bridge } = parts
  const known = readUserByName(read, request.name)
  const account = known?.id ?? request.name
  if (parts.config.ssoEnforced && known?.id !== localOwnerId) {
    const error = providerRequired()
    await tellFailure(parts, ctx, known?.id ?? null, request.route, error)
    throw error
  }
  await attempts.begin(account, request.route)
  let answer: LibraryAnswer
  try {
    answer = await bridge.call(anonymous(ctx), {
      method: 'POST',
      path: '/sign-in/email',
      headers: { cookie: headers['cookie'], 'user-agent': headers['user-agent'] },
      body: {
        email: known?.email ?? unknownAddress(request.name),
        password: request.password,
        ...(request.rememberMe === undefined ? {} : { rememberMe: request.rememberMe }),
        ...(request.callbackURL === undefined ? {} : { callbackURL: request.callbackURL }),
      },
    })
  } catch (error) {
    await tellFailure(parts, ctx, known?.id ?? null, request.route, error)
    throw request.route === 'sign-in-username' ? inWordsOfUsernames(error) : error
  }
  const { token } = answer.body as { token?: string | null }
  if (typeof token !== 'string' || known === undefined) {
    await attempts.takeBack(account, request.route)
    return { answer, token: null, expiresAt: null, user: null }
  }
  if (known.mustChangePassword === 1) return refuseUntilChanged(parts, known, token)
  await attempts.succeed(account, request.route)
  const session = readSessionByDigest(read, digestOf(token))
  await tellSignIn(parts, ctx, known.id, request.route, session?.id)
  return { answer, token, expiresAt: session?.expiresAt ?? null, user: known }
}

/** A refusal of what was typed, as clients of the library compare it who sign in with usernames. */
function inWordsOfUsernames(error: unknown): unknown {
  const isWrong = error instanceof PlatformError && error.details['reason'] === 'INVALID_EMAIL_OR_PASSWORD'
  return isWrong ? platformError('invalid_credentials', { reason: 'INVALID_USERNAME_OR_PASSWORD' }) : error
}

/**
 * What everybody but the local owner is told who does not come through a provider while that is demanded. The owner keeps
 * a password to open the workspace when the provider fails; no password is judged for anybody else.
 * @source D-34
 */
export function providerRequired(): PlatformError {
  return platformError('permission_denied', { reason: 'SSO_REQUIRED' })
}

/** Whether a link in a mail is too little to sign in: a second factor, a change of password or a provider is due. */
export function needsMoreThanLink(config: Pick<AuthParts['config'], 'ssoEnforced'>, user: UserRow): boolean {
  const byProvider = config.ssoEnforced && user.id !== localOwnerId
  return byProvider || user.twoFactorEnabled === 1 || user.mustChangePassword === 1
}

/** Tells listeners that somebody signed in. */
export async function tellSignIn(
  parts: AuthParts,
  ctx: RequestContext,
  userId: string,
  method: string,
  sessionId?: string,
): Promise<void> {
  await parts.write('auth.signed-in', (tx) => {
    tx.emit(asUser(ctx, userId), { type: 'auth.signed_in', payload: { userId, method, sessionId: sessionId ?? null } })
  })
}

/** Tells listeners that somebody failed to sign in. */
export async function tellFailure(
  parts: AuthParts,
  ctx: RequestContext,
  userId: string | null,
  method: string,
  error: unknown,
): Promise<void> {
  const code = error instanceof PlatformError ? error.code : 'internal_error'
  await parts.write('auth.sign-in-failed', (tx) => {
    tx.emit(ctx, { type: 'auth.sign_in_failed', payload: { userId, method, code } })
  })
}

/** The token of the session an answer opened; null when it opened none. */
export function newToken(parts: Pick<AuthParts, 'lookup'>, answer: LibraryAnswer): string | null {
  const signed = answer.headers['set-auth-token']
  return typeof signed === 'string' ? parts.lookup.tokenOfBearer(signed) : null
}

/** The context of what a user did who had no session before. */
export function asUser(ctx: RequestContext, userId: string): RequestContext {
  return { ...ctx, actor: { type: 'user', id: userId } }
}

/** The library sees nobody: whoever signs in gets a session of its own, whatever came with the request (N3). */
export function anonymous(ctx: RequestContext): RequestContext {
  return { ...ctx, credential: 'none' }
}

/** How tokens begin that set a password and were handed to whoever knew the one before: those of mails have no such sign. */
const handedMark = 'handed_'

/** Whether a token that sets a password came by mail, and so proves whose the address is. */
export function isMailedToken(token: string): boolean {
  return !token.startsWith(handedMark)
}

/**
 * Takes a session away again from an account whose password somebody else has set.
 * @throws permission_denied with a token for `reset-password`
 * @source safety C10
 */
export async function refuseUntilChanged(parts: AuthParts, user: UserRow, token: string): Promise<never> {
  const { read, write, ids, library, attempts, links } = parts
  const session = readSessionByDigest(read, digestOf(token))
  await write('auth.session-end', (tx) => {
    if (session !== undefined) deleteSession(tx, session.id)
  })
  parts.changed()
  await attempts.succeed(user.id)
  const resetToken = `${handedMark}${ids.token(24)}`
  const seconds = parts.config.emailAndPassword.resetPasswordTokenExpiresIn
  const expiresAt = new Date(parts.clock.now() + seconds * 1000)
  await (await library()).createVerification(`reset-password:${resetToken}`, user.id, expiresAt)
  await links.issue({ kind: 'reset-password', account: user.id, token: resetToken, seconds })
  throw platformError('permission_denied', { reason: 'PASSWORD_CHANGE_REQUIRED', resetToken })
}

/** An address nobody has: the library goes the way of an unknown account. */
function unknownAddress(name: string): string {
  return `${hash('sha256', name).slice(0, 32)}@unknown.invalid`
}
