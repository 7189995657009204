// Applies what is stored: incarnation by incarnation, group by group, a few milliseconds at a time. What cannot be applied
// lies aside and the rest goes on.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Reads, Tx, Write } from '#main/kernel/database.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { Logger } from '#main/kernel/logger.ts'
import { DocError } from '#main/replication/core/doc-error.ts'
import type { HlcClock } from '#main/replication/core/hlc.ts'
import type { EnvelopeBody, SealedEnvelope } from '#main/replication/core/types.ts'
import type { Devices } from '../engine/replica.ts'
import type { Quarantined } from '../engine/replica.ts'
import { putApplied, readEnvelope, readEnvelopes, readIncarnation } from '../store/log-store.ts'
import {
  countProblems,
  noteProblemClosed,
  noteProblemOpened,
  putProblem,
  readForbidden,
  readParked,
  readProblem,
  removeProblem,
} from '../store/problem-store.ts'
import type { Problem, ProblemReason } from '../store/problem-store.ts'
import { decodeBody, isOpaque } from '#main/replication/wire/envelope-codec.ts'
import { WireError } from '#main/replication/wire/wire-error.ts'
import type { LocalDocs } from '../write/doc-writer.ts'
import type { Incoming } from '../refusals/refusing.ts'
import { createRefusing, docsIn } from '../refusals/refusing.ts'
import type { ChangeRefusal, DocChange } from './change-judge.ts'
import { mergeRemote } from './merge-step.ts'
import type { MergeOutcome, MergeParts } from './merge-step.ts'
import { targetOf } from '../refusals/refusal-doc.ts'
import { Forbidden, refuseChange, Waits } from './refusals.ts'

/** What applying works with. */
export interface ApplierParts extends MergeParts {
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly hlc: HlcClock
  readonly log: Logger
  readonly devices: Devices
  /** Id of this machine. */
  readonly device: string
  /** Whose machine this is, as documents name people. */
  author(): string
  readonly docs: Pick<LocalDocs, 'read' | 'editNow'>
  /** Why a device may not change a document at all; undefined when it may. */
  refuse(doc: string, device: string): string | undefined
  /** Why a person on a device may not make this change of a document; undefined when they may. */
  judge(tx: Tx, author: string, device: string, change: DocChange): ChangeRefusal | undefined
  /** Runs merges that belong together: what follows from them follows once, at their end. */
  group<T>(tx: Tx, fn: () => T): T
  /** Work of the kinds after a slice was applied, outside of transactions. */
  settle(): Promise<void>
}

/** Applies what is stored; one per host. */
export interface Applier {
  /** To be called when something was stored; returns at once. */
  wake(): void
  /** Resolves when everything stored is applied or lies aside. */
  settled(): Promise<void>
  /** Tries an envelope again that lies aside. */
  retry(inc: number, seq: number): Promise<boolean>
  /** Tries again all that was refused: rights may be others now. */
  retryRefused(): Promise<void>
  /** Tries again what was refused of a document, because whoever wrote it asks for it. */
  retryTarget(writer: string, target: string, asked: string): Promise<void>
  stop(): Promise<void>
}

/** Work of one transaction; a group of one call is not cut below {@link wholeGroup}. */
const sliceMs = 20
const sliceEnvelopes = 1024
/** Single changes in one savepoint, which costs as much as a tenth of a change. */
const savedTogether = 8
/** Envelopes that are read at once: a busy machine applies few of them in its time. */
const readAtOnce = 32
const wholeGroup = 1_000
/** Parked envelopes that are tried again after each pass. */
const retryLimit = 1_000
/** Parked envelopes that are read at once. */
const retryRead = 64
/** A round of so many that takes longer, and finds nothing, is not begun again at once. */
const costlyRetry = { count: 256, ms: 100 } as const

