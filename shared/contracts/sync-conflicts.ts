// Contracts of what people have to decide after machines were merged, and of what could not be applied. Bare bodies.
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'
import { ErrorObjectSchema, QueryInteger, RecordMap } from './common.ts'

/** Kinds of conflicts. @source design of sync, section 17; D-339 */
export const conflictKinds = [
  'field',
  'text',
  'delete_edit',
  'orphan',
  'unique',
  'cycle',
  'type',
  'validation',
  'fork',
  'refused',
] as const

/** What somebody lacks at another machine for what they wrote on this one. @source D-241 */
export const refusalCodes = [
  'create',
  'read',
  'edit',
  'delete',
  'transfer',
  'restore',
  'purge',
  'fields',
  'master',
  'closed',
  'others',
  'name',
  'creation',
  'admin',
] as const

/** One of {@link refusalCodes}. */
export type RefusalCode = (typeof refusalCodes)[number]

/** One of the values that met. */
export const ConflictSide = z
  .object({
    value: z.unknown(),
    actor: z.object({
      type: z.enum(['user', 'system', 'service', 'automation']),
      id: z.string(),
      name: z.string().optional(),
    }),
    device: z.object({ id: z.string(), name: z.string() }),
    at: z.string(),
    record: z.string().optional().meta({
      description:
        'The record a side is, where a value has to be unique: the first side is its owner. Where records stand above each other in a circle, the record that names the one above it.',
    }),
  })
  .meta({ id: 'SyncConflictSide' })

/** Values that were written without knowing of each other. */
export const SyncConflict = z
  .object({
    id: z.string(),
    kind: z.enum(conflictKinds),
    object: z.string().meta({ description: 'Empty where metadata is meant; see `item`.' }),
    recordId: z.string(),
    field: z.string().optional(),
    item: z
      .object({
        type: z.string(),
        name: z.string(),
        label: z.string(),
        isOverlay: z.boolean().meta({ description: 'What the workspace changed of a delivered item.' }),
        field: z.object({ name: z.string(), label: z.string() }).optional(),
        property: z.string(),
      })
      .optional()
      .meta({ description: 'The metadata that two machines changed at once: a property of an item or of its field.' }),
    feedItem: z
      .object({ id: z.string(), part: z.string().meta({ description: '`body`, `data` or a member: `data.done`.' }) })
      .optional()
      .meta({ description: 'The item of the feed of the record that two machines edited at once.' }),
    refusal: z
      .object({
        code: z.string().meta({ description: 'What the author lacks there, one of: ' + refusalCodes.join(', ') + '.' }),
        message: z.string().meta({ description: 'The same in a sentence of the machine that refused.' }),
        fields: z.array(z.string()).meta({ description: 'The fields that were written.' }),
        closed: z.array(z.string()).meta({ description: 'Those of them the author may not edit; of `fields` alone.' }),
        choices: z.array(z.enum(['winner', 'retry', 'keep'])).meta({ description: 'The ways out.' }),
        askedAt: z.string().optional().meta({ description: 'A try that was asked for and is not answered yet.' }),
        triedAt: z.string().optional().meta({ description: 'The last try that was asked for and met.' }),
      })
      .optional()
      .meta({
        description:
          'Of kind `refused`: the machine of `winner` did not accept what was written here. `winner.value` is what stands there, null for no such record; `losers[0].value` what stands here.',
      }),
    base: z.unknown().optional().meta({ description: 'What both started from, where it is known.' }),
    baseUnknown: z.literal(true).optional().meta({
      description:
        'What both started from cannot be known: it was written by an older version, or came without its log.',
    }),
    winner: ConflictSide.meta({ description: 'What stands in the record now.' }),
    losers: z.array(ConflictSide),
    sides: z.string().meta({
      description: 'A digest of the sides as they are shown: another one once a side is another one (D-414).',
    }),
    isGone: z.literal(true).optional().meta({
      description: 'The record was removed for good: there is nothing to restore, and only `delete` ends it.',
    }),
    state: z.enum(['open', 'resolved', 'auto']),
    foundAt: z.string(),
    resolvedAt: z.string().optional(),
    resolvedBy: z.string().optional(),
    resolution: z.string().optional(),
  })
  .meta({ id: 'SyncConflict' })

/** Something a peer sent that is kept and not applied. */
export const SyncProblem = z
  .object({
    inc: z.int(),
    seq: z.int(),
    device: z.object({ id: z.string(), name: z.string() }).nullable(),
    kind: z.enum(['parked', 'quarantine']),
    reason: z.string(),
    detail: z.string(),
    since: z.string(),
  })
  .meta({ id: 'SyncProblem' })

/** What is here and not in its place yet, though nothing of it lies aside. */
export const SyncWaiting = z
  .object({
    kind: z.enum(['metadata', 'records', 'texts', 'feeds']),
    type: z.string().meta({ description: 'Type of the definition; empty for documents.' }),
    name: z
      .string()
      .meta({ description: 'The definition, or the object of the documents; its uid while unknown here.' }),
    count: z.int(),
    reason: z.string(),
    detail: z.string(),
    since: z.string().nullable(),
  })
  .meta({ id: 'SyncWaiting' })

const common = { mount: 'versioned', tag: 'sync', channel: 'sync' } as const
const ConflictParams = z.object({ id: z.string() })
const ProblemParams = z.object({ inc: z.string(), seq: z.string() })
const ConflictAnswer = z.object({ conflict: SyncConflict }).meta({ id: 'SyncConflictAnswer' })
const ConflictOfRecord = z
  .object({
    conflict: SyncConflict,
    record: RecordMap.nullable().meta({ description: 'As the caller may read it; null when there is none.' }),
  })
  .meta({ id: 'SyncConflictResolution' })
