// What notifications hear of: records that are gone for good, and people who are.
import { internalContext } from '#main/kernel/context.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { MetadataService } from '../metadata/api.ts'
import { removeDeliveriesAbout } from './service/delivery-store.ts'
import { refreshFold, schemaOfFold } from './service/folds.ts'
import { tellRead } from './service/inbox.ts'
import { forgetUser, forgetWays, removeItem, takeItemsAbout, takePartsAbout } from './store.ts'

/** Registers the listeners. */
export function listenToRemovals(host: Pick<PluginHost, 'on'>, metadata: Pick<MetadataService, 'objectSchemas'>): void {
  // Notifications quote records; what is purged must be nowhere (safety D4).
  host.on('record.purged', ({ recordId }, tx) => {
    if (recordId === undefined) return
    removeDeliveriesAbout(tx, recordId)
    const gone = takeItemsAbout(tx, recordId)
    for (const row of takePartsAbout(tx, recordId)) {
      const schema = schemaOfFold(metadata, row)
      if (row.parts !== null && schema !== undefined) refreshFold(tx, row, schema)
      if (row.parts !== null) continue
      removeItem(tx, row.seq)
      gone.push(row)
    }
    const unread = gone.filter((row) => row.read_at === null && row.in_inbox === 1)
    for (const rows of Map.groupBy(unread, (row) => `${row.user_id} ${row.organization_id}`).values()) {
      const { user_id: userId, organization_id: organizationId } = rows[0]!
      tellRead(tx, internalContext('notifications'), { userId, organizationId }, { ids: rows.map(({ id }) => id) })
    }
  })
  // Whoever made the account for somebody else's address is sent nothing any more (D-35).
  host.on('auth.email_verified', ({ payload }, tx) => {
    const { userId, endedAccess } = payload as { userId: string; endedAccess?: true }
    if (endedAccess === true) forgetWays(tx, userId)
  })
  host.on('auth.user_deleted', ({ payload }, tx) => {
    const { userId } = payload as { userId?: unknown }
    if (typeof userId === 'string') forgetUser(tx, userId)
  })
}
