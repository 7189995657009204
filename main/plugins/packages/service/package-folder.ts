// A package as plain files in a folder, and the archive made of it (D-130). Reads files; knows no host.
import { lstatSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { withChecksums } from './signatures.ts'
import { writeZip } from './zip-writer.ts'

/**
 * The files of a folder by their path in an archive, in the order of their paths. Hidden ones are passed over.
 * @throws Error for what is neither a file nor a folder, and what reading throws
 */
export function readPackageFolder(folder: string): Map<string, Buffer> {
  const found: [string, Buffer][] = []
  const walk = (below: string): void => {
    for (const name of readdirSync(path.join(folder, below))) {
      if (name.startsWith('.')) continue
      const inside = below === '' ? name : `${below}/${name}`
      const file = path.join(folder, inside)
      const kind = lstatSync(file)
      if (kind.isDirectory()) walk(inside)
      else if (kind.isFile()) found.push([inside, readFileSync(file)])
      else throw new Error(`${inside} is neither a file nor a folder.`)
    }
  }
  walk('')
  return new Map(found.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** The archive of a folder's files as they are, with their checksums unless those are among them. */
export function packFiles(files: ReadonlyMap<string, Buffer>, level?: 0): Buffer {
  return writeZip(files.has('checksums.json') ? files : withChecksums(files), level)
}

/** The usual name of an archive. */
export function archiveName({ id, version }: { readonly id: string; readonly version: string }): string {
  return `${id}-${version}.zip`
}
