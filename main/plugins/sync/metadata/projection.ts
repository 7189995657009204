// Stores metadata documents as items, after the transaction that brought them: changing tables takes time, and an item may
// have to wait for what it refers to. Nothing is thrown away: what cannot be stored stays due, with the reason.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { metadataTypes } from '#shared/contracts/metadata.ts'
import { PlatformError } from '#shared/errors.ts'
import type { Clock } from '#main/kernel/clock.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { MetadataExchange, PlacedItem, PortableOverlay } from '#main/plugins/metadata/api.ts'
import type { DocWriter } from '../engine/docs.ts'
import { baseOf } from './entry-keys.ts'
import { docItem, docOverlay, shownItem, shownOverlay } from './item-entries.ts'
import type { Shown } from './item-entries.ts'
import { createNaming } from './naming.ts'
import { clearDue, hasDue, markDue, putReason, putShown, readDue, readReferrers, readRow } from './store.ts'
import type { DocKey, MetadataRow } from './store.ts'

/** What projecting works with. */
export interface ProjectionParts {
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
  readonly docs: DocWriter
  readonly exchange: MetadataExchange
  /** Whether tables may not change now: rows are still compared with their documents. */
  waits?(): boolean
}

/** Stores documents as items. */
export interface Projection {
  /** Stores all that can be stored now; calls while it runs lead to one more round. */
  settle(): Promise<void>
  /** Names may have to be given anew at the next round. */
  noteNames(): void
  /** Whether anything may have to be stored. */
  isDue(): boolean
  /** Ends after the item at hand. */
  stop(): Promise<void>
}

/** Rounds in which names and references may follow each other, before the rest waits for the next call. */
const maxRounds = 20

/** Documents cannot be read at the moment: sync is off. */
class NotNow extends Error {}

