// The manifest of a package and the record of an installed one (specification "Package", D-125, D-126). Pure shapes.
import { z } from 'zod'
import { systemPermissions } from '../system-permissions.ts'

/** Reverse-DNS, as D-09 says. */
const packageIdPattern = /^[a-z0-9]+([.-][a-z0-9]+)+$/
/** What `X.Y.Z` with pre-release and build may look like. @source https://semver.org */
const semverPattern =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/

/** The id of a package. */
export const PackageId = z
  .string()
  .max(128)
  .regex(packageIdPattern)
  .meta({ description: 'Reverse-DNS: lower-case letters and digits, parted by dots or hyphens.' })

/** A version of a package. */
export const PackageVersion = z.string().max(128).regex(semverPattern).meta({ description: 'A semantic version.' })

const VersionRange = z.string().max(256).meta({ description: 'Comparators over semantic versions: ^ ~ - || x.' })

/** The kinds of packages; of all of them only declarative content is used. */
export const packageTypes = ['app', 'plugin', 'module', 'theme', 'ui', 'agent', 'driver', 'server', 'adapter'] as const

/** The states of a package (D-127). */
export const packageStatuses = ['installed', 'disabled', 'installing', 'upgrading', 'uninstalling', 'error'] as const

/** A word of {@link packageStatuses}. */
export type PackageStatus = (typeof packageStatuses)[number]

/** How far a package can be relied on to come from whom it says. */
export const packageTrusts = ['signed', 'unsigned', 'unknown_key', 'bundled'] as const

/** A word of {@link packageTrusts}. */
export type PackageTrust = (typeof packageTrusts)[number]

/** A right a package asks for: a system permission, or an action on an object. */
const AskedPermission = z
  .string()
  .refine((text) => (systemPermissions as readonly string[]).includes(text) || askedObjectPattern.test(text), {
    message: 'Expected a system permission or object:<name>:<action>.',
    params: { fieldCode: 'invalid_option' },
  })

const askedObjectPattern = /^object:([a-z][a-z0-9_]{0,62}|\*):(create|read|edit|delete|transfer|restore|purge)$/

/** What stands for a value a person sets. */
export const ConfigurationProperty = z
  .looseObject({
    type: z.enum(['string', 'number', 'integer', 'boolean', 'object', 'array']),
    title: z.string().max(255).optional(),
    default: z.unknown().optional(),
    required: z.boolean().optional(),
    enum: z.array(z.unknown()).min(1).max(1_000).optional(),
    secret: z.boolean().optional(),
  })
  .meta({ id: 'PackageConfigurationProperty' })

/** A property of a package's configuration. */
export type ConfigurationProperty = z.output<typeof ConfigurationProperty>

/** Records a package brings along. */
export const PackageSeed = z.object({
  object: z.string().min(1).max(63),
  mode: z.enum(['insert', 'upsert']).default('upsert'),
  externalId: z.string().min(1).max(63).optional(),
  records: z.array(z.record(z.string(), z.unknown())).max(10_000),
  sample: z
    .literal(true)
    .optional()
    .meta({ description: 'The records only show how it works; they can be left out and removed (D-328).' }),
  cells: z.literal(true).optional().meta({ description: 'The values are cells of a CSV file: texts.' }),
})

/** Records a package brings along. */
export type PackageSeed = z.output<typeof PackageSeed>

