// Applies what is stored: incarnation by incarnation, group by group, a few milliseconds at a time. What cannot be applied
// lies aside and the rest goes on.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Reads, Steps, Tx, Write, WriteStepwise } from '#main/kernel/database.ts'
import { runSteps } from '#main/kernel/database.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { Logger } from '#main/kernel/logger.ts'
import { DocError } from '#main/replication/core/doc-error.ts'
import type { DocName } from '#main/replication/core/doc-names.ts'
import { parseDocName } from '#main/replication/core/doc-names.ts'
import type { HlcClock } from '#main/replication/core/hlc.ts'
import { createRepeated } from '../engine/repeated.ts'
import type { Devices, Quarantined } from '../engine/replica.ts'
import { putApplied, readEnvelope, readEnvelopes, readIncarnation } from '../store/log-store.ts'
import { countProblems, noteProblemOpened, putProblem, readProblem } from '../store/problem-store.ts'
import type { ProblemReason } from '../store/problem-store.ts'
import { WireError } from '#main/replication/wire/wire-error.ts'
import type { LocalDocs } from '../write/doc-writer.ts'
import { seenRemoval } from '../write/purge-capture.ts'
import type { Incoming } from '../refusals/refusing.ts'
import { createRefusing } from '../refusals/refusing.ts'
import type { Fault, Read } from './calls.ts'
import { byTarget, docsIn, groupEnd, readBody } from './calls.ts'
import type { ChangeRefusal, DocChange } from './change-judge.ts'
import { isEnded } from './ended-logs.ts'
import { mergeRemote } from './merge-step.ts'
import type { MergeOutcome, MergeParts } from './merge-step.ts'
import { targetOf } from '../refusals/refusal-doc.ts'
import { Forbidden, refuseChange, Waits } from './refusals.ts'
import { createRetrying, repeatable, sliceMs } from './retrying.ts'

/** What applying works with. */
export interface ApplierParts extends MergeParts {
  readonly read: Reads
  readonly write: Write
  readonly writeStepwise: WriteStepwise
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
  /** Whether the person of a device may be told what stands here under a key of a document, or of a text. */
  mayTell(tx: Tx, device: string, name: DocName, key?: string): boolean
  /** Runs merges that belong together: what follows from them follows once, at their end. */
  group<T>(tx: Tx, fn: () => T): T
  /** The same around steps. */
  groupSteps<T>(tx: Tx, fn: () => Steps<T>): Steps<T>
  /** Work of the kinds after a slice was applied, outside of transactions. */
  settle(): Promise<void>
}

/** Applies what is stored; one per host. */
export interface Applier {
  /** To be called when something was stored; returns at once. */
  wake(): void
  /** The same where something that others wait for may have its place now. */
  lookAgain(): void
  /** Whether it applies something, sees to what follows from that, or tries again what lies aside, now or soon. */
  isRunning(): boolean
  /** Resolves when everything stored is applied or lies aside, and what was refused was looked at where that is due. */
  settled(): Promise<void>
  /** Tries an envelope again that lies aside. */
  retry(inc: number, seq: number): Promise<boolean>
  /** Tries again, in the background, all that was refused: rights, or what they are asked for, may be others now. */
  retryRefused(): void
  /**
   * Tries again, in the background, what failed by a fault of this machine: by its disk or by its program.
   * @param reason that alone
   */
  retryFailed(reason?: ProblemReason): void
  /** Tries again what was refused of a document, because whoever wrote it asks for it. */
  retryTarget(writer: string, target: string, asked: string): Promise<void>
  stop(): Promise<void>
}

/** Envelopes of one transaction. */
const sliceEnvelopes = 1024
/** A call of so many envelopes is applied in steps, between which reads are answered. */
const steppedCall = 32
/** Single changes in one savepoint, which costs as much as a tenth of a change. */
const savedTogether = 8
/** How long a failed write is left alone. */
const writeAgainMs = 5_000
/** Envelopes that are read at once: a busy machine applies few of them in its time. */
const readAtOnce = 32

