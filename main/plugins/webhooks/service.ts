// The webhooks of the workspace: made, changed, listed, sent by hand, tested; and the lists of their deliveries.
import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import type { StopReason } from '#shared/contracts/common.ts'
import type { Webhook, WebhookDelivery, WebhookInput, WebhookPatch } from '#shared/contracts/webhooks.ts'
import { maskedSecret } from '#shared/contracts/webhooks.ts'
import { notFound, platformError, validationError } from '#shared/errors.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Tx, Write } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { PageQuery } from '#main/kernel/list-page.ts'
import { cutPage, pageOf, readPage, standardBounds } from '#main/kernel/list-page.ts'
import { requireObjectAction, requireOpenRecords } from '#main/kernel/authorize.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { isStored } from '#main/database/query/object-rows.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { WebhooksService } from './api.ts'
import { webhookError } from './errors.ts'
import type { Attempt, ShownRequest } from './service/attempt.ts'
import type { Deliveries } from './service/deliveries.ts'
import type { Message } from './service/message-body.ts'
import { bodyOf, wantedOf } from './service/message-body.ts'
import type { SecretsOfWebhooks, WebhookSecrets } from './service/secrets.ts'
import { newSecret } from './service/signature.ts'
import type { Speakers } from './service/speakers.ts'
import { requireWholeRights } from './service/speakers.ts'
import type { StoredWebhook, WebhookDefinition, WebhookList } from './service/webhook-list.ts'
import { showWebhook } from './service/webhook-list.ts'
import type { WebhookRuleParts } from './service/webhook-rules.ts'
import {
  checkWebhook,
  definitionOf,
  isSentOtherwise,
  refuseName,
  splitAuthentication,
} from './service/webhook-rules.ts'
import type { DeliveryRow, WebhookRow } from './store.ts'
import {
  addDelivery,
  countDeliveries,
  deleteWebhook,
  endDelivery,
  endWaiting,
  findDelivery,
  listDeliveries,
  mentionRecords,
  putWebhook,
  readDelivery,
  retryDelivery,
  waitingDeliveries,
} from './store.ts'

/** Most webhooks of a workspace (D-199). */
const maxWebhooks = 500
/** Ids in a given body, as they may name records; so many are noted. */
const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const maxMentions = 1_000
/** How long a former secret signs beside the new one. @source D-190 */
const formerMs = 86_400_000

/** What the service works with. */
export interface WebhookParts extends WebhookRuleParts {
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly ids: Ids
  readonly authorizer: () => Authorizer
  readonly webhooks: WebhookList
  readonly secrets: SecretsOfWebhooks
  readonly deliveries: Deliveries
  readonly speakers: Pick<Speakers, 'sees' | 'maySend' | 'fieldsOf' | 'standingOf'>
  readonly isAdministrator: (ctx: RequestContext) => boolean
  readonly data: Pick<DataService, 'get'>
  readonly timeZone: () => string
}

type Patch = z.output<typeof WebhookPatch>

/** Everything the routes ask of webhooks. */
export type WebhookAdministration = ReturnType<typeof createWebhookService>

