// What a package would add and may do, told before anything of it is installed (D-331). Changes nothing.
import type { PackagePreview } from '#shared/contracts/package-parts.ts'
import { PlatformError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { ArtifactInput } from '#shared/contracts/package-parts.ts'
import { allPackages, getPackage } from '../store.ts'
import { nodeOf, requireAllowed } from './installing.ts'
import { requireFreeNames } from './namespaces.ts'
import type { PackageParts } from './parts.ts'
import type { Release } from './release.ts'
import { readManifest, releaseOf, unsigned } from './release.ts'
import { resolveDependencies } from './resolution.ts'
import { rightsOf } from './rights.ts'
import { worldOf } from './world.ts'

/** What is looked at: one of these. */
export interface PreviewRequest {
  readonly manifest?: Record<string, unknown> | undefined
  readonly artifactRef?: string | undefined
  /** An archive that is judged and not kept. */
  readonly artifact?: ArtifactInput | undefined
}

/** Tells what a release is. @throws validation_error, version_not_found and what reading it throws */
export async function previewPackage(
  parts: PackageParts,
  ctx: RequestContext,
  request: PreviewRequest,
): Promise<PackagePreview> {
  const release = await releaseIn(parts, request)
  const { manifest, items, seeds, trust, artifactRef } = release
  const row = getPackage(parts.read, manifest.id)
  const resolution = resolveDependencies(nodeOf(release), worldOf(parts)).result
  return {
    ...(artifactRef === null ? {} : { artifactRef }),
    packageId: manifest.id,
    name: manifest.name,
    version: manifest.version,
    namespace: manifest.namespace,
    type: manifest.type,
    ...(manifest.description === undefined ? {} : { description: manifest.description }),
    ...(manifest.author === undefined ? {} : { author: manifest.author }),
    ...(manifest.license === undefined ? {} : { license: manifest.license }),
    ...(manifest.icon === undefined ? {} : { icon: manifest.icon }),
    trust,
    items: items.map(({ type, name, item }) => ({ type, name, ...labelOf(item) })),
    records: seeds.map(({ object, records, sample }) => ({ object, count: records.length, sample: sample === true })),
    permissions: manifest.permissions,
    rights: rightsOf(release),
    settings: Object.keys(manifest.configuration?.properties ?? {}),
    dependencyResolution: resolution,
    ...(row === undefined ? {} : { installedVersion: row.version }),
    ...obstacleOf(parts, ctx, release),
  }
}

/** What keeps the caller from installing it as it is, if anything does. */
function obstacleOf(parts: PackageParts, ctx: RequestContext, release: Release): Pick<PackagePreview, 'obstacle'> {
  try {
    requireAllowed(parts, ctx, release, getPackage(parts.read, release.manifest.id) ?? null)
    requireFreeNames(release, allPackages(parts.read), parts.metadata.deliveries)
    return {}
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    const { code, message, details } = error
    return { obstacle: { code, message, details: { ...details } } }
  }
}

async function releaseIn(parts: PackageParts, { manifest, artifactRef, artifact }: PreviewRequest): Promise<Release> {
  if (artifact !== undefined) return parts.artifacts.look(artifact)
  if (artifactRef !== undefined) return parts.artifacts.release(artifactRef)
  return releaseOf(readManifest(manifest ?? {}), unsigned, parts.metadata.deliveries.typeOf)
}

function labelOf(item: Readonly<Record<string, unknown>>): { label?: string } {
  const { label } = item
  return typeof label === 'string' && label !== '' ? { label } : {}
}
