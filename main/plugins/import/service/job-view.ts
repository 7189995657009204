// Jobs and results as the API shows them, made of what the tables hold.
import type { ImportJob, ImportRowResult } from '#shared/contracts/import.ts'
import type { Actor } from '#shared/events.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { CredentialKind, CredentialScope } from '#main/kernel/identity.ts'
import { narrowedKey } from '#main/kernel/identity.ts'
import type { ImportJobInput } from '../api.ts'
import type { JobRow } from '../store.ts'
import type { RowOutcome } from './row-outcome.ts'

/** The options of a job as its row keeps them. */
export type StoredOptions = Omit<ImportJobInput, 'jobId' | 'object' | 'total'>

/** Who started a job, as its row keeps it: rights are asked anew at every slice. */
interface StoredCaller {
  readonly actor: Actor
  readonly credential: CredentialKind
  readonly organizationId: string | null
  /** What the credential was narrowed to. */
  readonly scope?: CredentialScope
  /** The API key: the job ends with it, and is its own where it is narrowed to permission sets (D-393). */
  readonly credentialId?: string
  readonly locale: string
}

/** What a row keeps of a caller. */
export function storeCaller(ctx: RequestContext): string {
  const { actor, credential, credentialId, organizationId, locale, scope } = ctx
  const key = credential === 'api-key' ? credentialId : undefined
  const narrowing = { ...(scope === undefined ? {} : { scope }), ...(key === undefined ? {} : { credentialId: key }) }
  const caller = { actor, credential, organizationId, locale, ...narrowing }
  return JSON.stringify(caller satisfies StoredCaller)
}

/** The context in which a job works. */
export function contextOf(job: JobRow, signal: AbortSignal): RequestContext {
  const caller = JSON.parse(job.caller) as StoredCaller
  return {
    ...caller,
    permissionEpoch: 0,
    requestId: requestIdOf(job.id),
    source: 'import',
    signal,
    depth: 0,
    deprecations: [],
    ...(optionsOf(job).runAutomations ? {} : { runAutomations: false }),
  }
}

/** The request id of everything a job writes. */
export function requestIdOf(jobId: string): string {
  return `import-${jobId}`
}

/** The narrowed credential that started a job; undefined where none did. */
export function keyOf(job: Pick<JobRow, 'caller'>): string | undefined {
  return narrowedKey(JSON.parse(job.caller) as StoredCaller) ?? undefined
}

/** The options of a job. */
export function optionsOf(job: Pick<JobRow, 'options'>): StoredOptions {
  return JSON.parse(job.options) as StoredOptions
}

/** A job as the API shows it. */
export function viewJob(job: JobRow): ImportJob {
  const { dryRun, writeMode, format, fileName } = optionsOf(job)
  return {
    jobId: job.id,
    object: job.object,
    status: job.status,
    paused: job.paused === 1,
    total: job.total,
    processed: job.processed,
    created: job.created,
    updated: job.updated,
    skipped: job.skipped,
    failed: job.failed,
    dryRun,
    writeMode,
    format,
    ...(fileName === undefined ? {} : { fileName }),
    createdAt: job.created_at,
    createdBy: job.actor_id,
    ...(job.started_at === null ? {} : { startedAt: job.started_at }),
    ...(job.completed_at === null ? {} : { completedAt: job.completed_at }),
    ...(job.error === null ? {} : { error: JSON.parse(job.error) as { code: string; message: string } }),
    ...(job.phase === 'undo'
      ? {
          undo: {
            total: job.created + job.updated,
            processed: job.undo_processed,
            purged: job.undo_purged,
            restored: job.undo_restored,
            kept: job.undo_kept,
          },
        }
      : {}),
  }
}

/** A row's outcome as the API shows it. */
export function viewOutcome(outcome: RowOutcome): ImportRowResult {
  const { row, id, operation, errors, kept } = outcome
  return {
    row,
    ...(id === undefined ? {} : { id }),
    success: operation !== 'fail',
    ...(operation === 'fail' ? {} : { operation }),
    ...(errors === undefined ? {} : { errors: [...errors] }),
    ...(kept === undefined
      ? {}
      : { undo: { success: kept.length === 0, ...(kept.length === 0 ? {} : { errors: [...kept] }) } }),
  }
}
