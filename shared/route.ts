// The shape of a route contract: the only description of a route. Routing, validation, OpenAPI, the registry of
// APIs, the typed client and the conformance tests are derived from it. Knows no server and no capability.
import type { z } from 'zod'
import type { ApiMethod } from './object-api.ts'
import type { RequestHeader, ResponseHeader } from './route-headers.ts'

/** HTTP methods a contract may use. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Where a path hangs: `versioned` = the prefix `/api/v1`, `api` = `/api`, `root` = `/`, `console` = the uiBasePath. */
export type RouteMount = 'versioned' | 'api' | 'root' | 'console'

/** What a caller needs: `public` nothing, `session` any valid credential, otherwise a right (D-45, D-48). */
export type RoutePermission =
  | 'public'
  | 'session'
  | { readonly system: string }
  | { readonly object: 'params.object'; readonly action: RecordAction }

/** Stands for every content type, and for none. */
export const anyType = '*/*'

/** The permission actions of the specification. */
export type RecordAction = 'create' | 'read' | 'edit' | 'delete' | 'transfer' | 'restore' | 'purge'

/** Rate classes of D-200; `none` is never limited. */
export type RateClass = 'auth' | 'read' | 'write' | 'heavy' | 'hooks' | 'none'

/** How an answer is written: `json` from the response schema, `bytes` a file, `html` a page. */
export type ResponseKind = 'json' | 'bytes' | 'html'

/**
 * One route. `path` uses `:name` parameters and starts with `/` (an empty path is the mount itself); `:name*` at its end
 * takes the rest, slashes included.
 */
export interface AnyRoute {
  readonly operationId: string
  readonly method: HttpMethod
  readonly mount: RouteMount
  readonly path: string
  /** Other accepted paths of the same route; hidden in OpenAPI. `{prefix}` stands for the prefix of the host. */
  readonly aliases?: readonly { readonly mount: RouteMount; readonly path: string }[]
  readonly params?: z.ZodType
  /** Words a path parameter does not take: what lies under them are other routes, or none (D-16). */
  readonly reserved?: Readonly<Record<string, readonly string[]>>
  /**
   * Of a route to records: what the object's API must offer, all of one of these lists (D-71). Absent: it is no operation of
   * that API.
   */
  readonly apiMethods?: readonly (readonly ApiMethod[])[]
  /** Headers its handler reads, beside those that follow from the rest of the contract and those of credential and body. */
  readonly reads?: readonly RequestHeader[]
  /** Headers its answers may have when they are no refusals, beside those that follow from the rest of the contract. */
  readonly sends?: readonly ResponseHeader[]
  /** Headers of its refusals beside those of every route, each worked out from the headers of the request. */
  readonly refusalsSend?: Readonly<Partial<Record<ResponseHeader, (request: RequestHeaders) => string>>>
  /** Absent: query parameters are ignored (D-08). The schema sees strings, or arrays of strings when repeated. */
  readonly query?: z.ZodType
  /** Absent: a body is ignored. An absent or empty body is parsed as `undefined`. */
  readonly body?: z.ZodType
  /** Bare body, or the `data` part when `envelope` is true. */
  readonly response: z.ZodType
  readonly responseKind?: ResponseKind
  /** Content types of the bytes it answers; of a JSON answer those it may have instead. Absent for bytes of any type. */
  readonly produces?: readonly string[]
  /** True: it may answer the same with 202, when what it began goes on. */
  readonly goesOn?: true
  /** True wraps the answer as D-05 says. */
  readonly envelope?: boolean
  /** Status of success, 200 when absent (D-04). */
  readonly status?: 200 | 201 | 202
  /**
   * Statuses without a body it may answer, too: 202 took what asks for no answer, 204 says that there is nothing to show, 302
   * and 303 lead on, 304 says that nothing has changed.
   */
  readonly bodiless?: readonly (202 | 204 | 302 | 303 | 304)[]
  /** True: it may answer a part of its bytes, with 206. */
  readonly ranges?: true
  readonly permission: RoutePermission
  readonly rateLimit: RateClass
  /** Narrows the class for this route: at most so many requests of one caller in so many milliseconds (D-200). */
  readonly ownRate?: { readonly windowMs: number; readonly maxRequests: number }
  /** True: a call that succeeds proves nothing, such as having a link sent: the bucket of its address counts it, too (D-200). */
  readonly asksNoProof?: true
  /** Every code the route may answer beside the ones every route may (see `commonErrors` in contracts/common.ts). */
  readonly errors: readonly string[]
  /** Whether a call may change stored state; default: every method but GET. */
  readonly mutates?: boolean
  /** True: a read-only API key may call it although it may change state; the authorizer refuses each change (D-30). */
  readonly takesReadOnlyKeys?: true
  /**
   * How the answer is kept for a repeat with the same Idempotency-Key (D-42), where it may hold a secret: `in-memory` until
   * the host stops, as the call has an effect to be had once; false: not at all, the key is ignored. Absent: in the database.
   */
  readonly keepsAnswer?: 'in-memory' | false
  /**
   * How long its answer waits on a hub for what was written to be stored, milliseconds; 0 not at all, because it shows
   * nothing of that. Absent: as long as the hub waits.
   */
  readonly gateMs?: number
  /** True: answered on loopback only; on the listener other machines reach, the path does not exist (D-29, D-208). */
  readonly localOnly?: true
  /**
   * True: a page of another site may lead a person here, as providers, clients of the provider role and links in a mail
   * do (D-31). For routes that read, or that end in a page which asks first.
   */
  readonly entry?: true
  /** True: error bodies repeat a code and the message beside `error`, for clients of the library behind the route (D-37). */
  readonly echoesCode?: true
  /** The output channel of the leak matrix that this route belongs to (safety: list, get, metadata, ...). */
  readonly channel: string
  /** Body limit in bytes where it differs from the 10 MB of D-199. */
  readonly bodyLimitBytes?: number
  /**
   * Content types accepted beside JSON, for example `text/csv`. {@link anyType}, together with `streams`: whatever is sent
   * is bytes, JSON and what names no type too (D-02).
   */
  readonly consumes?: readonly string[]
  /** True: bodies of the types in `consumes` are handed on as they arrive, in `stream`, and the handler limits them. */
  readonly streams?: boolean
  /**
   * True: the handler is also given the body as it arrived, and the address it came from, in `raw`. Forms are read as maps of
   * their fields, other text as `{text}`.
   */
  readonly keepsRawBody?: true
  /** Time limit where it differs from the 30 s of D-199. */
  readonly timeoutMs?: number
  /** True: what it opens outlives the request, so its handler is given a way to judge the credential again later. */
  readonly keepsCredential?: true
  /** True: the answer may last long or has no end of its own: its signal is aborted when the client goes or the host stops. */
  readonly endsWithHost?: true
  readonly deprecated?: boolean
  readonly summary: string
  /** Group in the documents: the plugin's id. */
  readonly tag: string
}

