// Sends deliveries, durably: what was committed is sent until it succeeds or all attempts are made, in order per webhook and
// record as far as first attempts go, and no target keeps the others waiting. Knows no rule of when a webhook fires.
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads, Tx, Write } from '#main/kernel/database.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { Outbound } from '#main/kernel/outbound.ts'
import type { DeliveryRow } from '../store.ts'
import {
  dueDeliveries,
  dueDelivery,
  endDelivery,
  nextDue,
  putFailingSince,
  putOutcome,
  readFailingSince,
} from '../store.ts'
import type { Attempt, AttemptResult } from './attempt.ts'
import { attempt } from './attempt.ts'
import { waitMs } from './retries.ts'
import type { SecretsOfWebhooks } from './secrets.ts'
import type { StoredWebhook, WebhookList } from './webhook-list.ts'

/** The deliveries of a host. */
export interface Deliveries {
  /** Looks for what is due; to be called when deliveries were committed. */
  wake(): void
  /** Whether an attempt of a delivery is under way. */
  isInFlight(id: string): boolean
  /** Makes one attempt at once, outside of the queue; what comes of it is stored, and it is not tried again. */
  once(webhook: StoredWebhook, delivery: DeliveryRow): Promise<AttemptResult>
  /** Ends after the attempts under way. */
  stop(): Promise<void>
}

/** What deliveries work with. */
export interface DeliveryParts {
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly log: Logger
  readonly outbound: Outbound
  readonly webhooks: WebhookList
  readonly secrets: SecretsOfWebhooks
  readonly random: () => number
  /** Whether the host can be reached, and what was sent can be noted. */
  readonly isReady: () => boolean
  /** Whether what waits may leave now; what may not is given up. */
  readonly maySend: (webhook: StoredWebhook, delivery: DeliveryRow) => boolean
  /** Tells the maker of a webhook that a delivery is given up. */
  readonly tellDead: (tx: Tx, webhook: StoredWebhook, delivery: DeliveryRow) => void
  /** Switches a webhook off, with what waits for it. */
  readonly switchOff: (tx: Tx, webhook: StoredWebhook) => void
}

const atOnce = 64
const atOncePerWebhook = 8
const lookedAt = 1_000
/** The queue is read at most this often: a read of a long one takes some milliseconds, and deliveries end each millisecond. */
const readPauseMs = 20
const readyPollMs = 50
const longestSleepMs = 60_000
/** A webhook that only fails for so long is switched off. @source D-194 */
const failingMs = 5 * 86_400_000

