// Owns the page of the assistant: questions that become queries a person can check, and conversations about records.
import { useQuery } from '@tanstack/react-query'
import { useSearch } from 'wouter'
import { EmptyState } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import { TabbedParts } from '../../components/tab-list.tsx'
import { discoveryQuery } from '../../lib/discovery.ts'
import { navigate } from '../../lib/hash-location.ts'
import { t } from '../../lib/strings.ts'
import classes from './assistant.module.css'
import { AskPart } from './ask-part.tsx'
import { ChatPart } from './chat-part.tsx'
import { ProviderNote } from './provider-note.tsx'

const tabs = ['ask', 'chat'] as const

/** The page; `part` is one of its tabs, and the address may name the object that is asked about. */
export function AssistantScreen(props: { part: string | undefined }) {
  const { data: manifest } = useQuery(discoveryQuery)
  const object = new URLSearchParams(useSearch()).get('object') ?? undefined
  const chosen = tabs.find((tab) => tab === props.part) ?? 'ask'
  if (manifest && manifest.routes.ai == null) {
    return (
      <Page title={t('word.assistant')}>
        <EmptyState title={t('assistant.absent')} />
      </Page>
    )
  }
  return (
    <Page title={t('word.assistant')} lead={t('assistant.lead')}>
      <div className={classes.provider}>
        <ProviderNote />
      </div>
      <TabbedParts
        label={t('assistant.parts')}
        tabs={tabs.map((key) => ({ key, label: t(`assistant.part.${key}`) }))}
        chosen={chosen}
        onChoose={(key) => navigate(`/assistant/${key}`, { replace: true })}
      >
        {chosen === 'ask' ? <AskPart object={object} /> : <ChatPart />}
      </TabbedParts>
    </Page>
  )
}