/** A package in words; with defaults applied. Unknown keys are kept. */
export const PackageManifest = z
  .looseObject({
    id: PackageId,
    name: z.string().trim().min(1).max(255),
    version: PackageVersion,
    namespace: z
      .string()
      .regex(/^[a-z][a-z0-9_]{1,19}$/)
      .optional()
      .meta({ description: 'Default: the last segment of the id (D-282).' }),
    type: z.enum(packageTypes).default('app'),
    description: z.string().max(10_000).optional(),
    author: z.string().max(1_000).optional(),
    license: z.string().max(1_000).optional(),
    homepage: z.string().max(2_000).optional(),
    icon: z.string().max(2_000).optional(),
    engines: z.looseObject({ platform: VersionRange.default('*') }).default({ platform: '*' }),
    dependencies: z.record(PackageId, VersionRange).default({}),
    permissions: z.array(AskedPermission).max(500).default([]),
    configuration: z
      .looseObject({
        title: z.string().max(255).optional(),
        properties: z.record(z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,62}$/), ConfigurationProperty).default({}),
      })
      .optional(),
    metadata: z
      .array(z.object({ type: z.string(), name: z.string(), item: z.record(z.string(), z.unknown()) }))
      .max(5_000)
      .default([]),
    data: z.array(PackageSeed).max(500).default([]),
    translations: z.record(z.string().max(35), z.record(z.string(), z.unknown())).default({}),
    functions: z
      .array(
        z.looseObject({
          name: z.string().regex(/^[a-z][a-z0-9_]{0,62}$/),
          source: z.string().max(1_000_000),
          timeoutMs: z.int().min(1).optional(),
        }),
      )
      .max(500)
      .default([]),
    contributes: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'PackageManifest' })

/** A package in words, with defaults applied. */
export type PackageManifest = z.output<typeof PackageManifest>

/** An installed package. */
export const PackageRecord = z
  .object({
    id: z.string(),
    name: z.string(),
    version: z.string(),
    namespace: z.string(),
    type: z.enum(packageTypes),
    description: z.string().optional(),
    manifest: z.record(z.string(), z.unknown()),
    status: z.enum(packageStatuses),
    enabled: z.boolean(),
    installedVersion: z.string(),
    previousVersion: z.string().optional(),
    installedAt: z.string(),
    updatedAt: z.string(),
    statusChangedAt: z.string(),
    errorMessage: z.string().optional(),
    settings: z
      .record(z.string(), z.unknown())
      .meta({ description: 'Values of the configuration; secrets are masked.' }),
    trust: z.enum(packageTrusts),
    registeredNamespaces: z.array(z.string()),
    upgradeHistory: z.array(
      z.object({
        fromVersion: z.string(),
        toVersion: z.string(),
        upgradedAt: z.string(),
        status: z.enum(['success', 'failed', 'rolled_back']),
      }),
    ),
    items: z.record(z.string(), z.int()).meta({ description: 'How many items of each type the package has.' }),
    samples: z.int().meta({ description: 'How many sample records it brought along that were not removed together.' }),
  })
  .meta({ id: 'PackageRecord' })

/** An installed package. */
export type PackageRecord = z.output<typeof PackageRecord>

/** An installed package at the top, and once more under `package`. */
export const PackageAnswer = PackageRecord.extend({ package: PackageRecord, message: z.string().optional() }).meta({
  id: 'PackageAnswer',
})

/** What a dependency comes to. */
export const DependencyResolution = z
  .object({
    dependencies: z.array(
      z.object({
        packageId: z.string(),
        requiredRange: z.string(),
        resolvedVersion: z.string().optional(),
        installedVersion: z.string().optional(),
        status: z.enum(['satisfied', 'needs_install', 'needs_upgrade', 'conflict']),
        conflictReason: z.string().optional(),
      }),
    ),
    canProceed: z.boolean(),
    requiredActions: z.array(
      z.object({
        type: z.enum(['install', 'upgrade', 'confirm_conflict']),
        packageId: z.string(),
        description: z.string(),
      }),
    ),
    installOrder: z.array(z.string()),
    circularDependencies: z.array(z.array(z.string())),
  })
  .meta({ id: 'PackageDependencyResolution' })

/** What a package's dependencies come to. */
export type DependencyResolution = z.output<typeof DependencyResolution>

