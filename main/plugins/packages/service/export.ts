// Makes an archive of an installed package, or of objects of the workspace (D-128): the layout of D-130, unsigned.
import type { PackageSeed } from '#shared/contracts/package-parts.ts'
import type { FieldError } from '#shared/errors.ts'
import { platformError, validationError } from '#shared/errors.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireSystemPermission } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { DeliveredItem } from '#main/plugins/metadata/api.ts'
import { packageError } from '../errors.ts'
import { getPackage } from '../store.ts'
import type { PackageParts } from './parts.ts'
import { detailsOf } from './record-view.ts'
import type { Manifest } from './release.ts'
import { isNamed, readManifest } from './release.ts'
import { archiveName } from './package-folder.ts'
import { jsonFile, withChecksums } from './signatures.ts'
import { seedsOf } from './switching.ts'
import { writeZip } from './zip-writer.ts'

/** What is exported. */
export interface ExportRequest {
  /** Objects of the workspace that make a new package of the id. */
  readonly objects?: readonly string[] | undefined
  readonly namespace?: string | undefined
  readonly name?: string | undefined
  readonly version?: string | undefined
  /** Whether the records of these objects come along. */
  readonly data?: boolean | undefined
}

/** An archive to send. */
export interface ExportedFile {
  readonly fileName: string
  readonly bytes: Buffer
}

/** What a package of one's own takes along beside its objects: what belongs to them, and nothing that acts by itself. */
const carriedTypes = ['validation', 'view', 'page', 'dashboard', 'report', 'action', 'hook'] as const
const maxRecords = 10_000

/** Makes the archive. @throws package_not_found, validation_error, permission_denied */
export async function exportPackage(
  parts: PackageParts,
  ctx: RequestContext,
  id: string,
  request: ExportRequest,
): Promise<ExportedFile> {
  const row = getPackage(parts.read, id)
  if (row === undefined) {
    if (request.objects === undefined || request.objects.length === 0) {
      throw packageError('package_not_found', { packageId: id })
    }
    return exportObjects(parts, ctx, id, request, request.objects)
  }
  if (request.objects !== undefined) throw platformError('conflict', { reason: 'package_installed', packageId: id })
  const { manifest } = detailsOf(row)
  const items = parts.metadata.deliveries.itemsOf(id)
  return archiveOf(manifest, items, await seedsOf(parts, row))
}

async function exportObjects(
  parts: PackageParts,
  ctx: RequestContext,
  id: string,
  request: ExportRequest,
  objects: readonly string[],
): Promise<ExportedFile> {
  const authorizer: Authorizer = parts.authorizer()
  requireSystemPermission(authorizer, ctx, 'manage_metadata')
  if (request.data === true) requireSystemPermission(authorizer, ctx, 'export_data')
  const { deliveries } = parts.metadata
  const [first] = objects
  const manifest = readManifest(
    {
      id,
      name: request.name ?? id,
      version: request.version ?? '1.0.0',
      namespace: request.namespace ?? (objects.length === 1 && first!.length <= 20 ? first : undefined),
    },
    'query',
  )
  const errors: FieldError[] = []
  const chosen = objects.flatMap((name): DeliveredItem[] => {
    const refuse = (code: FieldError['code'], message: string): DeliveredItem[] => {
      errors.push({ field: 'objects', code, message, value: name })
      return []
    }
    const item = deliveries.item('object', name)
    if (item === undefined || item.packageId !== null)
      return refuse('invalid_reference', 'There is no such object of the workspace.')
    if (isNamed(name, manifest.namespace)) return [item]
    return refuse(
      'invalid_format',
      `Objects of the package are named ${manifest.namespace}, or ${manifest.namespace}_ and a word.`,
    )
  })
  if (errors.length > 0) throw validationError(errors)
  const wanted = new Set(objects)
  const others = carriedTypes.flatMap((type) =>
    parts.metadata
      .list(type)
      .filter(
        ({ packageId, item }) =>
          packageId === null && wanted.has(String(item['object'])) && item['scope'] !== 'personal',
      )
      .flatMap(({ name }) => deliveries.item(type, name) ?? []),
  )
  const seeds = request.data === true ? await recordsOf(parts, ctx, objects) : []
  return archiveOf(manifest, [...chosen, ...others], seeds)
}

async function recordsOf(
  { data, metadata }: PackageParts,
  ctx: RequestContext,
  objects: readonly string[],
): Promise<PackageSeed[]> {
  const seeds: PackageSeed[] = []
  let count = 0
  for (const object of objects) {
    const schema = metadata.objectSchema(object)
    const written = (schema?.fields ?? []).filter(
      ({ system, computed, type }) => !system && !computed && type !== 'secret' && type !== 'password',
    )
    const { slices } = await data.stream(ctx, object, {})
    const records: Record<string, unknown>[] = []
    for await (const slice of slices) {
      count += slice.length
      if (count > maxRecords) {
        const message = `A package brings along at most ${maxRecords} records.`
        throw validationError([{ field: 'data', code: 'max_items', message, constraint: maxRecords }])
      }
      for (const record of slice) {
        const values = written.flatMap(({ name }): [string, unknown][] => {
          const value = record[name]
          return value === null || value === undefined ? [] : [[name, value]]
        })
        records.push({ id: record['id'], ...Object.fromEntries(values) })
      }
    }
    seeds.push({ object, mode: 'upsert', records })
  }
  return seeds
}

function archiveOf(manifest: Manifest, items: readonly DeliveredItem[], seeds: readonly PackageSeed[]): ExportedFile {
  const { metadata: _m, data: _d, functions: _f, translations: _t, ...own } = manifest
  const files = new Map<string, Buffer>([['manifest.json', jsonFile(own)]])
  for (const { type, name, item } of items) files.set(`metadata/${type}/${name}.json`, jsonFile(item))
  const byObject = new Map<string, PackageSeed[]>()
  for (const seed of seeds) byObject.set(seed.object, [...(byObject.get(seed.object) ?? []), seed])
  for (const [object, [first, ...rest]] of byObject) {
    const records = [...first!.records, ...rest.flatMap((seed) => seed.records)]
    files.set(`data/${object}.json`, jsonFile({ ...first!, records }))
  }
  return { fileName: archiveName(manifest), bytes: writeZip(withChecksums(files)) }
}
