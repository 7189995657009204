// Owns the screen of approvals: what waits for me, what I asked for, what I decided.
import { useQuery } from '@tanstack/react-query'
import { EmptyState } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { TabbedParts } from '../../components/tab-list.tsx'
import { discoveryQuery } from '../../lib/discovery.ts'
import { navigate } from '../../lib/hash-location.ts'
import { useOwnId } from '../../lib/me.ts'
import { useOpenApprovals } from '../../lib/open-approvals.ts'
import { t } from '../../lib/strings.ts'
import { ApprovalList } from './approval-list.tsx'
import { approvalsPath } from './approval-places.ts'
import { approvalParts } from './approval-queries.ts'

/** The screen; `part` is one of its tabs, `id` the approval that is chosen in it. */
export function ApprovalsScreen(props: { part: string | undefined; id: string | undefined }) {
  const { data: manifest } = useQuery(discoveryQuery)
  const ownId = useOwnId()
  const open = useOpenApprovals()
  const chosen = approvalParts.find((part) => part === props.part) ?? 'decide'
  if (manifest && manifest.routes.approvals == null) {
    return (
      <Page title={t('word.approvals')}>
        <EmptyState title={t('approvals.absent')} />
      </Page>
    )
  }
  return (
    <Page title={t('word.approvals')} width="full">
      <TabbedParts
        label={t('approvals.parts')}
        tabs={approvalParts.map((key) => ({
          key,
          label: t(`approvals.part.${key}`),
          ...(key === 'decide' && open !== undefined ? { count: open } : {}),
        }))}
        chosen={chosen}
        onChoose={(key) =>
          navigate(approvalsPath(approvalParts.find((part) => part === key) ?? 'decide'), { replace: true })
        }
      >
        {ownId !== undefined && <ApprovalList key={chosen} part={chosen} ownId={ownId} id={props.id} />}
      </TabbedParts>
    </Page>
  )
}
