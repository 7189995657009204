// Durability: what was acknowledged survives kill -9, a polite end, and the loss of power.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { cairnEntry, childEntry, startChildServer } from '../child-server.ts'
import { compareWithFile, defineLoadObject, startLoad } from '../kill-load.ts'
import type { Journal, KillReport } from '../kill-load.ts'
import { defineCheck, skipCheck } from '../registry.ts'
import type { CheckContext, SkippedCheck } from '../registry.ts'
import { createRandom } from '../random.ts'
import { readSyncTrace } from '../sync-trace.ts'

/** How a series of ends under load went. */
interface Series extends KillReport {
  readonly ends: number
  readonly badExits: number
  readonly orphans: number
  readonly startsMs: readonly number[]
}

/** Starts the server, writes, ends it, compares; again and again on one folder. */
async function endUnderLoad(
  context: CheckContext,
  options: { entry: string; signal: 'SIGKILL' | 'SIGTERM'; ends: number },
): Promise<Series> {
  const random = createRandom(context.seed)
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-end-'))
  const journal: Journal = new Map()
  const startsMs: number[] = []
  let badExits = 0
  let report: KillReport = { acknowledged: 0, lost: 0, half: 0, damaged: 0 }
  let damaged = 0
  try {
    for (let round = 1; round <= options.ends; round += 1) {
      const server = await startChildServer({ dataDir, entry: options.entry })
      startsMs.push(server.startMs)
      if (round === 1) await defineLoadObject(server)
      const load = startLoad(server, journal)
      await pause(150 + random() * 900)
      const code = await server.end(options.signal)
      await load.stop()
      if (options.signal === 'SIGTERM' && code !== 0) badExits += 1
      report = compareWithFile(join(dataDir, 'cairn.db'), journal)
      damaged += report.damaged
      context.log(
        `end ${round}: ${report.acknowledged} acknowledged, ${report.lost} lost, ${report.half} half, ${report.damaged} damaged, exit ${String(code)}`,
      )
    }
    const orphans = readdirSync(dataDir, { recursive: true }).filter((name) =>
      /\.(tmp|partial|incoming)$/.test(String(name)),
    )
    return { ...report, damaged, ends: options.ends, badExits, orphans: orphans.length, startsMs }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function killCount(context: CheckContext): number {
  return { commit: 3, nightly: 12, release: 500 }[context.size]
}

let killed: Promise<Series> | undefined
/** One series serves both figures: what was lost, and how fast the next start was. */
const killSeries = (context: CheckContext): Promise<Series> =>
  (killed ??= endUnderLoad(context, { entry: cairnEntry, signal: 'SIGKILL', ends: killCount(context) }))

const careless = childEntry('careless-server')
const violations = (series: Series): number =>
  series.lost + series.half + series.damaged + series.orphans + series.badExits

defineCheck({
  id: 'R1',
  file: 'durability',
  unit: 'acknowledged writes lost, batches halved, failed integrity checks and orphan files after kill -9 under load',
  target: 0,
  run: async (context) => violations(await killSeries(context)),
  twin: async (context) => violations(await endUnderLoad(context, { entry: careless, signal: 'SIGKILL', ends: 2 })),
})

defineCheck({
  id: 'R1t',
  file: 'durability',
  unit: 'ms until the host answers after kill -9 (99th percentile)',
  target: { atMost: 2000 },
  run: async (context) => percentile((await killSeries(context)).startsMs.slice(1), 0.99),
  // A server that is slow to start, as one would be that checks its whole file first.
  twin: async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'cairn-slow-'))
    try {
      const server = await startChildServer({ dataDir, entry: childEntry('slow-start') })
      await server.end('SIGKILL')
      return server.startMs
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
})

defineCheck({
  id: 'R26',
  file: 'durability',
  unit: 'acknowledged writes lost and exits other than 0 after SIGTERM under load',
  target: 0,
  run: async (context) => {
    const ends = context.size === 'commit' ? 5 : 20
    return violations(await endUnderLoad(context, { entry: cairnEntry, signal: 'SIGTERM', ends }))
  },
  twin: async (context) => violations(await endUnderLoad(context, { entry: careless, signal: 'SIGTERM', ends: 2 })),
})

/** Runs the server under strace: requests one by one, then from many clients at once. */
async function traceAnswers(context: CheckContext, entry: string): Promise<number | SkippedCheck> {
  const reason = whyNoTrace()
  if (reason !== undefined) return skipCheck(reason)
  const wanted = context.size === 'commit' ? 150 : 500
  let unsynced = 0
  for (const clients of context.size === 'commit' ? [16] : [1, 16]) {
    const dataDir = mkdtempSync(join(tmpdir(), 'cairn-trace-'))
    const trace = join(dataDir, '..', `${dataDir.split('/').at(-1)}.trace`)
    try {
      const calls = 'trace=fsync,fdatasync,pwrite64,write,writev,sendto,sendmsg'
      const wrap = ['strace', '-f', '-y', '-s', '4096', '-e', calls, '-o', trace]
      const server = await startChildServer({ dataDir, entry, wrap })
      await defineLoadObject(server)
      let left = clients === 1 ? wanted : wanted * 2
      await Promise.all(
        Array.from({ length: clients }, async () => {
          while (left-- > 0) {
            const answer = await server.call('POST', '/api/v1/data/kill_note', { title: 'traced', request: left })
            if (answer.status !== 201) throw new Error(`a write was refused: ${answer.status} ${answer.text}`)
          }
        }),
      )
      await server.end('SIGTERM')
      const report = readSyncTrace(readFileSync(trace, 'utf8'), clients === 1)
      context.log(
        `${clients} client(s): ${report.acknowledged} answers, ${report.syncs} syncs, ${report.unsynced} unsynced`,
      )
      const expected = clients === 1 ? wanted : wanted * 2
      if (report.acknowledged !== expected) {
        throw new Error(`the trace shows ${report.acknowledged} answers, not ${expected}: it cannot be judged`)
      }
      unsynced += report.unsynced
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
      rmSync(trace, { force: true })
    }
  }
  return unsynced
}

function whyNoTrace(): string | undefined {
  if (process.platform !== 'linux') return 'the order of system calls is traced on Linux only'
  const probe = spawnSync('strace', ['-o', '/dev/null', 'true'])
  if (probe.error !== undefined) return 'strace is not installed'
  return probe.status === 0 ? undefined : `strace may not trace here: ${probe.stderr.toString().trim()}`
}

defineCheck({
  id: 'R2',
  file: 'durability',
  unit: 'answers that left before the log of their write was forced to disk',
  target: 0,
  run: (context) => traceAnswers(context, cairnEntry),
  twin: (context) => traceAnswers(context, childEntry('host-without-sync')),
})

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN)
}
