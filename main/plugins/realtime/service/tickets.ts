// Tickets that open the socket of a connection: once, for thirty seconds. Keeps digests only. Knows no transport.
import { hash } from 'node:crypto'

/** How long a ticket holds (D-168; safety W8). */
export const ticketSeconds = 30

/** Most tickets under way. */
const maxTickets = 10_000

/** The tickets of one host. */
export interface Tickets {
  /** A new ticket for a connection. */
  issue(connectionId: string): string
  /** The connection of a ticket; from then on the ticket is worth nothing. Null for one that holds no more. */
  redeem(ticket: string): string | null
  /** Forgets what is outdated. */
  sweep(): void
}

/** Makes them. */
export function createTickets(now: () => number, token: () => string): Tickets {
  const open = new Map<string, { readonly connectionId: string; readonly until: number }>()
  const digest = (ticket: string): string => hash('sha256', ticket, 'base64url')
  return {
    issue(connectionId) {
      const ticket = token()
      if (open.size >= maxTickets) open.delete(open.keys().next().value!)
      open.set(digest(ticket), { connectionId, until: now() + ticketSeconds * 1000 })
      return ticket
    },
    redeem(ticket) {
      const key = digest(ticket)
      const found = open.get(key)
      open.delete(key)
      return found !== undefined && found.until > now() ? found.connectionId : null
    },
    sweep() {
      for (const [key, { until }] of open) if (until <= now()) open.delete(key)
    },
  }
}
