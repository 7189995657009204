// Brings pages to the log of a hub as rows that follow one another, each stored before the next is sent; tells callers when
// what they wrote is stored. Knows no file and no store.
import type { PageSet } from './frames.ts'
import { pauseFor } from './hub-time.ts'
import type { HubTime } from './hub-time.ts'
import { createPageChanges, joinChanges } from './page-changes.ts'
import type { ChangeSet } from './page-changes.ts'
import { encodePageRow, hashOfRow } from './page-row.ts'
import type { Position } from './store/position.ts'

/** A row on its way. */
export interface NewRow extends Position {
  /** As `encodePageRow` made it. */
  readonly body: Buffer
}

/** What a chain works with. */
export interface RowChainOptions {
  /** The epoch of this leader and the last row of the log, which the file equals. */
  readonly from: Position
  /** SHA-256 of that row. */
  readonly before: Buffer
  /**
   * Stores a row, or finds it stored.
   * @returns false when the epoch is over
   * @throws Error when nobody knows; the same row is sent again
   */
  readonly append: (row: NewRow) => Promise<boolean>
  /** Called once, when nothing may be answered any more. */
  readonly onEnd: (reason: Error) => void
  readonly time: HubTime
  /** How long callers wait for a store that does not answer, and how long what nobody waits for may stay behind. */
  readonly patienceMs?: number
  readonly idleMs?: number
  readonly retryMs?: number
}

/** The rows of one leader. */
export interface RowChain {
  /** What the file is once all that was taken is stored; for the next transaction to write into it. */
  next(): Position
  /** Takes pages that were committed. */
  take(pages: PageSet | null): void
  /** Whether something was taken that is in no row yet. */
  hasPending(): boolean
  /** Whether something was taken that is not known to be stored. */
  isBehind(): boolean
  /** Resolves when all that was taken is stored. @throws Fenced; Error when the store did not answer in time, or of the end */
  settled(): Promise<void>
  /** Sends no further row; resolves when the one on its way is known to be stored. What is taken meanwhile waits. */
  hold(): Promise<void>
  /** Goes on after {@link hold}. */
  release(): void
  /** Ends it: nothing is sent or settled any more. */
  end(reason: Error): void
  ended(): Error | undefined
  /** The last row that is known to be stored, and its SHA-256. */
  stored(): Position & { readonly hash: Buffer }
}

/** The epoch of this leader is over: another node has taken the workspace. */
export class Fenced extends Error {
  constructor() {
    super('Another node leads this workspace now. What was not answered here was not kept.')
    this.name = 'Fenced'
  }
}

interface Waiting {
  readonly seq: number
  readonly settle: (error?: Error) => void
}

/** Makes the chain of a leader. */
export function createRowChain(options: RowChainOptions): RowChain {
  const { append, time, patienceMs = 5_000, idleMs = 1_000, retryMs = 100 } = options
  const { epoch } = options.from
  let { seq } = options.from
  let hash = options.before
  const changes = createPageChanges()
  let pending: ChangeSet | null = null
  let isSending = false
  let ended: Error | undefined
  let waiting: Waiting[] = []
  let isHeld = false
  let whenHeld: (() => void) | undefined
  let callOffIdle: (() => void) | undefined

  const nextSeq = (): number => seq + (isSending ? 2 : 1)

  const end = (reason: Error): void => {
    if (ended !== undefined) return
    ended = reason
    callOffIdle?.()
    for (const one of waiting) one.settle(reason)
    waiting = []
    options.onEnd(reason)
  }

  /** Sends one row until it is known what became of it. */
  const store = async (row: NewRow): Promise<void> => {
    while (ended === undefined) {
      try {
        if (!(await append(row))) end(new Fenced())
        return
      } catch {
        // Lost on the way there or back: the same row again says which.
        await pauseFor(time, retryMs)
      }
    }
  }

  const send = async (): Promise<void> => {
    if (isSending || isHeld) return
    isSending = true
    callOffIdle?.()
    callOffIdle = undefined
    while (pending !== null && !isHeld) {
      const body = encodePageRow(pending, hash)
      pending = null
      await store({ epoch, seq: seq + 1, body })
      if (ended !== undefined) break
      seq += 1
      hash = hashOfRow(body)
      const done = waiting.filter((one) => one.seq <= seq)
      waiting = waiting.filter((one) => one.seq > seq)
      for (const one of done) one.settle()
    }
    isSending = false
    whenHeld?.()
  }

  const whenStored = (number: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const callOff = time.after(patienceMs, () => {
        waiting = waiting.filter((other) => other !== one)
        reject(new Error('The store of the hub does not answer. Whether the write is kept is not known yet.'))
      })
      const one: Waiting = {
        seq: number,
        settle(error) {
          callOff()
          if (error === undefined) resolve()
          else reject(error)
        },
      }
      waiting.push(one)
    })

  return {
    next: () => ({ epoch, seq: nextSeq() }),
    take(pages) {
      if (pages === null || ended !== undefined) return
      pending = joinChanges(pending, changes.of(pages))
      if (!isSending) callOffIdle ??= time.after(idleMs, () => void send())
    },
    hasPending: () => pending !== null,
    isBehind: () => pending !== null || isSending,
    async settled() {
      if (ended !== undefined) throw ended
      if (pending === null && !isSending) return
      const stored = whenStored(pending === null ? seq + 1 : nextSeq())
      void send()
      await stored
    },
    async hold() {
      isHeld = true
      if (isSending) await new Promise<void>((resolve) => (whenHeld = resolve))
    },
    release() {
      isHeld = false
      void send()
    },
    end,
    ended: () => ended,
    stored: () => ({ epoch, seq, hash }),
  }
}
