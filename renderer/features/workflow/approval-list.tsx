// Owns one part of the inbox: its approvals, the chosen one beside them.
import { Button } from '@mantine/core'
import { IconChecklist } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Loading } from '../../components/delayed.tsx'
import { ListDetail } from '../../components/list-detail.tsx'
import { Moment } from '../../components/moment.tsx'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { waitsFor } from '../../lib/open-approvals.ts'
import { t } from '../../lib/strings.ts'
import { useObjects } from '../objects/index.ts'
import { ApprovalDetail } from './approval-detail.tsx'
import { approvalsPath } from './approval-places.ts'
import { approvalsQuery, objectWord, useTitles } from './approval-queries.ts'
import type { ApprovalPart } from './approval-queries.ts'
import { useListWords } from './use-list-words.ts'
import { approvalTone } from './workflow-words.ts'
import classes from './workflow.module.css'

/** The part. */
export function ApprovalList(props: { part: ApprovalPart; ownId: string; id: string | undefined }) {
  const { part, ownId, id } = props
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    approvalsQuery(part, ownId),
  )
  const { data: objects } = useObjects()
  const all = data?.pages.flatMap(({ requests }) => requests)
  const approvals = part === 'asked' ? all : all?.filter((one) => waitsFor(one, ownId) === (part === 'decide'))
  const titleOf = useTitles(approvals ?? [])
  const wordsOf = useListWords(approvals ?? [])
  if (error && !data) return <LoadFailure error={error} onRetry={() => void refetch()} />
  if (!approvals) {
    return <Loading />
  }
  const older = hasNextPage && (
    <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
      {t('word.showOlder')}
    </Button>
  )
  if (approvals.length === 0 && id === undefined) {
    return (
      <EmptyState
        title={t(`approvals.none.${part}`)}
        icon={<IconChecklist size={32} stroke={1.5} aria-hidden />}
        actions={older}
      >
        {t(`approvals.none.${part}.text`)}
      </EmptyState>
    )
  }
  return (
    <ListDetail
      label={t(`approvals.part.${part}`)}
      entries={approvals.map((one) => ({
        key: one.id,
        href: `#${approvalsPath(part, one.id)}`,
        label: titleOf(one) ?? t('approvals.record', { object: objectWord(objects, one.object) }),
        note: wordsOf(one),
        mark: (
          <span className={classes.mark}>
            {part !== 'decide' && (
              <span className={parts.badge} data-tone={approvalTone(one.status)}>
                {t(`approval.status.${one.status}`)}
              </span>
            )}
            <span className={classes.quiet}>
              <Moment at={one.createdAt} />
            </span>
          </span>
        ),
      }))}
      chosen={id}
      back={{ href: `#${approvalsPath(part)}`, label: t(`approvals.part.${part}`) }}
      after={older}
    >
      {id === undefined ? <EmptyState title={t('approvals.choose')} /> : <ApprovalDetail key={id} id={id} />}
    </ListDetail>
  )
}
