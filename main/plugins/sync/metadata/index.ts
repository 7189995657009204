// Metadata as documents `m/<type>/<uid>` (sync.md sections 3, 5 and 10): what people change here is written into them, and
// what they change elsewhere is stored here. Knows no peer and no log.
import { metadataEvents } from '#shared/events.ts'
import type { Actor } from '#shared/events.ts'
import { sameJson } from '#main/replication/core/json-value.ts'
import type { Register } from '#main/replication/core/register.ts'
import type { Json, RegisterEntry } from '#main/replication/core/types.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { DocKindHandler, BackfillWriter, MergedDocument } from '../engine/docs.ts'
import { createCapture } from './capture.ts'
import { createRemovalDecisions } from './deciding.ts'
import type { RemovalDecisions } from './deciding.ts'
import { docItem, hasGone, isItemGone, isReturned } from './item-entries.ts'
import { sayLimits } from './limits.ts'
import { createNaming } from './naming.ts'
import { createProjection } from './projection.ts'
import type { ProjectionParts } from './projection.ts'
import { unseenEntries } from './removed-items.ts'
import { countDue, flagRecords, markDue, objectOfPart, putClaim, readDue, readReferrers, readRow } from './store.ts'
import type { DocKey } from './store.ts'

/** Two people changed one property of an item at once; the later change is in force. */
export interface MetadataConflict {
  readonly type: string
  readonly uid: string
  /** `field.<uid>.<property>`, a member of the item, or `_name`, `_state` and the like. */
  readonly key: string
  readonly winner: RegisterEntry
  readonly losers: readonly RegisterEntry[]
  /** Who made the change that brought it to light. */
  readonly actor: Actor
}

/** What metadata documents work with. */
export interface MetadataDocsParts extends ProjectionParts {
  /** Whose documents those are that are made when sync is turned on. */
  readonly backfillActorId: string
  /** Hears of conflicts, in the transaction in which they are found. */
  onConflict?(tx: Tx, conflict: MetadataConflict): void
  /** Hears of an object, by uid, whose definition was changed so that values of its records may have changed with it. */
  onConverted?(tx: Tx, ctx: RequestContext, object: string): void
  /** Whether an object, by uid, is on this machine alone while it has no document. */
  isAside?(tx: Tx, object: string): boolean
  /** Hears that records of an object travel from now on that did not. */
  onBegun?(tx: Tx): void
  /** Hears of an item whose document was changed: it may have been removed, or be back. */
  onChanged?(tx: Tx, document: DocKey): void
  /** Hears after each change of a document which of its keys still have a conflict; what others had is settled. */
  onSettled?(tx: Tx, settled: MetadataSettled): void
}

/** What is left of the conflicts of a document. */
export interface MetadataSettled {
  readonly type: string
  readonly uid: string
  /** Keys of which there is one. */
  readonly still: ReadonlySet<string>
  /** Who has changed the item here; null for what comes from elsewhere. */
  readonly by: string | null
}

/** An item of another machine that is not stored here yet. */
export interface DueItem {
  readonly type: string
  readonly uid: string
  readonly name: string
  /** Null when nobody has tried yet. */
  readonly reason: string | null
  readonly since: string
}

/** Metadata documents of one host. */
export interface MetadataDocs {
  readonly handler: DocKindHandler & Required<Pick<DocKindHandler, 'settle' | 'backfill' | 'backfillTotal'>>
  /** Begins to hear of changes, and to try again what is due, until the host stops. */
  listen(host: Pick<PluginHost, 'on' | 'onCommitted' | 'dispose'>): void
  /** Makes a value the only one of an entry, for somebody who decided a conflict; the item follows with `settle`. */
  settleEntry(tx: Tx, ctx: RequestContext, document: DocKey, key: string, value: Json): void
  /** Makes documents of an object of this machine that has none, and of its parts. */
  define(tx: Tx, ctx: RequestContext, object: string): void
  /** Whether an object has a document, or is there without one on every machine. */
  isShared(object: string): boolean
  /** What deciding about a removed item writes. */
  readonly removals: RemovalDecisions
  /** What is not stored here, the longest wait first. */
  dueItems(): DueItem[]
}

