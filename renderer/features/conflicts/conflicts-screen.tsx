// Owns the screen of conflicts: what people decide after devices met, and what lies aside; the address says which part and
// which record.
import { Button } from '@mantine/core'
import { IconArrowsJoin2 } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from 'wouter'
import { Loading } from '../../components/delayed.tsx'
import { EmptyState } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { TabbedParts } from '../../components/tab-list.tsx'
import { navigate } from '../../lib/hash-location.ts'
import { t } from '../../lib/strings.ts'
import { isOn, useMayManage, useSyncStatus } from '../sync/index.ts'
import { ConflictList } from './conflict-list.tsx'
import { conflictStates, openCountQuery, problemsQuery } from './conflict-queries.ts'
import type { ConflictScope } from './conflict-queries.ts'
import { ProblemList } from './problem-list.tsx'

const path = '/sync/conflicts'
const parts = ['decide', 'aside'] as const

/** The screen. */
export function ConflictsScreen() {
  const status = useSyncStatus()
  const mayManage = useMayManage()
  const search = new URLSearchParams(useSearch())
  const chosen = parts.find((part) => part === search.get('part')) ?? 'decide'
  const on = isOn(status)
  const { data: count } = useQuery({ ...openCountQuery, enabled: on })
  const { data: problems } = useQuery({ ...problemsQuery, enabled: on })
  if (status === undefined) {
    return (
      <Page title={t('word.conflicts')}>
        <Loading />
      </Page>
    )
  }
  if (!on) {
    return (
      <Page title={t('word.conflicts')}>
        <EmptyState
          icon={<IconArrowsJoin2 size={32} stroke={1.5} aria-hidden />}
          title={t('conflicts.off')}
          actions={
            <Button component="a" href="#/sync" variant="default">
              {t('nav.sync')}
            </Button>
          }
        >
          {t('conflicts.off.text')}
        </EmptyState>
      </Page>
    )
  }
  const scope: ConflictScope = {
    state: conflictStates.find((state) => state === search.get('state')) ?? 'open',
    object: search.get('object') ?? undefined,
    recordId: search.get('record') ?? undefined,
  }
  const go = (change: Readonly<Record<string, string | undefined>>): void => {
    const next = new URLSearchParams(search)
    for (const [name, value] of Object.entries(change)) {
      if (value === undefined) next.delete(name)
      else next.set(name, value)
    }
    navigate(next.size > 0 ? `${path}?${next.toString()}` : path, { replace: true })
  }
  const isNarrow = scope.object !== undefined || scope.recordId !== undefined
  return (
    <Page title={t('word.conflicts')} lead={t('conflicts.lead')}>
      <TabbedParts
        label={t('conflicts.parts')}
        tabs={[
          { key: 'decide', label: t('conflicts.part.decide'), ...(count === undefined ? {} : { count }) },
          {
            key: 'aside',
            label: t('conflicts.part.aside'),
            ...(problems === undefined ? {} : { count: problems.total + problems.waiting.length }),
          },
        ]}
        chosen={chosen}
        onChoose={(part) => go({ part: part === 'decide' ? undefined : part })}
      >
        {chosen === 'decide' ? (
          <ConflictList
            key={`${scope.object} ${scope.recordId}`}
            scope={scope}
            ownDevice={status.device?.id}
            onState={(state) => go({ state: state === 'open' ? undefined : state })}
            onAll={isNarrow ? () => go({ object: undefined, record: undefined }) : undefined}
          />
        ) : (
          <ProblemList mayManage={mayManage === true} />
        )}
      </TabbedParts>
    </Page>
  )
}
