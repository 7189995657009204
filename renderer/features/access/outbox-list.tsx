// Owns the messages that could not be mailed and wait for a person to hand them on.
import { useQuery } from '@tanstack/react-query'
import { CopyField } from '../../components/copy-field.tsx'
import parts from '../../components/parts.module.css'
import { formatMoment } from '../../lib/format.ts'
import { t } from '../../lib/strings.ts'
import type { StringKey } from '../../lib/strings.ts'
import { outboxQuery } from './access-queries.ts'

/** The list; nothing while no message waits. */
export function OutboxList() {
  const { data: messages } = useQuery(outboxQuery)
  if (!messages || messages.length === 0) return null
  return (
    <section className={parts.section} aria-labelledby="outbox">
      <h2 id="outbox">{t('people.outbox')}</h2>
      <p className={parts.lead}>{t('people.outbox.lead')}</p>
      <div className={parts.form}>
        {messages.map((message) => (
          <CopyField
            key={message.id}
            label={t('people.outbox.for', {
              kind: t(`people.outbox.${message.kind}` as StringKey),
              to: message.to,
            })}
            description={t('people.outbox.until', { until: formatMoment(message.expiresAt) })}
            value={message.content}
          />
        ))}
      </div>
    </section>
  )
}
