// Owns the reading of a source into a table for one screen: one at a time, closed when the screen goes.
import { useCallback, useEffect, useRef, useState } from 'react'
import { t } from '../../lib/strings.ts'
import type { StringKey } from '../../lib/strings.ts'
import { TableError } from './read-table-error.ts'
import type { OpenTable, ReadAgain } from './table-client.ts'
import type { TableSource, TableSummary } from './table-types.ts'

/** State of the reading. */
export interface TableReading {
  table: OpenTable | undefined
  /** What was read; a new object after reading again. */
  summary: TableSummary | undefined
  /** Sentence about the source being read, or undefined. */
  reading: string | undefined
  problem: string | undefined
  open(source: TableSource): Promise<void>
  readAgain(options: ReadAgain): Promise<void>
  /** Hands the table to whoever goes on with it: it then outlives this screen and is closed by them. */
  release(): void
  /** Shows why there is no source. */
  fail(sentence: string): void
  close(): void
}

const sentences: Readonly<Record<string, StringKey>> = {
  empty: 'import.empty',
  notText: 'import.notText',
  badJson: 'import.badJson',
  unreadable: 'import.unreadable',
  tooManyColumns: 'import.tooManyColumns',
  badSheet: 'import.badSheet',
  emptySheet: 'import.emptySheet',
}

function sentenceOf(error: unknown): string {
  if (!(error instanceof TableError)) return t('import.unreadable', { reason: String(error) })
  const { code, reason } = error.problem
  return t(sentences[code] ?? 'import.unreadable', { reason, count: reason })
}

/** Reads tables in a worker for the mounted component. */
export function useTable(): TableReading {
  const [table, setTable] = useState<OpenTable>()
  const [summary, setSummary] = useState<TableSummary>()
  const [reading, setReading] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const current = useRef<OpenTable>(undefined)
  const turn = useRef(0)

  const close = useCallback((): void => {
    turn.current += 1
    current.current?.close()
    current.current = undefined
    setTable(undefined)
    setSummary(undefined)
    setReading(undefined)
    setProblem(undefined)
  }, [])

  useEffect(() => close, [close])

  const open = useCallback(
    async (source: TableSource): Promise<void> => {
      close()
      const mine = turn.current
      setReading(source.kind === 'file' ? t('import.readingName', { name: source.file.name }) : t('import.reading'))
      try {
        const { openTable } = await import('./table-client.ts')
        const opened = await openTable(source)
        if (turn.current !== mine) {
          opened.close()
          return
        }
        current.current = opened
        setTable(opened)
        setSummary(opened.summary)
      } catch (error) {
        if (turn.current === mine) setProblem(sentenceOf(error))
      } finally {
        if (turn.current === mine) setReading(undefined)
      }
    },
    [close],
  )

  const readAgain = useCallback(async (options: ReadAgain): Promise<void> => {
    setProblem(undefined)
    try {
      setSummary(await current.current?.readAgain(options))
    } catch (error) {
      setProblem(sentenceOf(error))
    }
  }, [])

  const release = useCallback((): void => {
    turn.current += 1
    current.current = undefined
  }, [])

  return { table, summary, reading, problem, open, readAgain, release, close, fail: setProblem }
}
