// What the operations on packages work with, and what they share: finding a package, refusing an operation.
import type { PackageStatus } from '#shared/contracts/package-parts.ts'
import { platformError } from '#shared/errors.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import { packageError } from '../errors.ts'
import type { PackageRow } from '../store.ts'
import { getPackage, sampleCounts } from '../store.ts'
import type { Artifacts } from './artifacts.ts'
import type { PackageCounts } from './record-view.ts'
import type { TrustedKeys } from './trusted-keys.ts'

/** What the operations work with. */
export interface PackageParts {
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly ids: Ids
  readonly authorizer: () => Authorizer
  readonly metadata: MetadataService
  readonly data: DataService
  readonly artifacts: Artifacts
  readonly keys: TrustedKeys
  readonly seal: (text: string) => Promise<string>
  readonly platformVersion: string
  /** Whether packages have to be signed with a trusted key. */
  readonly requireSigned: () => boolean
  /** States that last as long as an operation does. */
  readonly passing: Map<string, PackageStatus>
}

/** An installed package. @throws package_not_found */
export function requirePackage({ read }: Pick<PackageParts, 'read'>, id: string): PackageRow {
  const row = getPackage(read, id)
  if (row === undefined) throw packageError('package_not_found', { packageId: id })
  return row
}

/** What a package has in the workspace. */
export function countsOf({ read, metadata }: Pick<PackageParts, 'read' | 'metadata'>, id: string): PackageCounts {
  return { items: metadata.deliveries.counts().get(id) ?? {}, samples: sampleCounts(read).get(id) ?? 0 }
}

/** The states each state leads to. @source D-127 */
const transitions: Readonly<Record<PackageRow['status'], readonly PackageStatus[]>> = {
  installed: ['disabled', 'upgrading', 'uninstalling'],
  disabled: ['installed', 'upgrading', 'uninstalling'],
  error: ['installing', 'upgrading', 'uninstalling'],
}

/** @throws invalid_state_transition */
export function requireTransition({ status }: PackageRow, to: PackageStatus): void {
  const allowed = transitions[status]
  if (!allowed.includes(to)) throw platformError('invalid_state_transition', { from: status, to, allowed })
}

/** Runs an operation while the package shows the state it passes through. */
export async function passing<T>(
  parts: Pick<PackageParts, 'passing'>,
  id: string,
  status: PackageStatus,
  work: () => Promise<T>,
): Promise<T> {
  parts.passing.set(id, status)
  try {
    return await work()
  } finally {
    parts.passing.delete(id)
  }
}
