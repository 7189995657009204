// Turns what happened in feeds and records into notifications (D-142, D-206), after the fact: whoever may no longer read
// the record or the item by then hears nothing, and nobody hears of what they did themselves.
import type { PlatformEvent } from '#shared/events.ts'
import type { FeedItemView } from './row-types.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { Write } from '#main/kernel/database.ts'
import type { OutboxConsumer } from '#main/kernel/plugin.ts'
import { PlatformError } from '#shared/errors.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { AuthService } from '#main/plugins/auth/api.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { NotificationDraft, NotificationPart, NotificationsService } from '#main/plugins/notifications/api.ts'
import { mentionedTeams, mentionedUsers } from './mentions.ts'
import type { People } from './people.ts'
import { plainWords } from './plain-words.ts'
import { readerContext, readerContexts } from './reader-context.ts'
import type { StoredItemView } from './show-items.ts'
import type { SubscribedRecords, Subscriptions } from './subscriptions.ts'
import type { SubscriptionWord } from './subscription-store.ts'
import { trackedFields } from './tracked-fields.ts'

/** What the consumer works with. */
export interface NoticeParts {
  readonly notifications: () => NotificationsService | undefined
  readonly auth: () => AuthService | undefined
  readonly data: Pick<DataService, 'reach' | 'readable' | 'get' | 'canReadField' | 'requireRecord'>
  readonly metadata: Pick<MetadataService, 'objectSchema'>
  readonly people: People
  readonly subscriptions: Pick<Subscriptions, 'inForce' | 'ended'>
  readonly known: SubscribedRecords
  /** Whether a caller sees an item of a record. */
  readonly sees: (ctx: RequestContext, name: { object: string; recordId: string }, feedId: string) => boolean
  readonly write: Write
}

/** What somebody is told, before it is known to whom. */
interface Notice {
  readonly type: NotificationDraft['type']
  /** What the actor did, between its name and that of the record. */
  readonly says: string
  /** Names the cause for each user, so that a repeat of the event tells nobody twice. */
  readonly cause: string
}

/** What a notice says beside its title; `lines` when it names fields. */
interface NoticeBody {
  readonly text: string
  readonly lines?: readonly { readonly field: string; readonly text: string }[]
}

/** Longest excerpt of a body. */
const excerptLength = 300

