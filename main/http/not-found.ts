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
  readonly contract?: Pick<AnyRoute, 'reserved'> | null
}

/** Tells which methods a path has. */
export interface MethodIndex {
  /** Methods of every pattern that covers the path; empty when none does. */
  methodsAt(path: string): string[]
}

/** Builds the index; it is asked only when no route took the request, so a walk over all patterns is good enough. */
export function createMethodIndex(served: readonly ServedPath[]): MethodIndex {
  const patterns = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  for (const { method, url, contract } of served) {
    const { source } = patternOf(url, contract?.reserved)
    const known = patterns.get(source)
    if (known === undefined) patterns.set(source, { pattern: new RegExp(source), methods: new Set([method]) })
    else known.methods.add(method)
  }
  return {
    methodsAt(path) {
      const bare = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
      const methods = new Set<string>()
      for (const entry of patterns.values()) {
        if (entry.pattern.test(bare)) for (const method of entry.methods) methods.add(method)
      }
      return [...methods].toSorted()
    },
  }
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
  index: () => MethodIndex,
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
    const methods = index().methodsAt(path)
    if (preflight && methods.length > 0) {
      answerPreflight(pipeline, request, reply, methods)
      return
    }
    if (methods.length === 0) {
      sendError(pipeline, request, reply, platformError('resource_not_found', { reason: 'route' }))
      return
    }
    reply.header('allow', methods.join(', '))
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

function patternOf(url: string, reserved: AnyRoute['reserved'] = {}): RegExp {
  const bare = url.length > 1 && url.endsWith('/') ? url.slice(0, -1) : url
  const source = bare
    .split('/')
    .map((segment) => {
      const words = segment.startsWith(':') ? reserved[segment.slice(1)] : undefined
      if (words !== undefined) return `(?!(?:${words.join('|')})(?:/|$))[^/]+`
      if (segment.startsWith(':')) return '[^/]+'
      return segment === '*' ? '.*' : segment.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    })
    .join('/')
  return new RegExp(`^${source}$`)
}
