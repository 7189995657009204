// Takes a run of envelopes into the file, inside a transaction: what is new and next is stored, what is there already is
// not stored twice, and what cannot be stored is refused by name. Knows no peer, and reads no body: hashing the bytes of
// one is all it does with it.
import type { KeyObject } from 'node:crypto'
import type { Connection } from '#main/database/open.ts'
import type { Head, SealedEnvelope } from '#main/replication/core/types.ts'
import type { ChainPoint } from '#main/replication/wire/chain.ts'
import { chainStart, nextPoint, verifyHead } from '#main/replication/wire/chain.ts'
import { publicKeyOf } from '#main/replication/wire/device-key.ts'
import { decodeEnvelope, encodeEnvelope } from '#main/replication/wire/envelope-codec.ts'
import { runLimitBytes, runLimitCount } from '#main/replication/wire/limits.ts'
import type { Position, SequenceRange } from '#main/replication/wire/vector-codec.ts'
import type { IncarnationState, WorkspaceState } from './incarnation-state.ts'
import { nothingStored } from './incarnation-state.ts'
import { countingRuns, writingRuns } from './row-store.ts'

/** Why an envelope was not stored. */
export type RefusalCode =
  /**
   * Another envelope has its place, or a head does not vouch for what is stored or is not signed by whose log it is: two
   * devices write as one incarnation, or one has forgotten what it sent.
   */
  | 'fork'
  /** The workspace has no room left. */
  | 'quota_exceeded'
  /** More was sent without a head than a run may have. */
  | 'head_missing'
  /** It is of another epoch of the workspace. */
  | 'epoch_mismatch'

/** An envelope that was not stored. */
export interface Refusal {
  readonly code: RefusalCode
  readonly item: Position
}

/** A workspace that the relay keeps. */
export interface RelayWorkspace {
  /** Its number in the file. */
  readonly id: number
  readonly ws: Uint8Array
  readonly epoch: number
}

/** Envelopes and at most one head, as one frame brings them. */
export interface Arrival {
  readonly workspace: RelayWorkspace
  readonly envelopes: readonly SealedEnvelope[]
  readonly head?: Head
}

/** What became of an arrival. */
export interface ArrivalOutcome {
  readonly refused: readonly Refusal[]
  /** What has to come first, and again what came too early. */
  readonly wants: readonly SequenceRange[]
  /** By incarnation that the arrival named, what a head vouches for now. */
  readonly durable: ReadonlyMap<number, number>
}

/** A workspace while a transaction changes it. */
export interface OpenState {
  readonly incarnations: Map<number, IncarnationState>
  bytes: number
}

/** A copy to change. */
export function openState(state: WorkspaceState): OpenState {
  return { incarnations: new Map(state.incarnations), bytes: state.bytes }
}

/** Takes arrivals; the caller has the transaction open. */
export type AppendRun = (arrival: Arrival, state: OpenState) => ArrivalOutcome

