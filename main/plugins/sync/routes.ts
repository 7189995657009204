// Handlers of sync: a text opened for editing with others.
import type { syncRoutes } from '#shared/contracts/sync.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import { ticketSeconds } from '#main/kernel/tickets.ts'
import type { LiveTexts } from './service.ts'

/** Makes the handlers. */
export function syncHandlers(parts: {
  readonly texts: LiveTexts
  /** The address people are given, without trailing slash. */
  baseUrl(): string
  readonly prefix: string
}): Handlers<typeof syncRoutes> {
  /** The address of the sockets as this client reaches the host. */
  const urlFor = (host: string | undefined): string => {
    const base = new URL(parts.baseUrl())
    const isSecure = base.protocol === 'https:' && host === base.host
    return `ws${isSecure ? 's' : ''}://${host ?? base.host}${parts.prefix}/sync/docs`
  }

  return {
    async openLiveText(ctx, { body, headers }) {
      const { clientId, lease, ...place } = body
      const opened = await parts.texts.open(ctx, place, { clientId, lease })
      return { ...opened, url: urlFor(headers['host']), ticketExpiresInSeconds: ticketSeconds }
    },
  }
}
