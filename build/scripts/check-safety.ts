// Runs registered safety checks from the command line: `npm run check:safety -- <id>` prints one line `id=value`.
// Exit code: 0 target met, 1 missed, 2 skipped, 3 unknown id or a harness that failed; the worst one over many ids.
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { describeTarget, guardTable, loadChecks, meetsTarget } from '../../test/safety/registry.ts'
import type { CheckContext, CheckSize, SafetyCheck } from '../../test/safety/registry.ts'
import { isProgram, repositoryRoot } from './script.ts'

/** How one run ended: the printed value and its exit code. */
export interface CheckResult {
  value: string
  exitCode: 0 | 1 | 2 | 3
}

const SIZES: readonly string[] = ['commit', 'nightly', 'release']
/** From harmless to grave; the gravest of many runs is the exit code. */
const GRAVITY = [0, 2, 1, 3] as const

/** Runs one check, or its twin, which is met when it misses the target of the check. */
export async function runCheck(check: SafetyCheck, context: CheckContext, twin = false): Promise<CheckResult> {
  try {
    const measured = await (twin ? check.twin : check.run)(context)
    if (typeof measured !== 'number') {
      context.log(`skipped: ${measured.skipped}`)
      return { value: 'skipped', exitCode: 2 }
    }
    const met = meetsTarget(check.target, measured) !== twin
    return { value: String(measured), exitCode: met ? 0 : 1 }
  } catch (error) {
    context.log(error instanceof Error ? (error.stack ?? error.message) : String(error))
    return { value: 'error', exitCode: 3 }
  }
}

/** The exit code of many runs: an error outweighs a miss, a miss a skip, a skip a success. */
export function gravestExit(codes: readonly CheckResult['exitCode'][]): CheckResult['exitCode'] {
  const gravest = Math.max(0, ...codes.map((code) => GRAVITY.indexOf(code)))
  return GRAVITY[gravest] ?? 3
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      list: { type: 'boolean', default: false },
      stage: { type: 'string' },
      size: { type: 'string', default: 'commit' },
      seed: { type: 'string', default: '1' },
      twins: { type: 'boolean', default: false },
    },
  })
  if (!SIZES.includes(values.size) || !Number.isSafeInteger(Number(values.seed))) {
    console.error(`--size is one of ${SIZES.join(', ')}; --seed is a whole number`)
    return 3
  }
  const all = await loadChecks()
  const inStage = all.filter((check) => values.stage === undefined || check.stage <= Number(values.stage))
  if (values.list) {
    console.log(['id', 'file', 'unit', 'target', 'tier', 'guard', 'twin', 'twin came to'].join('\t'))
    const measured = lastTwins()
    for (const check of inStage) {
      const { id, file, unit, target, tier } = check
      const { guard, twin } = guardTable[id] ?? { guard: 'not described', twin: 'not described' }
      const came = measured.get(id) ?? 'not run here'
      console.log([id, file, unit, describeTarget(target), tier, guard, twin, came].join('\t'))
    }
    return 0
  }
  const unknown = positionals.filter((id) => !all.some((check) => check.id === id))
  for (const id of unknown) console.log(`${id}=error`)
  const chosen = positionals.length > 0 ? all.filter((check) => positionals.includes(check.id)) : inStage
  const exits: CheckResult['exitCode'][] = unknown.map(() => 3)
  for (const check of chosen) {
    const context: CheckContext = {
      size: values.size as CheckSize,
      seed: Number(values.seed),
      log: (line) => process.stderr.write(`${check.id}: ${line}\n`),
    }
    const result = await runCheck(check, context, values.twins)
    console.log(`${check.id}${values.twins ? '.twin' : ''}=${result.value}`)
    exits.push(result.exitCode)
    record(check, result, context, values.twins)
  }
  if (exits.length === 0) console.error('no check is registered')
  return exits.length === 0 ? 3 : gravestExit(exits)
}

/** What the twins came to when they last ran here, by check. */
function lastTwins(): Map<string, string> {
  const file = join(repositoryRoot(), 'test', 'safety', 'reports', 'safety.tsv')
  const rows = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  const twins = rows.map((row) => row.split('\t')).filter(([id]) => id?.endsWith('.twin') === true)
  return new Map(twins.map(([id, value]) => [id!.slice(0, -'.twin'.length), value ?? '']))
}

function record(check: SafetyCheck, result: CheckResult, context: CheckContext, twin: boolean): void {
  const folder = join(repositoryRoot(), 'test', 'safety', 'reports')
  const file = join(folder, 'safety.tsv')
  mkdirSync(folder, { recursive: true })
  if (!existsSync(file)) appendFileSync(file, 'id\tvalue\ttarget\tsize\tseed\tcommit\tplatform\tdate\n')
  const row = [
    check.id + (twin ? '.twin' : ''),
    result.value,
    describeTarget(check.target),
    context.size,
    context.seed,
    currentCommit(),
    `${process.platform}-${process.arch}`,
    new Date().toISOString(),
  ]
  appendFileSync(file, row.join('\t') + '\n')
}

function currentCommit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: repositoryRoot(), encoding: 'utf8' }).trim()
  } catch {
    return 'unknown' // not a checkout, or no git here
  }
}

if (isProgram(import.meta.url)) process.exitCode = await main()
