// Owns the third part of the screen of sync: what waits to be sent, and every change that is not in its place, with the
// reason. Deciding conflicts has a screen of its own.
import { Button } from '@mantine/core'
import { IconCloudCheck } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ListTable } from '../../components/list-table.tsx'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { t, tn } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { conflictsPath } from './sync-places.ts'
import { problemsQuery, syncKey } from './sync-queries.ts'
import type { SyncProblem, SyncStatus } from './sync-queries.ts'
import { problemKindText, shortMoment, waitText } from './sync-words.ts'
import { useNow } from './use-now.ts'

const clockMs = 60_000

/** The part. */
export function WaitingPart(props: { status: SyncStatus; mayManage: boolean }) {
  const { outgoing, counts } = props.status
  const { data, error, refetch } = useQuery(problemsQuery)
  const now = useNow(clockMs)
  const problems = data?.problems
  return (
    <section className={parts.section} aria-labelledby="sync-waiting">
      <h2 id="sync-waiting">{t('wait.title')}</h2>
      <p className={`${parts.lead} cairn-numbers`}>
        {outgoing.waiting === 0 ? t('wait.out.none') : tn('wait.out', outgoing.waiting)}{' '}
        {outgoing.oldestAt !== undefined && t('wait.out.since', { time: shortMoment(outgoing.oldestAt, now) })}
      </p>
      {(['refused', 'conflicts'] as const).map(
        (kind) =>
          counts[kind] > 0 && (
            <p key={kind} className={parts.lead}>
              {t(`wait.${kind}`)}{' '}
              <a className={parts.link} href={`#${conflictsPath}`}>
                {tn(`sync.${kind}`, counts[kind])}
              </a>
            </p>
          ),
      )}
      {error && !problems && <LoadFailure error={error} onRetry={() => void refetch()} />}
      {problems?.length === 0 && (
        <EmptyState title={t('wait.none')} icon={<IconCloudCheck size={32} stroke={1.5} aria-hidden />}>
          {t('wait.none.text')}
        </EmptyState>
      )}
      {problems && problems.length > 0 && <ProblemTable problems={problems} mayManage={props.mayManage} now={now} />}
    </section>
  )
}

function ProblemTable(props: { problems: readonly SyncProblem[]; mayManage: boolean; now: Date }) {
  const columns = [
    { label: t('wait.item') },
    { label: t('wait.kind') },
    { label: t('wait.why') },
    { label: t('wait.since') },
    ...(props.mayManage ? [{ label: t('wait.actions'), hidden: true }] : []),
  ]
  return (
    <ListTable label={t('wait.list')} columns={columns}>
      {props.problems.map((problem) => (
        <ProblemLine key={`${problem.inc}-${problem.seq}`} problem={problem} {...props} />
      ))}
    </ListTable>
  )
}

function ProblemLine(props: { problem: SyncProblem; mayManage: boolean; now: Date }) {
  const { problem } = props
  const client = useQueryClient()
  const [busy, setBusy] = useState(false)
  const item = `${problem.inc}/${problem.seq}`
  const retry = async (): Promise<void> => {
    setBusy(true)
    try {
      await call('retrySyncProblem', { params: { inc: String(problem.inc), seq: String(problem.seq) } })
      showToast({ message: t('wait.retried') })
    } catch (error) {
      showProblem(error)
    } finally {
      setBusy(false)
    }
    await client.invalidateQueries({ queryKey: syncKey })
  }
  return (
    <tr>
      <th scope="row" className="cairn-numbers">
        {item}
        <span className={parts.under}>
          {t('wait.from', { device: problem.device?.name ?? t('sync.unknownDevice') })}
        </span>
      </th>
      <td>{problemKindText(problem.kind)}</td>
      <td>
        {waitText(problem.reason)}
        {problem.detail !== '' && <span className={parts.under}>{problem.detail}</span>}
      </td>
      <td data-time>{shortMoment(problem.since, props.now)}</td>
      {props.mayManage && (
        <td data-end>
          <Button
            size="compact-sm"
            variant="default"
            loading={busy}
            aria-label={t('wait.retryOf', { item })}
            onClick={() => void retry()}
          >
            {t('wait.retry')}
          </Button>
        </td>
      )}
    </tr>
  )
}
