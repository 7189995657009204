// What other plugins may ask of webhooks. Types only.
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'

/** The webhooks of the workspace. */
export interface WebhooksService {
  /**
   * Has a webhook sent once by name, in the caller's transaction; it leaves after COMMIT.
   * @param payload appears as `record` of the body
   * @param key a second call under the same key sends nothing
   * @returns the id of the delivery, of the first one for a repeated key
   * @throws webhook_not_found, webhook_inactive, validation_error for one without the trigger `api`
   */
  send(tx: Tx, ctx: RequestContext, input: { name: string; payload?: unknown; key: string }): string
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    webhooks: WebhooksService
  }
}
