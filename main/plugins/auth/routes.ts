// Handlers of accounts: the host's own routes here, those of the library through service/forwarding.ts.
import type { z } from 'zod'
import type { authAdminRoutes } from '#shared/contracts/auth-admin.ts'
import { authOauthRoutes, authProviderRoutes } from '#shared/contracts/auth-oauth.ts'
import { authOrganizationRoutes } from '#shared/contracts/auth-organization.ts'
import type { authDeviceRoutes } from '#shared/contracts/auth-two-factor.ts'
import { authAccountRoutes } from '#shared/contracts/auth.ts'
import type { authMagicLinkRoutes, authRoutes } from '#shared/contracts/auth.ts'
import { platformError, validationError } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { localOwnerId } from '#main/kernel/context.ts'
import { instantOf } from '#main/kernel/clock.ts'
import type { Handlers, HostFacts } from '#main/kernel/plugin.ts'
import { Reply } from '#main/kernel/reply.ts'
import { authError } from './errors.ts'
import { createAdministration } from './service/admin.ts'
import type { Role } from './service/admin.ts'
import type { AuthParts } from './service/auth-parts.ts'
import type { RequestHeaders } from './service/bridge.ts'
import { endConsent, listConsents } from './service/consents.ts'
import { decide, describeDevice, pollToken, requestCode } from './service/device.ts'
import { isMemberOf, requireOwnToLookAt, requireOwnToWorkIn } from './service/foreign-organization.ts'
import type { ForwardedInput } from './service/forwarding.ts'
import { asProtocolSays, fieldsOf, forwardAll } from './service/forwarding.ts'
import { createTurns } from './service/in-turn.ts'
import { requirePasswordLength } from './service/library-errors.ts'
import { voidLink } from './service/links.ts'
import { followLink, redeemLink, sendLink } from './service/magic-link.ts'
import {
  currentSession,
  endSession,
  endSessions,
  findSession,
  keptSession,
  leaveForNone,
  listSessions,
  signOut,
} from './service/own-sessions.ts'
import { refuseIdToken, requireConfiguredScopes } from './service/provider-requests.ts'
import { publicConfig } from './service/public-config.ts'
import type { SignInRequest } from './service/sign-in.ts'
import { signIn } from './service/sign-in.ts'
import type { UserField, UserFilter, UserOperator } from './service/user-list-store.ts'
import { readUsers } from './service/user-list-store.ts'
import { callerIsAdministrator, loginUser, requireManageable, requireOwnSession, userView } from './service/users.ts'
import { putPassword, readAccountId, readPassword, readTeam, readTeamMembers, readUser } from './store.ts'

