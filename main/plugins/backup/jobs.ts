// When backups are made by themselves: each night, and each Sunday one that is kept longer.
import type { JobSchedule } from '#main/kernel/plugin.ts'

/** The jobs by the kind of backup they make; times are in the workspace's time zone. */
export const backupJobs: readonly { readonly kind: 'daily' | 'weekly'; readonly schedule: JobSchedule }[] = [
  { kind: 'daily', schedule: { cron: '0 3 * * *' } },
  { kind: 'weekly', schedule: { cron: '30 3 * * 0' } },
]
