// The import service: direct imports, jobs and exports put together. What each does is in service/.
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { ImportService } from './api.ts'
import { createChangeWatches } from './service/change-watch.ts'
import type { ChangeWatches } from './service/change-watch.ts'
import { importDirectly } from './service/direct.ts'
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
  extends PlanParts, Pick<PhaseParts, 'search'>, Pick<PluginHost, 'read' | 'write' | 'clock' | 'ids' | 'log'> {
  readonly staging: Staging
  readonly sheets: Sheets
  authorizer(): Authorizer
}

/** Makes the import service, and what its plugin starts and stops. */
export function createImportService(parts: ImportParts): {
  service: ImportService
  runner: JobRunner
  watches: ChangeWatches
} {
  const watches = createChangeWatches()
  const runner = createJobRunner({ ...parts, watches })
  const jobs = createImportJobs({ ...parts, runner })
  const service: ImportService = {
    run: (ctx, input) => importDirectly(parts, ctx, input),
    jobs,
    export: (ctx, request) => exportRecords(parts, ctx, request),
  }
  return { service, runner, watches }
}
