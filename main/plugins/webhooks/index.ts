// The webhooks plugin: other systems are told of changes, and other systems call.
import { webhookRoutes } from '#shared/contracts/webhooks.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import { createOutbound } from '#main/kernel/outbound.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { webhookErrors } from './errors.ts'
import { webhookMigrations } from './migrations/index.ts'
import { webhookPermissions } from './permissions.ts'
import { webhookHandlers } from './routes.ts'
import { createWebhookService } from './service.ts'
import { createDeliveries } from './service/deliveries.ts'
import { createEmission } from './service/emission.ts'
import { webhookNode } from './service/flow-node.ts'
import { bareBodyOf } from './service/message-body.ts'
import { createReceivers } from './service/receivers.ts'
import { createReceiving } from './service/receiving.ts'
import { keepDoors } from './service/restored-webhooks.ts'
import { createSecrets } from './service/secrets.ts'
import { createSpeakers } from './service/speakers.ts'
import { createWebhookList } from './service/webhook-list.ts'
import type { StoredWebhook } from './service/webhook-list.ts'
import {
  dropOld,
  endDelivery,
  endWaiting,
  forgetRecord,
  putOutcome,
  putWebhook,
  readOutcomes,
  waitingIds,
} from './store.ts'

/** Deliveries are kept so long after they were made, and ids of messages that were received. @source D-194, D-196 */
const keptMs = { deliveries: 30 * 86_400_000, messages: 86_400_000 }
/** Bytes of an answer that are read. */
const maxAnswerBytes = 16_384