/** Makes the durable consumer. */
export function createNoticeConsumer(parts: NoticeParts): OutboxConsumer {
  const { metadata, data, known } = parts

  /** Who did what, as the title begins, and by itself for whoever words it anew (D-344). */
  const saysOf = ({ actor }: PlatformEvent, deed: string): { says: string; who?: string } => {
    const name = actor.type === 'user' ? parts.people.findAll([actor.id]).get(actor.id)?.name : undefined
    const who = name ?? actor.name
    return { says: `${who ?? 'The system'} ${deed}`, ...(who === undefined ? {} : { who }) }
  }

  const tell = async (
    event: PlatformEvent,
    userId: string,
    notice: Notice,
    rest: Pick<NotificationDraft, 'channels'> & {
      /** Names the act; others of the same act join this one. */
      foldKey?: string
      feedId?: string
      /** How an approval stands. */
      status?: unknown
      /** What is said beside the title; null when the user may read none of it. */
      body: (ctx: RequestContext) => NoticeBody | null
    },
  ): Promise<void> => {
    if (isOwnDeed(event, userId)) return
    const [object, recordId] = [event.object!, event.recordId!]
    const ctx = readerContext(parts, userId, { object, recordId })
    if (ctx === null) return
    const { feedId } = rest
    if (feedId !== undefined && !parts.sees(ctx, { object, recordId }, feedId)) return
    const body = rest.body(ctx)
    const named = body === null ? null : await recordName(parts, ctx, object, recordId)
    if (body === null || named === null) return
    const told = saysOf(event, notice.says)
    const { says } = told
    const { name, label, field } = named
    const title = field === null ? {} : { title: { field, without: `${says} ${label}` } }
    const draft: NotificationDraft = {
      userId,
      type: notice.type,
      title: `${says} ${name}`,
      body: body.text,
      quotes: { ...title, ...(body.lines === undefined ? {} : { lines: body.lines }) },
      data: {
        object,
        recordId,
        ...told,
        ...(feedId === undefined ? {} : { feedId }),
        ...(rest.status === undefined ? {} : { status: rest.status }),
      },
      actionUrl: `#/o/${object}?rec=${recordId}${feedId === undefined ? '' : `&tab=activity&item=${feedId}`}`,
      ...(rest.channels === undefined ? {} : { channels: rest.channels }),
      // What another machine wrote was mailed and posted from there.
      ...(event.source === 'sync' ? { stays: true } : {}),
      dedupeKey: notice.cause,
      ...(rest.foldKey === undefined
        ? {}
        : { fold: { key: rest.foldKey, says, parts: [partOf(recordId, notice.cause, body.lines)] } }),
      // Told where the record is, whatever organization the user works in at the moment (D-41).
      organizationId: ctx.organizationId,
    }
    await parts.write('feed.notify', (tx) => void parts.notifications()?.notify(tx, draft))
  }

  /** Who is in teams now; a team that is gone, or of a host without accounts, has nobody. */
  const membersOf = (teams: readonly string[]): string[] => [
    ...new Set(teams.flatMap((id) => parts.auth()?.teamMembers(id) ?? [])),
  ]

  const aboutItem = async (event: PlatformEvent, schema: ObjectSchema, item: StoredItemView): Promise<void> => {
    const { object, recordId } = { object: event.object!, recordId: event.recordId! }
    const place = { object: schema.uid, recordId }
    const owner = ownerOf(parts, object, recordId)
    const subscribed = parts.subscriptions.inForce(place, owner)
    const members = membersOf(mentionedTeams(item.mentions))
    const mentioned = new Set([...mentionedUsers(item.mentions), ...members])
    const body = (): NoticeBody => ({ text: excerpt(item) })
    const told = new Set<string>()
    const assignee = item.type === 'task' ? item.data?.['assigneeId'] : undefined
    if (typeof assignee === 'string') {
      told.add(assignee)
      const channels = subscribed.find(({ userId }) => userId === assignee)?.channels
      const notice: Notice = {
        type: 'assignment',
        says: 'assigned you a task on',
        cause: `feed:assignment:${item.id}:${assignee}`,
      }
      await tell(event, assignee, notice, { feedId: item.id, body, ...(channels === undefined ? {} : { channels }) })
    }
    for (const { userId, events, channels } of subscribed) {
      if (told.has(userId)) continue
      told.add(userId)
      const notice = itemNotice(event, item, mentioned.has(userId) && wantsWord(events, 'mention'), events)
      const status = item.type === 'approval' ? item.data?.['status'] : undefined
      if (notice !== null) await tell(event, userId, notice, { feedId: item.id, body, channels, status })
    }
    if (members.length === 0) return
    const ended = parts.subscriptions.ended(place)
    const notice = itemNotice(event, item, true, [])!
    for (const userId of members)
      if (!told.has(userId) && !ended.has(userId)) await tell(event, userId, notice, { feedId: item.id, body })
  }

  /** Who follows the record of a change and wants to hear of changes. */
  const followersOf = (schema: ObjectSchema, event: PlatformEvent) => {
    const { owner } = (event.payload as RecordChange).record
    const place = { object: schema.uid, recordId: event.recordId! }
    return parts.subscriptions
      .inForce(place, typeof owner === 'string' ? owner : null)
      .filter(({ userId, events }) => wantsWord(events, 'field_change') && !isOwnDeed(event, userId))
  }

  /** The fields of a change the user may read. */
  const linesOf = (ctx: RequestContext, schema: ObjectSchema, event: PlatformEvent) =>
    [...trackedFields(schema).values()]
      .filter(({ inFeed }) => inFeed)
      .filter(({ field: { name } }) => Object.hasOwn((event.payload as RecordChange).changes, name))
      .filter(({ field: { name } }) => data.canReadField(ctx, schema.name, name))
      .map(({ field }) => ({ field: field.name, text: field.label }))

  const aboutRecord = async (
    event: PlatformEvent,
    schema: ObjectSchema,
    { userId, channels }: Follower,
    foldKey: string,
  ): Promise<void> => {
    const body = (ctx: RequestContext): NoticeBody | null => {
      const lines = linesOf(ctx, schema, event)
      return lines.length === 0 ? null : { text: lines.map(({ text }) => text).join(', '), lines }
    }
    const notice: Notice = { type: 'record', says: 'changed', cause: causeOf(event) }
    await tell(event, userId, notice, { body, channels, foldKey })
  }

  /** Tells of what one act changed in several records: once to each who follows some of them. */
  const aboutRecords = async (events: readonly PlatformEvent[], schema: ObjectSchema): Promise<void> => {
    const heard = events.flatMap((event) => followersOf(schema, event).map((follower) => ({ event, follower })))
    const groups = Map.groupBy(heard, ({ follower }) => `${follower.userId} ${follower.channels.toSorted().join()}`)
    for (const [group, all] of groups) {
      const { event: first, follower } = all[0]!
      const foldKey = `${runOf(first)!} ${group}`
      if (all.every(({ event }) => event.recordId === first.recordId)) {
        for (const { event } of all) await aboutRecord(event, schema, follower, foldKey)
        continue
      }
      for (const ctx of readerContexts(parts, follower.userId)) {
        const ids = all.map(({ event }) => event.recordId!)
        const open = data.readable(ctx, schema.name, ids)
        const told = all
          .filter(({ event }) => open.has(event.recordId!))
          .map(({ event }) => partOf(event.recordId!, causeOf(event), linesOf(ctx, schema, event)))
          .filter(({ fields }) => fields.length > 0)
        if (told.length === 0) continue
        const who = saysOf(first, 'changed')
        const { says } = who
        const draft: NotificationDraft = {
          userId: follower.userId,
          type: 'record',
          title: says,
          body: '',
          data: { object: schema.name, ...who },
          channels: follower.channels,
          ...(first.source === 'sync' ? { stays: true } : {}),
          organizationId: ctx.organizationId,
          fold: { key: foldKey, says, parts: told },
        }
        await parts.write('feed.notify', (tx) => void parts.notifications()?.notify(tx, draft))
      }
    }
  }

  return {
    wants(event) {
      if (parts.notifications() === undefined || event.object === undefined || event.recordId === undefined)
        return false
      const { pinned, quiet } = event.payload as { pinned?: boolean; quiet?: boolean }
      // A pin changes nothing of what an item says, and what came with the past of a workspace is no news.
      if (pinned !== undefined || quiet === true) return false
      if (event.type === 'feed.item.created' || event.type === 'feed.item.updated') return true
      if (event.type !== 'record.updated') return false
      const schema = metadata.objectSchema(event.object)
      if (schema === undefined || !schema.enable.feeds) return false
      const { record, changes } = event.payload as RecordChange
      const isForeign = typeof record['owner'] === 'string' && record['owner'] !== event.actor.id
      if (!isForeign && !known.mayHave(event.recordId)) return false
      const tracked = trackedFields(schema)
      return Object.keys(changes).some((name) => tracked.get(name)?.inFeed === true)
    },
    runOf,
    async handle(event, more) {
      const schema = metadata.objectSchema(event.object!)
      if (schema === undefined || !schema.enable.feeds || parts.notifications() === undefined) return
      if (event.type === 'record.updated') return aboutRecords([event, ...more], schema)
      return aboutItem(event, schema, (event.payload as { item: StoredItemView }).item)
    },
  }
}