/** Makes the projection. */
export function createProjection(parts: ProjectionParts): Projection {
  const { read, write, clock, ids, log, docs, exchange } = parts
  const naming = createNaming(parts)
  const loadOrder = new Map<string, number>(exchange.types.map((type, index) => [type, index]))
  /** Unknown at the start: the host may have stopped before all names were given. */
  let areNamesNew = true
  let isStopped = false

  const contextOf = ({ actor }: MetadataRow): RequestContext => {
    const ctx = internalContext(ids.uuid(), 'sync')
    return actor === null ? ctx : { ...ctx, actor }
  }

  const registerOf = ({ type, uid }: DocKey) => {
    const document = docs.read(read, { kind: 'metadata', type, uid })
    if (document === null) throw new NotNow()
    return document.register
  }

  const note = async (keys: readonly DocKey[]): Promise<void> => {
    if (keys.length === 0) return
    await write('sync.metadata-due', (tx) => {
      for (const key of keys) markDue(tx, key, null, clock.iso())
    })
  }

  /** @param shown how it is stored here, for a document nobody heard a change of; undefined leaves what is known */
  const done = (row: MetadataRow, shown?: Shown): Promise<void> =>
    write('sync.metadata-done', (tx) => {
      if (shown !== undefined && readRow(tx, row)?.shown === null) putShown(tx, row, shown)
      clearDue(tx, row)
    })

  /**
   * Stores one item under the name it has here, or under `instead`.
   * @param waiting uids of items that wait for this one to leave its name
   */
  const placeItem = async (row: MetadataRow, waiting: ReadonlySet<string>, instead?: string): Promise<void> => {
    const type = row.type as MetadataType
    const { uid } = row
    if (row.isDeleted) {
      await exchange.drop(contextOf(row), { type, uid })
      return done(row)
    }
    const parent = naming.parentOf(row.wanted)
    // A part goes with its object, and comes back with it.
    if (parent !== null && naming.isGone(parent)) {
      await exchange.drop(contextOf(row), { type, uid })
      return done(row)
    }
    const name = instead ?? naming.assigned(type).get(uid)
    if (name === undefined) throw new Error('The document does not say a name.')
    await makeRoom(type, uid, name, waiting)
    const build = (): PlacedItem => {
      const { portable } = docItem(type, uid, registerOf(row))
      return { portable: { ...portable, name }, missing: naming.missingFor(type) }
    }
    const placed = await exchange.place(contextOf(row), build)
    // Items follow renames of objects by themselves, also those whose documents only name what has the name by now.
    if (placed.before !== null && placed.before !== placed.name) await note(readReferrers(read, uid))
    if (instead !== undefined) return
    const item = exchange.committed.item(type, placed.name)
    await done(row, item === null ? undefined : shownItem(item))
  }

  /** Sees to it that nobody else has the name here; of a ring of names one steps aside for a moment. */
  const makeRoom = async (
    type: MetadataType,
    uid: string,
    name: string,
    waiting: ReadonlySet<string>,
  ): Promise<void> => {
    const plain = naming.plain(name)
    const holder = plain === null ? undefined : exchange.uidOf(type, plain)
    if (holder === undefined || holder === uid) return
    const row = readRow(read, { type, uid: holder })
    if (row === undefined) return stepAside(type, plain!, name)
    if (!waiting.has(holder)) {
      await placeItem(row, new Set([...waiting, uid]))
      return
    }
    await placeItem(row, new Set([...waiting, uid]), freeName(type, name))
    await note([row])
  }

  const freeName = (type: MetadataType, name: string): string => {
    let number = 2
    while (exchange.uidOf(type, naming.plain(`${name}_${number}`)!) !== undefined) number += 1
    return `${name}_${number}`
  }

  /** An item of this machine alone leaves its name to the one all others have under it. */
  const stepAside = async (type: MetadataType, plain: string, name: string): Promise<void> => {
    const item = exchange.committed.item(type, plain)
    if (item === null) return
    const portable = { ...item, name: freeName(type, name) }
    await exchange.place(internalContext(ids.uuid(), 'sync'), () => ({ portable, missing: naming.missingFor(type) }))
  }

  const placeOverlay = async (row: MetadataRow): Promise<void> => {
    const { type, uid } = baseOf(row)
    const name = exchange.nameOf({ type, uid })
    if (name === undefined && readRow(read, { type, uid })?.isDeleted === true) return done(row)
    if (row.isDeleted) {
      await exchange.dropOverlay(contextOf(row), { type, uid })
      return done(row)
    }
    const build = (): { overlay: PortableOverlay; missing: ReturnType<typeof naming.missingFor> } => {
      const overlay = docOverlay(type, uid, registerOf(row))
      if (overlay === null) throw new Error('The overlay was taken away meanwhile.')
      return { overlay, missing: naming.missingFor(type) }
    }
    await exchange.placeOverlay(contextOf(row), build)
    const shown = name === undefined ? null : exchange.committed.overlay(type, name)
    await done(row, shown === null ? undefined : shownOverlay(shown))
  }

  /** Answers whether anything was done: what is due once more by now is done in the next round. */
  const placeOne = async (row: MetadataRow): Promise<boolean> => {
    try {
      if (row.type === 'overlay') await placeOverlay(row)
      else if ((metadataTypes as readonly string[]).includes(row.type)) await placeItem(row, new Set())
      else throw new Error('The type is not known here.')
      return true
    } catch (error) {
      if (error instanceof NotNow) return false
      const reason = reasonOf(error)
      if (!isExpected(error)) log.error({ err: error, type: row.type, uid: row.uid }, 'An item was not taken over.')
      if (reason !== row.reason) await write('sync.metadata-reason', (tx) => putReason(tx, row, reason))
      return false
    }
  }

  const round = async (): Promise<boolean> => {
    if (areNamesNew) {
      areNamesNew = false
      await note(naming.misnamed())
    }
    const due = readDue(read).toSorted((a, b) => rank(a) - rank(b))
    let progress = false
    for (const one of due) {
      if (isStopped) return false
      // An item before it may have taken this one along.
      const row = readRow(read, one)
      if (row === undefined || row.due === 0) continue
      if (await placeOne(row)) progress = true
    }
    return progress
  }

  /** Removals first, in the order in which nothing is needed any more; then what others refer to before them. */
  const rank = ({ type, isDeleted }: MetadataRow): number => {
    const order = loadOrder.get(type) ?? loadOrder.size
    return isDeleted ? -1 - order : order
  }

  const rounds = async (): Promise<void> => {
    for (let count = 0; count < maxRounds && (await round()); count += 1);
  }

  let running: Promise<void> | null = null
  let again = false
  return {
    noteNames() {
      areNamesNew = true
    },
    isDue: () => !isStopped && (areNamesNew || hasDue(read)),
    async stop() {
      isStopped = true
      await running
    },
    async settle() {
      if (parts.waits?.() === true) return
      again = true
      running ??= (async () => {
        try {
          while (again) {
            again = false
            await rounds()
          }
        } finally {
          running = null
        }
      })()
      await running
    },
  }
}

/** Whether a failure is one of the item, not of the program. */
function isExpected(error: unknown): boolean {
  return error instanceof PlatformError || (error instanceof Error && 'missingUid' in error)
}

function reasonOf(error: unknown): string {
  if (error instanceof PlatformError) {
    const [first] = Array.isArray(error.details['fieldErrors'])
      ? (error.details['fieldErrors'] as { field: string; message: string }[])
      : []
    return first === undefined ? error.code : `${error.code}: ${first.field}: ${first.message}`
  }
  if (error instanceof Error && 'missingUid' in error) return `missing_reference: ${String(error.missingUid)}`
  return error instanceof Error ? error.message : 'unknown'
}
