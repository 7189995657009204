// What other plugins may ask of the API registry. Types only.
import type { ApiEndpoint, ApiEntry } from '#shared/contracts/registry.ts'
import type { RequestContext } from '#main/kernel/context.ts'

/** Conditions on APIs; every given one must hold. */
export interface ApiQuery {
  readonly type?: string
  /** Holds when any of them is present. */
  readonly tags?: readonly string[]
  readonly status?: string
  readonly pluginSource?: string
  /** Found in id, name, description or a path, whatever its case. */
  readonly search?: string
  readonly version?: string
}

/** Conditions on endpoints. `path` is a template or a concrete path. */
export interface EndpointQuery {
  readonly method?: string
  readonly path?: string
  readonly api?: string
  readonly tag?: string
}

/** The registry; reads answer from memory. */
export interface RegistryService {
  /**
   * Every API with the endpoints it owns, plugins first, then foreign ones in the order of registration. Without a query the
   * same list until something changes.
   */
  apis(query?: ApiQuery): readonly ApiEntry[]
  /** @throws resource_not_found */
  api(id: string): ApiEntry
  endpoints(query: EndpointQuery): readonly (ApiEndpoint & { readonly api: string })[]
  /** Instant of the last change, ISO 8601. */
  updatedAt(): string
  /** @throws conflict when the id or a route is taken, validation_error for a reserved id */
  register(ctx: RequestContext, entry: ApiEntry): Promise<ApiEntry>
  /** @throws resource_not_found, item_locked, conflict, invalid_state_transition */
  replace(ctx: RequestContext, id: string, entry: ApiEntry): Promise<ApiEntry>
  /** @throws resource_not_found, item_locked */
  remove(ctx: RequestContext, id: string): Promise<void>
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    registry: RegistryService
  }
}
