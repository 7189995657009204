// Posts notifications to the addresses users gave, durably: what was committed is posted, again and again for a day while
// the other side fails, in order per user and channel. Knows no preference and no message; log lines name neither.
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads, Tx, Write, WriteOptions } from '#main/kernel/database.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { Outbound, OutboundAnswer } from '#main/kernel/outbound.ts'
import { OutboundError } from '#main/kernel/outbound.ts'
import type { WebhookChannel } from './messages.ts'
import { deleteDelivery, insertDelivery, putOffDeliveries, readDue, readNextAttempt } from './delivery-store.ts'
import type { DeliveryRow } from './delivery-store.ts'
import type { NewItem, ShownNotification } from './notification.ts'
import { showItem } from './notification.ts'
import type { KeptNotification, Quotes } from './quotes.ts'
import type { Readings } from './readings.ts'

/** What is posted. */
export interface WebhookMessage {
  readonly url: string
  readonly body: string
}

/** The deliveries of one host. */
export interface Deliveries {
  /** Notes a post in the transaction; it leaves after COMMIT. */
  add(tx: Tx, channel: WebhookChannel, item: NewItem): void
  /** Ends after the posts under way. */
  stop(): Promise<void>
}

/** What deliveries work with. */
export interface DeliveryParts {
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly log: Logger
  readonly outbound: Pick<Outbound, 'send'>
  /** Whether the host can be reached, as links in messages name its address, and what was posted can be noted. */
  readonly isReady: () => boolean
  readonly readings: Pick<Readings, 'forUser'>
  /** The message as the channel wants it; undefined when the user has no address for it any more. */
  readonly messageOf: (
    userId: string,
    channel: WebhookChannel,
    notification: ShownNotification,
  ) => Promise<WebhookMessage | undefined>
}

type Outcome = 'done' | 'refused' | { readonly retryAfterMs: number }

const givenUpAfterMs = 86_400_000
const firstPauseMs = 5_000
const longestPauseMs = 3_600_000
const longestSleepMs = 60_000
/** Looked again whether posts may leave: soon after a start, seldom while the database takes nothing. */
const readyPollMs = { first: 50, longest: 500 }
const batchRows = 200
const atOnce = 4
/** Below what a stop waits for. */
const timeoutMs = 4_000
/** On a full disk, too: what was posted and is not noted is posted again. */
const small: WriteOptions = { whenFull: true }
/** Answers of a server that may think otherwise later (D-194). */
const passingStatuses: ReadonlySet<number> = new Set([408, 409, 425, 429])

/** Makes the deliveries; they begin with what an earlier run of the host left. */
export function createDeliveries(parts: DeliveryParts): Deliveries {
  const { read, write, clock, log, outbound, isReady, readings, messageOf } = parts
  const abort = new AbortController()
  let running: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let pollMs = readyPollMs.first

  const post = async (row: DeliveryRow): Promise<Outcome> => {
    // What its reader may not see any more is not posted.
    const notification = readings.forUser(keptDelivery(row))
    if (notification === null) return 'done'
    const message = await messageOf(row.user_id, row.channel, notification)
    if (message === undefined) return 'done'
    const headers = { 'content-type': 'application/json', 'user-agent': 'Cairn/1', 'webhook-id': notification.id }
    try {
      const answer = await outbound.send({ ...message, method: 'POST', headers, timeoutMs, signal: abort.signal })
      return outcomeOf(answer, row.attempts)
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      if (error.reason === 'unreachable' || error.reason === 'timeout') return { retryAfterMs: pauseMs(row.attempts) }
      return 'refused'
    }
  }

  /** Posts what is due to one address, until it fails. */
  const postInOrder = async (rows: readonly DeliveryRow[]): Promise<void> => {
    for (const row of rows) {
      if (abort.signal.aborted) return
      const outcome = await post(row)
      // An end of the host is no failure of the other side.
      if (abort.signal.aborted && outcome !== 'done') return
      if (typeof outcome === 'string') {
        if (outcome === 'refused') log.warn({ channel: row.channel }, 'A notification was refused by its channel.')
        await write('notifications.delivered', (tx) => deleteDelivery(tx, row.seq), small)
        continue
      }
      const now = clock.now()
      const lost = await write(
        'notifications.delivery-failed',
        (tx) => putOffDeliveries(tx, row, now + outcome.retryAfterMs, now - givenUpAfterMs),
        small,
      )
      if (lost > 0)
        log.warn({ channel: row.channel, lost }, 'Notifications could not be posted for a day and are given up.')
      return
    }
  }

  const drain = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      const due = readDue(read, clock.now(), batchRows)
      if (due.length === 0) return
      const queues = [...Map.groupBy(due, (row) => `${row.user_id} ${row.channel}`).values()]
      const work = async (): Promise<void> => {
        for (let rows = queues.shift(); rows !== undefined; rows = queues.shift()) await postInOrder(rows)
      }
      await Promise.all(Array.from({ length: atOnce }, work))
    }
  }

  const wake = (): void => {
    if (abort.signal.aborted || running !== undefined) return
    clearTimeout(timer)
    if (!isReady()) {
      timer = setTimeout(wake, pollMs).unref()
      pollMs = Math.min(readyPollMs.longest, 2 * pollMs)
      return
    }
    pollMs = readyPollMs.first
    let failed = false
    running = drain()
      .catch((error: unknown) => {
        failed = true
        if (!abort.signal.aborted) log.error({ err: error }, 'The queue of notifications could not be read or written.')
      })
      .finally(() => {
        running = undefined
        schedule(failed ? firstPauseMs : 0)
      })
  }

  const schedule = (leastMs: number): void => {
    if (abort.signal.aborted) return
    const next = readNextAttempt(read)
    if (next === null) return
    const sleepMs = Math.min(longestSleepMs, next - clock.now())
    timer = setTimeout(wake, Math.max(leastMs, sleepMs)).unref()
  }

  wake()
  return {
    add(tx, channel, item) {
      const notification = JSON.stringify(showItem(item))
      const { user_id, quotes, organization_id, record_id } = item
      const created_at = clock.now()
      insertDelivery(tx, { user_id, channel, notification, quotes, organization_id, record_id, created_at })
      tx.whenOnDisk(wake)
    },
    async stop() {
      abort.abort()
      clearTimeout(timer)
      await running
    },
  }
}

function keptDelivery(row: DeliveryRow): KeptNotification {
  return {
    userId: row.user_id,
    organizationId: row.organization_id,
    notification: JSON.parse(row.notification) as ShownNotification,
    quotes: row.quotes === null ? null : (JSON.parse(row.quotes) as Quotes),
  }
}

function outcomeOf({ status, headers }: OutboundAnswer, attempts: number): Outcome {
  if (status >= 200 && status < 300) return 'done'
  if (status < 500 && !passingStatuses.has(status)) return 'refused'
  const asked = Number(headers['retry-after'])
  const askedMs = Number.isFinite(asked) && asked > 0 ? Math.min(longestPauseMs, asked * 1_000) : 0
  return { retryAfterMs: Math.max(askedMs, pauseMs(attempts)) }
}

function pauseMs(attempts: number): number {
  return Math.min(longestPauseMs, firstPauseMs * 3 ** Math.min(attempts, 10))
}
