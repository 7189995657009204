// Owns the runs of a flow: their list by state, the chosen one beside it, and keeping both in step with the host.
import { Button, NativeSelect } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { ListDetail } from '../../components/list-detail.tsx'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { formatMoment } from '../../lib/format.ts'
import { createCoalescer, useChannel } from '../../lib/realtime/index.ts'
import { t } from '../../lib/strings.ts'
import { flowPath, runPath } from './automation-places.ts'
import { runsKey, runsQuery } from './automation-queries.ts'
import type { RunStatus } from './automation-queries.ts'
import { RunDetail } from './run-detail.tsx'
import { durationText, runStatuses, runTone, triggerText } from './run-words.ts'

/** The part. */
export function RunsPart(props: { name: string; runId: string | undefined }) {
  const { name, runId } = props
  const client = useQueryClient()
  const [status, setStatus] = useState<RunStatus | ''>('')
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    runsQuery(name, status),
  )
  const refresh = useMemo(
    () => createCoalescer(async () => client.invalidateQueries({ queryKey: runsKey(name) })),
    [client, name],
  )
  useEffect(() => () => refresh.stop(), [refresh])
  useChannel(`flow:${name}`, (message) => {
    if (message.kind !== 'presence') refresh.ask()
  })
  const runs = data?.pages.flatMap((page) => page.runs)
  if (error && !data) return <LoadFailure error={error} onRetry={() => void refetch()} />
  if (!runs) return null
  if (runs.length === 0 && status === '') return <EmptyState title={t('runs.none')}>{t('runs.none.text')}</EmptyState>
  return (
    <>
      <div className={parts.bar}>
        <NativeSelect
          label={t('runs.status')}
          value={status}
          data={[
            { value: '', label: t('runs.status.any') },
            ...runStatuses.map((value) => ({ value, label: t(`runs.status.${value}`) })),
          ]}
          onChange={(event) => setStatus(runStatuses.find((each) => each === event.currentTarget.value) ?? '')}
        />
      </div>
      <ListDetail
        label={t('runs.list')}
        entries={runs.map((run) => ({
          key: run.id,
          href: `#${runPath(name, run.id)}`,
          label: formatMoment(run.createdAt),
          note: [triggerText(run.trigger), durationText(run.durationMs)].filter((part) => part !== '').join(', '),
          mark: (
            <span className={parts.badge} data-tone={runTone(run.status)}>
              {t(`runs.status.${run.status}`)}
            </span>
          ),
        }))}
        chosen={runId}
        back={{ href: `#${flowPath(name)}`, label: t('runs.back') }}
        after={
          hasNextPage && (
            <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {t('runs.more')}
            </Button>
          )
        }
      >
        {runId === undefined ? (
          <EmptyState title={t(runs.length === 0 ? 'runs.noMatch' : 'runs.choose')} />
        ) : (
          <RunDetail key={runId} name={name} runId={runId} />
        )}
      </ListDetail>
    </>
  )
}
