// Handlers of the service operations of D-108: requests in, operations, answers out.
import type { metadataOperationRoutes } from '#shared/contracts/metadata-operations.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import { Reply } from '#main/kernel/reply.ts'
import type { MetadataCore } from '../service.ts'
import { languageOf, lastText, parseFlag } from '../service/query-parameters.ts'
import { bulkRegister, bulkUnregister } from './bulk.ts'
import { cachedItem } from './cached.ts'
import { concepts } from './concepts.ts'
import { visibleDependencies, visibleDependents } from './dependencies.ts'
import { exportAnswer, exportFile, exportItems } from './export.ts'
import { importItems } from './import.ts'
import { queryItems } from './query.ts'
import { registerItem } from './register.ts'
import { typeOfSegment } from './type-words.ts'
import { validateItem } from './validate.ts'

/** Makes the handlers. */
export function operationHandlers(service: MetadataCore, clock: Clock): Handlers<typeof metadataOperationRoutes> {
  return {
    registerMetadata: async (ctx, { body }) => {
      const registered = await registerItem(service, ctx, body)
      return new Reply(registered, { headers: { etag: registered.etag } })
    },
    registerMetadataOfType: async (ctx, { params, body }) => {
      const registered = await registerItem(service, ctx, body, params.type)
      return new Reply(registered, { headers: { etag: registered.etag } })
    },
    queryMetadata: (ctx, { body }) =>
      queryItems(service, ctx, body ?? { sortBy: 'name', sortOrder: 'asc', page: 1, pageSize: 50 }),
    bulkRegisterMetadata: (ctx, { body, query }) => bulkRegister(service, ctx, body, lastText(query.confirm)),
    bulkUnregisterMetadata: (ctx, { body, query }) =>
      bulkUnregister(service, ctx, body, { confirm: lastText(query.confirm), force: parseFlag('force', query.force) }),
    exportMetadata: (ctx, { body, headers }) => {
      const request = body ?? { format: 'json', includeOverlays: true }
      const content = exportItems(service, ctx, request, clock.iso())
      if (wantsYaml(headers['accept'])) return exportFile(content)
      return exportAnswer(content, request.format)
    },
    importMetadata: (ctx, { body, query }) => importItems(service, ctx, body, lastText(query.confirm)),
    validateMetadata: (ctx, { body }) => validateItem(service, ctx, body),
    listMetadataConcepts: () => concepts.map((concept) => ({ ...concept, types: [...concept.types] })),
    listMetadataNames: (ctx, { params }) => service.visibleNames(ctx, typeOfSegment(params.type)),
    metadataItemExists: (ctx, { params }) => {
      const item = service.item(typeOfSegment(params.type), params.name)
      return { exists: item !== undefined && item.state !== 'archived' && service.seen(ctx, item) !== null }
    },
    getCachedMetadataItem: (ctx, { params, query, headers }) =>
      cachedItem(service, ctx, params, {
        ifNoneMatch: lastText(query.ifNoneMatch) ?? headers['if-none-match'],
        ifModifiedSince: lastText(query.ifModifiedSince) ?? headers['if-modified-since'],
        ...languageOf(query, headers),
      }),
    postCachedMetadataItem: (ctx, { params, body, headers }) =>
      cachedItem(service, ctx, params, {
        ...body?.cacheRequest,
        locale: body?.locale,
        acceptLanguage: headers['accept-language'],
      }),
    listMetadataDependencies: (ctx, { params }) =>
      visibleDependencies(service, ctx, typeOfSegment(params.type), params.name),
    listMetadataDependents: (ctx, { params }) =>
      visibleDependents(service, ctx, typeOfSegment(params.type), params.name),
  }
}

/** Whether the caller asks for the YAML file rather than for the envelope. */
function wantsYaml(accept: string | undefined): boolean {
  return accept !== undefined && /(^|[,\s])(application|text)\/(x-)?yaml\b/i.test(accept)
}
