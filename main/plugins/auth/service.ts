// Puts accounts together: the secret, the local owner, lookups, the library behind its door, and what other plugins may
// ask.
import path from 'node:path'
import { readPrivateFile, writeFileAtomic } from '#main/kernel/atomic-file.ts'
import { localOwnerId } from '#main/kernel/context.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Write } from '#main/kernel/database.ts'
import type { Caller, IdentityProvider } from '#main/kernel/identity.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { AuthService, AuthUser } from './api.ts'
import { absenceFrom } from './service/absence.ts'
import { createAttempts } from './service/attempts.ts'
import type { AuthConfig } from './service/auth-config.ts'
import { sessionCookieName } from './service/auth-config.ts'
import type { AuthParts } from './service/auth-parts.ts'
import { createBridge } from './service/bridge.ts'
import { presentCaller } from './service/calling.ts'
import { hasClient } from './service/consent-store.ts'
import { createCookies } from './service/cookies.ts'
import { tell } from './service/forwarding.ts'
import { createInviters } from './service/invitations.ts'
import { createKeys, keyMark } from './service/keys.ts'
import type { Library } from './service/library.ts'
import { createLinks } from './service/links.ts'
import { createMail, waitingNotice } from './service/mail.ts'
import { firstOrganization } from './service/organization-switch.ts'
import { createOwnerSession, endSessions, ownerToken, putOwnerSession } from './service/own-sessions.ts'
import type { Passwords } from './service/password.ts'
import { createSessionLookup, isShutOut } from './service/session-lookup.ts'
import { asUser } from './service/sign-in.ts'
import { isSelfMade } from './service/unproved-store.ts'
import { readUsers } from './service/user-list-store.ts'
import { mayImpersonate, maySeeWaitingMail } from './service/users.ts'
import type { UserRow } from './store.ts'
import {
  insertUser,
  readMemberships,
  readPassword,
  readTeam,
  readTeamMembers,
  readTeams,
  readTeamsOf,
  readUser,
  readUserByName,
} from './store.ts'

/** Tables whose rows rights are derived from. */
const rightsTables: ReadonlySet<string> = new Set([
  'auth_user',
  'auth_member',
  'auth_organization',
  'auth_team',
  'auth_team_member',
])
/** Tables whose rows the lookups remember. */
const lookupTables: ReadonlySet<string> = new Set(['auth_session', ...rightsTables])

/**
 * The secret that signs cookies and seals second factors: configured, or made at the first start and kept in a private
 * file. It is not sealed by the host's store, whose key differs between the desktop and a host without one: the same
 * folder is opened by both, and second factors must outlive that.
 * @throws Error when the file is a link or damaged
 * @source D-40
 */
export function openSecret(host: PluginHost, config: AuthConfig): string {
  if (config.secret !== undefined) return config.secret
  const file = path.join(host.options.dataDir, 'auth.key')
  const kept = readPrivateFile(file)?.trim()
  if (kept !== undefined) {
    if (kept.length < 43) throw new Error('The key file of accounts, auth.key, is damaged.')
    return kept
  }
  const secret = host.ids.token(32)
  writeFileAtomic(file, `${secret}\n`)
  return secret
}

/**
 * Makes the local owner at the first start: an account without a password, whom the connection token and one-time codes
 * act as.
 * @source D-29
 */
export async function ensureOwner(host: PluginHost, secret: string): Promise<void> {
  if (readUser(host.read, localOwnerId) !== undefined) return
  await host.write('auth.owner', (tx) => {
    insertUser(
      tx,
      { id: localOwnerId, name: 'owner', email: 'owner@cairn.local', username: 'owner', image: null, role: 'admin' },
      host.clock.iso(),
    )
    putOwnerSession(tx, host.ids.uuid(), ownerToken(secret))
  })
}

