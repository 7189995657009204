// Owns handing a table to the host as an import job, and finding the job again when the answer was lost.
import { call, upload } from '../../lib/api-client.ts'
import { ApiError } from '../../lib/api-error.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import type { ImportJob } from './job-queries.ts'
import type { OpenTable } from './table-client.ts'
import type { ColumnTarget } from './table-types.ts'

/** How rows become records. @source D-68 */
export type WriteMode = 'insert' | 'update' | 'upsert'

/** What to do with a table. */
export interface ImportPlan {
  object: string
  targets: readonly ColumnTarget[]
  writeMode: WriteMode
  /** Fields by which existing records are found; empty for `insert`. */
  matchFields: readonly string[]
  createMissingOptions: boolean
}

/** Carries plans out; one per screen. */
export interface ImportStarter {
  /**
   * Starts a job for all rows of a table.
   * A second attempt after a lost answer finds the job of the first one instead of writing everything twice.
   * @throws ApiError
   */
  start(plan: ImportPlan, table: OpenTable, dryRun: boolean): Promise<ImportJob>
}

/** Makes a starter. */
export function createImportStarter(): ImportStarter {
  /** The newest job before an attempt whose answer was lost, null for none; undefined when no answer was lost. */
  let lostAfter: string | null | undefined

  const newest = async (object: string): Promise<ImportJob | undefined> =>
    (await call('listImportJobs', { query: { object, limit: 1 } })).jobs[0]

  return {
    async start(plan, table, dryRun) {
      const { rowCount, fileName } = table.summary
      const before = await newest(plan.object)
      if (lostAfter !== undefined && before !== undefined && before.jobId !== lostAfter) {
        const isTheSame = before.total === rowCount && before.dryRun === dryRun && before.fileName === fileName
        if (isTheSame) {
          lostAfter = undefined
          return before
        }
      }
      try {
        const job = await upload('createImportJob', {
          params: { object: plan.object },
          query: {
            writeMode: plan.writeMode,
            matchFields: plan.matchFields.length === 0 ? undefined : plan.matchFields.join(','),
            createMissingOptions: plan.createMissingOptions,
            dryRun,
            fileName,
          },
          file: await table.lines(plan.targets),
        })
        lostAfter = undefined
        return job
      } catch (error) {
        if (error instanceof ApiError && error.httpStatus === 0) lostAfter = before?.jobId ?? null
        throw error
      }
    },
  }
}

/** What is said when a job could not be started: after a lost answer it may run all the same. */
export function startProblem(error: unknown): string {
  const lost = error instanceof ApiError && error.httpStatus === 0
  return lost ? t('import.run.unsure') : problemText(error)
}