/** Prepares the statements. */
export function createAppendRun(connection: Connection, quotaBytes: number): AppendRun {
  const insertEnv = connection.prepare(writingRuns.insertEnv)
  const storedEnv = connection.prepare<[number, number, number], Buffer>(writingRuns.storedEnv).pluck()
  const insertHead = connection.prepare(writingRuns.insertHead)
  const storedHead = connection.prepare<[number, number, number], Omit<Head, 'inc'>>(writingRuns.storedHead)
  const knownKeys = connection.prepare<[number], Buffer>(writingRuns.knownKeys).pluck()
  const countAfter = connection.prepare<[number, number, number], { count: number; bytes: number }>(countingRuns.open)
  const dropAfter = connection.prepare(writingRuns.dropAfter)
  const storedAfter = connection.prepare<[number, number, number], Buffer>(writingRuns.storedAfter).pluck()
  const saveCounter = connection.prepare(writingRuns.saveCounter)
  const saveBytes = connection.prepare(writingRuns.saveBytes)

  /** The chain at `seq`, made from the last head on, and the bytes stored after it. */
  const chainAt = ({ id, ws }: RelayWorkspace, inc: number, headed: number, seq: number) => {
    let point: ChainPoint = headed === 0 ? chainStart() : { seq: headed, hash: storedHead.get(id, inc, headed)!.hash }
    let bytesAfter = 0
    for (const bytes of storedAfter.all(id, inc, headed)) {
      if (point.seq < seq) point = nextPoint(point, ws, decodeEnvelope(bytes))
      else bytesAfter += bytes.length
    }
    return { hash: point.hash, bytesAfter }
  }

  /** Which of the devices that were ever let in has signed a head; null where none did. */
  const signerOf = ({ id, ws }: RelayWorkspace, head: Head): KeyObject | null => {
    for (const raw of knownKeys.all(id)) {
      const key = keyOf(raw)
      if (key !== null && verifyHead(key, ws, head)) return key
    }
    return null
  }

  return ({ workspace, envelopes, head }, state) => {
    const { id, ws, epoch } = workspace
    const refused: Refusal[] = []
    const wants = new Map<number, SequenceRange>()
    /** Incarnations of which something was refused: what follows it cannot be stored, and need not be asked for. */
    const broken = new Set<number>()
    const stateOf = (inc: number): IncarnationState => state.incarnations.get(inc) ?? nothingStored
    const refuse = (code: RefusalCode, { inc, seq }: Position): void => {
      refused.push({ code, item: { inc, seq } })
      broken.add(inc)
    }

    const take = (envelope: SealedEnvelope): void => {
      const { inc, seq } = envelope
      if (broken.has(inc)) return
      if (envelope.epoch !== epoch) return refuse('epoch_mismatch', envelope)
      let before = stateOf(inc)
      const bytes = encodeEnvelope(envelope)
      if (seq <= before.stored) {
        if (storedEnv.get(id, inc, seq)?.equals(bytes)) return
        if (seq <= before.headed) return refuse('fork', envelope)
        // What nobody vouches for was told to nobody, and anybody may have put it there.
        before = giveWay(inc, seq)
      }
      if (seq > before.stored + 1) {
        wants.set(inc, { inc, from: before.stored + 1, to: Math.max(seq, wants.get(inc)?.to ?? 0) })
        return
      }
      if (before.openCount >= runLimitCount || before.openBytes > runLimitBytes) return refuse('head_missing', envelope)
      if (state.bytes + bytes.length > quotaBytes) return refuse('quota_exceeded', envelope)
      insertEnv.run(id, inc, seq, bytes)
      state.bytes += bytes.length
      const { openCount, openBytes } = before
      state.incarnations.set(inc, {
        ...before,
        stored: seq,
        openCount: openCount + 1,
        openBytes: openBytes + bytes.length,
      })
    }

    /** Takes what no head vouches for away from a place on. */
    const giveWay = (inc: number, seq: number): IncarnationState => {
      const before = stateOf(inc)
      const gone = countAfter.get(id, inc, seq - 1)!
      dropAfter.run(id, inc, seq - 1)
      state.bytes -= gone.bytes
      const openCount = before.openCount - gone.count
      const after = { ...before, stored: seq - 1, openCount, openBytes: before.openBytes - gone.bytes }
      state.incarnations.set(inc, after)
      return after
    }

    const takeHead = ({ inc, seq, hash, sig }: Head): void => {
      const before = stateOf(inc)
      const { headed } = before
      // A head before the last one adds nothing: that one vouches for the same envelopes.
      if (broken.has(inc) || seq > before.stored || seq <= headed) return
      const { hash: expected, bytesAfter } = chainAt(workspace, inc, headed, seq)
      // That it fits what is stored, anybody can tell.
      if (Buffer.compare(hash, expected) !== 0) return refuse('fork', { inc, seq })
      // Whose log it is tells the head before it, unless a device signed that of which nothing was heard so far.
      const { owner = headed === 0 ? null : signerOf(workspace, { inc, ...storedHead.get(id, inc, headed)! }) } = before
      if (owner !== null && !verifyHead(owner, ws, { inc, seq, hash, sig })) return refuse('fork', { inc, seq })
      insertHead.run(id, inc, seq, hash, sig)
      const openCount = before.stored - seq
      state.incarnations.set(inc, {
        ...{ stored: before.stored, headed: seq, openCount, openBytes: bytesAfter },
        owner: owner ?? signerOf(workspace, { inc, seq, hash, sig }),
      })
    }

    const earlier = state.bytes
    for (const envelope of envelopes) take(envelope)
    if (head) takeHead(head)
    const named = new Set([...envelopes, ...(head ? [head] : [])].map(({ inc }) => inc))
    for (const inc of named) {
      const now = state.incarnations.get(inc)
      if (now) saveCounter.run(id, inc, now.stored, now.headed)
    }
    if (state.bytes !== earlier) saveBytes.run(state.bytes, id)
    const durable = new Map([...named].map((inc) => [inc, stateOf(inc).headed]))
    return { refused, wants: [...wants.values()].filter(({ inc }) => !broken.has(inc)), durable }
  }
}

/** The key that 32 bytes stand for; null for bytes that stand for none. */
function keyOf(raw: Uint8Array): KeyObject | null {
  try {
    return publicKeyOf(raw)
  } catch {
    return null
  }
}
