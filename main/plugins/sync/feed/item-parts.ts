// An item of a feed as entries of a segment, and back. What is edited by itself has an entry of its own, so that edits of
// different things both stay. Knows no rows, and trusts nothing that is in a document. Pure.
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { FeedActor, FeedMention, FeedVisibility, clientFeedTypes } from '#shared/contracts/feed.ts'
import { changeSources } from '#shared/events.ts'
import { parseUuid } from '#shared/field-types/uuid.ts'
import type { TravellingItem, TravellingReaction } from '#main/plugins/feed/api.ts'
import type { FeedItemEntries } from '#main/replication/core/feed-doc.ts'
import { parseFeedKey, partKey, reactionKey } from '#main/replication/core/feed-doc.ts'
import type { EditPlace } from '#main/replication/core/sync-document.ts'
import { isJson } from '#main/replication/core/json-value.ts'
import type { Json, RegisterEntry } from '#main/replication/core/types.ts'

/** Entries to write, by key. */
export type FeedPatch = Readonly<Record<string, Json>>

/** Members of a task that are changed one by one, by different people. */
const singleMembers = ['dueDate', 'assigneeId', 'done'] as const

const Id = z.string().refine((text) => parseUuid(text) === text)
const Instant = z.iso.datetime()
const Fixed = z.object({
  type: z.enum(clientFeedTypes),
  actor: FeedActor.pick({ type: true, id: true }),
  source: z.enum(changeSources),
  parentId: Id.nullable(),
  createdAt: Instant,
})
/** What was deleted remembers whom it named, not how. */
const Named = FeedMention.pick({ type: true, id: true })
const Words = z.object({ text: z.string().nullable(), mentions: z.array(FeedMention.or(Named)) })
const Members = z.record(z.string(), z.unknown())
const Mark = z.object({ at: Instant })
const Pin = z.object({ at: Instant, userId: z.string() })

/** The entries an item has: exactly those of what it is and has now. */
export function entriesOf(item: TravellingItem): FeedPatch {
  const { id, type, actor, source, parentId, createdAt } = item
  const key = (part: string): string => partKey(id, part)
  const fixed = { type, actor: { type: actor.type, id: actor.id }, source, parentId, createdAt }
  const words = { text: item.body, mentions: item.mentions }
  const entries: [string, Json][] = [
    [id, fixed],
    [key('body'), words as unknown as Json],
  ]
  if (item.visibility !== 'public') entries.push([key('visibility'), item.visibility])
  if (item.editedAt !== null) entries.push([key('edited'), item.editedAt])
  if (item.deletedAt !== null) entries.push([key('deleted'), item.deletedAt])
  for (const [part, value] of dataParts(item.data)) entries.push([key(part), value])
  for (const { emoji, userId, at } of item.reactions)
    entries.push([reactionKey({ item: id, emoji, user: userId }), { at }])
  if (item.pin !== null) entries.push([key('pin'), { at: item.pin.at, userId: item.pin.userId }])
  return Object.fromEntries(entries)
}

/** Everybody who has said something of items: first those who wrote one, then those who reacted to it or pinned it. */
export function authorsOf(items: readonly TravellingItem[]): readonly string[] {
  const keysOf = (item: TravellingItem): string[] => Object.keys(entriesOf(item))
  const others = items.flatMap((item) => keysOf(item).map((key) => authorOf(item, key)))
  return [...new Set([...items.map(({ actor }) => actor.id), ...others])]
}

/** Who says an entry of an item: whose reaction or pin it is, and otherwise who wrote the item. */
export function authorOf({ actor, pin }: TravellingItem, key: string): string {
  const parsed = parseFeedKey(key)
  if (parsed?.kind === 'reaction') return parsed.user
  return parsed?.kind === 'part' && parsed.part === 'pin' && pin !== null ? pin.userId : actor.id
}

/**
 * The item that entries make: of each thing the latest. Null where there is none, or one this version cannot read.
 */
export function itemOf(id: string, entries: FeedItemEntries): TravellingItem | null {
  const value = (key: string): Json | undefined => entries.get(key)?.winner[1]
  const part = (name: string): Json | undefined => value(partKey(id, name))
  const fixed = Fixed.safeParse(value(id))
  const words = Words.safeParse(part('body') ?? { text: null, mentions: [] })
  const visibility = FeedVisibility.safeParse(part('visibility') ?? 'public')
  if (parseUuid(id) !== id || !fixed.success || !words.success || !visibility.success) return null
  const deletedAt = instantOf(part('deleted'))
  const pin = Pin.safeParse(part('pin'))
  const isLive = deletedAt === null
  return {
    ...fixed.data,
    id,
    body: isLive ? words.data.text : null,
    mentions: words.data.mentions.filter((mention) => !isLive || 'name' in mention) as TravellingItem['mentions'],
    data: isLive ? dataOf(id, entries) : null,
    visibility: visibility.data,
    editedAt: instantOf(part('edited')),
    deletedAt,
    reactions: isLive ? reactionsOf(entries) : [],
    pin: isLive && pin.success ? pin.data : null,
  }
}

/**
 * What has to be written so that entries say what an item is now. A part that is equal is not written again, so that it
 * wins over nothing.
 */
export function changesOf(item: TravellingItem, entries: FeedItemEntries): FeedPatch {
  const wanted = entriesOf(item)
  const patch: [string, Json][] = []
  for (const [key, value] of Object.entries(wanted)) {
    const before = entries.get(key)?.winner
    if (before === undefined || !isDeepStrictEqual(before[1], value)) patch.push([key, value])
  }
  for (const [key, { winner }] of entries) {
    const none = valueOfNone(key)
    if (!Object.hasOwn(wanted, key) && winner[1] !== none && isKnown(key)) patch.push([key, none])
  }
  return Object.fromEntries(patch)
}

