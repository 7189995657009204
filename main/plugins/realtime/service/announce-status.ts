// Tells the channel `system` when a service becomes available, degraded or unavailable (D-18).
import { internalContext } from '#main/kernel/context.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'

/** Makes the look at every status that is called a few times a second; the first one tells nothing. */
export function announceStatus(host: Pick<PluginHost, 'catalogue' | 'write' | 'log'>): () => void {
  const known = new Map<string, string>()
  return () => {
    for (const plugin of host.catalogue.plugins()) {
      const service = plugin.discovery?.service
      if (service === undefined) continue
      const { status, message } = plugin.status()
      const before = known.get(service)
      known.set(service, status)
      if (before === undefined || before === status) continue
      const payload = { service, status, previous: before, ...(message === undefined ? {} : { message }) }
      host
        .write(
          'realtime.status',
          (tx) => tx.emit(internalContext('service-status'), { type: 'service.status_changed', payload }),
          { whenFull: true },
        )
        .catch((error: unknown) => host.log.warn({ err: error }, 'A changed status was not announced.'))
    }
  }
}
