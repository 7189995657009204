// Owns the end of an import: what was added and changed, which rows failed or stayed and why, and the ways on from there.
import { Button } from '@mantine/core'
import { useId, useState } from 'react'
import { Notice } from '../../components/notice.tsx'
import { t, tn } from '../../lib/strings.ts'
import { showProblem } from '../../lib/toast.ts'
import { checkWords } from './check-words.ts'
import { downloadText, rowsCsv } from './failed-rows.ts'
import type { FieldLabels } from './failed-rows.ts'
import { readAllResults } from './job-queries.ts'
import type { ImportJob } from './job-queries.ts'
import { RowList } from './row-list.tsx'
import classes from './run-panel.module.css'
import type { StartedImport } from './started-imports.ts'

/** Figures, rows and actions of a job that has ended. */
export function JobReport(props: {
  job: ImportJob
  started: StartedImport | undefined
  labels: FieldLabels
  /** Undefined when the object is gone. */
  openHref: string | undefined
  undoLabel: string
  onUndo: (() => void) | undefined
  /** Runs a checked plan for good. */
  onImport: (() => void) | undefined
  busy: boolean
}) {
  const { job, started } = props
  const [reading, setReading] = useState(false)
  const undone = job.status === 'undone'
  const kept = job.undo?.kept ?? 0
  const only = undone ? 'kept' : 'failed'
  const listed = undone ? kept : job.failed
  const check = job.dryRun && job.status === 'completed' ? checkWords(job) : undefined
  const blockedId = useId()

  const saveRows = async (): Promise<void> => {
    setReading(true)
    try {
      const text = await rowsCsv(await readAllResults(job.jobId, only), started?.table, props.labels)
      downloadText(`${job.object}-${only}.csv`, text)
    } catch (error) {
      showProblem(error)
    } finally {
      setReading(false)
    }
  }

  return (
    <div>
      <div role="status">
        <ul className={`${classes.figures} cairn-numbers`}>
          {figures(job).map((figure, index) => (
            <li key={figure}>{index === 0 ? <strong>{figure}</strong> : figure}</li>
          ))}
        </ul>
      </div>
      {job.error !== undefined && (
        <Notice tone="bad">
          {t('import.report.interrupted', { problem: job.error.message, count: job.total - job.processed })}{' '}
          {job.created + job.updated > 0 && t('import.report.kept')}
        </Notice>
      )}
      {job.dryRun && (
        <Notice tone={check?.blocked === undefined ? 'info' : 'warn'}>
          {t('import.report.dryRun')} <span id={blockedId}>{check?.blocked}</span>
        </Notice>
      )}
      <div className={classes.actions}>
        {props.onImport && (
          <Button
            onClick={check?.blocked === undefined ? props.onImport : undefined}
            // Not the attribute: whoever comes here by keyboard hears the reason.
            data-disabled={check?.blocked !== undefined || undefined}
            aria-disabled={check?.blocked !== undefined}
            aria-describedby={check?.blocked === undefined ? undefined : blockedId}
            loading={props.busy}
          >
            {check?.action}
          </Button>
        )}
        {props.openHref !== undefined && (
          <Button
            component="a"
            href={props.openHref}
            variant={props.onImport && check?.blocked === undefined ? 'default' : 'filled'}
          >
            {t('import.report.open')}
          </Button>
        )}
        {listed > 0 && (
          <Button variant="default" onClick={() => void saveRows()} loading={reading}>
            {t(undone ? 'import.report.downloadKept' : check ? 'import.check.download' : 'import.report.download')}
          </Button>
        )}
        {props.onUndo && (
          <Button variant="default" onClick={props.onUndo} loading={props.busy}>
            {props.undoLabel}
          </Button>
        )}
        <Button component="a" href="#/imports" variant="subtle">
          {t('import.list.title')}
        </Button>
      </div>
      {listed > 0 && <RowList job={job} only={only} count={listed} table={started?.table} labels={props.labels} />}
    </div>
  )
}

function figures(job: ImportJob): string[] {
  const rest = job.total - job.processed
  if (job.status === 'undone' && job.undo) {
    const { purged, restored, kept } = job.undo
    return [
      tn('import.report.purged', purged),
      ...(restored > 0 ? [tn('import.report.restored', restored)] : []),
      ...(kept > 0 ? [tn('import.report.keptRows', kept)] : []),
    ]
  }
  const seconds = secondsOf(job)
  const isCheck = job.dryRun && job.status === 'completed'
  return [
    ...(isCheck ? [checkWords(job).summary] : []),
    ...(isCheck && job.created === 0
      ? []
      : [tn(job.dryRun ? 'import.report.wouldCreate' : 'import.report.created', job.created)]),
    ...(job.updated > 0 ? [tn(job.dryRun ? 'import.report.wouldUpdate' : 'import.report.updated', job.updated)] : []),
    ...(job.skipped > 0 ? [tn('import.report.skipped', job.skipped)] : []),
    ...(job.failed > 0 && !isCheck ? [tn('import.report.failedRows', job.failed)] : []),
    ...(rest > 0 ? [tn('import.report.rest', rest)] : []),
    // A rate over less than a second is chance.
    ...(seconds === undefined || seconds < 1
      ? []
      : [
          t('import.report.time', {
            seconds: Number(seconds.toFixed(1)),
            rate: Math.round(job.processed / seconds),
          }),
        ]),
  ]
}

function secondsOf(job: ImportJob): number | undefined {
  if (job.startedAt === undefined || job.completedAt === undefined) return undefined
  return (Date.parse(job.completedAt) - Date.parse(job.startedAt)) / 1_000
}
