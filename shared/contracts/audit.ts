// Contracts of the audit: who did what, in a chain that shows when it was tampered with (D-230).
import { z } from 'zod'
import { changeSources } from '../events.ts'
import { defineRoute, defineRoutes } from '../route.ts'
import { InstantText, QueryInteger, QueryList } from './common.ts'

/** How what an entry tells of ended. */
export const AuditOutcome = z.enum(['ok', 'denied', 'failed'])

/** Why the chain is broken at an entry. */
export const AuditBreakReason = z
  .enum(['changed', 'missing', 'link', 'cut', 'gap', 'anchor_lost', 'key_lost', 'end_missing'])
  .meta({
    description:
      'changed: the entry is not what was written; missing: entries before it are gone; link: it does not follow the one before; cut: the beginning is gone without a recorded cut; gap, anchor_lost: a start found another end than there had been, or no note of it; key_lost: the key of the entry cannot be opened here; end_missing: entries after it are gone.',
  })

/** One entry. */
export const AuditEntry = z
  .object({
    seq: z.int(),
    at: z.string(),
    kind: z.string(),
    outcome: AuditOutcome,
    actor: z.object({ type: z.enum(['user', 'system', 'automation', 'service']), id: z.string() }),
    realUserId: z.string().nullable().meta({ description: 'Who acted as the actor; null when nobody did.' }),
    credential: z
      .object({ kind: z.string(), digest: z.string().nullable() })
      .nullable()
      .meta({ description: 'Kind of the credential, and what tells it apart from others without revealing it.' }),
    organizationId: z.string().nullable(),
    object: z.string().nullable(),
    item: z.object({ type: z.string(), name: z.string() }).nullable(),
    recordId: z.string().nullable(),
    details: z.record(z.string(), z.unknown()).meta({ description: 'Never values of fields.' }),
    requestId: z.string(),
    source: z.enum(changeSources),
    prev: z.string(),
    hash: z.string(),
  })
  .meta({ id: 'AuditEntry' })

const filters = {
  kind: QueryList.optional().meta({ description: 'Kinds, or families as auth.*; any of them.' }),
  actorId: z.string().optional().meta({ description: 'The actor, or the user behind it.' }),
  object: z.string().optional(),
  outcome: AuditOutcome.optional(),
  since: InstantText.optional().meta({ description: 'A timestamp, inclusive.' }),
  until: InstantText.optional().meta({ description: 'A timestamp, exclusive.' }),
}

const shared = { mount: 'versioned', permission: { system: 'view_audit' }, channel: 'audit', tag: 'audit' } as const
const longTimeoutMs = 10 * 60_000

/** The routes of the `audit` plugin. */
export const auditRoutes = defineRoutes({
  listAudit: defineRoute({
    ...shared,
    operationId: 'listAudit',
    method: 'GET',
    path: '/audit',
    query: z.object({
      ...filters,
      cursor: z
        .string()
        .regex(/^\d{0,15}$/)
        .optional()
        .meta({ description: '`nextCursor` of the page before.' }),
      limit: QueryInteger.optional().meta({ description: '1 to 200, default 50.' }),
    }),
    response: z
      .object({ entries: z.array(AuditEntry), nextCursor: z.string().optional(), hasMore: z.boolean() })
      .meta({ id: 'AuditPage' }),
    rateLimit: 'read',
    errors: [],
    summary: 'List entries, newest first.',
  }),
  listAuditKinds: defineRoute({
    ...shared,
    operationId: 'listAuditKinds',
    method: 'GET',
    path: '/audit/kinds',
    response: z
      .object({ kinds: z.array(z.object({ kind: z.string(), description: z.string(), present: z.boolean() })) })
      .meta({ id: 'AuditKinds' }),
    rateLimit: 'read',
    errors: [],
    summary: 'The kinds of entries, with whether there are any.',
  }),
  exportAudit: defineRoute({
    ...shared,
    operationId: 'exportAudit',
    method: 'GET',
    path: '/audit/export',
    query: z.object(filters),
    response: z.unknown(),
    responseKind: 'bytes',
    produces: ['application/x-ndjson'],
    rateLimit: 'heavy',
    errors: [],
    timeoutMs: longTimeoutMs,
    sends: ['Content-Disposition'],
    summary: 'Entries as NDJSON, newest first; the export is an entry itself.',
  }),
  verifyAudit: defineRoute({
    ...shared,
    operationId: 'verifyAudit',
    method: 'POST',
    path: '/audit/verify',
    response: z
      .object({
        valid: z.boolean(),
        checked: z.int(),
        head: z.object({ seq: z.int(), hash: z.string() }),
        firstBroken: z.object({ seq: z.int(), reason: AuditBreakReason }).optional(),
      })
      .meta({ id: 'AuditVerification' }),
    rateLimit: 'heavy',
    errors: [],
    timeoutMs: longTimeoutMs,
    summary: 'Check the chain from its beginning to its end.',
  }),
})
