// Owns the trash on screen: deleted records of one object or of all, with the way back and the way out.
import { Button, NativeSelect } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Delayed } from '../../components/delayed.tsx'
import { EmptyState, LoadFailure, Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import parts from '../../components/parts.module.css'
import { confirmAction } from '../../lib/confirm.ts'
import { navigate } from '../../lib/hash-location.ts'
import { ownRightsQuery, useMay } from '../../lib/own-rights.ts'
import { t, tn } from '../../lib/strings.ts'
import { showProblem } from '../../lib/toast.ts'
import { objectPluralLabel, useObjects } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import { shownOf, trashQuery, trashedQuery } from './trash-queries.ts'
import type { TrashOverview } from './trash-queries.ts'
import { TrashTable } from './trash-table.tsx'
import { emptyTrash, purgeTrashed, restoreTrashed } from './trash-tasks.ts'
import type { Place } from './trash-tasks.ts'

/** The page; `object` narrows it to one. */
export function TrashScreen(props: { object: string | undefined }) {
  const { data: overview, error, refetch } = useQuery(trashQuery)
  const { data: objects } = useObjects()
  const mayChange = useMay('manage_settings') === true
  if (error && !overview) {
    return (
      <Page title={t('word.trash')}>
        <LoadFailure error={error} onRetry={() => void refetch()} />
      </Page>
    )
  }
  if (!overview || !objects) {
    return (
      <Page title={t('word.trash')}>
        <Delayed>
          <p role="status">{t('word.loading')}</p>
        </Delayed>
      </Page>
    )
  }
  return (
    <Page
      title={t('word.trash')}
      lead={
        <>
          {overview.retentionDays === 0 ? t('trash.lead.ever') : tn('trash.lead.for', overview.retentionDays)}{' '}
          {overview.objects.some(({ retentionDays }) => retentionDays !== overview.retentionDays) && (
            <>{t('trash.lead.own')} </>
          )}
          {mayChange && (
            <a href="#/settings?find=trashRetentionDays" className={parts.link}>
              {t('trash.change')}
            </a>
          )}
        </>
      }
    >
      {overview.objects.length === 0 ? (
        <EmptyState title={t('trash.empty')} icon={<IconTrash size={32} stroke={1.5} aria-hidden />}>
          {t('trash.empty.text')}
        </EmptyState>
      ) : (
        <Contents overview={overview} objects={objects} only={props.object} />
      )}
    </Page>
  )
}

function Contents(props: { overview: TrashOverview; objects: readonly ObjectItem[]; only: string | undefined }) {
  const { overview, objects } = props
  const only = overview.objects.some(({ object }) => object === props.only) ? props.only : undefined
  const client = useQueryClient()
  const { data: records, error, refetch } = useQuery(trashedQuery(overview, objects, only))
  const { data: rights } = useQuery(ownRightsQuery)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [busy, setBusy] = useState(false)
  const mayPurge = (object: string): boolean => rights?.objects[object]?.purge === true
  const labelOf = (name: string): string => {
    const item = objects.find((each) => each.name === name)
    return item ? objectPluralLabel(item) : name
  }
  const shown = overview.objects.filter(({ object }) => only === undefined || object === only)
  const total = shown.reduce((sum, each) => sum + each.total, 0)
  const marked = (records ?? []).filter(({ key }) => chosen.has(key))
  const purgeable = shown.filter(({ object }) => mayPurge(object))

  const run = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true)
    try {
      await work()
      setChosen(new Set())
    } catch (failure) {
      showProblem(failure)
    } finally {
      setBusy(false)
      await client.invalidateQueries({ queryKey: trashQuery.queryKey })
      await client.invalidateQueries({ queryKey: ['record-count'] })
    }
  }
  const askPurge = async (count: number, work: () => Promise<void>): Promise<void> => {
    const yes = await confirmAction({
      title: tn('trash.ask.title', count),
      body: t('trash.ask.body'),
      confirmLabel: t('trash.purge'),
    })
    if (yes) await run(work)
  }
  const purge = (places: readonly Place[]): void => void askPurge(places.length, async () => purgeTrashed(places))
  const restore = (places: readonly Place[]): void => void run(async () => restoreTrashed(places))
  const countOf = purgeable.reduce((sum, each) => sum + each.total, 0)

  return (
    <>
      <div className={parts.bar}>
        <NativeSelect
          label={t('word.object')}
          value={only ?? ''}
          onChange={(event) => {
            setChosen(new Set())
            const next = event.currentTarget.value
            navigate(next === '' ? '/trash' : `/trash/${next}`, { replace: true })
          }}
          data={[
            {
              value: '',
              label: t('trash.object.all', { count: overview.objects.reduce((sum, o) => sum + o.total, 0) }),
            },
            ...overview.objects.map((each) => ({
              value: each.object,
              label: t('word.objectCount', { object: labelOf(each.object), count: each.total }),
            })),
          ]}
        />
        {purgeable.length > 0 && (
          <Button
            variant="default"
            loading={busy}
            onClick={() =>
              void askPurge(countOf, async () =>
                emptyTrash(
                  purgeable.map(({ object }) => object),
                  countOf,
                ),
              )
            }
          >
            {only === undefined ? t('trash.emptyAll') : t('trash.emptyOne', { object: labelOf(only) })}
          </Button>
        )}
      </div>
      {error && !records && <LoadFailure error={error} onRetry={() => void refetch()} />}
      {marked.length > 0 && (
        <div className={parts.actions}>
          <Button loading={busy} onClick={() => restore(marked)}>
            {tn('trash.restoreChosen', marked.length)}
          </Button>
          {marked.every(({ object }) => mayPurge(object)) && (
            <Button variant="default" loading={busy} onClick={() => purge(marked)}>
              {tn('trash.purgeChosen', marked.length)}
            </Button>
          )}
        </div>
      )}
      {records && (
        <TrashTable
          records={records}
          withObject={only === undefined}
          labelOf={labelOf}
          mayPurge={mayPurge}
          busy={busy}
          chosen={chosen}
          onChoose={setChosen}
          onRestore={(record) => restore([record])}
          onPurge={(record) => purge([record])}
        />
      )}
      {records && records.length < total && (
        <Notice tone="info">
          {only === undefined ? t('trash.more', { count: shownOf.each }) : t('trash.moreOne', { count: shownOf.one })}
        </Notice>
      )}
      <p className="cairn-hidden" role="status">
        {tn('word.selected', marked.length)}
      </p>
    </>
  )
}
