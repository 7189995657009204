// The import service: direct imports, jobs and exports put together. What each does is in service/.
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireSystemPermission } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { ImportService } from './api.ts'
import { createChangeWatches } from './service/change-watch.ts'
import type { ChangeWatches } from './service/change-watch.ts'
import { importContext, importDirectly } from './service/direct.ts'
import { exportRecords } from './service/export.ts'
import { createJobRunner } from './service/job-runner.ts'
import type { JobRunner } from './service/job-runner.ts'
import { createImportJobs } from './service/jobs.ts'
import type { PhaseParts } from './service/phase.ts'
import type { PlanParts } from './service/row-plan.ts'
import type { Sheets } from './service/sheets.ts'
import type { Staging } from './service/staging.ts'

/** What the service is made from. */
export interface ImportParts
  extends
    PlanParts,
    Pick<PhaseParts, 'auth' | 'feed' | 'search'>,
    Pick<PluginHost, 'read' | 'write' | 'clock' | 'ids' | 'log'> {
  readonly staging: Staging
  readonly sheets: Sheets
  authorizer(): Authorizer
}

/** Rows that come or leave, as the audit is told of them. */
export interface TransferEvent {
  readonly type: 'import.started' | 'export.started'
  readonly object: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** Makes the import service, and what its plugin starts and stops. */
export function createImportService(parts: ImportParts): {
  service: ImportService
  runner: JobRunner
  watches: ChangeWatches
  /** Raises an event in a write of its own, with what `also` writes; it is stored before the work goes on. */
  announce: (ctx: RequestContext, event: TransferEvent, also?: (tx: Tx) => void) => Promise<void>
} {
  const watches = createChangeWatches()
  const runner = createJobRunner({ ...parts, watches })
  const jobs = createImportJobs({ ...parts, runner })
  const announce = (ctx: RequestContext, event: TransferEvent, also?: (tx: Tx) => void): Promise<void> =>
    parts.write(
      'import.announce',
      (tx) => {
        also?.(tx)
        tx.emit(ctx, event)
      },
      { whenFull: true },
    )
  const service: ImportService = {
    run: (ctx, input, key) => importDirectly(parts, ctx, input, key),
    jobs,
    export: (ctx, request) => exportRecords(parts, ctx, request),
    async runFor(ctx, input) {
      requireSystemPermission(parts.authorizer(), ctx, 'import_data')
      const payload = { format: 'json', rows: input.rows.length }
      if (!input.dryRun)
        await announce(importContext(ctx, input), { type: 'import.started', object: input.object, payload })
      return service.run(ctx, input)
    },
    async exportFor(ctx, request) {
      requireSystemPermission(parts.authorizer(), ctx, 'export_data')
      const file = await service.export(ctx, request)
      const payload = { format: request.format, filtered: request.query.filter !== undefined }
      await announce(ctx, { type: 'export.started', object: request.object, payload })
      return file
    },
  }
  return { service, runner, watches, announce }
}
