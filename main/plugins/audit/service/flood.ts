// Bounds what refusals may write: the first ones of a kind and subject are kept one by one, the rest of the minute is
// counted and becomes one entry. Pure but for the clock it is given.
import type { AuditDraft, AuditSubject } from '../api.ts'

/** Entries of one kind and subject in a minute before they are counted. */
const maxPerSubject = 10
/** Entries of all subjects together in a minute. */
const maxInAll = 300
/** Subjects that are counted apart; the others are counted together. */
const maxSubjects = 500
const windowMs = 60_000

/** What was not kept one by one: the first of them stands for all. */
export interface Summary {
  readonly subject: AuditSubject
  readonly draft: AuditDraft
  readonly count: number
}

/** Counts of one minute after the other. */
export interface Flood {
  /** True when the entry is to be kept; false when it was counted. */
  admit(subject: AuditSubject, draft: AuditDraft): boolean
  /** What was counted in minutes that are over, or in all when `all`; each is given once. */
  takeSummaries(all?: boolean): Summary[]
}

interface Count {
  readonly subject: AuditSubject
  readonly draft: AuditDraft
  kept: number
  counted: number
}

/** Makes the counts. @param now milliseconds */
export function createFlood(now: () => number): Flood {
  let windowEnds = 0
  let inAll = 0
  let counts = new Map<string, Count>()
  let due: Summary[] = []

  const turn = (): void => {
    if (now() < windowEnds) return
    due.push(...summariesOf(counts))
    counts = new Map()
    inAll = 0
    windowEnds = now() + windowMs
  }

  return {
    admit(subject, draft) {
      turn()
      const apart = keyOf(subject, draft)
      const key = counts.has(apart) || counts.size < maxSubjects ? apart : ''
      const shown = key === '' ? { ...draft, kind: 'audit.flood', details: {} } : draft
      const count = counts.get(key) ?? { subject, draft: shown, kept: 0, counted: 0 }
      counts.set(key, count)
      if (key !== '' && count.kept < maxPerSubject && inAll < maxInAll) {
        count.kept += 1
        inAll += 1
        return true
      }
      count.counted += 1
      return false
    },
    takeSummaries(all = false) {
      turn()
      const taken = due
      due = []
      if (all) {
        taken.push(...summariesOf(counts))
        counts = new Map()
      }
      return taken
    },
  }
}

function summariesOf(counts: ReadonlyMap<string, Count>): Summary[] {
  return [...counts.values()]
    .filter(({ counted }) => counted > 0)
    .map(({ subject, draft, counted }) => ({
      subject,
      draft: { ...draft, details: { ...draft.details, repeated: counted } },
      count: counted,
    }))
}

function keyOf({ actor, credentialId }: AuditSubject, draft: AuditDraft): string {
  return [draft.kind, actor.type, actor.id, credentialId ?? '', draft.object ?? ''].join('\n')
}
