// Owns the page of notifications: the inbox and how one is told, one at a time.
import { useQuery } from '@tanstack/react-query'
import { EmptyState } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { TabbedParts } from '../../components/tab-list.tsx'
import { discoveryQuery } from '../../lib/discovery.ts'
import { navigate } from '../../lib/hash-location.ts'
import { t } from '../../lib/strings.ts'
import { Inbox } from './inbox.tsx'
import { PreferencesPart } from './preferences-part.tsx'

const parts = ['inbox', 'preferences'] as const

/** The page; `part` is one of the tabs, the inbox when absent. */
export function NotificationsScreen(props: { part: string | undefined }) {
  const { data: manifest } = useQuery(discoveryQuery)
  const chosen = parts.find((part) => part === props.part) ?? 'inbox'
  if (manifest && manifest.routes.notifications == null) {
    return (
      <Page title={t('notices.title')}>
        <EmptyState title={t('notices.absent')} />
      </Page>
    )
  }
  return (
    <Page title={t('notices.title')}>
      <TabbedParts
        label={t('notices.parts')}
        tabs={parts.map((key) => ({ key, label: t(`notices.${key}`) }))}
        chosen={chosen}
        onChoose={(key) => navigate(key === 'inbox' ? '/notifications' : `/notifications/${key}`, { replace: true })}
      >
        {chosen === 'inbox' ? <Inbox /> : <PreferencesPart />}
      </TabbedParts>
    </Page>
  )
}
