// `npm run bench:sync`: starts real hosts, pairs two of them over TLS on loopback, runs every step and prints one table of
// figures. A figure below its goal is printed as short; only a step that could not run is a failure.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Missing } from './figures.ts'
import { formatGoalTable, meetsGoal } from './goal-figures.ts'
import type { GoalFigure } from './goal-figures.ts'
import { createProgress, isInMemory } from './progress.ts'
import { selectSyncSteps } from './sync-steps.ts'
import { createWorld } from './sync-world.ts'

const usage = `npm run bench:sync -- [options]
  --quick          5,000 records, 1,000 missed changes, short measurements: about two minutes
  --only NAMES     only the steps whose id begins with one of these, separated by commas
  --rows N         records before anything is measured (100000)
  --changes N      changes a machine misses (10000)
  --json FILE      writes every figure
  --profile DIR    writes CPU profiles of the hosts that take part; read them with profile.ts
`

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    rows: { type: 'string' },
    changes: { type: 'string' },
    json: { type: 'string' },
    profile: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

async function main(): Promise<number> {
  if (flags.help) {
    process.stdout.write(usage)
    return 0
  }
  const { quick } = flags
  const say = createProgress()
  const chosen = selectSyncSteps(flags.only.split(',').filter(Boolean))

  const rows = Number(flags.rows ?? (quick ? 5_000 : 100_000))
  const changes = Number(flags.changes ?? (quick ? 1_000 : 10_000))
  const world = createWorld({ quick, rows, changes, say, profileDir: flags.profile })
  const figures: GoalFigure[] = []
  const missing: Missing[] = []
  try {
    for (const [index, step] of chosen.entries()) {
      say(step.label)
      try {
        figures.push(...(await step.measure(world)))
      } catch (error) {
        missing.push({ id: step.id, label: step.label, reason: error instanceof Error ? error.message : String(error) })
      }
      if (step.release !== chosen[index + 1]?.release) await step.release?.(world)
    }
  } finally {
    await world.close()
  }
  process.stdout.write(`${formatGoalTable(figures, missing)}\n`)
  if (flags.json !== undefined) {
    const judged = figures.map((figure) => ({ ...figure, ok: meetsGoal(figure) }))
    const report = { quick, rows, changes, node: process.version, inMemory: isInMemory, figures: judged, missing }
    writeFileSync(flags.json, `${JSON.stringify(report, null, 2)}\n`)
  }
  say('done')
  return missing.length === 0 ? 0 : 1
}

process.exitCode = await main()
