// Columns that a change left behind when it was cut off, and those of backups that have gone: nobody reads them, and they
// are removed without holding anybody up.
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Reads } from '#main/kernel/database.ts'
import { aboutRows } from '../../store.ts'
import { allBackups } from './backup-store.ts'
import type { SchemaChangeParts } from './change-parts.ts'
import { usualLimits } from './change-parts.ts'
import { columnNames, dropColumnSql } from './table-store.ts'

/** Columns of the object's table that are neither a field's nor a backup's. */
export function strayColumns(reads: Pick<Reads, 'all' | 'get'>, table: string): string[] {
  // Columns that no field has bear this mark.
  const marked = [...columnNames(reads, table)].filter((name) => name.startsWith('$'))
  if (marked.length === 0) return []
  const kept = new Set(allBackups(reads).flatMap((backup) => backup.columns))
  return marked.filter((column) => !kept.has(column))
}

/** Removes the stray columns of an object's table. */
export async function removeStrayColumns(parts: SchemaChangeParts, schema: Pick<ObjectSchema, 'table'>): Promise<void> {
  const stray = strayColumns(parts.read, schema.table)
  if (stray.length === 0) return
  const isLarge = aboutRows(parts.read, schema.table) > (parts.limits ?? usualLimits).asideFrom
  for (const column of stray) {
    const drop = dropColumnSql(schema.table, column)
    if (isLarge) await parts.longDdl.run([drop])
    else await parts.write('data.drop-column', (tx) => tx.ddl(drop))
  }
}
