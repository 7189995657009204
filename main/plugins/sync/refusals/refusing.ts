// The side that refuses: what a device wrote beyond the rights of its person lies aside together, by record, is told to that
// device in a document that travels like any other, and is tried together again when something new may let it in.
import * as Y from 'yjs'
import type { Clock } from '#main/kernel/clock.ts'
import type { Tx } from '#main/kernel/database.ts'
import { inspectUpdate } from '#main/replication/core/inspect-update.ts'
import type { DocName } from '#main/replication/core/doc-names.ts'
import { markAt, registerOf } from '#main/replication/core/register.ts'
import type { EnvelopeBody, Json } from '#main/replication/core/types.ts'
import { decodeBody, isOpaque } from '#main/replication/wire/envelope-codec.ts'
import type { Read } from '../apply/calls.ts'
import { docsIn } from '../apply/calls.ts'
import { changesNothing } from '../apply/change-judge.ts'
import type { DocChange } from '../apply/change-judge.ts'
import type { MergeOutcome } from '../apply/merge-step.ts'
import type { Forbidding } from '../apply/refusals.ts'
import { Forbidden, Waits } from '../apply/refusals.ts'
import type { LocalDocs } from '../write/doc-writer.ts'
import { readEnvelope } from '../store/log-store.ts'
import { noteProblemClosed, removeProblem } from '../store/problem-store.ts'
import type { GenesisDoc } from '../write/genesis-body.ts'
import { PURGED_KEY } from '../write/record-edits.ts'
import type { Held, Refusal } from './refusal-doc.ts'
import { readRefusal, REFUSED_KEY, refusalName, targetOf } from './refusal-doc.ts'

/** Bytes of JSON that a refusal tells of what stands here; a document that would go beyond is left out. */
const heldLimit = 1024 * 1024

/** A document an envelope changes, on its way in. */
export interface Incoming extends GenesisDoc {
  readonly device: string
  /** When it was written, ISO 8601. */
  readonly at: string
  readonly isFollowed: boolean
}

/** What refusing works with. */
export interface RefusingParts {
  /** Id of this machine. */
  readonly device: string
  readonly clock: Pick<Clock, 'iso' | 'now'>
  /** Whose machine this is, as documents name people. */
  author(): string
  readonly docs: Pick<LocalDocs, 'read' | 'editNow'>
  /** Merges a document; `judge` looks at the change before it is stored. */
  merge(tx: Tx, incoming: Incoming, judge: (change: DocChange) => void): MergeOutcome
  /** @throws Forbidden, Waits for what the author may not change */
  judge(tx: Tx, incoming: Incoming, change: DocChange): void
  /** Whether the person of a device may be told what stands here under a key of a document, or of a text. */
  mayTell(tx: Tx, device: string, name: DocName, key?: string): boolean
  group<T>(tx: Tx, fn: () => T): T
  /** Something does not lie aside any more. */
  recount(tx: Tx): void
}

/** What several envelopes change of a document, by one or more people. */
interface Gathered extends Incoming {
  readonly authors: ReadonlySet<string>
}

/** Why changes of a target are not merged, and what stands here of the documents they would change. */
type Refused = { readonly why: Forbidding } & Pick<Refusal, 'held' | 'isPart'>

/** An envelope, by its place in the log. */
type Place = Pick<Read['envelope'], 'inc' | 'seq'>

/** Refuses, and tries again. */
export type Refusing = ReturnType<typeof createRefusing>

