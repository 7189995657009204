// Checks that every plugin has the one shape: file vocabulary, README, dependencies named, tables under its own
// prefix, migrations numbered without a gap. Knows the shape, no plugin.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readPlugin } from './plugin-sources.ts'
import type { PluginFacts, PluginFile } from './plugin-sources.ts'
import { isProgram, listFiles, repositoryRoot } from './script.ts'

const ROOT_FILES = new Set([
  'index.ts',
  'api.ts',
  'routes.ts',
  'service.ts',
  'store.ts',
  'subscribers.ts',
  'jobs.ts',
  'errors.ts',
  'permissions.ts',
  // What works on a data directory while no host runs; only main/cli.mjs imports it.
  'offline.ts',
  'README.md',
  'ARCHITECTURE.md',
])
/** Layers below service/ that a plugin shares with a program of its own, such as the relay. */
const LAYERS = new Set(['core', 'wire', 'channel', 'engine', 'store', 'write', 'apply', 'session', 'feed', 'metadata'])
const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*$/
const MIGRATION = /^migrations\/(\d{4})-([a-z0-9-]+)[.]ts$/

/** Tables outside the plugin's own prefix that were agreed on, by plugin id. */
const AGREED_TABLES: Readonly<Record<string, readonly string[]>> = {}

/** One broken rule: `file` is the path a person opens. */
export interface PluginProblem {
  file: string
  problem: string
}

/**
 * Checks the plugins of a tree.
 * @param plugins files by plugin folder, paths relative to that folder
 * @param hostSource text of main/host.ts, which must name every plugin
 */
export function checkPlugins(
  plugins: ReadonlyMap<string, readonly PluginFile[]>,
  hostSource: string | undefined,
): PluginProblem[] {
  const facts = new Map([...plugins].map(([id, files]) => [id, readPlugin(id, files)]))
  const problems = [...plugins].flatMap(([id, files]) => {
    const report = (path: string, problem: string): PluginProblem => ({ file: `main/plugins/${id}/${path}`, problem })
    const own = facts.get(id)
    return [
      ...files.flatMap((file) => vocabularyProblems(file).map((problem) => report(file.path, problem))),
      ...presenceProblems(id, files).map((problem) => report('', problem)),
      ...migrationProblems(files).map(({ path, problem }) => report(path, problem)),
      ...(own ? dependencyProblems(own, facts).map((problem) => report('index.ts', problem)) : []),
      ...(own ? tableProblems(id, own).map(({ path, problem }) => report(path, problem)) : []),
    ]
  })
  for (const id of plugins.keys()) {
    if (hostSource !== undefined && !hostSource.includes(`plugins/${id}/index.ts`)) {
      problems.push({ file: 'main/host.ts', problem: `does not name the plugin ${id}` })
    }
  }
  return problems
}

function vocabularyProblems(file: PluginFile): string[] {
  const problems: string[] = []
  const parts = file.path.split('/')
  const name = parts.at(-1) ?? ''
  const isTest = /[.]test(-d)?[.]ts$/.test(name)
  const stem = name.replace(/([.][a-z-]+)*[.](ts|md)$/, '')
  if (!isTest && parts.length === 1 && !ROOT_FILES.has(name)) {
    problems.push('is not in the file vocabulary of a plugin (ARCHITECTURE.md, section 4)')
  }
  if (parts.length === 2) {
    const folder = parts[0] ?? ''
    if (folder !== 'service' && !LAYERS.has(folder) && !/^[a-z0-9-]+s$/.test(folder)) {
      problems.push(`the folder ${folder}/ is neither service/ nor migrations/ nor a registry named by a plural`)
    }
    if (!name.endsWith('.ts')) problems.push('only TypeScript files belong into the folders of a plugin')
  }
  // A large service has groups: service/rules/, service/triggers/; nothing lies deeper than that.
  const isGrouped = parts.length === 3 && parts[0] === 'service'
  if (parts.length > 2 && !isGrouped) problems.push('only service/ has folders of its own, one level deep')
  if (name.endsWith('.ts') && !KEBAB.test(stem)) problems.push('the name is not kebab-case')
  if (file.text.trim() === '') problems.push('is empty: an optional file is absent, never empty')
  return problems
}

function presenceProblems(id: string, files: readonly PluginFile[]): string[] {
  const problems: string[] = []
  const index = files.find((file) => file.path === 'index.ts')
  const readme = files.find((file) => file.path === 'README.md')
  if (!index) problems.push('has no index.ts')
  else if (!index.text.includes('definePlugin(')) problems.push('index.ts declares no plugin with definePlugin')
  if (!readme) problems.push('has no README.md')
  else if (!readme.text.startsWith(`# ${id}`)) problems.push(`README.md does not start with "# ${id}"`)
  if (!KEBAB.test(id)) problems.push('the folder name is not kebab-case')
  return problems
}