/** Makes the applier; it begins with the first {@link Applier.wake}. */
export function createApplier(parts: ApplierParts): Applier {
  const { read, write, clock, hlc, log, devices, state } = parts
  let running: Promise<void> | undefined
  let again = false
  let stopped = false
  /** When parked envelopes may be tried again, by a clock nobody sets; and that they were put off and now may. */
  let retryAt = 0
  let retryTimer: NodeJS.Timeout | undefined
  /** At first as well: the machine may have stopped between what they waited for and themselves. */
  let mustRetry = true
  /** Something was merged that takes effect only once its kind has settled. */
  let isUnsettled = false
  /** Whether what lies aside was counted since it last changed. */
  let isCounted = false
  const mergeParts: MergeParts = {
    ...parts,
    handler(kind) {
      const handler = parts.handler(kind)
      if (handler?.settle !== undefined) isUnsettled = true
      return handler
    },
  }

  /** Once for all that a job lays aside or takes in: counting goes through all there are. */
  const recount = (tx: Tx): void => {
    isCounted = false
    tx.afterCommit(() => {
      if (isCounted) return
      isCounted = true
      state.setProblems(countProblems(read))
    })
  }

  const layAside = (
    tx: Tx,
    place: SealedEnvelope,
    doc: string,
    kind: Problem['kind'],
    reason: ProblemReason,
    detail: string,
  ): void => {
    const before = readProblem(tx, place.inc, place.seq)
    // What is tried again and still cannot be applied is no news.
    if (before === undefined) noteProblemOpened(tx)
    if (kind === 'quarantine' && before?.kind !== 'quarantine' && isFault(reason)) {
      const device = readIncarnation(tx, place.inc)?.device ?? ''
      tx.afterCommit(() => state.tellQuarantined({ device, inc: place.inc, seq: place.seq, reason }))
    }
    putProblem(tx, { inc: place.inc, seq: place.seq, kind, reason, detail, doc, since: clock.iso() })
    recount(tx)
  }

  const mergeDoc = (tx: Tx, incoming: Incoming, judge: (change: DocChange) => void): MergeOutcome => {
    const { name: doc, author, update, at, isFollowed } = incoming
    const actor = { type: 'user' as const, id: author, name: devices.nameOf(author) ?? author }
    return mergeRemote(tx, mergeParts, { doc, update, actor, at, judge, isFollowed })
  }

  /** @throws Forbidden, Waits */
  const judge = (tx: Tx, { name, author, device }: Incoming, change: DocChange): void => {
    requireOpen(name, device)
    refuseChange(parts.judge(tx, author, device, change))
  }

  /** @throws Forbidden */
  const requireOpen = (doc: string, device: string): void => {
    const forbidden = parts.refuse(doc, device)
    if (forbidden !== undefined) throw new Forbidden({ forbidden, code: 'admin' })
  }

  /** Merges everything an envelope brings; answers whom it waits for. @throws Forbidden */
  const merge = (tx: Tx, body: EnvelopeBody, device: string): ReadonlySet<number> => {
    const at = new Date(Math.min(body.hlc.ms, clock.now())).toISOString()
    const docs = docsIn(body)
    const names = new Set(docs.map(({ name }) => name))
    for (const doc of docs) {
      // Also what is there already is looked at: who may not write it may not say it again.
      requireOpen(doc.name, device)
      // Texts come before their record: t/<object>/<record>/<field>.
      const isFollowed = doc.name.startsWith('t/') && names.has(targetOf(doc.name) ?? '')
      const incoming: Incoming = { ...doc, device, at, isFollowed }
      const outcome = mergeDoc(tx, incoming, (change) => judge(tx, incoming, change))
      if (!outcome.merged) return outcome.missing
    }
    return none
  }

  const refusing = createRefusing({
    device: parts.device,
    clock,
    author: parts.author,
    docs: parts.docs,
    merge: mergeDoc,
    judge,
    group: parts.group,
    recount,
  })

  /** @throws Waits, Forbidden, DocError */
  const mergeWhole = (tx: Tx, body: EnvelopeBody, device: string): void => {
    const waits = merge(tx, body, device)
    if (waits.size > 0) throw new Waits(waits)
  }

  /**
   * Applies calls, each as a whole and all of them in one savepoint; where one of them has to lie aside, call by call, and
   * that one envelope by envelope.
   */
  const applyCalls = (tx: Tx, device: string, calls: readonly (readonly Read[])[]): void => {
    try {
      tx.savepoint(() => {
        for (const call of calls)
          parts.group(tx, () => {
            for (const { body } of call) {
              if (body === null) throw new Waits(none)
              hlc.observe(body.hlc)
              mergeWhole(tx, body, device)
            }
          })
      })
    } catch {
      if (calls.length > 1) for (const call of calls) applyCalls(tx, device, [call])
      else for (const part of byTarget(calls[0]!)) applyPart(tx, device, part)
    }
  }

  /**
   * Applies what a call does to one record with its texts, or envelope by envelope: a record that may not be removed keeps
   * its texts too.
   * @returns what was merged
   */
  const applyPart = (tx: Tx, device: string, part: readonly Read[]): readonly Read[] => {
    const readable = part.flatMap(({ envelope, body }) => (body === null ? [] : [{ envelope, body }]))
    try {
      if (part.length > 1 && readable.length === part.length) {
        tx.savepoint(() =>
          parts.group(tx, () => {
            for (const { body } of readable) mergeWhole(tx, body, device)
          }),
        )
        return part
      }
    } catch (error) {
      const met = error instanceof Forbidden ? refuseOrMerge(tx, device, readable, error) : undefined
      if (met !== undefined) return met === 'merged' ? part : []
    }
    return part.filter(({ envelope }) => applyOne(tx, device, envelope))
  }

  /** What becomes of envelopes that could not be merged; undefined: they wait, and nothing of them is refused. */
  const refuseOrMerge = (
    tx: Tx,
    device: string,
    met: readonly { readonly envelope: SealedEnvelope; readonly body: EnvelopeBody }[],
    error: Forbidden | Waits,
  ): 'merged' | 'refused' | undefined => {
    const found = refusing.meet(
      tx,
      device,
      met.map(({ envelope: { inc, seq }, body }) => ({ inc, seq, body })),
      error,
    )
    if (found === undefined || found === 'merged') return found
    for (const { envelope, body } of met) layAside(tx, envelope, body.doc, 'quarantine', 'forbidden', found.forbidden)
    return 'refused'
  }

  /** Applies one envelope or lays it aside; answers whether it was applied. */
  const applyOne = (tx: Tx, device: string, envelope: SealedEnvelope): boolean => {
    let body: EnvelopeBody
    try {
      if (envelope.seal !== 0) {
        layAside(tx, envelope, '', 'parked', 'unknown_kind', 'The envelope is sealed.')
        return false
      }
      const decoded = decodeBody(envelope.body)
      if (isOpaque(decoded)) {
        layAside(tx, envelope, decoded.doc, 'parked', 'unknown_kind', `Kind ${decoded.number} of a newer version.`)
        return false
      }
      body = decoded
    } catch (error) {
      layAside(tx, envelope, '', 'quarantine', 'invalid', messageOf(error))
      return false
    }
    hlc.observe(body.hlc)
    try {
      // An envelope is merged whole or not at all.
      tx.savepoint(() => parts.group(tx, () => mergeWhole(tx, body, device)))
      return true
    } catch (error) {
      const met =
        error instanceof Forbidden || error instanceof Waits
          ? refuseOrMerge(tx, device, [{ envelope, body }], error)
          : undefined
      if (met === 'merged') return true
      if (met === 'refused') return false
      if (error instanceof Waits) {
        layAside(tx, envelope, body.doc, 'parked', error.reason, [...error.missing].join(','))
      } else {
        if (!(error instanceof DocError || error instanceof WireError))
          log.error({ err: error, inc: envelope.inc, seq: envelope.seq }, 'A change of a peer could not be applied.')
        layAside(tx, envelope, body.doc, 'quarantine', reasonOf(error), messageOf(error))
      }
      return false
    }
  }

  /** Where the group that begins at an envelope ends; its own number for what cannot be read. */
  const groupEnd = ({ envelope, body }: Read): number => {
    if (body === null) return envelope.seq
    const { first, count } = body.group
    return count <= wholeGroup && first <= envelope.seq ? Math.max(first + count - 1, envelope.seq) : envelope.seq
  }

  /** Applies the next envelopes of an incarnation; answers whether there was anything to do. */
  const slice = (tx: Tx, inc: number): boolean => {
    const row = readIncarnation(tx, inc)
    if (row === undefined || row.appliedSeq >= row.storedSeq) return false
    const until = performance.now() + sliceMs
    let seq = row.appliedSeq
    let end = 0
    const call: Read[] = []
    const calls: Read[][] = []
    const apply = (): void => {
      if (calls.length > 0) applyCalls(tx, row.device, calls.splice(0))
    }
    let batch = readEnvelopes(tx, inc, seq + 1, readAtOnce)
    for (let index = 0; ; index += 1) {
      if (index === batch.length) {
        apply()
        const isFull = seq - row.appliedSeq >= sliceEnvelopes || performance.now() > until
        if (seq >= end && isFull) break
        batch = readEnvelopes(tx, inc, seq + 1, readAtOnce)
        index = 0
        if (batch.length === 0) break
      }
      const read = readBody(batch[index]!)
      if (seq >= end) {
        // A busy machine may use up the time before the first one; each slice does something.
        if (seq > row.appliedSeq && performance.now() > until) break
        end = groupEnd(read)
        // The rest of the call has not arrived yet.
        if (end > row.storedSeq) break
      }
      call.push(read)
      seq = read.envelope.seq
      if (seq < end) continue
      const isLarge = call.length > 1 || read.body?.kind === 'genesis'
      calls.push(call.splice(0))
      if (isLarge || calls.length >= savedTogether) apply()
    }
    if (call.length > 0) calls.push(call)
    apply()
    if (seq === row.appliedSeq) return false
    putApplied(tx, inc, seq)
    tx.afterCommit(() => state.committed(inc, Math.max(state.stored(inc), row.storedSeq), seq))
    return true
  }

  /** The parked envelopes after a place, as many as one slice lets try; where it ended. */
  const retrySlice = (tx: Tx, problems: readonly Problem[]): { readonly tried: number; readonly applied: number } => {
    const until = performance.now() + sliceMs
    let tried = 0
    let applied = 0
    for (const problem of problems) {
      tried += 1
      if (problem.reason !== 'unknown_kind' && retryOne(tx, problem)) applied += 1
      if (performance.now() > until) break
    }
    return { tried, applied }
  }

  /** Tries what lies aside once more, since something new is there now; answers whether anything came in. */
  const retryParked = async (): Promise<boolean> => {
    if (state.problems().parked === 0 || performance.now() < retryAt) return false
    const began = performance.now()
    let applied = 0
    let tried = 0
    let after = { inc: -1, seq: 0 }
    while (tried < retryLimit && !stopped) {
      const parked = readParked(read, after, retryRead)
      if (parked.length === 0) break
      const done = await write('sync.retry', (tx) => retrySlice(tx, parked), repeatable)
      tried += done.tried
      applied += done.applied
      after = parked[done.tried - 1]!
      await nextTurn()
    }
    const tookMs = performance.now() - began
    // Whoever leaves very much here that nothing fits must not keep the machine at it: a tenth of its time is for that.
    if (applied === 0 && tried >= costlyRetry.count && tookMs > costlyRetry.ms) putOff(tookMs * 9)
    return applied > 0
  }

  const putOff = (ms: number): void => {
    retryAt = performance.now() + ms
    clearTimeout(retryTimer)
    retryTimer = setTimeout(() => {
      mustRetry = true
      wake()
    }, ms + 1).unref()
  }

  /** What a call did to one record, as far as it is parked. */
  const waitingWith = (tx: Tx, one: Read): readonly Read[] => {
    const { envelope, body } = one
    const target = body === null || body.kind === 'genesis' ? null : targetOf(body.doc)
    if (body === null || target === null || body.group.count > wholeGroup) return [one]
    const { first, count } = body.group
    return Array.from({ length: count }, (_, index) => first + index).flatMap((seq) => {
      if (seq === envelope.seq) return [one]
      const other =
        readProblem(tx, envelope.inc, seq)?.kind === 'parked' ? readEnvelope(tx, envelope.inc, seq) : undefined
      const read = other === undefined ? undefined : readBody(other)
      return read?.body != null && targetOf(read.body.doc) === target ? [read] : []
    })
  }

  const retryOne = (tx: Tx, { inc, seq }: { inc: number; seq: number }): boolean => {
    const envelope = readEnvelope(tx, inc, seq)
    const device = readIncarnation(tx, inc)?.device
    const problem = readProblem(tx, inc, seq)
    // With what it was refused with it may have come in meanwhile.
    if (envelope === undefined || device === undefined || problem === undefined) return false
    const one = readBody(envelope)
    const isTaken =
      problem.reason === 'forbidden' && one.body !== null ? refusing.retry(tx, device, one.body) : undefined
    // What has waited is in no refusal yet: it joins that of its record, or is merged with what waits with it.
    const waiting = problem.kind === 'parked' ? waitingWith(tx, one) : [one]
    const taken = isTaken === undefined ? applyPart(tx, device, waiting) : isTaken ? [one] : []
    for (const { envelope: done } of taken) {
      removeProblem(tx, done.inc, done.seq)
      noteProblemClosed(tx)
    }
    if (taken.length > 0) recount(tx)
    return taken.length > 0
  }

  const settle = async (): Promise<void> => {
    isUnsettled = false
    await parts.settle()
  }

  const pass = async (): Promise<void> => {
    let worked = true
    while (worked && !stopped) {
      worked = false
      for (const inc of state.incarnations()) {
        while (!stopped && state.applied(inc) < state.stored(inc)) {
          const any = await write('sync.apply', (tx) => slice(tx, inc), repeatable)
          if (!any) break
          worked = true
          // What follows may need it: records whose object is not here yet would all be projected a second time.
          if (isUnsettled) await settle()
          await nextTurn()
        }
      }
      if (worked || mustRetry) {
        mustRetry = false
        await settle()
        while (!stopped && (await retryParked())) {
          if (isUnsettled) await settle()
          await nextTurn()
        }
      }
      state.tellApplied()
    }
  }

  const run = async (): Promise<void> => {
    do {
      again = false
      await pass()
    } while (again && !stopped)
  }

  const wake = (): void => {
    if (stopped) return
    if (running !== undefined) {
      again = true
      return
    }
    running = run()
      .catch((error: unknown) => log.error({ err: error }, 'Changes of peers could not be applied.'))
      .finally(() => {
        running = undefined
        if (again) wake()
      })
  }

  return {
    wake,
    async settled() {
      while (running !== undefined) await running
    },
    async retry(inc, seq) {
      const done = await write('sync.retry', (tx) => retryOne(tx, { inc, seq }))
      if (done) wake()
      state.tellApplied()
      return done
    },
    async retryRefused() {
      let after = { inc: -1, seq: 0 }
      let isAny = false
      while (!stopped) {
        const aside = readForbidden(read, after, retryRead)
        const last = aside.at(-1)
        if (last === undefined) break
        const { tried, applied } = await write('sync.retry', (tx) => retrySlice(tx, aside), repeatable)
        isAny ||= applied > 0
        after = aside[tried - 1]!
        await nextTurn()
      }
      if (isAny) wake()
      state.tellApplied()
    },
    async retryTarget(writer, target, asked) {
      if (stopped) return
      await write('sync.retry', (tx) => refusing.again(tx, writer, target, asked))
      wake()
      state.tellApplied()
    },
    async stop() {
      stopped = true
      clearTimeout(retryTimer)
      await running
    },
  }
}

