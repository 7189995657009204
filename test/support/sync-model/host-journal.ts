// What was written in a schedule and what its author had seen, read from the logs of the machines without merging anything.
// What must come of it is worked out from here.
import * as Y from 'yjs'
import { statement } from '#main/kernel/database.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { unpackValue } from '#main/replication/core/json-value.ts'
import { isRegisterEntry } from '#main/replication/core/register.ts'
import type { Hlc, RegisterEntry, SealedEnvelope } from '#main/replication/core/types.ts'
import { readEnvelopes, readIncarnation } from '#main/plugins/sync/store/log-store.ts'
import { decodeBody, isOpaque } from '#main/replication/wire/envelope-codec.ts'
import { unpackGenesis } from '#main/plugins/sync/write/genesis-body.ts'
import type { Machine } from './machine.ts'
import { stampOf } from './stored-docs.ts'
import type { MemoNote } from './memo-writer.ts'
import type { TalkNote } from './talk-writer.ts'

/** What a machine had applied at a moment. */
export interface Past {
  readonly applied: ReadonlyMap<number, number>
  readonly aside: ReadonlySet<string>
}

/** What a step did to a long text, or by how much it let the stock of a record grow. */
export interface TextNote {
  readonly doc: string
  readonly added?: string
  readonly removed?: string
  readonly grown?: number
}

/** What a person meant to write: values by the uid of their field. */
export interface Intent {
  readonly doc: string
  readonly values: Readonly<Record<string, unknown>>
}

/** An envelope as its author wrote it. */
export interface Written {
  readonly inc: number
  readonly seq: number
  readonly machine: string
  readonly hlc: Hlc
  /** True time. */
  readonly time: number
  /** The user who wrote it; `system` for what follows from another change. */
  readonly author: string
  /** What was written in one call has the same. */
  readonly call: string
  /** Whether it brings a record back that was removed for good by somebody who did not know of its restore. */
  readonly isComeback: boolean
  readonly docs: readonly {
    readonly doc: string
    readonly entries: readonly RegisterEntry[]
    readonly update: Uint8Array
  }[]
  readonly past: Past
  readonly notes: readonly TextNote[]
  readonly talks: readonly TalkNote[]
  readonly memos: readonly MemoNote[]
  readonly intents: readonly Intent[]
}

/** What a write was meant to do, to be noted beside its envelopes. */
export interface Meant {
  readonly notes?: readonly TextNote[]
  readonly talks?: readonly TalkNote[]
  readonly memos?: readonly MemoNote[]
  readonly intents?: readonly Intent[]
}

/** Everything written in a schedule. */
export class Journal {
  readonly written = new Map<string, Written>()
  readonly #seen = new Map<number, number>()
  readonly #bodies = new Map<string, Uint8Array>()

  /** Takes what a machine wrote since the last time; answers how many envelopes it is. */
  collect(machine: Machine, time: number, told: Meant = {}): readonly Written[] {
    const { inc } = machine
    const { read } = machine.plugin
    const to = readIncarnation(read, inc)?.storedSeq ?? 0
    const from = this.#seen.get(inc) ?? 0
    if (to < from) throw new Error(`The log ${inc} of ${machine.name} went back from ${from} to ${to}.`)
    const fresh = to === from ? [] : readEnvelopes(read, inc, from + 1, 10_000)
    const pasts = readPasts(machine, from)
    const decoded = fresh.map((envelope, index) => {
      if (envelope.seq !== from + index + 1)
        throw new Error(`The log ${inc} of ${machine.name} has a gap at ${from + index + 1}.`)
      this.#bodies.set(placeOf({ inc, seq: envelope.seq }), envelope.body)
      const body = decodeBody(envelope.body)
      if (isOpaque(body)) throw new Error('A machine wrote a kind it does not know.')
      const docs =
        body.kind === 'genesis'
          ? unpackGenesis(body.update).map(({ name, update }) => ({ doc: name, update }))
          : [{ doc: body.doc, update: new Uint8Array(body.update) }]
      const { seq } = envelope
      return {
        inc,
        seq,
        machine: machine.name,
        hlc: body.hlc,
        author: body.author,
        call: placeOf({ inc, seq: body.group.first }),
        docs: docs.map(({ doc, update }) => ({ doc, update, entries: entriesOf(update) })),
        past: pasts.get(seq)!,
      }
    })
    const comebacks = new Set(decoded.filter(endsRemoval).map(({ call }) => call))
    const logged = decoded.map((one) => {
      const isComeback = comebacks.has(one.call)
      // What follows from another change is written when the machine gets to it, and found with its next step.
      const follows = isComeback || one.author === 'system'
      return { ...one, isComeback, time: follows ? Math.min(time, one.hlc.ms) : time }
    })
    // Each belongs to the envelope that brought it: what the system writes beside it, such as a number, did not.
    const writers = logged.filter(
      ({ author, docs, isComeback }) => !isComeback && (author !== 'system' || docs.length > 1),
    )
    const noted = <T>(
      all: readonly T[] = [],
      isOf: (note: T, doc: string) => boolean,
    ): ReadonlyMap<number, readonly T[]> =>
      Map.groupBy(all, (note) => writers.find(({ docs }) => docs.some(({ doc }) => isOf(note, doc)))?.seq ?? 0)
    const notes = noted(told.notes, (note, doc) => doc === note.doc)
    const talks = noted(told.talks, ({ feed }, doc) => doc.startsWith(feed))
    const memos = noted(
      told.memos,
      (note, doc) => doc === note.doc || doc === `${note.doc.replace(/^r/, 't')}/${note.uid}`,
    )
    const intents = noted(told.intents, (intent, doc) => doc === intent.doc)
    const found = logged.map((one): Written => {
      const of = <T>(all: ReadonlyMap<number, readonly T[]>): readonly T[] => all.get(one.seq) ?? []
      const letters = one.isComeback ? one.docs.flatMap(lettersIn) : []
      return { ...one, notes: [...of(notes), ...letters], talks: of(talks), memos: of(memos), intents: of(intents) }
    })
    for (const one of found) this.written.set(placeOf(one), one)
    this.#seen.set(inc, to)
    return found
  }

