// A machine of the model: documents, a log and a clock in memory, over the real document layer. Knows nothing of other
// machines, nor of what is expected of it.
import type * as Y from 'yjs'
import { createHlcClock } from '../../../main/replication/core/hlc.ts'
import type { HlcClock } from '../../../main/replication/core/hlc.ts'
import { readLinear } from '../../../main/replication/core/linear-register.ts'
import { editDoc, loadDoc } from '../../../main/replication/core/record-doc.ts'
import { liveEntries, readRegister, registerHlc, setEntries } from '../../../main/replication/core/register.ts'
import type { Register } from '../../../main/replication/core/register.ts'
import { parseKey } from '../../../main/replication/core/register-keys.ts'
import { openDocument } from '../../../main/replication/core/sync-document.ts'
import type { Hlc, Json, RegisterEntry } from '../../../main/replication/core/types.ts'
import type { TextNote, Written } from './host-journal.ts'
import { entriesOf, placeOf } from './host-journal.ts'
import type { Strategy } from './strategies.ts'

/** One entry of a log in the model, as the oracle of hosts knows them. */
export interface ModelEnvelope extends Written {
  /** Tells envelopes apart where an incarnation and a sequence number do not. */
  readonly id: number
}

/** What a copy of the database holds. */
interface Database {
  readonly docs: Map<string, Uint8Array>
  readonly stored: Map<string, ModelEnvelope>
  readonly applied: Map<number, number>
  readonly appliedIds: Set<number>
  inc: number
  seq: number
  last: Hlc
}

/** What all machines of a schedule share: true time and fresh numbers. */
export interface World {
  time: number
  /** How often the ways through the document layer were gone. */
  readonly ways: { decoded: number; merged: number; waited: number }
  nextEnvelope: number
  freshInc(): number
}

const empty = (inc: number): Database => ({
  docs: new Map(),
  stored: new Map(),
  applied: new Map(),
  appliedIds: new Set(),
  inc,
  seq: 0,
  last: { ms: 0, ctr: 0 },
})

const copyOf = (db: Database): Database => ({
  docs: new Map(db.docs),
  stored: new Map(db.stored),
  applied: new Map(db.applied),
  appliedIds: new Set(db.appliedIds),
  inc: db.inc,
  seq: db.seq,
  last: db.last,
})

/** A machine. */
export class Device {
  readonly known = new Set(['a', 'b', 'c', 'tags', 'hours', '_del'])
  /** Envelopes it refused for good. */
  readonly refused = new Set<number>()
  skew = 0
  #db: Database
  #backup: Database
  #clock: HlcClock
  readonly #world: World
  readonly #strategy: Strategy

  constructor(world: World, strategy: Strategy) {
    this.#world = world
    this.#strategy = strategy
    this.#db = empty(world.freshInc())
    this.#backup = copyOf(this.#db)
    this.#clock = this.#makeClock()
  }

  get inc(): number {
    return this.#db.inc
  }

  get stored(): Iterable<ModelEnvelope> {
    return this.#db.stored.values()
  }

  get appliedIds(): ReadonlySet<number> {
    return this.#db.appliedIds
  }

  has(doc: string): boolean {
    return this.#db.docs.has(doc)
  }

  holds(envelope: ModelEnvelope): boolean {
    return this.#db.stored.has(placeOf(envelope))
  }

  /** Opens a document to read it. */
  open(doc: string): Y.Doc {
    return loadDoc(this.#db.docs.get(doc) ?? null)
  }

  /** What this machine shows of a register, by key. */
  shown(doc: string): ReadonlyMap<string, RegisterEntry> {
    const opened = this.open(doc)
    const entries = liveEntries(opened) as readonly RegisterEntry[]
    return new Map(
      [...readRegister(opened)].map(([key, value]) => [
        key,
        this.#strategy.winner(
          value,
          entries.filter((entry) => entry[0] === key),
        ),
      ]),
    )
  }

