// The administration of accounts: each step is one write, with the end of sessions and the word to listeners inside it.
import { notFound, platformError } from '#shared/errors.ts'
import { localOwnerId } from '#main/kernel/context.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import { authError } from '../errors.ts'
import type { ListedSession, UserChange, UserRow } from '../store.ts'
import {
  deleteSession,
  deleteSessions,
  deleteUser,
  insertSession,
  insertUser,
  putPassword,
  readSessionById,
  readUser,
  readUserByName,
  updateUser,
} from '../store.ts'
import type { AuthParts } from './auth-parts.ts'
import { deleteKeys } from './key-store.ts'
import { passwordLength } from './library-errors.ts'
import { voidLink } from './links.ts'
import { digestOf, isShutOut } from './session-lookup.ts'
import type { UserView } from './users.ts'
import { callerIsAdministrator, isAdministrator, requireManageable, requireOwnSession, userView } from './users.ts'

/** Roles of the library; an administrator has the profile `administrator`. */
export type Role = 'admin' | 'user'

/** An impersonated session lasts this long at most (C10). */
const impersonationMs = 3_600_000
const usernamePattern = /^[a-z0-9_.]{3,30}$/

/** What a new account is to be. */
export interface AccountRequest {
  readonly email: string
  readonly name: string
  readonly password?: string | undefined
  readonly role: Role
  readonly username?: string | undefined
  readonly image?: string | undefined
}

/** The administration of one host. */
export interface Administration {
  create(ctx: RequestContext, request: AccountRequest): Promise<UserView>
  setRole(ctx: RequestContext, userId: string, role: Role): Promise<UserView>
  setPassword(ctx: RequestContext, userId: string, password: string): Promise<void>
  ban(ctx: RequestContext, userId: string, reason: string | undefined, seconds: number | undefined): Promise<UserView>
  unban(ctx: RequestContext, userId: string): Promise<UserView>
  /** A session of the user, with its token. */
  impersonate(ctx: RequestContext, userId: string): Promise<{ session: ListedSession; token: string; user: UserView }>
  stopImpersonating(ctx: RequestContext, sessionId: string): Promise<void>
  remove(ctx: RequestContext, userId: string): Promise<void>
  update(ctx: RequestContext, userId: string, change: UserChange): Promise<UserView>
}

/**
 * Makes the administration. Who may call is the contract's permission; here is what nobody may.
 * @throws resource_not_found for an unknown account; permission_denied where an administrator's account or the local
 * owner's is protected
 * @source D-32; safety C10
 */
