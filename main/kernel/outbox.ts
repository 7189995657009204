// Delivers committed events to durable consumers: at least once, in order, each with its own cursor.
// Knows neither what events mean nor what consumers do with them.
import type { PlatformEvent } from '#shared/events.ts'
import type { Clock } from './clock.ts'
import type { Database, Tx } from './database.ts'
import type { EventBus } from './events.ts'
import type { Logger } from './logger.ts'
import {
  appendEvent,
  countEvents,
  deleteCursor,
  deleteEvents,
  putCursor,
  readCursor,
  readCursors,
  readEvents,
  readIdleConsumers,
} from './outbox-store.ts'
import type { OutboxRow } from './outbox-store.ts'
import type { OutboxConsumer } from './plugin.ts'

/** The outbox of one host. */
export interface Outbox {
  /** Registers a consumer under a name that stays the same over restarts. @throws Error when the name is taken */
  consume(consumer: string, definition: OutboxConsumer): void
  /** Begins delivery; call it when all consumers are registered. */
  start(): Promise<void>
  /** Ends delivery after the event each consumer is working on. */
  stop(): Promise<void>
  /** Number of events some consumer has still to handle. */
  pending(): number
}

/** What the outbox works with. */
export interface OutboxOptions {
  readonly database: Pick<Database, 'read' | 'write'>
  readonly bus: EventBus
  readonly clock: Clock
  readonly log: Logger
}

interface Consumer {
  readonly name: string
  readonly definition: OutboxConsumer
  /** Last sequence number handled, in memory; the stored one may lag behind by one batch. */
  cursor: number
  failures: number
  /** Whether no committed row beyond the cursor names this consumer. */
  caughtUp: boolean
  running: Promise<void> | undefined
  timer: NodeJS.Timeout | undefined
}

const batchSize = 100
const firstRetryMs = 1000
const maxRetryMs = 5 * 60_000
/** Cursors of consumers that no longer exist hold their rows back for this long. */
const forgottenAfterMs = 30 * 86_400_000

/**
 * Makes the outbox. A row is written only when some consumer wants the event, and names those consumers: one that
 * appears later never sees it.
 * @source D-205
 */
