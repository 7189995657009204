// Which events become entries, and as what. Pure; knows the shape of foreign events, none of their plugins.
import type { PlatformEvent } from '#shared/events.ts'
import { hash } from 'node:crypto'
import type { AuditDraft, AuditOutcome } from '../api.ts'
import { withoutLiterals } from './details.ts'

/** The events that are heard: whole families, and single ones of families that are too common. */
export const heardEvents = [
  'auth.*',
  'permissions.*',
  'metadata.*',
  'settings.*',
  'registry.*',
  'packages.*',
  'backup.*',
  'export.*',
  'import.*',
  'schema.*',
  'analytics.sql.run',
  'mcp.acted',
  'webhooks.*',
  'flow.switched',
  'ai.configured',
  'storage.rules_changed',
  'machine.*',
  'approval.requested',
  'approval.decided',
  'record.purged',
  'record.restored',
  'record.secret_revealed',
] as const

/** Kinds that a host can write, with what they mean. Events of `packages` add theirs. */
export const knownKinds: Readonly<Record<string, string>> = {
  'access.denied': 'A request was refused because a right is missing.',
  'access.credential_refused': 'A credential was presented that does not hold.',
  'key.used': 'An API key was used; once an hour and key.',
  'auth.signed_in': 'Somebody signed in.',
  'auth.sign_in_failed': 'Somebody failed to sign in.',
  'auth.signed_out': 'Somebody signed out.',
  'auth.session_ended': 'One session was ended.',
  'auth.sessions_ended': 'The sessions of an account were ended.',
  'auth.user_created': 'An account was made.',
  'auth.user_updated': 'Name, address or username of an account changed.',
  'auth.user_deleted': 'An account was deleted.',
  'auth.user_banned': 'An account was shut out.',
  'auth.user_unbanned': 'An account was let in again.',
  'auth.role_changed': 'Somebody became an administrator, or is none any more.',
  'auth.password_changed': 'A password was set or changed.',
  'auth.password_reset': 'A password was reset with a link.',
  'auth.email_change_requested': 'Somebody asked for another address.',
  'auth.email_verified': 'An address was proved.',
  'auth.account_linked': 'A provider became a way to sign in to an account.',
  'auth.account_unlinked': 'A provider is no way to sign in to an account any more.',
  'auth.two_factor_prepared': 'A second factor was prepared.',
  'auth.two_factor_enabled': 'A second factor was switched on, or proved again.',
  'auth.two_factor_disabled': 'A second factor was switched off.',
  'auth.backup_codes_replaced': 'Backup codes were replaced.',
  'auth.impersonation_started': 'Somebody began to act as somebody else.',
  'auth.impersonation_ended': 'Somebody ended acting as somebody else.',
  'auth.key_created': 'An API key was made.',
  'auth.key_revoked': 'An API key was revoked.',
  'auth.device_approved': 'A device was allowed to act as somebody.',
  'auth.device_denied': 'A device was refused.',
  'auth.organization_changed': 'An organization, its members or its teams changed.',
  'auth.oauth_client_changed': 'An application that signs people in here was made, changed or deleted.',
  'auth.oauth_consent_given': 'Somebody let an application know who they are.',
  'auth.oauth_consent_refused': 'Somebody refused an application.',
  'auth.oauth_consent_ended': 'Somebody ended what an application may know.',
  'schema.saved': 'An object was created or changed.',
  'schema.deleted': 'An object was deleted.',
  'schema.state_changed': 'The state of an object changed.',
  'schema.overlay_changed': 'The overlay of an object changed.',
  'schema.backup_restored': 'A deleted object or field was brought back.',
  'schema.backup_expired': 'What was kept of a deleted object is gone for good.',
  'permissions.saved': 'A permission, profile or role was created or changed.',
  'permissions.deleted': 'A permission, profile or role was deleted.',
  'permissions.state_changed': 'The state of a permission, profile or role changed.',
  'permissions.overlay_changed': 'The overlay of a permission, profile or role changed.',
  'permissions.assigned': 'A person was given another profile, other roles or other permission sets.',
  'permissions.shared': 'A record was shared.',
  'permissions.unshared': 'A share of a record was ended.',
  'metadata.saved': 'Another metadata item was created or changed.',
  'metadata.deleted': 'Another metadata item was deleted.',
  'metadata.state_changed': 'The state of another metadata item changed.',
  'metadata.overlay_changed': 'The overlay of another metadata item changed.',
  'settings.changed': 'Options of the workspace changed; the details name them.',
  'webhooks.changed': 'A webhook was made, changed or deleted; the details say which.',
  'webhooks.receiver_changed': 'A receiver was made, changed or deleted; the details say which.',
  'flow.switched': 'A flow was switched on or off.',
  'ai.configured': 'Another provider answers questions, or another address is asked.',
  'storage.rules_changed': 'Which kinds of files are taken changed.',
  'machine.paired': 'A machine was let into the workspace.',
  'machine.unpaired': 'A machine was shut out of the workspace.',
  'registry.changed': 'A documented API was added, changed or removed.',
  'record.purged': 'A record was removed for good.',
  'record.restored': 'A deleted record was brought back.',
  'record.secret_revealed': 'Somebody looked at a secret field.',
  'approval.requested': 'Somebody was asked to approve something about a record.',
  'approval.decided': 'An approval was given, refused or taken back.',
  'sql.run': 'A statement was run; its values are left out.',
  'mcp.acted': 'An assistant called a tool that can change something; the details name it.',
  'export.started': 'Records left as a file.',
  'import.started': 'Records came from a file.',
  'import.undone': 'An import was taken back.',
  'backup.created': 'Somebody made a backup.',
  'backup.downloaded': 'A backup left as a file.',
  'backup.deleted': 'A backup was deleted.',
  'backup.restored': 'The workspace was put back to a backup; what came after it is gone from this chain.',
  'audit.exported': 'Entries of the audit left as a file.',
  'audit.verified': 'The chain was checked.',
  'audit.cut': 'Entries whose time is over were removed from the beginning.',
  'audit.started': 'A chain begins with a key of its own.',
  'audit.gap': 'At a start the end of the chain was not where it had been.',
  'audit.anchor_lost': 'At a start the note of where the chain ends was missing or did not hold.',
  'audit.flood': 'More refusals than are kept one by one were counted.',
}