type Follower = ReturnType<Subscriptions['inForce']>[number]

/** Changes that are one act: of one call or job, by one person, of one object. */
function runOf({ type, object, actor, requestId, source, onBehalfOf }: PlatformEvent): string | null {
  if (type !== 'record.updated') return null
  return JSON.stringify([object, actor.type, actor.id, requestId, source, onBehalfOf])
}

function isOwnDeed({ actor, onBehalfOf }: PlatformEvent, userId: string): boolean {
  return (actor.type === 'user' && actor.id === userId) || onBehalfOf === userId
}

function causeOf({ work, eventId }: PlatformEvent): string {
  return `feed:event:${work ?? eventId}`
}

function partOf(recordId: string, cause: string, lines: NoticeBody['lines'] = []): NotificationPart {
  return { recordId, cause, fields: lines.map(({ field }) => field) }
}

interface RecordChange {
  readonly record: Readonly<Record<string, unknown>>
  readonly changes: Readonly<Record<string, unknown>>
}

const heard: Partial<Record<FeedItemView['type'], { word: SubscriptionWord; type: Notice['type']; says: string }>> = {
  comment: { word: 'comment', type: 'comment', says: 'commented on' },
  task: { word: 'task', type: 'task', says: 'added a task to' },
  approval: { word: 'approval', type: 'approval', says: 'asks for an approval of' },
}

