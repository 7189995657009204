// Checks the one-way rule over the sources, and the check itself: modules must have been read, and every rule must
// fire on its own planted violation in a temporary copy. Knows no rule; they are data in build/dependency-cruiser.cjs.
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { cruise } from 'dependency-cruiser'
import type { ICruiseResult, IViolation } from 'dependency-cruiser'
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options'
import { BOUNDARY_PLANTS } from './boundary-plants.ts'
import type { BoundaryPlant } from './boundary-plants.ts'
import { isProgram, repositoryRoot } from './script.ts'

const FOLDERS = ['shared', 'main', 'electron', 'renderer', 'test', 'build']
const CONFIG = 'build/dependency-cruiser.cjs'

/** What one cruise saw. */
export interface BoundaryReport {
  modules: number
  dependencies: number
  violations: readonly IViolation[]
}

/** Cruises the source folders under `root`, which must carry the rules and a node_modules of its own or by link. */
export async function cruiseSources(root: string): Promise<BoundaryReport> {
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
 * Copies the sources, adds the plants and answers the rules that did not fire on their own plant, each with a reason.
 * Cost: one copy of the sources without packages and one cruise.
 */
export async function findSilentRules(
  root: string,
  rules: readonly string[],
  plants: readonly BoundaryPlant[],
): Promise<string[]> {
  const copy = mkdtempSync(join(tmpdir(), 'cairn-boundaries-'))
  try {
    copySources(root, copy)
    for (const plant of plants) {
      write(copy, plant.file, plant.source)
      for (const [file, source] of Object.entries(plant.others ?? {})) write(copy, file, source)
    }
    const { violations } = await cruiseSources(copy)
    return rules.flatMap((rule) => {
      const plant = plants.find((candidate) => candidate.rule === rule)
      if (!plant) return [`${rule}: no planted violation in build/scripts/boundary-plants.ts`]
      const fired = violations.some((violation) => violation.rule.name === rule && violation.from === plant.file)
      return fired ? [] : [`${rule}: silent on its planted violation ${plant.file}`]
    })
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** One violation as people read it: the rule, what breaks it, and the fix. */
export function describeViolation(violation: IViolation, fixes: ReadonlyMap<string, string>): string {
  const path = violation.cycle ? violation.cycle.map((step) => step.name).join(' -> ') : violation.to
  const what = violation.from === path ? violation.from : `${violation.from} -> ${path}`
  return `${violation.rule.name}: ${what}\n    fix: ${fixes.get(violation.rule.name) ?? 'see build/dependency-cruiser.cjs'}`
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
  const report = await cruiseSources(root)
  const silent = await findSilentRules(root, rules, BOUNDARY_PLANTS)
  for (const violation of report.violations) console.error(describeViolation(violation, fixes))
  for (const line of silent) console.error(line)
  console.log(
    `boundaries: ${report.modules} modules, ${report.dependencies} imports, ${report.violations.length} violations; ` +
      `${rules.length - silent.length} of ${rules.length} rules fire on their planted violation`,
  )
  if (report.modules === 0) console.error('no module was read: the check did not run')
  return report.modules > 0 && report.violations.length === 0 && silent.length === 0 ? 0 : 1
}

if (isProgram(import.meta.url)) process.exitCode = await main()
