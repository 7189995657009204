// Changes of large tables: the new columns are made by a process of their own and filled slice by slice while reads go on
// and writes to the object wait; then names change hands in the write that stores the definition. What a crash leaves
// behind are columns nobody knows, which the next start removes.
import { platformError } from '#shared/errors.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { fillColumns, sourceOf } from '#main/database/schema/column-work.ts'
import type { ColumnWork, FillSource } from '#main/database/schema/column-work.ts'
import { hideIndexes, physicalIndexes } from '#main/database/schema/physical-indexes.ts'
import { planSql } from '#main/database/schema/plan-sql.ts'
import type { PlanSql } from '#main/database/schema/plan-sql.ts'
import { worksOf } from '#main/database/schema/schema-plan.ts'
import type { SchemaPlan } from '#main/database/schema/schema-plan.ts'
import type { MetadataItem, SchemaChangeStep } from '#main/plugins/metadata/api.ts'
import { aboutRows } from '../../store.ts'
import type { Candidate, SchemaChangeParts } from './change-parts.ts'
import { conversionEnv, planOf, usualLimits } from './change-parts.ts'
import type { DerivedValues } from './derived.ts'
import { removeStrayColumns } from './stray-columns.ts'
import { repairIndexes } from './index-repair.ts'
import type { SchemaPlanning } from './planning.ts'
import { dropIndexSql } from './table-store.ts'
import { closeForWrites, openForWrites } from './write-gate.ts'

/** A change under way, as people see it. */
export interface ChangeProgress {
  readonly object: string
  readonly phase: 'counting' | 'preparing' | 'converting' | 'storing' | 'indexing' | 'computing'
  /** Rows behind the conversion so far. */
  readonly done: number
  readonly total: number
  readonly startedAt: string
}

/** A change that was prepared before the write that stores it. */
export interface PreparedChange {
  readonly plan: SchemaPlan
  readonly steps: SchemaChangeStep[]
  readonly token: string
  /** Values that did not arrive, by field; of fields that go the number of their values. */
  readonly lost: ReadonlyMap<string, number>
}

/** Where another source than the old columns fills a field: a backup that comes back. */
export type SourceChoice = (plan: SchemaPlan, work: ColumnWork, to: readonly string[]) => FillSource | undefined

/** What long changes work with beside the parts of all schema changes. */
export interface LongChangeParts {
  readonly planning: SchemaPlanning
  readonly choose: SourceChoice
  /** Adds the work of what comes back from a backup. */
  readonly adapt: (plan: SchemaPlan) => SchemaPlan
  readonly derived: DerivedValues
}

/** Runs long changes. */
export interface LongChanges {
  /** Prepares a change of a large table, lets `commit` store it, and finishes it; small ones are only stored. */
  around(
    ctx: RequestContext,
    previous: MetadataItem | null,
    next: Candidate,
    commit: () => Promise<void>,
  ): Promise<void>
  /** The preparation of the object's change that is about to be stored. */
  prepared(objectUid: string): PreparedChange | undefined
  /** Whether computed values are filled after the write that is about to store the object's change. */
  fillsLater(objectUid: string): boolean
  progress(objectUid: string): ChangeProgress | undefined
  /** Stops a change that is not stored yet and undoes it; false when there is none. */
  cancel(objectUid: string): boolean
}

/** Work of one slice in milliseconds: what other requests wait at most for it. */
const sliceMs = 8
const sliceRows = 100
const retryAfterSeconds = 2

interface Running {
  readonly progress: { -readonly [K in keyof ChangeProgress]: ChangeProgress[K] }
  readonly abort: AbortController
  readonly fillsLater: boolean
  prepared: PreparedChange | undefined
}

