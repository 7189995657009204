// Entries that belong to no change: gathered for a moment and written together, so that no answer waits for them.
import type { Tx, Write } from '#main/kernel/database.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { AuditDraft, AuditSubject } from '../api.ts'
import type { EntryFacts } from './entry.ts'
import type { Flood } from './flood.ts'

const gatherMs = 100
const summaryMs = 5_000
/** Entries that wait at most; the flood's own limits keep them far below it. */
const maxWaiting = 2_000

/** The entries that wait. */
export interface Notes {
  add(subject: AuditSubject, draft: AuditDraft): void
  /** Writes everything there is, the counts of the present minute included. */
  close(): Promise<void>
}

/** What notes work with. */
export interface NoteParts {
  readonly write: Write
  readonly append: (tx: Tx, facts: EntryFacts) => void
  readonly factsOf: (subject: AuditSubject, draft: AuditDraft) => EntryFacts
  readonly flood: Flood
  readonly log: Logger
}

/** Makes the notes. */
export function createNotes({ write, append, factsOf, flood, log }: NoteParts): Notes {
  let waiting: EntryFacts[] = []
  let timer: NodeJS.Timeout | undefined
  let flushing = Promise.resolve()

  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    flushing = flushing.then(async () => {
      const batch = waiting
      waiting = []
      if (batch.length === 0) return
      try {
        const addAll = (tx: Tx): void => {
          for (const facts of batch) append(tx, facts)
        }
        await write('audit.notes', addAll, { whenFull: true })
      } catch (error) {
        // The database cannot be written just now; they are tried again with the next ones.
        waiting = [...batch, ...waiting].slice(0, maxWaiting)
        log.error({ err: error, entries: batch.length }, 'Entries of the audit could not be written.')
      }
    })
    return flushing
  }

  const summarise = (all: boolean): void => {
    for (const { subject, draft } of flood.takeSummaries(all)) waiting.push(factsOf(subject, draft))
    if (waiting.length > 0) arm()
  }
  const arm = (): void => {
    timer ??= setTimeout(() => void flush(), gatherMs).unref()
  }
  const summaries = setInterval(() => summarise(false), summaryMs).unref()

  return {
    add(subject, draft) {
      if (!flood.admit(subject, draft) || waiting.length >= maxWaiting) return
      waiting.push(factsOf(subject, draft))
      arm()
    },
    async close() {
      clearInterval(summaries)
      summarise(true)
      await flush()
      clearTimeout(timer)
    },
  }
}
