// Installs and upgrades packages: what is asked for is found and judged, then everything is stored in one transaction
// (D-128, D-131 to D-133).
import semver from 'semver'
import type { DependencyResolution, MergeConflict, UpgradePlan } from '#shared/contracts/package-parts.ts'
import type { InstallRequest, UpgradeAnswer, UpgradeRequest } from '#shared/contracts/packages.ts'
import { PlatformError, platformError, validationError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { packageError } from '../errors.ts'
import type { PackageRow } from '../store.ts'
import { getPackage, putPackage } from '../store.ts'
import { impactOf } from './delivery-plan.ts'
import type { Executed, Work } from './execution.ts'
import { execute } from './execution.ts'
import type { PackageParts } from './parts.ts'
import { countsOf, passing, requirePackage, requireTransition } from './parts.ts'
import { detailsOf, recordOf } from './record-view.ts'
import type { Release } from './release.ts'
import { readManifest, releaseOf, unsigned } from './release.ts'
import type { Resolution } from './resolution.ts'
import { resolveDependencies } from './resolution.ts'
import { requireRights, requireSource } from './rights.ts'
import { changeSettings, noSettings } from './settings-values.ts'
import { worldOf } from './world.ts'

/** What installing came to. */
export interface Installed {
  readonly row: PackageRow
  readonly dependencyResolution: DependencyResolution
  readonly message: string
}

/** Installs a package, or upgrades it when that is asked for. @throws the codes of packages, destructive_change */
export async function install(parts: PackageParts, ctx: RequestContext, request: InstallRequest): Promise<Installed> {
  const release = await releaseIn(parts, ctx, request)
  const { id } = release.manifest
  const previous = getPackage(parts.read, id)
  if (previous !== undefined) {
    // One that does not work is installed again over what is there of it (D-127).
    if (!request.overwrite && previous.status !== 'error') {
      throw packageError('package_already_installed', { packageId: id, installedVersion: previous.version })
    }
    return overwrite(parts, ctx, request, release)
  }
  requireAllowed(parts, ctx, release, null)
  const { result, needed } = resolveDependencies(nodeOf(release), worldOf(parts))
  if (!result.canProceed || (needed.length > 0 && !request.installDependencies)) {
    throw packageError('dependency_conflict', { dependencyResolution: result })
  }
  const options = { seal: parts.seal, requires: true }
  const settings = await changeSettings(release.manifest, noSettings, request.settings, options)
  const others = await worksFor(parts, ctx, needed)
  const work: Work = {
    release,
    previous: null,
    settings,
    isEnabled: request.enableOnInstall,
    strategy: 'three-way-merge',
    takesSnapshot: false,
    samples: request.samples,
  }
  await execute(parts, ctx, [...others, work], { confirm: consentOf(request.confirm) })
  const count = others.length
  const message = count === 0 ? 'The package is installed.' : `The package is installed, with ${count} it needs.`
  return { row: requirePackage(parts, id), dependencyResolution: result, message }
}

async function overwrite(
  parts: PackageParts,
  ctx: RequestContext,
  request: InstallRequest,
  release: Release,
): Promise<Installed> {
  const { id } = release.manifest
  const how = {
    createSnapshot: true,
    mergeStrategy: 'three-way-merge' as const,
    dryRun: false,
    skipValidation: false,
    confirm: request.confirm,
  }
  await upgradeTo(parts, ctx, release, how, request.settings)
  const { result } = resolveDependencies(nodeOf(release), worldOf(parts))
  return { row: requirePackage(parts, id), dependencyResolution: result, message: 'The package is upgraded.' }
}

/** Upgrades a package, or tells what that would do. @throws the codes of packages, destructive_change */
export async function upgrade(
  parts: PackageParts,
  ctx: RequestContext,
  request: UpgradeRequest,
): Promise<UpgradeAnswer> {
  const row = requirePackage(parts, request.packageId)
  const release = await releaseFor(parts, row, request)
  if (release.manifest.id !== row.id) {
    const message = 'The manifest is of another package.'
    throw validationError([{ field: 'packageId', code: 'not_allowed', message, value: row.id }])
  }
  return upgradeTo(parts, ctx, release, request)
}

type How = Pick<UpgradeRequest, 'createSnapshot' | 'mergeStrategy' | 'dryRun' | 'skipValidation' | 'confirm'>

async function upgradeTo(
  parts: PackageParts,
  ctx: RequestContext,
  release: Release,
  how: How,
  given: Readonly<Record<string, unknown>> = {},
): Promise<UpgradeAnswer> {
  const { id, version } = release.manifest
  const row = requirePackage(parts, id)
  requireTransition(row, 'upgrading')
  if (semver.lt(version, row.version)) {
    throw platformError('conflict', { reason: 'downgrade', installedVersion: row.version, targetVersion: version })
  }
  requireAllowed(parts, ctx, release, row)
  const world = worldOf(parts)
  const { result, needed } = resolveDependencies(nodeOf(release), world)
  if (!result.canProceed) throw packageError('dependency_conflict', { dependencyResolution: result })
  if (!how.skipValidation) requireDependents(parts, release, needed)
  const { settings } = detailsOf(row)
  const others = await worksFor(parts, ctx, needed)
  const work: Work = {
    release,
    previous: row,
    settings: await changeSettings(release.manifest, settings, given, { seal: parts.seal, requires: false }),
    isEnabled: row.status !== 'disabled',
    strategy: how.mergeStrategy,
    takesSnapshot: how.createSnapshot,
  }
  const run = (): Promise<Executed> =>
    execute(parts, ctx, [...others, work], { dryRun: how.dryRun, confirm: consentOf(how.confirm) })
  const executed = how.dryRun
    ? await run()
    : await passing(parts, id, row.status === 'error' ? 'installing' : 'upgrading', () =>
        noted(parts, row, version, run),
      )
  const { plan, conflicts } = toldOf(row, release, executed, needed, world)
  if (how.dryRun) return { success: true, phase: 'analyzing', plan, conflicts, message: 'Nothing was changed.' }
  const now = requirePackage(parts, id)
  const { snapshotId } = executed
  return {
    success: true,
    phase: 'completed',
    package: recordOf(now, countsOf(parts, id)),
    plan,
    ...(snapshotId === undefined ? {} : { snapshotId }),
    conflicts: [...conflicts],
    message: `The package is upgraded from ${row.version} to ${version}.`,
  }
}

/** Codes that ask the caller for something else, and leave it to them to call again. */
const asked: ReadonlySet<string> = new Set([
  'destructive_change',
  'permission_denied',
  'namespace_conflict',
  'dependency_conflict',
  'service_unavailable',
])

/** Runs an upgrade; a failure is remembered, as everything else is as it was. @throws upgrade_failed */
async function noted(
  parts: PackageParts,
  row: PackageRow,
  toVersion: string,
  run: () => Promise<Executed>,
): Promise<Executed> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof PlatformError) || asked.has(error.code)) throw error
    const { code, message, details } = error
    const phase = details['seed'] === undefined ? 'executing' : 'migrating'
    const upgradedAt = parts.clock.iso()
    const entry = { fromVersion: row.version, toVersion, upgradedAt, status: 'failed' as const }
    await parts.write('packages.failed', (tx) => {
      const now = getPackage(tx, row.id)
      if (now !== undefined) putPackage(tx, { ...now, history: JSON.stringify([...detailsOf(now).history, entry]) })
    })
    throw packageError('upgrade_failed', { phase, cause: { code, message, details } }, error)
  }
}