/** Binds the routes that are the host's own code. */
export function authHandlers(parts: AuthParts, uiBasePath: string): Handlers<typeof authRoutes> {
  const { config, read, write, clock, ids, permissions, keys, mail } = parts

  const signInReply = async (
    ctx: RequestContext,
    headers: RequestHeaders,
    request: SignInRequest,
  ): Promise<Reply<never>> => {
    const { answer } = await signIn(parts, ctx, headers, request)
    return new Reply(answer.body as never, { headers: answer.headers })
  }

  return {
    getAuthConfig: () => publicConfig(config, parts.signUpIsClosed, uiBasePath),
    getBootstrapStatus: () => ({ hasOwner: readUser(read, localOwnerId) !== undefined }),
    async login(ctx, { body, headers }) {
      const request = { name: body.username, password: body.password, route: 'login' }
      const { answer, token, expiresAt, user } = await signIn(parts, ctx, headers, request)
      const signedIn = token !== null && user !== null
      const result = signedIn
        ? { token, expiresAt, user: loginUser(user, permissions) }
        : { token: null, expiresAt: null, user: null, twoFactorRedirect: true }
      return new Reply(result as never, { headers: answer.headers })
    },
    signInEmail: (ctx, { body, headers }) =>
      signInReply(ctx, headers, { ...body, name: body.email, route: 'sign-in-email' }),
    signInUsername: (ctx, { body, headers }) =>
      signInReply(ctx, headers, { ...body, name: body.username, route: 'sign-in-username' }),
    getSession: (ctx, { headers }) => currentSession(parts, ctx, headers) as never,
    listSessions: (ctx) => listSessions(parts, ctx.actor.id) as never,
    async revokeSession(ctx, { body }) {
      requireOwnSession(ctx)
      const session = findSession(parts, body.token)
      // Whatever is none of the caller's is answered alike, be it somebody else's, or gone.
      if (session?.userId === ctx.actor.id) await endSession(parts, ctx, session, ctx.actor.id)
      return { status: true }
    },
    async revokeSessions(ctx) {
      requireOwnSession(ctx)
      await endSessions(parts, ctx, ctx.actor.id)
      return { status: true }
    },
    async revokeOtherSessions(ctx, { headers }) {
      requireOwnSession(ctx)
      const current = currentSession(parts, ctx, headers)
      await endSessions(parts, ctx, ctx.actor.id, current?.session.id)
      return { status: true }
    },
    async setOwnPassword(ctx, { body }) {
      requireOwnSession(ctx)
      const userId = ctx.actor.id
      requirePasswordLength(body.newPassword, config.emailAndPassword)
      const hash = await parts.passwords.hash(body.newPassword)
      await write('auth.set-own-password', (tx) => {
        if (readPassword(tx, userId) !== undefined) throw platformError('conflict', { reason: 'PASSWORD_ALREADY_SET' })
        putPassword(tx, userId, hash, clock.iso(), ids.uuid())
        voidLink(tx, 'reset-password', userId)
        tx.emit(ctx, { type: 'auth.password_changed', payload: { userId, by: 'self', first: true } })
      })
      return { status: true }
    },
    listOutbox(ctx) {
      // A waiting link opens the account it is for, administrators' too.
      if (!callerIsAdministrator(permissions, ctx))
        throw platformError('permission_denied', { permission: 'manage_users' })
      requireOwnSession(ctx)
      return { messages: mail.waiting() }
    },
    async createKey(ctx, { body }) {
      requireOwnSession(ctx)
      const sets = body.permissionSets ?? null
      const unknown = (sets ?? []).flatMap((value, index): FieldError[] =>
        permissions.isPermissionSet(value)
          ? []
          : [{ field: `permissionSets.${index}`, code: 'invalid_reference', message: 'There is no such set.', value }],
      )
      if (unknown.length > 0) throw validationError(unknown)
      const expiresAt = body.expiresAt ?? body.expires_at ?? null
      const field = body.expiresAt == null ? 'expires_at' : 'expiresAt'
      const made = await keys.create(ctx, {
        name: body.name,
        expiresAt: expiresAt === null ? null : instantOf(field, expiresAt, parts.timeZone()),
        permissionSets: sets,
        readOnly: body.readOnly ?? false,
        purpose: body.purpose ?? null,
      })
      return new Reply(made, { headers: { 'cache-control': 'no-store' } })
    },
    listKeys: (ctx) => ({ keys: keys.list(ctx.actor.id) }),
    async deleteKey(ctx, { params }) {
      requireOwnSession(ctx)
      await keys.remove(ctx, params.id)
      return { id: params.id, success: true as const }
    },
  }
}

