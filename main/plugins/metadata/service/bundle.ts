// Saves and removes many items in one write: all are checked first, each on the ground the earlier ones prepared, then
// one job stores them, all or nothing or each for itself (D-108). Knows no rule of a single item.
import { setImmediate } from 'node:timers/promises'
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { PlatformError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Tx, Write } from '#main/kernel/database.ts'
import { whenReady } from '#main/kernel/pending-work.ts'
import type { DeliveredChange, RemoveItemInput, SaveItemInput } from '../api.ts'
import type { ItemCache } from './item-cache.ts'
import type { ItemChange, PreparedWrite, StorableWrite, WriteParts, WriteScope } from './item-write.ts'
import { cacheChange } from './item-write.ts'
import type { OverlayInput } from './merge-overlay.ts'
import { aroundAll } from './plan-schema.ts'
import { storeWrite } from './store-write.ts'

/** One item of a bundle. */
export type BundleEntry =
  | {
      readonly save: SaveItemInput
      readonly remove?: undefined
      readonly overlay?: undefined
      readonly delivered?: undefined
    }
  | { readonly remove: RemoveItemInput; readonly overlay?: undefined; readonly delivered?: undefined }
  | {
      readonly overlay: OverlayInput
      readonly save?: undefined
      readonly remove?: undefined
      readonly delivered?: undefined
    }
  | {
      readonly delivered: DeliveredChange
      readonly save?: undefined
      readonly remove?: undefined
      readonly overlay?: undefined
    }

/** What became of one entry. */
export type BundleOutcome =
  | { readonly ok: true; readonly prepared: StorableWrite }
  | { readonly ok: false; readonly error: PlatformError }

/** How a bundle is stored. */
export interface BundleOptions {
  /** True stores what can be stored; false stores all or nothing. */
  readonly each: boolean
  /** Stores nothing; the outcomes say what would happen. */
  readonly dryRun?: boolean
  /** Called once all entries are prepared, before anything is stored; what it throws ends the bundle. */
  readonly agree?: (prepared: readonly StorableWrite[]) => void
  /**
   * Runs inside the transaction once everything is stored, while the items in memory are those that will be; what it throws
   * takes everything back. Of bundles that are stored as a whole.
   */
  readonly along?: (tx: Tx) => void
}

/** What a bundle did; `stored` false means that nothing was written. */
export interface BundleResult {
  /** In the order of the entries. */
  readonly outcomes: readonly BundleOutcome[]
  readonly stored: boolean
}

/** What bundles work with. */
export interface BundleParts extends WriteParts {
  readonly cache: ItemCache
  readonly read: Reads
  readonly write: Write
  readonly prepare: (scope: WriteScope, entry: BundleEntry, dryRun: boolean) => PreparedWrite
}

/** Entries prepared between two pauses for other requests. */
const breathEvery = 25

/**
 * Runs one bundle; the caller holds the lock of metadata writes. What is stored each for itself is converted at once,
 * however large the table is: nothing may be prepared for an item that may still fail.
 */
