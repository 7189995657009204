// The sidecar beside the database: what has left this machine, on disk before it leaves. Knows the rules of
// incarnations, no database.
import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { z } from 'zod'
import { readPrivateFile, writeFileAtomic } from '#main/kernel/atomic-file.ts'
import { judgeIncarnation } from './incarnation.ts'
import type { IncarnationReason, LostTail, Sidecar, StoredIncarnation } from './incarnation.ts'

const uint32 = z.number().int().min(1).max(0xffff_ffff)
const count = z.number().int().min(0)
const fileSchema = z.strictObject({
  device: z.string().min(1),
  inc: uint32,
  boot_counter: count,
  last_seq_sent: count,
  stopped: z.boolean(),
  database_file: z.string().optional(),
  is_copy: z.boolean().optional(),
  put_back_at: z.string().optional(),
})

/** What an incarnation is opened with. */
export interface OpenIncarnationOptions {
  /** Path of the sidecar, beside the database. */
  readonly file: string
  /** Path of the database; undefined for one in memory. */
  readonly databaseFile?: string | undefined
  /** The moment of this start, ISO 8601. */
  readonly now: string
  /** The device whose keys this process holds. */
  readonly device: string
  /** What the database says; undefined when it was never used for sync. */
  readonly database?: StoredIncarnation | undefined
  /** See {@link judgeIncarnation}. */
  readonly collides?: boolean
  /** Whether a number is taken already: the roster knows it. */
  isTaken(inc: number): boolean
}

/** The incarnation this process writes under. */
export interface Incarnation {
  readonly inc: number
  /** To be stored in the database, in one transaction with `device` and `inc`, before anything is sent. */
  readonly bootCounter: number
  /** Why it is new; undefined when it goes on. */
  readonly reason: IncarnationReason | undefined
  /** What peers may still have of this machine and its database has not. */
  readonly lostTail: LostTail | undefined
  /** When a copy of the data folder was found to have been put in the place of the folder, ISO 8601; undefined: never. */
  readonly putBackAt: string | undefined
  /**
   * To be called with the last sequence number of a range before the range is first sent; returns when it is on disk.
   * Costs nothing when a later number was noted before, so the last COMMITTED number may be given instead.
   */
  beforeSending(lastSeq: number): void
  /** Notes that the host stopped in order; nothing may be sent afterwards. */
  stopped(): void
}

/**
 * Opens the incarnation to write under: the one before where nothing speaks against it, else a new random number.
 * The sidecar is on disk when this returns. A crash before the database holds the same begins another one.
 */
export function openIncarnation(options: OpenIncarnationOptions): Incarnation {
  const { file, device, database, collides } = options
  const before = readSidecar(file)
  const databaseFile = options.databaseFile === undefined ? undefined : fileMark(options.databaseFile)
  const facts = { device, database, sidecar: before, file: databaseFile, collides: collides ?? false }
  const verdict = judgeIncarnation(facts)
  const isPutBack = !verdict.keep && (verdict.reason === 'database_copied' || verdict.reason === 'database_older')
  const putBackAt = isPutBack ? options.now : before?.putBackAt
  const inc = verdict.keep ? verdict.inc : newNumber(options, before)
  const bootCounter = Math.max(before?.bootCounter ?? 0, database?.bootCounter ?? 0) + 1
  let lastSeqSent = verdict.keep ? (before?.lastSeqSent ?? 0) : 0
  let isStopped = false
  const write = (): void => {
    const content = {
      ...{ device, inc, boot_counter: bootCounter, last_seq_sent: lastSeqSent, stopped: isStopped },
      ...{ database_file: databaseFile, put_back_at: putBackAt },
    }
    writeFileAtomic(file, `${JSON.stringify(content)}\n`)
  }
  write()
  return {
    inc,
    bootCounter,
    reason: verdict.keep ? undefined : verdict.reason,
    lostTail: verdict.keep ? undefined : verdict.lostTail,
    putBackAt,
    beforeSending(lastSeq) {
      if (isStopped) throw new Error('The incarnation has been stopped.')
      if (lastSeq <= lastSeqSent) return
      const previous = lastSeqSent
      lastSeqSent = lastSeq
      try {
        write()
      } catch (error) {
        lastSeqSent = previous
        throw error
      }
    },
    stopped() {
      isStopped = true
      write()
    },
  }
}

/**
 * What a file system knows a file by: its number, which a later file may get, and when it was made, which a copy cannot
 * keep. Undefined where no time is known.
 */
export function fileMark(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found === undefined || found.birthtimeNs === 0n ? undefined : `${found.ino}/${found.birthtimeNs}`
}

/**
 * Notes what a start found out about the database beside a sidecar: a copy, or not surely the one that was left. Whoever
 * opens the incarnation next begins another one, however many starts later that is.
 */
export function doubtSidecar(file: string, origin: 'doubtful' | 'copied'): void {
  const found = fileSchema.safeParse(parseJson(readPrivateFile(file) ?? ''))
  // One that cannot be read begins another one anyway.
  if (!found.success) return
  const content = origin === 'copied' ? { ...found.data, is_copy: true } : { ...found.data, stopped: false }
  writeFileAtomic(file, `${JSON.stringify(content)}\n`)
}

/** Reads a sidecar; undefined when there is none or its text makes no sense, which begins a new incarnation. */
export function readSidecar(file: string): Sidecar | undefined {
  const text = readPrivateFile(file)
  if (text === undefined) return undefined
  const parsed = fileSchema.safeParse(parseJson(text))
  if (!parsed.success) return undefined
  const { device, inc, boot_counter, last_seq_sent, stopped, database_file, is_copy, put_back_at } = parsed.data
  return {
    ...{ device, inc, bootCounter: boot_counter, lastSeqSent: last_seq_sent, stopped },
    ...(database_file === undefined ? {} : { file: database_file }),
    ...(is_copy === undefined ? {} : { isCopy: is_copy }),
    ...(put_back_at === undefined ? {} : { putBackAt: put_back_at }),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A half-read file says as little as none.
    return undefined
  }
}

function newNumber({ database, isTaken }: OpenIncarnationOptions, before: Sidecar | undefined): number {
  for (;;) {
    const inc = randomBytes(4).readUInt32LE()
    if (inc !== 0 && inc !== database?.inc && inc !== before?.inc && !isTaken(inc)) return inc
  }
}
