// Hands the routes of the library on, and does around each what the host promises: counting guesses, keeping credential
// changes away from keys and impersonation, telling listeners. Knows operations by their id only.
import type { AnyRoute, RouteTable } from '#shared/route.ts'
import { PlatformError, platformError } from '#shared/errors.ts'
import { localOwnerId } from '#main/kernel/context.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import { Reply } from '#main/kernel/reply.ts'
import { authError } from '../errors.ts'
import { deleteDeviceCodes, deleteSessions, forgetDevices, readUser, updateUser } from '../store.ts'
import type { AuthParts } from './auth-parts.ts'
import type { LibraryAnswer, RequestHeaders } from './bridge.ts'
import { headerAddress, replyOf } from './bridge.ts'
import { tellConsent } from './consents.ts'
import { linkMs, noSoonerThan, signUpMs } from './minimum-duration.ts'
import { requirePasswordLength } from './library-errors.ts'
import type { LinkKind } from './links.ts'
import { voidLink } from './links.ts'
import { bindLink, bindState, requireBoundState } from './provider-state.ts'
import { challengedAccount, keepLinkFromSigningIn, refuseUsedCode } from './second-factor.ts'
import {
  asUser,
  isMailedToken,
  newToken,
  providerRequired,
  refuseUntilChanged,
  tellFailure,
  tellSignIn,
} from './sign-in.ts'
import { proveByMail } from './unproved.ts'
import { requireOwnSession } from './users.ts'

/** The parts of a request a forwarded route has. */
export interface ForwardedInput {
  readonly params?: unknown
  readonly query?: unknown
  readonly body?: unknown
  readonly headers: RequestHeaders
}

interface Step {
  /** Changes credentials: only a person who signed in as themselves may. */
  readonly own?: true
  /** Judges a password of the caller: guesses count. */
  readonly guess?: true
  /** Sends a link to `body.email`: three in 15 minutes. */
  readonly link?: true
  /** Sends a code to the account of a challenge: as often as its bucket allows. */
  readonly mailsCode?: true
  /** Answers no sooner than after this time, so that accounts are not told from none by it. */
  readonly takesMs?: number
  /** Ends in a session when it began without one. */
  readonly signsIn?: true
  /** Judges a second factor, after a password or inside a session: guesses at the account count. */
  readonly factor?: true
  /** Called by clients of the provider role, which prove themselves in a header. */
  readonly byClient?: true
  /** Said to listeners when it succeeded. */
  readonly event?: string
  /** Whom it was about, where that is not the caller. */
  readonly subject?: (parts: AuthParts, given: Record<string, unknown>) => string | null
  /** Given the body, or the query where there is none. */
  readonly before?: (
    parts: AuthParts,
    ctx: RequestContext,
    given: Record<string, unknown>,
    input: ForwardedInput,
  ) => Promise<void> | void
  readonly after?: (
    parts: AuthParts,
    ctx: RequestContext,
    given: Record<string, unknown>,
    answer: LibraryAnswer,
  ) => Promise<void> | void
}