const page = { total: z.int(), hasMore: z.boolean(), nextCursor: z.string().optional() }
const PageQuery = {
  limit: QueryInteger.optional().meta({ description: 'Default 50, at most 200.' }),
  cursor: z.string().optional(),
}

/**
 * The routes of conflicts and problems. Seeing a conflict needs read on its record, deciding it edit; those of metadata need
 * `manage_metadata`. The handlers judge.
 */
export const syncConflictRoutes = defineRoutes({
  listConflicts: defineRoute({
    ...common,
    operationId: 'listConflicts',
    method: 'GET',
    path: '/sync/conflicts',
    query: z.object({
      state: z.enum(['open', 'resolved', 'auto', 'all']).optional().meta({ description: 'Default open.' }),
      kind: z.enum(conflictKinds).optional(),
      object: z.string().optional(),
      recordId: z.string().optional(),
      ...PageQuery,
    }),
    response: z.object({ conflicts: z.array(SyncConflict), ...page }).meta({ id: 'SyncConflictList' }),
    permission: 'session',
    rateLimit: 'read',
    errors: ['sync_disabled'],
    summary: 'List conflicts of records the caller may read, newest first.',
  }),
  getConflict: defineRoute({
    ...common,
    operationId: 'getConflict',
    method: 'GET',
    path: '/sync/conflicts/:id',
    params: ConflictParams,
    response: ConflictOfRecord,
    permission: 'session',
    rateLimit: 'read',
    errors: ['sync_disabled', 'sync_conflict_not_found'],
    summary: 'Read one conflict, and its record.',
  }),
  resolveConflict: defineRoute({
    ...common,
    operationId: 'resolveConflict',
    method: 'POST',
    path: '/sync/conflicts/:id/resolve',
    params: ConflictParams,
    body: z.object({
      choice: z.enum(['winner', 'loser', 'value', 'both', 'restore', 'delete', 'adopt', 'merge', 'keep', 'retry']),
      loser: z.int().min(0).optional().meta({ description: 'Which of the losers; the first one without it.' }),
      value: z.unknown().optional(),
      expectedVersion: z.string().optional().meta({ description: '`updated_at` of the record as it was seen.' }),
      sides: z.string().optional().meta({ description: '`sides` of the conflict as it was seen.' }),
    }),
    response: ConflictOfRecord,
    permission: 'session',
    rateLimit: 'write',
    errors: [
      'sync_disabled',
      'sync_conflict_not_found',
      'CONCURRENT_UPDATE',
      'record_locked',
      'delete_restricted',
      'method_not_allowed',
    ],
    summary: 'Decide a conflict.',
  }),
  resolveConflicts: defineRoute({
    ...common,
    operationId: 'resolveConflicts',
    method: 'POST',
    path: '/sync/conflicts/resolve',
    body: z.object({
      ids: z.array(z.string()).min(1).max(200),
      choice: z.enum(['newest', 'mine', 'theirs']),
      sides: z
        .record(z.string(), z.string())
        .optional()
        .meta({ description: '`sides` of the conflicts as they were seen, by id.' }),
    }),
    response: z
      .object({
        resolved: z.array(z.string()).meta({ description: 'Ids.' }),
        failed: z.array(z.object({ id: z.string(), error: ErrorObjectSchema })),
      })
      .meta({ id: 'SyncConflictResolutions' }),
    permission: 'session',
    rateLimit: 'write',
    errors: ['sync_disabled'],
    summary: 'Decide several conflicts the same way.',
  }),
  reopenConflict: defineRoute({
    ...common,
    operationId: 'reopenConflict',
    method: 'POST',
    path: '/sync/conflicts/:id/reopen',
    params: ConflictParams,
    response: ConflictAnswer,
    permission: 'session',
    rateLimit: 'write',
    errors: ['sync_disabled', 'sync_conflict_not_found', 'invalid_state_transition'],
    summary: 'Open a conflict again within 90 days of its decision.',
  }),
  listSyncProblems: defineRoute({
    ...common,
    operationId: 'listSyncProblems',
    method: 'GET',
    path: '/sync/problems',
    query: z.object({ kind: z.enum(['parked', 'quarantine']).optional(), ...PageQuery }),
    response: z
      .object({
        problems: z.array(SyncProblem),
        waiting: z.array(SyncWaiting).meta({ description: 'On the first page; tried again by itself.' }),
        ...page,
      })
      .meta({ id: 'SyncProblemList' }),
    permission: 'session',
    rateLimit: 'read',
    errors: ['sync_disabled'],
    summary: 'List what peers sent and could not be applied, and what waits for its place.',
  }),
  retrySyncProblem: defineRoute({
    ...common,
    operationId: 'retrySyncProblem',
    method: 'POST',
    path: '/sync/problems/:inc/:seq/retry',
    params: ProblemParams,
    response: z.object({ success: z.literal(true) }).meta({ id: 'SyncProblemRetry' }),
    permission: { system: 'manage_settings' },
    rateLimit: 'write',
    errors: ['sync_disabled'],
    summary: 'Try again to apply something that lies aside.',
  }),
  discardSyncProblem: defineRoute({
    ...common,
    operationId: 'discardSyncProblem',
    method: 'POST',
    path: '/sync/problems/:inc/:seq/discard',
    params: ProblemParams,
    response: z
      .object({
        success: z.literal(true),
        file: z.string().optional().meta({ description: 'Name of the file it was written to.' }),
      })
      .meta({ id: 'SyncProblemDiscard' }),
    permission: { system: 'manage_settings' },
    rateLimit: 'write',
    errors: ['sync_disabled'],
    summary: 'Write something that lies aside to a file, then give it up.',
  }),
})
