// Turning sync on: makes documents of everything that exists, in the background, a slice per transaction, and goes on where
// it was after a restart; and of the records of one object, when a change of the object has changed them. Knows the
// handlers' slices, not what they hold.
import { setImmediate as nextTurn, setTimeout as later } from 'node:timers/promises'
import { internalContext } from '#main/kernel/context.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Tx, Write } from '#main/kernel/database.ts'
import { formatDocName } from '#main/replication/core/doc-names.ts'
import { ZERO_HLC, laterHlc } from '#main/replication/core/hlc.ts'
import type { Hlc } from '#main/replication/core/types.ts'
import { countRecordDocs, hasDoc } from '../store/doc-store.ts'
import { putGenesis, readGenesis } from '../store/log-store.ts'
import type { LocalDocs } from '../write/doc-writer.ts'
import { fitsBehind, packGenesis } from '../write/genesis-body.ts'
import type { GenesisDoc } from '../write/genesis-body.ts'
import type { AppendOwn } from '../write/own-log.ts'
import { recordsOf } from '../write/record-backfill.ts'
import type { RecordsOfObject } from '../write/record-backfill.ts'
import type { BackfillSlice, DocKindHandler } from './docs.ts'

/** What the backfill works with. */
export interface BackfillParts {
  readonly read: Reads
  readonly write: Write
  readonly docs: LocalDocs
  readonly append: AppendOwn
  readonly handlers: readonly DocKindHandler[]
  schemaRev(): number
  /** The id a person has here, whom documents name. */
  localId(id: string): string
  changed(): void
  /** Resolves when what has come from others is in rows as far as it can be, or when the engine ends. */
  caughtUp(): Promise<void>
  /** Has records of an object projected again: what did not fit before may fit now. Of its own, those that wait for it. */
  lookAgain(tx: Tx, records: RecordsOfObject): void
}

/** Where it goes on, as it is stored. */
interface Place {
  readonly handler: number
  readonly after: string | null
  readonly done: number
  readonly total: number
  /** Only these records, and no handler after theirs. */
  readonly alone?: RecordsOfObject
  /** Whose records are looked at next. */
  readonly next?: readonly RecordsOfObject[]
}

/** The background work. */
export type Backfill = ReturnType<typeof runBackfill>

/** Reads whether there is something left to do; null when everything has documents. */
export function readBackfill(read: Pick<Reads, 'get'>): string | null {
  return readGenesis(read) || null
}

/**
 * Notes that everything has to be made documents of, from the first of the handlers on, and what was noted before after it.
 * What is under way for an earlier handler begins anew.
 */
export function beginBackfill(tx: Pick<Tx, 'get' | 'run'>, first: number, total: number): void {
  const { handler, alone, next = [] } = placeOf(readBackfill(tx)) ?? idle
  const left = alone === undefined ? next : [alone, ...next]
  const place: Place = {
    handler: alone === undefined ? Math.min(handler, first) : first,
    after: null,
    done: 0,
    total,
    ...(left.length > 0 && { next: left }),
  }
  putGenesis(tx, JSON.stringify(place))
}

/** Whether rows may have what their documents have not: everything is compared, or will be. */
export function isComparing(read: Pick<Reads, 'get'>, handlers: number): boolean {
  const place = placeOf(readBackfill(read))
  return place !== null && place.alone === undefined && place.handler < handlers
}

/** Notes that the records of an object have to be written into their documents, once all that was noted before is done. */
export function addToBackfill(tx: Pick<Tx, 'get' | 'run'>, records: RecordsOfObject): void {
  const stored = readBackfill(tx)
  const place = stored === null ? idle : (JSON.parse(stored) as Place)
  const others = (place.next ?? []).filter((one) => one.object !== records.object || one.isOwn !== records.isOwn)
  const next = [...others, records]
  putGenesis(tx, JSON.stringify({ ...place, next }))
}

