// Owns how packages are said: counts of what they hold, versions, and why something cannot be done.
import { hasCode } from '../../lib/api-error.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t, tn } from '../../lib/strings.ts'
import type { AvailablePackage } from './package-queries.ts'

/** Items by type in words, the most telling first: "4 objects, 6 views". */
export function countText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .toSorted(([a], [b]) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1))
    .map(([type, count]) =>
      tn('packages.preview.item.count', count, { type: words[type] ?? type.replaceAll('_', ' ') }),
    )
    .join(', ')
}

/** What people call types that have another name in definitions. */
const words: Readonly<Record<string, string>> = { validation: 'rule' }

const order = ['object', 'view', 'validation', 'flow', 'dashboard', 'app', 'translation']

function rankOf(type: string): number {
  const at = order.indexOf(type)
  return at < 0 ? order.length : at
}

/** Whether a version comes after another one. Pre-releases come before their release. */
export function isNewer(version: string, than: string): boolean {
  const [a, b] = [partsOf(version), partsOf(than)]
  for (let at = 0; at < 3; at += 1) {
    const difference = a.numbers[at]! - b.numbers[at]!
    if (difference !== 0) return difference > 0
  }
  if (a.rest === b.rest) return false
  return a.rest === '' || (b.rest !== '' && a.rest > b.rest)
}

function partsOf(version: string): { numbers: number[]; rest: string } {
  const [core = '', ...rest] = version.split('+')[0]!.split('-')
  const numbers = core.split('.').map(Number)
  return { numbers: [numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 0], rest: rest.join('-') }
}

/** The newest version of each package, in the order given. */
export function newestOf(packages: readonly AvailablePackage[]): AvailablePackage[] {
  const newest = new Map<string, AvailablePackage>()
  for (const one of packages) {
    const known = newest.get(one.packageId)
    if (known === undefined || isNewer(one.version, known.version)) newest.set(one.packageId, one)
  }
  return [...newest.values()]
}

/** Why an operation on packages was refused, in words for people. */
export function packageProblem(error: unknown): string {
  if (hasCode(error, 'dependency_conflict')) {
    const { dependents, dependencies, dependencyResolution } = error.details
    const told = [dependents, dependencies].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []))
    const resolution = (dependencyResolution as { dependencies?: { packageId: string; status: string }[] } | undefined)
      ?.dependencies
    const missing = resolution?.filter(({ status }) => status !== 'satisfied') ?? []
    const packages = [...told, ...missing].map(nameIn).join(', ')
    return t('packages.problem.dependency', { packages })
  }
  if (hasCode(error, 'namespace_conflict')) {
    const conflicts = (error.details['conflicts'] ?? []) as { item?: { name: string }; requestedNamespace: string }[]
    const names = [...new Set(conflicts.map(({ item, requestedNamespace }) => item?.name ?? requestedNamespace))]
    return t('packages.problem.namespace', { names: names.slice(0, 5).join(', ') })
  }
  if (hasCode(error, 'permission_denied') && Array.isArray(error.details['permissions'])) {
    return t('packages.problem.rights', { rights: (error.details['permissions'] as string[]).join(', ') })
  }
  if (hasCode(error, 'signature_invalid')) return t('packages.problem.signature')
  if (hasCode(error, 'artifact_invalid', 'checksum_mismatch')) {
    const { reason } = error.details
    return t('packages.problem.archive', { reason: typeof reason === 'string' ? reason : error.code })
  }
  if (hasCode(error, 'platform_incompatible')) {
    return t('packages.problem.platform', { version: String(error.details['requiredPlatform']) })
  }
  if (hasCode(error, 'conflict') && error.details['reason'] === 'bundled_id') return t('packages.problem.bundled')
  if (hasCode(error, 'conflict') && error.details['reason'] === 'version_exists') return t('packages.problem.exists')
  return problemText(error)
}

function nameIn(entry: unknown): string {
  if (typeof entry === 'string') return entry
  return typeof entry === 'object' && entry !== null && 'packageId' in entry ? String(entry.packageId) : ''
}

/** A value of a definition as a person compares it with another one. */
export function valueText(value: unknown): string {
  if (value === undefined) return t('packages.upgrade.nothing')
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
