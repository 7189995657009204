// The feed service: puts the parts of service/ together. Rules are in them; requests come through routes.ts.
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { AuthService } from '#main/plugins/auth/api.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { PermissionsService } from '#main/plugins/permissions/api.ts'
import type { SettingsService } from '#main/plugins/settings/api.ts'
import type { StorageService } from '#main/plugins/storage/api.ts'
import type { FeedService } from './api.ts'
import { factOf } from './service/facts.ts'
import type { FeedGate, RecordName } from './service/gate.ts'
import { createFeedGate } from './service/gate.ts'
import type { FeedItems } from './service/items.ts'
import { createFeedItems, requireEntry } from './service/items.ts'
import type { FeedLists } from './service/lists.ts'
import { createFeedLists } from './service/lists.ts'
import type { FeedMarks } from './service/marks.ts'
import { createFeedMarks } from './service/marks.ts'
import { mentionablePeople } from './service/mentionable.ts'
import type { People } from './service/people.ts'
import { createPeople } from './service/people.ts'
import type { RecordPlace } from './service/place.ts'
import { createRemoteDoor } from './service/remote-items.ts'
import type { FeedEntry, FeedItemView } from './service/row-types.ts'
import { showEntries, showWith } from './service/show-items.ts'
import type { SubscribedRecords, Subscriptions } from './service/subscriptions.ts'
import { createSubscribedRecords, createSubscriptions } from './service/subscriptions.ts'
import { subscribedRecords } from './service/subscription-store.ts'
import { travellingCount, travellingItems, travellingRecords } from './service/travelling-item-store.ts'
import type { Viewer } from './service/viewer-store.ts'
import { viewerOf } from './service/viewer-store.ts'
import { insertFact, readChangedByPeople } from './store.ts'
import { PlatformError } from '#shared/errors.ts'

/** What the service is made from. */
export interface FeedServiceParts extends Pick<PluginHost, 'read' | 'write' | 'heavy' | 'clock' | 'ids'> {
  readonly authorizer: () => PluginHost['authorizer']
  readonly data: DataService
  readonly metadata: MetadataService
  readonly permissions: PermissionsService
  readonly settings: SettingsService
  readonly auth: () => AuthService | undefined
  readonly storage: () => StorageService | undefined
}

/** Everything the routes and listeners of the plugin work with. */
export interface FeedCore {
  readonly gate: FeedGate
  readonly items: FeedItems
  readonly lists: FeedLists
  readonly marks: FeedMarks
  readonly subscriptions: Subscriptions
  readonly people: People
  readonly known: SubscribedRecords
  /** Who can be mentioned on a record. @throws resource_not_found */
  mentionable(ctx: RequestContext, name: RecordName, text: string): ReturnType<typeof mentionablePeople>
  /** An entry as a caller sees it. */
  show(ctx: RequestContext, place: RecordPlace, entry: FeedEntry): Promise<FeedItemView>
  /** The same inside of a transaction, for items. */
  showAtOnce(tx: Tx, ctx: RequestContext, place: RecordPlace, entry: FeedEntry): FeedItemView
  /** What other plugins see. */
  readonly service: FeedService
  /** Remembers which records have subscriptions. */
  start(): Promise<void>
}

/** Makes the service. */
export function createFeedService(parts: FeedServiceParts): FeedCore {
  const { read, write, clock, ids, data, metadata, settings } = parts
  const people = createPeople(parts)
  const known = createSubscribedRecords()
  const gate = createFeedGate(parts)
  const seeing = {
    canReadField: data.canReadField,
    isGuest: (userId: string) => parts.permissions.assignments(userId).profile === 'guest',
  }
  const viewer = (ctx: RequestContext, place: RecordPlace): Viewer => viewerOf(seeing, ctx, place)
  const showing = { read, data, metadata, people, timeZone: () => settings.get('timezone') }
  const subscriptions = createSubscriptions({ read, write, clock, ids, known })
  const { authorizer } = parts
  const subscribe = subscriptions.addAll
  const schemaOf = (uid: string) => metadata.objectSchemas().find((schema) => schema.uid === uid)
  const fileOf = (ctx: RequestContext, id: string) => parts.storage()?.attachable(read, ctx, id)
  const show: FeedCore['show'] = async (ctx, place, entry) => {
    const [shown] = await showEntries(showing, ctx, place, viewer(ctx, place), [entry])
    return shown!
  }
  const items = createFeedItems({ write, clock, ids, people, authorizer, viewer, subscribe, fileOf })

  return {
    gate,
    items,
    subscriptions,
    people,
    known,
    lists: createFeedLists({ ...showing, heavy: parts.heavy, viewer }),
    marks: createFeedMarks({ write, clock, people, viewer }),
    mentionable(ctx, name, text) {
      const { recordId } = gate.feed(ctx, name)
      return mentionablePeople(parts, ctx, { object: name.object, recordId }, text)
    },
    show,
    showAtOnce: (tx, ctx, place, entry) => showWith(tx, showing, ctx, place, viewer(ctx, place), [entry])[0]!,
    service: {
      addSystemItem(tx, ctx, draft) {
        const schema = metadata.objectSchema(draft.object)
        if (schema === undefined || !schema.enable.feeds) return
        items.addSystemItem(tx, ctx, { object: schema.uid, recordId: draft.recordId, schema }, draft)
      },
      noteKept(tx, ctx, { object, recordId, field, value }) {
        const schema = metadata.objectSchema(object)
        const changes = { [field]: { old: value, new: value } }
        const fact = schema === undefined ? null : factOf(schema, { type: 'record.updated', payload: { changes } })
        if (fact === null) return
        const { actor, requestId, depth, entrySource: source = ctx.source } = ctx
        const entry = { actor, requestId, depth, source, timestamp: clock.iso() }
        insertFact(tx, { object: schema!.uid, recordId }, ids.uuid(), { ...fact, flags: 0 }, entry)
      },
      changedByPeople(reads, object, recordIds) {
        const schema = metadata.objectSchema(object)
        return schema?.enable.trackHistory === true ? readChangedByPeople(reads, schema.uid, recordIds) : null
      },
      async comment(ctx, name, body) {
        const place = gate.feed(ctx, name)
        const entry = await items.create(ctx, place, { type: 'comment', body, visibility: 'public' })
        const { id, createdAt } = await show(ctx, place, entry)
        return { feedId: id, recordId: place.recordId, createdAt }
      },
      async change(ctx, { feedId, ...name }, change, along) {
        await items.change(ctx, gate.feed(ctx, name), feedId, change, along)
      },
      sees(ctx, name, feedId) {
        try {
          const place = gate.feed(ctx, name)
          requireEntry(read, place, viewer(ctx, place), feedId)
          return true
        } catch (error) {
          if (error instanceof PlatformError) return false
          throw error
        }
      },
      travelling: travellingItems,
      travellingRecords,
      travellingCount,
      applyRemote: createRemoteDoor({ clock, people, subscribe, schemaOf }),
      nameOthers: people.nameOthers,
    },
    async start() {
      for await (const places of subscribedRecords(read)) for (const { recordId } of places) known.add(recordId)
    },
  }
}
