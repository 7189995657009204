// Finds the packages that are shipped with Cairn, with their licences: what the lock file installs without development, and
// what the bundle of the screens took in. The bundler of the screens writes the list beside them.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** A package that is shipped. */
export interface ShippedPackage {
  readonly name: string
  readonly version: string
  readonly licence: string
  /** Text of its licence; '' where it brings none. */
  readonly text: string
}

interface LockEntry {
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly optional?: boolean
  readonly link?: boolean
}

interface Manifest {
  readonly name?: string
  readonly version?: string
  readonly license?: string | { readonly type?: string }
}

const licenceFile = /^(licen[cs]e|copying)(\.(md|txt|markdown))?$/i

/** The part of a module's path that is the folder of its package. */
const packageFolder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/

/**
 * The packages, by name.
 * @param root folder of the lock file
 * @param modules absolute paths of the files in the bundle of the screens
 */
export function shippedPackages(root: string, modules: readonly string[]): ShippedPackage[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, LockEntry>>
  }
  const installed = Object.entries(lock.packages)
    .filter(([path, { dev, devOptional, optional, link }]) => path !== '' && !(dev || devOptional || optional || link))
    .map(([path]) => join(root, path))
  const bundled = modules.flatMap((path) => packageFolder.exec(path)?.[0] ?? [])
  const found = new Map<string, ShippedPackage>()
  for (const folder of new Set([...installed, ...bundled])) {
    if (!existsSync(join(folder, 'package.json'))) continue
    const { name, version = '', license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
    if (name === undefined) continue
    const file = readdirSync(folder).find((each) => licenceFile.test(each))
    found.set(`${name} ${version}`, {
      name,
      version,
      licence: (typeof license === 'string' ? license : license?.type) ?? 'see its text',
      text: file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim(),
    })
  }
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
