// Owns the end of an import: what was added, which rows failed and why, and the ways on from there.
import { Button } from '@mantine/core'
import { useEffect, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { Notice } from '../../components/notice.tsx'
import { problemText } from '../../lib/problem-text.ts'
import { t, tn } from '../../lib/strings.ts'
import { showProblem } from '../../lib/toast.ts'
import { downloadText, failedRowsCsv, problemsByRow, reasonOf } from './failed-rows.ts'
import type { FieldLabels } from './failed-rows.ts'
import type { ImportOutcome } from './run-import.ts'
import classes from './run-panel.module.css'
import type { OpenTable } from './table-client.ts'

const shownRows = 100

/** Figures, failed rows and actions of a finished, stopped or interrupted import. */
export function ImportReport(props: {
  outcome: ImportOutcome
  table: OpenTable
  fileName: string
  labels: FieldLabels
  openHref: string
  undoLabel: string
  /** Undo also where no record was added: the object itself is new. */
  undoEmpty?: boolean
  onUndo: () => void
  onResume: () => void
  undoing: boolean
}) {
  const { outcome, table } = props
  const rest = outcome.total - outcome.done
  const rate = outcome.seconds > 0 ? Math.round(outcome.done / outcome.seconds) : outcome.done

  const download = (): void => {
    failedRowsCsv(table, outcome, props.labels).then(
      (text) => downloadText(`${props.fileName}-failed.csv`, text),
      showProblem,
    )
  }

  return (
    <div>
      <div role="status">
        <ul className={`${classes.figures} cairn-numbers`}>
          <li>
            <strong>{tn('import.report.created', outcome.created)}</strong>
          </li>
          {outcome.failed > 0 && <li>{tn('import.report.failedRows', outcome.failed)}</li>}
          {rest > 0 && <li>{tn('import.report.rest', rest)}</li>}
          <li>{t('import.report.time', { seconds: Number(outcome.seconds.toFixed(1)), rate })}</li>
        </ul>
      </div>
      {outcome.status === 'failed' && (
        <Notice tone="bad" live>
          {t('import.report.interrupted', { problem: problemText(outcome.error), count: rest })}{' '}
          {outcome.created > 0 && t('import.report.kept')}
        </Notice>
      )}
      <div className={classes.actions}>
        {rest > 0 && (
          <Button onClick={props.onResume} disabled={props.undoing}>
            {t('import.report.resume')}
          </Button>
        )}
        <Button component="a" href={props.openHref} variant={rest > 0 ? 'default' : 'filled'}>
          {t('import.report.open')}
        </Button>
        {outcome.problems.length > 0 && (
          <Button variant="default" onClick={download}>
            {t('import.report.download')}
          </Button>
        )}
        {(outcome.created > 0 || props.undoEmpty) && (
          <Button variant="default" onClick={props.onUndo} loading={props.undoing}>
            {props.undoLabel}
          </Button>
        )}
      </div>
      {outcome.problems.length > 0 && <FailedRows outcome={outcome} table={table} labels={props.labels} />}
    </div>
  )
}

function FailedRows(props: { outcome: ImportOutcome; table: OpenTable; labels: FieldLabels }) {
  const { outcome, table } = props
  const byRow = useMemo(() => problemsByRow(outcome.problems), [outcome.problems])
  const rows = useMemo(() => [...byRow.keys()].slice(0, shownRows), [byRow])
  const [cells, setCells] = useState<readonly (readonly string[])[]>([])
  useEffect(() => {
    let current = true
    table.cells(rows).then(
      (answer) => current && setCells(answer),
      () => current && setCells([]),
    )
    return () => {
      current = false
    }
  }, [table, rows])
  const header = table.summary.hasHeader ? 2 : 1
  return (
    <>
      <h2>{t('import.report.errors')}</h2>
      {byRow.size > rows.length && <p>{t('import.report.errorsShown', { shown: rows.length, count: byRow.size })}</p>}
      <div className={classes.scroll} tabIndex={0} role="region" aria-label={t('import.report.errors')}>
        <table className={classes.table}>
          <thead>
            <tr>
              <Head>{t('import.report.row')}</Head>
              <Head>{t('import.report.reason')}</Head>
              {table.summary.columns.slice(0, 8).map((column) => (
                <Head key={column.index}>{column.title}</Head>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={row}>
                <td className="cairn-numbers">{row + header}</td>
                <td>{reasonOf(byRow.get(row) ?? [], props.labels)}</td>
                {table.summary.columns.slice(0, 8).map((column) => (
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
