// Handlers of the API registry.
import type { z } from 'zod'
import type { ApiEntry, registryRoutes } from '#shared/contracts/registry.ts'
import { validationError } from '#shared/errors.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import { RawJson } from '#main/kernel/reply.ts'
import type { RegistryService } from './api.ts'
import type { ConflictStrategy } from './service/route-claims.ts'

/** Binds the routes to the service. */
export function registryHandlers(
  service: RegistryService,
  strategy: () => ConflictStrategy,
): Handlers<typeof registryRoutes> {
  /** The whole list is megabytes, and while it is written nobody else is answered. */
  const written = new WeakMap<readonly ApiEntry[], RawJson>()
  const write = (apis: readonly ApiEntry[]): RawJson =>
    new RawJson(
      JSON.stringify({
        version: '1',
        conflictResolution: strategy(),
        apis: [...apis],
        totalApis: apis.length,
        totalEndpoints: apis.reduce((sum, { endpoints }) => sum + endpoints.length, 0),
        byType: Object.fromEntries(Map.groupBy(apis, (entry) => entry.type)),
        byStatus: Object.fromEntries(Map.groupBy(apis, (entry) => entry.metadata.status)),
        updatedAt: service.updatedAt(),
      } satisfies z.input<(typeof registryRoutes)['getRegistry']['response']>),
    )
  return {
    getRegistry() {
      const apis = service.apis()
      const text = written.get(apis) ?? write(apis)
      written.set(apis, text)
      return text
    },
    findApis: (_ctx, { query }) => {
      const { tags, ...rest } = query
      const list = [tags ?? []]
        .flat()
        .flatMap((part) => part.split(','))
        .map((tag) => tag.trim())
        .filter((tag) => tag !== '')
      const filters = { ...rest, ...(list.length === 0 ? {} : { tags: list }) }
      const apis = [...service.apis(filters)]
      return { apis, total: apis.length, filters }
    },
    getApi: (_ctx, { params }) => service.api(params.id),
    findEndpoints: (_ctx, { query }) => {
      const endpoints = [...service.endpoints(query)]
      return { endpoints, total: endpoints.length }
    },
    registerApi: (ctx, { body }) => service.register(ctx, body),
    updateApi: (ctx, { params, body }) => service.replace(ctx, params.id, named(params.id, body)),
    unregisterApi: async (ctx, { params }) => {
      await service.remove(ctx, params.id)
      return { id: params.id, success: true as const }
    },
  }
}

/** The path names the API; a body that names another one is refused. @throws validation_error */
function named(id: string, body: Omit<ApiEntry, 'id'> & { id?: string }): ApiEntry {
  if (body.id !== undefined && body.id !== id) {
    throw validationError([
      { field: 'id', code: 'not_allowed', message: 'The id differs from the one in the path.', value: body.id },
    ])
  }
  return { ...body, id }
}
