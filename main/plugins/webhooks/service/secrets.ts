// The secrets of webhooks, sealed at rest and opened once per version of a webhook. Knows no request.
import type { SecretStore } from '#main/kernel/ports.ts'
import type { WebhookRow } from '../store.ts'

/** What a webhook keeps to itself. */
export interface WebhookSecrets {
  readonly secret: string
  /** The one before it, which signs beside it until then (milliseconds). */
  readonly former?: { readonly secret: string; readonly until: number }
  readonly credentials?: Readonly<Record<string, string>>
}

/** Seals and opens them. */
export interface SecretsOfWebhooks {
  seal(secrets: WebhookSecrets): Promise<string>
  open(row: Pick<WebhookRow, 'id' | 'secrets'>): Promise<WebhookSecrets>
}

/** Makes the box. */
export function createSecrets(store: SecretStore): SecretsOfWebhooks {
  const opened = new Map<string, { readonly sealed: string; readonly secrets: WebhookSecrets }>()
  return {
    seal: (secrets) => store.seal(JSON.stringify(secrets)),
    async open({ id, secrets: sealed }) {
      const known = opened.get(id)
      if (known?.sealed === sealed) return known.secrets
      const secrets = JSON.parse(await store.open(sealed)) as WebhookSecrets
      opened.set(id, { sealed, secrets })
      return secrets
    },
  }
}
