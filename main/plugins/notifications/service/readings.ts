// What of a notification its reader may see now: rights are asked when it is read or sent, not when it was made. Knows no
// list and no channel.
import type { ObjectSchema } from '#shared/object-schema.ts'
import { PlatformError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { internalContext, localOwnerId } from '#main/kernel/context.ts'
import type { AuthService } from '../../auth/api.ts'
import type { DataService } from '../../data/api.ts'
import type { FeedService } from '../../feed/api.ts'
import type { MetadataService } from '../../metadata/api.ts'
import type { ShownNotification } from './notification.ts'
import type { Part } from './fold.ts'
import { countOf, foldedWords, maxParts } from './fold.ts'
import type { KeptNotification, Quotes } from './quotes.ts'
import { withheld, wordsLeft } from './quotes.ts'

/** Notifications with the eyes of their readers. */
export interface Readings {
  /** As a caller sees it: without its content when that is closed to it (D-177). */
  shown(ctx: RequestContext, kept: KeptNotification): ShownNotification
  /** As its user sees it outside of any request; null when there is nothing to tell or nobody to be told. */
  forUser(kept: KeptNotification): ShownNotification | null
}

/** What readings ask. */
export interface ReadingParts {
  readonly auth: () => AuthService | undefined
  readonly data: () => Pick<DataService, 'requireRecord' | 'readable' | 'canReadField'> | undefined
  readonly feed: () => Pick<FeedService, 'sees'> | undefined
  readonly metadata: Pick<MetadataService, 'objectSchema' | 'objectSchemas'>
}

/** Makes the readings. */
export function createReadings({ auth, data, feed, metadata }: ReadingParts): Readings {
  const schemaOf = ({ quotes, notification }: KeptNotification): ObjectSchema | undefined => {
    if (quotes !== null) return metadata.objectSchemas().find(({ uid }) => uid === quotes.object)
    const { object } = notification.data
    return typeof object === 'string' ? metadata.objectSchema(object) : undefined
  }

  /** Null when the caller may not see what it is about. */
  const judged = (ctx: RequestContext, kept: KeptNotification): ShownNotification | null => {
    const { recordId, feedId } = kept.notification.data
    if (kept.quotes?.parts !== undefined) return folded(ctx, kept.notification, kept.quotes, kept.quotes.parts)
    if (typeof recordId !== 'string') return kept.notification
    const schema = schemaOf(kept)
    const records = data()
    if (schema === undefined || records === undefined) return null
    const object = schema.name
    if (!isThere(records, ctx, object, recordId)) return null
    if (typeof feedId === 'string' && feed()?.sees(ctx, { object, recordId }, feedId) !== true) return null
    const names = new Map([...schema.byName.values()].map(({ uid, name }) => [uid, name]))
    const left = wordsLeft(kept, (uid) => names.has(uid) && records.canReadField(ctx, object, names.get(uid)!))
    if (left === null || left.data['object'] === object) return left
    return renamed(left, object)
  }

  /** As far as the caller may see its records, and of each a field that changed. */
  const folded = (
    ctx: RequestContext,
    notification: ShownNotification,
    { object: uid, says = '' }: Quotes,
    parts: readonly Part[],
  ): ShownNotification | null => {
    const schema = metadata.objectSchemas().find((one) => one.uid === uid)
    const records = data()
    if (schema === undefined || records === undefined) return null
    const open = new Set(
      schema.fields.filter(({ name }) => records.canReadField(ctx, schema.name, name)).map((field) => field.uid),
    )
    const told = parts.filter(({ fields }) => fields.some((field) => open.has(field)))
    const seen = records.readable(
      ctx,
      schema.name,
      told.flatMap(({ ids }) => ids),
    )
    const left = told.flatMap(({ fields, ids }): Part[] => {
      const shown = ids.filter((id) => seen.has(id))
      return shown.length === 0 ? [] : [{ fields: fields.filter((field) => open.has(field)), ids: shown }]
    })
    return left.length === 0 ? null : foldedWords(notification, says, left, schema, countOf(parts) >= maxParts)
  }

  return {
    shown: (ctx, kept) => judged(ctx, kept) ?? withheld(kept.notification),
    forUser(kept) {
      const { userId } = kept
      const user = auth()?.user(userId)
      if (user?.banned === true || (user === undefined && userId !== localOwnerId)) return null
      for (const organizationId of organizationsOf(auth(), kept)) {
        const found = judged(contextOf(userId, organizationId), kept)
        if (found !== null) return found
      }
      return null
    },
  }
}

/** The object has got another name since: what leads there follows. */
function renamed(notification: ShownNotification, object: string): ShownNotification {
  const { data, actionUrl } = notification
  const before = `#/o/${String(data['object'])}`
  const leads = actionUrl?.startsWith(`${before}?`) === true || actionUrl?.startsWith(`${before}/`) === true
  return {
    ...notification,
    data: { ...data, object },
    ...(leads ? { actionUrl: `#/o/${object}${actionUrl.slice(before.length)}` } : {}),
  }
}

function isThere(data: Pick<DataService, 'requireRecord'>, ctx: RequestContext, object: string, id: string): boolean {
  try {
    data.requireRecord(ctx, { object, id, action: 'read' })
    return true
  } catch (error) {
    if (error instanceof PlatformError) return false
    throw error
  }
}

/** Where the user may see it: in the organization it belongs to, else in any of its own; null where there are none. */
function organizationsOf(
  auth: AuthService | undefined,
  { userId, organizationId }: KeptNotification,
): readonly (string | null)[] {
  if (auth?.hasOrganizations !== true) return [null]
  const own = auth.memberships(userId).map((membership) => membership.organizationId)
  return organizationId === null ? own : own.filter((one) => one === organizationId)
}

function contextOf(userId: string, organizationId: string | null): RequestContext {
  return {
    ...internalContext('notification-reader'),
    actor: { type: 'user', id: userId },
    credential: 'session',
    organizationId,
  }
}
