// What one caller sees of events of the activity of a record (D-143): public items whoever reads the record, internal
// ones everybody but guests, private ones their author and who is mentioned. Remembers who sees which item, because
// reactions name it by its id alone.
import type { PlatformEvent } from '#shared/events.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { RecordViews, SeenPayload } from './record-view.ts'

type Loose = Readonly<Record<string, unknown>>

/** Who sees an item. */
interface Audience {
  readonly visibility: string
  readonly people: readonly string[]
}

/** Items whose audience is remembered. */
const maxRemembered = 20_000

/** What of an item is the view of one person, not part of the item. */
const personal: ReadonlySet<string> = new Set(['starred', 'starredAt'])

/** Views of feed events. */
export interface FeedViews {
  /** Hears every event in order, whoever is connected. */
  remember(event: PlatformEvent): void
  payloadOf(ctx: RequestContext, event: PlatformEvent): SeenPayload
}

/** Makes the views. */
export function createFeedViews(parts: {
  readonly records: Pick<RecordViews, 'canSee'>
  readonly data: Pick<DataService, 'canReadField'>
  isFree(ctx: RequestContext): boolean
  profileOf(userId: string): string
  /** Whether a caller sees an item this start has not heard of; asked of the feed. */
  sees(ctx: RequestContext, record: { readonly object: string; readonly recordId: string }, feedId: string): boolean
}): FeedViews {
  const audiences = new Map<string, Audience>()

  const belongs = (ctx: RequestContext, { visibility, people }: Audience): boolean => {
    if (visibility === 'public') return true
    if (visibility === 'internal') return parts.profileOf(ctx.actor.id) !== 'guest'
    return people.includes(ctx.actor.id)
  }

  return {
    remember({ type, payload }) {
      if (!type.startsWith('feed.item.')) return
      const item = itemOf(payload)
      if (item === undefined || typeof item['id'] !== 'string') return
      if (audiences.size >= maxRemembered) audiences.delete(audiences.keys().next().value!)
      audiences.delete(item['id'])
      audiences.set(item['id'], audienceOf(item))
    },
    payloadOf(ctx, event) {
      if (!parts.records.canSee(ctx, event)) return null
      const item = itemOf(event.payload)
      if (item === undefined) {
        const { feedId } = event.payload as { feedId?: unknown }
        if (typeof feedId !== 'string' || event.object === undefined || event.recordId === undefined) return null
        const audience = audiences.get(feedId)
        const isOpen =
          audience === undefined
            ? parts.sees(ctx, { object: event.object, recordId: event.recordId }, feedId)
            : belongs(ctx, audience)
        return isOpen ? (event.payload as Loose) : null
      }
      if (!belongs(ctx, audienceOf(item))) return null
      const shown = Object.fromEntries(Object.entries(item).filter(([name]) => !personal.has(name)))
      if (Array.isArray(shown['reactions'])) shown['reactions'] = shown['reactions'].map(withoutCaller)
      const { changes } = shown
      if (!Array.isArray(changes) || changes.length === 0 || parts.isFree(ctx)) return { item: shown }
      const seen = changes.filter(
        (one: { field?: unknown }) =>
          typeof one.field === 'string' && parts.data.canReadField(ctx, event.object!, one.field),
      )
      // Nothing of it is open to the caller: lists leave such an item out too (D-145).
      return seen.length === 0 ? null : { item: { ...shown, changes: seen } }
    },
  }
}

function itemOf(payload: unknown): Loose | undefined {
  const item = (payload as { item?: unknown } | null)?.item
  return typeof item === 'object' && item !== null ? (item as Loose) : undefined
}

/** An item that does not say who sees it is for nobody but its author. */
function audienceOf(item: Loose): Audience {
  const { visibility, actor, mentions } = item
  const people: string[] = []
  const author = (actor as { id?: unknown } | undefined)?.id
  if (typeof author === 'string') people.push(author)
  for (const one of Array.isArray(mentions) ? (mentions as { type?: unknown; id?: unknown }[]) : [])
    if (one.type === 'user' && typeof one.id === 'string') people.push(one.id)
  return { visibility: typeof visibility === 'string' ? visibility : 'private', people }
}

function withoutCaller(reaction: unknown): unknown {
  const { reacted: _reacted, ...rest } = reaction as Loose
  return rest
}