/** Makes the deliveries; they begin with what an earlier run of the host left. */
export function createDeliveries(parts: DeliveryParts): Deliveries {
  const { read, write, clock, log, webhooks, secrets } = parts
  const abort = new AbortController()
  const running = new Map<string, Promise<void>>()
  const inFlight = new Set<string>()
  const perWebhook = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  let isDue = false
  /** What was read and not begun, by record; a row is looked at again before it is sent. */
  let waiting = new Map<string, DeliveryRow[]>()
  /** Whether something may be due that was not read. */
  let isPastRead = true
  let mayRead = true
  let readAt = 0

  const finish = async (webhook: StoredWebhook, delivery: DeliveryRow, result: AttemptResult): Promise<void> => {
    const { verdict, request, responseBody, retryAfter } = result
    const attempts = [...(JSON.parse(delivery.attempts) as Attempt[]), result.attempt]
    const now = clock.now()
    const wait =
      verdict === 'retry'
        ? waitMs(webhook.definition.retryPolicy, attempts.length, retryAfter, now, parts.random())
        : null
    const status = verdict === 'success' ? 'success' : wait === null ? 'dead' : 'failed'
    const { id } = webhook.row
    const noted = (tx: Tx): void => {
      const outcome = {
        id: delivery.id,
        status,
        attempts: JSON.stringify(attempts),
        request: JSON.stringify(request),
        response_body: responseBody ?? null,
        next_attempt_at: wait === null ? null : now + wait,
      } as const
      putOutcome(tx, outcome, delivery.body)
      const since = readFailingSince(tx, id)
      if (status === 'success') {
        if (since !== null) putFailingSince(tx, id, null)
        return
      }
      if (since === null) putFailingSince(tx, id, now)
      if (status === 'dead') parts.tellDead(tx, webhook, delivery)
      if (verdict === 'ended' || now - (since ?? now) >= failingMs) parts.switchOff(tx, webhook)
    }
    // On a full disk, too: what was sent and is not noted is sent again.
    await write('webhooks.attempt', noted, { whenFull: true })
  }

  /** @param answered called once the target is busy with it no more, before the outcome is on the disk */
  const send = async (delivery: DeliveryRow, answered: () => void): Promise<void> => {
    const webhook = webhooks.byId(delivery.webhook_id)
    if (webhook === undefined) return
    if (!parts.maySend(webhook, delivery)) return write('webhooks.stopped', (tx) => endDelivery(tx, delivery.id))
    inFlight.add(delivery.id)
    try {
      const result = await attempt(parts, webhook, delivery, await secrets.open(webhook.row), abort.signal)
      answered()
      // An end of the host is no failure of the other side.
      if (abort.signal.aborted && result.verdict !== 'success') return
      await finish(webhook, delivery, result)
    } finally {
      inFlight.delete(delivery.id)
    }
  }

  const hasWaiting = (webhook: string): boolean => {
    for (const [row] of waiting.values()) if (row!.webhook_id === webhook) return true
    return false
  }

  /** Sends what is due of one record to one webhook, in order. */
  const sendInOrder = async (webhook: string, rows: readonly DeliveryRow[]): Promise<void> => {
    perWebhook.set(webhook, (perWebhook.get(webhook) ?? 0) + 1)
    let isCounted = true
    const answered = (): void => {
      if (!isCounted) return
      isCounted = false
      perWebhook.set(webhook, perWebhook.get(webhook)! - 1)
      lookSoon()
    }
    const last = rows.at(-1)!
    try {
      for (const { id } of rows) {
        const row = abort.signal.aborted ? undefined : dueDelivery(read, id, clock.now())
        if (row !== undefined) await send(row, id === last.id ? answered : () => undefined)
      }
    } catch (error) {
      log.error({ err: error }, 'A delivery could not be stored; it is sent again.')
      await new Promise((resolve) => setTimeout(resolve, 1_000).unref())
    } finally {
      answered()
    }
  }

  /** Holds a key until all of it is sent; what was sent meanwhile ends in the turn in which it begins. */
  const hold = (key: string, rows: readonly DeliveryRow[]): void => {
    const webhook = rows[0]!.webhook_id
    const sending = sendInOrder(webhook, rows).finally(() => {
      running.delete(key)
      // Of what a busy webhook has, only what was read before it was busy is known.
      if (!hasWaiting(webhook)) isPastRead = true
      lookSoon()
    })
    running.set(key, sending)
  }

  /** Begins what may begin of what was read, in order. */
  const begin = (): void => {
    for (const [key, rows] of waiting) {
      if (running.size >= atOnce) return
      if (running.has(key) || isBusy(rows)) continue
      waiting.delete(key)
      hold(key, rows)
    }
  }
  const isBusy = ([row]: readonly DeliveryRow[]): boolean => (perWebhook.get(row!.webhook_id) ?? 0) >= atOncePerWebhook

  const readDue = (now: number): void => {
    mayRead = false
    setTimeout(() => {
      mayRead = true
      if (isPastRead) lookSoon()
    }, readPauseMs).unref()
    const without = [...perWebhook].filter(([, count]) => count >= atOncePerWebhook).map(([id]) => id)
    const due = dueDeliveries(read, { now, without, limit: lookedAt })
    const kept = [...waiting].filter(([, rows]) => isBusy(rows))
    waiting = new Map([...kept, ...Map.groupBy(due, keyOf)])
    // Behind the many of one webhook others may be due.
    isPastRead = due.length === lookedAt
    readAt = now
    begin()
  }

  const look = (): void => {
    isDue = false
    if (abort.signal.aborted) return
    clearTimeout(timer)
    if (!parts.isReady()) {
      timer = setTimeout(wake, readyPollMs).unref()
      return
    }
    const now = clock.now()
    begin()
    const next = nextDue(read, readAt)
    if (next !== null && next <= now) isPastRead = true
    if (isPastRead && mayRead && running.size < atOnce) readDue(now)
    const later = nextDue(read, now)
    if (later !== null) timer = setTimeout(wake, Math.max(1, Math.min(longestSleepMs, later - now))).unref()
  }

  const lookSoon = (): void => {
    if (isDue) return
    isDue = true
    setImmediate(() => {
      try {
        look()
      } catch (error) {
        log.error({ err: error }, 'The queue of webhooks could not be read.')
      }
    })
  }

  const wake = (): void => {
    isPastRead = true
    lookSoon()
  }

  wake()
  return {
    wake,
    isInFlight: (id) => inFlight.has(id),
    async once(webhook, delivery) {
      const signal = AbortSignal.any([abort.signal])
      const result = await attempt(parts, webhook, delivery, await secrets.open(webhook.row), signal)
      await write('webhooks.attempt', (tx) =>
        putOutcome(tx, {
          id: delivery.id,
          status: result.verdict === 'success' ? 'success' : 'dead',
          attempts: JSON.stringify([result.attempt]),
          request: JSON.stringify(result.request),
          response_body: result.responseBody ?? null,
          next_attempt_at: null,
        }),
      )
      return result
    },
    async stop() {
      abort.abort()
      clearTimeout(timer)
      await Promise.all(running.values())
    },
  }
}

function keyOf({ id, webhook_id: webhook, object, record_id: record }: DeliveryRow): string {
  return record === null ? id : `${webhook} ${object} ${record}`
}