/** A place where the workspace and the new version of a package changed the same. */
export const MergeConflict = z
  .object({
    type: z.string(),
    name: z.string(),
    path: z.string().meta({ description: 'JSON Pointer into the item; empty for the item as a whole.' }),
    baseValue: z.unknown().optional(),
    incomingValue: z.unknown().optional(),
    customValue: z.unknown().optional(),
    suggestedResolution: z.enum(['keep-custom', 'accept-incoming']),
  })
  .meta({ id: 'PackageMergeConflict' })

/** A place where the workspace and the new version of a package changed the same. */
export type MergeConflict = z.output<typeof MergeConflict>

/** What an upgrade changes. */
export const UpgradePlan = z
  .object({
    packageId: z.string(),
    fromVersion: z.string(),
    toVersion: z.string(),
    impactLevel: z.enum(['none', 'low', 'medium', 'high', 'critical']),
    changes: z.array(
      z.object({
        type: z.string(),
        name: z.string(),
        changeType: z.enum(['added', 'modified', 'removed', 'renamed']),
        hasConflict: z.boolean(),
        previousName: z.string().optional(),
        summary: z.string().optional(),
      }),
    ),
    affectedCustomizations: z.int(),
    requiresMigration: z.boolean(),
    dependencyUpgrades: z.array(
      z.object({ packageId: z.string(), fromVersion: z.string().optional(), toVersion: z.string() }),
    ),
    schemaPlan: z.array(z.record(z.string(), z.unknown())),
    planHash: z.string().optional(),
  })
  .meta({ id: 'PackageUpgradePlan' })

/** What an upgrade changes. */
export type UpgradePlan = z.output<typeof UpgradePlan>

/** An archive in a request. */
export const ArtifactInput = z
  .object({
    format: z.enum(['zip', 'tgz']),
    content: z.string().min(1).meta({ description: 'Base64.' }),
    packageId: PackageId.optional(),
    version: PackageVersion.optional(),
  })
  .meta({ id: 'PackageArtifact' })

/** An archive in a request. */
export type ArtifactInput = z.output<typeof ArtifactInput>

/** What a package would add and may do, told before it is installed. */
export const PackagePreview = z
  .object({
    artifactRef: z.string().optional(),
    packageId: z.string(),
    name: z.string(),
    version: z.string(),
    namespace: z.string(),
    type: z.enum(packageTypes),
    description: z.string().optional(),
    author: z.string().optional(),
    license: z.string().optional(),
    icon: z.string().optional(),
    trust: z.enum(packageTrusts),
    items: z.array(z.object({ type: z.string(), name: z.string(), label: z.string().optional() })),
    records: z.array(z.object({ object: z.string(), count: z.int(), sample: z.boolean() })),
    permissions: z.array(z.string()).meta({ description: 'What the package asks for.' }),
    rights: z.array(z.string()).meta({ description: 'System permissions its items need of whoever installs them.' }),
    settings: z.array(z.string()),
    dependencyResolution: DependencyResolution,
    installedVersion: z.string().optional(),
    obstacle: z
      .object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()) })
      .optional()
      .meta({ description: 'Why the caller could not install it as it is.' }),
  })
  .meta({ id: 'PackagePreview' })

/** What a package would add and may do. */
export type PackagePreview = z.output<typeof PackagePreview>

/** An archive that can be installed. */
export const AvailablePackage = z
  .object({
    artifactRef: z.string(),
    packageId: z.string(),
    name: z.string(),
    version: z.string(),
    description: z.string().optional(),
    icon: z.string().optional(),
    origin: z.enum(['bundled', 'uploaded']),
    releaseNotes: z.string().optional(),
    installedVersion: z.string().optional(),
  })
  .meta({ id: 'AvailablePackage' })

/** The phases of an upgrade. */
export const UpgradePhase = z.enum([
  'pending',
  'analyzing',
  'snapshot',
  'executing',
  'migrating',
  'validating',
  'completed',
  'failed',
  'rolling-back',
  'rolled-back',
])