/** Binds the routes of the account itself. */
export function accountHandlers(parts: AuthParts): Handlers<typeof authAccountRoutes> {
  const forwarded = forwardAll(parts, authAccountRoutes)
  return {
    ...forwarded,
    // The library knows the id of a row only; clients name the provider, too.
    unlinkAccount(ctx, input) {
      requireOwnSession(ctx)
      const id = readAccountId(parts.read, ctx.actor.id, input.body)
      if (id === undefined) throw platformError('resource_not_found', { resource: 'account' })
      return forwarded.unlinkAccount(ctx, { ...input, body: { accountId: id } })
    },
    linkSocial(ctx, input) {
      refuseIdToken(input.body)
      return forwarded.linkSocial(ctx, input)
    },
    signInSocial(ctx, input) {
      refuseIdToken(input.body)
      const { scopes, ...body } = input.body
      requireConfiguredScopes(parts, body.provider, scopes)
      // What is configured is asked for anyway.
      return forwarded.signInSocial(ctx, { ...input, body })
    },
    resetPassword(ctx, input) {
      const token = [input.body.token, input.query.token].find((given) => given !== undefined && given !== '')
      if (token === undefined) throw authError('token_invalid', { reason: 'INVALID_TOKEN' })
      return forwarded.resetPassword(ctx, { ...input, query: {}, body: { ...input.body, token } })
    },
    // To the library, which knows where to lead whoever follows it, a link that does not count is none.
    followResetLink(ctx, input) {
      const { token } = (input as { params: unknown }).params as { token: string }
      const counts = parts.links.counts('reset-password', token)
      return forwarded.followResetLink(ctx, counts ? input : ({ ...input, params: { token: 'none' } } as never))
    },
    signOut: (ctx, { headers }) => signOut(parts, ctx, headers) as never,
  }
}

/** Binds signing in with a link. */
export function magicLinkHandlers(parts: AuthParts): Handlers<typeof authMagicLinkRoutes> {
  return {
    sendMagicLink: (ctx, { body }) => sendLink(parts, ctx, body),
    verifyMagicLink: (ctx, { body, headers }) => redeemLink(parts, ctx, headers, body.token),
    followMagicLink: (ctx, { query, headers }) => followLink(parts, ctx, headers, query),
  }
}

/** Binds device authorization. */
export function deviceHandlers(parts: AuthParts): Handlers<typeof authDeviceRoutes> {
  return {
    requestDeviceCode: (ctx, input) => requestCode(parts, ctx, input),
    pollDeviceToken: (ctx, input) => pollToken(parts, ctx, input),
    getDevice: (ctx, input) => describeDevice(parts, ctx, input),
    approveDevice: (ctx, input) => decide(parts, ctx, input, 'approve'),
    denyDevice: (ctx, input) => decide(parts, ctx, input, 'deny'),
  }
}

/** Binds signing in with other providers. */
export function providerHandlers(parts: AuthParts): Handlers<typeof authProviderRoutes> {
  const forwarded = forwardAll(parts, authProviderRoutes)
  const social = forwardAll(parts, { signInSocial: authAccountRoutes.signInSocial })
  const inTurn = createTurns()
  return {
    ...forwarded,
    // The library looks a state up and then uses it up: of several answers at once the first one must have done so.
    followProvider: (ctx, input) =>
      inTurn(String(input.query['state']), async () => forwarded.followProvider(ctx, input)) as never,
    // The library signs in with every provider at one path; the other one is kept for clients of older versions.
    signInOauth2(ctx, input) {
      const { providerId, ...rest } = input.body
      return social.signInSocial(ctx, { ...input, body: { ...rest, provider: providerId } } as never) as never
    },
  }
}

