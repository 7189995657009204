// Makes sure that nothing a release brings along belongs to somebody else (D-132). Reads only.
import type { MetadataDeliveries, DeliveredItem } from '#main/plugins/metadata/api.ts'
import { packageError } from '../errors.ts'
import type { PackageRow } from '../store.ts'
import type { Release } from './release.ts'

/** One name that belongs to somebody else. */
interface NamespaceConflict {
  readonly type: 'namespace_conflict'
  readonly requestedNamespace: string
  readonly conflictingPackageId: string | null
  readonly conflictingPackageName: string
  readonly suggestion: string
  readonly item?: { readonly type: string; readonly name: string }
}

/** @throws namespace_conflict */
export function requireFreeNames(
  { manifest, items }: Release,
  installed: readonly PackageRow[],
  deliveries: MetadataDeliveries,
): void {
  const { id, namespace } = manifest
  const nameOf = (packageId: string | null): string => {
    if (packageId === null) return 'custom metadata'
    const row = installed.find((one) => one.id === packageId)
    return row === undefined ? packageId : (JSON.parse(row.manifest) as { name: string }).name
  }
  const conflict = (packageId: string | null, suggestion: string, item?: DeliveredItem): NamespaceConflict => ({
    type: 'namespace_conflict',
    requestedNamespace: namespace,
    conflictingPackageId: packageId,
    conflictingPackageName: nameOf(packageId),
    suggestion,
    ...(item === undefined ? {} : { item: { type: item.type, name: item.name } }),
  })
  const owner = installed.find((one) => one.namespace === namespace && one.id !== id)
  const foreign = deliveries.inNamespace(namespace).find(({ packageId }) => packageId !== id)
  const taken = items.flatMap(({ type, name }) => {
    const item = deliveries.item(type, name)
    return item === undefined || item.packageId === id ? [] : [item]
  })
  const other = 'Choose another namespace for the package.'
  const conflicts = [
    ...(owner === undefined ? [] : [conflict(owner.id, `Uninstall ${owner.id}, or choose another namespace.`)]),
    ...(owner !== undefined || foreign === undefined ? [] : [conflict(foreign.packageId, other, foreign)]),
    ...taken.map((item) =>
      conflict(item.packageId, `Rename or remove the ${item.type} "${item.name}", or choose another namespace.`, item),
    ),
  ]
  if (conflicts.length > 0) throw packageError('namespace_conflict', { conflicts: conflicts.slice(0, 100) })
}
