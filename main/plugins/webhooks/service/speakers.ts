// By whose rights a webhook sends and a receiver acts, and what of its deliveries somebody may see. Knows no request.
import { platformError } from '#shared/errors.ts'
import type { StopReason } from '#shared/contracts/common.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { PlatformEvent } from '#shared/events.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { absenceOf, whyNotLent } from '#main/kernel/identity.ts'
import type { AuthService } from '#main/plugins/auth/api.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { RealtimeService } from '#main/plugins/realtime/api.ts'
import type { DeliveryRow, WebhookRow } from '../store.ts'
import type { StoredWebhook } from './webhook-list.ts'

/** A webhook or a receiver, as far as it is somebody's. */
export interface Spoken {
  readonly row: Pick<WebhookRow, 'saved_by' | 'organization_id'>
}

/** What the rights are asked of. */
export interface SpeakerParts {
  readonly authorizer: () => Authorizer
  readonly isAdministrator: (ctx: RequestContext) => boolean
  readonly auth: () => Pick<AuthService, 'absence' | 'memberships' | 'hasOrganizations'> | undefined
  readonly data: Pick<DataService, 'reach' | 'canReadField'>
  readonly realtime: () => Pick<RealtimeService, 'canSee'> | undefined
  readonly objectSchema: (name: string) => ObjectSchema | undefined
  readonly organizationOf: (object: string, recordId: string) => string | null
  readonly permissionEpoch: () => number
}

/** The rights of webhooks. */
export interface Speakers {
  /**
   * Whoever last said what a webhook sends or a receiver does, with the rights of now.
   * @param record what it is about: what belongs to no organization speaks in that of the record, else of its maker
   * @returns why it is stopped, of one who is gone, shut out, not in the organization or manages no webhooks any more
   * @source D-400
   */
  standingOf(spoken: Spoken, record?: { readonly object: string; readonly id: string }): RequestContext | StopReason
  /** Whether an event of a record is told to somebody, as realtime decides it. */
  hears(ctx: RequestContext, event: PlatformEvent): boolean
  /** The uids of the fields a body was made from. */
  fieldsOf(object: string, record: Readonly<Record<string, unknown>>): string
  /** Whether somebody may see what a delivery says. */
  sees(ctx: RequestContext, delivery: DeliveryRow): boolean
  /** Whether a delivery may leave for the webhook as it is now. */
  maySend(webhook: StoredWebhook, delivery: DeliveryRow): boolean
}

/** Makes them. */
export function createSpeakers(parts: SpeakerParts): Speakers {
  const { data, objectSchema } = parts

  const standingOf: Speakers['standingOf'] = ({ row }, record) => {
    const accounts = parts.auth()
    if (absenceOf(accounts, row.saved_by, { organizationId: null }) !== undefined) return 'user_gone'
    const places = accounts?.hasOrganizations === true ? accounts.memberships(row.saved_by) : undefined
    const around = (): string | null =>
      record === undefined ? (places?.[0]?.organizationId ?? null) : parts.organizationOf(record.object, record.id)
    const organization = row.organization_id ?? (places === undefined ? null : around())
    if (places?.every(({ organizationId }) => organizationId !== organization) === true) return 'not_member'
    const ctx: RequestContext = {
      ...internalContext('webhooks', 'webhook'),
      actor: { type: 'user', id: row.saved_by },
      credential: 'session',
      organizationId: organization,
      permissionEpoch: parts.permissionEpoch(),
    }
    return parts.authorizer().hasSystemPermission(ctx, 'manage_webhooks') ? ctx : 'rights'
  }

  const seesRecord = (ctx: RequestContext, { object, record_id: id, fields }: DeliveryRow): boolean => {
    const schema = object === null ? undefined : objectSchema(object)
    if (schema === undefined || data.reach(ctx, { object: schema.name, id: id!, action: 'read' }) !== 'open')
      return false
    const names = new Map([...schema.byName.values()].map(({ uid, name }) => [uid, name]))
    const held = fields === null ? [...names.keys()] : (JSON.parse(fields) as string[])
    return held.every((uid) => names.has(uid) && data.canReadField(ctx, schema.name, names.get(uid)!))
  }

  const sees: Speakers['sees'] = (ctx, delivery) => {
    if (parts.authorizer().isUnrestricted(ctx)) return true
    // What was given instead of read: nothing tells which rights it would take.
    if (delivery.trigger === 'api' && delivery.fields === null)
      return delivery.made_for === ctx.actor.id || parts.isAdministrator(ctx)
    return delivery.record_id === null || seesRecord(ctx, delivery)
  }

  return {
    standingOf,
    sees,
    hears(ctx, event) {
      const realtime = parts.realtime()
      if (realtime !== undefined) return realtime.canSee(ctx, event)
      return data.reach(ctx, { object: event.object!, id: event.recordId!, action: 'read' }) === 'open'
    },
    fieldsOf(object, record) {
      const fields = objectSchema(object)?.byName
      return JSON.stringify(Object.keys(record).flatMap((name) => fields?.get(name)?.uid ?? []))
    },
    maySend(webhook, delivery) {
      const { object, record_id: id } = delivery
      const speaker = standingOf(webhook, object === null || id === null ? undefined : { object, id })
      if (typeof speaker === 'string') return false
      return delivery.made_for === webhook.row.saved_by || sees(speaker, delivery)
    },
  }
}

/**
 * Refuses to have rights lent for good by who has them in part or for an hour: a key narrowed to permission sets, and
 * whoever acts as somebody else.
 * @throws permission_denied
 * @source D-249
 */
export function requireWholeRights(ctx: RequestContext): void {
  const reason = whyNotLent(ctx)
  if (reason !== null) throw platformError('permission_denied', { reason })
}