/** Binds the OpenID provider role. */
export function oauthHandlers(
  parts: AuthParts,
  { prefix, uiBasePath }: Pick<HostFacts, 'prefix' | 'uiBasePath'>,
): Handlers<typeof authOauthRoutes> {
  const forwarded = forwardAll(parts, authOauthRoutes, 'auth.oauth_client_changed') as Handlers<typeof authOauthRoutes>
  const inTurn = createTurns()
  /**
   * A code or refresh token that comes twice ends everything it opened. Two of them at once must not do so while the
   * first is still being answered.
   */
  const redeemed = (body: unknown): string | undefined => {
    const { code, refresh_token: refreshToken } = fieldsOf(body)
    return [code, refreshToken].find((value) => typeof value === 'string')
  }
  const byProtocol = (name: 'oauthToken' | 'oauthIntrospect' | 'oauthRevoke') => (ctx: RequestContext, input: never) =>
    asProtocolSays(Buffer.isBuffer((input as ForwardedInput).body), async () => {
      const work = async (): Promise<Reply<never>> => (await forwarded[name](ctx, input)) as Reply<never>
      const key = name === 'oauthToken' ? redeemed((input as ForwardedInput).body) : undefined
      return key === undefined ? work() : inTurn(key, work)
    })
  /** No access token at all is no malformed request (RFC 6750, section 3.1), and a session is none. */
  const requireAccessToken = (ctx: RequestContext, { headers, body }: ForwardedInput): void => {
    const inHeader = ctx.credential === 'none' && headers['authorization'] !== undefined
    const inForm = Buffer.isBuffer(body) && fieldsOf(body)['access_token'] !== undefined
    if (!inHeader && !inForm) throw platformError('unauthenticated', { reason: 'invalid_token' })
  }
  const actingPage = `${uiBasePath}/#/authorize-error?error=acting_as_somebody_else`
  const document = (body: unknown): Reply<never> =>
    new Reply(body as never, { headers: { 'cache-control': 'no-cache' } })
  return {
    ...forwarded,
    // A browser is led here: it is shown a page, not an answer of the API.
    oauthAuthorize: (ctx, input) =>
      ctx.impersonatorId === undefined
        ? forwarded.oauthAuthorize(ctx, input)
        : (new Reply({} as never, { status: 302, headers: { location: actingPage } }) as never),
    // The form's fields are the request's parameters; the rest of the way is the same.
    oauthAuthorizeByForm(_ctx, { body }) {
      const fields = new URLSearchParams()
      for (const [name, value] of Object.entries(fieldsOf(body))) fields.set(name, String(value))
      const location = `${prefix}/auth/oauth2/authorize?${fields}`
      return new Reply({} as never, { status: 303, headers: { location, 'cache-control': 'no-store' } })
    },
    oauthGetConsents: (ctx) => listConsents(parts, ctx),
    async oauthDeleteConsent(ctx, { body }) {
      await endConsent(parts, ctx, body.id)
      return { success: true }
    },
    oauthToken: byProtocol('oauthToken') as never,
    oauthIntrospect: byProtocol('oauthIntrospect') as never,
    oauthRevoke: byProtocol('oauthRevoke') as never,
    oauthUserInfo(ctx, input) {
      requireAccessToken(ctx, input as ForwardedInput)
      return forwarded.oauthUserInfo(ctx, input)
    },
    // The library takes a POST for a form; any other one says what a GET says.
    oauthUserInfoByPost: (ctx, input) =>
      asProtocolSays(Buffer.isBuffer(input.body), async () => {
        requireAccessToken(ctx, input as ForwardedInput)
        return (await (Buffer.isBuffer(input.body)
          ? forwarded.oauthUserInfoByPost(ctx, input)
          : forwarded.oauthUserInfo(ctx, { ...input, query: {}, body: undefined } as never))) as Reply<never>
      }) as never,
    openidConfiguration: async () => document(await (await parts.library()).openidConfiguration()),
    oauthServerMetadata: async () => document(await (await parts.library()).oauthServerMetadata()),
  }
}

