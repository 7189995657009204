// Whom a session token or cookie belongs to: from memory, else one statement. Ends idle and old sessions, and prolongs
// those in use. Knows no request.
import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import type { Caller } from '#main/kernel/identity.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { SessionRow, UserRow } from '../store.ts'
import { prolongSession, readHome, readSession } from '../store.ts'

/** A session in use beyond this many milliseconds ends whatever happens (safety D5). */
const absoluteLifeMs = 30 * 86_400_000

/** Sessions remembered at most. */
const maxRemembered = 10_000

/** What the lookup works with. */
export interface SessionLookupParts {
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly log: Logger
  readonly secret: string
  readonly cookieName: string
  readonly expiresInSeconds: number
  readonly updateAgeSeconds: number
  readonly hasOrganizations: boolean
}

/** The lookup of one host. */
export interface SessionLookup {
  /** The caller of a session token, signed or not; null when it does not hold. */
  byToken(token: string, byCookie: boolean): Caller | null
  /** The organization a session of the host itself works in, whatever its time; that of its user where it is gone. */
  organizationOf(token: string, userId: string): string | null
  /** Whether a token is that of a session whose time is over and that was not cleared away yet. */
  hasEnded(token: string): boolean
  /** The token in the session cookie of a Cookie header: undefined without one, null when its signature is wrong. */
  tokenOfCookie(header: string): string | null | undefined
  /** The bare token of a Bearer credential; null when it is signed and the signature is wrong. */
  tokenOfBearer(text: string): string | null
  /** The value inside a signed cookie; null when its signature is wrong. */
  unsign(cookie: string): string | null
  /** A token as the session cookie carries it. */
  sign(token: string): string
  /** Forgets everything remembered; called after each change of sessions or users. */
  forget(): void
}

interface Remembered {
  readonly row: SessionRow
  readonly expiresAt: number
  readonly bearer: Caller
  readonly cookie: Caller
  prolonging: boolean
}

/** What a token is stored as. */
export function digestOf(token: string): string {
  return hash('sha256', token, 'base64url')
}

/**
 * Makes the lookup.
 * @source D-27, D-39; safety D5, N3
 */
export function createSessionLookup(parts: SessionLookupParts): SessionLookup {
  const { read, write, clock, log } = parts
  const remembered = new Map<string, Remembered>()
  let hostOrganization: string | null | undefined

  const load = (digest: string): Remembered | null => {
    const row = readSession(read, digest)
    if (row === undefined) return null
    const actor = Object.freeze({ type: 'user' as const, id: row.userId, name: row.name })
    const caller = (byCookie: boolean): Caller =>
      Object.freeze({
        actor,
        credential: 'session' as const,
        organizationId: parts.hasOrganizations ? row.organizationId : null,
        credentialId: row.id,
        byCookie,
        ...(row.impersonatedBy === null ? {} : { impersonatorId: row.impersonatedBy }),
      })
    const absolute = Date.parse(row.createdAt) + absoluteLifeMs
    const entry: Remembered = {
      row,
      expiresAt: Math.min(Date.parse(row.expiresAt), absolute),
      bearer: caller(false),
      cookie: caller(true),
      prolonging: false,
    }
    if (remembered.size >= maxRemembered) remembered.delete(remembered.keys().next().value!)
    remembered.set(digest, entry)
    return entry
  }

  /** A session is prolonged when it was last prolonged a while ago; short ones (not remembered, impersonated) never are. */
  const prolong = (entry: Remembered, now: number): void => {
    const { row } = entry
    const lifeMs = parts.expiresInSeconds * 1000
    const wasFull = Date.parse(row.expiresAt) - Date.parse(row.updatedAt) >= lifeMs - 1000
    if (entry.prolonging || !wasFull || row.impersonatedBy !== null) return
    if (now - Date.parse(row.updatedAt) < parts.updateAgeSeconds * 1000) return
    const until = Math.min(now + lifeMs, Date.parse(row.createdAt) + absoluteLifeMs)
    if (until <= entry.expiresAt) return
    entry.prolonging = true
    write('auth.prolong', (tx) => {
      prolongSession(tx, row.id, new Date(until).toISOString(), new Date(now).toISOString())
      tx.afterCommit(() => remembered.clear())
    }).catch((error: unknown) => {
      entry.prolonging = false
      log.warn({ err: error }, 'A session could not be prolonged.')
    })
  }

  const signature = (token: string): string => createHmac('sha256', parts.secret).update(token).digest('base64')

  const unsign = (signed: string): string | null => {
    const dot = signed.lastIndexOf('.')
    if (dot < 1) return null
    const token = signed.slice(0, dot)
    const given = Buffer.from(signed.slice(dot + 1))
    const expected = Buffer.from(signature(token))
    return given.length === expected.length && timingSafeEqual(given, expected) ? token : null
  }

  return {
    byToken(token, byCookie) {
      if (token === '' || token.length > 200) return null
      const digest = digestOf(token)
      const entry = remembered.get(digest) ?? load(digest)
      if (entry === null) return null
      const now = clock.now()
      if (entry.expiresAt <= now || isShutOut(entry.row, now)) return null
      prolong(entry, now)
      return byCookie ? entry.cookie : entry.bearer
    },
    organizationOf(token, userId) {
      if (!parts.hasOrganizations) return null
      if (hostOrganization === undefined) {
        const row = readSession(read, digestOf(token))
        hostOrganization = row === undefined ? readHome(read, userId) : row.organizationId
      }
      return hostOrganization
    },
    hasEnded(token) {
      const entry = token.length > 200 ? null : load(digestOf(token))
      return entry !== null && entry.expiresAt <= clock.now()
    },
    tokenOfCookie(header) {
      for (const part of header.split(';')) {
        const equals = part.indexOf('=')
        if (equals === -1 || part.slice(0, equals).trim() !== parts.cookieName) continue
        const decoded = decode(part.slice(equals + 1).trim())
        return decoded === null ? null : unsign(decoded)
      }
      return undefined
    },
    tokenOfBearer(text) {
      if (!text.includes('.')) return text
      const decoded = decode(text)
      return decoded === null ? null : unsign(decoded)
    },
    unsign(cookie) {
      const decoded = decode(cookie)
      return decoded === null ? null : unsign(decoded)
    },
    sign: (token) => encodeURIComponent(`${token}.${signature(token)}`),
    forget() {
      remembered.clear()
      hostOrganization = undefined
    },
  }
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    // A broken escape: no value of ours.
    return null
  }
}

/** Whether an account is shut out at an instant: a ban may be over before anybody lifts it. */
export function isShutOut({ banned, banExpires }: Pick<UserRow, 'banned' | 'banExpires'>, now: number): boolean {
  return banned === 1 && (banExpires === null || Date.parse(banExpires) > now)
}
