// The registry: mounted routes and documented foreign APIs in one list, held in memory. Knows no HTTP.
import type { ApiEndpoint, ApiEntry, ApiStatus } from '#shared/contracts/registry.ts'
import { notFound, platformError, validationError } from '#shared/errors.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import type { ApiQuery, RegistryService } from './api.ts'
import type { ConflictStrategy } from './service/route-claims.ts'
import { conflictsOf, fullPath, routeKey, settleClaims } from './service/route-claims.ts'
import type { ForeignApi } from './store.ts'
import { deleteForeignApi, putForeignApi, readForeignApis } from './store.ts'

/** What the service works with. */
export interface RegistryParts {
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  /** Entries of the mounted routes; asked once every plugin has registered. */
  readonly builtIn: () => readonly ApiEntry[]
  readonly strategy: () => ConflictStrategy
}

const builtInPrefix = 'cairn_'

/** What a lifecycle state may become (D-198). */
const nextStatuses: Readonly<Record<ApiStatus, readonly ApiStatus[]>> = {
  experimental: ['beta', 'deprecated'],
  beta: ['active', 'deprecated'],
  active: ['deprecated'],
  deprecated: ['active'],
}

/** Makes the service; foreign entries are read at the first use. */
export function createRegistryService(parts: RegistryParts): RegistryService {
  const { read, write, clock } = parts
  const startedAt = clock.iso()
  let foreign: readonly ForeignApi[] | null = null
  let builtIn: readonly ApiEntry[] | null = null
  let settled: { strategy: ConflictStrategy; apis: readonly ApiEntry[] } | null = null

  const foreignApis = (): readonly ForeignApi[] => (foreign ??= readForeignApis(read))
  const builtInApis = (): readonly ApiEntry[] => (builtIn ??= parts.builtIn())

  const all = (): readonly ApiEntry[] => {
    const strategy = parts.strategy()
    if (settled?.strategy !== strategy) {
      const entries = foreignApis().map(({ entry }) => entry)
      settled = { strategy, apis: settleClaims(builtInApis(), entries, strategy) }
    }
    return settled.apis
  }

  const api = (id: string): ApiEntry => {
    const found = all().find((entry) => entry.id === id)
    if (found === undefined) throw notFound('api', id)
    return found
  }

  /** @throws conflict under the strategy `error` */
  const refuseConflicts = (entry: ApiEntry): void => {
    if (parts.strategy() !== 'error') return
    const others = [...builtInApis(), ...foreignApis().map((other) => other.entry)]
    const conflicts = conflictsOf(
      entry,
      others.filter((other) => other.id !== entry.id),
    )
    if (conflicts.length > 0) throw platformError('conflict', { reason: 'route_taken', conflicts })
  }

  const requireForeign = (id: string): ForeignApi => {
    const found = foreignApis().find(({ entry }) => entry.id === id)
    if (found !== undefined) return found
    if (builtInApis().some((entry) => entry.id === id)) throw platformError('item_locked', { id })
    throw notFound('api', id)
  }

  const store = async (ctx: RequestContext, entry: ApiEntry): Promise<void> => {
    await write('registry.put', (tx) => {
      putForeignApi(tx, { entry, updatedAt: clock.iso() }, ctx.actor.id)
      announce(tx, ctx, entry.id)
    })
  }

  const announce = (tx: Parameters<Parameters<Write>[1]>[0], ctx: RequestContext, id: string): void => {
    tx.emit(ctx, { type: 'registry.changed', payload: { id } })
    tx.afterCommit(() => {
      foreign = null
      settled = null
    })
  }

  return {
    apis: (query) => (query === undefined ? all() : all().filter((entry) => matches(entry, query))),
    api,
    endpoints(query) {
      const wanted = query.path === undefined ? null : pathMatcher(query.path)
      return all()
        .filter((entry) => query.api === undefined || entry.id === query.api)
        .flatMap((entry) =>
          entry.endpoints
            .filter(
              (endpoint) =>
                (query.method === undefined || endpoint.method === query.method.toUpperCase()) &&
                (query.tag === undefined || endpoint.tags.includes(query.tag)) &&
                (wanted === null || wanted(fullPath(entry.basePath, endpoint.path), endpoint)),
            )
            .map((endpoint) => ({ ...endpoint, api: entry.id })),
        )
    },
    updatedAt: () =>
      foreignApis().reduce((latest, { updatedAt }) => (updatedAt > latest ? updatedAt : latest), startedAt),
    async register(ctx, entry) {
      checkEntry(entry)
      if (all().some((other) => other.id === entry.id))
        throw platformError('conflict', { reason: 'exists', id: entry.id })
      refuseConflicts(entry)
      await store(ctx, entry)
      return api(entry.id)
    },
    async replace(ctx, id, entry) {
      const before = requireForeign(id).entry
      checkEntry(entry)
      const from = before.metadata.status
      const to = entry.metadata.status
      if (from !== to && !nextStatuses[from].includes(to)) {
        throw platformError('invalid_state_transition', { from, to, allowed: nextStatuses[from] })
      }
      refuseConflicts(entry)
      await store(ctx, entry)
      return api(id)
    },
    async remove(ctx, id) {
      requireForeign(id)
      await write('registry.delete', (tx) => {
        deleteForeignApi(tx, id)
        announce(tx, ctx, id)
      })
    },
  }
}

