// What the phases of a job share: the parts they work with, and the name of the staged file.
import type { Reads, Write } from '#main/kernel/database.ts'
import type { Presence } from '#main/kernel/identity.ts'
import type { FeedService } from '#main/plugins/feed/api.ts'
import type { SearchService } from '#main/plugins/search/api.ts'
import type { ChangeWatches } from './change-watch.ts'
import type { PlanParts } from './row-plan.ts'
import type { Staging } from './staging.ts'

/** What the phases of a job work with. */
export interface PhaseParts extends PlanParts {
  readonly read: Reads
  readonly write: Write
  readonly staging: Staging
  readonly watches: ChangeWatches
  readonly search: () => Pick<SearchService, 'clearStale'> | undefined
  readonly feed: () => Pick<FeedService, 'changedByPeople'> | undefined
  readonly auth: () => Presence | undefined
}

/** The staged file of a job. */
export function stagedName(jobId: string): string {
  return `${jobId}.ndjson`
}
