// Owns the sentences about webhooks and deliveries that are put together: when one is sent, what came back. Pure.
import { t, tn } from '../../lib/strings.ts'
import type { Delivery, DeliveryStatus, Webhook } from './webhook-queries.ts'

/** When a webhook is sent. */
export function sendText(webhook: Pick<Webhook, 'object' | 'triggers'>): string {
  const words = webhook.triggers.map((trigger) => t(`webhooks.trigger.${trigger}`))
  if (webhook.object === undefined || words.length === 0) return t('webhooks.sends.byHand')
  return t('webhooks.sends.of', { object: webhook.object, words: words.join(', ') })
}

/** How a webhook is tried again. */
export function retryText({ retryPolicy }: Pick<Webhook, 'retryPolicy'>): string {
  if (!retryPolicy) return t('webhooks.retries.usual')
  const { maxRetries, backoffStrategy } = retryPolicy
  if (maxRetries === 0) return t('webhooks.retries.never')
  return tn('webhooks.retries.times', maxRetries, { strategy: t(`webhooks.retries.${backoffStrategy}`) })
}

/** What came back of one attempt. */
export function answerText(
  attempt: Pick<Delivery['attempts'][number], 'responseStatus' | 'durationMs' | 'error'>,
): string {
  const { responseStatus, durationMs, error } = attempt
  const ms = Math.round(durationMs)
  if (responseStatus !== undefined) return t('deliveries.answered', { status: String(responseStatus), ms })
  return t('deliveries.noAnswer', { error: error ?? t('deliveries.noAnswer.unknown'), ms })
}

/** The colour that goes with the word of a status. */
export function deliveryTone(status: DeliveryStatus): 'good' | 'bad' | 'warn' | 'quiet' {
  return ({ success: 'good', dead: 'bad', failed: 'warn', pending: 'quiet', in_flight: 'quiet' } as const)[status]
}
