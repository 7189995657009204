// Snapshots of packages: everything an upgrade changes, as it was, and the way back (D-134).
import type { PackageTrust } from '#shared/contracts/package-parts.ts'
import { PlatformError, validationError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import type { DeliveredChange, DeliveredItem } from '#main/plugins/metadata/api.ts'
import { packageError } from '../errors.ts'
import type { PackageRow, SnapshotRow } from '../store.ts'
import { addSnapshot, getPackage, putPackage, snapshotsOf } from '../store.ts'
import { isExtension, keyOf } from './delivery-plan.ts'
import type { PackageParts } from './parts.ts'
import { passing, requirePackage, requireTransition } from './parts.ts'
import type { HistoryEntry } from './record-view.ts'
import { detailsOf } from './record-view.ts'
import { requireRights, requireSource } from './rights.ts'
import { mergeThreeWay } from './three-way.ts'

/** Days a snapshot is kept, and how many of a package. @source D-134 */
const keptDays = 90
const keptSnapshots = 5

/** What a snapshot holds. */
interface SnapshotContent {
  readonly row: PackageRow
  readonly items: readonly DeliveredItem[]
}

/** A snapshot as it is listed. */
export interface ListedSnapshot {
  readonly id: string
  readonly packageId: string
  readonly fromVersion: string
  readonly toVersion: string
  readonly createdAt: string
  readonly expiresAt: string
  readonly size: number
}

/**
 * Stores a snapshot of a package as it was before the write.
 * @param backups what the write has put aside
 * @returns its id
 */
export function takeSnapshot(
  { clock, ids, data }: Pick<PackageParts, 'clock' | 'ids' | 'data'>,
  tx: Tx,
  content: SnapshotContent,
  { toVersion, backups }: { readonly toVersion: string; readonly backups: readonly string[] },
): string {
  const text = JSON.stringify(content)
  const createdAt = clock.iso()
  const expiresAt = new Date(Date.parse(createdAt) + keptDays * 86_400_000).toISOString()
  const row: SnapshotRow = {
    id: ids.uuid(),
    package_id: content.row.id,
    from_version: content.row.version,
    to_version: toVersion,
    content: text,
    backups: JSON.stringify(backups),
    size: Buffer.byteLength(text),
    created_at: createdAt,
    expires_at: expiresAt,
  }
  addSnapshot(tx, row, keptSnapshots)
  data.backups.keepUntil(tx, backups, expiresAt)
  return row.id
}

/** The snapshots of a package, newest first. */
export function listSnapshots(read: Reads, packageId: string): ListedSnapshot[] {
  return snapshotsOf(read, packageId).map((row) => ({
    id: row.id,
    packageId: row.package_id,
    fromVersion: row.from_version,
    toVersion: row.to_version,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    size: row.size,
  }))
}

/** Which snapshot, and what of today stays. */
export interface RollbackRequest {
  readonly packageId?: string | undefined
  readonly snapshotId: string
  readonly rollbackCustomizations: boolean
}

/**
 * Puts a package back; records written since stay.
 * @throws package_not_found, snapshot_not_found, validation_error, permission_denied, signature_invalid, rollback_failed
 */
export async function rollBack(
  parts: PackageParts,
  ctx: RequestContext,
  id: string,
  { packageId = id, snapshotId, rollbackCustomizations }: RollbackRequest,
): Promise<PackageRow> {
  if (packageId !== id) {
    const message = 'The package differs from the one in the path.'
    throw validationError([{ field: 'packageId', code: 'not_allowed', message, value: packageId }])
  }
  const row = requirePackage(parts, id)
  const all = snapshotsOf(parts.read, id)
  const at = all.findIndex((one) => one.id === snapshotId)
  if (at < 0) throw packageError('snapshot_not_found', { packageId: id, snapshotId })
  requireTransition(row, 'upgrading')
  const content = JSON.parse(all[at]!.content) as SnapshotContent
  requireWayBack(parts, ctx, content, rollbackCustomizations)
  // What later upgrades put aside is part of the way back, too.
  const backups = all.slice(0, at + 1).flatMap((one) => JSON.parse(one.backups) as string[])
  try {
    await passing(parts, id, 'upgrading', () =>
      parts.data.backups.bringBack(backups, (forget) =>
        parts.metadata.deliveries.deliver(ctx, () => changesBack(parts, row, content, rollbackCustomizations), {
          confirm: 'true',
          along(tx) {
            forget(tx)
            const next = rowBack(parts, row, content.row)
            putPackage(tx, next)
            const { version } = next
            tx.emit(ctx, {
              type: 'packages.rolled_back',
              payload: { packageId: id, fromVersion: row.version, version },
            })
          },
        }),
      ),
    )
  } catch (error) {
    if (!(error instanceof PlatformError) || error.retryable) throw error
    const { code, message, details } = error
    throw packageError('rollback_failed', { cause: { code, message, details } }, error)
  }
  return getPackage(parts.read, id)!
}

/**
 * What comes back is brought along by whoever brings it back, as if they installed it (D-281).
 * @throws permission_denied, signature_invalid
 */
function requireWayBack(
  parts: PackageParts,
  ctx: RequestContext,
  { row, items }: SnapshotContent,
  withCustomizations: boolean,
): void {
  const overlays = items.flatMap(({ type, name, overlay }) =>
    withCustomizations && overlay !== null ? [{ type, name, item: overlay.patch }] : [],
  )
  requireRights(parts.authorizer(), ctx, { items: [...items, ...overlays], manifest: detailsOf(row).manifest })
  requireSource(parts, { trust: row.trust as PackageTrust, publicKey: row.public_key })
}

function changesBack(
  { metadata }: PackageParts,
  row: PackageRow,
  { items, row: then }: SnapshotContent,
  withCustomizations: boolean,
): DeliveredChange[] {
  const { states } = detailsOf(then)
  const usual = (item: DeliveredItem): DeliveredItem['state'] =>
    then.status === 'disabled' ? ((states[keyOf(item)] as DeliveredItem['state'] | undefined) ?? 'active') : item.state
  const { id: packageId, namespace, status } = row
  const present = new Map(metadata.deliveries.itemsOf(packageId).map((item) => [keyOf(item), item]))
  const byUid = new Map([...present.values()].map((item) => [`${item.type}/${item.uid}`, item]))
  const changes = items.map((item): DeliveredChange => {
    const { type, name, uid, overlay, fieldUids } = item
    const now = byUid.get(`${type}/${uid}`) ?? present.get(keyOf(item))
    if (now !== undefined) present.delete(keyOf(now))
    const renamed = now !== undefined && now.name !== name && type === 'object' ? { renamedFrom: now.name } : {}
    // A package that was disabled or enabled meanwhile stays so.
    const state = status === 'disabled' && !isExtension(item) ? 'archived' : usual(item)
    return {
      change: 'save',
      type,
      name,
      packageId,
      namespace,
      item: { ...item.item, ...renamed },
      keepsOptions: false,
      returning: true,
      returningUids: { object: uid, fields: fieldUids },
      state,
      ...(withCustomizations ? { overlay } : keptOverlay(now, item)),
    }
  })
  const removals = [...present.values()].map(({ type, name }): DeliveredChange => {
    return { change: 'remove', type, name, packageId, force: true }
  })
  return [...changes, ...removals]
}

/** The customization of today, as it fits over an older version: what that does not have stays as people's own. */
function keptOverlay(
  now: DeliveredItem | undefined,
  { item: incoming }: DeliveredItem,
): { readonly overlay?: DeliveredItem['overlay'] } {
  if (now === undefined || now.overlay === null) return {}
  const { item: base, fieldUids, overlay } = now
  const { patch } = mergeThreeWay({ base, incoming, patch: overlay.patch, strategy: 'keep-custom', fieldUids })
  return { overlay: { patch, active: overlay.active } }
}

function rowBack({ clock }: PackageParts, row: PackageRow, back: PackageRow): PackageRow {
  const now = clock.iso()
  const { history } = detailsOf(row)
  const kept = detailsOf(back).history.length
  const told = history.map((entry, index): HistoryEntry => {
    return index >= kept && entry.status === 'success' ? { ...entry, status: 'rolled_back' } : entry
  })
  return {
    ...back,
    status: row.status,
    states: row.status === 'disabled' ? row.states : back.states,
    seeded_version: row.seeded_version,
    samples: row.samples,
    previous_version: row.version,
    history: JSON.stringify(told),
    error_message: null,
    installed_at: row.installed_at,
    installed_by: row.installed_by,
    updated_at: now,
    status_changed_at: now,
  }
}