export function createOutbox(options: OutboxOptions): Outbox {
  const { database, bus, clock, log } = options
  const consumers = new Map<string, Consumer>()
  let started = false
  let stopping = false

  const record = (event: PlatformEvent, tx: Tx): void => {
    if (consumers.size === 0) return
    const names = [...consumers.values()]
      .filter((consumer) => wants(consumer, event, log))
      .map((consumer) => consumer.name)
    if (names.length === 0) return
    appendEvent(tx, JSON.stringify(names), JSON.stringify(event))
    const wanting = names.map((name) => consumers.get(name)!)
    // Also where its log does not reach the disk: what is committed may stay, and is then for all of them.
    tx.afterCommit(() => {
      for (const consumer of wanting) consumer.caughtUp = false
    })
    tx.whenOnDisk(() => wanting.forEach(wake))
  }

  const wake = (consumer: Consumer): void => {
    if (!started || stopping || consumer.running !== undefined || consumer.timer !== undefined) return
    consumer.running = deliver(consumer)
      .catch((error: unknown) => {
        log.error({ err: error, consumer: consumer.name }, 'The outbox could not be read or its cursor not be stored.')
        return retryMs(consumer)
      })
      .then((pauseMs) => {
        consumer.running = undefined
        if (pauseMs === undefined || stopping) return
        consumer.timer = setTimeout(() => {
          consumer.timer = undefined
          wake(consumer)
        }, pauseMs).unref()
      })
  }

  const retryMs = (consumer: Consumer): number => {
    consumer.failures += 1
    return Math.min(maxRetryMs, firstRetryMs * 2 ** Math.min(consumer.failures - 1, 20))
  }

  /** Handles all rows there are; answers the pause before the next try when the consumer failed. */
  const deliver = async (consumer: Consumer): Promise<number | undefined> => {
    for (;;) {
      const rows = readEvents(database.read, consumer.cursor, batchSize)
      if (rows.length === 0) {
        consumer.caughtUp = true
        return undefined
      }
      const before = consumer.cursor
      let pauseMs: number | undefined
      for (const { seq, events } of runsOf(consumer, rows)) {
        if (stopping) break
        const [first, ...more] = events
        if (first !== undefined) {
          try {
            await consumer.definition.handle(first, more)
            consumer.failures = 0
          } catch (error) {
            pauseMs = retryMs(consumer)
            log.warn(
              { err: error, consumer: consumer.name, failures: consumer.failures, pauseMs },
              'A consumer failed; it tries again.',
            )
            break
          }
        }
        consumer.cursor = seq
      }
      if (consumer.cursor > before) await store(consumer)
      if (pauseMs !== undefined || stopping) return pauseMs
    }
  }

  /**
   * Stores the cursor and drops the rows nobody needs any more. A consumer that is caught up holds nothing back, however
   * old its stored cursor is; one that is not registered now may come back and does.
   */
  const store = (consumer: Consumer): Promise<void> =>
    database.write(
      'outbox cursor',
      (tx) => {
        putCursor(tx, consumer.name, consumer.cursor, clock.now())
        const absent = readCursors(tx).filter((row) => !consumers.has(row.consumer))
        const behind = [...consumers.values()].filter((other) => !other.caughtUp)
        const lowest = Math.min(
          consumer.cursor,
          ...behind.map((other) => other.cursor),
          ...absent.map((row) => row.seq),
        )
        deleteEvents(tx, lowest)
      },
      { whenFull: true },
    )

  const load = async (consumer: Consumer): Promise<void> => {
    const stored = readCursor(database.read, consumer.name)
    // A new consumer starts before all rows there are: none of them names it.
    consumer.cursor = stored ?? 0
    if (stored === undefined) await store(consumer)
  }

  // Before every other listener: an event must get its row before the events its listeners raise.
  bus.on('*', record, Number.MIN_SAFE_INTEGER)

  return {
    consume(name, definition) {
      if (consumers.has(name)) throw new Error(`The outbox consumer "${name}" is registered twice.`)
      const consumer: Consumer = {
        name,
        definition,
        cursor: 0,
        failures: 0,
        caughtUp: false,
        running: undefined,
        timer: undefined,
      }
      consumers.set(name, consumer)
      if (!started) return
      void load(consumer)
        .then(() => wake(consumer))
        .catch((error: unknown) => log.error({ err: error, consumer: name }, 'A consumer could not start.'))
    },
    async start() {
      await database.write('outbox forgotten', (tx) => {
        for (const name of readIdleConsumers(tx, clock.now() - forgottenAfterMs))
          if (!consumers.has(name)) deleteCursor(tx, name)
      })
      // All cursors first: a row is dropped by the slowest consumer, so nobody may run before everybody is known.
      await Promise.all([...consumers.values()].map(load))
      started = true
      for (const consumer of consumers.values()) wake(consumer)
    },
    async stop() {
      stopping = true
      for (const consumer of consumers.values()) clearTimeout(consumer.timer)
      await Promise.all([...consumers.values()].map((consumer) => consumer.running))
    },
    pending: () => countEvents(database.read),
  }
}

/** Rows in the runs the consumer takes them in, each with the number of its last row; without events for other consumers. */
function runsOf(
  { name, definition }: Consumer,
  rows: readonly OutboxRow[],
): { seq: number; events: PlatformEvent[] }[] {
  const runs: { seq: number; events: PlatformEvent[]; key: string | null }[] = []
  for (const { seq, consumers, event: text } of rows) {
    const isWanted = (JSON.parse(consumers) as string[]).includes(name)
    const event = isWanted ? (JSON.parse(text) as PlatformEvent) : undefined
    const key = event === undefined ? null : (definition.runOf?.(event) ?? null)
    const last = runs.at(-1)
    if (event !== undefined && key !== null && last?.key === key) {
      last.events.push(event)
      last.seq = seq
    } else runs.push({ seq, events: event === undefined ? [] : [event], key })
  }
  return runs
}

function wants(consumer: Consumer, event: PlatformEvent, log: Logger): boolean {
  try {
    return consumer.definition.wants(event)
  } catch (error) {
    // A broken predicate must neither stop the write nor lose the event.
    log.error({ err: error, consumer: consumer.name }, 'A consumer could not say whether it wants an event.')
    return true
  }
}