/** @throws validation_error */
function checkEntry(entry: ApiEntry): void {
  if (entry.id.startsWith(builtInPrefix)) {
    throw validationError([
      {
        field: 'id',
        code: 'not_allowed',
        message: `Ids that begin with ${builtInPrefix} are the platform's own.`,
        value: entry.id,
      },
    ])
  }
  const seen = new Set<string>()
  entry.endpoints.forEach((endpoint, at) => {
    for (const key of [`id ${endpoint.id}`, routeKey(entry, endpoint)]) {
      if (key === null) continue
      if (seen.has(key)) {
        const message = 'Another endpoint of the API has the same id or route.'
        throw validationError([
          { field: `endpoints.${at}`, code: 'duplicate_value', message, value: endpoint.operationId ?? endpoint.id },
        ])
      }
      seen.add(key)
    }
  })
}

function matches(entry: ApiEntry, query: ApiQuery): boolean {
  const { metadata } = entry
  if (query.type !== undefined && entry.type !== query.type) return false
  if (query.status !== undefined && metadata.status !== query.status) return false
  if (query.pluginSource !== undefined && metadata.pluginSource !== query.pluginSource) return false
  if (query.version !== undefined && entry.version !== query.version) return false
  if (query.tags !== undefined && query.tags.length > 0) {
    const tags = new Set([...metadata.tags, ...entry.endpoints.flatMap((endpoint) => endpoint.tags)])
    if (!query.tags.some((tag) => tags.has(tag))) return false
  }
  const text = query.search?.trim().toLowerCase() ?? ''
  if (text === '') return true
  return [
    entry.id,
    entry.name,
    entry.description ?? '',
    entry.basePath,
    ...entry.endpoints.map(({ path }) => path),
  ].some((value) => value.toLowerCase().includes(text))
}

/** A concrete path finds the templates it fits, with all that a last parameter takes; a template finds itself. */
function pathMatcher(path: string): (template: string, endpoint: ApiEndpoint) => boolean {
  const wanted = path.split('/')
  return (template, { protocolConfig }) => {
    if (template === path) return true
    const parts = template.split('/')
    const isLong = protocolConfig?.['takesSlashes'] === true && wanted.length > parts.length
    const fits = isLong || parts.length === wanted.length
    return fits && parts.every((part, at) => isParameter(part) || part === wanted[at]!)
  }
}

function isParameter(part: string): boolean {
  return part.startsWith(':') || (part.startsWith('{') && part.endsWith('}'))
}
