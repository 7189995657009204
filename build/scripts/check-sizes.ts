// Checks sizes and names: no source file over 600 lines, no banned or shouting file name, and the packed weight of the
// built screens within its budgets. Knows the limits, nothing of what the files do.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { isProgram, listFiles, repositoryRoot } from './script.ts'

const FOLDERS = ['shared', 'main', 'electron', 'renderer', 'build', 'test']
const MAX_LINES = 600
const LINES_WORTH_A_LOOK = 400
const SOURCE = /[.](ts|tsx|mjs|cjs|css)$/

/** Files that may be longer than MAX_LINES, each with its reason. Contracts and tables of data belong here. */
const LONG_FILES: readonly { path: RegExp; reason: string }[] = [
  { path: /^shared\/contracts\//, reason: 'the only description of the routes of a plugin' },
  { path: /^test\/fixtures\//, reason: 'data' },
]

const BANNED_NAMES = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'manager', 'processor', 'misc', 'impl'])
const ALLOWED_COMMON = 'shared/contracts/common.ts'

const KILOBYTE = 1000
/** Growth beyond a budget that is still accepted: +5 % fails. */
const SLACK = 1.05

/** What the entry loads as soon as it has the words: as much a part of the first page as the entry itself. */
const FIRST_PAGE = /^app\/draw-application/

/** What every page fetches right after it, beside all screens: no screen brings it along. */
const BESIDE = /^app\/overlays/

