// `npm run bench:hub`: one host alone and a hub of two machines over a PostgreSQL of its own, in one run and asked in turn;
// then failovers and handovers while somebody writes. A figure below its goal is printed as short; only a step that could
// not run is a failure.
import { writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import type { HubMachine } from '../support/hub-machine.ts'
import { leaderOf } from '../support/hub-machine.ts'
import { createHub } from '../support/hub-of-machines.ts'
import type { HubOfMachines } from '../support/hub-of-machines.ts'
import { hasPostgres } from '../support/postgres-cluster.ts'
import { median } from './figures.ts'
import type { LoadResult, RequestSource } from './load.ts'
import { runLoad } from './load.ts'
import type { Say } from './progress.ts'
import { createProgress } from './progress.ts'
import { fixedId, makeTasks } from './rows.ts'
import type { RunningServer } from './servers.ts'
import { makeDataDir, removeDataDir, startServer } from './servers.ts'
import { formatGoalTable, meetsGoal, percentileOf } from './goal-figures.ts'
import type { GoalFigure } from './goal-figures.ts'
import { createTarget, seed, seedSeries } from './targets.ts'
import type { Target } from './targets.ts'

const usage = `npm run bench:hub -- [options]
  --quick          1,000 rows, short measurements, few failovers: about a minute
  --rows N         rows before anything is measured (20000)
  --ms N           length of one measurement (5000)
  --rounds N       failovers, and handovers, of each (20)
  --json FILE      writes every figure
`

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rows: { type: 'string' },
    ms: { type: 'string' },
    rounds: { type: 'string' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

/** What nodes wait for a silent leader unless they are told otherwise. */
const leaseMs = 3_000
/** A machine is up to twice as fast at one time as at another, for seconds each: short measurements in turn meet the same. */
const sliceMs = 500

const serverOf = (machine: HubMachine): RunningServer => ({
  kind: 'cairn',
  port: machine.port,
  pid: 0,
  dataDir: machine.dataDir,
  token: machine.token(),
  spawnedAt: 0,
  stop: () => Promise.resolve(),
})

let written = 0
const creates =
  (target: Target): RequestSource =>
  () => {
    const { id: _id, ...row } = makeTasks(7, written, (written += 1))[0]!
    return target.create(row)
  }
const gets =
  (target: Target, rows: number): RequestSource =>
  (index) =>
    target.get(fixedId(seedSeries, (index * 7919) % rows))

/** Measures both in turn, each for three times `ms` in all; the first of a pair is the other one each time. */
async function both(
  targets: { readonly alone: Target; readonly hub: Target },
  connections: number,
  ms: number,
  source: (target: Target) => RequestSource,
): Promise<{ readonly alone: LoadResult[]; readonly hub: LoadResult[] }> {
  const found = { alone: [] as LoadResult[], hub: [] as LoadResult[] }
  for (let pair = 0; pair * sliceMs < 3 * ms; pair += 1) {
    const order = pair % 2 === 0 ? (['alone', 'hub'] as const) : (['hub', 'alone'] as const)
    for (const name of order)
      found[name].push(await runLoad(targets[name].server.port, connections, { ms: sliceMs }, source(targets[name])))
  }
  return found
}

/** What a commit of PostgreSQL takes by itself, at the middle. */
async function commitMs(url: string, ms: number): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('CREATE TABLE IF NOT EXISTS bench_commit (id integer PRIMARY KEY, at timestamptz, body bytea)')
    await client.query('INSERT INTO bench_commit VALUES (1, now(), NULL) ON CONFLICT DO NOTHING')
    const body = Buffer.alloc(6_000, 7)
    const times: number[] = []
    const until = performance.now() + ms
    while (performance.now() < until) {
      const began = performance.now()
      await client.query('UPDATE bench_commit SET at = clock_timestamp(), body = $1 WHERE id = 1', [body])
      times.push(performance.now() - began)
    }
    return percentileOf(times, 0.5)
  } finally {
    await client.end()
  }
}

/** How long nobody could write, each time something was done to the leader. */
async function gapsOf(
  { machines }: HubOfMachines,
  rounds: number,
  act: (leader: HubMachine) => Promise<void>,
): Promise<number[]> {
  const gaps: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const leader = await leaderOf(machines)
    const follower = machines.find((one) => one !== leader)!
    await follower.follows()
    // The newest rows have to be there: nobody takes over with less.
    await pause(1_500)
    const began = performance.now()
    await act(leader)
    for (;;) {
      // Started again at once, the machine that was lost may be the one that leads.
      const now = machines.find(({ call }) => call !== null)
      const { id: _id, ...row } = makeTasks(8, written, (written += 1))[0]!
      const answer = await now?.call?.('POST', '/api/v1/data/task', row).catch(() => undefined)
      if (answer?.status === 201) break
      await pause(5)
    }
    gaps.push(performance.now() - began)
  }
  return gaps
}

