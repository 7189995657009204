// Computed values after a change of definitions: at once for small tables, slice by slice for large ones. What is not
// finished is remembered, so that the next start goes on.
import type { QueryEnv } from '#shared/filter/query-env.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Tx } from '#main/kernel/database.ts'
import { aboutRows } from '../../store.ts'
import type { DerivedFill } from '../derived-fill.ts'
import { fillDerived, fillFormulas, planDerivedFill } from '../derived-fill.ts'
import type { RecordRules } from '../record-rules.ts'
import { fillSummary } from '../summary-store.ts'
import type { SchemaChangeParts } from './change-parts.ts'
import { usualLimits } from './change-parts.ts'
import { deletePendingFill, nextRows, putPendingFill, readPendingFills } from './table-store.ts'

/** Computed values of one host. */
export interface DerivedValues {
  /** Whether the change leaves so much to compute that it is done in slices. */
  isLong(before: ObjectSchema | null, after: ObjectSchema): boolean
  /** Computes everything inside the write. */
  fillNow(tx: Tx, before: ObjectSchema | null, after: ObjectSchema): void
  /** Remembers inside the write what is computed after it. */
  remember(tx: Tx, before: ObjectSchema | null, after: ObjectSchema): void
  /** Computes in slices what was remembered; a start calls it too. */
  fillRemembered(): Promise<void>
}

/** What computing works with beside the parts of schema changes. */
export interface DerivedParts {
  readonly rules: Pick<RecordRules, 'compute'>
  readonly queryEnv: () => QueryEnv
}

const sliceMs = 8
const sliceRows = 100

/** Makes them. */
export function createDerivedValues(parts: SchemaChangeParts, { rules, queryEnv }: DerivedParts): DerivedValues {
  const { metadata, read, write } = parts

  const planOf = (before: ObjectSchema | null, after: ObjectSchema): { plan: DerivedFill; env: QueryEnv } => {
    const others = metadata.objectSchemas().filter((schema) => schema.uid !== after.uid && !schema.abstract)
    const byName = new Map([...others, after].map((schema) => [schema.name, schema]))
    const env: QueryEnv = { ...queryEnv(), schemaOf: (name) => byName.get(name) }
    return { plan: planDerivedFill(before, after, { schemas: () => [...others, after], queryEnv: env }), env }
  }

  const tablesOf = ({ summaries, formulas }: DerivedFill): ObjectSchema[] => [
    ...new Set([...summaries.map((rule) => rule.parent), ...formulas]),
  ]

  /** Everything of one object, in slices. */
  const fillObject = async (schema: ObjectSchema): Promise<void> => {
    const { plan, env } = planOf(null, schema)
    const own = plan.summaries.filter((rule) => rule.parent.uid === schema.uid)
    const formulas = plan.formulas.some((one) => one.uid === schema.uid)
    for (let row: number | null = 0; row !== null;) {
      const from: number = row
      row = await write('data.derive', (tx) => {
        const until = performance.now() + sliceMs
        let at: number | null = from
        while (at !== null && performance.now() < until) at = fillRows(tx, at)
        return at
      })
    }
    function fillRows(tx: Tx, after: number): number | null {
      const slice = nextRows(tx, schema.table, after, sliceRows)
      if (slice.last === null) return null
      for (const rule of own) fillSummary(tx, rule, env, { after, to: slice.last })
      if (formulas) fillFormulas(tx, schema, rules, { after, limit: sliceRows })
      return slice.n < sliceRows ? null : slice.last
    }
  }

  return {
    isLong(before, after) {
      const limit = (parts.limits ?? usualLimits).slicedFrom
      const table = (schema: ObjectSchema): string => (schema.uid === before?.uid ? before.table : schema.table)
      return (
        before !== null && tablesOf(planOf(before, after).plan).some((schema) => aboutRows(read, table(schema)) > limit)
      )
    },
    fillNow(tx, before, after) {
      const { plan, env } = planOf(before, after)
      fillDerived(tx, plan, env, rules)
    },
    remember(tx, before, after) {
      for (const schema of tablesOf(planOf(before, after).plan)) putPendingFill(tx, schema.uid)
    },
    async fillRemembered() {
      for (const uid of readPendingFills(read)) {
        const schema = metadata.objectSchemas().find((one) => one.uid === uid)
        if (schema !== undefined && !schema.abstract) await fillObject(schema)
        await write('data.derived', (tx) => deletePendingFill(tx, uid))
      }
    },
  }
}