/** Makes the applier; it begins with the first {@link Applier.wake}. */
export function createApplier(parts: ApplierParts): Applier {
  const { read, write, writeStepwise, clock, hlc, log, devices, state } = parts
  let stopped = false
  /** What lies aside has to be looked at; at first as well: the machine may have stopped before that. */
  let mustRetry = true
  /** Whether all of it was, since the start. */
  let isLookedAt = false
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

  const layAside = (tx: Tx, { envelope: { inc, seq }, body }: Read, fault: Fault): void => {
    const before = readProblem(tx, inc, seq)
    // What is tried again and still cannot be applied is no news.
    if (before === undefined) noteProblemOpened(tx)
    const { kind, reason, detail } = fault
    if (kind === 'quarantine' && before?.kind !== 'quarantine' && isFault(reason)) {
      const device = readIncarnation(tx, inc)?.device ?? ''
      tx.afterCommit(() => state.tellQuarantined({ device, inc, seq, reason }))
    }
    putProblem(tx, { inc, seq, kind, reason, detail, doc: body?.doc ?? fault.doc ?? '', since: clock.iso() })
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

  /** Merges envelopes as one change. @throws Waits, Forbidden, DocError */
  const mergeWhole = function* (tx: Tx, device: string, part: readonly Read[]): Steps<void> {
    const brought = part.map(({ body }) => {
      if (body === null) throw new Waits(none)
      return { body, docs: docsIn(body) }
    })
    const names = new Set(brought.flatMap(({ docs }) => docs.map(({ name }) => name)))
    yield* parts.groupSteps(tx, function* () {
      for (const { body, docs } of brought) {
        hlc.observe(body.hlc)
        const at = new Date(Math.min(body.hlc.ms, clock.now())).toISOString()
        for (const doc of docs) {
          // Also what is there already is looked at: who may not write it may not say it again.
          requireOpen(doc.name, device)
          // Texts come before their record: t/<object>/<record>/<field>.
          const isFollowed = doc.name.startsWith('t/') && names.has(targetOf(doc.name) ?? '')
          const incoming: Incoming = { ...doc, device, at, isFollowed }
          const outcome = mergeDoc(tx, incoming, (change) => judge(tx, incoming, change))
          if (!outcome.merged) throw new Waits(outcome.missing)
          yield
        }
      }
    })
  }

  /** Of a record that is removed for good, what can be removed already; see {@link seenRemoval}. */
  const removeSeen = (tx: Tx, device: string, part: readonly Read[]): void => {
    for (const { body } of part) {
      const name = body === null ? null : parseDocName(body.doc)
      if (body === null || (name?.kind !== 'feed' && name?.kind !== 'workflow')) continue
      const update = seenRemoval(tx, name, hlc)
      if (update === null) continue
      const incoming: Incoming = {
        name: body.doc,
        author: body.author,
        update,
        device,
        at: clock.iso(),
        isFollowed: false,
      }
      try {
        tx.savepoint(() => mergeDoc(tx, incoming, (change) => judge(tx, incoming, change)))
      } catch (error) {
        if (!(error instanceof Forbidden || error instanceof Waits || error instanceof DocError)) throw error
      }
    }
  }

  const refusing = createRefusing({
    device: parts.device,
    clock,
    author: parts.author,
    docs: parts.docs,
    mayTell: parts.mayTell,
    merge: mergeDoc,
    judge,
    group: parts.group,
    recount,
  })

  /** Applies calls, each as a whole and all of them in one savepoint; where one has to lie aside, call by call and record by record. */
  const applyCalls = function* (tx: Tx, device: string, calls: readonly (readonly Read[])[]): Steps<void> {
    const isOne = calls.length === 1
    const parts = isOne ? byTarget(calls[0]!) : calls
    // What is about one record lies aside where it is merged.
    if (isOne && parts.length === 1) return void (yield* applyPart(tx, device, parts[0]!))
    try {
      yield* tx.savepointSteps(function* () {
        for (const call of calls) yield* mergeWhole(tx, device, call)
      })
    } catch {
      for (const part of parts)
        if (isOne) yield* applyPart(tx, device, part)
        else yield* applyCalls(tx, device, [part])
    }
  }

  /**
   * Applies what a call does to one record with its texts, or lays it aside: it waits and is refused as one change. Of what is
   * damaged the rest is taken.
   * @returns what was merged
   */
  const applyPart = function* (tx: Tx, device: string, part: readonly Read[]): Steps<readonly Read[]> {
    const layAll = (fault: Fault): readonly Read[] => {
      for (const one of part) layAside(tx, one, fault)
      return []
    }
    const { fault } = part[0]!
    if (fault !== undefined) return layAll(fault)
    try {
      yield* tx.savepointSteps(() => mergeWhole(tx, device, part))
      return part
    } catch (error) {
      if (error instanceof Forbidden || error instanceof Waits) {
        const met = refusing.meet(tx, device, part, error)
        if (met === 'merged') return part
        if (met !== undefined) return layAll({ kind: 'quarantine', reason: 'forbidden', detail: met.forbidden })
      }
      if (error instanceof Waits) removeSeen(tx, device, part)
      if (error instanceof Waits)
        return layAll({ kind: 'parked', reason: error.reason, detail: [...error.missing].join(',') })
      if (part.length > 1) {
        const merged: Read[] = []
        for (const one of part) merged.push(...(yield* applyPart(tx, device, [one])))
        return merged
      }
      const { inc, seq } = part[0]!.envelope
      if (error instanceof DocError && error.reason === 'damaged_state') {
        const doc = error.doc ?? part[0]!.body?.doc
        if (doc !== undefined) tx.afterCommit(() => state.tellDamaged(doc))
      }
      if (!(error instanceof DocError || error instanceof WireError))
        log.error({ err: error, inc, seq }, 'A change of a peer could not be applied.')
      return layAll({ kind: 'quarantine', reason: reasonOf(error), detail: messageOf(error) })
    }
  }

  /** Applies the next envelopes of an incarnation; answers whether there was anything to do. */
  const slice = function* (tx: Tx, inc: number): Steps<boolean> {
    const row = readIncarnation(tx, inc)
    if (row === undefined || row.appliedSeq >= row.storedSeq) return false
    const until = performance.now() + sliceMs
    let seq = row.appliedSeq
    let end = 0
    const call: Read[] = []
    const calls: Read[][] = []
    const apply = function* (): Steps<void> {
      if (calls.length > 0) yield* applyCalls(tx, row.device, calls.splice(0))
    }
    let batch = readEnvelopes(tx, inc, seq + 1, readAtOnce)
    for (let index = 0; ; index += 1) {
      if (index === batch.length) {
        yield* apply()
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
        // The rest of the call has not arrived yet, or never will.
        if (end > row.storedSeq && !isEnded(tx, devices, row, read)) break
        end = Math.min(end, row.storedSeq)
      }
      call.push(read)
      seq = read.envelope.seq
      if (seq < end) continue
      const isLarge = call.length > 1 || read.body?.kind === 'genesis'
      calls.push(call.splice(0))
      if (isLarge || calls.length >= savedTogether) yield* apply()
    }
    if (call.length > 0) calls.push(call)
    yield* apply()
    if (seq === row.appliedSeq) return false
    putApplied(tx, inc, seq)
    tx.afterCommit(() => state.committed(inc, Math.max(state.stored(inc), row.storedSeq), seq))
    return true
  }

  /** Whether what comes next is applied as a whole and takes long; alone in its transaction for that. */
  const isLong = (inc: number): boolean => {
    const next = readEnvelope(read, inc, state.applied(inc) + 1)
    const found = next === undefined ? undefined : readBody(next)
    return (
      found !== undefined && (found.body?.kind === 'genesis' || groupEnd(found) - found.envelope.seq >= steppedCall)
    )
  }

  const applyNext = (inc: number): Promise<boolean> =>
    isLong(inc)
      ? writeStepwise('sync.apply', (tx) => slice(tx, inc), repeatable)
      : write('sync.apply', (tx) => runSteps(slice(tx, inc)), repeatable)

  const retrying = createRetrying({
    ...{ read, write, state, refusing, recount },
    applyPart: (tx, device, part) => runSteps(applyPart(tx, device, part)),
    again() {
      mustRetry = true
      wake()
    },
  })

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
          const any = await applyNext(inc)
          if (!any) break
          worked = true
          // What follows may need it: records whose object is not here yet would all be projected a second time.
          if (isUnsettled) await settle()
          await nextTurn()
        }
      }
      if (worked || mustRetry) {
        let isNews = worked || !isLookedAt
        mustRetry = false
        isLookedAt = true
        await settle()
        while (!stopped && (await retrying.parked(isNews))) {
          isNews = true
          if (isUnsettled) await settle()
          await nextTurn()
        }
      }
      state.tellApplied()
    }
  }

  /** Until what could not be written is tried again: a full disk has room again one day, and nobody says so here. */
  let again: NodeJS.Timeout | undefined
  const applying = createRepeated(pass, (error) => {
    log.error({ err: error }, 'Changes of peers could not be applied.')
    mustRetry = true
    isLookedAt = false
    clearTimeout(again)
    if (!stopped) again = setTimeout(wake, writeAgainMs).unref()
  })
  const wake = applying.start
  const refused = createRepeated(
    async () => {
      if (await retrying.refused()) wake()
      state.tellApplied()
    },
    (error) => log.error({ err: error }, 'What was refused could not be tried again.'),
  )

  /** What of it is asked for; all of it where several ask for different things. */
  let failedAs: ProblemReason | undefined
  let isFailedAsked = false
  const failed = createRepeated(
    async () => {
      isFailedAsked = false
      const { tried, applied } = await retrying.failed(failedAs)
      if (applied > 0) wake()
      if (tried > 0) state.tellApplied()
    },
    (error) => log.error({ err: error }, 'What failed could not be tried again.'),
  )

  return {
    wake,
    lookAgain() {
      mustRetry = true
      isLookedAt = false
      wake()
    },
    isRunning: () => applying.isRunning() || refused.isRunning() || failed.isRunning() || retrying.isDue(),
    async settled() {
      while (applying.isRunning() || refused.isRunning() || failed.isRunning()) {
        await failed.settled()
        await refused.settled()
        await applying.settled()
      }
    },
    async retry(inc, seq) {
      const done = await write('sync.retry', (tx) => retrying.one(tx, { inc, seq }))
      if (done) wake()
      state.tellApplied()
      return done
    },
    retryFailed(reason) {
      failedAs = isFailedAsked && failedAs !== reason ? undefined : reason
      isFailedAsked = true
      failed.start()
    },
    retryRefused() {
      refused.start()
      // Of a machine that was unpaired nothing more may be waited for.
      wake()
    },
    async retryTarget(writer, target, asked) {
      if (stopped) return
      await write('sync.retry', (tx) => refusing.again(tx, writer, target, asked))
      wake()
      state.tellApplied()
    },
    async stop() {
      stopped = true
      clearTimeout(again)
      retrying.stop()
      await failed.stop()
      await refused.stop()
      await applying.stop()
    },
  }
}

const none: ReadonlySet<number> = new Set()

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
