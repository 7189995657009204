// Owns arranging activity by day, and folding what one person changed in a row. Pure.
import type { Thread } from './feed-threads.ts'

/** One conversation, or several changes in a row by the same actor. */
export type DayEntry = { thread: Thread } | { run: readonly Thread[] }

/** What happened on a day, in the order of the list. */
export interface FeedDay {
  /** `YYYY-MM-DD` in the time zone the list was arranged for. */
  day: string
  entries: readonly DayEntry[]
}

/** Changes in a row that are folded; fewer are as quickly read. */
const minRun = 3

/** The threads by day, in their order; runs of changes nobody answered become one entry. */
export function foldDays(threads: readonly Thread[], timeZone: string): FeedDay[] {
  // The Swedish form of a date is that of ISO 8601.
  const dayFormat = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' })
  const days: { day: string; threads: Thread[] }[] = []
  for (const thread of threads) {
    const day = dayFormat.format(new Date(thread.item.createdAt))
    const last = days.at(-1)
    if (last?.day === day) last.threads.push(thread)
    else days.push({ day, threads: [thread] })
  }
  return days.map((one) => ({ day: one.day, entries: foldRuns(one.threads) }))
}

function foldRuns(threads: readonly Thread[]): DayEntry[] {
  const runs: Thread[][] = []
  for (const thread of threads) {
    const last = runs.at(-1)
    const before = last?.[0]
    if (last && before && isChange(before) && isChange(thread) && before.item.actor.id === thread.item.actor.id) {
      last.push(thread)
    } else runs.push([thread])
  }
  return runs.flatMap((run): DayEntry[] => (run.length >= minRun ? [{ run }] : run.map((thread) => ({ thread }))))
}

function isChange({ item, replies }: Thread): boolean {
  return item.type === 'field_change' && item.replyCount === 0 && replies.length === 0 && item.reactions.length === 0
}
