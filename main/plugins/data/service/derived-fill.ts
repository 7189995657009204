// Fills computed columns of records there are already when a definition changes: new or changed summaries of the object,
// summaries of other objects that look at it, and formulas. Versions stay as they are: nobody changed a record.
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { formulasOf } from '#shared/formulas/formulas-of.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Tx } from '#main/kernel/database.ts'
import { rowsAfter, updateNumbered } from '../store.ts'
import type { RecordRules } from './record-rules.ts'
import { fillSummary } from './summary-store.ts'
import type { SummaryRule } from './summary-rules.ts'
import { summaryRulesOf } from './summary-rules.ts'

/** What a change of an object's definition leaves to fill. */
export interface DerivedFill {
  readonly summaries: readonly SummaryRule[]
  /** Objects whose stored formulas are worked out again. */
  readonly formulas: readonly ObjectSchema[]
}

/** What planning and filling need of the world after the change. */
export interface DerivedWorld {
  /** Every object, the changed one as it will be. */
  schemas(): readonly ObjectSchema[]
  readonly queryEnv: QueryEnv
}

/** Works out what to fill; both lists are empty when the change concerns no computed value. */
export function planDerivedFill(before: ObjectSchema | null, after: ObjectSchema, world: DerivedWorld): DerivedFill {
  if (after.abstract) return { summaries: [], formulas: [] }
  const schemas = world.schemas()
  const now = lookup(schemas, after)
  const then = lookup(schemas, before)
  const known = new Set(
    schemas.flatMap((schema) => {
      const parent = schema.name === after.name ? before : schema
      return parent === null ? [] : summaryRulesOf(parent, then, world.queryEnv).map(signature)
    }),
  )
  const all = schemas.flatMap((schema) =>
    summaryRulesOf(schema.name === after.name ? after : schema, now, world.queryEnv),
  )
  const summaries = all.filter((rule) => !known.has(signature(rule)))
  const filled = new Set(summaries.map((rule) => rule.parent))
  const changed = before === null || formulaText(before) !== formulaText(after)
  if (changed) filled.add(after)
  // Summaries of computed values follow, over as many objects as there are.
  const names = new Set([...filled].map((schema) => schema.name))
  for (let found = true; found;) {
    const next = all.filter((rule) => !summaries.includes(rule) && names.has(rule.child.name) && readsComputed(rule))
    found = next.length > 0
    for (const rule of next) {
      summaries.push(rule)
      filled.add(rule.parent)
      names.add(rule.parent.name)
    }
  }
  return { summaries, formulas: [...filled].filter((schema) => formulasOf(schema).stored.length > 0) }
}

/**
 * Works the stored formulas of the next records out.
 * @param after the row number to go on after; 0 begins
 * @returns the last row number, or null when no record is left
 */
export function fillFormulas(
  tx: Tx,
  schema: ObjectSchema,
  rules: Pick<RecordRules, 'compute'>,
  { after, limit, onChange }: { after: number; limit: number; onChange?: () => void },
): number | null {
  const rows = rowsAfter(tx, schema, after, limit)
  for (const row of rows) {
    const columns = rules.compute(schema, row)
    if (Object.keys(columns).length === 0) continue
    onChange?.()
    updateNumbered(tx, schema, row['rowid'], columns)
  }
  return rows.length < limit ? null : Number(rows.at(-1)!['rowid'])
}

/** Figures that follow from each other come to rest after as many rounds as they are deep. */
const maxRounds = 100

/** Fills everything of a plan in one write. */
export function fillDerived(tx: Tx, plan: DerivedFill, queryEnv: QueryEnv, rules: Pick<RecordRules, 'compute'>): void {
  const isChained = plan.summaries.some(readsComputed)
  for (let round = 0; round < maxRounds; round += 1) {
    let changes = 0
    for (const rule of plan.summaries) changes += fillSummary(tx, rule, queryEnv)
    const onChange = (): void => {
      changes += 1
    }
    for (const schema of plan.formulas) {
      for (let at: number | null = 0; at !== null;)
        at = fillFormulas(tx, schema, rules, { after: at, limit: 500, onChange })
    }
    if (!isChained || changes === 0) return
  }
}

/** Whether a summary looks at values that are computed themselves. */
function readsComputed({ child, columns }: SummaryRule): boolean {
  return child.fields.some((field) => field.computed && columns.has(field.column))
}

/** Everything a summary's value depends on but the records themselves. */
function signature({ parent, field, child, relation, source, fn, where, factor }: SummaryRule): string {
  const sourceKey = source === null ? null : [source.uid, source.type, source.settings, factor]
  return JSON.stringify([parent.uid, field.uid, child.uid, relation.uid, relation.multiple, sourceKey, fn, where])
}

function formulaText(schema: ObjectSchema): string {
  // Any retyped field may change what a formula makes of it.
  return JSON.stringify([
    formulasOf(schema).stored.map(({ schema: field }) => [field.uid, field.settings]),
    schema.fields.map((field) => [field.name, field.uid, field.type, field.settings]),
  ])
}

function lookup(
  schemas: readonly ObjectSchema[],
  one: ObjectSchema | null,
): (name: string) => ObjectSchema | undefined {
  const byName = new Map(schemas.map((schema) => [schema.name, schema]))
  if (one !== null) byName.set(one.name, one)
  return (name) => byName.get(name)
}
