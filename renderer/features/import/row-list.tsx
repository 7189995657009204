// Owns the table of rows that failed, or that undoing left as they are: the row, the reason, its cells where known.
import { useEffect, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { LoadFailure } from '../../components/notice.tsx'
import { t } from '../../lib/strings.ts'
import { reasonOf } from './failed-rows.ts'
import type { FieldLabels } from './failed-rows.ts'
import { useRowResults } from './job-queries.ts'
import type { ImportJob, RowFilter } from './job-queries.ts'
import classes from './run-panel.module.css'
import type { OpenTable } from './table-client.ts'

const columnsShown = 8

/** The first rows with an outcome; the download has all of them. */
export function RowList(props: {
  job: ImportJob
  only: RowFilter
  count: number
  table: OpenTable | undefined
  labels: FieldLabels
}) {
  const { table, only } = props
  const { data, error, refetch } = useRowResults(props.job, only, true)
  const results = useMemo(() => data?.results ?? [], [data])
  const cells = useCells(
    table,
    useMemo(() => results.map((result) => result.row - 1), [results]),
  )
  const columns = table?.summary.columns.slice(0, columnsShown) ?? []
  const failed = props.job.dryRun ? 'import.check.rows' : 'import.report.errors'
  const title = t(only === 'failed' ? failed : 'import.report.keptTitle')
  if (error && !data) return <LoadFailure error={error} onRetry={() => void refetch()} />
  return (
    <>
      <h2>{title}</h2>
      <p className={classes.line}>
        {t('import.report.rowsFrom')}{' '}
        {props.count > results.length && results.length > 0
          ? t('import.report.errorsShown', { shown: results.length, count: props.count })
          : ''}
      </p>
      <div className={classes.scroll} tabIndex={0} role="region" aria-label={title}>
        <table className={classes.table}>
          <thead>
            <tr>
              <Head>{t('import.report.row')}</Head>
              <Head>{t('word.reason')}</Head>
              {columns.map((column) => (
                <Head key={column.index}>{column.title}</Head>
              ))}
            </tr>
          </thead>
          <tbody>
            {results.map((result, index) => (
              <tr key={result.row}>
                <td className="cairn-numbers">{result.row}</td>
                <td>{reasonOf(result, props.labels)}</td>
                {columns.map((column) => (
                  <td key={column.index}>{cells[index]?.[column.index] ?? ''}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

function Head(props: { children: ReactNode }) {
  return <th scope="col">{props.children}</th>
}

function useCells(table: OpenTable | undefined, rows: readonly number[]): readonly (readonly string[])[] {
  const [cells, setCells] = useState<readonly (readonly string[])[]>([])
  useEffect(() => {
    if (!table || rows.length === 0) return undefined
    let current = true
    table.cells(rows).then(
      (answer) => current && setCells(answer),
      () => current && setCells([]),
    )
    return () => {
      current = false
    }
  }, [table, rows])
  return cells
}
