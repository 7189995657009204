// What other plugins may ask of notifications. Types only.
import type { z } from 'zod'
import type { SubscriptionChannel } from '#shared/contracts/feed.ts'
import type { NotificationType, NotificationPreferences } from '#shared/contracts/notifications.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'

/** The ways a notification travels. */
export type NotificationChannel = z.infer<typeof SubscriptionChannel>

/** One notification to one user. */
export interface NotificationDraft {
  readonly userId: string
  readonly type: z.infer<typeof NotificationType>
  readonly title: string
  readonly body: string
  /** `object`, `recordId`, `feedId` and more, by type. */
  readonly data?: Readonly<Record<string, unknown>>
  /** Where it leads: a path of the application, beginning with `#/`. */
  readonly actionUrl?: string
  /** Default: `in_app`. What the user's preferences switch off is skipped silently (D-142). */
  readonly channels?: readonly NotificationChannel[]
  /** True: it never leaves this machine, neither at once nor in a digest; another one has sent it. */
  readonly stays?: boolean
  /** Names the cause; a second draft of the same cause for the same user is dropped, so that redelivery is harmless. */
  readonly dedupeKey?: string
  /** The organization whose records it is about (D-41); absent: it is seen in every one. */
  readonly organizationId?: string | null
  /** What the words quote of the record in `data` beside its being there: judged again whenever they are shown or sent. */
  readonly quotes?: {
    /** The field whose value the title holds, and the title for whoever may not read it. */
    readonly title?: { readonly field: string; readonly without: string }
    /** The fields the body names, with the words for each; the body is these words, joined with commas. */
    readonly lines?: readonly { readonly field: string; readonly text: string }[]
  }
  /**
   * What one act of somebody did to records of the object in `data`: drafts with the same key become one notification
   * while it is unread. With several parts the title is made of `says` and their number, and `data` names no record.
   */
  readonly fold?: {
    readonly key: string
    /** Who did what, up to the name of the record. */
    readonly says: string
    readonly parts: readonly NotificationPart[]
  }
}

/** One record of a draft about many. */
export interface NotificationPart {
  readonly recordId: string
  /** As `dedupeKey`, for this record alone. */
  readonly cause: string
  /** The fields that changed, by name. */
  readonly fields: readonly string[]
}

/** The notifications service. */
export interface NotificationsService {
  /**
   * Stores the notification in the transaction, raises `notification.created` and, after COMMIT, hands it to the other
   * channels. Answers its id; null when it was a repeat or every channel is off.
   */
  notify(tx: Tx, draft: NotificationDraft): string | null
  /** A notification of an event as its receiver may see it now; without its content when that is closed to it (D-177). */
  present(ctx: RequestContext, notification: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  /** The words of a mail that waited, as its reader may see them now; null when there is nothing left to tell. */
  wordsOf(material: string): { readonly subject: string; readonly text: string } | null
  /** The preferences of a user, with their defaults; addresses of channels are left out, they are the user's secrets. */
  preferences(userId: string): z.infer<typeof NotificationPreferences>
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    notifications: NotificationsService
  }
}
