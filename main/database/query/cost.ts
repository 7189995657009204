// Whether a read may run on the main thread. Asks SQLite for the plan once per statement text.
import type { Reads, Statement } from '#main/kernel/database.ts'
import { withoutIdleIndex } from './idle-index.ts'
import type { FilterWeight } from './query-weight.ts'

/** Rows a read may touch on the main thread; at this size it takes a few milliseconds. */
export const maxCheapRows = 50_000

/** Rows a read may match texts, lists or JSON of, or follow relations from, on the main thread. */
const maxMatchedRows = 10_000

/** Rows of which long texts may be matched there. */
const maxBulkyRows = 1_000

/** A statement that takes longer than this on the main thread, so many times in a row, goes elsewhere. */
const slowMs = 40
/** A long run may be the machine's fault; asking for the processor's time would cost as much as a short read. */
const slowRuns = 3
const slowForMs = 60_000

/** What the caller knows of a statement beside its text. */
export interface CostHints {
  /** Approximate number of rows of a table, from memory. */
  readonly rowsOf: (table: string) => number
  /** The table whose records are asked for, when the statement reads others beside it. */
  readonly table?: string
  /** True when no condition but deletion and the cursor restricts the rows, so that a served sort ends at the limit. */
  readonly unfiltered?: boolean
  /** True when every matching row is read whatever the limit: groups and distinct rows. */
  readonly readsAll?: boolean
  /** What the conditions ask of each row. */
  readonly weight?: FilterWeight
  /** Number of keys the statement looks up, when it does nothing else. */
  readonly keyed?: number
}

/** Remembers the plan by statement text; drop it when the schema epoch rises or statistics are refreshed. */
export interface CostModel {
  /** Whether the statement is cheap: searches of indexes that end early or yield few rows, and scans of small tables. */
  isCheap(read: Pick<Reads, 'all'>, statement: Statement, hints: CostHints): boolean
  /** Whether the statement sorts rows rather than reading them in order. */
  sorts(read: Pick<Reads, 'all'>, statement: Statement): boolean
  /** The statement as it should be run. */
  improve<Row>(read: Pick<Reads, 'all'>, statement: Statement<Row>): Statement<Row>
  /** Notes how long a statement took here, in milliseconds. */
  note(statement: Statement, tookMs: number, now: number): void
  /** Whether a statement of this text took long lately. */
  wasSlow(statement: Statement, now: number): boolean
  clear(): void
}

/** One step that reads a table, as the plan tells it. */
interface Step {
  readonly table: string
  /** Rows it is expected to read; null when it may be all of them. */
  readonly rows: number | null
  readonly search: boolean
}

interface Plan {
  readonly steps: readonly Step[]
  readonly sorts: boolean
  readonly limited: boolean
  /** The text to run: the statement's own, or one that keeps SQLite from a detour. */
  readonly sql: string
}

const maxRemembered = 2_000

/** Makes a {@link CostModel}. */
export function createCostModel(): CostModel {
  const plans = new Map<string, Plan>()
  /** By text of a statement that was slow: how many times in a row, and when it may be tried again. */
  const slow = new Map<string, { runs: number; until: number }>()
  const planOf = (read: Pick<Reads, 'all'>, statement: Statement): Plan => {
    let plan = plans.get(statement.sql)
    if (plan === undefined) {
      plan = explain(read, statement)
      if (plans.size >= maxRemembered) plans.clear()
      plans.set(statement.sql, plan)
    }
    return plan
  }
  return {
    sorts: (read, statement) => planOf(read, statement).sorts,
    isCheap(read, statement, hints) {
      const { weight } = hints
      if (weight?.relational === true && hints.table !== undefined && hints.rowsOf(hints.table) > maxCheapRows) {
        return false
      }
      if (hints.keyed !== undefined && weight?.relational !== true) return hints.keyed <= maxCheapRows
      const plan = planOf(read, statement)
      const { sorts, limited } = plan
      const isDear = weight !== undefined && (weight.relational || weight.matching)
      const limit = weight?.bulky === true ? maxBulkyRows : isDear ? maxMatchedRows : maxCheapRows
      const endsEarly = limited && !sorts && hints.readsAll !== true
      return plan.steps.every((step) => {
        if (endsEarly && (hints.unfiltered === true || (step.search && !isDear))) return true
        return Math.min(step.rows ?? Infinity, hints.rowsOf(step.table)) <= limit
      })
    },
    improve(read, statement) {
      const { sql } = planOf(read, statement)
      return sql === statement.sql ? statement : { sql, parameters: statement.parameters }
    },
    note({ sql }, tookMs, now) {
      if (tookMs < slowMs) {
        if (slow.size > 0) slow.delete(sql)
        return
      }
      const runs = (slow.get(sql)?.runs ?? 0) + 1
      if (slow.size >= maxRemembered) slow.clear()
      slow.set(sql, { runs, until: now + slowForMs })
    },
    wasSlow({ sql }, now) {
      const known = slow.size === 0 ? undefined : slow.get(sql)
      return known !== undefined && known.runs >= slowRuns && now < known.until
    },
    clear() {
      plans.clear()
      slow.clear()
    },
  }
}

function explain(read: Pick<Reads, 'all'>, statement: Statement): Plan {
  const lines = read.all<{ detail: string }>({
    sql: `EXPLAIN QUERY PLAN ${statement.sql}`,
    parameters: statement.parameters,
  })
  const steps = lines.flatMap(({ detail }): Step[] => {
    const match = /^(SCAN|SEARCH) (\S+)(?: USING (?:COVERING )?INDEX (\S+)(?: \((.*)\))?)?/.exec(detail)
    const table = match && new RegExp(`"([a-z0-9_]+)" AS ${match[2]}\\b`).exec(statement.sql)?.[1]
    if (!match || table === undefined || table === null) return []
    const search = match[1] === 'SEARCH'
    return [{ table, search, rows: search ? estimate(read, match[3], match[4]) : null }]
  })
  const details = lines.map(({ detail }) => detail)
  return {
    steps,
    sql: withoutIdleIndex(read, statement.sql, details) ?? statement.sql,
    sorts: lines.some(({ detail }) => detail.startsWith('USE TEMP B-TREE')),
    limited: / LIMIT \?/.test(statement.sql),
  }
}

/** Rows one search of the index yields on average, from ANALYZE; null when it is not known. */
function estimate(read: Pick<Reads, 'all'>, index: string | undefined, terms: string | undefined): number | null {
  if (index === undefined) return 1
  const equalities = terms?.match(/=\?/g)?.length ?? 0
  if (index.startsWith('sqlite_autoindex')) return equalities > 0 ? 1 : null
  const analyzed =
    read.all({ sql: `SELECT 1 FROM sqlite_master WHERE name = 'sqlite_stat1'`, parameters: [] }).length > 0
  if (!analyzed) return null
  const [row] = read.all<{ stat: string }>({ sql: 'SELECT stat FROM sqlite_stat1 WHERE idx = ?', parameters: [index] })
  const rows = Number(row?.stat.split(' ')[equalities])
  return Number.isFinite(rows) ? rows : null
}
