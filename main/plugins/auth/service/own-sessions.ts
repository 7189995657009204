// The sessions of the caller: which one is in use, which others there are, and ending them.
import { createHmac } from 'node:crypto'
import { notFound } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { localOwnerId } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import { Reply } from '#main/kernel/reply.ts'
import type { ListedSession } from '../store.ts'
import {
  deleteSession,
  deleteSessions,
  insertSession,
  readSessionByDigest,
  readSessions,
  readUser,
  workInNone,
} from '../store.ts'
import type { AuthParts } from './auth-parts.ts'
import type { RequestHeaders } from './bridge.ts'
import { digestOf } from './session-lookup.ts'
import type { UserView } from './users.ts'
import { userView } from './users.ts'

/** What marks sessions the host opened for itself; they are in no list. */
export const hostAgent = 'cairn-host'

/** A session with its user, as routes answer them. */
interface ShownSession {
  session: Record<string, unknown> & { id: string; userId: string; token: string; expiresAt: string }
  user: UserView
}

/**
 * The session and user of the caller; null without one. A host credential has a session in name only. Whoever came with a
 * token is told it; whoever came with a cookie is told what stands for it in lists, as no page is to read the cookie.
 */
export function currentSession(parts: AuthParts, ctx: RequestContext, headers: RequestHeaders): ShownSession | null {
  const { read, bridge, clock, config } = parts
  if (ctx.credential === 'none') return null
  const user = readUser(read, ctx.actor.id)
  if (user === undefined) return null
  const token = bridge.sessionToken(ctx, headers)
  const row = token === null ? undefined : readSessionByDigest(read, digestOf(token))
  const presented = token !== null && headers['authorization'] !== undefined ? { token } : {}
  const session =
    row === undefined
      ? {
          id: ctx.credential,
          userId: user.id,
          token: ctx.credential,
          expiresAt: new Date(clock.now() + config.session.expiresIn * 1000).toISOString(),
          activeOrganizationId: ctx.organizationId,
        }
      : { ...row, ...presented, activeOrganizationId: ctx.organizationId }
  return { session, user: userView(user) }
}

/** What a browser comes back to that acted as somebody else. */
interface KeptSession {
  /** For the cookie of the session in use; empty where nothing is left to come back to. */
  readonly cookie: string
  readonly session: ShownSession['session'] | null
  readonly user: UserView | null
}

/**
 * The session in which somebody began to act as somebody else, which their browser kept; undefined where it kept none. Only
 * a living one of that person is come back to.
 */
export function keptSession(
  { read, lookup, cookies }: Pick<AuthParts, 'read' | 'lookup' | 'cookies'>,
  ctx: RequestContext,
  headers: RequestHeaders,
): KeptSession | undefined {
  const sent = (headers['cookie'] ?? '').split(';').map((part) => part.trim())
  const cookie = sent.find((part) => part.startsWith(`${cookies.admin}=`))?.slice(cookies.admin.length + 1)
  if (cookie === undefined || cookie === '') return undefined
  const token = lookup.unsign(cookie)
  const caller = token === null ? null : lookup.byToken(token, true)
  const isOwn = caller !== null && caller.actor.id === ctx.impersonatorId && caller.impersonatorId === undefined
  const session = isOwn ? readSessionByDigest(read, digestOf(token!)) : undefined
  const user = session === undefined ? undefined : readUser(read, session.userId)
  if (session === undefined || user === undefined) return { cookie: '', session: null, user: null }
  return { cookie, session: { ...session, activeOrganizationId: caller!.organizationId }, user: userView(user) }
}

/** The living sessions of a user, newest first. */
export function listSessions(parts: AuthParts, userId: string): ListedSession[] {
  return readSessions(parts.read, userId, parts.clock.iso()).filter(({ userAgent }) => userAgent !== hostAgent)
}

/** The session a token or a handle out of a list names. */
export function findSession(parts: AuthParts, tokenOrHandle: string): ListedSession | undefined {
  return readSessionByDigest(parts.read, digestOf(tokenOrHandle)) ?? readSessionByDigest(parts.read, tokenOrHandle)
}

/**
 * Ends one session of a user.
 * @throws resource_not_found when it is not theirs
 */
