// Decides where a read runs: on the main thread, or in the killable reader process when it may take long (D-91).
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { HeavyReads, Reads, Statement } from '#main/kernel/database.ts'
import type { CostHints } from '#main/database/query/cost.ts'
import { createCostModel } from '#main/database/query/cost.ts'
import { createResultCache } from './result-cache.ts'
import { createCostFeedback } from './cost-feedback.ts'
import { aboutRows } from '../store.ts'

/** Lists stop after this long (D-91). */
const queryTimeoutMs = 5_000

/** Groups that took this long are kept until something is written. */
const keptFromMs = 1

/** What is known of a read beside its text. */
export interface ReadHints extends Omit<CostHints, 'rowsOf'> {
  /** True: many matches have to be ranked, whatever the plan says. */
  readonly crowded?: boolean
}

/** Runs a statement where it delays nobody. @throws timeout after 5 s in the reader process */
export type RunRead = <Row>(ctx: RequestContext, statement: Statement<Row>, hints?: ReadHints) => Promise<Row[]>

/** The decision and what it has learnt. */
export interface ReadRunner {
  readonly run: RunRead
  /** The rows when the read is cheap, else undefined; nothing has run then. */
  runHere<Row>(statement: Statement<Row>, hints: ReadHints): Row[] | undefined
  /** Whether the statement sorts rows rather than reading them in order. */
  sorts(statement: Statement): boolean
  /** Forgets all plans; needed after a change of tables or statistics. */
  clear(): void
}

/** Makes the runner of one host. */
export function createReadRunner(parts: {
  readonly read: Reads
  readonly heavy: HeavyReads
  readonly clock: Clock
  readonly sizes: TableSizes
  /** See {@link Database.version}. */
  version(): number
}): ReadRunner {
  const { read, heavy, clock, sizes, version } = parts
  const cost = createCostModel()
  const quick = createCostFeedback()
  const kept = createResultCache(version)

  const runHere = <Row>(statement: Statement<Row>, hints: ReadHints): Row[] | undefined => {
    if (cost.wasSlow(statement, clock.now())) return undefined
    const isCheap = hints.crowded !== true && cost.isCheap(read, statement, { rowsOf: sizes, ...hints })
    if (!isCheap && !quick.has(statement)) return undefined
    const startedAt = performance.now()
    const rows = read.all(hints.keyed === undefined ? cost.improve(read, statement) : statement)
    const tookMs = performance.now() - startedAt
    cost.note(statement, tookMs, clock.now())
    if (!isCheap) quick.note(statement, tookMs)
    if (hints.readsAll === true && tookMs >= keptFromMs) kept.put(statement, version(), rows)
    return rows
  }

  const runElsewhere = async <Row>(ctx: RequestContext, statement: Statement<Row>): Promise<Row[]> => {
    const since = version()
    const tookMs = (ms: number): void => quick.note(statement, ms)
    const rows = await heavy.query(cost.improve(read, statement), {
      timeoutMs: queryTimeoutMs,
      signal: ctx.signal,
      tookMs,
    })
    kept.put(statement, since, rows)
    return rows
  }

  return {
    runHere,
    async run<Row>(ctx: RequestContext, statement: Statement<Row>, hints: ReadHints = {}) {
      const known = hints.keyed === undefined ? kept.get(statement) : undefined
      if (known !== undefined) return known as Row[]
      return runHere(statement, hints) ?? runElsewhere(ctx, statement)
    },
    sorts: (statement) => cost.sorts(read, statement),
    clear() {
      cost.clear()
      quick.clear()
    },
  }
}

/** A size is asked for again after this long. */
const freshMs = 2_000

/** Answers about how many rows a table has; deleted rows count, gaps too. */
export type TableSizes = (table: string) => number

/** Makes the memory. The highest row number is one index step away, so asking costs nothing that grows. */
export function createTableSizes(read: Pick<Reads, 'get'>, clock: Clock): TableSizes {
  const known = new Map<string, { rows: number; at: number }>()
  return (table) => {
    const found = known.get(table)
    if (found !== undefined && clock.now() - found.at < freshMs) return found.rows
    const rows = aboutRows(read, table)
    if (known.size > 5_000) known.clear()
    known.set(table, { rows, at: clock.now() })
    return rows
  }
}
