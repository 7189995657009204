// Contracts of backups: whole copies of the workspace that can be put back (D-207).
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'

/** Why a backup was made. */
export const BackupKind = z.enum(['manual', 'daily', 'weekly', 'upgrade', 'pairing'])

/** A backup of the workspace. */
export const Backup = z
  .object({
    id: z.string(),
    kind: BackupKind,
    createdAt: z.string(),
    sizeBytes: z.int(),
    sha256: z.string().meta({
      description: 'SHA-256 of the database file, lower-case hexadecimal; empty when the manifest is damaged.',
    }),
    verified: z.boolean().meta({ description: 'Result of the last check; every backup is checked when it is made.' }),
    appVersion: z.string(),
    note: z.string().optional(),
  })
  .meta({ id: 'Backup' })

/** A backup that is being made. */
const RunningBackup = z
  .object({
    kind: BackupKind,
    startedAt: z.string(),
    copiedBytes: z.int(),
    totalBytes: z.int().meta({ description: 'Of the database; the check of the copy comes after its last byte.' }),
  })
  .meta({ id: 'RunningBackup' })

const Differing = {
  returning: z.int().meta({ description: 'There in the backup alone: they come back.' }),
  going: z.int().meta({ description: 'There at present alone: they go.' }),
  reverting: z.int().meta({ description: 'Different: they become what they were.' }),
}

/** What the restore of a backup would change. */
export const BackupChanges = z
  .object({
    id: z.string(),
    objects: z.array(
      z.object({
        object: z.string(),
        now: z.int().nullable().meta({ description: 'Records at present; null while there is no such object.' }),
        then: z.int().nullable().meta({ description: 'Records in the backup; null without the object there.' }),
        ...Differing,
      }),
    ),
    definitions: z.object({
      ...Differing,
      items: z
        .array(z.object({ type: z.string(), name: z.string(), change: z.enum(['returning', 'going', 'reverting']) }))
        .meta({ description: 'At most 200 of each kind of change.' }),
    }),
  })
  .meta({ id: 'BackupChanges' })

const BackupParams = z.object({ id: z.string() })
const permission = { system: 'restore_backups' } as const
const longTimeoutMs = 10 * 60_000

/** The routes of the `backup` plugin. */
export const backupRoutes = defineRoutes({
  listBackups: defineRoute({
    operationId: 'listBackups',
    method: 'GET',
    mount: 'versioned',
    path: '/backups',
    response: z.object({ backups: z.array(Backup), running: RunningBackup.nullable() }).meta({ id: 'BackupList' }),
    permission,
    rateLimit: 'read',
    errors: [],
    channel: 'backups',
    summary: 'List the backups, newest first, and the one that is being made.',
    tag: 'backup',
  }),
  createBackup: defineRoute({
    operationId: 'createBackup',
    method: 'POST',
    mount: 'versioned',
    path: '/backups',
    body: z.object({ note: z.string().max(500).optional() }).optional(),
    response: Backup,
    status: 201,
    permission,
    rateLimit: 'heavy',
    errors: [],
    timeoutMs: longTimeoutMs,
    channel: 'backups',
    summary: 'Make a verified backup while reading and writing go on.',
    tag: 'backup',
  }),
  downloadBackup: defineRoute({
    operationId: 'downloadBackup',
    method: 'GET',
    mount: 'versioned',
    path: '/backups/:id/download',
    params: BackupParams,
    response: z.unknown(),
    responseKind: 'bytes',
    produces: ['application/vnd.sqlite3'],
    permission,
    rateLimit: 'heavy',
    errors: [],
    timeoutMs: longTimeoutMs,
    channel: 'backups',
    sends: ['Content-Disposition'],
    summary: 'Download the database file of a backup.',
    tag: 'backup',
  }),
  verifyBackup: defineRoute({
    operationId: 'verifyBackup',
    method: 'POST',
    mount: 'versioned',
    path: '/backups/:id/verify',
    params: BackupParams,
    response: z
      .object({ id: z.string(), verified: z.boolean(), problems: z.array(z.string()) })
      .meta({ id: 'BackupCheck' }),
    permission,
    rateLimit: 'heavy',
    errors: [],
    timeoutMs: longTimeoutMs,
    channel: 'backups',
    summary: 'Compare every byte of a backup with its checksums and check the integrity of its database.',
    tag: 'backup',
  }),
  getBackupChanges: defineRoute({
    operationId: 'getBackupChanges',
    method: 'GET',
    mount: 'versioned',
    path: '/backups/:id/changes',
    params: BackupParams,
    response: BackupChanges,
    permission,
    rateLimit: 'heavy',
    errors: ['conflict', 'timeout'],
    timeoutMs: longTimeoutMs,
    channel: 'backups',
    summary: 'Tell what the restore of a backup would change of records and definitions.',
    tag: 'backup',
  }),
  restoreBackup: defineRoute({
    operationId: 'restoreBackup',
    method: 'POST',
    mount: 'versioned',
    path: '/backups/:id/restore',
    params: BackupParams,
    body: z.object({ confirm: z.string().meta({ description: 'The id of the backup once more.' }) }),
    response: z.object({ id: z.string(), restarting: z.literal(true) }).meta({ id: 'BackupRestore' }),
    status: 202,
    permission,
    rateLimit: 'heavy',
    errors: ['conflict'],
    timeoutMs: longTimeoutMs,
    channel: 'backups',
    summary: 'Back up the present state, then restart on the database of a backup.',
    tag: 'backup',
  }),
  deleteBackup: defineRoute({
    operationId: 'deleteBackup',
    method: 'DELETE',
    mount: 'versioned',
    path: '/backups/:id',
    params: BackupParams,
    response: z.object({ id: z.string(), success: z.literal(true) }).meta({ id: 'BackupDeletion' }),
    permission,
    rateLimit: 'write',
    errors: [],
    channel: 'backups',
    summary: 'Delete a backup.',
    tag: 'backup',
  }),
})
