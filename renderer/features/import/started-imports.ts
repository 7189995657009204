// Owns what this page knows about imports it started itself: the table with its cells, and how to run it once more.
// The host keeps the jobs; this is gone with the page, and everything works without it.
import type { OpenTable } from './table-client.ts'
import type { ImportPlan } from './start-import.ts'

/** An import of this page. */
export interface StartedImport {
  plan: ImportPlan
  table: OpenTable
  /** The object was made for this table: undoing may take it along. */
  newObject: boolean
  /** Whether the screen goes on to the records when everything went well; once. */
  forward: boolean
}

/** Tables are large: only those of the latest imports keep their cells. */
const keptTables = 3

const started = new Map<string, StartedImport>()

/** Remembers an import; the oldest one loses its table. */
export function rememberImport(jobId: string, entry: StartedImport): void {
  started.set(jobId, entry)
  for (const [id, old] of started) {
    if (started.size <= keptTables) return
    started.delete(id)
    if (![...started.values()].some((other) => other.table === old.table)) old.table.close()
  }
}

/** What this page knows about an import; undefined after a reload. */
export function startedImport(jobId: string): StartedImport | undefined {
  return started.get(jobId)
}
