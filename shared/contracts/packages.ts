// Contracts of packages (specification "Package management" and "Package lifecycle API", D-124 to D-135). Enveloped.
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'
import { QueryBoolean, QueryInteger, QueryList } from './common.ts'
import {
  ArtifactInput,
  AvailablePackage,
  DependencyResolution,
  MergeConflict,
  PackageAnswer,
  PackageId,
  PackagePreview,
  PackageRecord,
  PackageVersion,
  UpgradePhase,
  UpgradePlan,
  packageStatuses,
  packageTrusts,
  packageTypes,
} from './package-parts.ts'

const params = z.object({ id: z.string() })
const artifactRef = z.string().regex(/^sha256:[0-9a-f]{64}$/)
const settings = z.record(z.string(), z.unknown())
/** A manifest is judged by the service, which says `manifest.` before every field. */
const manifest = z.record(z.string(), z.unknown()).meta({ description: 'See PackageManifest.' })
const consent = z
  .union([z.boolean(), z.string()])
  .optional()
  .meta({ description: 'The hash of the plan, or true for any plan (D-101).' })

/** Bytes of a JSON body that holds an archive of 64 MB as base64, with room for the rest. */
const archiveBodyBytes = 96 * 1_048_576
const longMs = 120_000

const shared = { mount: 'versioned', envelope: true, tag: 'packages', channel: 'packages' } as const
const changing = { ...shared, permission: { system: 'manage_packages' }, rateLimit: 'heavy' } as const
const reading = { ...shared, permission: 'session', rateLimit: 'read' } as const

const installErrors = [
  'package_not_found',
  'package_already_installed',
  'version_not_found',
  'dependency_conflict',
  'namespace_conflict',
  'platform_incompatible',
  'artifact_invalid',
  'checksum_mismatch',
  'signature_invalid',
  'upload_failed',
  'upgrade_failed',
  'destructive_change',
  'invalid_state_transition',
  'item_locked',
  'delete_restricted',
] as const

/** What is installed, and how. */
export const InstallRequest = z
  .object({
    manifest: manifest.optional(),
    artifactRef: artifactRef.optional(),
    artifact: ArtifactInput.optional(),
    settings: settings.default({}),
    enableOnInstall: z.boolean().default(true),
    installDependencies: z.boolean().default(false),
    overwrite: z.boolean().default(false),
    samples: z.boolean().default(true).meta({ description: 'Whether sample records come along.' }),
    confirm: consent,
  })
  .meta({ id: 'PackageInstallRequest' })

/** What is installed, and how. */
export type InstallRequest = z.output<typeof InstallRequest>

/** What a package becomes, and how. */
export const UpgradeRequest = z
  .object({
    packageId: z.string(),
    targetVersion: PackageVersion.optional(),
    manifest: manifest.optional(),
    artifactRef: artifactRef.optional(),
    createSnapshot: z.boolean().default(true),
    mergeStrategy: z.enum(['keep-custom', 'accept-incoming', 'three-way-merge']).default('three-way-merge'),
    dryRun: z.boolean().default(false),
    skipValidation: z.boolean().default(false),
    confirm: consent,
  })
  .meta({ id: 'PackageUpgradeRequest' })

/** What a package becomes, and how. */
export type UpgradeRequest = z.output<typeof UpgradeRequest>

/** Which list of packages. */
export const PackageListQuery = z.object({
  status: z.enum(packageStatuses).optional(),
  enabled: QueryBoolean.optional(),
  type: z.enum(packageTypes).optional(),
  limit: QueryInteger.optional(),
  cursor: z.string().optional(),
})

/** Which list of packages. */
export type PackageListQuery = z.output<typeof PackageListQuery>

const InstallAnswer = PackageAnswer.extend({
  dependencyResolution: DependencyResolution,
  namespaceConflicts: z.array(z.record(z.string(), z.unknown())),
}).meta({ id: 'PackageInstallAnswer' })

const UpgradeAnswer = z
  .object({
    success: z.boolean(),
    phase: UpgradePhase,
    package: PackageRecord.optional(),
    plan: UpgradePlan,
    snapshotId: z.string().optional(),
    conflicts: z.array(MergeConflict),
    message: z.string().optional(),
  })
  .meta({ id: 'PackageUpgradeAnswer' })

/** What an upgrade did or would do. */
export type UpgradeAnswer = z.output<typeof UpgradeAnswer>

/** A key packages are signed with. */
export const TrustedKey = z
  .object({
    keyId: z.string(),
    publicKey: z.string().meta({ description: 'Base64 of the 32 bytes of an Ed25519 key.' }),
    label: z.string().optional(),
    createdAt: z.string(),
    revoked: z.boolean(),
    revokedAt: z.string().optional(),
  })
  .meta({ id: 'PackageTrustedKey' })

/** A key packages are signed with. */
export type TrustedKey = z.output<typeof TrustedKey>

const UploadRequest = z
  .object({
    artifact: ArtifactInput,
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional(),
    token: z.string().max(1_000).optional(),
    releaseNotes: z.string().max(100_000).optional(),
  })
  .meta({ id: 'PackageUploadRequest' })