/** Budgets of the screens in kB after gzip. Lazy chunks are matched by the name of the source they start from. */
const BUDGETS = {
  initialJs: 215,
  // What lies over the screens comes beside the first page.
  beside: 24,
  initialCss: 20,
  css: 57,
  // What several screens share and the first page does not need counts at each of them.
  lazy: [
    { name: 'grid', source: /^(components\/grid|features\/records)\//, kB: 110 },
    // All kinds together; each is loaded when it is first shown, and brings what it shares with the grid.
    { name: 'kinds of view', source: /^features\/views\//, kB: 145 },
    { name: 'flow', source: /^features\/(automation|workflow)\/(?!\w+-canvas)/, kB: 95 },
    { name: 'flow canvas', source: /^features\/automation\/\w+-canvas/, kB: 115 },
    { name: 'charts', source: /^components\/charts\//, kB: 125 },
    // With what they share with the grid; the library of charts is loaded with the first drawing.
    { name: 'dashboards', source: /^features\/dashboards\//, kB: 125 },
    { name: 'editor', source: /(^|\/)(code-editor|markdown-editor|editor)[./]/, kB: 180 },
    { name: 'record and activity', source: /^features\/(record|activity|notifications)\//, kB: 130 },
    { name: 'import', source: /^features\/import\//, kB: 55 },
    // A page loads one of them, before anything is drawn.
    { name: 'words of English', source: /^lib\/strings\/en\//, kB: 60 },
    { name: 'words of German', source: /^lib\/strings\/de\//, kB: 70 },
  ],
} as const

/** Problems and remarks of one check; only problems fail. */
export interface SizeReport {
  problems: string[]
  remarks: string[]
}

/** Checks length and name of source files given as path and text. */
export function checkFiles(files: readonly { path: string; text: string }[]): SizeReport {
  const report: SizeReport = { problems: [], remarks: [] }
  for (const { path, text } of files) {
    const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
    const excepted = LONG_FILES.find((exception) => exception.path.test(path))
    if (lines > MAX_LINES && !excepted) {
      report.problems.push(`${path}: ${lines} lines, more than ${MAX_LINES}: split it by concept`)
    } else if (lines > LINES_WORTH_A_LOOK && !excepted) {
      report.remarks.push(`${path}: ${lines} lines`)
    }
    for (const problem of nameProblems(path)) report.problems.push(`${path}: ${problem}`)
  }
  return report
}

function nameProblems(path: string): string[] {
  const problems: string[] = []
  const parts = path.split('/')
  const stem = (parts.at(-1) ?? '').replace(/([.][a-z0-9-]+)+$/i, '')
  for (const word of [...parts.slice(0, -1), stem]) {
    if (BANNED_NAMES.has(word) && path !== ALLOWED_COMMON)
      problems.push(`the name "${word}" says nothing: name the concept`)
    if (!/^[a-z0-9]+([-.][a-z0-9]+)*$/.test(word)) problems.push(`the name "${word}" is not kebab-case`)
  }
  return problems
}

/** One entry of vite's manifest, as far as it is used. */
export interface ManifestEntry {
  file: string
  src?: string
  isEntry?: boolean
  imports?: readonly string[]
  dynamicImports?: readonly string[]
  css?: readonly string[]
}

/**
 * Checks the packed weight of the built screens.
 * @param manifest vite's manifest
 * @param gzipBytes packed size of a built file, in bytes
 */
export function checkBudgets(
  manifest: Readonly<Record<string, ManifestEntry>>,
  gzipBytes: (file: string) => number,
): SizeReport {
  const report: SizeReport = { problems: [], remarks: [] }
  const entries = Object.values(manifest).filter((chunk) => chunk.isEntry || FIRST_PAGE.test(chunk.src ?? ''))
  if (entries.length === 0) report.problems.push('the manifest names no entry: the screens were not built')
  const initial = closure(manifest, entries)
  const beside = Object.values(manifest).filter((chunk) => BESIDE.test(chunk.src ?? ''))
  const present = closure(manifest, [...entries, ...beside])
  const weigh = (name: string, files: Iterable<string>, budget: number): void => {
    const kB = [...files].reduce((sum, file) => sum + gzipBytes(file), 0) / KILOBYTE
    const line = `${name}: ${kB.toFixed(1)} kB of ${budget} kB`
    report.remarks.push(line)
    if (kB > budget * SLACK) report.problems.push(`${line}: over budget`)
  }
  weigh('initial JavaScript', new Set(initial.map((chunk) => chunk.file)), BUDGETS.initialJs)
  const over = present.filter((chunk) => !initial.includes(chunk)).map((chunk) => chunk.file)
  if (over.length > 0) weigh('beside the first page', new Set(over), BUDGETS.beside)
  weigh('initial CSS', new Set(initial.flatMap(stylesOf)), BUDGETS.initialCss)
  weigh('CSS', new Set(Object.values(manifest).flatMap(stylesOf)), BUDGETS.css)
  for (const budget of BUDGETS.lazy) {
    const roots = Object.values(manifest).filter(
      (chunk) => !present.includes(chunk) && budget.source.test(chunk.src ?? ''),
    )
    const files = new Set(
      closure(manifest, roots)
        .filter((chunk) => !present.includes(chunk))
        .map((chunk) => chunk.file),
    )
    if (files.size > 0) weigh(`lazy ${budget.name}`, files, budget.kB)
  }
  return report
}

function stylesOf(chunk: ManifestEntry): string[] {
  return [...(chunk.css ?? []), ...(chunk.file.endsWith('.css') ? [chunk.file] : [])]
}

function closure(manifest: Readonly<Record<string, ManifestEntry>>, roots: readonly ManifestEntry[]): ManifestEntry[] {
  const seen = new Set<ManifestEntry>()
  const visit = (chunk: ManifestEntry): void => {
    if (seen.has(chunk)) return
    seen.add(chunk)
    for (const key of chunk.imports ?? []) {
      const next = manifest[key]
      if (next) visit(next)
    }
  }
  roots.forEach(visit)
  return [...seen]
}

function main(): number {
  const root = repositoryRoot()
  const files = FOLDERS.flatMap((folder) => listFiles(root, folder)).filter((path) => SOURCE.test(path))
  const sources = checkFiles(files.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })))
  const built = join(root, 'dist', 'renderer')
  const manifestFile = join(built, '.vite', 'manifest.json')
  const budgets: SizeReport = existsSync(manifestFile)
    ? checkBudgets(
        JSON.parse(readFileSync(manifestFile, 'utf8')),
        (file) => gzipSync(readFileSync(join(built, file))).length,
      )
    : { problems: [], remarks: ['the screens are not built: their budgets were not checked'] }
  for (const remark of [...sources.remarks, ...budgets.remarks]) console.log(`  ${remark}`)
  const problems = [...sources.problems, ...budgets.problems]
  for (const problem of problems) console.error(problem)
  console.log(`sizes: ${files.length} files, ${problems.length} problems`)
  if (files.length === 0) console.error('no file was read: the check did not run')
  return files.length > 0 && problems.length === 0 ? 0 : 1
}

if (isProgram(import.meta.url)) process.exitCode = main()
