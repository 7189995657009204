// One contract prepared for serving: everything a request needs is computed once, at start. Knows no server.
import type { AnyRoute, HttpMethod, RateClass, RawBody } from '#shared/route.ts'
import { routeMutates } from '#shared/route.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { createRowCounter } from './bulk-body.ts'
import type { RowCounter } from './bulk-body.ts'
import { acceptsEveryPath, createPartParser } from './part-parser.ts'
import type { PartParser } from './part-parser.ts'

/** What a handler receives; the contract's types are checked where the handler is declared. */
export interface HandlerInput {
  params: unknown
  query: unknown
  body: unknown
  stream?: AsyncIterable<Uint8Array>
  raw?: RawBody
  headers: Readonly<Record<string, string | undefined>>
}

/** A handler as the server sees it: any `Handlers<T>[K]` fits. */
export type RouteHandler = (ctx: RequestContext, input: never) => unknown

/** One route to serve: which plugin it belongs to, its contract and its handler. */
export interface RouteBinding {
  readonly plugin: string
  readonly contract: AnyRoute
  readonly handler: RouteHandler
}

/** What the guards and the limiter need to know of a route; static files have this and no contract. */
export interface RouteSafety {
  readonly plugin: string
  /** Null for files of the application shell. */
  readonly contract: AnyRoute | null
  /** Whether a caller without credential may call it (D-28). */
  readonly anonymous: boolean
  /** Whether an invalid credential counts as none (D-27: discovery, health, auth; and the shell's own pages). */
  readonly toleratesBadCredential: boolean
  readonly mutates: boolean
  readonly channel: string
  readonly rateLimit: RateClass
  /** Whether the listener other machines reach does not have it. */
  readonly localOnly: boolean
  /** Whether a page of another site may lead a person here. */
  readonly entry: boolean
  /** Media types of the body; null when none is read. */
  readonly accepted: ReadonlySet<string> | null
  readonly limitBytes: number
}

/** A prepared contract. */
export interface RouteRuntime extends RouteSafety {
  readonly contract: AnyRoute
  readonly accepted: ReadonlySet<string>
  readonly handler: (ctx: RequestContext, input: HandlerInput) => unknown
  readonly timeoutMs: number
  readonly status: number
  readonly parseParams: PartParser | null
  readonly parseQuery: PartParser | null
  readonly parseBody: PartParser | null
  /** Counts the rows of a bulk body; null for other bodies. */
  readonly countRows: RowCounter | null
}

/** JSON body limit (D-199). */
export const defaultBodyLimitBytes = 10 * 1024 * 1024

/** Time limit of a request (D-199). */
export const defaultTimeoutMs = 30_000

// A receiver's sender brings what the receiver asks for, in any header.
const toleratingTags: ReadonlySet<string> = new Set(['discovery', 'auth', 'console', 'webhooks'])

/** Whether a credential that does not hold counts as none there (D-27). */
export function toleratesBadCredential({ permission, tag }: AnyRoute): boolean {
  return permission === 'public' && toleratingTags.has(tag)
}

/** Prepares a binding. */
export function createRouteRuntime(binding: RouteBinding): RouteRuntime {
  const { contract, plugin } = binding
  const anonymous = contract.permission === 'public'
  const paths = [contract.path, ...(contract.aliases ?? []).map(({ path }) => path)]
  const rest = restName.exec(contract.path)?.[1]
  const takesAnyParams =
    rest === undefined &&
    paths.every((path) => contract.params !== undefined && acceptsEveryPath(contract.params, path))
  return {
    plugin,
    contract,
    handler: binding.handler as (ctx: RequestContext, input: HandlerInput) => unknown,
    anonymous,
    toleratesBadCredential: toleratesBadCredential(contract),
    mutates: routeMutates(contract),
    channel: contract.channel,
    rateLimit: contract.rateLimit,
    localOnly: contract.localOnly === true,
    entry: contract.entry === true,
    accepted: new Set(['application/json', ...(contract.consumes ?? [])]),
    limitBytes: contract.bodyLimitBytes ?? defaultBodyLimitBytes,
    timeoutMs: contract.timeoutMs ?? defaultTimeoutMs,
    status: contract.status ?? 200,
    parseParams:
      contract.params === undefined || takesAnyParams ? null : withRest(rest, createPartParser(contract.params, false)),
    parseQuery:
      contract.query === undefined ? null : createPartParser(contract.query, contract.errors.includes('invalid_query')),
    parseBody: contract.body === undefined ? null : createPartParser(contract.body, false),
    countRows: contract.rateLimit === 'write' ? createRowCounter(contract.body) : null,
  }
}

/** A last parameter that takes slashes, too; the router calls it `*`. */
const restName = /:([A-Za-z]+)\*$/

function withRest(name: string | undefined, parse: PartParser): PartParser {
  if (name === undefined) return parse
  return (params) => {
    const { '*': rest, ...others } = params as Readonly<Record<string, string>>
    return parse({ ...others, [name]: rest })
  }
}

/** Where the mounts hang in one host. */
export interface MountPaths {
  /** `/api/v1` unless configured. */
  readonly prefix: string
  /** `/_console` unless configured (D-40). */
  readonly uiBasePath: string
}

/** Every path a contract is served under; the first is the canonical one. */
export function pathsOf(contract: AnyRoute, mounts: MountPaths): string[] {
  const places = [{ mount: contract.mount, path: contract.path }, ...(contract.aliases ?? [])]
  const paths = places.flatMap(({ mount, path: written }) => {
    const path = written.replace('{prefix}', mounts.prefix).replace(restName, '*')
    if (mount === 'versioned') return [mounts.prefix + path]
    // D-01: paths written with a leading /api are served as written and under the prefix.
    if (mount === 'api') return [`/api${path}`, mounts.prefix + path]
    return [mount === 'console' ? mounts.uiBasePath + path : path === '' ? '/' : path]
  })
  return [...new Set(paths)]
}

/**
 * Refuses two claims of one method and path, parameter names aside.
 * @throws Error that names both plugins
 */
export function assertNoConflicts(bindings: readonly RouteBinding[], mounts: MountPaths): void {
  const claimed = new Map<string, string>()
  for (const { contract, plugin } of bindings) {
    for (const path of pathsOf(contract, mounts)) {
      const key = `${contract.method as HttpMethod} ${path.replaceAll(/:[^/]+/g, ':')}`
      const other = claimed.get(key)
      if (other !== undefined)
        throw new Error(`The plugins "${other}" and "${plugin}" both claim ${contract.method} ${path}.`)
      claimed.set(key, plugin)
    }
  }
}