const none: ReadonlySet<number> = new Set()

/** An envelope and what is in it; null for one that is sealed, of a newer version or damaged. */
interface Read {
  readonly envelope: SealedEnvelope
  readonly body: EnvelopeBody | null
}

/** The envelopes of a call in groups that are about one record each, with its texts. */
function byTarget(call: readonly Read[]): readonly (readonly Read[])[] {
  const groups = new Map<string, Read[]>()
  for (const read of call) {
    const { body, envelope } = read
    const target = body === null || body.kind === 'genesis' ? null : targetOf(body.doc)
    const key = target ?? `${envelope.seq}`
    groups.set(key, [...(groups.get(key) ?? []), read])
  }
  return [...groups.values()]
}

function readBody(envelope: SealedEnvelope): Read {
  try {
    const body = envelope.seal === 0 ? decodeBody(envelope.body) : null
    return { envelope, body: body === null || isOpaque(body) ? null : body }
  } catch {
    return { envelope, body: null }
  }
}

/** What is stored is applied anew at the next start, from where the file says that it ended. */
const repeatable = { repeatable: true } as const

/**
 * Whether the machine that wrote an envelope is to blame. For what its person may not write it is not: it cannot know the
 * rights they have here, and is told of it (D-241).
 */
function isFault(reason: ProblemReason): reason is Quarantined['reason'] {
  return reason === 'invalid' || reason === 'too_big'
}

function reasonOf(error: unknown): ProblemReason {
  if (error instanceof DocError) return error.reason
  return error instanceof WireError ? 'invalid' : 'crashed'
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
