// Owns the run of one import as a screen sees it: progress, outcome, stopping, going on. Survives no page change.
import { useCallback, useEffect, useRef, useState } from 'react'
import type { ColumnTarget } from './table-types.ts'
import { runImport } from './run-import.ts'
import type { ImportOutcome, ImportProgress } from './run-import.ts'
import type { OpenTable } from './table-client.ts'

/** What a run needs. */
export interface ImportJob {
  object: string
  table: OpenTable
  targets: readonly ColumnTarget[]
  /** Id of the record of each row, from {@link createRowIds}. */
  rowId(row: number): string
}

/** A run in the hands of a screen. */
export interface ImportJobState {
  progress: ImportProgress | undefined
  outcome: ImportOutcome | undefined
  stopping: boolean
  start(job: ImportJob, before?: ImportOutcome): Promise<ImportOutcome>
  stop(): void
  reset(): void
}

/** Bytes a record costs in a request beside its texts: names, quotes, separators. */
function bytesPerRow(job: ImportJob): number {
  const names = job.targets.reduce((sum, target) => sum + target.field.length + 6, 2)
  // A character of text is at most three bytes in UTF-8 outside of rare scripts; one and a half is typical.
  return names + job.table.summary.charsPerRow * 1.5
}

/** Runs imports for the mounted component; leaving the screen stops after the part under way. */
export function useImportJob(): ImportJobState {
  const [progress, setProgress] = useState<ImportProgress>()
  const [outcome, setOutcome] = useState<ImportOutcome>()
  const [stopping, setStopping] = useState(false)
  const controller = useRef<AbortController>(undefined)

  useEffect(() => () => controller.current?.abort(), [])

  const start = useCallback(async (job: ImportJob, before?: ImportOutcome): Promise<ImportOutcome> => {
    const mine = new AbortController()
    controller.current = mine
    setStopping(false)
    setOutcome(undefined)
    const ended = await runImport({
      object: job.object,
      total: job.table.summary.rowCount,
      bytesPerRow: bytesPerRow(job),
      readRows: async (from, to) => job.table.records(from, to, job.targets),
      rowId: job.rowId,
      signal: mine.signal,
      onProgress: setProgress,
      before,
    })
    setOutcome(ended)
    return ended
  }, [])

  const stop = useCallback((): void => {
    controller.current?.abort()
    setStopping(true)
  }, [])

  const reset = useCallback((): void => {
    setProgress(undefined)
    setOutcome(undefined)
    setStopping(false)
  }, [])

  return { progress, outcome, stopping, start, stop, reset }
}