/** An upload as JSON. */
export type UploadRequest = z.output<typeof UploadRequest>

/** The routes of the `packages` plugin. */
export const packageRoutes = defineRoutes({
  listPackages: defineRoute({
    ...reading,
    operationId: 'listPackages',
    method: 'GET',
    path: '/packages',
    query: PackageListQuery,
    response: z.object({
      packages: z.array(PackageRecord),
      total: z.int(),
      hasMore: z.boolean(),
      nextCursor: z.string().optional(),
    }),
    errors: [],
    summary: 'List installed packages.',
  }),
  createPackage: defineRoute({
    ...changing,
    operationId: 'createPackage',
    method: 'POST',
    path: '/packages',
    body: InstallRequest,
    response: InstallAnswer,
    status: 201,
    errors: installErrors,
    bodyLimitBytes: archiveBodyBytes,
    timeoutMs: longMs,
    summary: 'Install a package from a manifest, an archive or an uploaded one.',
  }),
  installPackage: defineRoute({
    ...changing,
    operationId: 'installPackage',
    method: 'POST',
    path: '/packages/install',
    body: InstallRequest,
    response: InstallAnswer,
    status: 201,
    errors: installErrors,
    bodyLimitBytes: archiveBodyBytes,
    timeoutMs: longMs,
    summary: 'Install a package from a manifest, an archive or an uploaded one.',
  }),
  upgradePackage: defineRoute({
    ...changing,
    operationId: 'upgradePackage',
    method: 'POST',
    path: '/packages/upgrade',
    body: UpgradeRequest,
    response: UpgradeAnswer,
    errors: installErrors,
    timeoutMs: longMs,
    summary: 'Upgrade a package; with dryRun, tell what that would change.',
  }),
  resolvePackageDependencies: defineRoute({
    ...changing,
    permission: 'session',
    mutates: false,
    operationId: 'resolvePackageDependencies',
    method: 'POST',
    path: '/packages/resolve-dependencies',
    body: z.object({
      manifest: manifest.optional(),
      packageId: z.string().optional(),
      platformVersion: PackageVersion.optional(),
    }),
    response: DependencyResolution,
    errors: ['package_not_found', 'platform_incompatible'],
    summary: 'Tell which packages a package needs, and in which order they are installed.',
  }),
  uploadPackage: defineRoute({
    ...changing,
    operationId: 'uploadPackage',
    method: 'POST',
    path: '/packages/upload',
    body: UploadRequest,
    response: z.object({
      success: z.literal(true),
      artifactRef: z.string(),
      packageId: z.string(),
      version: z.string(),
      sha256: z.string(),
      size: z.int(),
      trust: z.enum(packageTrusts),
      message: z.string().optional(),
    }),
    status: 201,
    errors: ['artifact_invalid', 'checksum_mismatch', 'signature_invalid', 'upload_failed'],
    consumes: ['multipart/form-data'],
    streams: true,
    bodyLimitBytes: archiveBodyBytes,
    timeoutMs: longMs,
    summary: 'Upload an archive of a package: base64 in JSON, or as the file part `artifact`.',
  }),
  listAvailablePackages: defineRoute({
    ...reading,
    permission: { system: 'manage_packages' },
    operationId: 'listAvailablePackages',
    method: 'GET',
    path: '/packages/available',
    response: z.object({ packages: z.array(AvailablePackage), total: z.int() }),
    errors: [],
    summary: 'List the archives that can be installed: those that come with Cairn, and uploaded ones.',
  }),
  previewPackage: defineRoute({
    ...changing,
    mutates: false,
    operationId: 'previewPackage',
    method: 'POST',
    path: '/packages/preview',
    body: z.object({
      manifest: manifest.optional(),
      artifactRef: artifactRef.optional(),
      artifact: ArtifactInput.optional(),
    }),
    response: PackagePreview,
    errors: ['version_not_found', 'artifact_invalid', 'checksum_mismatch', 'signature_invalid', 'upload_failed'],
    bodyLimitBytes: archiveBodyBytes,
    timeoutMs: longMs,
    summary: 'Tell what a package would add and may do; an archive in the body is judged and not kept.',
  }),
  removePackageSamples: defineRoute({
    ...changing,
    operationId: 'removePackageSamples',
    method: 'DELETE',
    path: '/packages/:id/samples',
    params,
    response: z.object({
      packageId: z.string(),
      removed: z.int(),
      kept: z.array(z.object({ object: z.string(), id: z.string(), reason: z.enum(['changed', 'referenced']) })),
    }),
    errors: ['package_not_found', 'invalid_state_transition'],
    summary: 'Move the sample records of a package to the trash, but for those somebody changed.',
  }),
  listTrustedKeys: defineRoute({
    ...shared,
    operationId: 'listTrustedKeys',
    method: 'GET',
    path: '/packages/trusted-keys',
    response: z.object({ keys: z.array(TrustedKey), total: z.int() }),
    permission: { system: 'manage_packages' },
    rateLimit: 'read',
    errors: [],
    summary: 'List the keys whose signatures are trusted, revoked ones too.',
  }),
  addTrustedKey: defineRoute({
    ...changing,
    operationId: 'addTrustedKey',
    method: 'POST',
    path: '/packages/trusted-keys',
    body: z.object({
      keyId: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/),
      publicKey: z.string().max(100),
      label: z.string().max(255).optional(),
    }),
    response: TrustedKey,
    status: 201,
    errors: [],
    summary: 'Trust a key.',
  }),
  revokeTrustedKey: defineRoute({
    ...changing,
    operationId: 'revokeTrustedKey',
    method: 'DELETE',
    path: '/packages/trusted-keys/:keyId',
    params: z.object({ keyId: z.string() }),
    response: z.object({ keyId: z.string(), success: z.literal(true), revokedAt: z.string() }),
    errors: [],
    summary: 'Revoke a key: nothing signed with it is taken any more.',
  }),
  getPackage: defineRoute({
    ...reading,
    operationId: 'getPackage',
    method: 'GET',
    path: '/packages/:id',
    params,
    response: PackageAnswer,
    errors: ['package_not_found'],
    summary: 'Read an installed package.',
  }),
  updatePackage: defineRoute({
    ...changing,
    operationId: 'updatePackage',
    method: 'PATCH',
    path: '/packages/:id',
    params,
    body: z.object({ settings }),
    response: PackageAnswer,
    errors: ['package_not_found', 'invalid_state_transition'],
    summary: 'Change settings of a package; null sets one back to its default.',
  }),
  uninstallPackage: defineRoute({
    ...changing,
    operationId: 'uninstallPackage',
    method: 'DELETE',
    path: '/packages/:id',
    params,
    query: z.object({
      keepData: QueryBoolean.optional(),
      force: QueryBoolean.optional(),
      confirm: z.string().optional(),
    }),
    response: z.object({
      packageId: z.string(),
      id: z.string(),
      success: z.literal(true),
      backupId: z.string().optional(),
      message: z.string().optional(),
    }),
    errors: [
      'package_not_found',
      'dependency_conflict',
      'destructive_change',
      'delete_restricted',
      'invalid_state_transition',
    ],
    timeoutMs: longMs,
    summary: 'Uninstall a package; its records stay unless keepData is false.',
  }),
  enablePackage: defineRoute({
    ...changing,
    operationId: 'enablePackage',
    method: 'PATCH',
    path: '/packages/:id/enable',
    params,
    response: PackageAnswer,
    errors: ['package_not_found', 'dependency_conflict', 'invalid_state_transition'],
    summary: 'Enable a package.',
  }),
  disablePackage: defineRoute({
    ...changing,
    operationId: 'disablePackage',
    method: 'PATCH',
    path: '/packages/:id/disable',
    params,
    response: PackageAnswer,
    errors: ['package_not_found', 'dependency_conflict', 'invalid_state_transition'],
    summary: 'Disable a package: what it delivers vanishes from the API, its records stay.',
  }),
  rollbackPackage: defineRoute({
    ...changing,
    operationId: 'rollbackPackage',
    method: 'POST',
    path: '/packages/:id/rollback',
    params,
    body: z.object({
      packageId: PackageId.optional(),
      snapshotId: z.string(),
      rollbackCustomizations: z.boolean().default(true),
    }),
    response: z.object({
      success: z.literal(true),
      restoredVersion: z.string(),
      package: PackageRecord,
      message: z.string().optional(),
    }),
    errors: [
      'package_not_found',
      'snapshot_not_found',
      'signature_invalid',
      'rollback_failed',
      'invalid_state_transition',
    ],
    timeoutMs: longMs,
    summary: 'Put a package back to a snapshot.',
  }),
  listPackageSnapshots: defineRoute({
    ...reading,
    operationId: 'listPackageSnapshots',
    method: 'GET',
    path: '/packages/:id/snapshots',
    params,
    response: z.object({
      snapshots: z.array(
        z.object({
          id: z.string(),
          packageId: z.string(),
          fromVersion: z.string(),
          toVersion: z.string(),
          createdAt: z.string(),
          expiresAt: z.string(),
          size: z.int(),
        }),
      ),
    }),
    errors: ['package_not_found'],
    summary: 'List the snapshots of a package, newest first.',
  }),
  exportPackage: defineRoute({
    ...reading,
    permission: { system: 'manage_packages' },
    rateLimit: 'heavy',
    operationId: 'exportPackage',
    method: 'GET',
    path: '/packages/:id/export',
    params,
    query: z.object({
      objects: QueryList.optional(),
      namespace: z.string().optional(),
      name: z.string().max(255).optional(),
      version: z.string().optional(),
      data: QueryBoolean.optional(),
    }),
    response: z.unknown(),
    responseKind: 'bytes',
    produces: ['application/zip'],
    envelope: false,
    errors: ['package_not_found'],
    sends: ['Content-Disposition'],
    summary: 'Download a package as an archive, or objects of the workspace as a new package.',
  }),
})