async function measure(say: Say): Promise<GoalFigure[]> {
  const { quick } = flags
  const rows = Number(flags.rows ?? (quick ? 1_000 : 20_000))
  const ms = Number(flags.ms ?? (quick ? 500 : 5_000))
  const rounds = Number(flags.rounds ?? (quick ? 2 : 20))
  const dataDir = makeDataDir('cairn')
  const made = await createHub(['a', 'b'])
  const alone = await startServer('cairn', dataDir)
  const figures: GoalFigure[] = []
  try {
    made.machines[0]!.start()
    const leader = await leaderOf(made.machines)
    const targets = { alone: createTarget(alone), hub: createTarget(serverOf(leader)) }
    say(`filling both with ${rows.toLocaleString('en-US')} rows`)
    for (const target of Object.values(targets)) {
      await target.prepare(['task'])
      await seed(target, rows)
    }
    made.machines[1]!.start()
    await made.machines[1]!.follows()

    say('writes of one client')
    const commit = await commitMs(made.cluster.url, ms)
    const one = await both(targets, 1, ms, creates)
    const p50 = (list: readonly LoadResult[]): number => median(list.map(({ p50Ms }) => p50Ms))
    figures.push({
      id: 'write-one',
      label: 'write, 1 client, p50',
      unit: 'ms',
      value: p50(one.hub),
      goal: ['lower', p50(one.alone) + commit + 1.5],
      note: `alone ${p50(one.alone).toFixed(2)} ms, a commit of PostgreSQL ${commit.toFixed(2)} ms`,
    })
    const share = (list: { readonly alone: readonly LoadResult[]; readonly hub: readonly LoadResult[] }): number =>
      median(list.hub.map(({ rate }, at) => rate / list.alone[at]!.rate))
    const rateNote = (list: { readonly hub: readonly LoadResult[] }): string =>
      `${Math.round(median(list.hub.map(({ rate }) => rate))).toLocaleString('en-US')} per second`
    say('writes of 64 clients')
    const many = await both(targets, 64, ms, creates)
    figures.push({
      id: 'write-many',
      label: 'writes, 64 clients, share of a host alone',
      unit: '×',
      value: share(many),
      goal: ['higher', 0.5],
      note: rateNote(many),
    })
    say('reads of 16 clients')
    const reads = await both(targets, 16, ms, (target) => gets(target, rows))
    figures.push({
      id: 'read',
      label: 'get by id, 16 clients, share of a host alone',
      unit: '×',
      value: share(reads),
      goal: ['higher', 0.97],
      note: rateNote(reads),
    })
    await alone.stop()

    say(`${rounds} failovers`)
    const failovers = await gapsOf(made, rounds, async (machine) => machine.kill())
    figures.push({
      id: 'failover',
      label: 'failover, p99 until somebody writes again',
      unit: 'ms',
      value: percentileOf(failovers, 0.99),
      goal: ['lower', leaseMs + 1_000],
      note: `p50 ${Math.round(percentileOf(failovers, 0.5))} ms`,
    })
    say(`${rounds} handovers`)
    const tooks: number[] = []
    const handovers = await gapsOf(made, rounds, async () => {
      const handed = await made.hub('handover')
      if (handed.code !== 0) throw new Error(handed.error)
      tooks.push(Number(/after (\d+) ms/.exec(handed.output)?.[1]))
    })
    figures.push(
      {
        id: 'handover',
        label: 'handover, p99 until the other one leads',
        unit: 'ms',
        value: percentileOf(tooks, 0.99),
        goal: ['lower', 1_000],
      },
      {
        id: 'handover-write',
        label: 'handover, p99 from the command to the next write',
        unit: 'ms',
        value: percentileOf(handovers, 0.99),
      },
    )
    return figures
  } finally {
    await made.remove()
    removeDataDir(dataDir)
  }
}

async function main(): Promise<number> {
  if (flags.help) {
    process.stdout.write(usage)
    return 0
  }
  if (!hasPostgres) {
    process.stderr.write('There is no PostgreSQL 15 or newer in /usr/lib/postgresql to measure with.\n')
    return 1
  }
  const say = createProgress()
  const figures = await measure(say)
  process.stdout.write(`${formatGoalTable(figures, [])}\n`)
  if (flags.json !== undefined) {
    const judged = figures.map((figure) => ({ ...figure, ok: meetsGoal(figure) }))
    writeFileSync(flags.json, `${JSON.stringify({ node: process.version, figures: judged }, null, 2)}\n`)
  }
  say('done')
  return 0
}

process.exitCode = await main()
