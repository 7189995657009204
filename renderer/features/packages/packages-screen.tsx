// Owns the screen of packages: what can be installed, and what is.
import { useQuery } from '@tanstack/react-query'
import { EmptyState } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { TabbedParts } from '../../components/tab-list.tsx'
import { discoveryQuery } from '../../lib/discovery.ts'
import { navigate } from '../../lib/hash-location.ts'
import { t } from '../../lib/strings.ts'
import { GalleryPart } from './gallery-part.tsx'
import { InstalledPart } from './installed-part.tsx'
import { galleryPath, installedPath } from './package-places.ts'

const tabs = ['gallery', 'installed'] as const

/** The screen; `part` is one of its tabs, `id` the package that is looked at in it. */
export function PackagesScreen(props: { part: string | undefined; id: string | undefined }) {
  const { data: manifest } = useQuery(discoveryQuery)
  const chosen = tabs.find((tab) => tab === props.part) ?? 'gallery'
  if (manifest && manifest.routes.packages == null) {
    return (
      <Page title={t('word.packages')}>
        <EmptyState title={t('packages.absent')} />
      </Page>
    )
  }
  return (
    <Page title={t('word.packages')} width="full">
      <TabbedParts
        label={t('packages.parts')}
        tabs={tabs.map((key) => ({ key, label: t(`packages.part.${key}`) }))}
        chosen={chosen}
        onChoose={(key) => navigate(key === 'installed' ? installedPath : galleryPath, { replace: true })}
      >
        {chosen === 'gallery' ? <GalleryPart id={props.id} /> : <InstalledPart id={props.id} />}
      </TabbedParts>
    </Page>
  )
}
