// Owns the list of schedules: when each flow starts by itself, in words, and pausing it.
import { Button } from '@mantine/core'
import { IconClock } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Loading } from '../../components/delayed.tsx'
import { ListTable } from '../../components/list-table.tsx'
import { EmptyState } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { formatMoment, formatNumber } from '../../lib/format.ts'
import { t, tn } from '../../lib/strings.ts'
import { showProblem } from '../../lib/toast.ts'
import { AccessFailure } from '../access/index.ts'
import { flowPath } from './automation-places.ts'
import { automationKey, flowsQuery, schedulesQuery } from './automation-queries.ts'
import type { Schedule } from './automation-queries.ts'
import { ScheduleRunner } from './schedule-runner.tsx'
import { cronText, distanceText, momentIn, nextRuns } from './schedule-words.ts'

/** The list. */
export function ScheduleList() {
  const client = useQueryClient()
  const { data: schedules, error, refetch, dataUpdatedAt } = useQuery(schedulesQuery)
  const { data: flows } = useQuery(flowsQuery)
  const setPaused = async ({ flowName: name }: Schedule, paused: boolean): Promise<void> => {
    try {
      await call(paused ? 'pauseSchedule' : 'resumeSchedule', { params: { name } })
    } catch (failure) {
      showProblem(failure)
    }
    await client.invalidateQueries({ queryKey: automationKey })
  }
  if (error && !schedules)
    return <AccessFailure error={error} permission="manage_flows" onRetry={() => void refetch()} />
  if (!schedules) {
    return <Loading />
  }
  if (schedules.length === 0) {
    return (
      <EmptyState title={t('schedules.none')} icon={<IconClock size={32} stroke={1.5} aria-hidden />}>
        {t('schedules.none.text')}
      </EmptyState>
    )
  }
  const columns = [
    { label: t('word.flow') },
    { label: t('word.when') },
    { label: t('schedules.next') },
    { label: t('schedules.last'), wide: true },
    { label: t('schedules.runs'), number: true, wide: true },
    { label: t('word.actions'), hidden: true },
  ]
  return (
    <>
      <ScheduleRunner />
      <ListTable label={t('schedules.list')} columns={columns}>
        {schedules.map((schedule) => {
          const { flowName, cron, timezone, status, lastRunAt, totalRuns, consecutiveFailures, runsOn, stopped } =
            schedule
          const label = flows?.find(({ name }) => name === flowName)?.label ?? flowName
          const isPaused = status === 'paused'
          return (
            <tr key={flowName}>
              <th scope="row">
                <a href={`#${flowPath(flowName)}`} className={parts.link}>
                  {label}
                </a>
                {(isPaused || stopped !== undefined) && (
                  <span className={parts.badge} data-tone="quiet">
                    {t(isPaused ? 'schedules.paused' : 'schedules.stopped')}
                  </span>
                )}
                {stopped !== undefined && <span className={parts.under}>{t('schedules.stopped.help')}</span>}
              </th>
              <td>
                {cronText(cron)}
                <span className={parts.under}>
                  {cron}, {timezone}
                </span>
                {runsOn && (
                  <span className={parts.under}>
                    {runsOn.isThis ? t('schedules.runsHere') : t('schedules.runsOn', { machine: runsOn.name })}
                    {runsOn.next && t('schedules.goesTo', { machine: runsOn.next.name })}
                  </span>
                )}
              </td>
              <td>
                <NextRuns schedule={schedule} now={dataUpdatedAt} />
              </td>
              <td data-wide>
                {lastRunAt === null ? t('flows.never') : formatMoment(lastRunAt)}
                {consecutiveFailures > 0 && (
                  <span className={parts.problem} style={{ display: 'block' }}>
                    {tn('schedules.failures', consecutiveFailures)}
                  </span>
                )}
              </td>
              <td data-number data-wide>
                {formatNumber(totalRuns)}
              </td>
              <td data-end>
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={t(isPaused ? 'schedules.resumeOf' : 'schedules.pauseOf', { flow: label })}
                  onClick={() => void setPaused(schedule, !isPaused)}
                >
                  {t(isPaused ? 'schedules.resume' : 'schedules.pause')}
                </Button>
              </td>
            </tr>
          )
        })}
      </ListTable>
    </>
  )
}

function NextRuns({ schedule, now }: { schedule: Schedule; now: number }) {
  const [first, ...more] = nextRuns(schedule)
  if (first === undefined) return <>{t('schedules.noNext')}</>
  const { timezone } = schedule
  return (
    <>
      <time dateTime={first.toISOString()}>
        {distanceText(first, now)}, {momentIn(first, timezone)}
      </time>
      {more.length > 0 && (
        <span className={parts.under}>
          {t('schedules.then', { moments: more.map((each) => momentIn(each, timezone)).join('; ') })}
        </span>
      )}
    </>
  )
}
