// Keeps summary fields in step with the records they look at, in the transaction of those records' change (D-94).
// Counts, sums of values with a fixed number of digits, and extremes follow from the difference; everything else is
// worked out anew from the children. Each parent is written once per job, however many of its children changed.
import { platformError } from '#shared/errors.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Steps, Tx } from '#main/kernel/database.ts'
import { runSteps } from '#main/kernel/database.ts'
import { getRow, ringThrough } from '../store.ts'
import type { Row } from './codec.ts'
import { computeSummary, passesFilter } from './summary-store.ts'
import type { SummaryRule, SummaryRules } from './summary-rules.ts'

/** Keeps summaries; one per host. */
export interface Summaries {
  /**
   * Runs record writes and brings the summaries they touch up to date before it returns.
   * @returns the records whose summaries changed, as `object/id`
   */
  scope<T>(tx: Tx, ctx: RequestContext, fn: () => T): { value: T; touched: ReadonlySet<string> }
  /** The same around steps. */
  scopeSteps<T>(tx: Tx, ctx: RequestContext, fn: () => Steps<T>): Steps<{ value: T; touched: ReadonlySet<string> }>
  /** Whether a scope is under way in this transaction. */
  isOpen(tx: Tx): boolean
  /**
   * Takes a live row out of the summaries that look at it. Call before the row changes, since filters ask the table.
   * @param columns the columns about to change; absent when the row goes
   */
  leaving(tx: Tx, schema: ObjectSchema, row: Row, columns?: Row): void
  /** Takes a live row in. Call after it is stored. */
  entering(tx: Tx, schema: ObjectSchema, row: Row, columns?: Row): void
  /** Sets the summaries of a new record. */
  begin(schema: ObjectSchema, row: Row): void
  /** The summaries of a record that comes back, from its children as they are now. */
  renewed(tx: Tx, schema: ObjectSchema, id: string): Row
}

/** Stores summary values of a parent as an update by the system. */
export type StoreDerived = (tx: Tx, ctx: RequestContext, schema: ObjectSchema, stored: Row, columns: Row) => void

/** Parents of parents and so on; a chain that is longer than this does not come to rest. */
const maxRounds = 100

const noneTouched: ReadonlySet<string> = new Set()

interface Change {
  readonly rule: SummaryRule
  readonly parentId: string
  recompute: boolean
  count: number
  /** In units of 1 / factor. */
  sum: number
  readonly added: number[]
  readonly removed: number[]
}

type Ledger = Map<string, Change>

/** Makes the keeper of summaries. */
export function createSummaries(rules: SummaryRules, queryEnv: () => QueryEnv, store: StoreDerived): Summaries {
  const ledgers = new WeakMap<Tx, Ledger>()

  const note = (tx: Tx, schema: ObjectSchema, row: Row, columns: Row | undefined, sign: 1 | -1): void => {
    for (const rule of rules.over(schema.name)) {
      if (columns !== undefined && !concerns(rule, columns)) continue
      const parents = parentsOf(rule, row)
      if (parents.length === 0) continue
      const ledger = ledgers.get(tx)
      if (ledger === undefined) throw new Error(`A record of "${schema.name}" was written outside of a summary scope.`)
      const counts = rule.steady && rule.fn !== 'avg' && passesFilter(tx, rule, row['id'] as string, queryEnv())
      // The ring that a row opens may hold figures that came to rest in it.
      if (sign === -1 && (columns === undefined || Object.hasOwn(columns, rule.relation.column)))
        for (const id of ringAlong(tx, rule, row)) changeOf(ledger, rule, id).recompute = true
      for (const parentId of parents) {
        const change = changeOf(ledger, rule, parentId)
        if (!rule.steady || rule.fn === 'avg') change.recompute = true
        else if (counts) add(change, row, sign)
      }
    }
  }

  const settle = function* (tx: Tx, ctx: RequestContext, ledger: Ledger): Steps<ReadonlySet<string>> {
    if (ledger.size === 0) return noneTouched
    const touched = new Set<string>()
    for (let round = 0; ledger.size > 0; round += 1) {
      if (round === maxRounds) {
        // Two machines may have closed a ring of links together; what peers wrote cannot be refused.
        if (ctx.source === 'sync') break
        throw platformError('validation_error', { reason: 'summaries_do_not_settle' })
      }
      const changes = [...ledger.values()]
      ledger.clear()
      for (const [key, group] of Map.groupBy(changes, (change) => `${change.rule.parent.name}/${change.parentId}`)) {
        yield
        const { parent } = group[0]!.rule
        const row = getRow(tx, parent, group[0]!.parentId)
        // A deleted parent is worked out anew when it comes back.
        if (row === undefined || row['deleted_at'] !== null) continue
        const columns: Row = {}
        // Figures that come round in a ring of a tree rest until it is open.
        const due = touched.has(key) ? group.filter(({ rule }) => ringAlong(tx, rule, row).length === 0) : group
        for (const change of due) {
          const { column } = change.rule.field
          const value = follow(change, row[column] as number | null) ?? anew(tx, change)
          if (value !== row[column]) columns[column] = value
        }
        if (Object.keys(columns).length === 0) continue
        store(tx, ctx, parent, row, columns)
        touched.add(key)
      }
    }
    return touched
  }

  const anew = (tx: Tx, change: Change): number | null => computeSummary(tx, change.rule, change.parentId, queryEnv())

  const scopeSteps: Summaries['scopeSteps'] = function* (tx, ctx, fn) {
    if (!rules.any()) return { value: yield* fn(), touched: noneTouched }
    const outer = ledgers.get(tx)
    const ledger: Ledger = new Map()
    ledgers.set(tx, ledger)
    try {
      const value = yield* fn()
      return { value, touched: yield* settle(tx, ctx, ledger) }
    } finally {
      if (outer === undefined) ledgers.delete(tx)
      else ledgers.set(tx, outer)
    }
  }

  return {
    scope: (tx, ctx, fn) => runSteps(scopeSteps(tx, ctx, () => oneStep(fn))),
    scopeSteps,
    isOpen: (tx) => ledgers.has(tx),
    leaving: (tx, schema, row, columns) => note(tx, schema, row, columns, -1),
    entering: (tx, schema, row, columns) => note(tx, schema, row, columns, 1),
    begin(schema, row) {
      for (const { field, fn } of rules.of(schema.name)) row[field.column] = fn === 'count' || fn === 'sum' ? 0 : null
    },
    renewed(tx, schema, id) {
      const env = queryEnv()
      return Object.fromEntries(
        rules.of(schema.name).map((rule) => {
          // What its children did in this scope is in it already.
          ledgers.get(tx)?.delete(keyOf(rule, id))
          return [rule.field.column, computeSummary(tx, rule, id, env)]
        }),
      )
    },
  }
}