/** Puts the parts together. */
export function createAuthParts(host: PluginHost, config: AuthConfig, secret: string, passwords: Passwords): AuthParts {
  const { read, clock, ids, log, options } = host
  // Small, and nobody can make room on a full disk without having signed in.
  const write: Write = (name, fn, given) => host.write(name, fn, { ...given, whenFull: true })
  const permissions = host.service('permissions')
  const hasOrganizations = config.plugins.organization
  const signUpIsClosed = config.emailAndPassword.disableSignUp ?? true
  const shared = { read, write, clock, ids, log, hasOrganizations }
  const lookup = createSessionLookup({
    ...shared,
    secret,
    cookieName: sessionCookieName(config),
    expiresInSeconds: config.session.expiresIn,
    updateAgeSeconds: config.session.updateAge,
  })
  const keys = createKeys(shared)
  const notifications = host.optionalService('notifications')
  const managers = (): string[] =>
    readUsers(read, { limit: 1_000, offset: 0 })
      .rows.filter(({ id }) => id !== localOwnerId && mayManageUsers(host, id))
      .map(({ id }) => id)
  const mail = createMail({
    transport: host.optionalService('mail'),
    tell(tx, waiting) {
      const service = notifications()
      if (service === undefined) return
      for (const userId of [localOwnerId, ...managers()]) service.notify(tx, waitingNotice(userId, waiting))
    },
    read,
    write,
    clock,
    ids,
    log,
  })
  const links = createLinks(host)
  const cookies = createCookies(config)
  const changed = (): void => {
    lookup.forget()
    keys.forget()
    host.raisePermissionEpoch()
  }
  const basePath = `${options.prefix}/auth`
  let loading: Promise<Library> | undefined
  const library = (): Promise<Library> => {
    loading ??= import('./service/library.ts').then(({ loadLibrary }) =>
      loadLibrary({
        config,
        passwords,
        secret,
        baseUrl: config.baseUrl?.replace(/\/$/, '') ?? options.baseUrl(),
        basePath,
        trustedOrigins: [options.baseUrl(), 'app://cairn', ...config.trustedOrigins],
        uiBasePath: options.uiBasePath,
        signUpIsClosed,
        newId: () => ids.uuid(),
        now: () => clock.now(),
        inviters: createInviters({ read, write, now: () => clock.now() }),
        isClient: (clientId) => config.deviceClients.includes(clientId) || isRegistered(clientId),
        async send(message, link) {
          // Nobody gets a link to an account that cannot come to be.
          const isStranger = readUserByName(read, message.to) === undefined
          if (message.kind === 'magic-link' && signUpIsClosed && isStranger) return
          if (link !== undefined) await links.issue(link)
          await mail.send(message)
        },
        async onUser(userId, path = '') {
          const by = { '/sign-up/email': 'sign-up', '/magic-link/verify': 'magic-link' }[path] ?? 'provider'
          const payload = { userId, by }
          await tell({ write }, asUser(presentCaller(), userId), 'auth.user_created', payload)
        },
        onLink: (userId, provider) =>
          tell({ write }, asUser(presentCaller(), userId), 'auth.account_linked', { userId, provider }),
        log,
        read,
        write,
        onChange(table) {
          if (lookupTables.has(table)) {
            lookup.forget()
            keys.forget()
          }
          if (rightsTables.has(table)) host.raisePermissionEpoch()
        },
      }),
    )
    loading.catch(() => {
      loading = undefined
    })
    return loading
  }
  const isRegistered = (clientId: string): boolean => hasClient(read, clientId)
  const bridge = createBridge({
    library,
    lookup,
    limits: config.emailAndPassword,
    baseUrl: () => config.baseUrl?.replace(/\/$/, '') ?? options.baseUrl(),
    basePath,
    cookieName: cookies.session,
    cookiePrefix: cookies.session.slice(0, -'session_token'.length),
    ownerSession: createOwnerSession({ read, write, ids }, ownerToken(secret)),
  })
  return {
    config,
    passwords,
    read,
    write,
    clock,
    ids,
    log,
    permissions,
    lookup,
    keys,
    attempts: createAttempts(write, clock),
    links,
    mail,
    bridge,
    cookies,
    ownerSessions: options.ownerSessions,
    library,
    timeZone: () => host.service('settings').get('timezone'),
    signUpIsClosed,
    changed,
  }
}

