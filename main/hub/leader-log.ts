// The log of a leader: what commits wrote leaves for the second place before anybody is answered. Rows follow one another,
// each stored before the next is sent. Knows no database of rows and no lease; whoever stores says how it ended.
import { setTimeout as pause } from 'node:timers/promises'
import type { LogSync } from '#main/database/log-sync.ts'
import type { Connection } from '#main/database/open.ts'
import { createFrameReader, joinPages } from './frames.ts'
import type { PageSet } from './frames.ts'
import { encodePageRow, hashOfRow } from './page-row.ts'
import { positionWriter } from './position.ts'
import type { Position } from './position.ts'

/** A row on its way. */
export interface NewRow extends Position {
  /** As `encodePageRow` made it. */
  readonly body: Buffer
}

/** What a leader's log works with. */
export interface LeaderLogOptions {
  /** Path of the database, closed and without a log beside it. */
  readonly file: string
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
  /** Called once, when nothing may be answered any more: the epoch is over, or the log of the file cannot be followed. */
  readonly onEnd: (reason: Error) => void
  /** How long callers wait for a store that does not answer, and how long what nobody waits for may stay behind. */
  readonly patienceMs?: number
  readonly idleMs?: number
  readonly retryMs?: number
}

/** The log of one leader. */
export interface LeaderLog {
  /** Makes the part that the write queue calls. To be called once, before the first write. */
  open(connection: Connection, logPages: () => number): LogSync
  /** The last row that is known to be stored. */
  stored(): Position
  /** SHA-256 of it. */
  lastHash(): Buffer
}

interface Waiting {
  readonly seq: number
  readonly settle: (error?: Error) => void
}

/** The epoch of this leader is over: another node has taken the workspace. */
export class Fenced extends Error {
  constructor() {
    super('Another node leads this workspace now. What was not answered here was not kept.')
    this.name = 'Fenced'
  }
}

/**
 * Makes the log of a leader.
 * @throws Error when the file has a log beside it
 */
export function createLeaderLog(options: LeaderLogOptions): LeaderLog {
  const { append, patienceMs = 5_000, idleMs = 1_000, retryMs = 100 } = options
  const { epoch } = options.from
  const frames = createFrameReader(options.file)
  let { seq } = options.from
  let before = options.before
  /** Taken and in no row yet. */
  let pending: PageSet | null = null
  let isSending = false
  let ended: Error | undefined
  let waiting: Waiting[] = []
  let idle: NodeJS.Timeout | undefined

  const nextSeq = (): number => seq + (isSending ? 2 : 1)

  const end = (reason: Error): void => {
    if (ended !== undefined) return
    ended = reason
    clearTimeout(idle)
    for (const one of waiting) one.settle(reason)
    waiting = []
    options.onEnd(reason)
  }

  /** Sends one row until it is known what became of it. */
  const store = async (row: NewRow): Promise<void> => {
    for (;;) {
      if (ended !== undefined) return
      try {
        if (!(await append(row))) end(new Fenced())
        return
      } catch {
        // Lost on the way there or back: the same row again says which.
        await pause(retryMs)
      }
    }
  }

  const send = async (): Promise<void> => {
    if (isSending) return
    isSending = true
    clearTimeout(idle)
    idle = undefined
    while (pending !== null && ended === undefined) {
      const body = encodePageRow(pending, before)
      pending = null
      await store({ epoch, seq: seq + 1, body })
      if (ended !== undefined) break
      seq += 1
      before = hashOfRow(body)
      const done = waiting.filter((one) => one.seq <= seq)
      waiting = waiting.filter((one) => one.seq > seq)
      for (const one of done) one.settle()
    }
    isSending = false
  }

  /** Resolves when the row of this number is stored. */
  const whenStored = (number: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting = waiting.filter((other) => other !== one)
        reject(new Error('The store of the hub does not answer. Whether the write is kept is not known yet.'))
      }, patienceMs)
      const one: Waiting = {
        seq: number,
        settle(error) {
          clearTimeout(timer)
          if (error === undefined) resolve()
          else reject(error)
        },
      }
      waiting.push(one)
    })

  return {
    stored: () => ({ epoch, seq }),
    lastHash: () => before,
    open(connection, logPages) {
      let writePosition: ((position: Position) => void) | undefined
      return {
        async sync() {
          if (ended !== undefined) throw ended
          if (pending === null && !isSending) return
          const stored = whenStored(pending === null ? seq + 1 : nextSeq())
          void send()
          await stored
        },
        copy: {
          mark() {
            writePosition ??= positionWriter(connection)
            writePosition({ epoch, seq: nextSeq() })
          },
          take() {
            if (ended !== undefined) return true
            try {
              const taken = frames.take(logPages())
              if (taken !== null) pending = joinPages(pending, taken)
            } catch (error) {
              end(error instanceof Error ? error : new Error(String(error)))
              return true
            }
            if (pending !== null && !isSending) idle ??= setTimeout(() => void send(), idleMs).unref()
            return pending !== null
          },
        },
        async close() {
          if (ended === undefined && (pending !== null || isSending)) await this.sync().catch(() => undefined)
          clearTimeout(idle)
          frames.close()
        },
      }
    },
  }
}
