// Handlers of the hub: a report in two forms.
import type { hubRoutes } from '#shared/contracts/hub.ts'
import { platformError } from '#shared/errors.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { HubFacts, HubReport } from '#main/kernel/hub-facts.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import { ByteStream } from '#main/kernel/reply.ts'
import { metricsText } from './service/metrics-text.ts'
import { statusOf } from './service/status.ts'

/** What readers of the text form ask for by name. @source https://prometheus.io/docs/instrumenting/exposition_formats/ */
const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

/** Binds the routes. @param hub null where the workspace is on one machine */
export function hubHandlers(hub: HubFacts | null, version: string, clock: Clock): Handlers<typeof hubRoutes> {
  const report = async (): Promise<HubReport> => {
    if (hub === null) throw platformError('resource_not_found', { reason: 'hub' })
    try {
      return await hub.report()
    } catch (cause) {
      throw platformError('service_unavailable', { reason: 'hub_store', retryAfterSeconds: 1 }, cause)
    }
  }
  return {
    getHub: async () => statusOf(await report(), clock.now()),
    getMetrics: async () => new ByteStream(metricsText(await report(), version, clock.now()), metricsType),
  }
}
