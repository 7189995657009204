// The packages that come with the program: plain files beside it, packed like any other when somebody first asks. What they
// may is decided by their bytes alone: whatever has the hash of one is one (D-328).
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import semver from 'semver'
import { platformError } from '#shared/errors.ts'
import { packFiles, readPackageFolder } from './package-folder.ts'
import type { Manifest } from './release.ts'

/** A package that comes with the program. */
export interface BundledPackage {
  readonly ref: string
  readonly sha256: string
  readonly bytes: Buffer
  /** Without its contents. */
  readonly manifest: Pick<Manifest, 'id' | 'name' | 'version' | 'dependencies' | 'description' | 'icon' | 'contributes'>
}

/** A manifest as its author writes it. */
type Written = Omit<BundledPackage['manifest'], 'dependencies'> & Partial<Pick<Manifest, 'dependencies'>>

/** Those of one program. */
export interface BundledPackages {
  /** By id. */
  list(): readonly BundledPackage[]
  /** The one with the bytes of a reference. */
  find(ref: string): BundledPackage | undefined
  /**
   * Refuses what calls itself like one and is not: nobody stands in for what the program brings along.
   * @throws conflict with reason `bundled_id`
   */
  requireOwnId(id: string, ref: string | null): void
}

/** Makes the list of a folder with a folder for each; one that is not there holds none. */
export function createBundledPackages(folder: string): BundledPackages {
  let found: readonly BundledPackage[] | undefined
  const list = (): readonly BundledPackage[] => (found ??= readAll(folder))
  return {
    list,
    find: (ref) => list().find((one) => one.ref === ref),
    requireOwnId(id, ref) {
      const bundled = list().find(({ manifest }) => manifest.id === id)
      if (bundled === undefined || bundled.ref === ref) return
      throw platformError('conflict', { reason: 'bundled_id', packageId: id, artifactRef: bundled.ref })
    },
  }
}

function readAll(folder: string): BundledPackage[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => readOne(path.join(folder, name)))
    .toSorted((a, b) => (a.manifest.id < b.manifest.id ? -1 : 1))
}

function readOne(folder: string): BundledPackage {
  const files = readPackageFolder(folder)
  const { dependencies, ...manifest } = JSON.parse(files.get('manifest.json')?.toString('utf8') ?? '{}') as Written
  if (semver.valid(manifest.version) === null) throw new Error(`${folder} holds no package.`)
  const bytes = packFiles(files, 0)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { ref: `sha256:${sha256}`, sha256, bytes, manifest: { ...manifest, dependencies: dependencies ?? {} } }
}
