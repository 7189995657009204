// Answers for requests no route takes: preflights, wrong methods, unknown paths. Knows paths only as patterns.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { platformError } from '#shared/errors.ts'
import type { AnyRoute } from '#shared/route.ts'
import type { PipelineContext } from './pipeline.ts'
import { admit, authoritiesOf } from './pipeline.ts'
import { sendError } from './answer.ts'
import { allowedRequestHeaders, preflightMaxAgeSeconds } from './headers.ts'
import type { MountPaths, RouteSafety } from './route-runtime.ts'

/** A served method and path pattern. */
export interface ServedPath {
  readonly method: string
  readonly url: string
  readonly contract?: Pick<AnyRoute, 'reserved' | 'apiMethods' | 'refusalsSend'> | null
}

/** Tells which methods a path has. */
export interface MethodIndex {
  /** What the most exact pattern that covers the path has there; empty when none does. */
  servedAt(path: string): readonly ServedPath[]
  /** Methods of a pattern that are left where an object's API offers these operations alone (D-71). */
  methodsOffered(url: string, operations: readonly string[]): string[]
  /**
   * Methods a path does not take, each with its pattern, although a less exact pattern would take them: what they ask for
   * is not what lies there.
   */
  readonly refused: readonly ServedPath[]
}

/** A place in the tree of patterns: its segments lead there. */
interface Place {
  readonly next: Map<string, Place>
  readonly ends: End[]
}

interface End extends ServedPath {
  /** By segment, the words a parameter does not take. */
  readonly reserved: readonly (readonly string[] | undefined)[]
}

// No segment has a slash.
const parameter = '/:'
const rest = '/*'

/** Builds the index, at start; it is asked only when no route took the request. */
export function createMethodIndex(served: readonly ServedPath[]): MethodIndex {
  const root: Place = { next: new Map(), ends: [] }
  const patterns = new Map<Place, readonly string[]>()
  for (const { method, url, contract } of served) {
    const names = segmentsOf(url)
    const segments = names.map((name) => (name.startsWith(':') ? parameter : name === '*' ? rest : name))
    let place = root
    for (const segment of segments) {
      let next = place.next.get(segment)
      if (next === undefined) place.next.set(segment, (next = { next: new Map(), ends: [] }))
      place = next
    }
    place.ends.push({
      method,
      url,
      ...(contract == null ? {} : { contract }),
      reserved: names.map((name) => (name.startsWith(':') ? contract?.reserved?.[name.slice(1)] : undefined)),
    })
    patterns.set(place, segments)
  }
  const refused = [...patterns].flatMap(([{ ends }, segments]) => {
    const known = new Set(ends.map(({ method }) => method))
    const wider = new Set([...endsAlong(root, segments)].flatMap((others) => others.map(({ method }) => method)))
    return [...wider].filter((method) => !known.has(method)).map((method) => ({ method, url: ends[0]!.url }))
  })
  return {
    refused,
    servedAt(path) {
      const segments = segmentsOf(decodeURI(path))
      for (const ends of endsAlong(root, segments)) {
        const open = ends.filter(({ reserved }) => !reserved.some((words, at) => words?.includes(segments[at]!)))
        if (open.length > 0) return open
      }
      return []
    },
    methodsOffered(url, operations) {
      const isOffered = ({ url: other, contract }: ServedPath): boolean =>
        other === url && contract?.apiMethods?.some((all) => all.every((one) => operations.includes(one))) === true
      return served
        .filter(isOffered)
        .map(({ method }) => method)
        .toSorted()
    },
  }
}

/** What every pattern that covers the segments has there, the most exact first, as the router looks for one method. */
function* endsAlong(place: Place, segments: readonly string[], at = 0): Generator<readonly End[]> {
  const segment = segments[at]
  if (segment === undefined) {
    if (place.ends.length > 0) yield place.ends
    return
  }
  const exact = place.next.get(segment)
  if (exact !== undefined) yield* endsAlong(exact, segments, at + 1)
  const any = segment === '' ? undefined : place.next.get(parameter)
  if (any !== undefined && any !== exact && segment !== rest) yield* endsAlong(any, segments, at + 1)
  const others = place.next.get(rest)
  if (others !== undefined && others !== exact) yield others.ends
}

/** What an unknown path asks of a caller: under the prefix a credential, as every route there does (D-28). */
export function unknownPathSafety(anonymous: boolean): RouteSafety {
  return {
    plugin: 'http',
    contract: null,
    anonymous,
    toleratesBadCredential: anonymous,
    mutates: false,
    channel: 'none',
    rateLimit: 'none',
    localOnly: false,
    entry: false,
    // Nothing is read of a body no route takes, so its type does not matter.
    accepted: null,
    limitBytes: 0,
  }
}

/**
 * Makes the answer to everything no route takes. It runs before a body is read and always answers.
 * @source D-16, D-28, D-31, D-201
 */
export function createFallback(
  pipeline: PipelineContext,
  mounts: MountPaths,
  index: () => Pick<MethodIndex, 'servedAt'>,
): (request: FastifyRequest, reply: FastifyReply) => void {
  const open = unknownPathSafety(true)
  const closed = unknownPathSafety(false)
  const isOpen = (path: string): boolean =>
    !path.startsWith(`${mounts.prefix}/`) ||
    path.startsWith(`${mounts.prefix}/auth/`) ||
    path.startsWith(`${mounts.prefix}/hooks/`)

  return (request, reply) => {
    const path = pathOf(request.raw.url ?? '/')
    const preflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
    if (!admit(pipeline, preflight || isOpen(path) ? open : closed, request, reply)) return
    const served = index().servedAt(path)
    const methods = [...new Set(served.map(({ method }) => method))].toSorted()
    if (preflight && methods.length > 0) {
      answerPreflight(pipeline, request, reply, methods)
      return
    }
    if (methods.length === 0) {
      sendError(pipeline, request, reply, platformError('resource_not_found', { reason: 'route' }))
      return
    }
    reply.header('allow', methods.join(', '))
    for (const { contract } of served)
      for (const [name, valueOf] of Object.entries(contract?.refusalsSend ?? {}))
        reply.header(name, valueOf(request.headers))
    sendError(pipeline, request, reply, platformError('method_not_allowed', { allowed: methods }))
  }
}

function answerPreflight(
  pipeline: PipelineContext,
  request: FastifyRequest,
  reply: FastifyReply,
  methods: string[],
): void {
  // Only origins on the list get the CORS headers; to the server's own pages a preflight says nothing.
  const { corsOrigins } = authoritiesOf(pipeline, request.raw)
  if (request.headers.origin !== undefined && corsOrigins.has(request.headers.origin)) {
    reply.header('access-control-allow-methods', methods.join(', '))
    reply.header('access-control-allow-headers', allowedRequestHeaders)
    reply.header('access-control-max-age', String(preflightMaxAgeSeconds))
  }
  reply.code(204).send()
}

function pathOf(url: string): string {
  const end = url.search(/[?#]/)
  return end === -1 ? url : url.slice(0, end)
}

function segmentsOf(path: string): string[] {
  const bare = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
  return bare.split('/').slice(1)
}