  /** Writes keys of a register. */
  setKeys(
    doc: string,
    patchOf: (register: Register) => Readonly<Record<string, Json>>,
    note?: Described['note'],
  ): void {
    const { inc } = this.#db
    let hlc: Hlc = { ms: 0, ctr: 0 }
    this.edit(
      doc,
      (opened) => {
        const register = readRegister(opened)
        hlc = this.#strategy.stamp(this.#clock, registerHlc(register))
        setEntries(opened, patchOf(register), hlc, inc)
      },
      () => ({ hlc, note }),
    )
  }

  /** Edits any document and puts the change into the log; an edit that changes nothing is none. */
  edit(doc: string, change: (opened: Y.Doc) => void, described: () => Described): void {
    const db = this.#db
    const { state, update } = editDoc(db.docs.get(doc) ?? null, db.inc, change)
    if (update === null) return
    db.docs.set(doc, state)
    db.seq += 1
    const { hlc = this.#clock.tick(), note = {} } = described()
    const { inc, seq } = db
    const envelope: ModelEnvelope = {
      id: (this.#world.nextEnvelope += 1),
      inc,
      seq,
      machine: String(inc),
      hlc,
      time: this.#world.time,
      author: 'u',
      call: placeOf(db),
      isComeback: false,
      docs: [{ doc, update, entries: entriesOf(update) }],
      past: { applied: new Map(db.applied), aside: new Set() },
      notes: [{ doc, ...note }],
      talks: [],
      memos: [],
      intents: [],
    }
    db.stored.set(placeOf(envelope), envelope)
    this.#note(envelope)
  }

  /** Stores envelopes that came in, in any order and any number of times, and applies what can be applied. */
  receive(envelopes: readonly ModelEnvelope[]): void {
    for (const envelope of envelopes) {
      if (!this.holds(envelope)) this.#db.stored.set(placeOf(envelope), envelope)
    }
    const incs = new Set([...this.#db.stored.values()].map(({ inc }) => inc))
    for (let advanced = true; advanced;) {
      advanced = false
      for (const inc of incs) while (this.#applyNext(inc)) advanced = true
    }
  }

  /** Keeps a copy of the database. */
  backup(): void {
    this.#db.last = this.#clock.last()
    this.#backup = copyOf(this.#db)
  }

  /** Puts the kept copy in place of the database. */
  restore(): void {
    this.#db = copyOf(this.#backup)
    const old = this.#db.inc
    this.#db.inc = this.#strategy.incAfterRestore(old, this.#world.freshInc())
    if (this.#db.inc !== old) this.#db.seq = 0
    this.#clock = this.#makeClock()
  }

  #makeClock(): HlcClock {
    return createHlcClock({ now: () => this.#world.time + this.skew, last: this.#db.last })
  }

  #applyNext(inc: number): boolean {
    const db = this.#db
    const envelope = db.stored.get(`${inc}/${(db.applied.get(inc) ?? 0) + 1}`)
    if (envelope === undefined || this.refused.has(envelope.id)) return false
    const { doc, update } = envelope.docs[0]!
    const result = openDocument(doc, db.docs.get(doc) ?? null).merge(update)
    const { ways } = this.#world
    if (!result.merged) {
      ways.waited += 1
      return false
    }
    const { state } = result.document
    ways[readLinear(state) === null ? 'merged' : 'decoded'] += 1
    if (!this.#strategy.accepts(new Set([...result.changedKeys].map((key) => parseKey(key).uid)), this.#names())) {
      this.refused.add(envelope.id)
      return false
    }
    db.docs.set(doc, state)
    if (this.#strategy.receives) this.#clock.observe(envelope.hlc)
    this.#note(envelope)
    return true
  }

  /** Names the reject mutant may meet in documents that are no registers are known everywhere. */
  #names(): ReadonlySet<string> {
    return new Set([...this.known, 't', 'i0', 'i1', 'i2', 'i3'])
  }

  #note({ inc, seq, id }: ModelEnvelope): void {
    this.#db.applied.set(inc, seq)
    this.#db.appliedIds.add(id)
  }
}

/** What is known of an edit beside its update. */
interface Described {
  readonly hlc?: Hlc
  readonly note?: Omit<TextNote, 'doc'>
}
