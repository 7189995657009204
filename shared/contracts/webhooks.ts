// Contracts of webhooks: outbound ones with their deliveries, and receivers with the address others call
// (specification "Webhook (outbound)" and "Webhook receiver (inbound)", D-190 to D-196). Enveloped but for `/hooks`.
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'
import { MetadataName, QueryBoolean, QueryInteger, StopReason } from './common.ts'

/** What makes a webhook fire; `api` is its trigger endpoint, or a flow. */
export const webhookTriggers = ['create', 'update', 'delete', 'undelete', 'api'] as const

/** A word of {@link webhookTriggers}. */
export const WebhookTrigger = z.enum(webhookTriggers)

/** What is shown in place of a secret, and taken back as "as it is". */
export const maskedSecret = '********'

/** What signs or proves a message; behind `whsec_` stands the key in base64, which is a byte at least (D-193). */
export const WebhookSecret = z
  .string()
  .min(1)
  .max(1_024)
  .refine((secret) => !/^whsec_(?![A-Za-z0-9+/_-]{2})/.test(secret), { message: 'Expected a key behind whsec_.' })

/** How a request proves who sends it; credentials read back masked. */
export const WebhookAuthentication = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('none').default('none') }),
    z.object({ type: z.literal('bearer'), credentials: z.object({ token: z.string().min(1).max(4_096) }) }),
    z.object({
      type: z.literal('basic'),
      credentials: z.object({ username: z.string().max(1_024), password: z.string().max(4_096) }),
    }),
    z.object({
      type: z.literal('api-key'),
      credentials: z.object({
        header: z
          .string()
          .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/)
          .default('X-API-Key'),
        key: z.string().min(1).max(4_096),
      }),
    }),
  ])
  .meta({ id: 'WebhookAuthentication' })

/** When a failed delivery is tried again. */
export const RetryPolicy = z
  .object({
    maxRetries: z.int().min(0).max(10).default(3),
    backoffStrategy: z.enum(['exponential', 'linear', 'fixed']).default('exponential'),
    initialDelayMs: z.int().min(100).max(86_400_000).default(1_000),
    maxDelayMs: z.int().min(1_000).max(86_400_000).default(60_000),
  })
  .meta({ id: 'WebhookRetryPolicy' })

/** Names of headers and one line of visible text as their values, so that no header can smuggle another one. */
const HeaderMap = z.record(
  z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/),
  z
    .string()
    .max(4_096)
    .regex(/^[\t\x20-\x7e\x80-\xff]*$/),
)

const shared = {
  label: z.string().max(255).optional(),
  description: z.string().max(2_000).optional(),
}

const sameName = z.string().optional().meta({ description: 'Cannot be changed; the same name is taken as it is.' })

/** A webhook as it is made, with its defaults. */
export const WebhookInput = z
  .object({
    ...shared,
    name: MetadataName,
    object: z.string().min(1).max(63).optional(),
    triggers: z.array(WebhookTrigger).max(5).default([]),
    url: z.string().min(1).max(2_000),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('POST'),
    headers: HeaderMap.default({}),
    body: z
      .unknown()
      .optional()
      .meta({ description: 'Sent in place of the default body; strings may hold {{ CEL }}.' }),
    payloadFields: z.array(z.string()).max(500).default([]),
    includeSession: z.boolean().default(false),
    authentication: WebhookAuthentication.optional(),
    retryPolicy: RetryPolicy.optional(),
    timeoutMs: z.int().min(1_000).max(300_000).default(30_000),
    secret: WebhookSecret.optional(),
    isActive: z.boolean().default(true),
    tags: z.array(z.string().max(100)).max(50).default([]),
  })
  .meta({ id: 'WebhookInput' })

/** A webhook as it is made, with its defaults applied. */
export type WebhookInput = z.output<typeof WebhookInput>

/** A change of a webhook: what is absent stays, null takes away what may be absent. */
export const WebhookPatch = z
  .object({
    name: sameName,
    label: shared.label.nullable(),
    description: shared.description.nullable(),
    object: WebhookInput.shape.object.nullable(),
    triggers: z.array(WebhookTrigger).max(5).optional(),
    url: WebhookInput.shape.url.optional(),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
    headers: HeaderMap.optional(),
    body: z.unknown().optional(),
    payloadFields: z.array(z.string()).max(500).optional(),
    includeSession: z.boolean().optional(),
    authentication: z.unknown().optional().meta({ description: 'As in WebhookInput; masked credentials stay.' }),
    retryPolicy: RetryPolicy.nullable().optional(),
    timeoutMs: z.int().min(1_000).max(300_000).optional(),
    secret: WebhookSecret.optional(),
    isActive: z.boolean().optional(),
    tags: z.array(z.string().max(100)).max(50).optional(),
  })
  .meta({ id: 'WebhookPatch' })

