// Owns carrying an import out: parts of a size the host takes in about a second, one after the other, with progress,
// stopping between parts, and repeating a part safely. Knows no screen.
import { call } from '../../lib/api-client.ts'
import { ApiError } from '../../lib/api-error.ts'
import type { CallResult } from '../../lib/endpoints.ts'

type ImportAnswer = CallResult<'importRecords'>

/** Most rows the host takes in one request. @source D-68 */
const maxPartRows = 10_000
const firstPartRows = 500
/** Bytes of one request body to stay below; the host refuses 10 MB (D-199). */
const maxPartBytes = 6_000_000
/** Imports are limited to bursts of 30 requests (D-200), so a large table is cut into fewer parts than that. */
const maxParts = 24
const targetPartMs = 700
const maxRetries = 5
/** Rows of a part that is sent again: the host reports at most 1,000 problems, and each row that is there already is one. */
const repeatedPartRows = 1_000

/** One row that failed. `row` counts from 0 over the whole table. */
export interface RowProblem {
  row: number
  field: string | undefined
  code: string
  message: string
}

/** How far an import is. */
export interface ImportProgress {
  done: number
  total: number
  created: number
  failed: number
  /** Rows per second so far; undefined before the first answer. */
  rate: number | undefined
  waiting: boolean
}

/** How an import ended. `error` is why it was interrupted; then the rows from `done` on were not processed. */
export interface ImportOutcome {
  status: 'done' | 'cancelled' | 'failed'
  done: number
  total: number
  created: number
  updated: number
  skipped: number
  failed: number
  problems: RowProblem[]
  /** Rows before this one may be stored although no answer said so. */
  unsureUntil: number
  seconds: number
  error: unknown
}

/** What to import. `from` and `before` continue an interrupted import. */
export interface ImportTask {
  object: string
  total: number
  bytesPerRow: number
  readRows(from: number, to: number): Promise<Record<string, unknown>[]>
  /** Id of the record of a row: the same on every attempt, so that no row is added twice. */
  rowId(row: number): string
  signal: AbortSignal
  onProgress(progress: ImportProgress): void
  before?: ImportOutcome
}

/** Runs an import to its end; resolves also when it was stopped or interrupted, with what was done until then. */
export async function runImport(task: ImportTask): Promise<ImportOutcome> {
  const { total, signal, before } = task
  const outcome: ImportOutcome = before
    ? { ...before, problems: [...before.problems], status: 'done', error: undefined }
    : {
        status: 'done',
        done: 0,
        total,
        created: 0,
        updated: 0,
        skipped: 0,
        failed: 0,
        problems: [],
        unsureUntil: 0,
        seconds: 0,
        error: undefined,
      }
  const startedAt = performance.now()
  const startedWith = outcome.done
  const earlierSeconds = outcome.seconds
  const byBytes = Math.max(1, Math.floor(maxPartBytes / Math.max(task.bytesPerRow, 1)))
  const most = Math.min(maxPartRows, byBytes)
  const least = Math.min(most, Math.max(firstPartRows, Math.ceil(total / maxParts)))
  let partRows = least

  const report = (waiting: boolean): void => {
    outcome.seconds = earlierSeconds + (performance.now() - startedAt) / 1000
    const seconds = (performance.now() - startedAt) / 1000
    const rate = outcome.done > startedWith ? (outcome.done - startedWith) / Math.max(seconds, 0.001) : undefined
    const { done, created, failed } = outcome
    task.onProgress({ done, total, created, failed, rate, waiting })
  }

  const take = (answer: ImportAnswer, from: number, to: number): void => {
    outcome.done = to
    outcome.created += answer.created
    outcome.updated += answer.updated
    outcome.skipped += answer.skipped
    outcome.failed += answer.failed
    for (const { row, field, code, message } of answer.errors) {
      // The row is there already, under the id it was given on the attempt before.
      if (field === 'id' && code === 'not_unique') {
        outcome.failed -= 1
        outcome.created += 1
      } else outcome.problems.push({ row: from + row - 1, field, code, message })
    }
  }

  report(false)
  let attempt = 0
  try {
    while (outcome.done < total && !signal.aborted) {
      const from = outcome.done
      const limit = from < outcome.unsureUntil ? repeatedPartRows : partRows
      const to = Math.min(total, from + limit)
      const rows = await task.readRows(from, to)
      rows.forEach((row, index) => {
        row.id = task.rowId(from + index)
      })
      const sentAt = performance.now()
      try {
        take(await call('importRecords', { params: { object: task.object }, body: { rows } }), from, to)
        attempt = 0
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        // Refused before anything was done, or the answer was lost on the way.
        if (error.httpStatus !== 429) outcome.unsureUntil = Math.max(outcome.unsureUntil, to)
        if (!error.retryable || error.httpStatus === 0 || attempt >= maxRetries) throw error
        report(true)
        await sleep((error.retryAfterSeconds ?? 2 ** attempt) * 1000)
        attempt += 1
        continue
      }
      const tookMs = Math.max(performance.now() - sentAt, 1)
      partRows = Math.round(Math.min(most, Math.max(least, (rows.length * targetPartMs) / tookMs)))
      report(false)
    }
    if (outcome.done < total) outcome.status = 'cancelled'
  } catch (error) {
    outcome.status = 'failed'
    outcome.error = error
  }
  outcome.seconds = earlierSeconds + (performance.now() - startedAt) / 1000
  return outcome
}

async function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
