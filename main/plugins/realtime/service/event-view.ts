// What one caller sees of any event: the one place where a right is asked before something is sent. Types it does not
// know are sent to nobody.
import type { PlatformEvent } from '#shared/events.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { MetadataItem, MetadataService } from '#main/plugins/metadata/api.ts'
import { broadcastType, recipientsOf } from './channels.ts'
import type { FeedViews } from './feed-view.ts'
import type { RecordViews, SeenPayload } from './record-view.ts'

type Loose = Readonly<Record<string, unknown>>

/** What views work with. */
export interface EventViewParts {
  authorizer(): Authorizer
  readonly records: RecordViews
  readonly feed: FeedViews
  /** A notification as its receiver may see it now. */
  present(ctx: RequestContext, notification: Loose): Loose
  readonly metadata: Pick<MetadataService, 'get' | 'seen' | 'objectSchemas'>
  hasOrganizations(): boolean
}

/** Views of events. */
export interface EventViews {
  /** Hears an event inside of its transaction, while what it deletes is still known. */
  beforeCommit(event: PlatformEvent): void
  payloadOf(ctx: RequestContext, event: PlatformEvent): SeenPayload
  /** Callers with the same key see the same of an event. */
  keyOf(ctx: RequestContext, event: PlatformEvent): string
}

/** Makes the views. */
export function createEventViews(parts: EventViewParts): EventViews {
  const { authorizer, metadata } = parts
  const items = new WeakMap<PlatformEvent, MetadataItem>()
  const isFree = (ctx: RequestContext): boolean => authorizer().isUnrestricted(ctx)

  /** Plugins that are not written yet decide what of their payloads is open; until then restricted callers get none. */
  const bare = (ctx: RequestContext, payload: unknown, kept: readonly string[]): SeenPayload => {
    if (isFree(ctx)) return payload as Loose
    return Object.fromEntries(
      kept.flatMap((name) => (name in (payload as Loose) ? [[name, (payload as Loose)[name]]] : [])),
    )
  }

  /** The masks of the metadata service (D-113); an item that is not in force is for those who manage metadata. */
  const metadataPayload = (ctx: RequestContext, event: PlatformEvent): SeenPayload => {
    const { type, name } = event.payload as { type: MetadataItem['type']; name: string }
    const item = metadata.get(type, name) ?? items.get(event)
    const isSeen =
      item === undefined ? authorizer().hasSystemPermission(ctx, 'manage_metadata') : metadata.seen(ctx, item) !== null
    if (!isSeen) return null
    const { renamedFrom, ...rest } = event.payload as Loose
    // As beside the payload, without the name.
    const shown = { ...rest, actor: { type: event.actor.type, id: event.actor.id } }
    return renamedFrom === undefined || !authorizer().hasSystemPermission(ctx, 'manage_metadata')
      ? shown
      : { ...shown, renamedFrom }
  }

  const flowPayload = (ctx: RequestContext, event: PlatformEvent): SeenPayload => {
    const may = ['manage_flows', 'run_flows'].some((one) => authorizer().hasSystemPermission(ctx, one))
    return may ? bare(ctx, event.payload, ['flow', 'flowName', 'runId', 'status']) : null
  }

  /** That there are conflicts is for those who may read one of their records; events say no more than to look again. */
  const conflictPayload = (ctx: RequestContext, event: PlatformEvent): SeenPayload => {
    const { places } = event.payload as { places: readonly { object: string; recordId: string }[] | null }
    if (places === null || isFree(ctx)) return {}
    const names = new Map(metadata.objectSchemas().map(({ uid, name }) => [uid, name]))
    const isSeen = places.some(({ object: uid, recordId }) => {
      const object = names.get(uid)
      return object !== undefined && parts.records.canSee(ctx, { ...event, object, recordId })
    })
    return isSeen ? {} : null
  }

  /** Where machines are reached, and how they are paired, is for those who may see to it (D-301). */
  const machinePayload = (ctx: RequestContext, { type, payload }: PlatformEvent): SeenPayload => {
    if (authorizer().hasSystemPermission(ctx, 'manage_settings')) return payload as Loose
    if (type === 'sync.pairing.updated') return null
    return type === 'sync.peer.updated' ? { ...(payload as Loose), address: null } : (payload as Loose)
  }

  const addressed = (ctx: RequestContext, event: PlatformEvent): SeenPayload =>
    recipientsOf(event).includes(ctx.actor.id) ? (event.payload as Loose) : null

  /** What a notification quotes is judged anew, as everything that is replayed (D-174). */
  const presented = (ctx: RequestContext, payload: SeenPayload): SeenPayload => {
    if (payload === null) return null
    const { organizationId: _walled, ...shown } = payload
    const told = shown['notification']
    if (typeof told !== 'object' || told === null) return shown
    return { ...shown, notification: parts.present(ctx, told as Loose) }
  }

  /** What carries an organization is for its members (D-41). */
  const isWalled = (ctx: RequestContext, { payload }: PlatformEvent): boolean => {
    if (!parts.hasOrganizations() || typeof payload !== 'object' || payload === null) return false
    const { organizationId } = payload as Loose
    return organizationId !== undefined && organizationId !== null && organizationId !== ctx.organizationId
  }

  return {
    beforeCommit(event) {
      const { type, name } = event.payload as { type: MetadataItem['type']; name: string }
      const item = metadata.get(type, name)
      if (item !== undefined) items.set(event, item)
    },
    payloadOf(ctx, event) {
      if (isWalled(ctx, event)) return null
      const { type, payload } = event
      if (type.startsWith('record.')) return parts.records.payloadOf(ctx, event)
      if (type.startsWith('feed.')) return parts.feed.payloadOf(ctx, event)
      if (type.startsWith('metadata.item.')) return metadataPayload(ctx, event)
      if (type.startsWith('notification.')) return presented(ctx, addressed(ctx, event))
      if (type.startsWith('approval.')) {
        // As where approvals are read (D-256): a credential narrowed to permission sets hears what these let it read.
        const own = (ctx.scope?.permissionSets ?? null) === null ? addressed(ctx, event) : null
        return own ?? (parts.records.canSee(ctx, event) ? bare(ctx, payload, []) : null)
      }
      if (type.startsWith('workflow.') || type.startsWith('file.'))
        return parts.records.canSee(ctx, event) ? bare(ctx, payload, []) : null
      if (type.startsWith('flow.run.')) return flowPayload(ctx, event)
      if (type.startsWith('packages.') || type.startsWith('service.')) return payload as Loose
      if (type.startsWith('sync.conflict.')) return conflictPayload(ctx, event)
      if (type.startsWith('sync.problem.')) return {}
      if (type.startsWith('sync.')) return machinePayload(ctx, event)
      if (type === broadcastType) return (payload as { said: Loose }).said
      return null
    },
    keyOf(ctx, { type }) {
      const rights = authorizer().fingerprint(ctx)
      // Two administrators have the same rights, but not the same private items and messages.
      return type.startsWith('record.') || type.startsWith('metadata.') ? rights : `${rights} ${ctx.actor.id}`
    },
  }
}
