// Handlers of webhooks, receivers and calls of receivers: requests to service calls and back.
import type { webhookRoutes } from '#shared/contracts/webhooks.ts'
import type { RawBody } from '#shared/route.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import { Reply } from '#main/kernel/reply.ts'
import type { createReceiving } from './service/receiving.ts'
import type { Receivers } from './service/receivers.ts'
import type { WebhookAdministration } from './service.ts'

/** What the handlers work with. */
export interface WebhookHandlerParts {
  readonly webhooks: WebhookAdministration
  readonly receivers: Receivers
  readonly receive: ReturnType<typeof createReceiving>
}

interface HookInput {
  readonly params: { readonly path: string }
  readonly query: Record<string, unknown>
  readonly body: unknown
  readonly raw?: RawBody
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** Makes the handlers. */
export function webhookHandlers({ webhooks, receivers, receive }: WebhookHandlerParts): Handlers<typeof webhookRoutes> {
  const hook = async (ctx: RequestContext, method: 'GET' | 'POST' | 'PUT', input: HookInput) => {
    const { params, query, body, headers, raw = { bytes: new Uint8Array(), address: '' } } = input
    const { answer, isAccepted } = await receive(ctx, { path: params.path, method, query, body, headers, raw })
    return isAccepted ? new Reply(answer, { status: 202 }) : answer
  }
  return {
    listWebhooks: (ctx, { query }) => webhooks.list(ctx, query),
    createWebhook: (ctx, { body }) => webhooks.create(ctx, body),
    getWebhook: (ctx, { params }) => webhooks.get(ctx, params.name),
    updateWebhook: (ctx, { params, body }) => webhooks.update(ctx, params.name, body),
    deleteWebhook: (ctx, { params }) => webhooks.remove(ctx, params.name),
    triggerWebhook: (ctx, { params, body }) => webhooks.trigger(ctx, params.name, body),
    testWebhook: (ctx, { params }) => webhooks.test(ctx, params.name),
    rotateWebhookSecret: (ctx, { params }) => webhooks.rotateSecret(ctx, params.name),
    listWebhookDeliveries: (ctx, { params, query }) => webhooks.deliveries(ctx, params.name, query),
    getWebhookDelivery: (ctx, { params }) => webhooks.delivery(ctx, params.id),
    redeliverWebhook: (ctx, { params }) => webhooks.redeliver(ctx, params.id),
    redeliverWebhookById: (ctx, { body }) => webhooks.redeliver(ctx, body.deliveryId),
    listReceivers: (ctx, { query }) => receivers.list(ctx, query),
    createReceiver: (ctx, { body }) => receivers.create(ctx, body),
    getReceiver: (ctx, { params }) => receivers.get(ctx, params.name),
    updateReceiver: (ctx, { params, body }) => receivers.update(ctx, params.name, body),
    deleteReceiver: (ctx, { params }) => receivers.remove(ctx, params.name),
    postHook: (ctx, input) => hook(ctx, 'POST', input),
    putHook: (ctx, input) => hook(ctx, 'PUT', input),
    getHook: (ctx, input) => hook(ctx, 'GET', input),
  }
}
