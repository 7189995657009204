// What schema changes need over time: at the start, what a cut-off change left behind is taken away and missing indexes
// are built; each hour, backups that have expired go for good.
import { internalContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import { aboutRows } from '../../store.ts'
import type { SchemaBackup } from './backup-store.ts'
import { allBackups, removeBackup, tableExists } from './backup-store.ts'
import type { SchemaChangeParts } from './change-parts.ts'
import { usualLimits } from './change-parts.ts'
import type { DerivedValues } from './derived.ts'
import { findIndexRepair, hideMissing, repairIndexes } from './index-repair.ts'
import { removeStrayColumns, strayColumns } from './stray-columns.ts'
import { deleteSlice, dropTableSql } from './table-store.ts'

/** The upkeep of one host. */
export interface SchemaUpkeep {
  /** Keeps queries from naming indexes that a cut-off change left out; answers what is to be mended in the background. */
  inspect(): () => Promise<void>
  /** Removes backups that have expired. */
  expire(): Promise<void>
}

/** The event of a backup whose table went for good: of an object, nothing is left of it from then on. */
export const backupExpiredEvent = 'schema.backup_expired'

const sliceMs = 8

/** Makes the upkeep. */
export function createSchemaUpkeep(parts: SchemaChangeParts, derived: DerivedValues): SchemaUpkeep {
  const { metadata, read, write, clock } = parts

  const isLarge = (table: string): boolean => aboutRows(read, table) > (parts.limits ?? usualLimits).asideFrom

  /** Empties a table slice by slice and drops it: dropping a full one would hold the event loop. */
  const dropTable = async (table: string, forget: (tx: Tx) => void): Promise<void> => {
    let rest = tableExists(read, table) && isLarge(table)
    while (rest) {
      rest = await write('data.backup-empty', (tx) => {
        const until = performance.now() + sliceMs
        let changes = 1
        while (changes > 0 && performance.now() < until) changes = deleteSlice(tx, table)
        return changes > 0
      })
    }
    await write('data.backup-expire', (tx) => {
      tx.ddl(dropTableSql(table))
      forget(tx)
    })
  }

  const expireOne = async (backup: SchemaBackup): Promise<void> => {
    const isBack = metadata.objectSchemas().some(({ table }) => table === backup.table)
    if ((backup.kind === 'object' || backup.kind === 'table') && !isBack) {
      // What is put aside inside of the table goes with it.
      const inside = allBackups(read).filter((other) => other.table === backup.table)
      await dropTable(backup.table, (tx) => {
        for (const { id } of [backup, ...inside]) removeBackup(tx, id)
        const { kind, object, objectUid } = backup
        // What belongs to an object that is back, or may come back from a later deletion, stays.
        const isThere = metadata.objectSchemas().some(({ uid }) => uid === objectUid)
        if (isThere || allBackups(tx).some((other) => other.kind === 'object' && other.objectUid === objectUid)) return
        tx.emit(internalContext('schema-backups'), { type: backupExpiredEvent, object, payload: { kind, objectUid } })
      })
      return
    }
    await write('data.backup-expire', (tx) => removeBackup(tx, backup.id))
    if (backup.kind !== 'object' && tableExists(read, backup.table))
      await removeStrayColumns(parts, { table: backup.table })
  }

  return {
    inspect() {
      const suspects = metadata.objectSchemas().filter((schema) => {
        if (schema.abstract || !tableExists(read, schema.table)) return false
        const repair = findIndexRepair(read, schema)
        hideMissing(schema, repair)
        return repair.drop.length + repair.build.length > 0 || strayColumns(read, schema.table).length > 0
      })
      return async () => {
        for (const schema of suspects) {
          const now = metadata.objectSchema(schema.name)
          if (now === undefined || now.uid !== schema.uid) continue
          parts.log.warn({ object: now.name }, 'A change of this object was cut off; its table is put in order.')
          await repairIndexes(parts, now)
          await removeStrayColumns(parts, now)
        }
        await derived.fillRemembered()
      }
    },
    async expire() {
      const now = clock.iso()
      for (const backup of allBackups(read)) if (backup.expiresAt <= now) await expireOne(backup)
    },
  }
}
