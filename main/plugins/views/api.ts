// What other plugins may ask of stored views. Types only.
import type { View, ViewKind } from '#shared/contracts/views.ts'
import type { RequestContext } from '#main/kernel/context.ts'

/** Stored views as their callers may see and change them. */
export interface ViewsService {
  /** Views the caller may see, by `order`, then label. @throws resource_not_found for an unknown object */
  list(ctx: RequestContext, query: { object?: string; viewKind?: ViewKind }): View[]
  /** @throws resource_not_found */
  get(ctx: RequestContext, viewId: string): View
  /** @throws validation_error, conflict, permission_denied, resource_not_found for an unknown object */
  create(ctx: RequestContext, object: string | undefined, body: Readonly<Record<string, unknown>>): Promise<View>
  /**
   * Applies a JSON Merge Patch (RFC 7396) to the view.
   * @throws validation_error, permission_denied, resource_not_found, CONCURRENT_UPDATE
   */
  update(ctx: RequestContext, viewId: string, patch: Readonly<Record<string, unknown>>, ifMatch?: string): Promise<View>
  /** @throws permission_denied, resource_not_found, item_locked */
  remove(ctx: RequestContext, viewId: string, ifMatch?: string): Promise<View>
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    views: ViewsService
  }
}