/**
 * What deleting an item writes, and which entries go: everything it said, by whoever said it. What it was, whom it was
 * for and whom it named stay, for the place it holds where somebody has replied to it (D-138).
 */
export function deletionOf(
  id: string,
  at: string,
  entries: FeedItemEntries,
): { readonly patch: FeedPatch; readonly gone: readonly string[] } {
  const bodyKey = partKey(id, 'body')
  const deletedKey = partKey(id, 'deleted')
  const kept = new Set([id, bodyKey, deletedKey, partKey(id, 'visibility'), partKey(id, 'edited')])
  const words = Words.safeParse(entries.get(bodyKey)?.winner[1])
  const mentions = (words.success ? words.data.mentions : []).map(({ type, id: named }) => ({ type, id: named }))
  return {
    patch: { [bodyKey]: { text: null, mentions }, [deletedKey]: at },
    gone: [...entries.keys()].filter((key) => !kept.has(key)),
  }
}

/** Ends what {@link lossesOf} tells of one part: what is shown stands there alone. */
export function settlePart(
  place: Pick<EditPlace, 'set' | 'remove'>,
  id: string,
  part: string,
  entries: FeedItemEntries,
): void {
  const key = partKey(id, part)
  const value = entries.get(key)
  const at = instantOf(entries.get(partKey(id, 'deleted'))?.winner[1])
  const emptied = at === null ? undefined : deletionOf(id, at, entries).patch[key]
  if (value === undefined) return
  if (at !== null && emptied === undefined) place.remove([key])
  else if (emptied !== undefined || value.losers.length > 0) place.set({ [key]: emptied ?? value.winner[1] })
}

/** What was lost to a concurrent edit. */
export interface FeedLoss {
  readonly item: string
  /** What of the item: `body`, or a part of its data. */
  readonly part: string
  readonly winner: RegisterEntry
  readonly loser: RegisterEntry
}

/**
 * What people wrote in an item that gave way to something its writer had not seen: texts and data that differ from what
 * is shown now. An edit of an item that was deleted meanwhile is among them.
 */
export function lossesOf(item: string, entries: FeedItemEntries): readonly FeedLoss[] {
  const losses: FeedLoss[] = []
  const deletion = entries.get(partKey(item, 'deleted'))?.winner
  const isDeleted = instantOf(deletion?.[1]) !== null
  for (const [key, { winner, losers }] of entries) {
    const parsed = parseFeedKey(key)
    if (parsed?.kind !== 'part' || !isWritten(parsed.part)) continue
    const lost = isDeleted ? [winner, ...losers] : losers
    for (const loser of lost) {
      if (saysNothing(loser[1]) || (!isDeleted && isDeepStrictEqual(said(loser[1]), said(winner[1])))) continue
      losses.push({ item, part: parsed.part, winner: isDeleted ? deletion! : winner, loser })
    }
  }
  return losses
}

function isWritten(part: string): boolean {
  return part === 'body' || part === 'data' || part.startsWith('data.')
}

/** Of words only the text: whom it names follows from it. */
function said(value: Json): Json {
  const words = Words.safeParse(value)
  return words.success ? words.data.text : value
}

function saysNothing(value: Json): boolean {
  return said(value) === null
}

/** Whether this version writes a key; others are of a newer one and stay. */
function isKnown(key: string): boolean {
  const parsed = parseFeedKey(key)
  if (parsed?.kind !== 'part') return parsed !== null
  return isWritten(parsed.part) || ['visibility', 'edited', 'pin'].includes(parsed.part)
}

/** What stands for something an item no longer has. */
function valueOfNone(key: string): Json {
  const parsed = parseFeedKey(key)
  return parsed?.kind === 'part' && parsed.part === 'visibility' ? 'public' : null
}

function* dataParts(data: TravellingItem['data']): Generator<[part: string, value: Json]> {
  if (data === null) return
  const rest: Record<string, unknown> = { ...data }
  for (const member of singleMembers) {
    const value = rest[member]
    if (value === undefined || value === null) continue
    yield [`data.${member}`, value as Json]
    delete rest[member]
  }
  if (Object.keys(rest).length > 0) yield ['data', rest as unknown as Json]
}

function dataOf(id: string, entries: FeedItemEntries): TravellingItem['data'] {
  const rest = Members.safeParse(entries.get(partKey(id, 'data'))?.winner[1])
  const data: Record<string, unknown> = rest.success ? { ...rest.data } : {}
  for (const member of singleMembers) {
    const value = entries.get(partKey(id, `data.${member}`))?.winner[1]
    if (value !== undefined && value !== null && isJson(value)) data[member] = value
  }
  return Object.keys(data).length === 0 ? null : data
}

function reactionsOf(entries: FeedItemEntries): TravellingReaction[] {
  const reactions: TravellingReaction[] = []
  for (const [key, { winner }] of entries) {
    const parsed = parseFeedKey(key)
    const mark = parsed?.kind === 'reaction' ? Mark.safeParse(winner[1]) : undefined
    if (parsed?.kind === 'reaction' && mark?.success === true)
      reactions.push({ emoji: parsed.emoji, userId: parsed.user, at: mark.data.at })
  }
  return reactions.toSorted((a, b) => (a.at < b.at ? -1 : 1))
}

function instantOf(value: Json | undefined): string | null {
  const parsed = Instant.safeParse(value)
  return parsed.success ? parsed.data : null
}