/** A webhook as it is shown. */
export const Webhook = z
  .object({
    ...WebhookInput.shape,
    authentication: z.object({ type: z.string(), credentials: z.record(z.string(), z.string()).optional() }).optional(),
    id: z.string(),
    createdBy: z.string(),
    createdAt: z.string(),
    updatedAt: z.string(),
    stopped: StopReason.optional(),
  })
  .meta({ id: 'Webhook' })

/** A webhook as it is shown, with every default. */
export type Webhook = z.output<typeof Webhook>

/** The states of a delivery; `failed` waits for a retry. */
export const DeliveryStatus = z.enum(['pending', 'in_flight', 'success', 'failed', 'dead'])

/** One delivery of one event to one webhook. */
export const WebhookDelivery = z
  .object({
    id: z.string(),
    webhook: z.string(),
    eventId: z.string(),
    trigger: WebhookTrigger,
    object: z.string().optional(),
    recordId: z.string().optional(),
    status: DeliveryStatus,
    attempts: z.array(
      z.object({
        at: z.string(),
        durationMs: z.number(),
        responseStatus: z.int().optional(),
        error: z.string().optional(),
      }),
    ),
    request: z.object({
      url: z.string(),
      method: z.string(),
      headers: z.record(z.string(), z.string()),
      body: z.string().optional(),
    }),
    responseBody: z.string().optional(),
    nextAttemptAt: z.string().optional(),
    createdAt: z.string(),
    withheld: z
      .literal(true)
      .optional()
      .meta({ description: 'What was sent and answered is not shown: the caller may not read all of it.' }),
  })
  .meta({ id: 'WebhookDelivery' })

/** One delivery. */
export type WebhookDelivery = z.output<typeof WebhookDelivery>

/** How a receiver makes sure who calls. */
export const VerificationType = z.enum(['none', 'header_token', 'hmac', 'ip_whitelist'])

/** A receiver as it is made, with its defaults. `verificationParams` are judged by the type of verification. */
export const ReceiverInput = z
  .object({
    ...shared,
    name: MetadataName,
    path: z.string().regex(/^[a-z0-9][a-z0-9/_-]{0,127}$/),
    verificationType: VerificationType.default('none'),
    verificationParams: z.record(z.string(), z.unknown()).default({}),
    action: z.enum(['trigger_flow', 'script', 'upsert_record']),
    target: z.string().min(1).max(255),
    isActive: z.boolean().default(true),
    object: z.string().min(1).max(63).optional(),
    mapping: z
      .record(z.string(), z.string().max(10_000))
      .optional()
      .meta({ description: 'Field to CEL over body, headers and query.' }),
    externalIdField: z.string().min(1).max(63).optional(),
    responseMode: z.enum(['sync', 'async']).default('sync'),
  })
  .meta({ id: 'WebhookReceiverInput' })

/** A receiver as it is made, with its defaults applied. */
export type ReceiverInput = z.output<typeof ReceiverInput>

/** A change of a receiver: what is absent stays, null takes away what may be absent. */
export const ReceiverPatch = z
  .object({
    name: sameName,
    label: shared.label.nullable(),
    description: shared.description.nullable(),
    path: ReceiverInput.shape.path.optional(),
    verificationType: VerificationType.optional(),
    verificationParams: z.record(z.string(), z.unknown()).optional(),
    action: ReceiverInput.shape.action.optional(),
    target: ReceiverInput.shape.target.optional(),
    isActive: z.boolean().optional(),
    object: ReceiverInput.shape.object.nullable(),
    mapping: ReceiverInput.shape.mapping.nullable(),
    externalIdField: ReceiverInput.shape.externalIdField.nullable(),
    responseMode: z.enum(['sync', 'async']).optional(),
  })
  .meta({ id: 'WebhookReceiverPatch' })

/** A receiver as it is shown. */
export const Receiver = z
  .object({
    ...ReceiverInput.shape,
    id: z.string(),
    /** Where it is called. */
    url: z.string(),
    createdBy: z.string(),
    createdAt: z.string(),
    updatedAt: z.string(),
    /** What its maker should know, as that anybody may call it. */
    warnings: z.array(z.string()).optional(),
    stopped: StopReason.optional(),
  })
  .meta({ id: 'WebhookReceiver' })