/** What is due is tried again after this time also when nothing changed: the host was stopped, or a table was locked. */
const retryMs = 10_000
const systemActor: Actor = { type: 'system', id: 'system' }
/** Items made into documents in one transaction. */
const backfillSlice = 50

/** Makes the documents of metadata. */
export function createMetadataDocs(parts: MetadataDocsParts): MetadataDocs {
  const { read, clock, log, docs, exchange } = parts
  const naming = createNaming(parts)
  const projection = createProjection(parts)
  const settled = (tx: Tx, { type, uid }: DocKey, register: Register, by: string | null): void => {
    const keys = [...register]
      .filter(([, { winner, losers }]) => differing(winner, losers).length > 0)
      .map(([key]) => key)
    const still = isSettled(register) ? keys.filter((key) => key === '_del') : keys
    parts.onSettled?.(tx, { type, uid, still: new Set(still), by })
  }
  const changed = (tx: Tx, { type, uid }: DocKey): void => {
    parts.onChanged?.(tx, { type, uid })
    const object = objectOfPart(tx, { type, uid })
    if (object !== null && readRow(tx, { type: 'object', uid: object })?.isDeleted === true)
      parts.onChanged?.(tx, { type: 'object', uid: object })
  }
  const capture = createCapture({
    ...{ exchange, docs, clock, changed: projection.noteNames, written: settled },
    converted: (...change) => parts.onConverted?.(...change),
    begun: (tx) => parts.onBegun?.(tx),
    isAside: (tx, object) => parts.isAside?.(tx, object) ?? false,
  })

  /** @param changedKeys null for all */
  const tellConflicts = (
    tx: Tx,
    register: Register,
    { changedKeys, actor }: Pick<MergedDocument, 'changedKeys' | 'actor'>,
    key: DocKey,
  ) => {
    if (parts.onConflict === undefined || isSettled(register)) return
    // What nobody had to decide while the item was removed is open again once it is back, or written of by somebody who did
    // not know that.
    const isAll = changedKeys === null || changedKeys.has('_del') || isItemGone(register)
    for (const [name, { winner, losers }] of register) {
      if (losers.length === 0 || (!isAll && !changedKeys.has(name))) continue
      const different = differing(winner, losers)
      if (different.length > 0) parts.onConflict(tx, { ...key, key: name, winner, losers: different, actor })
    }
  }

  /**
   * What refers to an object or field that is gone has the name its document says last, everywhere alike: nothing here
   * follows the rename of what is not here.
   */
  const markReferrers = (tx: Tx, uid: string, { document, changedKeys }: MergedDocument): void => {
    const isNamed = changedKeys === null || [...changedKeys].some((key) => /(^|\.)_(name|del)$/.test(key))
    if (!isNamed || !hasGone(document.register)) return
    for (const key of readReferrers(tx, uid)) if (key.uid !== uid) markDue(tx, key, null, clock.iso())
  }

  /** Names of items that come after a place in the order of types and names. */
  const namesAfter = (after: string | null) => {
    const [afterType, afterName = ''] = after === null ? [] : after.split('/')
    const start = afterType === undefined ? 0 : exchange.types.findIndex((type) => type === afterType)
    return exchange.types.slice(start).flatMap((type) =>
      exchange
        .names(type)
        .filter(({ name }) => type !== afterType || name > afterName)
        .map(({ name }) => ({ type, name })),
    )
  }

  const backfill = (tx: Tx, after: string | null, write: BackfillWriter) => {
    const slice = namesAfter(after).slice(0, backfillSlice)
    let done = 0
    for (const { type, name } of slice) done += capture.begin(tx, type, name, write, parts.backfillActorId)
    const last = slice.length < backfillSlice ? undefined : slice.at(-1)
    if (last === undefined) capture.endGone(tx, write, parts.backfillActorId)
    return { next: last === undefined ? null : `${last.type}/${last.name}`, done }
  }

  return {
    handler: {
      kind: 'metadata',
      project(tx, _ctx, merged) {
        if (merged.name.kind !== 'metadata') throw new Error('This is no document of metadata.')
        const { type, uid } = merged.name
        const { register } = merged.document
        const { name, stamp, isDeleted } = docItem('object', uid, register)
        putClaim(tx, { type, uid }, { wanted: type === 'overlay' ? '' : name, stamp, isDeleted })
        markDue(tx, { type, uid }, merged.actor, clock.iso())
        projection.noteNames()
        if (type === 'object') {
          markReferrers(tx, uid, merged)
          const isReturning = isReturned(uid, register, readRow(tx, merged.name)?.shown ?? null)
          if (isReturning || sayLimits(merged.changedKeys ?? [])) flagRecords(tx, uid)
        }
        tellConflicts(tx, register, merged, { type, uid })
        settled(tx, { type, uid }, register, null)
        changed(tx, { type, uid })
        return 'done'
      },
      waiting: countDue,
      edited(tx, name) {
        if (name.kind !== 'metadata') return
        const document = docs.read(tx, name)
        if (document !== null) {
          const isBack = document.register.get('_del')?.winner[1] === null
          if (isBack) tellConflicts(tx, document.register, { changedKeys: null, actor: systemActor }, name)
          settled(tx, name, document.register, null)
        }
        changed(tx, name)
      },
      settle: projection.settle,
      backfill,
      backfillTotal: () =>
        exchange.types
          .flatMap((type) => exchange.names(type))
          .reduce((sum, { travels, isOverlaid }) => sum + (travels ? 1 : 0) + (isOverlaid ? 1 : 0), 0),
    },
    listen(host) {
      const wake = (): void => {
        if (!projection.isDue()) return
        projection.settle().catch((error: unknown) => log.error({ err: error }, 'Items were not taken over.'))
      }
      for (const type of metadataEvents) {
        host.on(type, capture.hear)
        host.onCommitted(type, ({ source }) => {
          if (source !== 'sync') wake()
        })
      }
      const timer = setInterval(wake, retryMs)
      timer.unref()
      host.dispose(() => {
        clearInterval(timer)
        return projection.stop()
      })
    },
    settleEntry(tx, ctx, { type, uid }, key, value) {
      docs.edit(tx, ctx, { kind: 'metadata', type, uid }, (place) => {
        place.set({ [key]: value })
        capture.noteClaim(tx, { type, uid }, place)
        markDue(tx, { type, uid }, ctx.actor, clock.iso())
      })
    },
    define(tx, ctx, object) {
      const write: BackfillWriter = (name, _author, edit) => docs.edit(tx, ctx, name, edit)
      capture.begin(tx, 'object', object, write, ctx.actor.id)
      for (const type of exchange.types)
        for (const { name, travels } of exchange.names(type))
          if (travels && name.startsWith(`${object}.`)) capture.begin(tx, type, name, write, ctx.actor.id)
    },
    isShared(object) {
      const found = exchange.names('object').find(({ name }) => name === object)
      const uid = exchange.uidOf('object', object)
      return found?.travels !== true || (uid !== undefined && readRow(read, { type: 'object', uid }) !== undefined)
    },
    removals: createRemovalDecisions({ docs, clock, noteClaim: capture.noteClaim }),
    dueItems: () =>
      readDue(read).map(({ type, uid, wanted, reason, since }) => ({
        type,
        uid,
        name: naming.plain(wanted) ?? wanted,
        reason,
        since: since!,
      })),
  }
}

/** What says something else than what won; whoever removed an item says the same as somebody else who did. */
function differing(winner: RegisterEntry, losers: readonly RegisterEntry[]): RegisterEntry[] {
  // What makers of a limit had seen is nothing to choose between.
  if (sayLimits([winner[0]])) return []
  const isRemoval = winner[0] === '_del' && winner[1] !== null
  return losers.filter((loser) => (isRemoval ? loser[1] === null : !sameJson(loser[1], winner[1])))
}

/** Whether an item is removed, and all that was written to it was seen by whoever did that. */
function isSettled(register: Register): boolean {
  return isItemGone(register) && unseenEntries(register).length === 0
}
