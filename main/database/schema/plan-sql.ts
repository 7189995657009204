// A schema plan as the statements that carry it out, in order, for one transaction.
import { platformError } from '#shared/errors.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { createIndexSql, dropIndexSql, physicalIndexes } from './physical-indexes.ts'
import { convertSql } from './retype.ts'
import type { SchemaPlan } from './schema-plan.ts'
import { quoteName } from './sql-text.ts'
import { addColumnsSql, createTableSql, dropColumnsSql, fieldColumns, trashIndexSql } from './table-ddl.ts'

/**
 * The statements of a plan. Indexes that change are dropped first and created last, so that columns can be dropped and
 * converted between.
 * @throws not_implemented for a retype that needs value-wise conversion
 * @source D-100
 */
export function planSql(plan: SchemaPlan): string[] {
  const { before, after, changes } = plan
  if (!before || (before.abstract && after && !after.abstract)) return after ? createTableSql(after) : []
  if (before.abstract) return []
  if (!after || after.abstract) return [`DROP TABLE ${quoteName(before.table)}`]
  const blocked = changes.filter((change) => change.unsupported)
  if (blocked.length > 0) {
    throw platformError('not_implemented', {
      changes: blocked.map(({ change, field, from, to }) => ({ change, field, from, to })),
    })
  }
  const renamed = before.name !== after.name
  const dropped = new Set(
    changes.flatMap((change) => (change.change === 'remove_index' && change.index ? [change.index.name] : [])),
  )
  const created = new Set(
    changes.flatMap((change) => (change.change === 'add_index' && change.index ? [change.index.name] : [])),
  )
  // An index over a column that is converted or takes over a name must go and come back, although its definition is
  // the same: SQLite would carry it along with the old column.
  const touched = touchedColumns(plan)
  for (const index of physicalIndexes(before)) {
    if (index.keys.some((key) => touched.old.has(key.column))) dropped.add(index.name)
  }
  for (const index of physicalIndexes(after)) {
    if (index.keys.some((key) => touched.next.has(key.column))) created.add(index.name)
  }
  return [
    ...physicalIndexes(before)
      .filter((index) => dropped.has(index.name))
      .map(dropIndexSql),
    ...(renamed ? [dropTrashIndex(before)] : []),
    ...(renamed ? [`ALTER TABLE ${quoteName(before.table)} RENAME TO ${quoteName(after.table)}`] : []),
    ...columnSql(plan, after),
    ...(renamed ? [trashIndexSql(after)] : []),
    ...physicalIndexes(after)
      .filter((index) => created.has(index.name))
      .map(createIndexSql),
  ]
}

/** Column changes: deletions first, so that a name is free for a rename or an addition. */
function columnSql({ changes }: SchemaPlan, after: ObjectSchema): string[] {
  const sql: string[] = []
  for (const { change, oldField } of changes) {
    if (change === 'delete_field' && oldField) sql.push(...dropColumnsSql(after, oldField))
  }
  sql.push(...renameSql(changes, after))
  for (const { change, oldField, newField } of changes) {
    if (change === 'retype_field' && oldField && newField) sql.push(...(convertSql(after, oldField, newField) ?? []))
    if (change === 'add_field' && newField) sql.push(...addColumnsSql(after, newField))
  }
  return sql
}

/** Renames of columns. One whose new name still belongs to a column that is renamed too waits under a name between. */
function renameSql(changes: SchemaPlan['changes'], after: ObjectSchema): string[] {
  const pairs = changes.flatMap(({ change, oldField, newField }) => {
    if (change !== 'rename_field' || !oldField || !newField) return []
    const to = fieldColumns(newField)
    return fieldColumns(oldField).flatMap((column, i) => (to[i] ? [{ from: column.name, to: to[i].name }] : []))
  })
  const sources = new Set(pairs.map((pair) => pair.from))
  // No field's name has a dollar sign.
  const between = (name: string) => `${name}$`
  const rename = (from: string, to: string) =>
    `ALTER TABLE ${quoteName(after.table)} RENAME COLUMN ${quoteName(from)} TO ${quoteName(to)}`
  const waiting = pairs.filter((pair) => sources.has(pair.to))
  return [
    ...waiting.map((pair) => rename(pair.from, between(pair.to))),
    ...pairs.filter((pair) => !sources.has(pair.to)).map((pair) => rename(pair.from, pair.to)),
    ...waiting.map((pair) => rename(between(pair.to), pair.to)),
  ]
}

/** Columns that are renamed or converted, by their names before and after. */
function touchedColumns({ changes, after }: SchemaPlan): { old: Set<string>; next: Set<string> } {
  const old = new Set<string>()
  const next = new Set<string>()
  for (const { change, oldField, newField } of changes) {
    if (!oldField || !newField || !after) continue
    const isConverted = change === 'retype_field' && (convertSql(after, oldField, newField) ?? []).length > 0
    if (change !== 'rename_field' && !isConverted) continue
    old.add(oldField.column)
    next.add(newField.column)
  }
  return { old, next }
}

function dropTrashIndex(schema: ObjectSchema): string {
  return `DROP INDEX IF EXISTS ${quoteName(`i_${schema.name}`)}`
}
