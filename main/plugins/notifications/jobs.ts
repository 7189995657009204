// What notifications do by the clock: mails of a period, and letting go of what is old.
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { DigestParts } from './service/digests.ts'
import { sendDigests } from './service/digests.ts'
import { forgetCauses, removeOldItems } from './store.ts'

/** Read notifications, and causes, are kept this long. */
const keptMs = 90 * 86_400_000
const slice = 1_000

/** Registers the schedules; times are those of the workspace, weeks begin on Monday (D-10). */
export function registerJobs(host: Pick<PluginHost, 'job' | 'write' | 'clock'>, digests: DigestParts): void {
  const { write, clock } = host
  host.job('daily', { cron: '0 7 * * *' }, (signal) => sendDigests(digests, 'daily', signal))
  host.job('weekly', { cron: '0 7 * * 1' }, (signal) => sendDigests(digests, 'weekly', signal))
  host.job('retention', { cron: '23 4 * * *' }, async (signal) => {
    const before = clock.now() - keptMs
    await write('notifications.retention', (tx) => forgetCauses(tx, before))
    let removed = slice
    while (removed === slice && !signal.aborted)
      removed = await write('notifications.retention', (tx) => removeOldItems(tx, before, slice))
  })
}
