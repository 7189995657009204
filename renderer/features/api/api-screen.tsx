// Owns the page for people who write programs: requests behind a view, documentation to try, GraphQL, and assistants.
import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { Loading } from '../../components/delayed.tsx'
import { Page } from '../../components/page.tsx'
import { TabbedParts } from '../../components/tab-list.tsx'
import { discoveryQuery } from '../../lib/discovery.ts'
import { navigate } from '../../lib/hash-location.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { t } from '../../lib/strings.ts'
import { apiParts, apiPath } from './api-places.ts'
import type { ApiPart } from './api-places.ts'
import { RequestsPart } from './requests-part.tsx'

const ReferencePart = lazyPart(async () => ({ default: (await import('./reference-part.tsx')).ReferencePart }))
const ExplorerPart = lazyPart(async () => ({ default: (await import('./explorer-part.tsx')).ExplorerPart }))
const ConnectionsPart = lazyPart(async () => ({ default: (await import('./connections-part.tsx')).ConnectionsPart }))

/** The page; `part` is one of its tabs, `object` what is chosen in it. */
export function ApiScreen(props: { part: string | undefined; object: string | undefined }) {
  const { data: manifest } = useQuery(discoveryQuery)
  const missing: Partial<Record<ApiPart, boolean>> = {
    graphql: manifest?.routes.graphql === null,
    assistants: manifest?.routes.mcp === null,
  }
  const parts = apiParts.filter((part) => missing[part] !== true)
  const chosen = parts.find((part) => part === props.part) ?? 'requests'
  return (
    <Page title={t('word.api')} lead={t('api.lead')} width="full">
      <TabbedParts
        label={t('api.parts')}
        tabs={parts.map((key) => ({ key, label: t(`api.part.${key}`) }))}
        chosen={chosen}
        onChoose={(key) => navigate(apiPath(key as ApiPart), { replace: true })}
      >
        <Suspense fallback={<Loading />}>
          {chosen === 'requests' && <RequestsPart object={props.object} />}
          {chosen === 'reference' && <ReferencePart object={props.object} />}
          {chosen === 'graphql' && <ExplorerPart />}
          {chosen === 'assistants' && <ConnectionsPart />}
        </Suspense>
      </TabbedParts>
    </Page>
  )
}