function toldOf(
  row: PackageRow,
  { manifest }: Release,
  { planned, delivery }: Executed,
  needed: Resolution['needed'],
  world: ReturnType<typeof worldOf>,
): { plan: UpgradePlan; conflicts: MergeConflict[] } {
  const { told, conflicts, affectedCustomizations } = planned
  const plan: UpgradePlan = {
    packageId: row.id,
    fromVersion: row.version,
    toVersion: manifest.version,
    impactLevel: impactOf(told, conflicts, delivery.plan),
    changes: told,
    affectedCustomizations,
    requiresMigration: delivery.plan.some(({ change }) => !presentational.has(change)),
    dependencyUpgrades: needed.map(({ id, version }) => {
      const from = world.installed.get(id)
      return { packageId: id, ...(from === undefined ? {} : { fromVersion: from.version }), toVersion: version }
    }),
    schemaPlan: delivery.plan.map((step) => ({ ...step })),
    ...(delivery.planHash === undefined ? {} : { planHash: delivery.planHash }),
  }
  return { plan, conflicts: [...conflicts] }
}

/** Steps that leave tables as they are. */
const presentational: ReadonlySet<string> = new Set(['change_object', 'change_field', 'tighten_field'])

/** The release a request to install names. @throws validation_error, version_not_found and what reading it throws */
export async function releaseIn(
  parts: PackageParts,
  ctx: RequestContext,
  { manifest, artifactRef, artifact }: Pick<InstallRequest, 'manifest' | 'artifactRef' | 'artifact'>,
): Promise<Release> {
  if (artifact !== undefined) {
    const kept = await parts.artifacts.keepInput(ctx, artifact, {})
    return parts.artifacts.release(kept.artifactRef)
  }
  if (artifactRef !== undefined) return parts.artifacts.release(artifactRef)
  if (manifest !== undefined) return releaseOfManifest(parts, manifest)
  const message = 'A manifest, an artifact or the reference of an uploaded one is needed.'
  throw validationError([{ field: 'manifest', code: 'required', message }])
}