/** Makes the service. */
export function createWebhookService(parts: WebhookParts) {
  const { read, write, clock, ids, webhooks, secrets, deliveries } = parts

  /** Webhooks belong to the organization they were made in (D-41). */
  const isSeen = (ctx: RequestContext, { row }: StoredWebhook): boolean =>
    row.organization_id === null || row.organization_id === ctx.organizationId
  /** Nobody has something sent of an object that is closed to them. */
  const requireReadable = (ctx: RequestContext, object: string | undefined): void => {
    if (object !== undefined && parts.metadata.objectSchema(object) !== undefined)
      requireObjectAction(parts.authorizer(), ctx, object, 'read')
  }
  const require = (ctx: RequestContext, name: string): StoredWebhook => {
    requireOpenRecords(parts.authorizer(), ctx)
    const found = webhooks.find(name)
    if (found === undefined || !isSeen(ctx, found)) throw webhookError('webhook_not_found', { name })
    return found
  }

  const store = async (
    ctx: RequestContext,
    action: 'created' | 'updated',
    row: Omit<WebhookRow, 'failing_since' | 'definition'>,
    definition: WebhookDefinition,
  ): Promise<StoredWebhook> => {
    await write('webhooks.save', (tx) => {
      const taken = webhooks.find(definition.name)
      if (taken !== undefined && taken.row.id !== row.id)
        throw webhookError('webhook_already_exists', { name: definition.name })
      putWebhook(tx, { ...row, definition: JSON.stringify(definition) })
      if (!definition.isActive) endWaiting(tx, row.id)
      // What was made by other rights does not leave for where somebody else sends it.
      const next: StoredWebhook = { row: { ...row, failing_since: null, definition: '' }, definition }
      for (const one of waitingDeliveries(tx, row.id)) if (!parts.speakers.maySend(next, one)) endDelivery(tx, one.id)
      tx.emit(ctx, { type: `webhooks.${action}`, payload: { id: row.id, name: row.name } })
      tx.afterCommit(() => webhooks.reload())
    })
    return webhooks.byId(row.id)!
  }

  const changed = async (
    ctx: RequestContext,
    before: StoredWebhook,
    definition: WebhookDefinition,
    next: WebhookSecrets,
    savedBy = before.row.saved_by,
  ): Promise<StoredWebhook> => {
    const sealed = await secrets.seal(next)
    const { failing_since: _since, definition: _text, ...row } = before.row
    const saved = { ...row, secrets: sealed, updated_at: clock.now(), saved_by: savedBy }
    const stored = await store(ctx, 'updated', saved, definition)
    deliveries.wake()
    return stored
  }

  /**
   * Adds a delivery that is sent by hand.
   * @param fields uids of the fields it was made from; null when what it says was given
   */
  const addByHand = (
    tx: Tx,
    webhook: StoredWebhook,
    message: Message,
    { isDue, fields }: { isDue: boolean; fields: string | null },
  ): DeliveryRow => {
    const now = clock.now()
    const id = ids.uuid()
    const body = bodyOf(webhook, message, parts.timeZone())
    const isNew = addDelivery(tx, {
      id,
      webhook_id: webhook.row.id,
      event_id: message.id,
      trigger: 'api',
      object: message.object ?? null,
      record_id: message.recordId ?? null,
      body,
      next_attempt_at: isDue ? now : null,
      is_purged: 0,
      created_at: now,
      made_for: webhook.row.saved_by,
      fields,
    })
    if (isNew && fields === null && body !== null)
      mentionRecords(tx, id, [...new Set(body.match(uuids) ?? [])].slice(0, maxMentions))
    tx.whenOnDisk(() => deliveries.wake())
    return findDelivery(tx, webhook.row.id, message.id)!
  }
  const messageByHand = (webhook: StoredWebhook, id: string, type: string, about: Partial<Message>): Message => ({
    id,
    type,
    trigger: 'api',
    timestamp: clock.iso(),
    webhook: webhook.row.name,
    ...about,
  })
  const requireByHand = ({ row, definition }: StoredWebhook): void => {
    if (definition.object !== undefined && !definition.triggers.includes('api')) {
      const message = 'The webhook is sent by events of its object alone; add the trigger "api".'
      throw validationError([{ field: 'triggers', code: 'not_allowed', message }])
    }
    requireGoing({ row, definition })
  }
  const stopOf = (webhook: StoredWebhook): StopReason | undefined => {
    const standing = parts.speakers.standingOf(webhook)
    return typeof standing === 'string' ? standing : undefined
  }
  const show = (webhook: StoredWebhook, secret?: string): Webhook => showWebhook(webhook, stopOf(webhook), secret)
  const requireGoing = (webhook: StoredWebhook): void => {
    const { name } = webhook.row
    if (!webhook.definition.isActive) throw webhookError('webhook_inactive', { name })
    const reason = stopOf(webhook)
    if (reason !== undefined) throw webhookError('webhook_inactive', { name, reason })
  }

  const showDelivery = (ctx: RequestContext, row: DeliveryRow): WebhookDelivery => {
    const webhook = webhooks.byId(row.webhook_id)!
    const { url, method } = webhook.definition
    const isOpen = parts.speakers.sees(ctx, row)
    const { body, ...head } = (
      row.request === null ? { url, method, headers: {}, body: row.body ?? undefined } : JSON.parse(row.request)
    ) as ShownRequest
    return {
      id: row.id,
      webhook: webhook.row.name,
      eventId: row.event_id,
      trigger: row.trigger as WebhookDelivery['trigger'],
      ...(row.object === null ? {} : { object: row.object }),
      ...(row.record_id === null || !isOpen ? {} : { recordId: row.record_id }),
      status: deliveries.isInFlight(row.id) ? 'in_flight' : row.status,
      attempts: JSON.parse(row.attempts) as Attempt[],
      request: { ...head, ...(body === undefined || !isOpen ? {} : { body }) },
      ...(row.response_body === null || !isOpen ? {} : { responseBody: row.response_body }),
      ...(row.next_attempt_at === null ? {} : { nextAttemptAt: new Date(row.next_attempt_at).toISOString() }),
      createdAt: new Date(row.created_at).toISOString(),
      ...(isOpen ? {} : { withheld: true as const }),
    }
  }
  const requireDelivery = (ctx: RequestContext, id: string): DeliveryRow => {
    requireOpenRecords(parts.authorizer(), ctx)
    const row = readDelivery(read, id)
    const webhook = row === undefined ? undefined : webhooks.byId(row.webhook_id)
    if (row === undefined || webhook === undefined || !isSeen(ctx, webhook))
      throw webhookError('delivery_not_found', { id })
    return row
  }

  /** Sends a record as the caller may read it. */
  const triggerRecord = async (
    ctx: RequestContext,
    webhook: StoredWebhook,
    object: string | undefined,
    recordId: string,
  ): Promise<{ deliveryId: string }> => {
    if (object === undefined)
      throw validationError([{ field: 'object', code: 'required', message: 'A record is one of an object.' }])
    const found = await parts.data.get(ctx, { object, id: recordId })
    const { definition } = webhook
    const record = object === definition.object ? wantedOf(definition, found.record) : found.record
    const fields = parts.speakers.fieldsOf(object, record)
    const about = { object, recordId: found.id, record }
    const message = messageByHand(webhook, ids.uuid(), 'api', about)
    const row = await write('webhooks.trigger', (tx) => {
      if (!isStored(tx, parts.metadata.objectSchema(object)!, found.id)) throw notFound('record', recordId, object)
      return addByHand(tx, webhook, message, { isDue: true, fields })
    })
    return { deliveryId: row.id }
  }

  const service: WebhooksService = {
    send(tx, ctx, { name, payload, key }) {
      const webhook = webhooks.find(name)
      if (webhook === undefined || !isSeen(ctx, webhook)) throw webhookError('webhook_not_found', { name })
      requireByHand(webhook)
      return addByHand(tx, webhook, messageByHand(webhook, key, 'api', { record: payload }), {
        isDue: true,
        fields: null,
      }).id
    },
  }

  return {
    service,

    list(ctx: RequestContext, query: PageQuery & { object?: string | undefined; isActive?: boolean | undefined }) {
      requireOpenRecords(parts.authorizer(), ctx)
      const { object, isActive } = query
      const all = webhooks
        .all()
        .filter((one) => isSeen(ctx, one))
        .filter(({ definition }) => object === undefined || definition.object === object)
        .filter(({ definition }) => isActive === undefined || definition.isActive === isActive)
      const binding = ['webhooks', object, isActive, ctx.organizationId]
      const { shown, ...page } = pageOf(all, query, standardBounds, ({ row }) => row.name, binding)
      return { webhooks: shown.map((one) => show(one)), total: all.length, ...page }
    },

    get: (ctx: RequestContext, name: string): Webhook => show(require(ctx, name)),

    async create(ctx: RequestContext, input: WebhookInput): Promise<Webhook> {
      requireOpenRecords(parts.authorizer(), ctx)
      if (webhooks.all().length >= maxWebhooks)
        throw platformError('conflict', { reason: 'too_many_webhooks', limit: maxWebhooks })
      const proof = splitAuthentication(input.authentication, {})
      const definition: WebhookDefinition = {
        ...definitionOf(input),
        ...(proof.authentication === undefined ? {} : { authentication: proof.authentication }),
      }
      requireWholeRights(ctx)
      requireReadable(ctx, definition.object)
      checkWebhook(parts, definition, ctx)
      const secret = input.secret ?? newSecret((bytes) => ids.token(bytes))
      const kept = proof.credentials === undefined ? {} : { credentials: proof.credentials }
      const now = clock.now()
      const row = {
        id: ids.uuid(),
        name: input.name,
        organization_id: ctx.organizationId,
        secrets: await secrets.seal({ secret, ...kept }),
        created_by: ctx.actor.id,
        created_at: now,
        updated_at: now,
        saved_by: ctx.actor.id,
      }
      const stored = await store(ctx, 'created', row, definition)
      return show(stored, input.secret === undefined ? secret : maskedSecret)
    },

    async update(ctx: RequestContext, name: string, patch: Patch): Promise<Webhook> {
      const before = require(ctx, name)
      const { secret, authentication, name: newName, ...rest } = patch
      refuseName(before.row.name, newName)
      requireReadable(ctx, before.definition.object)
      const held = await secrets.open(before.row)
      const url = rest.url ?? before.definition.url
      // What proves who sends is not handed to where somebody else sends it.
      const isForeign = ctx.actor.id !== before.row.saved_by && !parts.isAdministrator(ctx)
      const keepsProof = !isForeign || originOf(url) === originOf(before.definition.url)
      const former = !keepsProof
        ? {}
        : {
            ...(before.definition.authentication === undefined
              ? {}
              : { authentication: before.definition.authentication }),
            ...(held.credentials === undefined ? {} : { credentials: held.credentials }),
          }
      const { authentication: shownProof, credentials } = splitAuthentication(authentication, former)
      const { authentication: _former, ...kept } = before.definition
      const merged = Object.entries({ ...kept, ...rest }).filter(([, value]) => value !== undefined && value !== null)
      const definition = {
        ...(Object.fromEntries(merged) as unknown as WebhookDefinition),
        ...(shownProof === undefined ? {} : { authentication: shownProof }),
      }
      const isTaken =
        isSentOtherwise(before.definition, definition) ||
        !isDeepStrictEqual(credentials, held.credentials) ||
        // Whoever switches on what is stopped takes it on.
        (patch.isActive === true && stopOf(before) !== undefined)
      if (isTaken) requireWholeRights(ctx)
      requireReadable(ctx, definition.object)
      checkWebhook(parts, definition, isTaken ? ctx : undefined)
      const next: WebhookSecrets = {
        secret: secret === undefined || secret === maskedSecret ? held.secret : secret,
        ...(held.former === undefined ? {} : { former: held.former }),
        ...(credentials === undefined ? {} : { credentials }),
      }
      return show(await changed(ctx, before, definition, next, isTaken ? ctx.actor.id : before.row.saved_by))
    },

    async remove(ctx: RequestContext, name: string): Promise<{ id: string; name: string; success: true }> {
      const { row } = require(ctx, name)
      await write('webhooks.delete', (tx) => {
        deleteWebhook(tx, row.id)
        tx.emit(ctx, { type: 'webhooks.deleted', payload: { id: row.id, name: row.name } })
        tx.afterCommit(() => webhooks.reload())
      })
      return { id: row.id, name: row.name, success: true }
    },

    async trigger(
      ctx: RequestContext,
      name: string,
      input: { record?: unknown; object?: string | undefined; recordId?: string | undefined; payload?: unknown } = {},
    ): Promise<{ deliveryId: string }> {
      const webhook = require(ctx, name)
      requireByHand(webhook)
      const given = input.payload ?? input.record
      const { recordId } = input
      if (given === undefined && recordId !== undefined)
        return triggerRecord(ctx, webhook, input.object ?? webhook.definition.object, recordId)
      const message = messageByHand(webhook, ids.uuid(), 'api', {
        ...(input.object === undefined ? {} : { object: input.object }),
        ...(recordId === undefined ? {} : { recordId }),
        record: given ?? {},
      })
      const fields = given === undefined ? '[]' : null
      const row = await write('webhooks.trigger', (tx) => addByHand(tx, webhook, message, { isDue: true, fields }))
      return { deliveryId: row.id }
    },

    async test(ctx: RequestContext, name: string) {
      const webhook = require(ctx, name)
      const { object } = webhook.definition
      const message = messageByHand(webhook, ids.uuid(), 'webhook.test', {
        ...(object === undefined ? {} : { object }),
        record: {},
      })
      const row = await write('webhooks.test', (tx) => addByHand(tx, webhook, message, { isDue: false, fields: '[]' }))
      const { attempt, responseBody } = await deliveries.once(webhook, row)
      return {
        deliveryId: row.id,
        status: readDelivery(read, row.id)!.status,
        ...(attempt.responseStatus === undefined ? {} : { responseStatus: attempt.responseStatus }),
        ...(responseBody === undefined ? {} : { responseBody }),
        durationMs: attempt.durationMs,
      }
    },

    async rotateSecret(ctx: RequestContext, name: string): Promise<{ secret: string }> {
      const before = require(ctx, name)
      const held = await secrets.open(before.row)
      const secret = newSecret((bytes) => ids.token(bytes))
      const former = { secret: held.secret, until: clock.now() + formerMs }
      await changed(ctx, before, before.definition, { ...held, secret, former })
      return { secret }
    },

    deliveries(ctx: RequestContext, name: string, query: PageQuery & { status?: string | undefined }) {
      const { row } = require(ctx, name)
      const binding = ['deliveries', row.id, query.status]
      const start = readPage(query, standardBounds, binding)
      // What is under way is stored as waiting.
      const status = query.status === 'in_flight' ? 'pending' : query.status
      const below = start.after === null ? null : Number(start.after)
      const found = listDeliveries(read, row.id, { status, below, limit: start.limit })
      const { shown, ...page } = cutPage(found, start, ({ seq }) => String(seq), binding)
      const views = shown
        .map((one) => showDelivery(ctx, one))
        .filter((one) => query.status !== 'in_flight' || one.status === 'in_flight')
      return { deliveries: views, total: countDeliveries(read, row.id, status), ...page }
    },

    delivery: (ctx: RequestContext, id: string): WebhookDelivery => showDelivery(ctx, requireDelivery(ctx, id)),

    async redeliver(ctx: RequestContext, id: string) {
      const row = requireDelivery(ctx, id)
      const webhook = webhooks.byId(row.webhook_id)!
      requireGoing(webhook)
      if (row.is_purged === 2) throw platformError('conflict', { reason: 'purged' })
      if (!parts.speakers.maySend(webhook, row)) throw platformError('permission_denied', { reason: 'withheld' })
      await write('webhooks.redeliver', (tx) => {
        retryDelivery(tx, id, clock.now())
        tx.whenOnDisk(() => deliveries.wake())
      })
      return { id, status: 'pending' as const }
    },
  }
}

function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined
}