/** Webhooks and receivers (D-190 to D-196). */
export const webhooksPlugin = definePlugin({
  id: 'webhooks',
  version: '1.0.0',
  requires: ['settings', 'metadata', 'permissions', 'data'],
  optional: ['notifications', 'scripts', 'automation', 'auth', 'realtime'],
  discovery: { service: 'webhooks', routeKey: 'webhooks', route: '/webhooks', feature: 'webhooks' },
  contract: webhookRoutes,
  errors: webhookErrors,
  permissions: webhookPermissions,
  migrations: webhookMigrations,
  emits: [
    'webhooks.created',
    'webhooks.updated',
    'webhooks.deleted',
    'webhooks.receiver_created',
    'webhooks.receiver_updated',
    'webhooks.receiver_deleted',
  ],
  async register(host) {
    const { read, write, clock, ids, log, options } = host
    await keepDoors(host)
    await endSent(host)
    const settings = host.service('settings')
    const metadata = host.service('metadata')
    const data = host.service('data')
    const notifications = host.optionalService('notifications')
    const automation = host.optionalService('automation')
    const auth = host.optionalService('auth')
    const timeZone = (): string => settings.get('timezone')
    const outbound = createOutbound({
      allowedHosts: () => settings.get('webhooks.allowedHosts'),
      onDisk: host.database.onDisk,
      maxAnswerBytes,
    })
    const webhooks = createWebhookList(read)
    const secrets = createSecrets(host.secrets)
    const switchOff = (tx: Tx, { row, definition }: StoredWebhook): void => {
      putWebhook(tx, {
        ...row,
        definition: JSON.stringify({ ...definition, isActive: false }),
        updated_at: clock.now(),
      })
      endWaiting(tx, row.id)
      tx.afterCommit(() => webhooks.reload())
    }
    const deliveries = createDeliveries({
      read,
      write,
      clock,
      log,
      outbound,
      webhooks,
      secrets,
      random: () => Buffer.from(ids.token(4), 'base64url').readUInt32BE() / 2 ** 32,
      isReady: () => options.baseUrl() !== '' && host.database.health() === 'ok',
      maySend: (webhook, delivery) => speakers.maySend(webhook, delivery),
      tellDead(tx, { row, definition }, delivery) {
        notifications()?.notify(tx, {
          userId: row.created_by,
          type: 'system',
          title: `The webhook "${definition.label ?? row.name}" could not be delivered`,
          body: 'All attempts failed. The delivery can be sent again from the list of deliveries.',
          data: { webhook: row.name, deliveryId: delivery.id },
          dedupeKey: `webhooks.dead.${delivery.id}`,
          organizationId: row.organization_id,
        })
      },
      switchOff(tx, webhook) {
        switchOff(tx, webhook)
        const name = webhook.row.name
        log.warn({ webhook: name }, 'A webhook is switched off: its target is gone, or has failed for five days.')
      },
    })
    host.dispose(() => deliveries.stop())
    const { objectSchema } = metadata
    const permissions = host.service('permissions')
    const isAdministrator = (ctx: RequestContext): boolean => permissions.isAdministrator(ctx)
    const speakers = createSpeakers({
      authorizer: () => host.authorizer,
      isAdministrator,
      auth,
      data,
      realtime: host.optionalService('realtime'),
      objectSchema,
      organizationOf: (object, recordId) => permissions.organizationOf(read, object, recordId),
      permissionEpoch: () => host.permissionEpoch(),
    })
    const administration = createWebhookService({
      read,
      write,
      clock,
      ids,
      authorizer: () => host.authorizer,
      metadata,
      outbound,
      webhooks,
      secrets,
      deliveries,
      speakers,
      isAdministrator,
      data,
      timeZone,
    })
    const receivers = createReceivers({
      read,
      write,
      clock,
      ids,
      secrets: host.secrets,
      authorizer: () => host.authorizer,
      metadata,
      speakers,
      urlOf: (path) => `${options.baseUrl()}${options.prefix}/hooks/${path}`,
    })
    const receive = createReceiving({
      write,
      clock,
      log,
      receivers,
      data,
      scripts: host.optionalService('scripts'),
      flows: automation,
      timeZone,
    })
    host.provide('webhooks', administration.service)
    automation()?.registerNodeType(webhookNode(write, administration.service))
    host.handle(webhookRoutes, webhookHandlers({ webhooks: administration, receivers, receive }))
    host.consume(
      'webhooks',
      createEmission({
        read,
        write,
        clock,
        ids,
        log,
        webhooks,
        data,
        speakers,
        objectSchema,
        timeZone,
        wake: () => deliveries.wake(),
      }),
    )
    // Whoever made an account for somebody else's address is told nothing for it any more, and calls nothing (D-35).
    host.on('auth.email_verified', ({ payload }, tx) => {
      const { userId, endedAccess } = payload as { userId: string; endedAccess?: true }
      if (endedAccess !== true) return
      for (const webhook of webhooks.all()) if (webhook.row.saved_by === userId) switchOff(tx, webhook)
      receivers.switchOff(tx, userId)
    })
    // What is removed for good is quoted nowhere (safety D4), and not sent again.
    host.on('record.purged', ({ recordId }, tx) => {
      if (recordId === undefined) return
      forgetRecord(tx, recordId, (delivery) => {
        const webhook = webhooks.byId(delivery.webhook_id)
        try {
          return webhook && bareBodyOf(webhook, delivery, timeZone())
        } catch (error) {
          log.warn({ err: error, webhook: webhook!.row.name }, 'The body of a webhook could not be made.')
          return undefined
        }
      })
    })
    host.job('retention', { cron: '43 3 * * *' }, async () => {
      const now = clock.now()
      await write('webhooks.retention', (tx) =>
        dropOld(tx, { deliveries: now - keptMs.deliveries, messages: now - keptMs.messages }),
      )
    })
  },
})

/** What was sent since a backup, or given up, is not sent again when that is put back (D-410). */
async function endSent({ read, write, options }: Pick<PluginHost, 'read' | 'write' | 'options'>): Promise<void> {
  if (options.restored === undefined) return
  const waiting = waitingIds(read)
  const outcomes = options.restored.read((at) => readOutcomes(at, waiting))
  if (outcomes === null) return
  const by = new Map(outcomes.map((outcome) => [outcome.id, outcome]))
  await write('webhooks.end-sent', (tx) => {
    for (const id of waiting) {
      const outcome = by.get(id)
      // Its webhook is gone, or it ended so long ago that it is no longer kept.
      if (outcome === undefined) endDelivery(tx, id)
      else if (outcome.next_attempt_at === null) putOutcome(tx, outcome)
    }
  })
}