/** A receiver as it is shown. */
export type Receiver = z.output<typeof Receiver>

/** What a call of a receiver did. */
export const HookAnswer = z
  .object({
    success: z.literal(true),
    receiver: z.string(),
    runId: z.string().optional(),
    result: z.unknown().optional(),
    object: z.string().optional(),
    id: z.string().optional(),
  })
  .meta({ id: 'WebhookReceiverAnswer' })

const NameParams = z.object({ name: z.string() })
const IdParams = z.object({ id: z.string() })
const page = { limit: QueryInteger.optional(), cursor: z.string().optional() }
const pageAnswer = { total: z.int(), hasMore: z.boolean(), nextCursor: z.string().optional() }

const managed = {
  mount: 'versioned',
  permission: { system: 'manage_webhooks' },
  envelope: true,
  channel: 'webhooks',
  tag: 'webhooks',
} as const
const reads = { ...managed, method: 'GET', rateLimit: 'read' } as const
const writes = { ...managed, rateLimit: 'write' } as const

const hook = {
  mount: 'versioned',
  path: '/hooks/:path*',
  aliases: [{ mount: 'root', path: '/hooks/:path*' }],
  params: z.object({ path: z.string() }),
  query: z.record(z.string(), z.unknown()),
  response: HookAnswer,
  bodiless: [],
  permission: 'public',
  rateLimit: 'hooks',
  errors: ['receiver_not_found', 'receiver_verification_failed', 'receiver_replay', 'receiver_action_failed'],
  bodyLimitBytes: 1_048_576,
  consumes: ['application/x-www-form-urlencoded', 'text/plain'],
  keepsRawBody: true,
  timeoutMs: 120_000,
  channel: 'hooks',
  tag: 'webhooks',
} as const

