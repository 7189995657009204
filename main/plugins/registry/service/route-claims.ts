// Who owns a route when several APIs name it (D-198). Pure; losing endpoints are left out, never forgotten, so that
// they are back when the winner goes.
import type { ApiEndpoint, ApiEntry } from '#shared/contracts/registry.ts'

/** How conflicts between foreign APIs are settled. */
export type ConflictStrategy = 'error' | 'priority' | 'first-wins' | 'last-wins'

/** A route that two APIs name. */
export interface RouteConflict {
  readonly method: string
  readonly path: string
  /** The API that has it already. */
  readonly api: string
}

/** Method and path of an endpoint, whatever its parameters are called; endpoints without method are never in conflict. */
export function routeKey(entry: Pick<ApiEntry, 'basePath'>, endpoint: ApiEndpoint): string | null {
  if (endpoint.method === undefined) return null
  const full = fullPath(entry.basePath, endpoint.path)
  return `${endpoint.method} ${full.replaceAll(/\{[^/}]*\}|:[^/]+/g, ':')}`
}

/** Paths below the base path may be written with it or without. */
export function fullPath(basePath: string, path: string): string {
  const base = basePath.replace(/\/+$/, '')
  return base === '' || path === base || path.startsWith(`${base}/`) ? path : base + path
}

/** The entries with the endpoints they own: built-in routes are never replaced. */
export function settleClaims(
  builtIn: readonly ApiEntry[],
  foreign: readonly ApiEntry[],
  strategy: ConflictStrategy,
): ApiEntry[] {
  const owners = new Map<string, { entry: ApiEntry; endpoint: ApiEndpoint; fixed: boolean }>()
  for (const entry of [...builtIn, ...foreign]) {
    const fixed = builtIn.includes(entry)
    for (const endpoint of entry.endpoints) {
      const key = routeKey(entry, endpoint)
      if (key === null) continue
      const owner = owners.get(key)
      if (owner === undefined || (!owner.fixed && isReplaced(owner.endpoint, endpoint, strategy))) {
        owners.set(key, { entry, endpoint, fixed })
      }
    }
  }
  const own = foreign.map((entry) => ({
    ...entry,
    endpoints: entry.endpoints.filter((endpoint) => {
      const key = routeKey(entry, endpoint)
      return key === null || owners.get(key)?.endpoint === endpoint
    }),
  }))
  return [...builtIn, ...own]
}

/** The routes of `candidate` that other APIs have already. */
export function conflictsOf(candidate: ApiEntry, others: readonly ApiEntry[]): RouteConflict[] {
  const taken = new Map<string, RouteConflict>()
  for (const entry of others) {
    for (const endpoint of entry.endpoints) {
      const key = routeKey(entry, endpoint)
      if (key !== null && !taken.has(key)) {
        taken.set(key, { method: endpoint.method!, path: fullPath(entry.basePath, endpoint.path), api: entry.id })
      }
    }
  }
  return candidate.endpoints.flatMap((endpoint) => {
    const key = routeKey(candidate, endpoint)
    const conflict = key === null ? undefined : taken.get(key)
    return conflict === undefined ? [] : [conflict]
  })
}

function isReplaced(owner: ApiEndpoint, candidate: ApiEndpoint, strategy: ConflictStrategy): boolean {
  if (strategy === 'last-wins') return true
  return strategy === 'priority' && candidate.priority > owner.priority
}
