// Entry of the process that runs one foreign SQL statement and ends; the host kills it at its limit.
import { endWithParent } from './end-with-parent.ts'
import { RestrictedSqlError, runRestrictedSql } from '#main/database/restricted-sql.ts'
import type { RestrictedQuery } from '#main/database/restricted-sql.ts'

const file = process.argv[2]
if (file === undefined || process.send === undefined) {
  process.stderr.write('The SQL process is started by the host only.\n')
  process.exit(1)
}

process.on('disconnect', () => process.exit(0))
endWithParent()

process.on('message', (message) => {
  try {
    process.send?.({ kind: 'rows', ...runRestrictedSql(file, message as RestrictedQuery) })
  } catch (error) {
    const isRefused = error instanceof RestrictedSqlError || (error instanceof Error && 'code' in error)
    process.send?.({
      kind: isRefused || error instanceof TypeError || error instanceof RangeError ? 'refused' : 'failed',
      message: error instanceof Error ? error.message : String(error),
    })
  }
})