/** Whether a user holds the right as themselves, whatever credential they come with. */
function mayManageUsers(host: Pick<PluginHost, 'authorizer'>, id: string): boolean {
  const ctx: RequestContext = { ...internalContext('auth.mail'), actor: { type: 'user', id }, credential: 'session' }
  return host.authorizer.hasSystemPermission(ctx, 'manage_users')
}

/**
 * Finds callers for the host: sessions and keys, from memory or one statement. A session in which somebody acts as
 * somebody else holds only as long as it could be begun: rights may have changed since.
 * @source safety C10
 */
export function createIdentities(
  { lookup, keys, read, permissions }: Pick<AuthParts, 'lookup' | 'keys' | 'read' | 'permissions'>,
  secret: string,
): IdentityProvider {
  const hostToken = ownerToken(secret)
  const find = (token: string, byCookie: boolean): Caller | null => {
    const caller = lookup.byToken(token, byCookie)
    if (caller?.impersonatorId === undefined) return caller
    return mayImpersonate(read, permissions, caller.impersonatorId, caller.actor.id) ? caller : null
  }
  return {
    byBearer(text) {
      if (text.startsWith(keyMark)) return keys.find(text)
      const token = lookup.tokenOfBearer(text)
      return token === null ? null : find(token, false)
    },
    byApiKey: (key) => keys.find(key),
    ownerOrganization: () => lookup.organizationOf(hostToken, localOwnerId),
    byCookie(header) {
      const token = lookup.tokenOfCookie(header)
      return token === undefined || token === null ? token : find(token, true)
    },
    hasEnded(credential) {
      const token =
        'bearer' in credential ? lookup.tokenOfBearer(credential.bearer) : lookup.tokenOfCookie(credential.cookie)
      return typeof token === 'string' && lookup.hasEnded(token)
    },
  }
}

/** What other plugins may ask. */
export function createAuthService(parts: AuthParts): AuthService {
  const { read, clock, config, keys } = parts
  const view = (row: UserRow): AuthUser => ({
    id: row.id,
    name: row.name,
    email: row.email,
    username: row.username,
    image: row.image,
    banned: isShutOut(row, clock.now()),
  })
  const accounts: AuthService = {
    user(id) {
      const row = readUser(read, id)
      return row === undefined ? undefined : view(row)
    },
    isSelfMade: (id) => isSelfMade(read, id),
    users: ({ query, limit = 1_000 } = {}) =>
      readUsers(read, { ...(query === undefined ? {} : { text: query }), limit, offset: 0 }).rows.map(view),
    memberships(userId) {
      const teams = readTeams(read, userId)
      return readMemberships(read, userId).map(({ organizationId, role }) => ({
        organizationId,
        role,
        teams: teams.filter((team) => team.organizationId === organizationId).map(({ teamId }) => teamId),
      }))
    },
    teams: (organizationId) => readTeamsOf(read, organizationId),
    team: (id) => readTeam(read, id),
    keyScope(userId, keyId) {
      const key = keys.list(userId).find(({ id }) => id === keyId)
      const isOver = key === undefined || (key.expiresAt !== null && Date.parse(key.expiresAt) <= clock.now())
      return isOver ? undefined : { permissionSets: key.permissionSets, readOnly: key.readOnly }
    },
    teamMembers: (id) => readTeamMembers(read, id).map(({ userId }) => userId),
    hasOrganizations: config.plugins.organization,
    firstOrganization: () => firstOrganization(read),
    waitingMail: (ctx, id) => (maySeeWaitingMail(parts, ctx) ? parts.mail.content(id) : undefined),
    hasOwnerPassword: () => readPassword(read, localOwnerId) !== undefined,
    endSessions: (userId) => endSessions(parts, internalContext(parts.ids.uuid()), userId),
    absence: (userId, place) => absenceFrom(accounts, userId, place),
  }
  return accounts
}
