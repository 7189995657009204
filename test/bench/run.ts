// `npm run bench`: starts Cairn and the floor, fills both with the same rows, runs every step on both in turn and
// prints one table of ratios. A figure below its goal is printed as short; only a step that could not run is a failure.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { formatTable, makeFigure } from './figures.ts'
import type { Figure, Missing } from './figures.ts'
import { createProgress, isInMemory } from './progress.ts'
import { makeDataDir, removeDataDir, startServer } from './servers.ts'
import type { RunningServer, ServerKind } from './servers.ts'
import { objectsOf } from './large-steps.ts'
import type { Run } from './measures.ts'
import { selectSteps } from './steps.ts'
import { createTarget, seed } from './targets.ts'
import type { Target } from './targets.ts'

const usage = `npm run bench -- [options]
  --quick          short measurements, no million-row steps: about a minute
  --only NAMES     only the steps whose id begins with one of these, separated by commas
  --rows N         rows before anything is measured (100000)
  --json FILE      writes every pair of figures
  --profile DIR    writes a CPU profile of Cairn; read it with profile.ts
  --self           compares the floor with itself: every ratio of a step is then about 1
`

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    rows: { type: 'string', default: '100000' },
    json: { type: 'string' },
    profile: { type: 'string' },
    self: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

/** Makes the tables of a data directory and fills them, with a server that ends afterwards. */
async function fill(kind: ServerKind, dataDir: string, rows: number): Promise<void> {
  const server = await startServer(kind, dataDir)
  try {
    const target = createTarget(server)
    await target.prepare(objectsOf(flags.quick))
    await seed(target, rows)
  } finally {
    await server.stop()
  }
}

async function main(): Promise<number> {
  if (flags.help) {
    process.stdout.write(usage)
    return 0
  }
  const say = createProgress()
  const chosen = selectSteps(flags.only.split(',').filter(Boolean), flags.quick).filter(
    // Comparisons of Cairn with itself mean nothing between two floors.
    (step) => !flags.self || step.reference === 'floor',
  )

  const rows = Number(flags.rows)
  const kinds: readonly ServerKind[] = [flags.self ? 'floor' : 'cairn', 'floor']
  const dirs = kinds.map(makeDataDir)
  const running: RunningServer[] = []
  const figures: Figure[] = []
  const missing: Missing[] = []
  try {
    say(`filling both with ${rows.toLocaleString('en-US')} rows`)
    await Promise.all(kinds.map((kind, index) => fill(kind, dirs[index]!, rows)))
    // Fresh processes: what filling left behind in memory, and its part of a profile, belong to no step.
    for (const [index, kind] of kinds.entries()) {
      running.push(await startServer(kind, dirs[index]!, index === 0 ? flags.profile : undefined))
    }
    const [cairn, floor] = running.map(createTarget) as [Target, Target]
    const run: Run = { cairn, floor, quick: flags.quick, pairs: 7, burstMs: flags.quick ? 150 : 1_000, rows }
    for (const step of chosen) {
      say(step.label)
      try {
        figures.push(makeFigure(step, await step.measure(run)))
      } catch (error) {
        missing.push({ id: step.id, label: step.label, reason: error instanceof Error ? error.message : String(error) })
      }
    }
  } finally {
    for (const server of running) await server.stop()
    for (const dir of dirs) removeDataDir(dir)
  }
  process.stdout.write(`${formatTable(figures, missing)}\n`)
  if (flags.json !== undefined) {
    const report = { quick: flags.quick, rows, node: process.version, inMemory: isInMemory, figures, missing }
    writeFileSync(flags.json, `${JSON.stringify(report, null, 2)}\n`)
  }
  say('done')
  return missing.length === 0 ? 0 : 1
}

process.exitCode = await main()
