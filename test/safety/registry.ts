// The registered safety checks: one check is one promise, measured as one printed figure. Knows how a figure is judged,
// nothing of what is measured; the checks are in checks/<file>.ts and say which promise of the design they keep.
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'

export { guardTable } from './guards.ts'

/** How much work a check does: commit (seconds), nightly (minutes), release (as long as it takes): as `sized` has it. */
export type CheckSize = 'commit' | 'nightly' | 'release'

/** When a check runs: c at every commit, n with `npm run test:long`. */
export type CheckTier = 'c' | 'n'

/** What the figure must be; a plain number means exactly that number. */
export type CheckTarget = number | { readonly atMost: number } | { readonly atLeast: number }

/** What a check is given. The seed makes a run repeatable; `log` writes progress to stderr. */
export interface CheckContext {
  readonly size: CheckSize
  readonly seed: number
  log(line: string): void
}

/** A check that could not run here; it is never counted as met. */
export interface SkippedCheck {
  readonly skipped: string
}

/** Measures the figure. A throw is a failure of the harness, not a missed target. */
export type CheckRun = (context: CheckContext) => Promise<number | SkippedCheck>

/** One registered check. */
export interface SafetyCheck {
  /** As in the design: `W2`, `R1`, `R1t`. */
  readonly id: string
  /** Group and test file: `hosts` is test/safety/hosts.test.ts. */
  readonly file: string
  readonly unit: string
  readonly target: CheckTarget
  readonly tier: CheckTier
  /** The building stage from which the promise holds. */
  readonly stage: number
  readonly run: CheckRun
  /** The same measurement with its guard switched off; a check counts as done only when this misses the target. */
  readonly twin: CheckRun
  /** Path of the file of checks/ that defines it, or that imports the one that does. */
  readonly module: string
}

const checks = new Map<string, SafetyCheck>()
let loading = ''

/**
 * Registers a check and answers it; tier c and stage 1 unless said otherwise.
 * @throws Error when the id is taken.
 */
export function defineCheck(
  check: Omit<SafetyCheck, 'tier' | 'stage' | 'module'> & Partial<Pick<SafetyCheck, 'tier' | 'stage'>>,
): SafetyCheck {
  if (checks.has(check.id)) throw new Error(`the check ${check.id} is registered twice`)
  const registered = Object.freeze({ tier: 'c', stage: 1, module: loading, ...check } as const)
  checks.set(check.id, registered)
  return registered
}

/** The answer of a check that cannot run here, with the reason people read. */
export function skipCheck(reason: string): SkippedCheck {
  return { skipped: reason }
}

/** Whether a figure meets its target; NaN never does. */
export function meetsTarget(target: CheckTarget, value: number): boolean {
  if (typeof target === 'number') return value === target
  return 'atMost' in target ? value <= target.atMost : value >= target.atLeast
}

/** The target as people read it: `0`, `<= 50`, `>= 500`. */
export function describeTarget(target: CheckTarget): string {
  if (typeof target === 'number') return String(target)
  return 'atMost' in target ? `<= ${target.atMost}` : `>= ${target.atLeast}`
}

/** Loads every file of checks/ and answers all checks in order of their ids. */
export async function loadChecks(): Promise<readonly SafetyCheck[]> {
  const folder = fileURLToPath(new URL('checks/', import.meta.url))
  for (const file of existsSync(folder) ? readdirSync(folder).toSorted() : []) {
    if (!file.endsWith('.ts')) continue
    loading = folder + file
    await import(pathToFileURL(loading).href)
  }
  return [...checks.values()].toSorted((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }))
}
