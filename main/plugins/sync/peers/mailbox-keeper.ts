// Keeps this machine waiting in a mailbox of its relay while an invite is open: somebody new waits as soon as a visitor
// came, and a relay that was gone is asked again. Knows no pairing.
import type { Logger } from '#main/kernel/logger.ts'
import { acceptOver } from '#main/replication/channel/accept-over.ts'
import type { MailboxPlace, Seat } from '#main/replication/channel/mailbox.ts'
import { MailboxRefused, sitInMailbox } from '#main/replication/channel/mailbox.ts'
import { pairingMs } from '#main/replication/channel/pairing.ts'
import { DialError } from '#main/replication/channel/peer-dial.ts'
import { systemTimers } from '#main/replication/channel/timers.ts'
import type { RunningStart } from './running.ts'

/** A mailbox that is kept. */
export type MailboxKeeper = ReturnType<typeof keepMailbox>

/** Visitors at once. */
const maxVisitors = 4

const firstPauseMs = 250
const longestPauseMs = 5_000

/** Begins to wait. */
export function keepMailbox(
  place: MailboxPlace,
  { keys, workspace: { workspace, epoch }, onVisitor }: Pick<RunningStart, 'keys' | 'workspace' | 'onVisitor'>,
  log: Logger,
) {
  const ending = new AbortController()
  const visitors = new Set<Seat>()
  let isOpen = false
  let failures = 0
  let heard: (() => void) | undefined
  let wake = (): void => undefined

  const pause = (ms?: number): Promise<void> =>
    new Promise((resolve) => {
      const cancel = ms === undefined ? () => undefined : systemTimers.after(ms, resolve)
      wake = () => {
        cancel()
        resolve()
      }
    })

  function opened(): void {
    isOpen = true
    failures = 0
    heard?.()
  }

  async function wait(): Promise<void> {
    while (!ending.signal.aborted) {
      if (visitors.size >= maxVisitors) {
        await pause()
        continue
      }
      try {
        take(
          await sitInMailbox(place, {
            identity: keys.channel,
            signer: keys,
            workspace,
            epoch,
            signal: ending.signal,
            opened,
          }),
        )
      } catch (error) {
        if (!(error instanceof DialError)) throw error
        if (ending.signal.aborted) return
        failures += 1
        const reason = error instanceof MailboxRefused ? error.code : error.reason
        log.info({ reason, failures }, 'The relay keeps no mailbox for this machine.')
        await pause(Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures, 10)))
      }
    }
  }

  function take(seat: Seat): void {
    visitors.add(seat)
    seat.link.onClose(() => {
      visitors.delete(seat)
      wake()
    })
    acceptOver(seat.stream, { identity: keys.channel, fingerprint: keys.fingerprint }).then(
      (link) => {
        link.onClose(() => seat.link.close('done'))
        onVisitor(link)
      },
      (error: unknown) => {
        log.info({ err: error }, 'A visitor of a mailbox was sent away.')
        seat.link.close('done')
      },
    )
  }

  /** Waits for nobody any more; who is there already may stay. */
  function close(): void {
    cancelEnd()
    ending.abort()
    wake()
    heard?.()
  }

  // No longer than a code is good.
  const cancelEnd = systemTimers.after(pairingMs, close)
  wait().catch((error: unknown) => log.error({ err: error }, 'A mailbox could not be kept.'))
  return {
    place,
    /** Whether the relay has said within `ms` that this machine waits. */
    async isOpen(ms: number) {
      if (!isOpen && !ending.signal.aborted)
        await new Promise<void>((resolve) => {
          const cancel = systemTimers.after(ms, resolve)
          heard = () => {
            cancel()
            resolve()
          }
        })
      return isOpen
    },
    close,
    /** Sends away who is there, too. */
    stop() {
      close()
      for (const { link } of visitors) link.close('done')
    },
    /** Whether nobody is waited for and nobody is there. */
    isOver: () => ending.signal.aborted && visitors.size === 0,
  }
}
