// Decides where a read runs: on the main thread, or in the killable reader process when it may take long (D-91).
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { HeavyReads, Reads, Statement } from '#main/kernel/database.ts'
import type { CostHints } from '#main/database/query/cost.ts'
import { createCostModel } from '#main/database/query/cost.ts'
import type { TableSizes } from './table-sizes.ts'

/** Lists stop after this long (D-91). */
const queryTimeoutMs = 5_000

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
}): ReadRunner {
  const { read, heavy, clock, sizes } = parts
  const cost = createCostModel()

  const runHere: ReadRunner['runHere'] = (statement, hints) => {
    if (hints.crowded === true || cost.wasSlow(statement, clock.now())) return undefined
    if (!cost.isCheap(read, statement, { rowsOf: sizes, ...hints })) return undefined
    const startedAt = performance.now()
    const rows = read.all(hints.keyed === undefined ? cost.improve(read, statement) : statement)
    cost.note(statement, performance.now() - startedAt, clock.now())
    return rows
  }

  return {
    runHere,
    async run(ctx, statement, hints = {}) {
      const rows = runHere(statement, hints)
      if (rows !== undefined) return rows
      return heavy.query(cost.improve(read, statement), { timeoutMs: queryTimeoutMs, signal: ctx.signal })
    },
    sorts: (statement) => cost.sorts(read, statement),
    clear: cost.clear,
  }
}
