// Owns which rows are ticked, by record id, and extending from the last ticked one.
import { useCallback, useEffect, useRef, useState } from 'react'
import type { GridRecord } from '../../components/grid/index.ts'

/** Rows that are ticked at once. */
const maxChecked = 1_000

/** Ticked rows of one view. */
export interface RowChecks {
  checked: ReadonlySet<string>
  onCheckRow(rowKey: string, rowIndex: number, extend: boolean): void
  clear(): void
}

/** Ticks that are forgotten when `resetKey` changes. */
export function useRowChecks(
  resetKey: string,
  loadRows: (first: number, end: number) => Promise<readonly GridRecord[]>,
): RowChecks {
  const [checked, setChecked] = useState<ReadonlySet<string>>(new Set())
  const last = useRef<number>(undefined)

  const clear = useCallback((): void => {
    last.current = undefined
    setChecked((current) => (current.size === 0 ? current : new Set()))
  }, [])

  useEffect(clear, [clear, resetKey])

  const onCheckRow = useCallback(
    (rowKey: string, rowIndex: number, extend: boolean): void => {
      const from = last.current
      last.current = rowIndex
      if (!extend || from === undefined) {
        setChecked((current) => {
          const next = new Set(current)
          if (!next.delete(rowKey)) next.add(rowKey)
          return next
        })
        return
      }
      const [first, end] = from < rowIndex ? [from, rowIndex + 1] : [rowIndex, from + 1]
      const rows = loadRows(first, Math.min(end, first + maxChecked))
      void rows.then(
        (loaded) => setChecked((current) => new Set([...current, ...loaded.map((row) => String(row.id))])),
        () => undefined, // the rows could not be loaded: the grid says so itself
      )
    },
    [loadRows],
  )

  return { checked, onCheckRow, clear }
}
