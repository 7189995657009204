// `npm run bench:ui`: one host, one browser, and what a person feels of them. A figure below its goal is printed as short;
// only a step that could not run is a failure.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Missing } from './figures.ts'
import type { GoalFigure } from './goal-figures.ts'
import { formatGoalTable, meetsGoal } from './goal-figures.ts'
import { createProgress } from './progress.ts'
import { makeDataDir, removeDataDir, startServer } from './servers.ts'
import { startBrowser } from './ui-page.ts'
import type { UiRun } from './ui-steps.ts'
import { uiSteps } from './ui-steps.ts'
import { makeWide } from './ui-world.ts'

const usage = `npm run bench:ui -- [options]
  --quick          20,000 records, 1,000 pictures, no million
  --only NAMES     only the steps whose id begins with one of these, separated by commas
  --rows N         records of the wide object (100000)
  --pictures N     pictures (10000)
  --most N         records of the largest object (1000000)
  --json FILE      writes every figure
`

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    rows: { type: 'string' },
    pictures: { type: 'string' },
    most: { type: 'string' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

async function main(): Promise<number> {
  if (flags.help) {
    process.stdout.write(usage)
    return 0
  }
  const say = createProgress()
  const { quick } = flags
  const rows = Number(flags.rows ?? (quick ? 20_000 : 100_000))
  const wanted = flags.only.split(',').filter(Boolean)
  const chosen = uiSteps.filter(({ id }) => wanted.length === 0 || wanted.some((name) => id.startsWith(name)))
  const figures: GoalFigure[] = []
  const missing: Missing[] = []
  const dataDir = makeDataDir('cairn')
  const server = await startServer('cairn', dataDir)
  try {
    const browser = await startBrowser(server)
    try {
      say(`filling with ${rows.toLocaleString('en')} records`)
      await makeWide(server, 'wide', rows)
      const run: UiRun = {
        server,
        browser,
        rows,
        pictures: Number(flags.pictures ?? (quick ? 1_000 : 10_000)),
        most: Number(flags.most ?? (quick ? 0 : 1_000_000)),
      }
      for (const { id, label, measure } of chosen) {
        say(label)
        try {
          figures.push(...(await measure(run)))
        } catch (error) {
          missing.push({ id, label, reason: (error as Error).message })
        }
      }
    } finally {
      await browser.close()
    }
  } finally {
    await server.stop()
    removeDataDir(dataDir)
  }
  process.stdout.write(`${formatGoalTable(figures, missing)}\n`)
  if (flags.json !== undefined) {
    const judged = figures.map((figure) => ({ ...figure, ok: meetsGoal(figure) }))
    writeFileSync(flags.json, `${JSON.stringify({ node: process.version, figures: judged, missing }, null, 2)}\n`)
  }
  say('done')
  return missing.length === 0 ? 0 : 1
}

process.exitCode = await main()
