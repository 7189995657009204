// Tickets: texts that stand for something once, for a short while. Keeps digests only. Knows no transport and not what a
// ticket is for.
import { hash } from 'node:crypto'

/** How long a ticket that opens a socket holds (D-168; safety W8). */
export const ticketSeconds = 30

/** Most tickets under way. */
const maxTickets = 10_000

/** Tickets of one kind; `T` is what each of them stands for. */
export interface Tickets<T> {
  /** A new ticket. */
  issue(subject: T): string
  /** What a ticket stands for; from then on it is worth nothing. Null for one that holds no more. */
  redeem(ticket: string): T | null
  /** Forgets what is outdated. */
  sweep(): void
}

/** Makes them. */
export function createTickets<T>(now: () => number, token: () => string, seconds = ticketSeconds): Tickets<T> {
  const open = new Map<string, { readonly subject: T; readonly until: number }>()
  const digest = (ticket: string): string => hash('sha256', ticket, 'base64url')
  return {
    issue(subject) {
      const ticket = token()
      if (open.size >= maxTickets) open.delete(open.keys().next().value!)
      open.set(digest(ticket), { subject, until: now() + seconds * 1000 })
      return ticket
    },
    redeem(ticket) {
      const key = digest(ticket)
      const found = open.get(key)
      open.delete(key)
      return found !== undefined && found.until > now() ? found.subject : null
    },
    sweep() {
      for (const [key, { until }] of open) if (until <= now()) open.delete(key)
    },
  }
}