/** The routes of the `webhooks` plugin. */
export const webhookRoutes = defineRoutes({
  listWebhooks: defineRoute({
    ...reads,
    operationId: 'listWebhooks',
    path: '/webhooks',
    query: z.object({ object: z.string().optional(), isActive: QueryBoolean.optional(), ...page }),
    response: z.object({ webhooks: z.array(Webhook), ...pageAnswer }),
    errors: [],
    summary: 'List webhooks by name.',
  }),
  createWebhook: defineRoute({
    ...writes,
    operationId: 'createWebhook',
    method: 'POST',
    path: '/webhooks',
    body: WebhookInput,
    response: Webhook,
    status: 201,
    errors: ['webhook_already_exists', 'webhook_target_forbidden'],
    keepsAnswer: 'in-memory',
    summary: 'Make a webhook; a generated secret is shown here and never again.',
  }),
  getWebhook: defineRoute({
    ...reads,
    operationId: 'getWebhook',
    path: '/webhooks/:name',
    params: NameParams,
    response: Webhook,
    errors: ['webhook_not_found'],
    summary: 'Get a webhook by name or id.',
  }),
  updateWebhook: defineRoute({
    ...writes,
    operationId: 'updateWebhook',
    method: 'PATCH',
    path: '/webhooks/:name',
    params: NameParams,
    body: WebhookPatch,
    response: Webhook,
    errors: ['webhook_not_found', 'webhook_target_forbidden'],
    summary: 'Change a webhook.',
  }),
  deleteWebhook: defineRoute({
    ...writes,
    operationId: 'deleteWebhook',
    method: 'DELETE',
    path: '/webhooks/:name',
    params: NameParams,
    response: z.object({ id: z.string(), name: z.string(), success: z.literal(true) }),
    errors: ['webhook_not_found'],
    summary: 'Remove a webhook with its deliveries.',
  }),
  triggerWebhook: defineRoute({
    ...writes,
    operationId: 'triggerWebhook',
    method: 'POST',
    path: '/webhooks/:name/trigger',
    params: NameParams,
    body: z
      .object({
        record: z.record(z.string(), z.unknown()).optional(),
        object: z.string().optional(),
        recordId: z.string().optional(),
        payload: z.unknown().optional(),
      })
      .optional(),
    response: z.object({ deliveryId: z.string() }),
    status: 202,
    errors: ['webhook_not_found', 'webhook_inactive'],
    summary: 'Send a webhook by hand; it needs the trigger `api`, or no object.',
  }),
  testWebhook: defineRoute({
    ...writes,
    operationId: 'testWebhook',
    method: 'POST',
    path: '/webhooks/:name/test',
    params: NameParams,
    response: z.object({
      deliveryId: z.string(),
      status: DeliveryStatus,
      responseStatus: z.int().optional(),
      responseBody: z.string().optional(),
      durationMs: z.number(),
    }),
    errors: ['webhook_not_found'],
    timeoutMs: 310_000,
    summary: 'Send a sample at once, once, and tell what came back.',
  }),
  rotateWebhookSecret: defineRoute({
    ...writes,
    operationId: 'rotateWebhookSecret',
    method: 'POST',
    path: '/webhooks/:name/rotate-secret',
    params: NameParams,
    response: z.object({ secret: z.string() }),
    errors: ['webhook_not_found'],
    keepsAnswer: 'in-memory',
    summary: 'Give a webhook a new secret; for 24 hours the former one signs beside it.',
  }),
  listWebhookDeliveries: defineRoute({
    ...reads,
    operationId: 'listWebhookDeliveries',
    path: '/webhooks/:name/deliveries',
    params: NameParams,
    query: z.object({ status: DeliveryStatus.optional(), ...page }),
    response: z.object({ deliveries: z.array(WebhookDelivery), ...pageAnswer }),
    errors: ['webhook_not_found'],
    summary: 'List deliveries of a webhook, newest first.',
  }),
  getWebhookDelivery: defineRoute({
    ...reads,
    operationId: 'getWebhookDelivery',
    path: '/webhooks/deliveries/:id',
    params: IdParams,
    response: WebhookDelivery,
    errors: ['delivery_not_found'],
    summary: 'Get one delivery with its attempts.',
  }),
  redeliverWebhook: defineRoute({
    ...writes,
    operationId: 'redeliverWebhook',
    method: 'POST',
    path: '/webhooks/deliveries/:id/redeliver',
    params: IdParams,
    response: z.object({ id: z.string(), status: DeliveryStatus }),
    status: 202,
    errors: ['delivery_not_found', 'webhook_inactive'],
    summary: 'Send a delivery again under the same `webhook-id`.',
  }),
  redeliverWebhookById: defineRoute({
    ...writes,
    operationId: 'redeliverWebhookById',
    method: 'POST',
    path: '/webhooks/redeliver',
    body: z.object({ deliveryId: z.string() }),
    response: z.object({ id: z.string(), status: DeliveryStatus }),
    status: 202,
    errors: ['delivery_not_found', 'webhook_inactive'],
    summary: 'Send a delivery named in the body again.',
  }),
  listReceivers: defineRoute({
    ...reads,
    operationId: 'listReceivers',
    path: '/webhook-receivers',
    query: z.object(page),
    response: z.object({ receivers: z.array(Receiver), ...pageAnswer }),
    errors: [],
    summary: 'List receivers by name.',
  }),
  createReceiver: defineRoute({
    ...writes,
    operationId: 'createReceiver',
    method: 'POST',
    path: '/webhook-receivers',
    body: ReceiverInput,
    response: Receiver,
    status: 201,
    errors: [],
    summary: 'Make a receiver: an address others call.',
  }),
  getReceiver: defineRoute({
    ...reads,
    operationId: 'getReceiver',
    path: '/webhook-receivers/:name',
    params: NameParams,
    response: Receiver,
    errors: ['receiver_not_found'],
    summary: 'Get a receiver by name or id.',
  }),
  updateReceiver: defineRoute({
    ...writes,
    operationId: 'updateReceiver',
    method: 'PATCH',
    path: '/webhook-receivers/:name',
    params: NameParams,
    body: ReceiverPatch,
    response: Receiver,
    errors: ['receiver_not_found'],
    summary: 'Change a receiver.',
  }),
  deleteReceiver: defineRoute({
    ...writes,
    operationId: 'deleteReceiver',
    method: 'DELETE',
    path: '/webhook-receivers/:name',
    params: NameParams,
    response: z.object({ id: z.string(), name: z.string(), success: z.literal(true) }),
    errors: ['receiver_not_found'],
    summary: 'Remove a receiver; its address is unknown from then on.',
  }),
  postHook: defineRoute({ ...hook, operationId: 'postHook', method: 'POST', summary: 'Call a receiver.' }),
  putHook: defineRoute({ ...hook, operationId: 'putHook', method: 'PUT', summary: 'Call a receiver.' }),
  getHook: defineRoute({
    ...hook,
    operationId: 'getHook',
    method: 'GET',
    summary: 'Call a receiver whose action is a script.',
  }),
})
