// Carries a plan out at once, inside one write: for tables small enough that nobody waits. Knows SQL and values only.
import type { Tx } from '#main/kernel/database.ts'
import { fillColumns, sourceOf } from './column-work.ts'
import type { ColumnWork, FillSource } from './column-work.ts'
import type { ConversionEnv } from './convert-value.ts'
import { planSql } from './plan-sql.ts'
import type { PlanSql, PlanSqlOptions } from './plan-sql.ts'
import type { SchemaPlan } from './schema-plan.ts'

/** How a plan is applied. */
export interface ApplyOptions extends PlanSqlOptions {
  readonly env: ConversionEnv
  /** Another source for a field than its old columns. */
  readonly source?: (work: ColumnWork, to: readonly string[]) => FillSource
  /** True: columns were added and filled before, and the indexes are built after. */
  readonly prepared?: boolean
}

/** Applies a counted plan to the tables. @returns what was done, with the columns that keep old values */
export function applyPlan(
  tx: Pick<Tx, 'all' | 'run' | 'ddl' | 'addColumns'>,
  plan: SchemaPlan,
  options: ApplyOptions,
): PlanSql {
  const sql = planSql(plan, options)
  const run = (statements: readonly string[]): void => statements.forEach((text) => tx.ddl(text))
  const exchange = (): void => {
    run(sql.exchange)
    tx.addColumns((plan.after ?? plan.before)?.table ?? '', sql.added)
  }
  if (options.prepared === true) {
    exchange()
    return sql
  }
  run(sql.dropIndexes)
  tx.addColumns(plan.before?.table ?? '', sql.widen)
  const filling = fillColumns(plan.before?.table ?? '', fillSources(sql, options))
  for (let row: number | null = 0; row !== null;) row = filling.slice(tx, row, 1_000)
  exchange()
  run(sql.createIndexes)
  return sql
}

/** What each new column is filled from. */
export function fillSources({ works }: PlanSql, { env, source }: ApplyOptions): FillSource[] {
  return works.map(({ work, to }) => source?.(work, to) ?? sourceOf(work, to, env))
}