/** Makes the runner. */
export function createLongChanges(
  parts: SchemaChangeParts,
  { planning, choose, adapt, derived }: LongChangeParts,
): LongChanges {
  const limits = parts.limits ?? usualLimits
  const running = new Map<string, Running>()

  const fill = async (plan: SchemaPlan, sql: PlanSql, run: Running): Promise<Map<string, FillCounts>> => {
    const counts = new Map<string, FillCounts>()
    const table = plan.before!.table
    run.progress.phase = 'converting'
    run.progress.total = aboutRows(parts.read, table)
    // Filled from committed rows: nothing else writes to them.
    const env = conversionEnv(parts, plan, parts.read)
    const sources = sql.works.map(({ work, to }) =>
      counted(choose(plan, work, to) ?? sourceOf(work, to, env), work.next.name, counts),
    )
    const filling = fillColumns(table, sources)
    for (let row: number | null = 0; row !== null;) {
      run.abort.signal.throwIfAborted()
      const from: number = row
      row = await parts.write('data.convert', (tx) => {
        const until = performance.now() + sliceMs
        let at: number | null = from
        while (at !== null && performance.now() < until) at = filling.slice(tx, at, sliceRows)
        return at
      })
      run.progress.done = row ?? run.progress.total
    }
    return counts
  }

  /** Everything before the write that stores the definition. */
  const prepare = async (
    plan: SchemaPlan,
    { schema, previous, next }: { schema: ObjectSchema; previous: MetadataItem; next: Candidate },
    run: Running,
  ): Promise<void> => {
    const { signal } = run.abort
    const token = parts.ids.uuid().replaceAll('-', '')
    if (plan.after === null) {
      // The indexes of a table that goes would keep their names; queries must not name them any more.
      await dropAllIndexes(schema, signal)
      return
    }
    const sql = planSql(plan, { token })
    run.progress.phase = 'preparing'
    await parts.write('data.widen', (tx) => tx.addColumns(plan.before!.table, sql.widen))
    const counts = sql.works.length > 0 ? await fill(plan, sql, run) : new Map<string, FillCounts>()
    signal.throwIfAborted()
    // Rows stored since the plan was shown may have made it another one; the write then asks for consent again.
    const shown = planning.shown(previous, next)
    const steps = shown !== undefined && agrees(shown, counts) ? shown : await planning.planInSlices(plan, signal)
    const lost = new Map<string, number>([
      ...steps.flatMap((step): [string, number][] =>
        step.change === 'delete_field' ? [[step.field!, step.records]] : [],
      ),
      ...[...counts].map(([field, count]): [string, number] => [field, count.nulled + count.shortened]),
    ])
    run.prepared = { plan, steps, token, lost }
  }

  const dropAllIndexes = async (schema: ObjectSchema, signal: AbortSignal): Promise<void> => {
    const names = physicalIndexes(schema).map((index) => index.name)
    hideIndexes(schema, names)
    for (const name of [...names, `i_${schema.name}`]) {
      await parts.longDdl.run([dropIndexSql(name)], { signal })
    }
  }

  /** Puts everything back as it was before the change. */
  const undo = async (schema: ObjectSchema, run: Running): Promise<void> => {
    run.prepared = undefined
    openForWrites(schema)
    await removeStrayColumns(parts, schema)
    await repairIndexes(parts, schema)
  }

  const isWanted = (plan: SchemaPlan, rows: number): 'no' | 'sliced' | 'aside' => {
    if (plan.changes.length === 0 || plan.before === null || plan.before.abstract) return 'no'
    if (rows > limits.asideFrom && (plan.after === null || plan.changes.some(({ change }) => aside.has(change))))
      return 'aside'
    return rows > limits.slicedFrom && worksOf(plan).length > 0 ? 'sliced' : 'no'
  }

  return {
    async around(ctx, previous, next, commit) {
      const plan = adapt(planOf(previous, next))
      const schema = plan.before === null ? undefined : parts.metadata.objectSchema(plan.before.name)
      if (schema === undefined || plan.before === null || plan.before.abstract) return commit()
      // Options nobody uses need no work; what is used was counted for the plan that was shown.
      for (const change of plan.changes) {
        if (change.change === 'remove_option') change.records = 1
      }
      const wanted = isWanted(plan, aboutRows(parts.read, schema.table))
      const fillsLater = plan.after !== null && !plan.after.abstract && derived.isLong(plan.before, plan.after)
      if (wanted === 'no' && !fillsLater) return commit()
      const run: Running = {
        progress: { object: schema.name, phase: 'counting', done: 0, total: 0, startedAt: parts.clock.iso() },
        abort: new AbortController(),
        fillsLater,
        prepared: undefined,
      }
      const leave = (): void => run.abort.abort(platformError('timeout', { reason: 'cancelled' }))
      ctx.signal.addEventListener('abort', leave, { once: true })
      running.set(schema.uid, run)
      const carryOut = async (): Promise<void> => {
        if (plan.after === null || worksOf(plan).length > 0) closeForWrites(schema, retryAfterSeconds)
        // Writes that were accepted before are stored when this returns.
        await parts.write('data.schema-change', () => undefined)
        try {
          if (wanted !== 'no') await prepare(plan, { schema, previous: previous!, next }, run)
          run.progress.phase = 'storing'
          await commit()
        } catch (error) {
          await undo(schema, run)
          throw error
        }
        run.prepared = undefined
        run.progress.phase = 'indexing'
        const now = plan.after === null ? undefined : parts.metadata.objectSchema(plan.after.name)
        if (now !== undefined) await repairIndexes(parts, now)
        if (fillsLater) {
          run.progress.phase = 'computing'
          await derived.fillRemembered()
        }
      }
      try {
        await (wanted === 'aside' ? parts.longDdl.around(carryOut) : carryOut())
      } finally {
        ctx.signal.removeEventListener('abort', leave)
        running.delete(schema.uid)
      }
    },
    prepared: (uid) => running.get(uid)?.prepared,
    fillsLater: (uid) => running.get(uid)?.fillsLater === true,
    progress: (uid) => running.get(uid)?.progress,
    cancel(uid) {
      const run = running.get(uid)
      if (run === undefined || uncancellable.has(run.progress.phase)) return false
      run.abort.abort(platformError('conflict', { reason: 'cancelled' }))
      return true
    },
  }
}

const uncancellable: ReadonlySet<string> = new Set(['storing', 'indexing', 'computing'])

/** Changes that look at every row of the table in one statement. */
const aside: ReadonlySet<string> = new Set([
  'rename_object',
  'delete_field',
  'rename_field',
  'retype_field',
  'remove_option',
  'add_index',
  'remove_index',
])

/** What became of the values of one field. */
export interface FillCounts {
  converted: number
  nulled: number
  shortened: number
}

/** A source that counts what arrives. */
export function counted(source: FillSource, field: string, counts: Map<string, FillCounts>): FillSource {
  const count: FillCounts = { converted: 0, nulled: 0, shortened: 0 }
  counts.set(field, count)
  return {
    ...source,
    convert(columns) {
      const result = source.convert(columns)
      if (columns[0] === null) return result
      if (result.outcome === 'kept') count.converted += 1
      else if (result.outcome === 'lost') count.nulled += 1
      else count.shortened += 1
      return result
    },
  }
}

function agrees(steps: readonly SchemaChangeStep[], counts: ReadonlyMap<string, FillCounts>): boolean {
  return steps.every((step) => {
    const count = step.field === undefined || step.change !== 'retype_field' ? undefined : counts.get(step.field)
    if (count === undefined) return true
    return (
      step.converted === count.converted &&
      step.nulled === count.nulled &&
      step.lossy === count.nulled + count.shortened
    )
  })
}
