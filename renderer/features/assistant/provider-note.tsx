// Owns saying who answers, and what of the records leaves this computer for that.
import { useQuery } from '@tanstack/react-query'
import { Notice } from '../../components/notice.tsx'
import { discoveryQuery } from '../../lib/discovery.ts'
import { t } from '../../lib/strings.ts'
import { providerQuery } from './assistant-queries.ts'

/** The note; nothing until it is known. */
export function ProviderNote() {
  const { data: manifest } = useQuery(discoveryQuery)
  const { data: config } = useQuery(providerQuery)
  if (!manifest || config === undefined) return null
  // Who may not see the settings learns from discovery whether a model is set up.
  const isEmbedded = config === null ? manifest.services['ai']?.status === 'degraded' : config.provider === 'embedded'
  if (isEmbedded) {
    return (
      <Notice tone="good" title={t('assistant.embedded')}>
        {t('assistant.embedded.text')}
      </Notice>
    )
  }
  const host = config?.baseUrl ? new URL(config.baseUrl).host : t('assistant.model.elsewhere')
  return (
    <Notice tone="warn" title={t('assistant.model', { model: config?.model ?? '', host })}>
      {t('assistant.model.text')}
    </Notice>
  )
}
