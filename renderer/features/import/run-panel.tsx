// Owns what is shown while an import runs or is taken back: a bar, rows per second, and the ways to wait or stop.
import { Button, Progress } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { t } from '../../lib/strings.ts'
import { isUnderWay, isUndoing } from './job-queries.ts'
import type { ImportJob } from './job-queries.ts'
import classes from './run-panel.module.css'

/** A job under way; without one its rows are still being sent. */
export function RunPanel(props: {
  job: ImportJob | undefined
  busy?: boolean
  onPause?: () => void
  onResume?: () => void
  onCancel?: () => void
}) {
  const { job } = props
  const undoing = job !== undefined && isUndoing(job)
  const total = (undoing ? job.undo?.total : job?.total) ?? 0
  const done = (undoing ? job.undo?.processed : job?.processed) ?? 0
  const rate = useRate(done, job?.paused === true)
  const percent = total > 0 ? Math.floor((done / total) * 100) : 0
  const line =
    job === undefined
      ? t('import.run.sending')
      : rate === undefined
        ? t('import.run.progressStart', { done, total })
        : t('import.run.progress', { done, total, rate: Math.round(rate) })
  return (
    <div className={classes.panel}>
      <Progress.Root size="lg">
        <Progress.Section value={percent} aria-label={t('import.run.bar')} aria-valuetext={line} />
      </Progress.Root>
      <p className={`${classes.line} cairn-numbers`}>{line}</p>
      <p className={classes.line} role="status">
        {statusOf(job)}
      </p>
      {job !== undefined && !undoing && (job.paused || isUnderWay(job)) && (
        <div className={classes.actions}>
          {job.paused ? (
            <Button onClick={props.onResume} loading={props.busy}>
              {t('import.run.resume')}
            </Button>
          ) : (
            <Button variant="default" onClick={props.onPause} loading={props.busy}>
              {t('import.run.pause')}
            </Button>
          )}
          <Button variant="default" onClick={props.onCancel} disabled={props.busy}>
            {t('import.run.cancel')}
          </Button>
        </div>
      )}
    </div>
  )
}

function statusOf(job: ImportJob | undefined): string {
  if (job === undefined || (!job.paused && !isUnderWay(job))) return ''
  if (job.paused) return t('import.run.paused')
  if (job.status === 'pending') return t('import.run.queued')
  return t('import.run.leave')
}

/** Rows per second since the job was first seen; undefined until it moved. */
function useRate(done: number, paused: boolean): number | undefined {
  const first = useRef<{ done: number; at: number }>(undefined)
  const [rate, setRate] = useState<number>()
  useEffect(() => {
    const now = performance.now()
    if (paused || first.current === undefined) {
      first.current = { done, at: now }
      setRate(undefined)
      return
    }
    const { done: before, at } = first.current
    if (done > before) setRate(((done - before) * 1_000) / Math.max(now - at, 1))
  }, [done, paused])
  return rate
}
