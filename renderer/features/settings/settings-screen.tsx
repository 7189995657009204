// Owns the settings on screen: all of them with one search, what the workspace takes, and what Cairn is.
import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { useSearchParams } from 'wouter'
import { Delayed } from '../../components/delayed.tsx'
import { LoadFailure } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { TabbedParts } from '../../components/tab-list.tsx'
import { discoveryQuery } from '../../lib/discovery.ts'
import { navigate } from '../../lib/hash-location.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { loadHubWords, t } from '../../lib/strings.ts'
import { AboutPart } from './about-part.tsx'
import { SettingsPart } from './settings-part.tsx'
import { settingsQuery } from './settings-queries.ts'
import './setting-list.ts'
import { StoragePart } from './storage-part.tsx'

const HubPart = lazyPart(async () => {
  await loadHubWords()
  return { default: (await import('./hub-part.tsx')).HubPart }
})

const everyTab = ['all', 'storage', 'hub', 'about'] as const

/** The screen; `part` is one of its tabs. */
export function SettingsScreen(props: { part: string | undefined }) {
  const { data: manifest } = useQuery(discoveryQuery)
  const tabs = everyTab.filter((tab) => tab !== 'hub' || manifest?.features.hub === true)
  const chosen = tabs.find((tab) => tab === props.part) ?? 'all'
  const [parameters] = useSearchParams()
  const { data: options, error, refetch } = useQuery(settingsQuery)
  return (
    <Page title={t('settings.title')}>
      <TabbedParts
        label={t('settings.parts')}
        tabs={tabs.map((key) => ({ key, label: key === 'hub' ? t('peers.kind.hub') : t(`settings.part.${key}`) }))}
        chosen={chosen}
        onChoose={(key) => navigate(key === 'all' ? '/settings' : `/settings/${key}`, { replace: true })}
      >
        {chosen === 'storage' && <StoragePart />}
        {chosen === 'hub' && (
          <Suspense fallback={<p role="status">{t('word.loading')}</p>}>
            <HubPart />
          </Suspense>
        )}
        {chosen === 'about' && <AboutPart />}
        {chosen === 'all' && error && options === undefined && (
          <LoadFailure error={error} onRetry={() => void refetch()} />
        )}
        {chosen === 'all' && options === undefined && !error && (
          <Delayed>
            <p role="status">{t('word.loading')}</p>
          </Delayed>
        )}
        {chosen === 'all' && options !== undefined && (
          <SettingsPart key={parameters.get('find') ?? ''} options={options} find={parameters.get('find') ?? ''} />
        )}
      </TabbedParts>
    </Page>
  )
}
