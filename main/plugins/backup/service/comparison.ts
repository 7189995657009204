// Says what the restore of a backup would change: records by object, and definitions (D-313). Knows which tables those are in by
// the metadata service alone.
import { PlatformError, platformError } from '#shared/errors.ts'
import { objectTable } from '#shared/object-schema.ts'
import type { FileChecker } from '#main/database/check-in-child.ts'
import type { ComparedTable, TableComparison } from '#main/database/compare-files.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { BackupComparison } from '../api.ts'

/** Compares the present state with the database of a backup. */
export type CompareBackup = (id: string, file: string, signal: AbortSignal) => Promise<BackupComparison>

/** Most definitions told of each kind of change. */
const maxTold = 200

/** Makes the comparison. */
export function createComparison(parts: {
  readonly compare: FileChecker['compare']
  readonly metadata: () => MetadataService | undefined
}): CompareBackup {
  return async (id, file, signal) => {
    const compare = async (tables: readonly ComparedTable[]): Promise<readonly TableComparison[]> => {
      try {
        return await parts.compare(file, tables, signal)
      } catch (error) {
        if (error instanceof PlatformError && (error.code === 'timeout' || error.code === 'service_unavailable'))
          throw error
        signal.throwIfAborted()
        throw platformError('conflict', { reason: 'backup_damaged', problems: ['It cannot be read.'] }, error)
      }
    }
    const metadata = parts.metadata()
    if (metadata === undefined) return { id, objects: [], definitions: { ...countsOf(undefined), items: [] } }
    const [definitions] = await compare([{ ...metadata.comparedItems, told: maxTold }])
    const items = (definitions?.rows ?? []).map(({ key, change }) => {
      const [type, name] = key as [string, string]
      return { type, name, change }
    })
    const former = items.filter(({ type, change }) => type === 'object' && change === 'returning')
    const present = metadata.objectSchemas().filter(({ abstract }) => !abstract)
    const names = [...new Set([...present, ...former].map(({ name }) => name))].toSorted()
    const found = await compare(names.map(recordsOf))
    return {
      id,
      objects: found.flatMap((table, at) =>
        table.now === null && table.then === null
          ? []
          : [{ object: names[at]!, now: table.now, then: table.then, ...countsOf(table) }],
      ),
      definitions: { ...countsOf(definitions), items },
    }
  }
}

function recordsOf(object: string): ComparedTable {
  return { table: objectTable(object), keys: ['id'], version: 'updated_at', liveOnly: true }
}

function countsOf(table: TableComparison | undefined) {
  return { returning: table?.returning ?? 0, going: table?.going ?? 0, reverting: table?.reverting ?? 0 }
}
