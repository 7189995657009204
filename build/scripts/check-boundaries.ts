// Checks the one-way rule over the sources, and the check itself: modules must have been read, and every rule must
// fire on its own planted violation. Knows no rule: those on imports are data in build/dependency-cruiser.cjs, those on
// words stand in word-rules.ts.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { cruise } from 'dependency-cruiser'
import type { ICruiseResult, IViolation } from 'dependency-cruiser'
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options'
import { BOUNDARY_PLANTS, WORD_PLANTS } from './boundary-plants.ts'
import type { BoundaryPlant } from './boundary-plants.ts'
import { isProgram, listFiles, repositoryRoot } from './script.ts'
import { describeWordViolation, wordRules, wordViolations } from './word-rules.ts'
import type { SourceFile, WordRule } from './word-rules.ts'

const FOLDERS = ['shared', 'main', 'electron', 'renderer', 'test', 'build']
const CONFIG = 'build/dependency-cruiser.cjs'

/** What one cruise saw. */
interface BoundaryReport {
  modules: number
  dependencies: number
  violations: readonly IViolation[]
}

/** Cruises the source folders under `root`, which must carry the rules and a node_modules of its own or by link. */
async function cruiseSources(root: string): Promise<BoundaryReport> {
  const options = await extractOptions(join(root, CONFIG))
  const folders = FOLDERS.filter((folder) => existsSync(join(root, folder)))
  const { output } = await cruise(folders, { ...options, baseDir: root, validate: true, outputType: undefined })
  const { summary } = output as ICruiseResult
  return {
    modules: summary.totalCruised,
    dependencies: summary.totalDependenciesCruised ?? 0,
    violations: summary.violations,
  }
}

/** Names of all rules in the configuration, in its order. */
export function ruleNames(root: string): string[] {
  const config = createRequire(import.meta.url)(join(root, CONFIG)) as { forbidden: readonly { name: string }[] }
  return config.forbidden.map((rule) => rule.name)
}

/** The text of the fix belonging to a rule. */
export function ruleFixes(root: string): Map<string, string> {
  const config = createRequire(import.meta.url)(join(root, CONFIG)) as {
    forbidden: readonly { name: string; comment: string }[]
  }
  return new Map(config.forbidden.map((rule) => [rule.name, rule.comment]))
}

/**
 * Copies the sources, adds the plants and cruises that once: what breaks a rule without a plant in it, and the rules
 * that did not fire on their own plant, each with a reason. Cost: one copy of the sources without packages, one cruise.
 */
export async function cruiseWithPlants(
  root: string,
  rules: readonly string[],
  plants: readonly BoundaryPlant[],
): Promise<BoundaryReport & { silent: string[] }> {
  const copy = mkdtempSync(join(tmpdir(), 'cairn-boundaries-'))
  try {
    copySources(root, copy)
    for (const plant of plants) {
      write(copy, plant.file, plant.source)
      for (const [file, source] of Object.entries(plant.others ?? {})) write(copy, file, source)
    }
    const report = await cruiseSources(copy)
    const silent = rules.flatMap((rule) => {
      const plant = plants.find((candidate) => candidate.rule === rule)
      if (!plant) return [`${rule}: no planted violation in build/scripts/boundary-plants.ts`]
      const fired = report.violations.some(({ rule: { name }, from }) => name === rule && from === plant.file)
      return fired ? [] : [`${rule}: silent on its planted violation ${plant.file}`]
    })
    return { ...report, violations: report.violations.filter((violation) => !isPlanted(violation)), silent }
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

function isPlanted({ from, to, cycle }: IViolation): boolean {
  return [from, to, ...(cycle ?? []).map(({ name }) => name)].some((path) => path.includes('/zz-plant'))
}

/** One violation as people read it: the rule, what breaks it, and the fix. */
export function describeViolation(violation: IViolation, fixes: ReadonlyMap<string, string>): string {
  const path = violation.cycle ? violation.cycle.map((step) => step.name).join(' -> ') : violation.to
  const what = violation.from === path ? violation.from : `${violation.from} -> ${path}`
  return `${violation.rule.name}: ${what}\n    fix: ${fixes.get(violation.rule.name) ?? 'see build/dependency-cruiser.cjs'}`
}

/** The sources the rules on words are judged by. */
export function readWordSources(root: string): SourceFile[] {
  return ['main', 'shared']
    .flatMap((folder) => listFiles(root, folder))
    .filter((path) => /[.]tsx?$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/** The rules on words that did not fire on their own plant among the sources. */
export function findSilentWordRules(sources: readonly SourceFile[]): string[] {
  return (Object.keys(wordRules) as WordRule[]).flatMap((rule) => {
    const { file, source } = WORD_PLANTS[rule]
    const found = wordViolations([...sources, { path: file, text: source }])
    const fired = found.some((violation) => violation.rule === rule && violation.file === file)
    return fired ? [] : [`${rule}: silent on its planted violation ${file}`]
  })
}

function copySources(root: string, copy: string): void {
  for (const folder of FOLDERS) {
    if (!existsSync(join(root, folder))) continue
    cpSync(join(root, folder), join(copy, folder), {
      recursive: true,
      filter: (source) => !/[\\/](dist|fixtures|shots|reports|node_modules)$/.test(source),
    })
  }
  for (const file of ['package.json', 'tsconfig.json']) cpSync(join(root, file), join(copy, file))
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction')
}

function write(root: string, file: string, source: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), source)
}

async function main(): Promise<number> {
  const root = repositoryRoot()
  const rules = ruleNames(root)
  const fixes = ruleFixes(root)
  const report = await cruiseWithPlants(root, rules, BOUNDARY_PLANTS)
  const sources = readWordSources(root)
  const words = wordViolations(sources)
  const silent = [...report.silent, ...findSilentWordRules(sources)]
  const ruleCount = rules.length + Object.keys(wordRules).length
  for (const violation of report.violations) console.error(describeViolation(violation, fixes))
  for (const violation of words) console.error(describeWordViolation(violation))
  for (const line of silent) console.error(line)
  console.log(
    `boundaries: ${report.modules} modules, ${report.dependencies} imports, ${report.violations.length + words.length} violations; ` +
      `${ruleCount - silent.length} of ${ruleCount} rules fire on their planted violation`,
  )
  if (report.modules === 0) console.error('no module was read: the check did not run')
  return report.modules > 0 && report.violations.length + words.length + silent.length === 0 ? 0 : 1
}

if (isProgram(import.meta.url)) process.exitCode = await main()