const outcomes: ReadonlySet<unknown> = new Set<AuditOutcome>(['ok', 'denied', 'failed'])
const securityTypes: ReadonlySet<unknown> = new Set(['permission', 'profile', 'role'])

/** What the entry of an event tells. */
export function draftOf(event: PlatformEvent): AuditDraft {
  const payload = recordOf(event.payload)
  if (event.type.startsWith('metadata.')) return ofItem(event.type, payload)
  if (event.type === 'analytics.sql.run') return ofSql(payload)
  if (event.type.startsWith('webhooks.')) return ofWebhook(event.type, payload)
  const isRecord = event.type.startsWith('record.')
  return {
    kind: event.type,
    outcome: outcomeOf(event.type, payload),
    ...(event.object === undefined ? {} : { object: event.object }),
    ...(event.recordId === undefined ? {} : { recordId: event.recordId }),
    // The payload of a record event holds the record.
    details: isRecord ? (typeof payload['field'] === 'string' ? { field: payload['field'] } : {}) : payload,
  }
}

function ofItem(type: string, payload: Readonly<Record<string, unknown>>): AuditDraft {
  const item = { type: String(payload['type']), name: String(payload['name']) }
  const family = item.type === 'object' ? 'schema' : securityTypes.has(item.type) ? 'permissions' : 'metadata'
  const { version, packageId, renamedFrom, state } = payload
  return {
    kind: `${family}.${type.slice(type.lastIndexOf('.') + 1)}`,
    item,
    ...(item.type === 'object' ? { object: item.name } : {}),
    details: { version, packageId, renamedFrom, state },
  }
}

function ofWebhook(type: string, payload: Readonly<Record<string, unknown>>): AuditDraft {
  const [thing = '', change] = type.split(/[._](?=[a-z]+$)/)
  return {
    kind: thing === 'webhooks' ? 'webhooks.changed' : 'webhooks.receiver_changed',
    details: { ...payload, change },
  }
}

function ofSql(payload: Readonly<Record<string, unknown>>): AuditDraft {
  const sql = String(payload['sql'])
  return { kind: 'sql.run', details: { statement: withoutLiterals(sql), sha256: hash('sha256', sql) } }
}

/** Said by the payload, else read from the name of the event. */
function outcomeOf(type: string, payload: Readonly<Record<string, unknown>>): AuditOutcome {
  const said = payload['outcome']
  if (outcomes.has(said)) return said as AuditOutcome
  if (/denied|forbidden/.test(type)) return 'denied'
  return /fail|locked|refused|invalid|rejected/.test(type) ? 'failed' : 'ok'
}

function recordOf(payload: unknown): Readonly<Record<string, unknown>> {
  return typeof payload === 'object' && payload !== null && !Array.isArray(payload)
    ? (payload as Readonly<Record<string, unknown>>)
    : {}
}
