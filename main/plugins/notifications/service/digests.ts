// One mail per period for those who asked for it: what came since the last one and is still unread.
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import type { MailService } from '../../mail/api.ts'
import { markMailed, readForDigest } from '../store.ts'
import { isInDigest } from './channels.ts'
import type { DigestPeriod } from './mail-material.ts'
import { digestMaterialOf } from './mail-material.ts'
import type { PreferenceBook } from './preferences.ts'
import { keptOf } from './quotes.ts'
import type { Readings } from './readings.ts'

/** What digests work with. */
export interface DigestParts {
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly book: PreferenceBook
  readonly mail: () => MailService | undefined
  readonly addressOf: (userId: string) => string | undefined
  readonly readings: Pick<Readings, 'forUser'>
}

/**
 * Queues the mails of a period, each in one transaction with the note that it was sent, so that a run that was cut off
 * goes on where it stopped. Without unread ones there is no mail, and those their reader may not see any more are in none.
 */
export async function sendDigests(
  { read, write, clock, book, mail, addressOf, readings }: DigestParts,
  period: DigestPeriod,
  signal: AbortSignal,
): Promise<void> {
  for (const { userId, preferences, digestAt } of book.digestReaders(period)) {
    if (signal.aborted) return
    const to = addressOf(userId)
    const items = to === undefined ? [] : readForDigest(read, userId, digestAt)
    const named = items
      .filter(({ type }) => isInDigest(type, preferences))
      .map(keptOf)
      .filter((kept) => readings.forUser(kept) !== null)
    if (to === undefined || named.length === 0) continue
    await write('notifications.digest', (tx) => {
      const now = clock.now()
      const about = named.flatMap(({ notification: { data } }) =>
        typeof data['recordId'] === 'string' ? [data['recordId']] : [],
      )
      mail()?.queue(tx, { to, material: digestMaterialOf(named, period), about })
      markMailed(tx, userId, items.at(-1)!.seq, now)
      book.noteDigest(tx, userId, now)
    })
  }
}
