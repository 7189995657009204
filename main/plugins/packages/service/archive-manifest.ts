// Puts the files of an archive together to one manifest (D-130). YAML and CSV are read by libraries loaded at first use.
import { parseJsonText } from '#main/kernel/json-body.ts'
import { PlatformError } from '#shared/errors.ts'
import { isJsonMap } from '#shared/merge-patch.ts'
import { artifactInvalid } from './archive-refusal.ts'
import type { ArchiveFiles } from './archive-reader.ts'
import type { Manifest } from './release.ts'
import { readManifest } from './release.ts'

type Map_ = Record<string, unknown>

const maxDepth = 64

/**
 * The manifest of an archive, with what its files add.
 * @throws artifact_invalid with the file that cannot be read, and with the field errors of a manifest that is none
 */
export async function manifestOf({ contents }: ArchiveFiles): Promise<Manifest> {
  const own = contents.get('manifest.json')
  if (own === undefined) throw artifactInvalid('manifest_missing', { path: 'manifest.json' })
  const base = mapOf('manifest.json', own)
  const metadata: unknown[] = listIn(base, 'metadata')
  const data: unknown[] = listIn(base, 'data')
  const functions: unknown[] = listIn(base, 'functions')
  const translations: Map_ = isJsonMap(base['translations']) ? { ...base['translations'] } : {}
  const seeds = new Map(
    data.flatMap((seed): [unknown, Map_][] => (isJsonMap(seed) ? [[seed['object'], { ...seed }]] : [])),
  )

  for (const [path, bytes] of [...contents].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const [folder, ...rest] = path.split('/')
    const stem = rest.at(-1)?.replace(/\.(json|yaml|yml|csv|js)$/, '') ?? ''
    if (folder === 'metadata') {
      const item = path.endsWith('.json') ? mapOf(path, bytes) : await yamlOf(path, bytes)
      metadata.push({ type: rest[0]!, name: typeof item['name'] === 'string' ? item['name'] : stem, item })
    } else if (folder === 'functions') {
      functions.push({ name: stem, source: textOf(path, bytes) })
    } else if (folder === 'translations') {
      translations[stem] = mapOf(path, bytes)
    } else if (folder === 'data') {
      const seed = path.endsWith('.csv') ? { records: await csvOf(path, bytes), cells: true } : seedOf(path, bytes)
      // How the records are written may stand in the manifest beside the file.
      const stated = seeds.get(stem)
      const records = [...(stated === undefined ? [] : listIn(stated, 'records')), ...listIn(seed, 'records')]
      seeds.set(stem, { ...stated, object: stem, ...seed, records })
    }
  }
  const stated = [...seeds.values()].map((seed) => ({ records: [], ...seed }))
  try {
    return readManifest({ ...base, metadata, data: stated, functions, translations }, 'manifest')
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    throw artifactInvalid('manifest_invalid', { ...error.details, path: 'manifest.json' }, error)
  }
}

function listIn(map: Map_, key: string): unknown[] {
  const value = map[key]
  return Array.isArray(value) ? [...(value as unknown[])] : []
}

/** Records of a file: a list of them, or a map with them and how they are written. */
function seedOf(path: string, bytes: Buffer): Map_ {
  const value = jsonOf(path, bytes)
  if (Array.isArray(value)) return { records: value }
  if (isJsonMap(value) && Array.isArray(value['records'])) return { ...value }
  throw artifactInvalid('file_unreadable', { path })
}

function mapOf(path: string, bytes: Buffer): Map_ {
  const value = jsonOf(path, bytes)
  if (!isJsonMap(value)) throw artifactInvalid('file_unreadable', { path })
  return value as Map_
}

function textOf(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch (error) {
    throw artifactInvalid('file_unreadable', { path }, error)
  }
}

function jsonOf(path: string, bytes: Buffer): unknown {
  const text = textOf(path, bytes)
  let value: unknown
  try {
    value = parseJsonText(text)
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'file_unreadable' : 'nested_too_deep'
    throw artifactInvalid(reason, { path }, error)
  }
  requireShallow(path, value, 1)
  return value
}

async function yamlOf(path: string, bytes: Buffer): Promise<Map_> {
  const { parseDocument } = await import('yaml')
  let value: unknown
  try {
    // Aliases could make much of little.
    value = parseDocument(textOf(path, bytes), { schema: 'core' }).toJS({ maxAliasCount: 0 })
    value = JSON.parse(JSON.stringify(value)) as unknown
  } catch (error) {
    throw artifactInvalid('file_unreadable', { path }, error)
  }
  requireShallow(path, value, 1)
  if (!isJsonMap(value)) throw artifactInvalid('file_unreadable', { path })
  return value as Map_
}

/** Rows of a file whose first line names the fields; empty cells say nothing. */
async function csvOf(path: string, bytes: Buffer): Promise<Map_[]> {
  const { default: papa } = await import('papaparse')
  const { data, errors } = papa.parse<Record<string, string>>(textOf(path, bytes), {
    header: true,
    skipEmptyLines: 'greedy',
  })
  if (errors.length > 0) throw artifactInvalid('file_unreadable', { path, row: errors[0]!.row })
  return data.map((row) => Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== '')))
}

function requireShallow(path: string, value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return
  if (depth > maxDepth) throw artifactInvalid('nested_too_deep', { path })
  for (const [key, member] of Object.entries(value)) {
    if (key === '__proto__') throw artifactInvalid('file_unreadable', { path })
    requireShallow(path, member, depth + 1)
  }
}
