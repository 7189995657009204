// People of narrower rights: what each may not do, as profiles that every machine has, and the same once more in words of
// documents, from which the oracle tells what has to be refused. Knows no machine's state.
import { parseKey } from '#main/replication/core/register-keys.ts'
import type { RegisterEntry } from '#main/replication/core/types.ts'
import type { TalkNote } from './talk-writer.ts'
import type { Written } from './host-journal.ts'

/** What somebody may not do: change items; change the size and the notes of parts; change parts of others. */
export type Rights = 'no_items' | 'some_fields' | 'own_records'

const records = {
  allowCreate: true,
  allowRead: true,
  allowEdit: true,
  allowDelete: true,
  allowRestore: true,
  allowPurge: true,
}
const all = { ...records, modifyAllRecords: true }

/** The profiles; parts have the sharing model `read`. */
export const profiles: Readonly<Record<Rights, Record<string, unknown>>> = {
  no_items: { objects: { '*': all, item: { allowRead: true, viewAllRecords: true } } },
  some_fields: {
    objects: { '*': all },
    fields: {
      'part.size': { readable: true, editable: false },
      'part.notes': { readable: true, editable: false },
    },
  },
  own_records: { objects: { '*': { ...records, viewAllRecords: true } } },
}

/** The person of some rights; everywhere the same. */
export const personOf = (rights: Rights): string => `person-${rights}`

/** Uids of what rights speak of. */
export interface RightUids {
  readonly part: string
  readonly item: string
  readonly size: string
  /** The field of items that names their part. */
  readonly master: string
}

/** What is known of all records from everything that was written. */
export interface World {
  /** Owners of parts by id. */
  readonly owners: ReadonlyMap<string, string>
  /** Parts of items by id. */
  readonly masters: ReadonlyMap<string, string>
  /** Who made what was said, by id. */
  readonly makers: ReadonlyMap<string, string>
  /** What was said of each record: by whom, and in which envelope. */
  readonly said: ReadonlyMap<string, readonly Said[]>
}

interface Said {
  readonly by: string
  readonly inc: number
  readonly seq: number
}

/** Gathers a {@link World}. */
export function worldOf(written: Iterable<Written>, uids: RightUids): World {
  const owners = new Map<string, string>()
  const masters = new Map<string, string>()
  const makers = new Map<string, string>()
  const said = new Map<string, Said[]>()
  for (const { docs, inc, seq, talks } of written) {
    for (const { feed, item, what, value } of talks) {
      if (what !== 'made') continue
      const { by } = value as { by: string }
      const id = feed.split('/')[2]!
      makers.set(item, by)
      said.set(id, [...(said.get(id) ?? []), { by, inc, seq }])
    }
    for (const { doc, entries } of docs) {
      const id = doc.split('/')[2]!
      for (const [key, value] of entries) {
        if (key === '_owner') owners.set(id, String(value))
        if (key === uids.master && value !== null) masters.set(id, String(value))
      }
    }
  }
  return { owners, masters, makers, said }
}

/** Whether an entry removes its record for good. */
function isPurge([key, value]: RegisterEntry): boolean {
  return key === '_purge' && value !== null
}

/** The records an envelope removes for good. */
export function purgedBy({ docs }: Written): readonly string[] {
  return docs.flatMap(({ doc, entries }) => (entries.some(isPurge) ? [doc.split('/')[2]!] : []))
}

/**
 * Whether an envelope of somebody has to be refused.
 * @param purged records that are removed for good where it is judged: what else is written of them counts for nothing
 */
export function isForbidden(
  rights: Rights,
  written: Written,
  uids: RightUids,
  world: World,
  purged: ReadonlySet<string>,
): boolean {
  const isOfSomebodyElse = written.talks.some((note) => isOfOthers(note, written.author, world))
  return written.docs.some(({ doc, entries }) => {
    const [kind, object, id] = doc.split('/') as [string, string, string]
    if (kind === 'm') return true
    if (purged.has(id) && !written.isComeback) return false
    if (kind === 'f' && written.isComeback) return entries.some((entry) => isSaidByOthers(entry, written.author, world))
    // Nothing tells whose an item is whose part is gone for good.
    if (rights === 'own_records' && object === uids.item && purged.has(world.masters.get(id) ?? '')) return false
    if (kind === 'f') {
      // Pinning is for all who see the record, so it is for those who may change it.
      const isPinned = written.talks.some(({ what }) => what === 'pin')
      const edit = { kind: 'r', object, id, keys: [], by: personOf(rights) }
      return (
        isOfSomebodyElse ||
        emptiesOthers(written, { id, entries }, world) ||
        (isPinned && refusals[rights](edit, uids, world))
      )
    }
    if (object !== uids.part && object !== uids.item) return false
    const keys = entries.map(([key]) => parseKey(key).uid)
    return refusals[rights]({ kind, object, id, keys, by: personOf(rights) }, uids, world)
  })
}

interface JudgedDoc {
  readonly kind: string
  readonly object: string
  readonly id: string
  readonly keys: readonly string[]
  readonly by: string
}

const refusals: Readonly<Record<Rights, (doc: JudgedDoc, uids: RightUids, world: World) => boolean>> = {
  // Whoever may remove a part may remove what belongs to it.
  no_items: ({ object, keys }, { item }) => object === item && !keys.every((key) => key === '_del' || key === '_purge'),
  some_fields: ({ kind, object, keys }, { part, size }) => object === part && (kind === 't' || keys.includes(size)),
  own_records: ({ object, id, by }, { item }, { owners, masters }) =>
    owners.get(object === item ? (masters.get(id) ?? '') : id) !== by,
}

/** Removing a record for good empties what was said of it, by whoever said it. */
function emptiesOthers(
  { author, inc, past }: Written,
  { id, entries }: { readonly id: string; readonly entries: readonly unknown[] },
  { said }: World,
): boolean {
  const isKnown = (one: Said): boolean => one.inc === inc || (past.applied.get(one.inc) ?? 0) >= one.seq
  return entries.length === 0 && (said.get(id) ?? []).some((one) => one.by !== author && isKnown(one))
}

/** Whether an entry of a feed stands for what somebody else has said. */
function isSaidByOthers([key, value]: RegisterEntry, author: string, { makers }: World): boolean {
  if (key.includes('|')) return !key.endsWith(`|${author}`)
  if (key.endsWith('#pin')) return value !== null && (value as { userId?: unknown }).userId !== author
  return !key.includes('#') && makers.get(key) !== author
}

/** Words of somebody else are theirs; what else is said of an item is open to all. */
function isOfOthers({ item, what }: TalkNote, author: string, { makers }: World): boolean {
  return ['body', 'visibility', 'deleted'].includes(what) && makers.get(item) !== author
}