export function createAdministration(parts: AuthParts): Administration {
  const { read, write, clock, ids, permissions, config } = parts

  const required = (id: string): UserRow => {
    const row = readUser(read, id)
    if (row === undefined) throw notFound('user', id)
    return row
  }

  const target = (ctx: RequestContext, id: string): UserRow => {
    const row = required(id)
    requireManageable(read, permissions, ctx, id)
    return row
  }

  const refuseOwner = (id: string): void => {
    if (id === localOwnerId) throw platformError('permission_denied', { reason: 'LOCAL_OWNER' })
  }

  const checkPassword = (password: string, field: 'password' | 'newPassword'): void => {
    const limits = config.emailAndPassword
    if (password.length < limits.minPasswordLength) throw passwordLength('PASSWORD_TOO_SHORT', limits, field)
    if (password.length > limits.maxPasswordLength) throw passwordLength('PASSWORD_TOO_LONG', limits, field)
  }

  const checkUsername = (username: string | null | undefined): string | null => {
    if (username === null || username === undefined || username === '') return null
    const folded = username.toLowerCase()
    if (!usernamePattern.test(folded)) throw platformError('validation_error', { reason: 'INVALID_USERNAME' })
    return folded
  }

  const refuseTaken = (tx: Tx, email: string | undefined, username: string | null, except: string): void => {
    for (const name of [email, username]) {
      const other = name === undefined || name === null ? undefined : readUserByName(tx, name)
      if (other !== undefined && other.id !== except)
        throw authError('user_already_exists', { reason: 'USER_ALREADY_EXISTS' })
    }
  }

  const giveRole = (tx: Tx, userId: string, role: Role): void => {
    const now = permissions.assignments(userId, tx)
    const without = now.profile === 'administrator' ? 'standard' : now.profile
    const profile = role === 'admin' ? 'administrator' : without
    if (profile !== now.profile) permissions.assign(tx, userId, { ...now, profile })
  }

  const change = async (
    ctx: RequestContext,
    name: string,
    userId: string,
    type: string,
    payload: Record<string, unknown>,
    work: (tx: Tx) => void,
  ): Promise<UserView> => {
    await write(name, (tx) => {
      work(tx)
      tx.emit(ctx, { type, payload: { userId, ...payload } })
      tx.afterCommit(parts.changed)
    })
    return userView(required(userId))
  }

  return {
    async create(ctx, request) {
      if (request.role === 'admin' && !callerIsAdministrator(permissions, ctx))
        throw platformError('permission_denied', { reason: 'YOU_ARE_NOT_ALLOWED_TO_CHANGE_USERS_ROLE' })
      if (request.password !== undefined) checkPassword(request.password, 'password')
      const hash = request.password === undefined ? undefined : await parts.passwords.hash(request.password)
      const username = checkUsername(request.username)
      const email = request.email.toLowerCase()
      const id = ids.uuid()
      return change(ctx, 'auth.create-user', id, 'auth.user_created', { role: request.role, by: 'admin' }, (tx) => {
        refuseTaken(tx, email, username, id)
        const now = clock.iso()
        insertUser(
          tx,
          { id, name: request.name, email, username, image: request.image ?? null, role: request.role },
          now,
        )
        if (hash !== undefined) putPassword(tx, id, hash, now, ids.uuid())
        giveRole(tx, id, request.role)
      })
    },
    async setRole(ctx, userId, role) {
      refuseOwner(userId)
      const user = target(ctx, userId)
      if (!callerIsAdministrator(permissions, ctx))
        throw platformError('permission_denied', { reason: 'YOU_ARE_NOT_ALLOWED_TO_CHANGE_USERS_ROLE' })
      return change(
        ctx,
        'auth.set-role',
        userId,
        'auth.role_changed',
        { from: user.role ?? 'user', to: role },
        (tx) => {
          updateUser(tx, userId, { role }, clock.iso())
          giveRole(tx, userId, role)
          deleteSessions(tx, userId)
        },
      )
    },
    async setPassword(ctx, userId, password) {
      requireOwnSession(ctx)
      target(ctx, userId)
      checkPassword(password, 'newPassword')
      const hash = await parts.passwords.hash(password)
      await change(ctx, 'auth.set-password', userId, 'auth.password_changed', { by: 'admin' }, (tx) => {
        const now = clock.iso()
        putPassword(tx, userId, hash, now, ids.uuid())
        updateUser(tx, userId, { mustChangePassword: userId === ctx.actor.id ? 0 : 1 }, now)
        voidLink(tx, 'reset-password', userId)
        deleteSessions(tx, userId)
        if (userId === localOwnerId) tx.afterCommit(() => void parts.ownerSessions.endAll())
        // It is given where somebody else got in: nothing that was made meanwhile stays a way in.
        if (userId === ctx.actor.id) return
        for (const keyId of deleteKeys(tx, userId))
          tx.emit(ctx, { type: 'auth.key_revoked', payload: { keyId, userId } })
      })
    },
    async ban(ctx, userId, reason, seconds) {
      refuseOwner(userId)
      if (userId === ctx.actor.id) throw platformError('permission_denied', { reason: 'YOU_CANNOT_BAN_YOURSELF' })
      target(ctx, userId)
      const until = seconds === undefined ? null : new Date(clock.now() + seconds * 1000).toISOString()
      return change(ctx, 'auth.ban', userId, 'auth.user_banned', { until, reason: reason ?? null }, (tx) => {
        updateUser(tx, userId, { banned: 1, banReason: reason ?? null, banExpires: until }, clock.iso())
        deleteSessions(tx, userId)
      })
    },
    async unban(ctx, userId) {
      target(ctx, userId)
      return change(ctx, 'auth.unban', userId, 'auth.user_unbanned', {}, (tx) => {
        updateUser(tx, userId, { banned: 0, banReason: null, banExpires: null }, clock.iso())
      })
    },
    async impersonate(ctx, userId) {
      requireOwnSession(ctx)
      const user = required(userId)
      if (isAdministrator(permissions, userId))
        throw platformError('permission_denied', { reason: 'YOU_CANNOT_IMPERSONATE_ADMINS' })
      requireManageable(read, permissions, ctx, userId)
      const now = clock.now()
      if (isShutOut(user, now)) throw authError('account_banned', { reason: 'BANNED_USER' })
      const token = ids.token()
      const id = ids.uuid()
      await write('auth.impersonate', (tx) => {
        insertSession(tx, {
          id,
          userId,
          token: digestOf(token),
          createdAt: new Date(now).toISOString(),
          updatedAt: new Date(now).toISOString(),
          expiresAt: new Date(now + impersonationMs).toISOString(),
          ipAddress: '',
          userAgent: '',
          impersonatedBy: ctx.actor.id,
        })
        tx.emit(ctx, {
          type: 'auth.impersonation_started',
          payload: { userId, impersonatorId: ctx.actor.id, sessionId: id },
        })
      })
      return { session: readSessionById(read, id)!, token, user: userView(user) }
    },
    async stopImpersonating(ctx, sessionId) {
      await write('auth.stop-impersonating', (tx) => {
        deleteSession(tx, sessionId)
        tx.emit(ctx, {
          type: 'auth.impersonation_ended',
          payload: { userId: ctx.actor.id, impersonatorId: ctx.impersonatorId ?? null, sessionId },
        })
        tx.afterCommit(parts.changed)
      })
    },
    async remove(ctx, userId) {
      refuseOwner(userId)
      if (userId === ctx.actor.id) throw platformError('permission_denied', { reason: 'YOU_CANNOT_REMOVE_YOURSELF' })
      target(ctx, userId)
      await write('auth.remove-user', (tx) => {
        deleteSessions(tx, userId)
        deleteUser(tx, userId)
        tx.emit(ctx, { type: 'auth.user_deleted', payload: { userId, by: 'admin' } })
        tx.afterCommit(parts.changed)
      })
    },
    async update(ctx, userId, given) {
      target(ctx, userId)
      const email = given.email?.toLowerCase()
      const username = given.username === undefined ? undefined : checkUsername(given.username)
      const names = username === undefined ? {} : { username, displayUsername: username }
      const next = { ...given, ...(email === undefined ? {} : { email }), ...names }
      return change(ctx, 'auth.update-user', userId, 'auth.user_updated', { fields: Object.keys(given) }, (tx) => {
        refuseTaken(tx, email, username ?? null, userId)
        updateUser(tx, userId, next, clock.iso())
      })
    },
  }
}