function migrationProblems(files: readonly PluginFile[]): { path: string; problem: string }[] {
  const inFolder = files.filter((file) => file.path.startsWith('migrations/') && !file.path.endsWith('.test.ts'))
  if (inFolder.length === 0) return []
  const problems: { path: string; problem: string }[] = []
  const list = inFolder.find((file) => file.path === 'migrations/index.ts')
  if (!list) problems.push({ path: 'migrations/', problem: 'has no hand-written, ordered index.ts' })
  const steps = inFolder.filter((file) => file !== list)
  for (const [position, step] of steps.entries()) {
    const match = MIGRATION.exec(step.path)
    if (!match) {
      problems.push({ path: step.path, problem: 'is not named NNNN-<what>.ts' })
      continue
    }
    if (Number(match[1]) !== position + 1) {
      problems.push({ path: step.path, problem: `breaks the numbering: expected ${position + 1}` })
    }
    const declared = /\bnumber:\s*(\d+)/.exec(step.text)?.[1]
    if (Number(declared) !== Number(match[1])) {
      problems.push({
        path: step.path,
        problem: `declares number ${declared ?? 'none'}, the file name says ${match[1]}`,
      })
    }
    if (list && !list.text.includes(`./${step.path.slice('migrations/'.length)}`)) {
      problems.push({ path: 'migrations/index.ts', problem: `does not list ${step.path}` })
    }
  }
  return problems
}

function dependencyProblems(own: PluginFacts, all: ReadonlyMap<string, PluginFacts>): string[] {
  const problems: string[] = []
  const named = new Set([...own.requires, ...own.optional])
  for (const id of own.requires) if (!all.has(id)) problems.push(`requires ${id}, which is not a plugin`)
  for (const id of own.services) {
    if (!own.requires.includes(id)) problems.push(`asks host.service('${id}') without naming it in requires`)
  }
  for (const id of own.optionalServices) {
    if (!own.optional.includes(id)) problems.push(`asks host.optionalService('${id}') without naming it in optional`)
  }
  for (const id of own.apis) {
    if (!named.has(id)) problems.push(`imports the api.ts of ${id} without naming it in requires or optional`)
  }
  const circle = findCircle(own.id ?? '', all)
  if (circle) problems.push(`requires itself in a circle: ${circle.join(' -> ')}`)
  return problems
}

function findCircle(start: string, all: ReadonlyMap<string, PluginFacts>): string[] | undefined {
  const visited = new Set<string>()
  const visit = (id: string, path: readonly string[]): string[] | undefined => {
    for (const next of all.get(id)?.requires ?? []) {
      if (next === start) return [...path, next]
      if (visited.has(next)) continue
      visited.add(next)
      const found = visit(next, [...path, next])
      if (found) return found
    }
    return undefined
  }
  return visit(start, [start])
}

function tableProblems(folder: string, own: PluginFacts): { path: string; problem: string }[] {
  const prefix = `${folder.replaceAll('-', '_')}_`
  const agreed = AGREED_TABLES[folder] ?? []
  const problems: { path: string; problem: string }[] = []
  if (own.id !== undefined && own.id !== folder) {
    problems.push({ path: 'index.ts', problem: `declares the id ${own.id}, the folder is ${folder}` })
  }
  for (const table of own.tables) {
    if (!table.name.startsWith(prefix) && !agreed.includes(table.name)) {
      problems.push({
        path: table.path,
        problem: `creates the table ${table.name}, whose name does not start with ${prefix}`,
      })
    }
  }
  return problems
}

/** Reads main/plugins of a repository: files by plugin folder. */
export function readPluginFolders(root: string): Map<string, PluginFile[]> {
  const plugins = new Map<string, PluginFile[]>()
  for (const path of listFiles(root, 'main/plugins')) {
    const [, , folder = '', ...rest] = path.split('/')
    const file = { path: rest.join('/'), text: readFileSync(join(root, path), 'utf8') }
    plugins.set(folder, [...(plugins.get(folder) ?? []), file])
  }
  return plugins
}

function main(): number {
  const root = repositoryRoot()
  const plugins = readPluginFolders(root)
  const problems = checkPlugins(plugins, readFileSync(join(root, 'main', 'host.ts'), 'utf8'))
  for (const { file, problem } of problems) console.error(`${file}: ${problem}`)
  console.log(`plugins: ${plugins.size} plugins, ${problems.length} problems`)
  if (plugins.size === 0) console.error('no plugin was read: the check did not run')
  return plugins.size > 0 && problems.length === 0 ? 0 : 1
}

if (isProgram(import.meta.url)) process.exitCode = main()
