// Decides where a read runs: on the main thread, or in the killable reader process when it may take long (D-91).
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { HeavyReads, Reads, Statement } from '#main/kernel/database.ts'
import { isCheap } from '#main/database/query/cost.ts'
import { aboutRows } from '../store.ts'
import type { PlanCache, ReadHints } from './plan-cache.ts'
import { createResultCache } from './result-cache.ts'

/** Lists stop after this long (D-91). */
const queryTimeoutMs = 5_000

/** Groups that took this long are kept until something is written. */
const keptFromMs = 1

/** Runs a statement where it delays nobody. @throws timeout after 5 s in the reader process */
export type RunRead = <Row>(ctx: RequestContext, statement: Statement<Row>, hints?: ReadHints) => Promise<Row[]>

/** The decision. */
export interface ReadRunner {
  readonly run: RunRead
  /** The rows when the read is cheap, else undefined; nothing has run then. */
  runHere<Row>(statement: Statement<Row>, hints: ReadHints): Row[] | undefined
}

/** Makes the runner of one host. */
export function createReadRunner(parts: {
  readonly read: Reads
  readonly heavy: HeavyReads
  readonly sizes: TableSizes
  readonly plans: PlanCache
  /** See {@link Database.version}. */
  version(): number
}): ReadRunner {
  const { read, heavy, sizes, plans, version } = parts
  const kept = createResultCache(version)

  const runHere = <Row>(statement: Statement<Row>, hints: ReadHints): Row[] | undefined => {
    const known = plans.statement(statement)
    if (plans.wasSlow(known)) return undefined
    const looksDear =
      hints.crowded === true || !isCheap({ rowsOf: sizes, ...hints }, () => plans.explain(statement, known))
    if (looksDear && !plans.isQuick(statement)) return undefined
    const startedAt = performance.now()
    const rows = read.all(hints.keyed === undefined ? improved(statement) : statement)
    const tookMs = performance.now() - startedAt
    plans.note(statement, tookMs, { here: true, looksDear })
    if (hints.readsAll === true && tookMs >= keptFromMs) kept.put(statement, version(), rows)
    return rows
  }

  const improved = <Row>(statement: Statement<Row>): Statement<Row> => {
    const { sql } = plans.explain(statement)
    return sql === statement.sql ? statement : { sql, parameters: statement.parameters }
  }

  const runElsewhere = async <Row>(ctx: RequestContext, statement: Statement<Row>): Promise<Row[]> => {
    const since = version()
    const tookMs = (ms: number): void => plans.note(statement, ms, { here: false, looksDear: true })
    const rows = await heavy.query(improved(statement), { timeoutMs: queryTimeoutMs, signal: ctx.signal, tookMs })
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