/** Headers of a request by lower-case name. */
type RequestHeaders = Readonly<Record<string, unknown>>

/** The contracts of one plugin by operation id. */
export type RouteTable = Readonly<Record<string, AnyRoute>>

type Part<R, K extends 'params' | 'query' | 'body'> =
  R extends Readonly<Record<K, infer S extends z.ZodType>> ? z.output<S> : undefined

/** A body as it arrived, and the address of the socket it came through. */
export interface RawBody {
  readonly bytes: Uint8Array
  readonly address: string
}

/** What a handler receives: the parsed parts of the request; a part without a schema is `undefined`. */
export interface RouteInput<R extends AnyRoute> {
  params: Part<R, 'params'>
  query: Part<R, 'query'>
  /** Undefined too when the body comes as a stream. */
  body: Part<R, 'body'>
  /** The bytes of the body of a route with `streams`, when it is not JSON. */
  stream?: AsyncIterable<Uint8Array> | undefined
  /** Of a route with `keepsRawBody`; empty without a body. */
  raw?: RawBody
  /** Lower-case request headers, for If-Match and the like. */
  headers: Readonly<Record<string, string | undefined>>
}

/** The value a handler returns (`data` for enveloped routes); the envelope is added by the host. */
export type RouteResult<R extends AnyRoute> = z.input<R['response']>

/** Declares one contract and keeps its exact schemas for handlers and client. */
export function defineRoute<const T extends AnyRoute>(contract: T): T {
  return Object.freeze(contract)
}

/** Declares the contracts of one plugin; keys must equal the operation ids. */
export function defineRoutes<const T extends RouteTable>(table: T): T {
  for (const [key, route] of Object.entries(table)) {
    if (key !== route.operationId) throw new Error(`Route "${key}" has the operation id "${route.operationId}".`)
  }
  return Object.freeze(table)
}

/** Whether a call of this route may change stored state. */
export function routeMutates(route: AnyRoute): boolean {
  return route.mutates ?? route.method !== 'GET'
}
