// The engine of sync as conflicts and problems use it: what a decision means for documents, and envelopes that lie aside.
// Loaded only where sync is on. Knows no rights and no HTTP.
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { FeedPlace } from '#main/plugins/feed/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { RefusalName } from '#main/replication/core/doc-names.ts'
import { DELETED_KEY, isFormerText, parseKey } from '#main/replication/core/register-keys.ts'
import { mergeValues } from '#main/replication/core/merge-values.ts'
import { partsOf, wholePatch } from '#main/replication/core/register-patches.ts'
import type { Register } from '#main/replication/core/register.ts'
import { readSegment } from '#main/replication/core/feed-doc.ts'
import { markAt, objectIn } from '#main/replication/core/register.ts'
import type { Json } from '#main/replication/core/types.ts'
import type { SyncEngine } from '../engine/create-engine.ts'
import type { Devices } from '../engine/replica.ts'
import { settlePart } from '../feed/item-parts.ts'
import { createOpenSegments, segmentName } from '../feed/segments.ts'
import type { MetadataDocs } from '../metadata/index.ts'
import { textHashes } from '../store/doc-store.ts'
import { readEnvelope, readIncarnation } from '../store/log-store.ts'
import { noteProblemClosed, removeProblem } from '../store/problem-store.ts'
import { emptyingEdits, purgeSeen } from '../write/purge-capture.ts'
import { leftPatch, markEdit, PURGED_KEY } from '../write/record-edits.ts'
import type { Deletion } from '../write/deletion-mark.ts'
import { syncedFields } from '../write/synced-fields.ts'
import type { ConflictPlace } from './conflict-store.ts'
import type { FeedPart } from './feed-parts.ts'

/** What conflicts and problems work with while sync is on. */
export type ConflictEngine = ReturnType<typeof createConflictEngine>

