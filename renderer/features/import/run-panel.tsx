// Owns what is shown while an import runs: a bar, rows per second, and the way to stop.
import { Button, Progress } from '@mantine/core'
import { t } from '../../lib/strings.ts'
import classes from './run-panel.module.css'
import type { ImportProgress } from './run-import.ts'

/** The running import; without progress the object is still being created. */
export function RunPanel(props: { progress: ImportProgress | undefined; stopping: boolean; onStop: () => void }) {
  const { progress } = props
  const percent = progress && progress.total > 0 ? Math.floor((progress.done / progress.total) * 100) : 0
  return (
    <div className={classes.panel}>
      <Progress.Root size="lg">
        <Progress.Section value={percent} aria-label={t('import.run.bar')} aria-valuetext={sentence(progress)} />
      </Progress.Root>
      <p className={`${classes.line} cairn-numbers`}>{sentence(progress)}</p>
      <p className={classes.line} role="status">
        {props.stopping ? t('import.run.stopping') : progress?.waiting ? t('import.run.waiting') : ''}
      </p>
      <Button variant="default" onClick={props.onStop} disabled={props.stopping || !progress} data-autofocus>
        {t('import.run.cancel')}
      </Button>
    </div>
  )
}

function sentence(progress: ImportProgress | undefined): string {
  if (!progress) return t('import.run.creating')
  const { done, total, rate } = progress
  if (rate === undefined) return t('import.run.progressStart', { done, total })
  return t('import.run.progress', { done, total, rate: Math.round(rate) })
}
