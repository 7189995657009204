// Feeds between machines: puts capture, projection and backfill together for the engine.
import type { FeedService } from '#main/plugins/feed/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { EventListener, PluginHost } from '#main/kernel/plugin.ts'
import type { DocName } from '#main/replication/core/doc-names.ts'
import type { DocKindHandler, DocWriter } from '../engine/docs.ts'
import { createFeedCapture, feedEvents } from './capture.ts'
import { createFeedBackfill } from './backfill.ts'
import type { ProjectionParts } from './projection.ts'
import { createFeedProjection } from './projection.ts'
import { createOpenSegments, segmentName } from './segments.ts'

/** What it works with. */
export interface FeedSyncParts extends Pick<ProjectionParts, 'onConflicts'> {
  readonly docs: DocWriter
  readonly feed: FeedService
  readonly metadata: Pick<MetadataService, 'objectSchema' | 'objectSchemas'>
  /** The id a person has here, whom documents name; the same when left out. */
  readonly localId?: (id: string) => string
  /** The present instant, ISO 8601. */
  now(): string
  /** Hears that a document which had to wait for its record waits no longer. */
  placed(tx: Tx, name: DocName): void
}

/** Feeds as a kind of documents. */
export interface FeedSync {
  /** To be registered with the engine. */
  readonly handler: DocKindHandler
  /** Listens in the transactions of feed events, and of records that come from peers. */
  listen(host: Pick<PluginHost, 'on'>): void
}

/** Makes the kind `feed`. */
export function createFeedSync({ docs, feed, metadata, now, onConflicts, placed, localId }: FeedSyncParts): FeedSync {
  const open = createOpenSegments(docs)
  const capture = createFeedCapture({ docs, open, feed, metadata, onConflicts, ...(localId && { localId }) })
  const project = createFeedProjection({ docs, open, feed, onConflicts })

  /** What was said about a record that came later than what was said: its feed is complete with it. */
  const complete: EventListener = ({ object, recordId, timestamp }, tx, ctx) => {
    const schema = object === undefined ? undefined : metadata.objectSchema(object)
    if (ctx.source !== 'sync' || schema === undefined || recordId === undefined) return
    const place = { object: schema.uid, recordId }
    const { actor } = ctx
    const rest = { changedKeys: null, actor, at: timestamp, isNew: false }
    for (let at = 0, last = open(tx, place).last() ?? -1; at <= last; at += 1) {
      const name = segmentName(place, at)
      const document = docs.read(tx, name)
      if (document !== null && project(tx, ctx, { name, document, ...rest }) === 'done') placed(tx, name)
    }
  }

  return {
    handler: {
      kind: 'feed',
      project,
      ...createFeedBackfill({ open, feed, metadata, now }),
    },
    listen(host) {
      for (const type of feedEvents) host.on(type, capture)
      host.on('record.created', complete)
    },
  }
}
