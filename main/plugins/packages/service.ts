// Puts the operations on packages together: one after the other, each shown as its answer.
import type { z } from 'zod'
import type { PackagePreview, PackageRecord } from '#shared/contracts/package-parts.ts'
import type {
  InstallRequest,
  PackageListQuery,
  UpgradeAnswer,
  UpgradeRequest,
  UploadRequest,
  packageRoutes,
} from '#shared/contracts/packages.ts'
import { validationError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { pageOf } from '#main/kernel/list-page.ts'
import type { SettingsService } from '#main/plugins/settings/api.ts'
import type { PackageRow } from './store.ts'
import { allPackages, dropExpiredSnapshots, putPackage, sampleCounts } from './store.ts'
import type { ArtifactParts } from './service/artifacts.ts'
import { createArtifacts } from './service/artifacts.ts'
import { createBundledPackages } from './service/bundled.ts'
import type { ExportRequest, ExportedFile } from './service/export.ts'
import { exportPackage } from './service/export.ts'
import { install, nodeOf, requirePlatform, upgrade } from './service/installing.ts'
import type { PackageParts } from './service/parts.ts'
import { countsOf, requirePackage } from './service/parts.ts'
import type { PreviewRequest } from './service/preview.ts'
import { previewPackage } from './service/preview.ts'
import { detailsOf, recordOf, withoutContents } from './service/record-view.ts'
import { readManifest } from './service/release.ts'
import type { RemovalRequest } from './service/removal.ts'
import { uninstall } from './service/removal.ts'
import { resolveDependencies } from './service/resolution.ts'
import { changeSettings } from './service/settings-values.ts'
import { removeSamples } from './service/samples.ts'
import type { ListedSnapshot, RollbackRequest } from './service/snapshots.ts'
import { listSnapshots, rollBack } from './service/snapshots.ts'
import { disable, enable } from './service/switching.ts'
import type { TrustedKeys } from './service/trusted-keys.ts'
import { createTrustedKeys } from './service/trusted-keys.ts'
import { receiveForm } from './service/upload-form.ts'
import { worldOf } from './service/world.ts'

type Answer<K extends keyof typeof packageRoutes> = z.input<(typeof packageRoutes)[K]['response']>

/** The packages of one host. Every operation throws what its route declares. */
export interface PackageAdministration {
  list(ctx: RequestContext, query: PackageListQuery): Answer<'listPackages'>
  read(ctx: RequestContext, id: string): Answer<'getPackage'>
  install(ctx: RequestContext, request: InstallRequest): Promise<Answer<'installPackage'>>
  upgrade(ctx: RequestContext, request: UpgradeRequest): Promise<UpgradeAnswer>
  resolve(request: {
    manifest?: Record<string, unknown> | undefined
    packageId?: string | undefined
    platformVersion?: string | undefined
  }): Answer<'resolvePackageDependencies'>
  upload(ctx: RequestContext, request: UploadRequest): Promise<Answer<'uploadPackage'>>
  uploadParts(
    ctx: RequestContext,
    stream: AsyncIterable<Uint8Array>,
    contentType: string,
  ): Promise<Answer<'uploadPackage'>>
  setSettings(ctx: RequestContext, id: string, settings: Record<string, unknown>): Promise<Answer<'updatePackage'>>
  enable(ctx: RequestContext, id: string): Promise<Answer<'enablePackage'>>
  disable(ctx: RequestContext, id: string): Promise<Answer<'disablePackage'>>
  uninstall(ctx: RequestContext, id: string, request: RemovalRequest): Promise<Answer<'uninstallPackage'>>
  rollBack(ctx: RequestContext, id: string, request: RollbackRequest): Promise<Answer<'rollbackPackage'>>
  snapshots(id: string): ListedSnapshot[]
  available(locale?: string): Answer<'listAvailablePackages'>
  preview(ctx: RequestContext, request: PreviewRequest): Promise<PackagePreview>
  removeSamples(ctx: RequestContext, id: string): Promise<Answer<'removePackageSamples'>>
  export(ctx: RequestContext, id: string, request: ExportRequest): Promise<ExportedFile>
  readonly keys: TrustedKeys
  /** Drops what nobody needs any more. */
  tidy(): Promise<void>
  /** See {@link Artifacts.share}. */
  share(): Promise<void>
}

/** What the service is made from. */
export interface PackageHost
  extends
    Omit<PackageParts, 'artifacts' | 'keys' | 'requireSigned' | 'passing'>,
    Pick<ArtifactParts, 'dataDir' | 'shared'> {
  /** Where the packages of the program lie. */
  readonly bundledDir: string
  readonly settings: SettingsService
}

/** Makes the service. */
export function createPackageAdministration(host: PackageHost): PackageAdministration {
  const { read, write, clock, settings, metadata } = host
  const requireSigned = (): boolean => settings.get('packages.requireSigned')
  const keys = createTrustedKeys({ ...host, requireSigned })
  const artifacts = createArtifacts({
    ...host,
    bundled: createBundledPackages(host.bundledDir),
    keys,
    typeOf: metadata.deliveries.typeOf,
    publisherToken: () => settings.openSecret('packages.publisherToken'),
  })
  const parts: PackageParts = { ...host, keys, artifacts, requireSigned, passing: new Map() }
  const oneByOne = createSerial()
  const shown = (row: PackageRow): PackageRecord => recordOf(row, countsOf(parts, row.id), parts.passing.get(row.id))
  const seenBy =
    (ctx: RequestContext) =>
    (record: PackageRecord): PackageRecord =>
      parts.authorizer().hasSystemPermission(ctx, 'manage_packages') ? record : withoutContents(record)
  const answer = (row: PackageRow, message?: string) => {
    const record = shown(row)
    return { ...record, package: record, ...(message === undefined ? {} : { message }) }
  }
  const uploaded = (kept: Awaited<ReturnType<PackageParts['artifacts']['keep']>>) => ({
    success: true as const,
    ...kept,
  })

  return {
    list(ctx, { status, enabled, type, ...page }) {
      const [items, samples] = [metadata.deliveries.counts(), sampleCounts(read)]
      const fitting = allPackages(read)
        .map((row) => {
          const counts = { items: items.get(row.id) ?? {}, samples: samples.get(row.id) ?? 0 }
          return recordOf(row, counts, parts.passing.get(row.id))
        })
        .filter(
          (one) =>
            (status === undefined || one.status === status) &&
            (enabled === undefined || one.enabled === enabled) &&
            (type === undefined || one.type === type),
        )
      const binding = ['packages', status ?? null, enabled ?? null, type ?? null]
      const { shown: packages, ...rest } = pageOf(fitting, page, { usual: 50, most: 100 }, ({ id }) => id, binding)
      return { packages: packages.map(seenBy(ctx)), total: fitting.length, ...rest }
    },
    read(ctx, id) {
      const record = seenBy(ctx)(shown(requirePackage(parts, id)))
      return { ...record, package: record }
    },
    install: (ctx, request) =>
      oneByOne(async () => {
        const { row, dependencyResolution, message } = await install(parts, ctx, request)
        return { ...answer(row, message), dependencyResolution, namespaceConflicts: [] }
      }),
    upgrade: (ctx, request) => oneByOne(() => upgrade(parts, ctx, request)),
    resolve({ manifest, packageId, platformVersion }) {
      const given = manifest === undefined ? undefined : readManifest(manifest)
      if (given === undefined && packageId === undefined) {
        const message = 'A manifest or the id of a package is needed.'
        throw validationError([{ field: 'manifest', code: 'required', message }])
      }
      const root = given ?? detailsOf(requirePackage(parts, packageId!)).manifest
      if (platformVersion !== undefined) requirePlatform(root.engines.platform, platformVersion)
      return resolveDependencies(nodeOf({ manifest: root }), worldOf(parts)).result
    },
    upload: async (ctx, { artifact, ...facts }) => uploaded(await artifacts.keepInput(ctx, artifact, facts)),
    async uploadParts(ctx, stream, contentType) {
      const { file, facts } = await receiveForm(stream, contentType, artifacts)
      return uploaded(await artifacts.keep(ctx, file, facts))
    },
    setSettings: (ctx, id, given) =>
      oneByOne(async () => {
        const row = requirePackage(parts, id)
        const { manifest, settings } = detailsOf(row)
        const changed = await changeSettings(manifest, settings, given, { seal: parts.seal, requires: true })
        await parts.write('packages.settings', (tx) => {
          putPackage(tx, { ...row, settings: JSON.stringify(changed), updated_at: parts.clock.iso() })
          tx.emit(ctx, { type: 'packages.settings_changed', payload: { packageId: id, settings: Object.keys(given) } })
        })
        return answer(requirePackage(parts, id))
      }),
    enable: (ctx, id) => oneByOne(async () => answer(await enable(parts, ctx, id))),
    disable: (ctx, id) => oneByOne(async () => answer(await disable(parts, ctx, id))),
    uninstall: (ctx, id, request) =>
      oneByOne(async () => ({
        packageId: id,
        id,
        success: true as const,
        ...(await uninstall(parts, ctx, id, request)),
      })),
    rollBack: (ctx, id, request) =>
      oneByOne(async () => {
        const row = await rollBack(parts, ctx, id, request)
        const message = `The package is back at version ${row.version}.`
        return { success: true as const, restoredVersion: row.version, package: shown(row), message }
      }),
    snapshots(id) {
      requirePackage(parts, id)
      return listSnapshots(read, id)
    },
    available(locale) {
      const installed = new Map(allPackages(read).map(({ id, version }) => [id, version]))
      const packages = artifacts
        .available(locale)
        .map(({ ref, dependencies: _d, description, icon, releaseNotes, ...one }) => {
          const installedVersion = installed.get(one.packageId)
          return {
            ...one,
            artifactRef: ref,
            ...(description === null ? {} : { description }),
            ...(icon === null ? {} : { icon }),
            ...(releaseNotes === null ? {} : { releaseNotes }),
            ...(installedVersion === undefined ? {} : { installedVersion }),
          }
        })
      return { packages, total: packages.length }
    },
    preview: (ctx, request) => previewPackage(parts, ctx, request),
    removeSamples: (ctx, id) =>
      oneByOne(async () => {
        const { removed, kept } = await removeSamples(parts, ctx, id)
        return { packageId: id, removed, kept: [...kept] }
      }),
    export: (ctx, id, request) => exportPackage(parts, ctx, id, request),
    keys,
    async tidy() {
      await write('packages.retention', (tx) => dropExpiredSnapshots(tx, clock.iso()))
      await artifacts.tidy()
    },
    share: artifacts.share,
  }
}

/** Makes a lock: each call starts when the one before has ended, whether or not it failed. */
function createSerial(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work, work)
    last = result.catch(() => undefined)
    return result
  }
}