/** Makes it. */
export function createRefusing(parts: RefusingParts) {
  const { docs, clock } = parts

  const openOf = (tx: Tx, writer: string, target: string): Refusal | null => {
    const found = docs.read(tx, refusalName(parts.device, writer, target))
    return found === null ? null : readRefusal(found.register)
  }

  /** The envelope that was read last: one that brings many records is asked for with each of them. */
  let last: { readonly tx: Tx; readonly inc: number; readonly seq: number; readonly found: ReadEnvelope } | undefined
  const read = (tx: Tx, inc: number, seq: number): ReadEnvelope => {
    if (last?.tx === tx && last.inc === inc && last.seq === seq) return last.found
    const envelope = readEnvelope(tx, inc, seq)
    const body = envelope === undefined ? undefined : decodeBody(envelope.body)
    const found = body === undefined || isOpaque(body) ? { body: undefined, docs: [] } : { body, docs: docsIn(body) }
    last = { tx, inc, seq, found }
    return found
  }

  /** Says what is refused, or with null that nothing is any more. */
  const say = (tx: Tx, writer: string, target: string, refusal: Refusal | null): void => {
    const value = refusal as unknown as Json
    docs.editNow(tx, parts.author(), refusalName(parts.device, writer, target), (place) =>
      place.set({ [REFUSED_KEY]: value }),
    )
  }

  /** What envelopes bring of a target, one update for each document. */
  const gathered = (tx: Tx, writer: string, target: string, entries: Refusal['entries']): Gathered[] => {
    const found = new Map<string, { updates: Uint8Array[]; authors: Set<string>; author: string; at: string }>()
    for (const [inc, seq] of entries) {
      const { body, docs: brought } = read(tx, inc, seq)
      if (body === undefined) continue
      for (const { name, author, update } of brought) {
        if (targetOf(name) !== target) continue
        const at = new Date(Math.min(body.hlc.ms, clock.now())).toISOString()
        const known = found.get(name)
        const authors = new Set([...(known?.authors ?? []), author])
        found.set(name, { updates: [...(known?.updates ?? []), update], authors, author, at })
      }
    }
    const all = [...found].map(([name, { updates, ...by }]): Gathered => {
      const update = updates.length === 1 ? updates[0]! : Y.mergeUpdates(updates)
      return { ...by, name, update, device: writer, isFollowed: name.startsWith('t/') && found.has(target) }
    })
    // Texts come before their record: who takes it over has them by then. Whoever removes it for good empties them, which
    // asks for no right to edit them once it is gone.
    const isRemoved = all.length > 1 && all.some(({ name, update }) => name === target && removesForGood(update))
    const place = ({ name }: Gathered): number => Number((name === target) !== isRemoved)
    return all.toSorted((a, b) => place(a) - place(b))
  }

  /** Without what the writer may not read; the same value where that is nothing, undefined for a text. */
  const toldOf = (tx: Tx, writer: string, name: DocName, here: Exclude<Held, null>): Held | undefined => {
    if (typeof here === 'string') return parts.mayTell(tx, writer, name) ? here : undefined
    const entries = Object.entries(here)
    const open = entries.filter(([key]) => parts.mayTell(tx, writer, name, key))
    return open.length === entries.length ? here : Object.fromEntries(open)
  }

  /**
   * Merges all that lies aside of a target, as one change.
   * @returns undefined when it is merged; otherwise why not, and what stands here of the documents it would change
   * @throws Waits for what builds on something else that is not here
   */
  const attempt = (tx: Tx, writer: string, target: string, entries: Refusal['entries']): Refused | undefined => {
    const held: Record<string, Held> = {}
    let room = heldLimit
    let why: Forbidding | undefined
    let isHidden = false
    const tell = (name: string, change: DocChange): void => {
      const here = heldOf(change)
      const told = here === null ? null : toldOf(tx, writer, change.name, here)
      isHidden ||= told !== here
      room -= JSON.stringify(told ?? null).length
      if (told !== undefined && room >= 0) held[name] = told
    }
    const take = (incoming: Gathered): void => {
      const outcome = parts.merge(tx, incoming, (change) => {
        tell(incoming.name, change)
        if (changesNothing(change)) return
        // Nobody's change comes in by the rights of somebody else on the same machine.
        for (const author of incoming.authors) parts.judge(tx, { ...incoming, author }, change)
      })
      if (!outcome.merged) throw new Waits(outcome.missing)
    }
    try {
      tx.savepoint(() =>
        parts.group(tx, () => {
          for (const incoming of gathered(tx, writer, target, entries)) {
            try {
              take(incoming)
            } catch (error) {
              if (!(error instanceof Forbidden)) throw error
              // What stands here is told of all of them.
              why = error.refusal
            }
          }
          if (why !== undefined) throw new Forbidden(why)
        }),
      )
      return undefined
    } catch (error) {
      if (error instanceof Forbidden) {
        const { refusal } = error
        // Whoever may not see the record is told nothing of it but that.
        if (refusal.code === 'read') for (const [doc, here] of Object.entries(held)) if (here !== null) delete held[doc]
        return { why: refusal, held, isPart: room < 0 || isHidden || refusal.code === 'read' }
      }
      throw error
    }
  }

  /** Takes from where it lay what is merged by now: an envelope of several targets once all of them are. */
  const release = (tx: Tx, writer: string, target: string, { entries }: Pick<Refusal, 'entries'>): void => {
    for (const [inc, seq] of entries) {
      const others = targetsOf(read(tx, inc, seq).docs).filter((one) => one !== target)
      // They are tried in their order: those that are still refused stand at the end.
      if (others.toReversed().some((one) => openOf(tx, writer, one) !== null)) continue
      removeProblem(tx, inc, seq)
      noteProblemClosed(tx)
    }
    parts.recount(tx)
  }

  /**
   * Tries a target once more, whole or not at all.
   * @returns why it is refused; undefined when it is merged
   * @throws Waits, DocError for what builds on something that is not here, or cannot be merged at all
   */
  const tryTarget = (...given: Parameters<typeof tried>): Forbidding | undefined =>
    given[0].savepoint(() => tried(...given))

  const tried = (
    tx: Tx,
    writer: string,
    target: string,
    change: { readonly more?: readonly Place[]; readonly tried?: string },
  ): Forbidding | undefined => {
    const before = openOf(tx, writer, target)
    const known = before?.entries ?? []
    const isNew = ({ inc, seq }: Place): boolean => !known.some((one) => inc === one[0] && seq === one[1])
    const more = (change.more ?? []).filter(isNew).map(({ inc, seq }): [number, number] => [inc, seq])
    const entries = [...known, ...more]
    const refused = attempt(tx, writer, target, entries)
    if (refused === undefined) {
      if (before !== null) {
        say(tx, writer, target, null)
        release(tx, writer, target, { entries })
      }
      return undefined
    }
    const { why, held, isPart } = refused
    const { forbidden: message, code, closed = [] } = why
    const tried = change.tried ?? before?.tried
    const isNews = before === null || more.length > 0 || before.code !== code || before.tried !== tried
    if (isNews)
      say(tx, writer, target, {
        ...{ code, message: message.slice(0, 1000), closed: [...closed], at: clock.iso(), entries, held, isPart },
        ...(tried === undefined ? {} : { tried }),
      })
    return why
  }

  return {
    /**
     * Looks at envelopes of one call that could not be merged: with what lies aside of the same records already they may be.
     * @returns `merged`; why they are refused; undefined where they have to wait, and nothing of them is refused
     */
    meet(tx: Tx, device: string, met: readonly Read[], error: Forbidden | Waits): 'merged' | Forbidding | undefined {
      const targets = targetsOf(met.flatMap(({ body }) => (body === null ? [] : docsIn(body))))
      const more = met.map(({ envelope }) => envelope)
      const isBehind = (): boolean => targets.some((target) => openOf(tx, device, target) !== null)
      if (error instanceof Waits && !isBehind()) return undefined
      let refused: Forbidding | undefined
      let isWaiting = false
      for (const target of targets) {
        try {
          refused = tryTarget(tx, device, target, { more }) ?? refused
        } catch {
          // Damaged, or of a kind that has no place here: whoever lays it aside says so.
          isWaiting = true
        }
      }
      if (refused !== undefined) return refused
      // Also what no document tells of, such as a refusal in the name of another machine.
      if (targets.length > 0 && !isWaiting) return 'merged'
      return error instanceof Forbidden ? error.refusal : undefined
    },
    /**
     * Tries an envelope again with all that was refused along with it.
     * @returns whether all of it is merged; undefined where nothing of it was refused
     */
    retry(tx: Tx, device: string, body: EnvelopeBody): boolean | undefined {
      const open = targetsOf(docsIn(body)).filter((target) => openOf(tx, device, target) !== null)
      if (open.length === 0) return undefined
      try {
        return open.map((target) => tryTarget(tx, device, target, {})).every((refused) => refused === undefined)
      } catch {
        return false
      }
    },
    /**
     * Tries again what lies aside of a target.
     * @param asked the wish it meets; the writer is told that it was met
     */
    again(tx: Tx, writer: string, target: string, asked: string): void {
      if (openOf(tx, writer, target) === null) return
      try {
        tryTarget(tx, writer, target, { tried: asked })
      } catch {
        // It builds on something that is not here, or is damaged: it stays where it lies.
      }
    },
  }
}

/** Whether an update of a record marks it as removed for good. @throws DocError */
function removesForGood(update: Uint8Array): boolean {
  return inspectUpdate(update).structs.some(
    (struct) =>
      struct instanceof Y.Item &&
      struct.content instanceof Y.ContentAny &&
      markAt(registerOf(struct.content.arr as readonly unknown[]), PURGED_KEY) !== null,
  )
}

interface ReadEnvelope {
  readonly body: EnvelopeBody | undefined
  readonly docs: readonly GenesisDoc[]
}

function targetsOf(docs: readonly GenesisDoc[]): string[] {
  return [...new Set(docs.flatMap(({ name }) => targetOf(name) ?? []))]
}

/** What stands here of what a change touches. */
function heldOf({ name, isNew, changedKeys, stored }: DocChange): Held {
  if (isNew || stored === null) return null
  if (name.kind === 'text') return stored.text
  const { register } = stored
  return Object.fromEntries([...changedKeys].map((key): [string, Json] => [key, register.get(key)?.winner[1] ?? null]))
}