export async function endSession(
  parts: AuthParts,
  ctx: RequestContext,
  session: ListedSession | undefined,
  userId: string,
): Promise<void> {
  if (session === undefined || session.userId !== userId) throw notFound('session')
  await parts.write('auth.session-end', (tx) => {
    deleteSession(tx, session.id)
    tx.emit(ctx, { type: 'auth.session_ended', payload: { userId, sessionId: session.id } })
    tx.afterCommit(parts.changed)
  })
}

/**
 * Ends the sessions of a user, all or all but one.
 * @param except the id of a session of the caller; a browser session of the local owner is known by its credential
 */
export async function endSessions(
  parts: AuthParts,
  ctx: RequestContext,
  userId: string,
  except?: string,
): Promise<void> {
  await parts.write('auth.sessions-end', (tx) => {
    const kept = except === undefined ? undefined : ctx.credentialId
    const inBrowsers = userId === localOwnerId ? parts.ownerSessions.endAll(kept) : 0
    const count = deleteSessions(tx, userId, except) + inBrowsers
    tx.emit(ctx, { type: 'auth.sessions_ended', payload: { userId, count, except: except ?? null } })
    tx.afterCommit(parts.changed)
  })
}

/** Ends the session in use and removes its cookie. */
export async function signOut(
  parts: AuthParts,
  ctx: RequestContext,
  headers: RequestHeaders,
): Promise<Reply<{ success: boolean }>> {
  const session = sessionInUse(parts, ctx, headers)
  if (session !== undefined) {
    await parts.write('auth.sign-out', (tx) => {
      // A session is one or the other: what is no row of that id is not there to delete.
      parts.ownerSessions.endById(session.id)
      deleteSession(tx, session.id)
      tx.emit(ctx, { type: 'auth.signed_out', payload: { userId: session.userId, sessionId: session.id } })
      tx.afterCommit(parts.changed)
    })
  }
  const { cookies } = parts
  return new Reply(
    { success: true },
    { headers: { 'set-cookie': [cookies.set(cookies.session, '', 0), cookies.set(cookies.admin, '', 0)] } },
  )
}

function sessionInUse(
  parts: AuthParts,
  ctx: RequestContext,
  headers: RequestHeaders,
): { readonly id: string; readonly userId: string } | undefined {
  const { credential, credentialId } = ctx
  if (credential === 'console-session' && credentialId !== undefined) return { id: credentialId, userId: ctx.actor.id }
  const token = parts.bridge.sessionToken(ctx, headers)
  return token === null ? undefined : readSessionByDigest(parts.read, digestOf(token))
}

/** Makes the session in use one that works in no organization, though its user may be in some. */
export async function leaveForNone(parts: AuthParts, ctx: RequestContext, headers: RequestHeaders): Promise<void> {
  const token = await parts.bridge.provedToken(ctx, headers)
  if (token === null) return
  await parts.write('auth.work-in-none', (tx) => {
    workInNone(tx, digestOf(token))
    tx.afterCommit(parts.changed)
  })
}

/** Long before the absolute limit of sessions: the lookup never takes the session below for a credential. */
const beforeAll = '1970-01-01T00:00:00.000Z'
const never = '9999-12-31T23:59:59.999Z'

/** The token of the session in which the local owner acts who came with a credential of the host itself. */
export function ownerToken(secret: string): string {
  return createHmac('sha256', secret).update('session of the local owner').digest('base64url')
}

/** Adds that session where it is missing; the library alone takes it. */
export function putOwnerSession(tx: Tx, id: string, token: string): void {
  if (readSessionByDigest(tx, digestOf(token)) !== undefined) return
  insertSession(tx, {
    id,
    userId: localOwnerId,
    token: digestOf(token),
    createdAt: beforeAll,
    updatedAt: beforeAll,
    expiresAt: never,
    ipAddress: '',
    userAgent: hostAgent,
    impersonatedBy: null,
  })
}

/** Makes the way to that session. Steps such as a second factor replace the session they were taken in. */
export function createOwnerSession(
  parts: Pick<AuthParts, 'read' | 'write' | 'ids'>,
  token: string,
): () => Promise<string> {
  return async () => {
    if (readSessionByDigest(parts.read, digestOf(token)) === undefined)
      await parts.write('auth.owner-session', (tx) => putOwnerSession(tx, parts.ids.uuid(), token))
    return token
  }
}
