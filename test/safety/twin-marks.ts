// Which twins have been seen to miss, and for which sources: a twin runs again at a commit once its check, the guard it takes
// away or the registry has changed, with `npm run test:long` by turns, and always before a release. Knows files, not what
// is measured.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const safety = join(root, 'test', 'safety') + sep
const marksFile = join(safety, 'twin-marks.json')

/** By id of a check: the mark of the sources for which its twin missed the target. */
export type TwinMarks = Readonly<Record<string, string>>

/** The committed marks; none where the file is missing. */
export function readTwinMarks(file = marksFile): TwinMarks {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as TwinMarks) : {}
}

/** Adds marks to the committed ones, in order of their ids; writes nothing when all are there already. */
export function writeTwinMarks(seen: TwinMarks, file = marksFile): void {
  const before = readTwinMarks(file)
  const ids = Object.keys({ ...before, ...seen }).toSorted()
  if (Object.entries(seen).every(([id, mark]) => before[id] === mark)) return
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(ids.map((id) => [id, seen[id] ?? before[id]])), null, 2)}\n`)
}

/**
 * The mark of a check: a digest over its file, what that imports within test/safety, the registry, and the modules of the
 * program that any of these names, which hold the guards.
 * @param module absolute path of the file that defines the check
 */
export function markOf(module: string): string {
  const files = new Set<string>()
  const waiting = [module, join(safety, 'registry.ts'), join(safety, 'guards.ts')]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file) || !existsSync(file)) continue
    files.add(file)
    if (file.startsWith(safety)) waiting.push(...importsOf(file))
  }
  const digest = createHash('sha256')
  for (const file of [...files].toSorted()) {
    digest.update(
      `${relative(root, file).replaceAll('\\', '/')}\n${readFileSync(file, 'utf8').replaceAll('\r\n', '\n')}\n`,
    )
  }
  return digest.digest('hex').slice(0, 16)
}

/** Files a module imports: neighbours, and modules of the program by their `#` names. Types alone do not count where one line shows it. */
function importsOf(file: string): string[] {
  const imports = readFileSync(file, 'utf8').matchAll(/^(?:import (?!type )|export |\} )[^'\n]*from '([^']+)'/gm)
  return [...imports].flatMap(([, name = '']) => {
    if (name.startsWith('#')) return [join(root, name.slice(1))]
    return name.startsWith('.') ? [join(dirname(file), name)] : []
  })
}
