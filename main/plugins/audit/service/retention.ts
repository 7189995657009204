// Lets the oldest entries go when their time is over: only ever a beginning of the chain, and by an entry that says so and
// carries the hash the rest goes on from.
import type { Clock } from '#main/kernel/clock.ts'
import type { Tx, Write } from '#main/kernel/database.ts'
import type { AuditDraft, AuditSubject } from '../api.ts'
import { deleteThrough, readOutdated } from '../store.ts'

/** Days entries are kept unless `audit.keepDays` of config.json says otherwise; 0 keeps them for ever. */
export const defaultKeepDays = 730

const dayMs = 86_400_000
/** Entries of one cut: one write each. */
const maxCut = 2_000

/** The days of a configuration; anything but whole numbers from 0 upwards counts as absent. */
export function keepDaysOf(config: Readonly<Record<string, unknown>>): number {
  const days = config['keepDays']
  return typeof days === 'number' && Number.isInteger(days) && days >= 0 ? days : defaultKeepDays
}

/** Cuts until nothing is outdated; answers how many entries went. */
export async function cutOutdated(parts: {
  keepDays: number
  clock: Clock
  write: Write
  record: (tx: Tx, subject: AuditSubject, draft: AuditDraft) => void
  subject: AuditSubject
  signal?: AbortSignal
}): Promise<number> {
  if (parts.keepDays === 0) return 0
  const before = new Date(parts.clock.now() - parts.keepDays * dayMs).toISOString()
  let gone = 0
  for (;;) {
    parts.signal?.throwIfAborted()
    const removed = await parts.write('audit.cut', (tx) => {
      const outdated = readOutdated(tx, before, maxCut)
      if (outdated === undefined) return 0
      const { first, through, hash } = outdated
      const count = through - first + 1
      parts.record(tx, parts.subject, { kind: 'audit.cut', details: { through, removed: count, end: hash, before } })
      deleteThrough(tx, through)
      return count
    })
    gone += removed
    if (removed < maxCut) return gone
  }
}
