// Owns reading import jobs of the host and what was done to their rows, and the cache keys they live under.
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import type { ImportJob, ImportRowResult } from '#shared/contracts/import.ts'
import { call } from '../../lib/api-client.ts'

export type { ImportJob, ImportRowResult }

/** Outcomes by which rows can be asked for. */
export type RowFilter = 'failed' | 'kept'

/** Jobs of one page of the list. */
export const jobsPerPage = 50
const rowsShown = 100
const rowsPerRequest = 1_000

/** Whether something still happens to a job: its rows are written or taken back. */
export function isUnderWay(job: ImportJob): boolean {
  return (job.status === 'pending' || job.status === 'running') && !job.paused
}

/** Whether a job is being taken back or waits for that. */
export function isUndoing(job: ImportJob): boolean {
  return job.undo !== undefined && (job.status === 'pending' || job.status === 'running')
}

/** The jobs of the workspace or of one object, newest first. Asks again while one is under way. */
export function useImportJobs(object?: string, offset = 0) {
  return useQuery({
    queryKey: ['import-jobs', object ?? '', offset] as const,
    queryFn: async ({ signal }) =>
      call('listImportJobs', { query: { object, limit: object === undefined ? jobsPerPage : 5, offset }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: (query) => (query.state.data?.jobs.some(isUnderWay) === true ? 1_000 : false),
  })
}

/** One job. @throws ApiError resource_not_found */
export function jobQuery(jobId: string) {
  return queryOptions({
    queryKey: ['import-job', jobId] as const,
    queryFn: async ({ signal }) => call('getImportJob', { params: { jobId }, signal }),
  })
}

/** One job, asked for again while it is under way: often at first, because most imports take less than a second. */
export function useImportJob(jobId: string) {
  return useQuery({
    ...jobQuery(jobId),
    refetchInterval: (query) => {
      const { data, dataUpdateCount } = query.state
      return data !== undefined && isUnderWay(data) ? (dataUpdateCount < 12 ? 150 : 500) : false
    },
  })
}

/** The first rows of a job with an outcome. `state` is part of the key: an undone job has other rows. */
export function useRowResults(job: ImportJob, only: RowFilter, enabled: boolean) {
  return useQuery({
    queryKey: ['import-results', job.jobId, only, job.status, job.processed] as const,
    queryFn: async ({ signal }) =>
      call('getImportResults', { params: { jobId: job.jobId }, query: { only, limit: rowsShown }, signal }),
    enabled,
  })
}

/** Every row of a job with an outcome, page by page. @throws ApiError */
export async function readAllResults(jobId: string, only: RowFilter): Promise<ImportRowResult[]> {
  const rows: ImportRowResult[] = []
  let cursor: string | undefined
  do {
    const page = await call('getImportResults', { params: { jobId }, query: { only, limit: rowsPerRequest, cursor } })
    for (const row of page.results) rows.push(row)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return rows
}

/** Shows a job's new state at once and makes lists ask again. */
export async function takeJob(client: QueryClient, job: ImportJob): Promise<void> {
  client.setQueryData(jobQuery(job.jobId).queryKey, job)
  await client.invalidateQueries({ queryKey: ['import-jobs'] })
}
