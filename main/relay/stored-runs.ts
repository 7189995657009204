// Reads runs of envelopes back out of the file, always up to a head. Knows places and sizes; reads no body.
import type { Connection } from '#main/database/open.ts'
import type { Head, SealedEnvelope, Vector } from '#main/replication/core/types.ts'
import { decodeEnvelope } from '#main/replication/wire/envelope-codec.ts'
import { frameLimit, runLimitCount } from '#main/replication/wire/limits.ts'
import type { States } from './incarnation-state.ts'
import { readingRuns } from './row-store.ts'
import type { EnvelopeRow } from './row-store.ts'

/** Envelopes of one incarnation without a gap, and the heads among them; the last envelope has one. */
export interface StoredRun {
  readonly inc: number
  readonly to: number
  readonly bytes: number
  readonly envelopes: readonly SealedEnvelope[]
  readonly heads: readonly Head[]
}

/** What can be read of a workspace. */
export interface StoredRuns {
  /** What is durable and vouched for, in vectors' words. */
  vector(workspace: number): Vector
  /** The run that arrived first among those a peer lacks. */
  next(workspace: number, has: Vector): StoredRun | undefined
  /** The run of one incarnation that begins after an envelope. */
  after(workspace: number, inc: number, seq: number): StoredRun | undefined
}

/** A run is read on until it fills a frame; one that has no head by then goes on to its first. */
const runBytes = frameLimit

/** Prepares the statements. */
export function createStoredRuns(connection: Connection, states: States): StoredRuns {
  const position = connection.prepare<[number, number, number], number>(readingRuns.position).pluck()
  const rowsAfter = connection.prepare<[number, number, number, number], EnvelopeRow>(readingRuns.rowsAfter)
  const headsAfter = connection.prepare<[number, number, number], Omit<Head, 'inc'>>(readingRuns.headsAfter)

  /** @param before stop at a head once what follows it arrived after this position */
  const read = (workspace: number, inc: number, seq: number, before: number): StoredRun | undefined => {
    const heads = headsAfter.all(workspace, inc, seq)
    const isHead = new Set(heads.map((head) => head.seq))
    const envelopes: SealedEnvelope[] = []
    let bytes = 0
    let end = 0
    let endBytes = 0
    for (const row of rowsAfter.iterate(workspace, inc, seq, heads.at(-1)?.seq ?? 0)) {
      const isFull = bytes + row.bytes.length > runBytes || envelopes.length >= runLimitCount
      if (end > 0 && (isFull || row.pos > before)) break
      envelopes.push(decodeEnvelope(row.bytes))
      bytes += row.bytes.length
      if (isHead.has(row.seq)) {
        end = envelopes.length
        endBytes = bytes
      }
    }
    const last = envelopes[end - 1]
    if (last === undefined) return undefined
    return {
      inc,
      to: last.seq,
      bytes: endBytes,
      envelopes: envelopes.slice(0, end),
      heads: heads.filter((head) => head.seq <= last.seq).map((head) => ({ inc, ...head })),
    }
  }

  return {
    vector(workspace) {
      const { incarnations } = states.of(workspace)
      return new Map([...incarnations].filter(([, { headed }]) => headed > 0).map(([inc, { headed }]) => [inc, headed]))
    },
    next(workspace, has) {
      const starts: { inc: number; seq: number; pos: number }[] = []
      for (const [inc, { headed }] of states.of(workspace).incarnations) {
        const seq = has.get(inc) ?? 0
        if (headed > seq) starts.push({ inc, seq, pos: position.get(workspace, inc, seq + 1) ?? 0 })
      }
      const [first, second] = starts.sort((a, b) => a.pos - b.pos)
      return first && read(workspace, first.inc, first.seq, second?.pos ?? Number.MAX_SAFE_INTEGER)
    },
    after: (workspace, inc, seq) => read(workspace, inc, seq, Number.MAX_SAFE_INTEGER),
  }
}
