// The node of flows that sends a webhook (D-151). Knows webhooks, no flow.
import { z } from 'zod'
import type { Write } from '#main/kernel/database.ts'
import type { NodeType } from '#main/plugins/automation/api.ts'
import type { WebhooksService } from '../api.ts'

/** Makes the node type; the delivery and the end of the step are stored together, once. */
export function webhookNode(write: Write, webhooks: WebhooksService): NodeType {
  const type: NodeType<{ readonly name: string; readonly payload?: unknown }> = {
    type: 'webhook',
    version: '1.0.0',
    name: 'Webhook',
    description: 'Calls an outbound webhook.',
    icon: 'webhook',
    category: 'io',
    configSchema: z.looseObject({ name: z.string().min(1), payload: z.unknown().optional() }),
    outputSchema: z.object({ deliveryId: z.string() }),
    effect: 'transaction',
    execute: (call) =>
      write('webhooks.flow', (tx) => {
        const { name, payload } = call.config
        const deliveryId = webhooks.send(tx, call.ctx, { name, payload, key: `${call.run.id}.${call.key}` })
        const outcome = { output: { deliveryId } }
        call.finish(tx, outcome)
        return outcome
      }),
  }
  return type as unknown as NodeType
}
