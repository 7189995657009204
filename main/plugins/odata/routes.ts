// Handlers of the OData routes: requests in, answers with the headers of the protocol out.
import type { odataRoutes } from '#shared/contracts/odata.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import type { RawJson } from '#main/kernel/reply.ts'
import { ByteStream, Reply } from '#main/kernel/reply.ts'
import type { ODataAnswer, ODataRequest, ODataService } from './api.ts'

type Input = Pick<ODataRequest, 'headers' | 'query'> & { params: { path: string }; body?: unknown }

/** Binds the routes to the service. */
export function odataHandlers(service: ODataService): Handlers<typeof odataRoutes> {
  const handle =
    (method: ODataRequest['method']) =>
    async (ctx: RequestContext, { params, query, headers, body }: Input) =>
      replyOf(await service.answer(ctx, { method, path: params.path, query, headers, body }))
  return {
    getODataService: async (ctx, { query, headers }) =>
      replyOf(await service.answer(ctx, { method: 'GET', path: '', query, headers })),
    getODataMetadata: async (ctx, { query, headers }) => replyOf(await service.metadata(ctx, { query, headers })),
    runODataBatch: async (ctx, { headers, body }) => replyOf(await service.batch(ctx, { headers, body })),
    readODataEntities: handle('GET'),
    createODataEntity: handle('POST'),
    updateODataEntity: handle('PATCH'),
    replaceODataEntity: handle('PUT'),
    deleteODataEntity: handle('DELETE'),
  }
}

function replyOf({
  status,
  body = {},
  contentType,
  headers,
}: ODataAnswer): Reply<Record<string, unknown> | ByteStream | RawJson> {
  const told = contentType === undefined ? headers : { ...headers, 'content-type': contentType }
  const written = typeof body === 'string' ? new ByteStream(body, contentType ?? 'text/plain; charset=utf-8') : body
  return new Reply<Record<string, unknown> | ByteStream | RawJson>(written, { status, headers: { ...told } })
}
