// Owns the list of imports as a table: what came from where, when, and how it ended.
import { ListTable } from '../../components/list-table.tsx'
import parts from '../../components/parts.module.css'
import { formatMoment, formatNumber } from '../../lib/format.ts'
import { t } from '../../lib/strings.ts'
import type { StringKey } from '../../lib/strings.ts'
import { objectPluralLabel, useObjects } from '../objects/index.ts'
import { isUndoing } from './job-queries.ts'
import type { ImportJob } from './job-queries.ts'

/** Jobs, one line each; `ofOne` leaves the column of the object out. */
export function JobTable(props: { jobs: readonly ImportJob[]; ofOne?: boolean; label: string }) {
  const { data: objects } = useObjects()
  const labelOf = (name: string): string => {
    const object = objects?.find((candidate) => candidate.name === name)
    return object ? objectPluralLabel(object) : name
  }
  const columns = [
    { label: t('import.list.source') },
    ...(props.ofOne ? [] : [{ label: t('word.object') }]),
    { label: t('word.state') },
    { label: t('word.added'), number: true },
    { label: t('import.list.updated'), number: true },
    { label: t('import.list.failed'), number: true },
    { label: t('import.list.started') },
  ]
  return (
    <ListTable label={props.label} columns={columns}>
      {props.jobs.map((job) => (
        <tr key={job.jobId}>
          <th scope="row">
            <a href={`#/imports/${job.jobId}`} className={parts.link}>
              {job.fileName ?? t('import.pasted')}
            </a>
          </th>
          {!props.ofOne && <td>{labelOf(job.object)}</td>}
          <td>{stateOf(job)}</td>
          <td data-number>{formatNumber(job.created)}</td>
          <td data-number>{formatNumber(job.updated)}</td>
          <td data-number>{formatNumber(job.failed)}</td>
          <td data-time>{formatMoment(job.createdAt)}</td>
        </tr>
      ))}
    </ListTable>
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
