// What notifications hear of: records that are gone for good, and people who are.
import { internalContext } from '#main/kernel/context.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { removeDeliveriesAbout } from './service/deliveries.ts'
import { tellRead } from './service/inbox.ts'
import { forgetUser, takeItemsAbout } from './store.ts'

/** Registers the listeners. */
export function listenToRemovals(host: Pick<PluginHost, 'on'>): void {
  // Notifications quote records; what is purged must be nowhere (safety D4).
  host.on('record.purged', ({ object, recordId }, tx) => {
    if (object === undefined || recordId === undefined) return
    removeDeliveriesAbout(tx, object, recordId)
    const unread = takeItemsAbout(tx, object, recordId).filter((row) => row.read_at === null && row.in_inbox === 1)
    for (const rows of Map.groupBy(unread, (row) => `${row.user_id} ${row.organization_id}`).values()) {
      const { user_id: userId, organization_id: organizationId } = rows[0]!
      tellRead(tx, internalContext('notifications'), { userId, organizationId }, { ids: rows.map(({ id }) => id) })
    }
  })
  host.on('auth.user_deleted', ({ payload }, tx) => {
    const { userId } = payload as { userId?: unknown }
    if (typeof userId === 'string') forgetUser(tx, userId)
  })
}
