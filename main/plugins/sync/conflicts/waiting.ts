// What is here and not in its place yet, beside envelopes that lie aside: definitions that cannot be stored as they are, and
// documents whose object or fields are not known here. Each with a reason; none of it holds anything else up. Reads only.
import type { z } from 'zod'
import type { SyncWaiting } from '#shared/contracts/sync-conflicts.ts'
import type { Reads } from '#main/kernel/database.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import { readDue, readObjectNames, readWaitingDocs } from './waiting-store.ts'

/** One thing that waits, or many of one kind. */
export type WaitingEntry = z.output<typeof SyncWaiting>

const kindOf: Readonly<Record<string, WaitingEntry['kind']>> = { r: 'records', t: 'texts', f: 'feeds' }

/** What waits: definitions, the longest wait first, then documents by object. */
export function listWaiting(
  read: Pick<Reads, 'all'>,
  metadata: Pick<MetadataService, 'objectSchemas'>,
): WaitingEntry[] {
  const due = readDue(read)
  const documents = readWaitingDocs(read)
  const schemas = new Map(metadata.objectSchemas().map((schema) => [schema.uid, schema.name]))
  // The last names of objects that are gone.
  const gone = readObjectNames(read)
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
