// The webhooks as they are in memory: what a write asks of them is answered from here. Knows no delivery.
import type { StopReason } from '#shared/contracts/common.ts'
import type { Webhook, WebhookInput } from '#shared/contracts/webhooks.ts'
import { maskedSecret } from '#shared/contracts/webhooks.ts'
import type { Reads } from '#main/kernel/database.ts'
import type { WebhookRow } from '../store.ts'
import { readWebhooks } from '../store.ts'

/** What of a webhook is not secret. */
export type WebhookDefinition = Omit<WebhookInput, 'secret' | 'authentication'> & {
  /** The kind of authentication, and the names of its credentials. */
  readonly authentication?: { readonly type: string; readonly credentials?: Readonly<Record<string, string>> }
}

/** A webhook, without its secrets. */
export interface StoredWebhook {
  readonly row: WebhookRow
  readonly definition: WebhookDefinition
}

/** The webhooks of a host. */
export interface WebhookList {
  all(): readonly StoredWebhook[]
  /** By name, else by id. */
  find(name: string): StoredWebhook | undefined
  byId(id: string): StoredWebhook | undefined
  /** Those that are on, of one object. */
  ofObject(object: string): readonly StoredWebhook[]
  /** Reads them anew; to be called once a change is committed. */
  reload(): void
}

/** Reads the webhooks. */
export function createWebhookList(read: Pick<Reads, 'all'>): WebhookList {
  let all: readonly StoredWebhook[] = []
  let byId = new Map<string, StoredWebhook>()
  let byName = new Map<string, StoredWebhook>()
  let byObject = new Map<string, StoredWebhook[]>()
  const reload = (): void => {
    all = readWebhooks(read).map((row) => ({ row, definition: JSON.parse(row.definition) as WebhookDefinition }))
    byId = new Map(all.map((one) => [one.row.id, one]))
    byName = new Map(all.map((one) => [one.row.name, one]))
    const live = all.filter(({ definition }) => definition.isActive && definition.object !== undefined)
    byObject = Map.groupBy(live, ({ definition }) => definition.object!)
  }
  reload()
  return {
    all: () => all,
    find: (name) => byName.get(name) ?? byId.get(name),
    byId: (id) => byId.get(id),
    ofObject: (object) => byObject.get(object) ?? [],
    reload,
  }
}

/** A webhook as it is shown; secrets are masked unless one is given. */
export function showWebhook(
  { row, definition }: StoredWebhook,
  stopped: StopReason | undefined,
  secret: string = maskedSecret,
): Webhook {
  const { id, created_by: createdBy, created_at: createdAt, updated_at: updatedAt } = row
  return {
    ...definition,
    id,
    secret,
    createdBy,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
    ...(stopped === undefined ? {} : { stopped }),
  }
}
