// Uninstalls packages: with their records, or so that another installation finds them (D-127, D-128).
import type { RequestContext } from '#main/kernel/context.ts'
import type { DeliveredChange, DeliveredItem } from '#main/plugins/metadata/api.ts'
import { packageError } from '../errors.ts'
import { dropPackage, dropSeeded, getPackage } from '../store.ts'
import { isExtension } from './delivery-plan.ts'
import type { PackageParts } from './parts.ts'
import { passing, requireTransition } from './parts.ts'
import { enabledDependents, worldOf } from './world.ts'

/** How a package goes. */
export interface RemovalRequest {
  readonly keepData: boolean
  /** Although others need it, or refer to what it delivers. */
  readonly force: boolean
  readonly confirm?: string | undefined
}

/** What became of it. */
export interface Removed {
  /** The first of what was put aside. */
  readonly backupId?: string
  readonly message: string
}

/** Uninstalls a package. @throws package_not_found, dependency_conflict, delete_restricted, destructive_change */
export async function uninstall(
  parts: PackageParts,
  ctx: RequestContext,
  id: string,
  { keepData, force, confirm }: RemovalRequest,
): Promise<Removed> {
  const { metadata, data, read } = parts
  const row = getPackage(read, id)
  // What an earlier uninstallation kept may go later.
  const isKept = row === undefined && !keepData && metadata.deliveries.itemsOf(id).length > 0
  if (row === undefined && !isKept) throw packageError('package_not_found', { packageId: id })
  if (row !== undefined) requireTransition(row, 'uninstalling')
  const dependents = enabledDependents(worldOf(parts), id)
  if (dependents.length > 0 && !force) throw packageError('dependency_conflict', { dependents })
  let known: ReadonlyMap<string, string> = new Map()
  let aside: string[] = []
  let kept = 0
  const build = (): DeliveredChange[] => {
    known = data.backups.ids(read)
    const items = metadata.deliveries.itemsOf(id)
    const holdsData = (item: DeliveredItem): boolean => keepData && item.type === 'object'
    kept = items.filter(holdsData).length
    return items.flatMap((item): DeliveredChange[] => {
      const { type, name } = item
      if (!holdsData(item)) return [{ change: 'remove', type, name, packageId: id, force }]
      if (isExtension(item)) return []
      return [{ change: 'state', type, name, packageId: id, state: 'archived' }]
    })
  }
  await passing(parts, id, 'uninstalling', () =>
    metadata.deliveries.deliver(ctx, build, {
      confirm,
      along(tx) {
        aside = [...data.backups.ids(tx).keys()].filter((backup) => !known.has(backup))
        dropPackage(tx, id)
        if (kept === 0) dropSeeded(tx, id)
        tx.emit(ctx, {
          type: 'packages.uninstalled',
          payload: { packageId: id, version: row?.version ?? null, keepData },
        })
      },
    }),
  )
  if (kept > 0) return { message: 'The package is uninstalled. Its records are kept for another installation.' }
  const [backupId] = aside
  if (backupId === undefined) return { message: 'The package is uninstalled.' }
  return { backupId, message: 'The package is uninstalled. Its records can be restored for 30 days.' }
}