/** What an item about an approval says by how that stands. */
const approvalSays: Readonly<Record<string, string>> = {
  approved: 'gave the approval of',
  rejected: 'refused the approval of',
  recalled: 'takes back the approval of',
}

/** What an item tells a subscriber; null for nothing. Changes of an item tell only those they mention anew. */
function itemNotice(
  event: PlatformEvent,
  item: StoredItemView,
  mentions: boolean,
  events: readonly SubscriptionWord[],
): Notice | null {
  if (mentions) return { type: 'mention', says: 'mentioned you on', cause: `feed:mention:${item.id}` }
  const known = heard[item.type]
  if (event.type !== 'feed.item.created' || known === undefined || !wantsWord(events, known.word)) return null
  const says = (known.type === 'approval' && approvalSays[String(item.data?.['status'])]) || known.says
  return { type: known.type, says, cause: `feed:event:${event.eventId}` }
}

function wantsWord(events: readonly SubscriptionWord[], word: SubscriptionWord): boolean {
  return events.includes('all') || events.includes(word)
}

/** The beginning of what an item says, without marks: notices are plain text wherever they are shown. */
function excerpt({ body = '', type }: StoredItemView): string {
  const text = plainWords(body).replaceAll(/\n+/g, '\n')
  if (text === '') return type
  return text.length <= excerptLength ? text : `${text.slice(0, excerptLength).toWellFormed()}…`
}

/** The owner of a record; null when it has none or is gone. */
function ownerOf({ data }: NoticeParts, object: string, recordId: string): string | null {
  try {
    return data.requireRecord(internalContext('feed-notice'), { object, id: recordId, action: 'read' }).owner
  } catch (error) {
    if (error instanceof PlatformError) return null
    throw error
  }
}

/** How a record is called: by the value of a field, else by its object. */
interface RecordTitle {
  readonly name: string
  readonly label: string
  /** The field the name is from; null for the label. */
  readonly field: string | null
}

/** The record's name as the user may read it, else that of its object; null when the record is gone. */
async function recordName(
  { data, metadata }: NoticeParts,
  ctx: RequestContext,
  object: string,
  id: string,
): Promise<RecordTitle | null> {
  const schema = metadata.objectSchema(object)!
  const { name } = schema.displayField
  const { label } = schema
  const byObject: RecordTitle = { name: label, label, field: null }
  if (!data.canReadField(ctx, object, name)) return byObject
  try {
    const { record } = await data.get(ctx, { object, id, select: [name] })
    const value = record[name]
    return typeof value === 'string' && value !== '' && name !== 'id' ? { name: value, label, field: name } : byObject
  } catch (error) {
    if (error instanceof PlatformError) return null
    throw error
  }
}
