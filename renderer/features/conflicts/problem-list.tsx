// Owns the list of what other devices sent and could not be applied: why it waits, another try, and giving it up.
import { Button } from '@mantine/core'
import { IconCloudCheck } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Loading } from '../../components/delayed.tsx'
import { ListTable } from '../../components/list-table.tsx'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import { call } from '../../lib/api-client.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { formatMoment } from '../../lib/format.ts'
import { t, tn } from '../../lib/strings.ts'
import type { StringKey } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { problemsQuery } from './conflict-queries.ts'
import { WaitingTable } from './waiting-table.tsx'
import type { Problem } from './conflict-queries.ts'
import classes from './conflicts.module.css'

/** Reasons in words. @source design of sync, section 6 */
const reasons: Readonly<Record<string, StringKey>> = {
  missing_dep: 'conflicts.reason.missing_dep',
  unknown_kind: 'conflicts.reason.unknown_kind',
  newer_schema: 'conflicts.reason.newer_schema',
  group_incomplete: 'conflicts.reason.group_incomplete',
  forbidden: 'conflicts.reason.forbidden',
  invalid: 'conflicts.reason.invalid',
  too_big: 'conflicts.reason.too_big',
  bad_signature: 'conflicts.reason.bad_signature',
  damaged_state: 'conflicts.reason.damaged_state',
  crashed: 'conflicts.reason.crashed',
}

/** The list. */
export function ProblemList(props: { mayManage: boolean }) {
  const client = useQueryClient()
  const { data, error, refetch } = useQuery(problemsQuery)
  const [busy, setBusy] = useState<string>()

  const work = async (problem: Problem, act: () => Promise<void>): Promise<void> => {
    setBusy(keyOf(problem))
    try {
      await act()
    } catch (failure) {
      showProblem(failure)
    } finally {
      await client.invalidateQueries({ queryKey: ['sync'] })
      setBusy(undefined)
    }
  }
  const retry = async (problem: Problem): Promise<void> =>
    work(problem, async () => {
      await call('retrySyncProblem', { params: placeOf(problem) })
      const { data: after } = await refetch()
      const isThere = after?.problems.some((one) => keyOf(one) === keyOf(problem)) === true
      showToast(
        isThere
          ? { message: t('conflicts.aside.still'), tone: 'bad' }
          : { message: t('conflicts.aside.applied'), tone: 'good' },
      )
    })
  const discard = async (problem: Problem): Promise<void> => {
    const isSure = await confirmAction({
      title: t('conflicts.aside.discard.title'),
      body: t('conflicts.aside.discard.text'),
      confirmLabel: t('conflicts.aside.discard'),
    })
    if (!isSure) return
    await work(problem, async () => {
      const { file = '' } = await call('discardSyncProblem', { params: placeOf(problem) })
      showToast({ message: t('conflicts.aside.discarded', { file }), tone: 'good' })
    })
  }

  if (error && !data) return <LoadFailure error={error} onRetry={() => void refetch()} />
  if (!data) {
    return <Loading />
  }
  if (data.problems.length + data.waiting.length === 0) {
    return (
      <EmptyState icon={<IconCloudCheck size={32} stroke={1.5} aria-hidden />} title={t('conflicts.aside.none')}>
        {t('conflicts.aside.none.text')}
      </EmptyState>
    )
  }
  return (
    <>
      {data.waiting.length > 0 && <WaitingTable waiting={data.waiting} />}
      {data.problems.length > 0 && <p className={classes.keys}>{t('conflicts.aside.lead')}</p>}
      {data.problems.length > 0 && (
        <ListTable
          label={t('conflicts.aside.list')}
          className={classes.aside}
          columns={[
            { label: t('conflicts.aside.from') },
            { label: t('conflicts.aside.why') },
            { label: t('conflicts.aside.since'), wide: true },
            ...(props.mayManage ? [{ label: t('conflicts.aside.actions'), hidden: true }] : []),
          ]}
        >
          {data.problems.map((problem) => {
            const item = `${problem.inc}/${problem.seq}`
            return (
              <tr key={item}>
                <th scope="row">
                  {problem.device?.name ?? t('sessions.unknown')}
                  <span className={classes.item}>{t('conflicts.aside.item', { item })}</span>
                </th>
                <td>
                  <span className={classes.kind} data-tone={problem.kind === 'quarantine' ? 'bad' : undefined}>
                    {t(`conflicts.aside.${problem.kind}`)}
                  </span>{' '}
                  {t(reasons[problem.reason] ?? 'conflicts.reason.other')}
                  {problem.detail !== '' && problem.reason !== 'missing_dep' && (
                    <span className={classes.detail}>{problem.detail}</span>
                  )}
                </td>
                <td data-time data-wide>
                  {formatMoment(problem.since)}
                </td>
                {props.mayManage && (
                  <td data-end>
                    <Button
                      size="compact-sm"
                      variant="default"
                      loading={busy === item}
                      aria-label={t('conflicts.aside.retryOf', { item })}
                      onClick={() => void retry(problem)}
                    >
                      {t('word.tryAgain')}
                    </Button>{' '}
                    <Button
                      size="compact-sm"
                      variant="subtle"
                      color="red"
                      disabled={busy === item}
                      aria-label={t('conflicts.aside.discardOf', { item })}
                      onClick={() => void discard(problem)}
                    >
                      {t('conflicts.aside.discard')}
                    </Button>
                  </td>
                )}
              </tr>
            )
          })}
        </ListTable>
      )}
      <p className="cairn-hidden" role="status">
        {tn('conflicts.aside.count', data.total)}
      </p>
    </>
  )
}

function placeOf({ inc, seq }: Problem): { inc: string; seq: string } {
  return { inc: String(inc), seq: String(seq) }
}

function keyOf({ inc, seq }: Problem): string {
  return `${inc}/${seq}`
}
