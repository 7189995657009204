// Keeps object tables in step with object definitions: plans a change, and applies it in the write that stores the
// definition. Registered with the metadata service as the hook of type `object`.
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import { applyPlan } from '#main/database/schema/apply-plan.ts'
import { sourceOf } from '#main/database/schema/column-work.ts'
import { worksOf } from '#main/database/schema/schema-plan.ts'
import type { SchemaPlan } from '#main/database/schema/schema-plan.ts'
import { createIndexSql, physicalIndexes, trashIndex } from '#main/database/schema/physical-indexes.ts'
import type { MetadataItem, TypeHook } from '#main/plugins/metadata/api.ts'
import { renameEffects } from '../store.ts'
import { moveBackups, removeTableBackup, renameBackups, tableExists } from './schema-change/backup-store.ts'
import type { Candidate, SchemaChangeParts } from './schema-change/change-parts.ts'
import { conversionEnv, planOf } from './schema-change/change-parts.ts'
import type { DerivedValues } from './schema-change/derived.ts'
import { keepColumns, keepTable } from './schema-change/keeping.ts'
import { keepUsedOptions } from './schema-change/kept-options.ts'
import { counted, createLongChanges } from './schema-change/long-change.ts'
import type { FillCounts, LongChanges } from './schema-change/long-change.ts'
import { createSchemaPlanning } from './schema-change/planning.ts'
import { renameLinks } from './schema-change/renamed-targets.ts'
import type { Returning } from './schema-change/returning.ts'
import { returningColumns, returningSource, withReturningWork } from './schema-change/returning.ts'
import { renameTableSql } from './schema-change/table-store.ts'
import { closeForWrites } from './schema-change/write-gate.ts'

/** The hook with what the rest of schema changes needs. */
export interface ObjectTables {
  readonly hook: TypeHook
  readonly changes: LongChanges
  /** Lets a save bring back what a backup keeps: the hook takes it instead of making something new. */
  withReturning<T>(returning: Returning, save: () => Promise<T>): Promise<T>
}

/** Makes the hook. */
export function createObjectTables(parts: SchemaChangeParts, derived: DerivedValues): ObjectTables {
  const planning = createSchemaPlanning(parts)
  const returns = new Map<string, Returning>()
  const returningOf = (plan: SchemaPlan): Returning | undefined => returns.get(plan.before?.uid ?? '')
  const changes = createLongChanges(parts, {
    planning,
    derived,
    adapt: (plan) => withReturningWork(plan, returningOf(plan)),
    choose: (plan, work, to) => returningSource(returningOf(plan), work, to, conversionEnv(parts, plan, parts.read)),
  })

  const change = (tx: Tx, plan: SchemaPlan, before: ObjectSchema, after: ObjectSchema): void => {
    const prepared = changes.prepared(before.uid)
    const returning = returns.get(before.uid)
    const env = conversionEnv(parts, plan, tx)
    const counts = new Map<string, FillCounts>()
    if (prepared === undefined) countUsedOptions(tx, plan)
    // What a running change filled is named by its own plan.
    const used = prepared?.plan ?? withReturningWork(plan, returning)
    const search = parts.search()
    const isSearched = worksOf(used).some(({ old }) => before.searchFields.some((field) => field.name === old.name))
    if (isSearched) search?.drop(tx, before)
    const { retired } = applyPlan(tx, used, {
      token: prepared?.token ?? parts.ids.uuid().replaceAll('-', ''),
      env,
      source: (work, to) =>
        counted(returningSource(returning, work, to, env) ?? sourceOf(work, to, env), work.next.name, counts),
      ...(returning === undefined ? {} : { returning: returningColumns(returning, after) }),
      ...(prepared === undefined ? {} : { prepared: true }),
    })
    renameEffects(tx, { from: before.name, to: after.name }, renamedFields(before, after))
    if (before.name !== after.name) {
      renameBackups(tx, after.uid, after.name, after.table)
      const others = parts.metadata.objectSchemas().filter(({ uid }) => uid !== after.uid)
      renameLinks(tx, [...others, after], { from: before.name, to: after.name })
    }
    const lost = prepared?.lost ?? new Map([...counts].map(([field, count]) => [field, count.nulled + count.shortened]))
    keepColumns(parts, tx, { before, after }, retired, { lost, isLarge: prepared !== undefined })
  }

  const create = (tx: Tx, plan: SchemaPlan, after: ObjectSchema): void => {
    const table = returns.get(after.uid)?.table
    if (table !== undefined) removeTableBackup(tx, table)
    if (table === undefined || !tableExists(tx, table)) {
      applyPlan(tx, plan, { token: '', env: conversionEnv(parts, plan, tx) })
      return
    }
    tx.ddl(renameTableSql(table, after.table))
    moveBackups(tx, after.uid, after.table)
    for (const index of [trashIndex(after), ...physicalIndexes(after)]) tx.ddl(createIndexSql(index))
  }

  const hook: TypeHook = {
    plan(previous, next, reads, mayWait = false) {
      const prepared = previous === null ? undefined : changes.prepared(previous.uid)
      return prepared?.steps ?? planning.plan(previous, next, reads, mayWait)
    },
    keep: keepUsedOptions,
    around: (ctx: RequestContext, previous: MetadataItem | null, next: Candidate, commit: () => Promise<void>) =>
      changes.around(ctx, previous, next, commit),
    apply(tx, _ctx, previous, next) {
      const plan = planOf(previous, next)
      const { before, after } = plan
      const search = parts.search()
      const hadTable = before !== null && !before.abstract
      const hasTable = after !== null && !after.abstract
      if (hadTable && !hasTable) {
        search?.drop(tx, before)
        keepTable(parts, tx, before, previous!)
      } else if (hadTable && hasTable) {
        change(tx, plan, before, after)
      } else if (hasTable) {
        create(tx, plan, after)
      }
      if (hasTable) {
        search?.ensure(tx, after, before)
        if (changes.fillsLater(after.uid)) derived.remember(tx, before, after)
        else derived.fillNow(tx, before, after)
      }
      if (hadTable && plan.changes.some(isStructural)) {
        // Whoever prepared a write for the old columns is asked to try again.
        const stale = parts.metadata.objectSchema(before.name)
        if (stale !== undefined) tx.afterCommit(() => closeForWrites(stale, 1))
      }
    },
  }

  return {
    hook,
    changes,
    async withReturning(returning, save) {
      returns.set(returning.objectUid, returning)
      try {
        return await save()
      } finally {
        returns.delete(returning.objectUid)
      }
    },
  }
}

/** Old names of fields that have another one. */
function renamedFields(before: ObjectSchema, after: ObjectSchema): ReadonlyMap<string, string> {
  const names = new Map(before.fields.map(({ uid, name }) => [uid, name]))
  return new Map(
    after.fields.flatMap(({ uid, name }): [string, string][] => {
      const old = names.get(uid)
      return old === undefined || old === name ? [] : [[old, name]]
    }),
  )
}

/** Options nobody uses leave without a look at the values. */
function countUsedOptions(tx: Tx, plan: SchemaPlan): void {
  for (const change of plan.changes) {
    if (change.change === 'remove_option' && change.count !== null) change.records = tx.get(change.count)?.records ?? 0
  }
}

const presentational: ReadonlySet<string> = new Set(['change_object', 'change_field', 'tighten_field', 'add_unique'])

function isStructural({ change, work }: SchemaPlan['changes'][number]): boolean {
  return !presentational.has(change) && !(change === 'retype_field' && work === undefined)
}