/** Binds organizations. */
export function organizationHandlers(parts: AuthParts): Handlers<typeof authOrganizationRoutes> {
  const { read } = parts
  const forwarded = forwardAll(parts, authOrganizationRoutes, 'auth.organization_changed')
  /** A team of others is answered like one that is not there. */
  const requireOwnTeam = (ctx: RequestContext, id: string): void => {
    const team = readTeam(read, id)
    if (team === undefined || !isMemberOf(read, ctx, team.organizationId))
      throw platformError('resource_not_found', { resource: 'team', id })
  }
  return {
    ...forwarded,
    async setActiveOrganization(ctx, input) {
      requireOwnToWorkIn(read, ctx, input.body)
      const answer = await forwarded.setActiveOrganization(ctx, input)
      if (input.body.organizationId === null) await leaveForNone(parts, ctx, input.headers)
      return answer
    },
    getFullOrganization(ctx, input) {
      requireOwnToLookAt(read, ctx, input.query)
      return forwarded.getFullOrganization(ctx, input)
    },
    listMembers(ctx, input) {
      if (input.query.organizationSlug !== undefined) requireOwnToLookAt(read, ctx, input.query)
      return forwarded.listMembers(ctx, { ...input, query: { ...input.query, ...memberCondition(input.query) } })
    },
    getActiveMemberRole(ctx, input) {
      if (input.query.organizationSlug !== undefined) requireOwnToLookAt(read, ctx, input.query)
      return forwarded.getActiveMemberRole(ctx, input)
    },
    setActiveTeam(ctx, input) {
      if (input.body.teamId != null) requireOwnTeam(ctx, input.body.teamId)
      return forwarded.setActiveTeam(ctx, input)
    },
    // The library shows a team to its members only; whoever manages one need not be in it.
    listTeamMembers(ctx, input) {
      const { teamId } = input.query
      if (teamId === undefined) return forwarded.listTeamMembers(ctx, input)
      requireOwnTeam(ctx, teamId)
      return readTeamMembers(read, teamId)
    },
  }
}

