// Runs every check of the project, two at a time, and prints what each took. Knows the commands, not what they check.
// A failing check prints its output; the others still run, so one start shows everything that is wrong.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isProgram, repositoryRoot } from './script.ts'

const TIME_LIMIT_SECONDS = 60
const WIDTH = 2

/** One check: `program` is a script of build/scripts or the JavaScript entry of a package. */
export interface CheckStep {
  name: string
  program: string
  args: readonly string[]
}

/** How one check ended. `output` is stdout and stderr as they came. */
export interface CheckOutcome {
  name: string
  ok: boolean
  seconds: number
  output: string
}

/** The checks, slowest first so that two of them fill both processors to the end. */
export const CHECK_STEPS: readonly CheckStep[] = [
  { name: 'lint', program: 'build/scripts/check-lint.ts', args: [] },
  { name: 'boundaries', program: 'build/scripts/check-boundaries.ts', args: [] },
  { name: 'unused', program: 'node_modules/knip/bin/knip.js', args: ['--config', 'build/knip.json'] },
  {
    name: 'unused in production',
    program: 'node_modules/knip/bin/knip.js',
    args: ['--config', 'build/knip.json', '--production'],
  },
  { name: 'openapi', program: 'build/scripts/generate-openapi.ts', args: ['--check'] },
  { name: 'readers', program: 'build/scripts/check-readers.ts', args: [] },
  { name: 'strings', program: 'build/scripts/check-strings.ts', args: [] },
  { name: 'format', program: 'node_modules/oxfmt/bin/oxfmt', args: ['--check', '.'] },
  { name: 'plugins', program: 'build/scripts/check-plugins.ts', args: [] },
  { name: 'sizes', program: 'build/scripts/check-sizes.ts', args: [] },
]

/**
 * Runs the steps, `width` at a time, and hands each outcome to `report` as it ends.
 * A program that does not exist is a failed check, never a skipped one.
 */
export async function runSteps(
  root: string,
  steps: readonly CheckStep[],
  width: number,
  report: (outcome: CheckOutcome) => void,
): Promise<CheckOutcome[]> {
  const waiting = [...steps]
  const outcomes: CheckOutcome[] = []
  const lane = async (): Promise<void> => {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      const outcome = await runStep(root, step)
      outcomes.push(outcome)
      report(outcome)
    }
  }
  await Promise.all(Array.from({ length: width }, lane))
  return outcomes
}

function runStep(root: string, step: CheckStep): Promise<CheckOutcome> {
  const startedAt = performance.now()
  const seconds = (): number => (performance.now() - startedAt) / 1000
  const program = join(root, step.program)
  if (!existsSync(program)) {
    return Promise.resolve({ name: step.name, ok: false, seconds: 0, output: `${step.program} does not exist\n` })
  }
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...step.args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const collect = (chunk: Buffer): void => {
      output += chunk.toString()
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.on('error', (error) => resolve({ name: step.name, ok: false, seconds: seconds(), output: error.message }))
    child.on('close', (code) => resolve({ name: step.name, ok: code === 0, seconds: seconds(), output }))
  })
}

async function main(): Promise<number> {
  const startedAt = performance.now()
  const only = process.argv.slice(2)
  const steps = only.length > 0 ? CHECK_STEPS.filter((step) => only.includes(step.name)) : CHECK_STEPS
  const outcomes = await runSteps(repositoryRoot(), steps, WIDTH, (outcome) => {
    console.log(
      `${outcome.ok ? 'ok    ' : 'FAILED'} ${outcome.name.padEnd(22)} ${outcome.seconds.toFixed(1).padStart(6)} s`,
    )
    if (!outcome.ok) console.log(outcome.output.trimEnd().replace(/^/gm, '    '))
  })
  const failed = outcomes.filter((outcome) => !outcome.ok)
  const seconds = (performance.now() - startedAt) / 1000
  if (failed.length > 0) console.log(`\nfailed: ${failed.map((outcome) => outcome.name).join(', ')}`)
  console.log(
    `checks took ${seconds.toFixed(1)} s${seconds > TIME_LIMIT_SECONDS ? `, more than ${TIME_LIMIT_SECONDS} s` : ''}`,
  )
  console.log(`${outcomes.length - failed.length} passed, ${failed.length} failed, 0 skipped`)
  return failed.length > 0 || outcomes.length === 0 ? 1 : 0
}

if (isProgram(import.meta.url)) process.exitCode = await main()
