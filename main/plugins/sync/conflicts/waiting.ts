// What is here and not in its place yet, beside envelopes that lie aside: definitions that cannot be stored as they are, and
// documents whose object or fields are not known here. Each with a reason; none of it holds anything else up. Reads only.
import type { z } from 'zod'
import type { SyncWaiting } from '#shared/contracts/sync-conflicts.ts'
import type { Reads } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'

/** One thing that waits, or many of one kind. */
export type WaitingEntry = z.output<typeof SyncWaiting>

const kindOf: Readonly<Record<string, WaitingEntry['kind']>> = { r: 'records', t: 'texts', f: 'feeds' }
const mostItems = 200

/** How much waits, and how many definitions were tried and could not be stored; asked often. */
export function countWaiting(read: Pick<Reads, 'get'>): { readonly waiting: number; readonly stuck: number } {
  const sql = `SELECT
    (SELECT count(*) FROM sync_metadata WHERE due <> 0) + (SELECT count(*) FROM sync_doc WHERE flags <> 0) AS waiting,
    (SELECT count(*) FROM sync_metadata WHERE due <> 0 AND reason IS NOT NULL) AS stuck`
  return read.get(statement<{ waiting: number; stuck: number }>(sql))!
}

/** What waits: definitions, the longest wait first, then documents by object. */
export function listWaiting(
  read: Pick<Reads, 'all'>,
  metadata: Pick<MetadataService, 'objectSchemas'>,
): WaitingEntry[] {
  const due = read.all(
    statement<{ type: string; uid: string; wanted: string; reason: string | null; since: string | null }>(
      `SELECT type, uid, wanted, reason, since FROM sync_metadata WHERE due <> 0 ORDER BY since, type, uid LIMIT ?`,
      [mostItems],
    ),
  )
  // The flag 1 is `needsProject`; whoever asks while sync is off loads nothing of documents for it.
  const documents = read.all(
    statement<{ letter: string; object: string; isKept: 0 | 1; count: number }>(
      `SELECT substr(name, 1, 1) AS letter, substr(name, 3, instr(substr(name, 3), '/') - 1) AS object,
         flags & 1 = 0 AS isKept, count(*) AS count
       FROM sync_doc WHERE flags <> 0 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    ),
  )
  const schemas = new Map(metadata.objectSchemas().map((schema) => [schema.uid, schema.name]))
  // The last names of objects that are gone.
  const gone = new Map(
    read
      .all(statement<{ uid: string; wanted: string }>(`SELECT uid, wanted FROM sync_metadata WHERE type = 'object'`))
      .map(({ uid, wanted }) => [uid, wanted] as const),
  )
  const plain = (wanted: string): string =>
    wanted.replace(/^uid_([0-9a-f]{32})\./, (mark, uid: string) => {
      const name = schemas.get(uid)
      return name === undefined ? mark : `${name}.`
    })
  return [
    ...due.map(({ type, uid, wanted, reason, since }): WaitingEntry => {
      const [word, detail] = splitReason(reason)
      return { kind: 'metadata', type, name: plain(wanted) || uid, count: 1, reason: word, detail, since }
    }),
    ...documents.flatMap(({ letter, object, isKept, count }): WaitingEntry[] => {
      const kind = kindOf[letter]
      const name = schemas.get(object)
      const [unknown, newer] = isKept ? ['object_removed', 'field_removed'] : ['object_unknown', 'newer_schema']
      const reason = name === undefined ? unknown! : newer!
      return kind === undefined
        ? []
        : [{ kind, type: '', name: name ?? (gone.get(object) || object), count, reason, detail: '', since: null }]
    }),
  ]
}

/** The word of a reason, and the rest. */
function splitReason(reason: string | null): [word: string, detail: string] {
  if (reason === null) return ['not_tried', '']
  const found = /^([a-z_]+)(?:: )?([\s\S]*)$/.exec(reason)
  return found === null ? ['failed', reason] : [found[1]!, found[2]!]
}
