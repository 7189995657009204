// Keeps object tables in step with object definitions: plans a change, and applies it in the write that stores the
// definition. Registered with the metadata service as the hook of type `object`.
import { platformError } from '#shared/errors.ts'
import type { ObjectDefinition } from '#shared/object-definition.ts'
import { compileObject } from '#shared/object-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import { diffObject } from '#main/database/schema/diff-object.ts'
import { planSql } from '#main/database/schema/plan-sql.ts'
import { countPlan, showPlan } from '#main/database/schema/schema-plan.ts'
import type { SchemaPlan } from '#main/database/schema/schema-plan.ts'
import { fieldColumns } from '#main/database/schema/table-ddl.ts'
import { findDuplicates } from '#main/database/schema/unique.ts'
import type { TypeHook } from '#main/plugins/metadata/api.ts'
import type { SearchService } from '#main/plugins/search/api.ts'
import { addSchemaBackup, countRows, quote } from '../store.ts'

/** What the hook works with. */
export interface ObjectTablesParts {
  readonly search: () => SearchService | undefined
  readonly clock: Clock
  readonly ids: Ids
}

type Candidate = Parameters<TypeHook['plan']>[1]

/** Makes the hook. */
export function createObjectTables(parts: ObjectTablesParts): TypeHook {
  const { clock, ids } = parts

  /** Moves or copies what the plan removes into a table of its own, so that nothing is gone at once (D-101). */
  const keepRemoved = (tx: Tx, plan: SchemaPlan): { tableMoved: boolean } => {
    const { before, after, changes } = plan
    if (before === null || before.abstract) return { tableMoved: false }
    const keep = (field: string | null, table: string): void => {
      addSchemaBackup(tx, {
        id: ids.uuid(),
        object: before.name,
        field,
        table,
        records: countRows(tx, table),
        createdAt: clock.iso(),
      })
    }
    if (after === null || after.abstract) {
      const table = backupTable(ids)
      for (const name of indexNames(tx, before.table)) tx.ddl(`DROP INDEX ${quote(name)}`)
      tx.ddl(`ALTER TABLE ${quote(before.table)} RENAME TO ${quote(table)}`)
      keep(null, table)
      return { tableMoved: true }
    }
    for (const { change, oldField } of changes) {
      if (change !== 'delete_field' || oldField === undefined) continue
      const table = backupTable(ids)
      const columns = fieldColumns(oldField)
        .map((column) => quote(column.name))
        .join(', ')
      const set = `${quote(oldField.column)} IS NOT NULL`
      tx.ddl(`CREATE TABLE ${quote(table)} AS SELECT id, ${columns} FROM ${quote(before.table)} WHERE ${set}`)
      keep(oldField.name, table)
    }
    return { tableMoved: false }
  }

  return {
    plan(previous, next, reads) {
      const plan = planOf(previous, next)
      countPlan(plan, (counting) => reads.get(counting))
      refuseDuplicates(reads, plan)
      return showPlan(plan)
    },
    apply(tx, _ctx, previous, next) {
      const plan = planOf(previous, next)
      const { before, after } = plan
      const search = parts.search()
      if (before !== null && !before.abstract && (after === null || after.abstract)) search?.drop(tx, before)
      if (!keepRemoved(tx, plan).tableMoved) for (const sql of planSql(plan)) tx.ddl(sql)
      if (after !== null && !after.abstract) search?.ensure(tx, after, before)
    },
  }
}

function planOf(previous: Candidate, next: Candidate): SchemaPlan {
  return diffObject(compile(previous), compile(next))
}

/** Compiles an item; the metadata service checked the definition before it asked. */
function compile(item: Candidate): ObjectSchema | null {
  if (item === null) return null
  return compileObject({ ...item.item, name: item.name, uid: item.uid } as ObjectDefinition)
}

/** @throws conflict with the values that several records share (D-100) */
function refuseDuplicates(read: Pick<Tx, 'all'>, plan: SchemaPlan): void {
  const { before } = plan
  if (before === null) return
  for (const { change, field, to, oldField, records } of plan.changes) {
    if (change !== 'add_unique' || records === 0) continue
    const names = oldField === undefined ? (to as string[]) : [oldField.name]
    const path = field === undefined ? 'indexes' : `fields.${field}.unique`
    throw platformError('conflict', {
      duplicates: findDuplicates(read, before, names),
      fieldErrors: [{ field: path, code: 'not_unique', message: 'Records share values that would have to be unique.' }],
    })
  }
}

function backupTable(ids: Ids): string {
  return `data_backup_${ids.uuid().replaceAll('-', '')}`
}

function indexNames(tx: Tx, table: string): string[] {
  return tx
    .all<{ name: string }>(
      statement("SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL", [table]),
    )
    .map((row) => row.name)
}
