// Puts aside what a schema change takes away: fields stay in the table under other names, tables stay whole (D-101).
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { RetiredField } from '#main/database/schema/plan-sql.ts'
import type { MetadataItem } from '#main/plugins/metadata/api.ts'
import { countRows } from '../../store.ts'
import type { BackedUpField } from './backup-store.ts'
import { addBackup, expiryOf, moveBackups } from './backup-store.ts'
import type { SchemaChangeParts } from './change-parts.ts'
import { countSet, dropColumnSql, dropIndexSql, indexNames, renameTableSql } from './table-store.ts'

/** What keeping works with. */
export type KeepingParts = Pick<SchemaChangeParts, 'clock' | 'ids' | 'metadata'>

/**
 * Lists columns that stepped aside as backups. Where nothing was lost they go, unless the table is large.
 * @param lost how many values of the field did not arrive, by the name of the field that took its place; of a large
 * table also of fields that went
 */
export function keepColumns(
  parts: KeepingParts,
  tx: Tx,
  versions: { before: ObjectSchema; after: ObjectSchema },
  retired: readonly RetiredField[],
  { lost, isLarge }: { lost: ReadonlyMap<string, number>; isLarge: boolean },
): void {
  const { before, after } = versions
  for (const { field, columns, next } of retired) {
    // Counting looks at every row; of a large table that was done before.
    const isCounted = next !== null || isLarge
    const records = isCounted ? (lost.get((next ?? field).name) ?? 0) : countSet(tx, after.table, columns[0]!)
    if (records === 0 && !isLarge) {
      for (const column of columns) tx.ddl(dropColumnSql(after.table, column))
      continue
    }
    const createdAt = parts.clock.iso()
    const definition: BackedUpField = {
      name: field.name,
      definition: before.definition.fields[field.name]!,
      position: before.fields.indexOf(field),
      ...(next === null ? {} : { next: after.definition.fields[next.name]! }),
    }
    addBackup(tx, {
      id: parts.ids.uuid(),
      kind: next === null ? 'field' : 'conversion',
      object: after.name,
      objectUid: after.uid,
      field: next?.name ?? field.name,
      table: after.table,
      columns,
      records,
      definition,
      createdAt,
      expiresAt: expiryOf(createdAt),
    })
  }
}

/** Takes the table of an object out of its name, with everything in it, and lists it as a backup. */
export function keepTable(parts: KeepingParts, tx: Tx, before: ObjectSchema, item: MetadataItem): void {
  const id = parts.ids.uuid()
  const table = `data_backup_${id.replaceAll('-', '')}`
  for (const name of indexNames(tx, before.table)) tx.ddl(dropIndexSql(name))
  tx.ddl(renameTableSql(before.table, table))
  moveBackups(tx, before.uid, table)
  const createdAt = parts.clock.iso()
  addBackup(tx, {
    id,
    kind: 'object',
    object: before.name,
    objectUid: before.uid,
    field: null,
    table,
    columns: [],
    records: countRows(tx, table),
    definition: { item: { ...item.item }, children: childrenOf(parts, before.name) },
    createdAt,
    expiresAt: expiryOf(createdAt),
  })
}

const childTypes = ['view', 'validation', 'trigger', 'hook', 'action'] as const

/** Items that go with the object because their names begin with its own. */
function childrenOf({ metadata }: KeepingParts, object: string) {
  return childTypes.flatMap((type) =>
    metadata
      .list(type)
      .filter((item) => item.name.startsWith(`${object}.`))
      .map(({ name, uid, item }) => ({ type, name, uid, item: { ...item } })),
  )
}
