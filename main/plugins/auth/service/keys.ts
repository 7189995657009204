// API keys: made, listed, revoked and looked up. A key is kept as its SHA-256; the lookup answers from memory, else with
// one statement. Knows no request.
import type { KeyPurpose } from '#shared/contracts/auth.ts'
import { notFound, platformError, validationError } from '#shared/errors.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import type { Caller } from '#main/kernel/identity.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { Logger } from '#main/kernel/logger.ts'
import { countKeys, deleteKey, findKey, insertKey, noteKeyUse, readKeys } from './key-store.ts'
import type { FoundKey, KeyRow } from './key-store.ts'
import { digestOf, isShutOut } from './session-lookup.ts'

/** How every key begins. */
export const keyMark = 'cairn_'

/** A use is noted when the last noted one is this old: lookups of a hot path write nothing. */
const notedEveryMs = 10 * 60_000
const maxRemembered = 10_000
const maxKeysOfUser = 200

/** A key as lists show it. */
export interface ListedKey {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
  readonly expiresAt: string | null
  /** What the key is narrowed to; null for all rights of its maker. */
  readonly permissionSets: string[] | null
  readonly readOnly: boolean
  /** What it was made for; null for nothing in particular. */
  readonly purpose: KeyPurpose | null
}

/** A key as its maker sees it, once. */
export type NewKey = Omit<ListedKey, 'lastUsedAt' | 'permissionSets' | 'readOnly' | 'purpose'> & {
  readonly key: string
}

/** What a new key is to be. */
export interface KeyRequest {
  readonly name: string
  readonly expiresAt: string | null
  readonly permissionSets: readonly string[] | null
  readonly readOnly: boolean
  readonly purpose: KeyPurpose | null
}

/** The API keys of one host. */
export interface Keys {
  create(ctx: RequestContext, request: KeyRequest): Promise<NewKey>
  list(userId: string): ListedKey[]
  /** @throws resource_not_found when the caller has no such key */
  remove(ctx: RequestContext, id: string): Promise<void>
  /** The caller of a key; null when it does not hold. */
  find(key: string): Caller | null
  /** Forgets what is remembered; called after each change of keys or users. */
  forget(): void
}

/** What keys work with. */
export interface KeyParts {
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
  readonly hasOrganizations: boolean
}

/**
 * Makes the keys.
 * @source D-30
 */
export function createKeys(parts: KeyParts): Keys {
  const { read, write, clock, ids, log } = parts
  const remembered = new Map<string, { readonly row: FoundKey; readonly caller: Caller; usedAt: number }>()

  const load = (digest: string): { row: FoundKey; caller: Caller; usedAt: number } | null => {
    const row = findKey(read, digest)
    if (row === undefined) return null
    const scoped = row.permission_sets !== null || row.read_only === 1
    const caller: Caller = Object.freeze({
      actor: Object.freeze({ type: 'user' as const, id: row.user_id, name: row.userName }),
      credential: 'api-key' as const,
      organizationId: parts.hasOrganizations ? row.organizationId : null,
      credentialId: row.id,
      byCookie: false,
      ...(scoped
        ? {
            scope: {
              permissionSets: setsOf(row),
              readOnly: row.read_only === 1,
            },
          }
        : {}),
    })
    const entry = { row, caller, usedAt: row.last_used_at ?? 0 }
    if (remembered.size >= maxRemembered) remembered.delete(remembered.keys().next().value!)
    remembered.set(digest, entry)
    return entry
  }

  const noteUse = (entry: { row: FoundKey; usedAt: number }, now: number): void => {
    if (now - entry.usedAt < notedEveryMs) return
    entry.usedAt = now
    write('auth.key-used', (tx) => noteKeyUse(tx, entry.row.id, now)).catch((error: unknown) =>
      log.warn({ err: error }, 'The use of an API key could not be noted.'),
    )
  }

  return {
    async create(ctx, request) {
      const now = clock.now()
      const expiresAt = request.expiresAt === null ? null : Date.parse(request.expiresAt)
      if (expiresAt !== null && expiresAt <= now) {
        const message = 'The instant has passed already.'
        throw validationError([{ field: 'expiresAt', code: 'min_value', message, value: request.expiresAt }])
      }
      const key = `${keyMark}${ids.token(32)}`
      const id = ids.uuid()
      const prefix = key.slice(0, keyMark.length + 4)
      await write('auth.key-create', (tx) => {
        if (countKeys(tx, ctx.actor.id) >= maxKeysOfUser)
          throw platformError('conflict', { reason: 'too_many_keys', limit: maxKeysOfUser })
        insertKey(tx, {
          id,
          user_id: ctx.actor.id,
          name: request.name,
          prefix,
          digest: digestOf(key),
          permission_sets: request.permissionSets === null ? null : JSON.stringify(request.permissionSets),
          read_only: request.readOnly ? 1 : 0,
          created_at: now,
          expires_at: expiresAt,
          organization_id: ctx.organizationId,
          purpose: request.purpose,
        })
        tx.emit(ctx, {
          type: 'auth.key_created',
          payload: {
            keyId: id,
            userId: ctx.actor.id,
            name: request.name,
            permissionSets: request.permissionSets,
            readOnly: request.readOnly,
            expiresAt: iso(expiresAt),
          },
        })
      })
      return { id, name: request.name, key, prefix, expiresAt: iso(expiresAt), createdAt: iso(now)! }
    },
    list: (userId) =>
      readKeys(read, userId).map((row) => ({
        id: row.id,
        name: row.name,
        prefix: row.prefix,
        createdAt: iso(row.created_at)!,
        lastUsedAt: iso(row.last_used_at),
        expiresAt: iso(row.expires_at),
        permissionSets: setsOf(row),
        readOnly: row.read_only === 1,
        purpose: row.purpose,
      })),
    async remove(ctx, id) {
      await write('auth.key-delete', (tx) => {
        if (!deleteKey(tx, id, ctx.actor.id)) throw notFound('api_key', id)
        tx.emit(ctx, { type: 'auth.key_revoked', payload: { keyId: id, userId: ctx.actor.id } })
        tx.afterCommit(() => remembered.clear())
      })
    },
    find(key) {
      if (!key.startsWith(keyMark) || key.length > 100) return null
      const digest = digestOf(key)
      const entry = remembered.get(digest) ?? load(digest)
      if (entry === null) return null
      const now = clock.now()
      const { expires_at: expiresAt } = entry.row
      if ((expiresAt !== null && expiresAt <= now) || isShutOut(entry.row, now)) return null
      noteUse(entry, now)
      return entry.caller
    },
    forget: () => remembered.clear(),
  }
}

function setsOf({ permission_sets: sets }: KeyRow): string[] | null {
  return sets === null ? null : (JSON.parse(sets) as string[])
}

function iso(ms: number): string
function iso(ms: number | null): string | null
function iso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