/** Work as a step of others. */
export function* oneStep<T>(fn: () => T): Steps<T> {
  yield
  return fn()
}

/** The ring a record of a tree stands in, along the relation of a summary. */
function ringAlong(tx: Tx, { parent, relation }: SummaryRule, row: Row): readonly string[] {
  return relation.type === 'tree' ? ringThrough(tx, parent, relation.column, row) : []
}

function concerns(rule: SummaryRule, columns: Row): boolean {
  // A filter that walks into other objects or follows the clock may answer differently at any write.
  if (!rule.steady) return true
  for (const column of rule.columns) if (Object.hasOwn(columns, column)) return true
  return false
}

function parentsOf(rule: SummaryRule, row: Row): readonly string[] {
  const value = row[rule.relation.column]
  if (typeof value !== 'string') return []
  return rule.relation.multiple ? (JSON.parse(value) as string[]) : [value]
}

function keyOf({ parent, field }: SummaryRule, parentId: string): string {
  return `${parent.name}/${parentId}/${field.name}`
}

function changeOf(ledger: Ledger, rule: SummaryRule, parentId: string): Change {
  const key = keyOf(rule, parentId)
  let change = ledger.get(key)
  if (change === undefined) {
    change = { rule, parentId, recompute: false, count: 0, sum: 0, added: [], removed: [] }
    ledger.set(key, change)
  }
  return change
}

function add(change: Change, row: Row, sign: 1 | -1): void {
  const { rule } = change
  const value = rule.source === null ? 1 : row[rule.source.column]
  if (value === null || value === undefined) return
  change.count += sign
  if (typeof value !== 'number') return
  if (rule.fn === 'sum') {
    if (rule.factor === null) change.recompute = true
    else change.sum += sign * toWhole(value * rule.factor)
  } else if (rule.fn !== 'count') (sign === 1 ? change.added : change.removed).push(value)
}

/** The new value as far as it follows from the present one and the difference; undefined when it does not. */
function follow(change: Change, present: number | null): number | null | undefined {
  if (change.recompute) return undefined
  const { fn, factor } = change.rule
  if (fn === 'count') return present === null ? undefined : present + change.count
  if (fn === 'sum') {
    if (present === null || factor === null) return undefined
    const sum = toWhole(present * factor) + change.sum
    return Number.isSafeInteger(sum) ? sum / factor : undefined
  }
  const choose = fn === 'min' ? Math.min : Math.max
  const best = choose(...change.added, ...(present === null ? [] : [present]))
  // Whether another child has the value that went is not known.
  if (change.removed.some((value) => choose(value, best) === value)) return undefined
  return Number.isFinite(best) ? best : present
}

/** Rounds as SQLite's `round` does: halves away from zero. */
function toWhole(value: number): number {
  return Math.trunc(value + (value < 0 ? -0.5 : 0.5))
}