  /**
   * Forgets what a machine's log does not have any more, or has otherwise: it was taken back before anybody else had it.
   * @returns what that is
   */
  rewind(machine: Machine): readonly Written[] {
    const { inc } = machine
    const from = this.#seen.get(inc) ?? 0
    const stored = readEnvelopes(machine.plugin.read, inc, 1, from)
    const isSame = ({ seq, body }: SealedEnvelope): boolean =>
      Buffer.compare(body, this.#bodies.get(placeOf({ inc, seq }))!) === 0
    const first = stored.findIndex((envelope) => !isSame(envelope))
    const to = first < 0 ? stored.length : first
    const gone: Written[] = []
    for (let seq = to + 1; seq <= from; seq += 1) {
      gone.push(this.written.get(placeOf({ inc, seq }))!)
      this.written.delete(placeOf({ inc, seq }))
    }
    this.#seen.set(inc, to)
    return gone
  }
}

/** Notes what a machine has applied whenever it writes: what it writes by itself comes between two steps. */
export async function notePasts({ write }: Pick<PluginHost, 'write'>): Promise<void> {
  await write('model.pasts', (tx) => {
    tx.ddl(
      'CREATE TABLE IF NOT EXISTS model_past (inc INTEGER, seq INTEGER, applied TEXT, aside TEXT, PRIMARY KEY (inc, seq))',
    )
    tx.ddl(`CREATE TRIGGER IF NOT EXISTS model_past_of AFTER INSERT ON sync_env
      WHEN NEW.inc = (SELECT inc FROM sync_workspace) BEGIN
        INSERT OR REPLACE INTO model_past SELECT NEW.inc, NEW.seq,
          (SELECT json_group_array(json_array(inc, applied_seq)) FROM sync_inc),
          (SELECT json_group_array(inc || '/' || seq) FROM sync_problem);
      END`)
  })
}

function readPasts({ inc, plugin: { read } }: Machine, after: number): ReadonlyMap<number, Past> {
  const sql = 'SELECT seq, applied, aside FROM model_past WHERE inc = ? AND seq > ?'
  const rows = read.all(statement<{ seq: number; applied: string; aside: string }>(sql, [inc, after]))
  return new Map(
    rows.map(({ seq, applied, aside }) => [
      seq,
      {
        applied: new Map(JSON.parse(applied) as [number, number][]),
        aside: new Set(JSON.parse(aside) as string[]),
      },
    ]),
  )
}

/** Whether the author of an envelope had seen another one. */
export function hadSeen(later: Written, earlier: Written): boolean {
  if (later.inc === earlier.inc) return later.seq > earlier.seq
  return (later.past.applied.get(earlier.inc) ?? 0) >= earlier.seq && !later.past.aside.has(placeOf(earlier))
}

/**
 * Whether an envelope takes the mark of a record away that was removed for good; who deletes it or restores it says so of one
 * beside which it was brought back already.
 */
function endsRemoval({ docs }: Pick<Written, 'docs'>): boolean {
  return docs.some(({ entries }) => {
    const back = entries.find(([key, value]) => key === '_purge' && value === null)
    return back !== undefined && !entries.some((entry) => entry[0] === '_del' && stampOf(entry) === stampOf(back))
  })
}

/** The letters that a text is written once more with. */
function lettersIn({ doc, update }: Written['docs'][number]): TextNote[] {
  if (!doc.startsWith('t/')) return []
  const text = Y.decodeUpdate(update).structs.map((one) =>
    one instanceof Y.Item && one.content instanceof Y.ContentString ? one.content.str : '',
  )
  return [...text.join('')].map((added) => ({ doc, added }))
}

/** The place of an envelope as a key. */
export function placeOf({ inc, seq }: { readonly inc: number; readonly seq: number }): string {
  return `${inc}/${seq}`
}

/** The entries that an update adds. */
export function entriesOf(update: Uint8Array): RegisterEntry[] {
  return Y.decodeUpdate(update).structs.flatMap((struct) => {
    if (!(struct instanceof Y.Item) || !(struct.content instanceof Y.ContentAny)) return []
    return (struct.content.arr as unknown[])
      .filter(isRegisterEntry)
      .map(([key, value, ms, ctr, inc]): RegisterEntry => [key, unpackValue(value), ms, ctr, inc])
  })
}
