// One attempt of a delivery: the request as it leaves, and what came back. Knows no queue.
import type { Clock } from '#main/kernel/clock.ts'
import type { Outbound } from '#main/kernel/outbound.ts'
import { OutboundError } from '#main/kernel/outbound.ts'
import type { DeliveryRow } from '../store.ts'
import { maskedSecret } from '#shared/contracts/webhooks.ts'
import type { WebhookSecrets } from './secrets.ts'
import { sign } from './signature.ts'
import type { StoredWebhook } from './webhook-list.ts'
import type { AttemptVerdict } from './retries.ts'
import { verdictOf } from './retries.ts'

/** An attempt as a delivery lists it. */
export interface Attempt {
  readonly at: string
  readonly durationMs: number
  readonly responseStatus?: number
  readonly error?: string
}

/** The request as it is shown: without what proves who sent it. */
export interface ShownRequest {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** What an attempt came to. */
export interface AttemptResult {
  readonly attempt: Attempt
  readonly verdict: AttemptVerdict
  readonly request: ShownRequest
  readonly responseBody?: string
  /** As the other side wrote it. */
  readonly retryAfter?: string
}

/** Characters of an answer that are kept. */
const keptAnswer = 16_384

/** Makes one request. Never throws. @source D-193 */
export async function attempt(
  { clock, outbound }: { readonly clock: Clock; readonly outbound: Outbound },
  { definition, row }: StoredWebhook,
  delivery: Pick<DeliveryRow, 'event_id' | 'trigger' | 'body' | 'attempts'>,
  secrets: WebhookSecrets,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const { url, method, timeoutMs } = definition
  const { body } = delivery
  const number = (JSON.parse(delivery.attempts) as unknown[]).length + 1
  const proof = proofOf(definition.authentication?.type, secrets)
  const own = headersOf(delivery, { name: row.name, number, secrets, now: clock.now(), hasBody: body !== null })
  const headers = { ...own.plain, ...proof, ...plainHeaders(definition.headers), ...own.signed }
  const masked = Object.fromEntries(Object.keys(proof).map((name) => [name, maskedSecret]))
  const request: ShownRequest = {
    url,
    method,
    headers: { ...headers, ...masked },
    ...(body === null ? {} : { body }),
  }
  const at = clock.iso()
  const began = performance.now()
  const took = (): number => Math.round(performance.now() - began)
  try {
    // `webhook-id` is the same whenever it arrives.
    const given = { url, method, headers, timeoutMs, signal, mayArriveTwice: true, ...(body === null ? {} : { body }) }
    const answer = await outbound.send(given)
    const retryAfter = answer.headers['retry-after']
    return {
      attempt: { at, durationMs: took(), responseStatus: answer.status },
      verdict: verdictOf(answer.status),
      request,
      responseBody: answer.body.toString('utf8').slice(0, keptAnswer),
      ...(typeof retryAfter === 'string' ? { retryAfter } : {}),
    }
  } catch (error) {
    const reason = error instanceof OutboundError ? error.reason : 'unreachable'
    const verdict = reason === 'unreachable' || reason === 'timeout' ? 'retry' : 'refused'
    const code = reason === 'target_forbidden' ? 'webhook_target_forbidden' : reason
    return { attempt: { at, durationMs: took(), error: code }, verdict, request }
  }
}

interface OwnHeaders {
  readonly name: string
  readonly number: number
  readonly secrets: WebhookSecrets
  readonly now: number
  readonly hasBody: boolean
}

function headersOf(
  delivery: Pick<DeliveryRow, 'event_id' | 'trigger' | 'body'>,
  { name, number, secrets, now, hasBody }: OwnHeaders,
): { plain: Record<string, string>; signed: Record<string, string> } {
  const timestamp = Math.floor(now / 1_000)
  const { former, secret } = secrets
  const keys = former !== undefined && former.until > now ? [secret, former.secret] : [secret]
  const message = { id: delivery.event_id, timestamp, body: delivery.body ?? '' }
  return {
    plain: {
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
      'user-agent': 'Cairn-Webhooks/1',
      'cairn-webhook': name,
      'cairn-trigger': delivery.trigger,
      'cairn-attempt': String(number),
    },
    signed: {
      'webhook-id': message.id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': sign(keys, message),
    },
  }
}

function proofOf(type: string | undefined, { credentials = {} }: WebhookSecrets): Record<string, string> {
  switch (type) {
    case 'bearer':
      return { authorization: `Bearer ${credentials['token']}` }
    case 'basic': {
      const pair = `${credentials['username']}:${credentials['password']}`
      return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
    }
    case 'api-key':
      return { [credentials['header']!.toLowerCase()]: credentials['key']! }
    default:
      return {}
  }
}

/** Names in one spelling, so that a configured header takes the place of one of ours. */
function plainHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
