// A version of a package as it is installed: its manifest with everything an archive adds to it, checked (D-125, D-130).
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { PackageSeed, PackageTrust } from '#shared/contracts/package-parts.ts'
import { PackageManifest } from '#shared/contracts/package-parts.ts'
import type { FieldError } from '#shared/errors.ts'
import { validationError } from '#shared/errors.ts'
import { fieldErrorsOf } from '#shared/schema-errors.ts'
import { shortenLists } from '#shared/shorten-lists.ts'
import { hash } from 'node:crypto'
import semver from 'semver'

/** An item of a release. */
export interface ReleaseItem {
  readonly type: MetadataType
  readonly name: string
  readonly item: Readonly<Record<string, unknown>>
}

/** A manifest with its namespace. */
export type Manifest = PackageManifest & { readonly namespace: string }

/** A version of a package. */
export interface Release {
  readonly manifest: Manifest
  readonly items: readonly ReleaseItem[]
  readonly seeds: readonly PackageSeed[]
  readonly trust: PackageTrust
  readonly publicKey: string | null
  readonly artifactRef: string | null
}

/** Where a release comes from. */
export type ReleaseOrigin = Pick<Release, 'trust' | 'publicKey' | 'artifactRef'>

/** What nobody signed. */
export const unsigned: ReleaseOrigin = { trust: 'unsigned', publicKey: null, artifactRef: null }

/** Ids that mean something else: the program itself, and words of the paths. */
const reservedIds: ReadonlySet<string> = new Set(['cairn.system', 'trusted-keys', 'resolve-dependencies'])
/** Namespaces of which objects would be taken for something of the program. */
const reservedNamespaces: ReadonlySet<string> = new Set(['cairn', 'sys', 'system', 'import', 'user', 'users', 'meta'])
const maxRecords = 10_000

/**
 * Reads a manifest.
 * @param at what stands before the fields of problems
 * @throws validation_error
 */
export function readManifest(given: unknown, at = 'manifest'): Manifest {
  const shorter = shortenLists(PackageManifest, given)
  const parsed = PackageManifest.safeParse(shorter)
  if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error.issues, shorter, at))
  const manifest = parsed.data
  const namespace = manifest.namespace ?? defaultNamespace(manifest.id)
  const errors = checkRanges(manifest)
  if (reservedNamespaces.has(namespace)) errors.push(refused('namespace', 'The namespace is reserved.', namespace))
  if (reservedIds.has(manifest.id)) errors.push(refused('id', 'The id is reserved.', manifest.id))
  if (Object.hasOwn(manifest.dependencies, manifest.id)) {
    errors.push(refused(`dependencies.${manifest.id}`, 'A package does not depend on itself.', manifest.id))
  }
  if (errors.length > 0) throw validationError(errors.map((one) => ({ ...one, field: `${at}.${one.field}` })))
  return { ...manifest, namespace }
}

/**
 * Makes the release of a manifest.
 * @param typeOf the type a word names
 * @throws validation_error
 */
export function releaseOf(
  manifest: Manifest,
  origin: ReleaseOrigin,
  typeOf: (word: string) => MetadataType | undefined,
  at = 'manifest',
): Release {
  const errors: FieldError[] = []
  const items: ReleaseItem[] = []
  const names = new Set<string>()
  const add = (field: string, type: MetadataType, name: string, item: Readonly<Record<string, unknown>>): void => {
    const key = `${type}/${name}`
    const message = 'The package brings along two items of this type and name.'
    if (names.has(key)) errors.push({ field, code: 'duplicate_value', message, value: name })
    names.add(key)
    items.push({ type, name, item })
  }
  for (const [index, { type: word, name, item }] of manifest.metadata.entries()) {
    const field = `metadata.${index}`
    const type = typeOf(word)
    if (type === undefined)
      errors.push({ ...refused(`${field}.type`, 'There is no such type.', word), code: 'invalid_option' })
    else if (type === 'field') errors.push(refused(`${field}.type`, 'Fields stand in their object.', word))
    else if (type === 'object' && !isNamed(name, manifest.namespace)) {
      const message = `Objects of the package are named ${manifest.namespace}, or ${manifest.namespace}_ and a word.`
      errors.push({ field: `${field}.name`, code: 'invalid_format', message, value: name })
    } else add(field, type, name, item)
  }
  for (const [index, { name, source, timeoutMs, ...rest }] of manifest.functions.entries()) {
    const item = { name, source, ...(timeoutMs === undefined ? {} : { timeoutMs }), ...rest }
    add(`functions.${index}`, 'function', name, item)
  }
  for (const [locale, given] of Object.entries(manifest.translations)) {
    const translations = (given['translations'] ?? given) as Record<string, unknown>
    const name = `${manifest.namespace}_${locale.toLowerCase().replaceAll('-', '_')}`
    add(`translations.${locale}`, 'translation', name, { name, locale, translations })
  }
  const records = manifest.data.reduce((sum, seed) => sum + seed.records.length, 0)
  if (records > maxRecords) {
    const message = `A package brings along at most ${maxRecords} records.`
    errors.push({ field: 'data', code: 'max_items', message, constraint: maxRecords })
  }
  if (errors.length > 0) throw validationError(errors.map((one) => ({ ...one, field: `${at}.${one.field}` })))
  return { manifest, items, seeds: manifest.data, ...origin }
}

/** Whether an object of the namespace may have the name (D-125). */
export function isNamed(name: string, namespace: string): boolean {
  return name === namespace || name.startsWith(`${namespace}_`)
}

const maxNamespace = 20

/** The last segment of an id, with those before it as far as that alone is no namespace; long ones end with a digest. */
function defaultNamespace(id: string): string {
  const segments = id.split('.').map((segment) => segment.replaceAll('-', '_'))
  for (let from = segments.length - 1; from >= 0; from -= 1) {
    const name = segments.slice(from).join('_')
    if (!/^[a-z][a-z0-9_]+$/.test(name) || reservedNamespaces.has(name)) continue
    return name.length <= maxNamespace ? name : `${name.slice(0, maxNamespace - 5)}_${hash('sha256', id).slice(0, 4)}`
  }
  return `p_${hash('sha256', id).slice(0, 8)}`
}

function checkRanges({ dependencies, engines }: PackageManifest): FieldError[] {
  const ranges = [
    ...Object.entries(dependencies).map(([id, range]): [string, string] => [`dependencies.${id}`, range]),
    ['engines.platform', engines.platform] as [string, string],
  ]
  return ranges
    .filter(([, range]) => semver.validRange(range) === null)
    .map(([field, value]) => ({ field, code: 'invalid_format', message: 'This is no range of versions.', value }))
}

function refused(field: string, message: string, value: unknown): FieldError {
  return { field, code: 'not_allowed', message, value }
}