export async function runBundle(
  parts: BundleParts,
  ctx: RequestContext,
  entries: readonly BundleEntry[],
  { each, dryRun = false, agree, along }: BundleOptions,
): Promise<BundleResult> {
  const { cache, read, write } = parts
  const store = (tx: Tx, prepared: StorableWrite): void => storeWrite(parts, tx, ctx, prepared)
  const leaving = new Set(
    entries.flatMap(({ remove, delivered }) => {
      const gone = delivered?.change === 'remove' ? delivered : remove
      return gone === undefined ? [] : [keyOf(gone)]
    }),
  )

  /** Prepares entries one after the other, every one on the ground of those before it. */
  const createSequence = (reads: WriteScope['reads'], mayWait: boolean) => {
    let items = cache.copy()
    const touched = new Set<string>()
    const touch = ({ changes }: StorableWrite): void => {
      for (const { previous, next } of changes) touched.add((next ?? previous)!.uid)
    }
    return {
      /** Takes over what is stored already. */
      advance(stored: StorableWrite): void {
        items.apply(cacheChange(stored.changes))
        touch(stored)
      },
      next(entry: BundleEntry): BundleOutcome {
        try {
          const scope = { ...parts, ctx, items, reads, touched, leaving, mayWait }
          const prepared = parts.prepare(scope, entry, dryRun)
          items = prepared.after
          touch(prepared)
          return { ok: true, prepared: withoutItems(prepared) }
        } catch (error) {
          return { ok: false, error: platformErrorOf(error) }
        }
      },
    }
  }

  const sequence = createSequence(read, true)
  const outcomes: BundleOutcome[] = []
  for (const entry of entries) {
    outcomes.push(await whenReady(() => sequence.next(entry)))
    // The caller holds the lock of metadata writes, so others may only read meanwhile.
    if (outcomes.length % breathEvery === 0) await setImmediate()
  }
  const failed = outcomes.some((outcome) => !outcome.ok)
  const hasNone = along === undefined && outcomes.every((outcome) => !outcome.ok)
  if (!failed) agree?.(outcomes.flatMap((outcome) => (outcome.ok ? [outcome.prepared] : [])))
  if (dryRun || hasNone || (failed && !each)) return { outcomes, stored: false }

  const storeAll = (tx: Tx): void => {
    for (const [index, outcome] of outcomes.entries()) {
      if (!outcome.ok) continue
      try {
        store(tx, outcome.prepared)
      } catch (error) {
        throw new StoreFailure(index, platformErrorOf(error))
      }
    }
    if (along === undefined) return
    const changes = outcomes.flatMap((outcome) => (outcome.ok ? outcome.prepared.changes : []))
    asStored(cache, changes, () => along(tx))
  }

  /** After a failure the rest stands on other ground than it was prepared on and is prepared again. */
  const storeEach = (tx: Tx): BundleOutcome[] => {
    let fresh: ReturnType<typeof createSequence> | null = null
    const stored: BundleOutcome[] = []
    for (const [index, first] of outcomes.entries()) {
      const outcome = fresh === null ? first : fresh.next(entries[index]!)
      let result = outcome
      if (outcome.ok) {
        try {
          tx.savepoint(() => store(tx, outcome.prepared))
        } catch (error) {
          result = { ok: false, error: platformErrorOf(error) }
          fresh = createSequence(tx, false)
          for (const done of stored) if (done.ok) fresh.advance(done.prepared)
        }
      }
      stored.push(result)
    }
    return stored
  }

  try {
    if (each) return { outcomes: await write('metadata.bundle', storeEach), stored: true }
    const work = outcomes.flatMap((outcome) => (outcome.ok ? outcome.prepared.work : []))
    await aroundAll(ctx, work, () => write('metadata.bundle', storeAll))
    return { outcomes, stored: true }
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error
    return { outcomes: outcomes.with(error.index, { ok: false, error: error.reason }), stored: false }
  }
}

/** The write with what it says of its own items; all items as they will be, once per entry, would fill the memory. */
function withoutItems(prepared: PreparedWrite): StorableWrite {
  const { after, changes } = prepared
  const own = new Map(
    changes.flatMap(({ next }) => {
      if (next === null) return []
      const { type, name } = next
      return [[keyOf(next), { item: after.get(type, name), overlay: after.overlay(type, name, null) }]]
    }),
  )
  return {
    ...prepared,
    after: {
      get: (type, name) => own.get(keyOf({ type, name }))?.item,
      overlay: (type, name, owner) => (owner === null ? own.get(keyOf({ type, name }))?.overlay : undefined),
    },
  }
}

/** What an entry asks for, with the item it is about. */
export function subjectOf(entry: BundleEntry): SaveItemInput | RemoveItemInput | OverlayInput | DeliveredChange {
  return entry.delivered ?? entry.overlay ?? entry.remove ?? entry.save
}

/** Runs `fn` with the changes in memory, and takes them out again: before COMMIT nobody else may see them. */
function asStored(cache: ItemCache, changes: readonly ItemChange[], fn: () => void): void {
  for (const change of changes) cache.apply(cacheChange([change]))
  try {
    fn()
  } finally {
    for (const change of changes.toReversed()) cache.apply(cacheChange([reversed(change)]))
  }
}

function reversed({ previous, next, overlays = [], draft }: ItemChange): ItemChange {
  return {
    previous: next,
    next: previous,
    overlays: overlays.map((one) => ({ previous: one.next, next: one.previous })),
    ...(draft === undefined ? {} : { draft: { previous: draft.next, next: draft.previous } }),
  }
}

/** The name of an item in sets: `type/name`. */
function keyOf({ type, name }: { type: MetadataType; name: string }): string {
  return `${type}/${name}`
}

/** Carries the place of an entry that could not be stored out of the write, which rolls back. */
class StoreFailure extends Error {
  readonly index: number
  readonly reason: PlatformError

  constructor(index: number, reason: PlatformError) {
    super(reason.message)
    this.index = index
    this.reason = reason
  }
}

/** Failures of the platform are an entry's outcome; a defect ends the whole bundle. */
function platformErrorOf(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error
  throw error
}
