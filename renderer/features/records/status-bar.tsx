// Owns the line under the grid: how many records, how many cells are selected, whether something is loading or failed.
import { Button } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { isSingleCell, rangeOf } from '../../components/grid/index.ts'
import type { GridProgress, GridSelection } from '../../components/grid/index.ts'
import { locale } from '../../lib/language.ts'
import { t, tn } from '../../lib/strings.ts'
import { maxGroups } from './group-query.ts'
import classes from './records.module.css'
import type { RecordRows } from './use-record-rows.ts'

/** The status of a view. */
export function StatusBar(props: {
  total: number | undefined
  changes: RecordRows['changes']
  /** Whether there are more groups than are shown. */
  cut: boolean
  error: unknown
  filtered: boolean
  checkedCount: number
  selection: GridSelection | undefined
  /** How far a write of many rows is; null while there is none. */
  progress: GridProgress | null
  onRetry: () => void
}) {
  const { total, selection, progress } = props
  const ends = selection && !isSingleCell(selection) ? selection.ranges.at(-1) : undefined
  const range = ends && rangeOf(ends)
  return (
    <div className={`${classes.status} cairn-numbers`}>
      <span role="status">
        {total !== undefined && tn(props.filtered ? 'records.countFiltered' : 'records.count', total)}
      </span>
      {props.checkedCount > 0 && <span>{tn('word.selected', props.checkedCount)}</span>}
      {props.cut && <span>{t('groups.cut', { count: maxGroups.toLocaleString(locale) })}</span>}
      {range && (
        <span>{t('records.range', { rows: range.bottom - range.top + 1, columns: range.right - range.left + 1 })}</span>
      )}
      {progress && <Writing {...progress} />}
      {props.error !== undefined && props.error !== null ? (
        <span role="alert" className={classes.statusProblem}>
          {t('records.failedBlock')}{' '}
          <Button size="compact-xs" variant="default" onClick={props.onRetry}>
            {t('word.tryAgain')}
          </Button>
        </span>
      ) : (
        <Loading {...props.changes} />
      )}
    </div>
  )
}

/** Whether rows are on their way: drawn for itself, since it changes with every block of them. */
function Loading({ subscribe, loading }: RecordRows['changes']) {
  const isLoading = useSyncExternalStore(subscribe, loading)
  return <span className={classes.statusEnd}>{isLoading ? t('word.loading') : ''}</span>
}

function Writing({ phase, done, total }: GridProgress) {
  const text = t(`records.progress.${phase}`, {
    done: done.toLocaleString(locale),
    total: total.toLocaleString(locale),
  })
  return (
    <span className={classes.writing}>
      <progress
        className={classes.writingBar}
        value={done}
        max={Math.max(total, 1)}
        aria-label={t('records.progress.bar')}
      />
      {text}
    </span>
  )
}