/** Binds the administration of accounts. */
export function adminHandlers(parts: AuthParts): Handlers<typeof authAdminRoutes> {
  const { read, cookies, bridge, lookup, permissions } = parts
  const admin = createAdministration(parts)
  const roleOf = (role: Role | readonly Role[] | undefined): Role =>
    role === 'admin' || (Array.isArray(role) && role.includes('admin')) ? 'admin' : 'user'
  const requireUser = (id: string) => {
    const row = readUser(read, id)
    if (row === undefined) throw platformError('resource_not_found', { resource: 'user', id })
    return row
  }
  return {
    adminCreateUser: async (ctx, { body }) => ({
      user: await admin.create(ctx, { ...body, ...body.data, role: roleOf(body.role) }),
    }),
    adminSetRole: async (ctx, { body }) => ({ user: await admin.setRole(ctx, body.userId, roleOf(body.role)) }),
    async adminSetPassword(ctx, { body }) {
      await admin.setPassword(ctx, body.userId, body.newPassword)
      return { status: true }
    },
    adminBanUser: async (ctx, { body }) => ({
      user: await admin.ban(ctx, body.userId, body.banReason, body.banExpiresIn),
    }),
    adminUnbanUser: async (ctx, { body }) => ({ user: await admin.unban(ctx, body.userId) }),
    async adminImpersonate(ctx, { body, headers }) {
      const { session, token, user } = await admin.impersonate(ctx, body.userId)
      const own = headers['authorization'] === undefined ? bridge.sessionToken(ctx, headers) : null
      const setCookies =
        own === null
          ? []
          : [
              cookies.set(cookies.session, lookup.sign(token), 3_600),
              cookies.set(cookies.admin, lookup.sign(own), 3_600),
            ]
      return new Reply({ session: { ...session, token }, user } as never, {
        headers: setCookies.length === 0 ? {} : { 'set-cookie': setCookies },
      })
    },
    async adminStopImpersonating(ctx, { headers }) {
      const current = currentSession(parts, ctx, headers)
      if (ctx.impersonatorId === undefined || current === null)
        throw platformError('permission_denied', { reason: 'NOT_IMPERSONATING' })
      await admin.stopImpersonating(ctx, current.session.id)
      const kept = keptSession(parts, ctx, headers)
      if (kept === undefined) return { status: true, session: null, user: null }
      const { cookie, session, user } = kept
      const life = cookie === '' ? 0 : parts.config.session.expiresIn
      const restored = [cookies.set(cookies.session, cookie, life), cookies.set(cookies.admin, '', 0)]
      return new Reply({ status: true, session, user }, { headers: { 'set-cookie': restored } })
    },
    async adminRemoveUser(ctx, { body }) {
      await admin.remove(ctx, body.userId)
      return { success: true }
    },
    async adminUpdateUser(ctx, { body }) {
      const { emailVerified, ...data } = body.data
      const verified = emailVerified === undefined ? {} : { emailVerified: emailVerified ? 1 : 0 }
      const user = await admin.update(ctx, body.userId, { ...data, ...verified })
      return { ...user, user }
    },
    adminListSessions: (_ctx, { body }) => ({
      sessions: listSessions(parts, requireUser(body.userId).id) as never,
    }),
    async adminRevokeSession(ctx, { body }) {
      const session = findSession(parts, body.sessionToken)
      if (session !== undefined) requireManageable(read, permissions, ctx, session.userId)
      await endSession(parts, ctx, session, session?.userId ?? '')
      return { success: true }
    },
    async adminRevokeSessions(ctx, { body }) {
      const { id } = requireUser(body.userId)
      requireManageable(read, permissions, ctx, id)
      await endSessions(parts, ctx, id)
      return { success: true }
    },
    adminHasPermission: (ctx) => ({
      error: null,
      success: permissions.systemPermissions(ctx).includes('manage_users'),
    }),
    adminListUsers(_ctx, { query }) {
      const limit = Math.min(Number(query.limit ?? 100), 500)
      const offset = Number(query.offset ?? 0)
      const { rows, total } = readUsers(read, {
        ...(query.searchValue === undefined ? {} : { text: query.searchValue }),
        ...(query.searchField === undefined ? {} : { columns: [query.searchField] }),
        ...(query.searchOperator === undefined ? {} : { textOperator: query.searchOperator }),
        ...(query.filterValue === undefined
          ? {}
          : { filter: userFilter({ ...query, filterValue: query.filterValue }) }),
        ...(query.sortBy === undefined ? {} : { sortBy: query.sortBy }),
        descending: query.sortDirection === 'desc',
        limit,
        offset,
      })
      return { users: rows.map(userView) as never, total, limit, offset }
    },
    adminGetUser: (_ctx, { query }) => userView(requireUser(query.id)) as never,
  }
}

/** The condition on members that a query spells out: the library takes a list for one it is given more than once. */
function memberCondition({ filterField, filterOperator, filterValue }: MemberCondition): MemberCondition {
  if (filterField === undefined || filterValue === undefined)
    return { filterField: undefined, filterOperator: undefined, filterValue: undefined }
  const values = filterValues(filterOperator, filterValue)
  const isList = filterOperator === 'in' || filterOperator === 'not_in'
  return { filterField, filterOperator, filterValue: isList ? [...values, ...values] : values[0] }
}

type MembersQuery = z.output<typeof authOrganizationRoutes.listMembers.query>
type MemberCondition = Pick<MembersQuery, 'filterField' | 'filterOperator' | 'filterValue'>

/** The values of a condition: several for a list, else the last one given. */
function filterValues(operator: string | undefined, given: string | readonly string[]): string[] {
  const values = typeof given === 'string' ? [given] : given
  const isList = operator === 'in' || operator === 'not_in'
  return isList ? values.flatMap((one) => one.split(',')) : values.slice(-1)
}

/** The condition on accounts that a query spells out. */
function userFilter(query: {
  readonly filterField?: UserField | undefined
  readonly filterOperator?: UserOperator | undefined
  readonly filterValue: string | readonly string[]
}): UserFilter {
  const { filterField: field = 'email', filterOperator: operator = 'eq', filterValue } = query
  return { field, operator, values: filterValues(operator, filterValue) }
}
