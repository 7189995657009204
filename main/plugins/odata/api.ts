// What other plugins may ask of OData. Types only.
import type { RequestContext } from '#main/kernel/context.ts'
import type { RawJson } from '#main/kernel/reply.ts'

/** A request of the protocol, whichever way it came. */
export interface ODataRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** Behind /odata, percent-decoded, without a slash in front. */
  readonly path: string
  readonly query: Readonly<Record<string, string | readonly string[]>>
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
}

/** An answer of the protocol. */
export interface ODataAnswer {
  readonly status: 200 | 201 | 204
  /** A JSON object, or text of `contentType`. Absent with status 204. */
  readonly body?: Readonly<Record<string, unknown>> | RawJson | string
  /** Absent for JSON whose form is that of no entities: a batch, the model. */
  readonly contentType?: string
  readonly headers: Readonly<Record<string, string>>
}

/** Records as OData entities, as far as the caller may read and write them. */
export interface ODataService {
  /** Answers one request. @throws what the data service throws; invalid_query, not_implemented */
  answer(ctx: RequestContext, request: ODataRequest): Promise<ODataAnswer>
  /** The model of the entities the caller may read. @throws invalid_query, not_implemented */
  metadata(ctx: RequestContext, request: Pick<ODataRequest, 'query' | 'headers'>): Promise<ODataAnswer>
  /** Answers several requests in one. @throws validation_error when the batch itself is malformed */
  batch(ctx: RequestContext, request: Pick<ODataRequest, 'headers' | 'body'>): Promise<ODataAnswer>
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    odata: ODataService
  }
}
