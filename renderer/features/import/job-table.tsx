// Owns the list of imports as a table: what came from where, when, and how it ended.
import { t } from '../../lib/strings.ts'
import type { StringKey } from '../../lib/strings.ts'
import { objectPluralLabel, useObjects } from '../objects/index.ts'
import { isUndoing } from './job-queries.ts'
import type { ImportJob } from './job-queries.ts'
import classes from './job-table.module.css'

/** Jobs, one line each; `ofOne` leaves the column of the object out. */
export function JobTable(props: { jobs: readonly ImportJob[]; ofOne?: boolean; label: string }) {
  const { data: objects } = useObjects()
  const labelOf = (name: string): string => {
    const object = objects?.find((candidate) => candidate.name === name)
    return object ? objectPluralLabel(object) : name
  }
  return (
    <div className={classes.scroll} tabIndex={0} role="region" aria-label={props.label}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{t('import.list.source')}</th>
            {!props.ofOne && <th scope="col">{t('import.list.object')}</th>}
            <th scope="col">{t('import.list.state')}</th>
            <th scope="col" className={classes.number}>
              {t('import.list.added')}
            </th>
            <th scope="col" className={classes.number}>
              {t('import.list.updated')}
            </th>
            <th scope="col" className={classes.number}>
              {t('import.list.failed')}
            </th>
            <th scope="col">{t('import.list.started')}</th>
          </tr>
        </thead>
        <tbody>
          {props.jobs.map((job) => (
            <tr key={job.jobId}>
              <th scope="row">
                <a href={`#/imports/${job.jobId}`} className={classes.link}>
                  {job.fileName ?? t('import.pasted')}
                </a>
              </th>
              {!props.ofOne && <td>{labelOf(job.object)}</td>}
              <td>{stateOf(job)}</td>
              <td className={`${classes.number} cairn-numbers`}>{job.created.toLocaleString('en')}</td>
              <td className={`${classes.number} cairn-numbers`}>{job.updated.toLocaleString('en')}</td>
              <td className={`${classes.number} cairn-numbers`}>{job.failed.toLocaleString('en')}</td>
              <td className={classes.time}>
                {new Date(job.createdAt).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' })}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function stateOf(job: ImportJob): string {
  if (isUndoing(job)) return t('import.state.undoing')
  if (job.paused) return t('import.state.paused')
  if (job.dryRun && job.status === 'completed') return t('import.state.checked')
  const text = t(`import.state.${job.status}` as StringKey)
  if (job.status !== 'running' || job.total === 0) return text
  return `${text}, ${Math.floor((job.processed / job.total) * 100)} %`
}