/** Makes it. What it writes into documents travels in the caller's name. */
export function createConflictEngine(parts: {
  readonly host: Pick<PluginHost, 'read' | 'write'>
  readonly metadata: Pick<MetadataService, 'objectSchemas'>
  readonly engine: Pick<SyncEngine, 'docs' | 'retry' | 'recount' | 'refused'>
  readonly devices: Pick<Devices, 'nameOf'>
  /** Id of this machine. */
  readonly device: string
  /** The name of a machine, as the roster has it. */
  deviceName(device: string): string | undefined
  /** The id a person has here, whom documents name, and the other way: it is its own inverse. */
  localId?(id: string): string
  /** Documents of metadata; undefined where this machine may not change them. */
  items?(): Pick<MetadataDocs, 'settleEntry' | 'removals' | 'handler'> | undefined
}) {
  const { read, write } = parts.host
  const { docs, retry, recount, refused } = parts.engine
  const feed = createOpenSegments(docs)

  return {
    items: () => parts.items?.(),
    device: parts.device,
    deviceName: parts.deviceName,
    localId: (id: string) => parts.localId?.(id) ?? id,
    /** The machine an incarnation belongs to. */
    deviceOf: (inc: number) => readIncarnation(read, inc)?.device,
    /** The name of a user of another machine. */
    userName: parts.devices.nameOf,
    /** Makes a value the only one of a field: nothing concurrent stands beside it any more. */
    settleField(
      tx: Tx,
      ctx: RequestContext,
      { object, recordId, schema }: ConflictPlace & { readonly schema: ObjectSchema },
      field: string,
      value: Json,
    ) {
      docs.edit(tx, ctx, { kind: 'record', object, record: recordId }, (place) => {
        const register = place.register()
        // What the text of a former time says was seen by whoever decided.
        const left = leftPatch(schema, register, [{ uid: field }], () => textHashes(tx, object, recordId))
        // A long text has its value in a document of its own: nothing of it stays in the record.
        const { merged, texts } = syncedFields(schema)
        const kept = texts.some(({ uid }) => uid === field) ? null : value
        const hasStrays = mergeValues(register, merged).strays.has(field)
        const taken = hasStrays ? wholePatch(partsOf(register, field), kept) : {}
        place.set({ ...settlingPatch(register, field, kept), ...taken, ...left })
      })
    },
    /** Says that all beginnings of a long text were seen: it stays as it stands. */
    settleText(tx: Tx, ctx: RequestContext, { object, recordId }: ConflictPlace, field: string) {
      docs.edit(tx, ctx, { kind: 'text', object, record: recordId, field }, ({ text }) => text.keep())
    },
    /** Says that a record is back, also beside deletions by people who did not know of that. */
    keepRestored(tx: Tx, ctx: RequestContext, { object, recordId }: ConflictPlace) {
      docs.edit(tx, ctx, { kind: 'record', object, record: recordId }, (place) => {
        const marks = [DELETED_KEY, PURGED_KEY].filter((key) => (place.register().get(key)?.losers.length ?? 0) > 0)
        place.set(Object.fromEntries(marks.map((key) => [key, null])))
      })
    },
    /** Who wrote an item of a feed; undefined where no document has it. */
    authorOf(tx: Tx, place: FeedPlace, item: string): string | undefined {
      const segments = feed(tx, place)
      const segment = segments.find([item]).get(item)
      const fixed = segment === undefined ? undefined : segments.read(segment)?.get(item)?.get(item)?.winner[1]
      const id = objectIn(objectIn(fixed)?.['actor'])?.['id']
      return typeof id === 'string' ? (parts.localId?.(id) ?? id) : undefined
    },
    /** Makes what is shown of a part of an item its only value; of an item that was deleted nothing is left of the part. */
    settleItem(tx: Tx, ctx: RequestContext, place: FeedPlace, { id, part }: FeedPart) {
      const segment = feed(tx, place).find([id]).get(id)
      if (segment === undefined) return
      docs.edit(tx, ctx, segmentName(place, segment), (at) => {
        const entries = readSegment(at.register()).get(id)
        if (entries !== undefined) settlePart(at, id, part, entries)
      })
    },
    /** Says that a record stays deleted although it was edited meanwhile: the same mark once more, by who has seen it all. */
    keepDeleted(tx: Tx, ctx: RequestContext, { object, recordId }: ConflictPlace) {
      const schema = parts.metadata.objectSchemas().find(({ uid }) => uid === object)
      if (schema === undefined) return
      const name = { kind: 'record', object, record: recordId } as const
      const register = docs.read(tx, name)?.register
      const isPurged = register !== undefined && markIn(register, PURGED_KEY) !== null
      const key = isPurged ? PURGED_KEY : DELETED_KEY
      const seen = isPurged ? purgeSeen(tx, object, recordId) : {}
      docs.edit(tx, ctx, name, (place) => {
        const mark = markIn(place.register(), key)
        const texts = (): Record<string, string> => textHashes(tx, object, recordId)
        if (mark !== null)
          markEdit(schema, recordId, key, isPurged ? { ...mark, ...seen } : { ...mark, texts }).edit(place)
      })
      if (!isPurged) return
      for (const { name: emptied, edit } of emptyingEdits(tx, object, recordId))
        docs.edit(tx, ctx, emptied, edit, 'after')
    },
    refused: {
      ask: refused.ask,
      takeBack: (tx: Tx, ctx: RequestContext, name: RefusalName) =>
        refused.takeBack(tx, ctx, name, parts.localId?.(ctx.actor.id) ?? ctx.actor.id),
      settle: refused.settle,
    },
    /** Tries again to apply an envelope; it stays where it lies when that fails. */
    retry,
    /** Gives an envelope up: it counts as applied and is not listed any more. */
    discard: (inc: number, seq: number) =>
      write('sync.discard', (tx) => {
        removeProblem(tx, inc, seq)
        noteProblemClosed(tx)
        tx.afterCommit(recount)
      }),
    /** The bytes of an envelope's body; null when they are not stored. */
    bodyOf: (inc: number, seq: number) => readEnvelope(read, inc, seq)?.body ?? null,
  }
}

/**
 * What makes a value the only one of a field. Nothing for a field that shows no conflict and has the value already;
 * members of a list are decided one by one, as the list has them now.
 */
export function settlingPatch(register: Register, field: string, value: Json): Record<string, Json> {
  const patch: Record<string, Json> = {}
  let isInParts = false
  for (const [key, { winner, losers }] of register) {
    const { uid, part } = parseKey(key)
    if (uid !== field || part === null || isFormerText(part)) continue
    // A share that was taken up in a value, or a member that left, is no part any more.
    isInParts ||= typeof winner[1] === 'number' || winner[1] === true
    if (losers.length > 0) patch[key] = winner[1]
  }
  const whole = register.get(field)
  if (isInParts) {
    if (whole !== undefined && whole.losers.length > 0) patch[field] = whole.winner[1]
  } else if (whole === undefined ? value !== null : whole.losers.length > 0 || !isEqual(whole.winner[1], value)) {
    patch[field] = value
  }
  return patch
}

function isEqual(a: Json, b: Json): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function markIn(register: Register, key: string): Deletion | null {
  const mark = markAt(register, key) as Pick<Deletion, 'at' | 'by'> | null
  return mark === null ? null : { at: mark.at, by: mark.by }
}
