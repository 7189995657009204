// Contracts of what changes of definitions put aside, and of changes under way (D-101). Served by the `data` plugin.
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'

/** Why a schema backup was made. */
export const schemaBackupKinds = ['object', 'field', 'conversion', 'table'] as const

/** Values a schema change removed, kept for 30 days. */
export const SchemaBackup = z
  .object({
    id: z.string(),
    object: z.string(),
    field: z.string().optional(),
    kind: z.enum(schemaBackupKinds).meta({
      description:
        'object: a deleted object with its records; field: a deleted field; conversion: what a change of type, or the removal of options, could not keep; table: a copy made by a former version.',
    }),
    records: z.int().meta({ description: 'Records of an object, values of a field, or values a conversion lost.' }),
    createdAt: z.string(),
    expiresAt: z.string(),
  })
  .meta({ id: 'SchemaBackup' })

const ObjectParams = z.object({ name: z.string() })

/** The routes of schema backups and of running schema changes. */
export const schemaBackupRoutes = defineRoutes({
  listSchemaBackups: defineRoute({
    operationId: 'listSchemaBackups',
    method: 'GET',
    mount: 'versioned',
    path: '/meta/object/:name/backups',
    params: ObjectParams,
    response: z.array(SchemaBackup),
    envelope: true,
    permission: { system: 'manage_metadata' },
    rateLimit: 'read',
    errors: [],
    channel: 'metadata',
    summary: 'List what changes of an object put aside, newest first; also of a deleted object.',
    tag: 'metadata',
  }),
  restoreSchemaBackup: defineRoute({
    operationId: 'restoreSchemaBackup',
    method: 'POST',
    mount: 'versioned',
    path: '/meta/object/:name/backups/:id/restore',
    params: z.object({ name: z.string(), id: z.string() }),
    response: z
      .object({
        id: z.string(),
        object: z.string(),
        field: z.string().optional(),
        kind: z.enum(schemaBackupKinds),
        version: z.int().meta({ description: 'The version of the object after the restore.' }),
        skipped: z
          .array(z.object({ type: z.string(), name: z.string(), error: z.string() }))
          .optional()
          .meta({ description: 'Items of a deleted object that could not come back.' }),
      })
      .meta({ id: 'SchemaBackupRestore' }),
    envelope: true,
    permission: { system: 'restore_backups' },
    rateLimit: 'heavy',
    errors: ['conflict', 'not_implemented', 'destructive_change', 'CONCURRENT_UPDATE', 'item_locked'],
    timeoutMs: 10 * 60_000,
    channel: 'metadata',
    summary: 'Bring back a deleted field or object with its values, or take back a conversion.',
    tag: 'metadata',
  }),
  getSchemaChange: defineRoute({
    operationId: 'getSchemaChange',
    method: 'GET',
    mount: 'versioned',
    path: '/meta/object/:name/change',
    params: ObjectParams,
    response: z
      .object({
        running: z.boolean(),
        phase: z.enum(['counting', 'preparing', 'converting', 'storing', 'indexing', 'computing']).optional(),
        done: z.int().optional().meta({ description: 'Rows behind the conversion so far.' }),
        total: z.int().optional(),
        startedAt: z.string().optional(),
      })
      .meta({ id: 'SchemaChangeProgress' }),
    envelope: true,
    permission: { system: 'manage_metadata' },
    rateLimit: 'read',
    errors: [],
    channel: 'metadata',
    summary: 'How far a change of a large object is.',
    tag: 'metadata',
  }),
  cancelSchemaChange: defineRoute({
    operationId: 'cancelSchemaChange',
    method: 'DELETE',
    mount: 'versioned',
    path: '/meta/object/:name/change',
    params: ObjectParams,
    response: z.object({ object: z.string(), cancelled: z.boolean() }).meta({ id: 'SchemaChangeCancellation' }),
    envelope: true,
    permission: { system: 'manage_metadata' },
    rateLimit: 'write',
    errors: [],
    channel: 'metadata',
    summary: 'Stop a change of a large object that is not stored yet; everything is as before then.',
    tag: 'metadata',
  }),
})
