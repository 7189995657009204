// Handlers of discovery and health.
import type { discoveryRoutes } from '#shared/contracts/discovery.ts'
import { platformError } from '#shared/errors.ts'
import { diskFullError } from '#main/kernel/disk-full.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import { RawJson, Reply } from '#main/kernel/reply.ts'
import type { DiscoveryService } from './service.ts'
import { matchesTag } from './service/entity-tag.ts'

/** Binds the routes to the service. */
export function discoveryHandlers(service: DiscoveryService): Handlers<typeof discoveryRoutes> {
  return {
    getDiscovery(_ctx, { headers }) {
      const { text, tag } = service.manifest()
      const status = matchesTag(headers['if-none-match'], tag) ? 304 : 200
      return new Reply(new RawJson(text), { status, headers: { etag: tag, 'cache-control': 'no-cache' } })
    },
    getHealth: () => ({ status: 'ok' }),
    getReadiness() {
      const health = service.health()
      if (health === 'disk_full') throw diskFullError()
      if (health === 'degraded') throw platformError('service_unavailable', { retryAfterSeconds: 1 })
      return { status: 'ready' }
    },
  }
}