const steps: Readonly<Record<string, Step>> = {
  signUpEmail: {
    takesMs: signUpMs,
    before(parts) {
      if (parts.config.ssoEnforced) throw providerRequired()
      // The library looks a username up before it says that nobody may sign up.
      if (nobodySignsUp(parts)) throw platformError('validation_error', { reason: 'EMAIL_PASSWORD_SIGN_UP_DISABLED' })
    },
    async after(parts, ctx, _body, answer) {
      const { user } = answer.body as { user?: { id: string; role?: string | null } }
      // Where no address is proved, whoever signs in learns at once that a made-up user is none: D-37 is plain instead.
      const isProved = parts.config.emailAndPassword.requireEmailVerification
      if (!isProved && user !== undefined && readUser(parts.read, user.id) === undefined)
        throw authError('user_already_exists', { reason: 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL' })
      // The user that is made up for a taken address differs in this from a new one.
      if (user !== undefined) user.role ??= 'user'
      const token = newToken(parts, answer)
      const caller = token === null ? null : parts.lookup.byToken(token, false)
      if (caller !== null) await tellSignIn(parts, ctx, caller.actor.id, 'sign-up', caller.credentialId)
    },
  },
  isUsernameAvailable: {
    // Whoever may neither sign up nor change an own name learns no names.
    before(parts, ctx) {
      const learnsNone = parts.config.ssoEnforced || nobodySignsUp(parts)
      if (ctx.credential === 'none' && learnsNone)
        throw platformError('unauthenticated', { reason: 'credential_missing' })
    },
  },
  updateUser: { own: true, event: 'auth.user_updated' },
  verifyPassword: { own: true, guess: true },
  changePassword: {
    own: true,
    guess: true,
    event: 'auth.password_changed',
    after: (parts, ctx, given) =>
      parts.write('auth.void-reset-link', (tx) => {
        if (given['revokeOtherSessions'] === true) {
          deleteDeviceCodes(tx, ctx.actor.id)
          // Sessions that were opened with a one-time code are the host's, not the library's.
          if (ctx.actor.id === localOwnerId) tx.afterCommit(() => void parts.ownerSessions.endAll(ctx.credentialId))
        }
        for (const kind of ['reset-password', 'address'] as const) voidLink(tx, kind, ctx.actor.id)
        forgetDevices(tx, ctx.actor.id)
      }),
  },
  changeEmail: { own: true, event: 'auth.email_change_requested' },
  deleteOwnUser: {
    own: true,
    guess: true,
    event: 'auth.user_deleted',
    before(_parts, ctx) {
      if (ctx.actor.id === localOwnerId) throw platformError('permission_denied', { reason: 'LOCAL_OWNER' })
    },
  },
  signInSocial: { after: bindState },
  linkSocial: { own: true, after: bindLink },
  unlinkAccount: { own: true, event: 'auth.account_unlinked' },
  requestPasswordReset: { link: true, takesMs: linkMs },
  sendVerificationEmail: { link: true, takesMs: linkMs },
  verifyEmail: {
    event: 'auth.email_verified',
    subject: (_parts, given) => linked.get(given) ?? null,
    before: (parts, _ctx, given) => takeLink(parts, 'address', given),
    async after(parts, ctx, given, answer) {
      // Where a page is named to lead back to, the library leads there with its refusals, too.
      if (answer.location !== null && answer.location !== headerAddress(String(given['callbackURL'])))
        throw invalidToken()
      await keepLinkFromSigningIn(parts, ctx, given, answer)
    },
  },
  resetPassword: {
    async before(parts, ctx, body) {
      // A password that is refused leaves the link good.
      requirePasswordLength(String(body['newPassword']), parts.config.emailAndPassword)
      await takeLink(parts, 'reset-password', body, (tx, id) => {
        if (!isMailedToken(String(body['token']))) return
        if (proveByMail(parts, tx, ctx, 'resetPassword', { id }) !== undefined)
          tx.afterCommit(() => void proving.add(body))
      })
    },
    async after(parts, ctx, body) {
      const userId = linked.get(body)
      if (userId === undefined) return
      await parts.write('auth.password-reset', (tx) => {
        updateUser(tx, userId, { mustChangePassword: 0 }, parts.clock.iso())
        const endsAll = parts.config.emailAndPassword.revokeSessionsOnPasswordReset || proving.has(body)
        if (endsAll) deleteSessions(tx, userId)
        if (endsAll && userId === localOwnerId) tx.afterCommit(() => void parts.ownerSessions.endAll())
        for (const kind of ['reset-password', 'address'] as const) voidLink(tx, kind, userId)
        tx.emit(asUser(ctx, userId), { type: 'auth.password_reset', payload: { userId } })
        tx.afterCommit(parts.changed)
      })
      await parts.attempts.succeed(userId)
    },
  },
  enableTwoFactor: { own: true, guess: true, event: 'auth.two_factor_prepared' },
  disableTwoFactor: { own: true, guess: true, event: 'auth.two_factor_disabled' },
  getTotpUri: { own: true, guess: true },
  generateBackupCodes: { own: true, guess: true, event: 'auth.backup_codes_replaced' },
  verifyTotp: { own: true, signsIn: true, factor: true, event: 'auth.two_factor_enabled', after: refuseUsedCode },
  verifyOtp: { own: true, signsIn: true, factor: true, event: 'auth.two_factor_enabled' },
  sendOtp: { own: true, mailsCode: true },
  verifyBackupCode: { own: true, signsIn: true, factor: true },
  // Whoever acts as somebody else gives nothing away in their name: it would outlive their hour.
  oauthAuthorize: { own: true },
  oauthConsent: { own: true, after: tellConsent },
  oauthContinue: { own: true },
  // Calls of clients, which change nothing an audit would ask for.
  oauthToken: { byClient: true },
  oauthIntrospect: { byClient: true },
  oauthRevoke: { byClient: true },
  oauthUserInfo: { byClient: true },
  oauthUserInfoByPost: { byClient: true },
  followProvider: { signsIn: true, before: requireBoundState },
  postProvider: { signsIn: true },
}

/** Steps in organizations that are those of a session, or change nothing. */
const passing: ReadonlySet<string> = new Set(['checkSlug', 'setActiveOrganization', 'setActiveTeam'])

function nobodySignsUp({ config, signUpIsClosed }: AuthParts): boolean {
  return signUpIsClosed || !config.emailAndPassword.enabled
}

/** Whose link a request redeems, between its two steps. */
const linked = new WeakMap<object, string>()

/** Requests whose link proved an address, between their two steps. */
const proving = new WeakSet<object>()

/** Uses the link up that a request redeems. @throws token_invalid when it does not count */
async function takeLink(
  parts: AuthParts,
  kind: LinkKind,
  given: Record<string, unknown>,
  also?: (tx: Tx, account: string) => void,
): Promise<void> {
  const account = await parts.links.take(kind, String(given['token']), also)
  if (account === undefined) throw invalidToken()
  linked.set(given, account)
}

function invalidToken(): PlatformError {
  return authError('token_invalid', { reason: 'INVALID_TOKEN' })
}

/** Handlers of a whole table. @param event said after each change of the table that has no step of its own */
export function forwardAll<T extends RouteTable>(parts: AuthParts, table: T, event?: string): Handlers<T> {
  const handlers = Object.entries(table).map(([id, contract]) => {
    const handler = (ctx: RequestContext, input: ForwardedInput) => forward(parts, contract, ctx, input, event)
    const ms = steps[id]?.takesMs
    if (ms === undefined) return [id, handler]
    return [id, (ctx: RequestContext, input: ForwardedInput) => noSoonerThan(ms, () => handler(ctx, input))]
  })
  return Object.fromEntries(handlers) as Handlers<T>
}

async function forward(
  parts: AuthParts,
  contract: AnyRoute,
  ctx: RequestContext,
  input: ForwardedInput,
  tableEvent: string | undefined,
): Promise<Reply<never>> {
  const { operationId } = contract
  const step = steps[operationId] ?? {}
  const given = [input.body, input.query].find(isMap) ?? {}
  const changes = contract.method === 'POST' && contract.mutates !== false
  // What a table's event tells of would outlast whoever acts as somebody else.
  const lasts = tableEvent !== undefined && changes && steps[operationId] === undefined && !passing.has(operationId)
  if (step.own === true || (lasts && ctx.impersonatorId !== undefined)) requireOwnSession(ctx)
  if (step.link === true) await parts.attempts.countLink(String(given['email']), operationId)
  const account = await accountOf(parts, ctx, input, step)
  if (account !== null) await parts.attempts.begin(account, operationId)
  await step.before?.(parts, ctx, given, input)
  const answer = await ask(parts, contract, ctx, input, step, account)
  await step.after?.(parts, ctx, given, answer)
  if (account !== null) {
    // A code that was mailed proves nothing: its bucket bounds the mails.
    if (step.mailsCode === true) await parts.attempts.takeBack(account)
    else await parts.attempts.succeed(account, operationId)
  }
  const event = step.event ?? (changes && steps[operationId] === undefined ? tableEvent : undefined)
  const began = ctx.credential === 'none'
  if (step.signsIn === true && began) await tellNewSession(parts, ctx, operationId, answer)
  else if (event !== undefined) {
    const userId = step.subject?.(parts, given) ?? (began ? null : ctx.actor.id)
    await tell(parts, began && userId !== null ? asUser(ctx, userId) : ctx, event, { userId, operation: operationId })
  }
  return replyOf(answer)
}

/** The account whose guesses a step counts; null when it judges nothing. */
async function accountOf(
  parts: AuthParts,
  ctx: RequestContext,
  { headers }: ForwardedInput,
  step: Step,
): Promise<string | null> {
  if (step.guess === true) return ctx.actor.id
  return step.factor === true || step.mailsCode === true ? challengedAccount(parts, ctx, headers) : null
}

async function ask(
  parts: AuthParts,
  contract: AnyRoute,
  ctx: RequestContext,
  input: ForwardedInput,
  step: Step,
  account: string | null,
): Promise<LibraryAnswer> {
  try {
    return await parts.bridge.call(ctx, {
      method: contract.method as 'GET' | 'POST',
      path: fillPath(contract.path, input.params),
      query: isMap(input.query) ? input.query : undefined,
      headers: input.headers,
      byClient: step.byClient === true,
      ...(Buffer.isBuffer(input.body) ? { form: input.body } : { body: input.body }),
    })
  } catch (error) {
    if (step.signsIn === true && ctx.credential === 'none')
      await tellFailure(parts, ctx, null, contract.operationId, error)
    // A wrong password stays counted; whatever else went wrong says nothing about it.
    const wrong = error instanceof PlatformError && error.code === 'invalid_credentials'
    if (account !== null && !wrong) await parts.attempts.takeBack(account)
    throw error
  }
}

async function tellNewSession(
  parts: AuthParts,
  ctx: RequestContext,
  operationId: string,
  answer: LibraryAnswer,
): Promise<void> {
  const token = newToken(parts, answer)
  const caller = token === null ? null : parts.lookup.byToken(token, false)
  if (caller === null) return
  // A second factor follows a password; signing in with a provider involves none.
  const user = steps[operationId]?.factor === true ? readUser(parts.read, caller.actor.id) : undefined
  if (user?.mustChangePassword === 1) await refuseUntilChanged(parts, user, token!)
  await parts.attempts.succeed(caller.actor.id)
  await tellSignIn(parts, ctx, caller.actor.id, operationId, caller.credentialId)
}

/** Says something to listeners. */
export async function tell(
  parts: Pick<AuthParts, 'write'>,
  ctx: RequestContext,
  type: string,
  payload: Record<string, unknown>,
): Promise<void> {
  await parts.write(type, (tx) => {
    tx.emit(ctx, { type, payload })
  })
}

/**
 * Answers as RFC 6749 says when the call was a form, as its RFC demands.
 * @source D-38
 */
export async function asProtocolSays(isForm: boolean, work: () => Promise<Reply<never>>): Promise<Reply<never>> {
  if (!isForm) return work()
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof PlatformError) || error.httpStatus >= 500) throw error
    const { reason, description } = error.details
    const code = typeof reason === 'string' && /^[a-z_]+$/.test(reason) ? reason : error.code
    const text = typeof description === 'string' ? description : error.message
    return new Reply({ error: code, error_description: text } as never, {
      status: error.httpStatus,
      headers: { 'cache-control': 'no-store' },
    })
  }
}

/** The fields of a body that came as JSON or as a form. @throws invalid_request */
export function fieldsOf(body: unknown): Record<string, unknown> {
  if (Buffer.isBuffer(body)) {
    const fields = new Map<string, string>()
    for (const [name, value] of new URLSearchParams(body.toString('utf8'))) {
      if (fields.has(name)) throw authError('invalid_request', { reason: 'invalid_request' })
      fields.set(name, value)
    }
    return Object.fromEntries(fields)
  }
  if (isMap(body)) return body
  throw authError('invalid_request', { reason: 'invalid_request' })
}

function fillPath(path: string, params: unknown): string {
  const given = isMap(params) ? params : {}
  return path
    .replace(/^\/auth/, '')
    .replaceAll(/:([A-Za-z]+)/g, (_match, name: string) => encodeURIComponent(String(given[name])))
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value)
}