/** Begins or goes on with what {@link readBackfill} reads. */
export function runBackfill(parts: BackfillParts) {
  const { read, write, handlers } = parts
  let place = placeOf(readBackfill(read))
  let stopped = false

  /** Whether there has to be a moment before the next one. */
  let waits = false
  const step = (tx: Tx): void => {
    const at = placeOf(readBackfill(tx))
    waits = false
    const next = at === null ? null : take(tx, at)
    putGenesis(tx, next === null ? '' : JSON.stringify(next))
    tx.afterCommit(() => {
      place = next
      parts.changed()
    })
  }

  /** Does a slice; null when there is nothing left. */
  const take = (tx: Tx, at: Place): Place | null => {
    const handler = handlers[at.handler]
    if (handler === undefined) return following(tx, at)
    const pack = createPack(tx, parts)
    const slice =
      handler.backfill?.(tx, at.after, (name, actorId, edit, options) => {
        if (hasDoc(tx, formatDocName(name))) {
          if (options?.mend === true) parts.docs.edit(tx, contextOf(parts.localId(actorId)), name, edit, options.order)
          return
        }
        const written = parts.docs.write(tx, name, [edit])
        if (written !== null) pack.add({ name: written.name, author: actorId, update: written.update }, written.hlc)
      }) ?? nothing
    pack.close()
    waits = slice.waits === true
    const done = Math.min(at.done + slice.done, at.total)
    if (slice.next !== null) return { ...at, after: slice.next, done }
    const { alone, ...rest } = at
    if (alone === undefined) return { ...rest, handler: at.handler + 1, after: null, done }
    parts.lookAgain(tx, alone)
    return { ...rest, handler: handlers.length, after: null, done }
  }

  /** The records of the next object that was noted. */
  const following = (tx: Tx, { next = [] }: Place): Place | null => {
    const [records, ...others] = next
    if (records === undefined) return null
    const { object } = records
    const total = countRecordDocs(tx, object)
    const handler = handlers.findIndex(({ kind }) => kind === 'record')
    return { handler, after: recordsOf(records), done: 0, total, alone: records, next: others }
  }

  const run = async (): Promise<void> => {
    while (!stopped && place !== null) {
      // What others wrote may have waited for the definition: it counts before what that made of a row here.
      if (place.alone?.isOwn === true) await parts.caughtUp()
      if (stopped) return
      await write('sync.backfill', step)
      await (waits ? later(waitMs, undefined, { ref: false }) : nextTurn())
    }
  }

  return {
    progress: () => (place === null ? { done: 0, total: 0 } : { done: place.done, total: place.total }),
    /** Resolves when everything has documents, or after `stop`. */
    done: run(),
    stop() {
      stopped = true
    },
  }
}

/** A table that is being changed is open again within moments. */
const waitMs = 250

const nothing: BackfillSlice = { next: null, done: 0 }

/** Everything was done, and nothing has been noted since. */
const idle: Place = { handler: Number.MAX_SAFE_INTEGER, after: null, done: 0, total: 0 }

function placeOf(stored: string | null): Place | null {
  return stored === null ? null : (JSON.parse(stored) as Place)
}

function contextOf(id: string): RequestContext {
  return { ...internalContext('sync.backfill'), actor: { type: 'user', id } }
}

/** Gathers documents into envelopes that are not too large. */
function createPack(tx: Tx, { append, schemaRev }: Pick<BackfillParts, 'append' | 'schemaRev'>) {
  let open: GenesisDoc[] = []
  let bytes = 0
  let hlc = ZERO_HLC
  const close = (): void => {
    const first = open[0]
    if (first === undefined) return
    const { name: doc, author } = first
    const given = { doc, author, hlc, schemaRev: schemaRev(), update: packGenesis(open) }
    append(tx, [{ ...given, kind: 'genesis', aclRev: 0, facts: [] }])
    open = []
    bytes = 0
  }
  return {
    add(doc: GenesisDoc, stamp: Hlc) {
      const last = open.at(-1)?.name
      if (last !== undefined && !fitsBehind(last, bytes, doc)) close()
      open.push(doc)
      bytes += doc.update.length
      hlc = laterHlc(hlc, stamp)
    },
    close,
  }
}