/** The release of a manifest without an archive. @throws validation_error, conflict */
function releaseOfManifest(parts: PackageParts, given: unknown): Release {
  const manifest = readManifest(given)
  parts.artifacts.bundled.requireOwnId(manifest.id, null)
  return releaseOf(manifest, unsigned, parts.metadata.deliveries.typeOf)
}

/** The release a request to upgrade names: by default the highest version that is uploaded. @throws version_not_found */
async function releaseFor(parts: PackageParts, row: PackageRow, request: UpgradeRequest): Promise<Release> {
  const { manifest, artifactRef, targetVersion } = request
  if (manifest !== undefined) {
    const release = releaseOfManifest(parts, manifest)
    if (targetVersion === undefined || targetVersion === release.manifest.version) return release
    const message = 'The manifest is of another version.'
    throw validationError([{ field: 'targetVersion', code: 'not_allowed', message, value: targetVersion }])
  }
  if (artifactRef !== undefined) return parts.artifacts.release(artifactRef)
  const uploaded = parts.artifacts.versions(row.id)
  const [best] = uploaded
    .filter(({ version }) =>
      targetVersion === undefined ? semver.gt(version, row.version) : version === targetVersion,
    )
    .toSorted((a, b) => semver.rcompare(a.version, b.version))
  if (best !== undefined) return parts.artifacts.release(best.ref)
  throw packageError('version_not_found', {
    packageId: row.id,
    ...(targetVersion === undefined ? {} : { targetVersion }),
    available: uploaded.map(({ version }) => version).toSorted(semver.compare),
  })
}

/** @throws permission_denied, platform_incompatible, signature_invalid */
export function requireAllowed(
  parts: PackageParts,
  ctx: RequestContext,
  release: Release,
  previous: PackageRow | null,
): void {
  const { manifest, trust, publicKey } = release
  requireRights(parts.authorizer(), ctx, release)
  requirePlatform(manifest.engines.platform, parts.platformVersion)
  requireSource(parts, release)
  // Who signed the first version signs the others, too; a trusted key may take over.
  const pinned = previous?.public_key ?? null
  if (pinned !== null && publicKey !== pinned && trust !== 'signed') {
    throw packageError('signature_invalid', { reason: 'publisher_changed', trust })
  }
}

/** @throws platform_incompatible */
export function requirePlatform(range: string, platformVersion: string): void {
  if (semver.satisfies(platformVersion, range, { includePrerelease: true })) return
  throw packageError('platform_incompatible', { requiredPlatform: range, platformVersion })
}

/** What needs the package goes on with the version it becomes. @throws dependency_conflict */
function requireDependents(parts: PackageParts, { manifest }: Release, needed: Resolution['needed']): void {
  const moving = new Set(needed.map(({ id }) => id))
  const dependents = [...worldOf(parts).installed.values()].flatMap((node) => {
    const requiredRange = node.dependencies[manifest.id]
    const isBroken = requiredRange !== undefined && !semver.satisfies(manifest.version, requiredRange)
    return isBroken && !moving.has(node.id) ? [{ packageId: node.id, version: node.version, requiredRange }] : []
  })
  if (dependents.length > 0) throw packageError('dependency_conflict', { dependents })
}

/** Works that install or upgrade what is needed, in its order. */
async function worksFor(parts: PackageParts, ctx: RequestContext, needed: Resolution['needed']): Promise<Work[]> {
  const works: Work[] = []
  for (const { id, ref } of needed) {
    const release = await parts.artifacts.release(ref)
    const previous = getPackage(parts.read, id) ?? null
    requireAllowed(parts, ctx, release, previous)
    const stored = previous === null ? noSettings : detailsOf(previous).settings
    works.push({
      release,
      previous,
      settings: await changeSettings(release.manifest, stored, {}, { seal: parts.seal, requires: false }),
      isEnabled: previous === null || previous.status !== 'disabled',
      strategy: 'three-way-merge',
      takesSnapshot: previous !== null,
    })
  }
  return works
}

/** A release as the search for versions sees it. */
export function nodeOf({ manifest }: Pick<Release, 'manifest'>) {
  const { id, version, dependencies } = manifest
  return { id, version, dependencies }
}

/** The consent of a caller as plans take it. */
function consentOf(confirm: boolean | string | undefined): string | undefined {
  if (confirm === true) return 'true'
  return confirm === false || confirm === '' || confirm === 'false' ? undefined : confirm
}
