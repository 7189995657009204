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
  const touched = convertedColumns(plan)
  // An index over a column that is converted must go and come back, although its definition is the same.
  for (const index of physicalIndexes(after)) {
    if (index.keys.some((key) => touched.has(key.column))) {
      dropped.add(index.name)
      created.add(index.name)
    }
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
  for (const { change, oldField, newField } of changes) {
    if (change === 'rename_field' && oldField && newField) {
      const from = fieldColumns(oldField)
      const to = fieldColumns(newField)
      from.forEach((column, i) => {
        const target = to[i]
        if (!target || target.name === column.name) return
        sql.push(
          `ALTER TABLE ${quoteName(after.table)} RENAME COLUMN ${quoteName(column.name)} TO ${quoteName(target.name)}`,
        )
      })
    }
  }
  for (const { change, oldField, newField } of changes) {
    if (change === 'retype_field' && oldField && newField) sql.push(...(convertSql(after, oldField, newField) ?? []))
    if (change === 'add_field' && newField) sql.push(...addColumnsSql(after, newField))
  }
  return sql
}

function convertedColumns({ changes, after }: SchemaPlan): Set<string> {
  const columns = new Set<string>()
  for (const { change, oldField, newField } of changes) {
    if (change !== 'retype_field' || !oldField || !newField || !after) continue
    if ((convertSql(after, oldField, newField) ?? []).length > 0) columns.add(newField.column)
  }
  return columns
}

function dropTrashIndex(schema: ObjectSchema): string {
  return `DROP INDEX IF EXISTS ${quoteName(`i_${schema.name}`)}`
}
