// What the words of a notification quote of a record, and what is left of the words for somebody who may not read all of
// it. Pure; asks no right itself.
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { NotificationDraft } from '../api.ts'
import type { Part } from './fold.ts'
import type { ItemRow, NewItem, ShownNotification } from './notification.ts'
import { cut, maxBodyChars, maxTitleChars, showItem } from './notification.ts'

/** What is quoted, under the ids of object and fields, so that a rename changes nothing. */
export interface Quotes {
  readonly object: string
  /** The field whose value the title holds, and the title without it. */
  readonly title?: { readonly field: string; readonly without: string }
  /** The fields the body names one by one, with the words for each. */
  readonly lines?: readonly { readonly field: string; readonly text: string }[]
  /** Who did what, where it is about many records. */
  readonly says?: string
  /** Those records; kept in rows of their own where the notification has one. */
  readonly parts?: readonly Part[]
}

/** A notification with what it takes to judge it again. */
export interface KeptNotification {
  readonly userId: string
  readonly organizationId: string | null
  readonly notification: ShownNotification
  readonly quotes: Quotes | null
}

/** What a notification about something its reader may not see says in its place. @source D-177 */
const withheldTitle = 'About something you can no longer see'

/** Reads what a draft quotes; null when it is about no object there is. */
export function quotesOf({ data, quotes }: NotificationDraft, schema: ObjectSchema | undefined): string | null {
  if (schema === undefined || typeof data?.['recordId'] !== 'string') return null
  // A field that is not there is one nobody may read.
  const uidOf = (field: string): string => schema.byName.get(field)?.uid ?? ''
  const { title, lines } = quotes ?? {}
  const kept: Quotes = {
    object: schema.uid,
    ...(title === undefined
      ? {}
      : { title: { field: uidOf(title.field), without: cut(title.without, maxTitleChars) } }),
    ...(lines === undefined ? {} : { lines: lines.map(({ field, text }) => ({ field: uidOf(field), text })) }),
  }
  return JSON.stringify(kept)
}

/** A row with what it takes to judge it again. */
export function keptOf(row: NewItem | ItemRow): KeptNotification {
  return {
    userId: row.user_id,
    organizationId: row.organization_id,
    notification: showItem(row),
    quotes: row.quotes === null ? null : { ...(JSON.parse(row.quotes) as Quotes), ...partsOf(row) },
  }
}

function partsOf(row: NewItem | ItemRow): Pick<Quotes, 'parts'> {
  return 'parts' in row && row.parts !== null ? { parts: JSON.parse(row.parts) as Part[] } : {}
}

/** The words that are left where some fields are closed; null when nothing of the body is. */
export function wordsLeft(
  { notification, quotes }: KeptNotification,
  mayRead: (fieldUid: string) => boolean,
): ShownNotification | null {
  const { title, lines } = quotes ?? {}
  const open = lines?.filter(({ field }) => mayRead(field))
  if (open?.length === 0) return null
  return {
    ...notification,
    ...(title === undefined || mayRead(title.field) ? {} : { title: title.without }),
    ...(open === undefined || open.length === lines?.length
      ? {}
      : { body: cut(open.map(({ text }) => text).join(', '), maxBodyChars) }),
  }
}

/** A notification without its content: that it came and whether it was read is its reader's. */
export function withheld({ id, type, read, createdAt, readAt }: ShownNotification): ShownNotification {
  return {
    id,
    type,
    title: withheldTitle,
    body: '',
    read,
    data: { withheld: true },
    createdAt,
    ...(readAt === undefined ? {} : { readAt }),
  }
}
