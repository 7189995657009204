// The packages there are, as the search for versions sees them. Reads only.
import { allPackages } from '../store.ts'
import type { AvailableArtifact } from './artifacts.ts'
import type { PackageParts } from './parts.ts'
import { detailsOf } from './record-view.ts'
import type { PackageNode, PackageWorld } from './resolution.ts'

/** What is installed and uploaded at this moment. */
export function worldOf({ read, artifacts }: Pick<PackageParts, 'read' | 'artifacts'>): PackageWorld {
  const installed = allPackages(read).map((row): [string, PackageNode & { enabled: boolean }] => {
    const { id, version, status } = row
    return [id, { id, version, dependencies: detailsOf(row).manifest.dependencies, enabled: status === 'installed' }]
  })
  // Read once, and where it is asked for: a manifest may need ten thousand packages.
  let uploaded: Map<string, AvailableArtifact[]> | undefined
  return {
    installed: new Map(installed),
    uploaded: (id) => (uploaded ??= Map.groupBy(artifacts.available(), ({ packageId }) => packageId)).get(id) ?? [],
  }
}

/** Enabled packages that need another one. */
export function enabledDependents(world: PackageWorld, id: string): string[] {
  return [...world.installed.values()]
    .filter((node) => node.enabled && node.id !== id && Object.hasOwn(node.dependencies, id))
    .map((node) => node.id)
}
