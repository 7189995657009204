// Sends what waits, one mail after the other in the order of their COMMIT, and tries again while the server refuses.
// Knows no cause and no recipient; log lines name neither.
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads, Write, WriteOptions } from '#main/kernel/database.ts'
import type { Logger } from '#main/kernel/logger.ts'
import { firstDue, nextDueAt, postpone, removeMessage, removeMessagesBefore } from '../store.ts'
import type { WaitingMessage } from '../store.ts'
import type { Transport } from './transport.ts'
import { failureOf, oneLine } from './transport.ts'

/** The sender of one host. */
export interface Sender {
  /** Looks for mails now; call it after COMMIT. */
  wake(): void
  /** Ends after the mail under way, at the latest when {@link stopMs} are over. */
  stop(): Promise<void>
}

/** What the sender works with. */
export interface SenderParts {
  readonly transport: Transport
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly log: Logger
  /** Whether words can be made, and that it was sent can be noted. */
  readonly isReady: () => boolean
  /** Makes the words of a mail that has none; null when nothing is left to say. */
  readonly wordsOf: (material: string) => { readonly subject: string; readonly text: string } | null
}

/** A mail is tried for this long, and this often at least: the machine may have slept meanwhile. */
const givenUpAfterMs = 86_400_000
const leastTries = 3
const firstPauseMs = 5_000
const longestPauseMs = 1_800_000
/** The timer looks at least this often, so that a clock that was moved is noticed. */
const longestSleepMs = 60_000
/** Looked again whether mails may leave: soon after a start, seldom while the database takes nothing. */
const readyPollMs = { first: 50, longest: 500 }
const stopMs = 3_000
/** On a full disk, too: what was sent and is not noted is sent again. */
const small: WriteOptions = { whenFull: true }

/** Makes the sender; it begins with what an earlier run of the host left. */
export function createSender({ transport, read, write, clock, log, isReady, wordsOf }: SenderParts): Sender {
  let running: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let isStopping = false
  /** A server that is down is asked again at this time, whatever comes. */
  let serverPausedUntil = 0
  let serverFailures = 0
  /** When the machine woke up from a sleep that was noticed. */
  let awakeSince = -Infinity
  let pollMs = readyPollMs.first

  const sendNext = async (): Promise<boolean> => {
    const message = firstDue(read, clock.now())
    if (message === undefined) return false
    const { id, recipient } = message
    const words = wordsOfMessage(message)
    if (words === null) {
      await write('mail.nothing-left', (tx) => removeMessage(tx, message.seq), small)
      return true
    }
    try {
      await transport.send({ id, to: recipient, ...words })
    } catch (error) {
      return handleFailure(message, error)
    }
    serverFailures = 0
    await write('mail.sent', (tx) => removeMessage(tx, message.seq), small)
    return true
  }

  const wordsOfMessage = ({ subject, body, html, material }: WaitingMessage) => {
    if (material === null) return { subject, text: body, html }
    const words = wordsOf(material)
    return words === null ? null : { subject: oneLine(words.subject), text: words.text, html: null }
  }

  /** Answers whether other mails are worth a try. */
  const handleFailure = async (message: WaitingMessage, error: unknown): Promise<boolean> => {
    const failure = failureOf(error)
    // The text of the error may quote the address.
    const reason = (error as { code?: unknown }).code
    const now = clock.now()
    if (serverFailures > 0 && now - serverPausedUntil > longestPauseMs) {
      serverFailures = 0
      awakeSince = now
    }
    const isTriedOften = message.attempts + 1 >= leastTries && now - awakeSince >= longestPauseMs
    const givenUpBefore = isTriedOften ? now - givenUpAfterMs : 0
    const isOver = message.createdAt <= givenUpBefore
    if (failure === 'final' || (failure === 'message' && isOver)) {
      await write('mail.given-up', (tx) => removeMessage(tx, message.seq), small)
      log.error({ reason, attempts: message.attempts + 1 }, 'A mail was refused and is given up.')
      return true
    }
    if (failure === 'message') {
      await write('mail.postponed', (tx) => postpone(tx, message.seq, now + pauseMs(message.attempts)), small)
      return true
    }
    serverFailures += 1
    serverPausedUntil = now + pauseMs(serverFailures - 1)
    const lost = await write(
      'mail.server',
      (tx) => {
        postpone(tx, message.seq, now)
        return removeMessagesBefore(tx, givenUpBefore)
      },
      small,
    )
    log.warn({ reason, failures: serverFailures }, 'The mail server cannot be reached; mails wait.')
    if (lost > 0) log.error({ reason, mails: lost }, 'Mails could not be sent for a day and are given up.')
    return false
  }

  const drain = async (): Promise<void> => {
    if (clock.now() < serverPausedUntil) return
    while (!isStopping && (await sendNext())) continue
    transport.close()
  }

  const wake = (): void => {
    if (isStopping || running !== undefined) return
    clearTimeout(timer)
    if (!isReady()) {
      timer = setTimeout(wake, pollMs).unref()
      pollMs = Math.min(readyPollMs.longest, 2 * pollMs)
      return
    }
    pollMs = readyPollMs.first
    running = drain()
      .catch((error: unknown) => {
        if (!isStopping) log.error({ err: error }, 'The queue of mails could not be read or written.')
        serverPausedUntil = clock.now() + firstPauseMs
      })
      .finally(() => {
        running = undefined
        schedule()
      })
  }

  const schedule = (): void => {
    if (isStopping) return
    const due = nextDueAt(read)
    if (due === undefined) return
    const sleepMs = Math.max(due, serverPausedUntil) - clock.now()
    timer = setTimeout(wake, Math.min(longestSleepMs, Math.max(0, sleepMs))).unref()
  }

  wake()
  return {
    wake,
    async stop() {
      isStopping = true
      clearTimeout(timer)
      let late: NodeJS.Timeout | undefined
      await Promise.race([running, new Promise((resolve) => (late = setTimeout(resolve, stopMs)))])
      clearTimeout(late)
      transport.close()
    },
  }
}

function pauseMs(failures: number): number {
  return Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures, 20))
}
