// One notification as it is stored and as it is shown. Pure.
import type { z } from 'zod'
import type { Notification, NotificationPreferences } from '#shared/contracts/notifications.ts'
import type { NotificationDraft } from '../api.ts'

/** A notification as people and events see it. */
export type ShownNotification = z.output<typeof Notification>

/** How a user wants to be told. */
export type Preferences = z.output<typeof NotificationPreferences>

/** A row of the inbox; instants are milliseconds. */
export interface ItemRow {
  readonly seq: number
  readonly id: string
  readonly user_id: string
  readonly organization_id: string | null
  readonly type: string
  readonly title: string
  readonly body: string
  readonly data: string
  readonly action_url: string | null
  readonly record_id: string | null
  /** What its words quote, as JSON; null where no record there is was named. */
  readonly quotes: string | null
  /** The act that is told of; null for what is never gathered. */
  readonly fold: string | null
  /** Groups of its records, `[{fields, ids}]` as JSON; null when it is about at most one. */
  readonly parts: string | null
  /** 0: waits for a mail of many and is shown nowhere. */
  readonly in_inbox: number
  readonly created_at: number
  readonly read_at: number | null
  readonly mailed_at: number | null
}

/** A row that is not stored yet. */
export type NewItem = Omit<ItemRow, 'seq' | 'parts'>

/** Longest title. */
export const maxTitleChars = 200
/** Longest body. */
export const maxBodyChars = 2_000
const maxDataChars = 8_000

/** Makes the row of a draft. What is too long is cut: a notification must not make the change fail that it tells of. */
export function itemOf(
  draft: NotificationDraft,
  facts: {
    readonly id: string
    readonly now: number
    readonly inInbox: boolean
    readonly mailed: boolean
    readonly quotes: string | null
  },
): NewItem {
  const { data = {}, actionUrl } = draft
  const { object, recordId, feedId } = data
  const text = JSON.stringify(data)
  return {
    id: facts.id,
    user_id: draft.userId,
    organization_id: draft.organizationId ?? null,
    type: draft.type,
    title: cut(draft.title, maxTitleChars),
    body: cut(draft.body, maxBodyChars),
    data: text.length <= maxDataChars ? text : JSON.stringify({ object, recordId, feedId }),
    // Anything else would let whoever caused it choose where a click leads.
    action_url: actionUrl?.startsWith('#/') === true ? actionUrl : null,
    record_id: typeof recordId === 'string' ? recordId : null,
    quotes: facts.quotes,
    fold: draft.fold?.key ?? null,
    in_inbox: facts.inInbox ? 1 : 0,
    created_at: facts.now,
    read_at: null,
    mailed_at: facts.mailed ? facts.now : null,
  }
}

/** Shows a row (D-177). */
export function showItem(row: NewItem): ShownNotification {
  return {
    id: row.id,
    type: row.type as ShownNotification['type'],
    title: row.title,
    body: row.body,
    read: row.read_at !== null,
    data: JSON.parse(row.data) as ShownNotification['data'],
    ...(row.action_url === null ? {} : { actionUrl: row.action_url }),
    createdAt: new Date(row.created_at).toISOString(),
    ...(row.read_at === null ? {} : { readAt: new Date(row.read_at).toISOString() }),
  }
}

/** A text of at most so many characters, never cut inside of one. */
export function cut(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
