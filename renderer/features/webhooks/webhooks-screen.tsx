// Owns the screen of webhooks: what this workspace sends to other systems, and where other systems call it.
import { useQuery } from '@tanstack/react-query'
import { EmptyState } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { TabbedParts } from '../../components/tab-list.tsx'
import { discoveryQuery } from '../../lib/discovery.ts'
import { navigate } from '../../lib/hash-location.ts'
import { t } from '../../lib/strings.ts'
import { OutgoingPart } from './outgoing-part.tsx'
import { ReceiversPart } from './receivers-part.tsx'
import { receiversPath, webhooksPath } from './webhook-places.ts'

const tabs = ['out', 'in'] as const

/** The screen; `part` is one of its tabs, `name` what is chosen in it. */
export function WebhooksScreen(props: { part: string | undefined; name: string | undefined }) {
  const { data: manifest } = useQuery(discoveryQuery)
  const chosen = tabs.find((tab) => tab === props.part) ?? 'out'
  if (manifest && manifest.routes.webhooks == null) {
    return (
      <Page title={t('word.webhooks')}>
        <EmptyState title={t('webhooks.absent')} />
      </Page>
    )
  }
  return (
    <Page title={t('word.webhooks')} width="full">
      <TabbedParts
        label={t('webhooks.parts')}
        tabs={tabs.map((key) => ({ key, label: t(`webhooks.part.${key}`) }))}
        chosen={chosen}
        onChoose={(key) => navigate(key === 'in' ? receiversPath : webhooksPath, { replace: true })}
      >
        {chosen === 'out' ? <OutgoingPart name={props.name} /> : <ReceiversPart name={props.name} />}
      </TabbedParts>
    </Page>
  )
}
