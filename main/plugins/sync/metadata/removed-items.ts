// Conflicts of items that were removed while somebody who did not know of it changed them (D-389), or wrote to the records
// of the object they are (D-233). A removal says which entries of the document whoever removed the item had seen; the others
// were written without knowing. So all machines with the same documents and logs list the same, in whatever order they came.
import type { Clock } from '#main/kernel/clock.ts'
import type { Tx } from '#main/kernel/database.ts'
import { closeOthers, conflictId, openConflict } from '../conflicts/conflict-store.ts'
import type { ConflictSide } from '../conflicts/conflict-store.ts'
import { formatDocName } from '#main/replication/core/doc-names.ts'
import { nameOfEntry } from '#main/replication/core/replaced.ts'
import type { Register } from '#main/replication/core/register.ts'
import type { Json, RegisterEntry } from '#main/replication/core/types.ts'
import type { DocWriter } from '../engine/docs.ts'
import { isSeen } from '../write/deletion-mark.ts'
import type { DeletionMark } from '../write/deletion-mark.ts'
import { fromEntry, parseEntryKey } from './entry-keys.ts'
import { docField, docItem, isItemGone, labelIn } from './item-entries.ts'
import { createRecordScan, removalOf, writtenRecords } from './removed-objects.ts'
import type { WrittenRecords } from './removed-objects.ts'
import { lastName, readParts } from './store.ts'
import type { DocKey } from './store.ts'

/** What a side of such a conflict changed, as the conflict shows it. */
export interface WrittenItem {
  /** The item, by the last names there were; of an object {@link WrittenRecords} say it. */
  readonly item?: { readonly name: string; readonly label: string }
  /** The first properties it changed, of the item or of a field of it. */
  readonly changes: readonly { readonly property: string; readonly field?: string; readonly value: unknown }[]
  /** Parts it made of an object that was removed. */
  readonly parts?: readonly { readonly type: string; readonly name: string; readonly label: string }[]
}

/** What judging works with. */
export interface RemovedItemParts {
  readonly docs: Pick<DocWriter, 'read'>
  readonly clock: Clock
  /** The side an entry stands for. */
  sideOf(entry: RegisterEntry): ConflictSide
}

/** Lists, or ends, the conflict of an item. */
export type JudgeRemovedItem = (tx: Tx, document: DocKey) => void

/** Changes, and parts, that a side names. */
const namedChanges = 20

interface SideDraft {
  side: ConflictSide
  readonly entries: RegisterEntry[]
  readonly parts: { type: string; name: string; label: string }[]
  records: ReadonlySet<string>
}

/** The entries of a removed item that nobody who removed it had seen; none of one that is there. */
export function unseenEntries(register: Register): RegisterEntry[] {
  if (!isItemGone(register)) return []
  const { winner, losers } = register.get('_del')!
  // One of an older version does not say what it had seen of the document.
  const marks = [winner, ...losers].flatMap(([, value]) => {
    const seen = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)['stamps'] : undefined
    return seen === undefined ? [] : [{ seen } as DeletionMark]
  })
  if (marks.length === 0) return []
  return [...register]
    .filter(([key]) => key !== '_del')
    .flatMap(([, held]) => [held.winner, ...held.losers])
    .filter((entry) => !marks.some((mark) => isSeen(nameOfEntry(entry), mark)))
}

/** Makes the judge; each item is judged once at the end of a job. */
export function createRemovedItemJudge({ docs, clock, sideOf }: RemovedItemParts): JudgeRemovedItem {
  const scan = createRecordScan()

  const losersOf = (tx: Tx, { type, uid }: DocKey, register: Register): ConflictSide[] => {
    const removal = removalOf(tx, register)
    if (removal === null) {
      scan.forget(uid)
      return []
    }
    const drafts = new Map<string, SideDraft>()
    const draftOf = (side: ConflictSide): SideDraft => {
      const known = drafts.get(side.device)
      const draft = known ?? { side, entries: [], parts: [], records: new Set() }
      if (side.at > draft.side.at) draft.side = side
      drafts.set(side.device, draft)
      return draft
    }
    for (const entry of unseenEntries(register)) draftOf(sideOf(entry)).entries.push(entry)
    if (type === 'object') {
      for (const { device, actor, ms, records } of scan.written(tx, uid, removal))
        draftOf({ value: null, actor, device, at: new Date(ms).toISOString() }).records = records
      for (const part of readParts(tx, uid)) {
        const held = docs.read(tx, { kind: 'metadata', ...part })?.register
        const named = held?.get('_name')?.winner
        // Whoever removes an object removes all parts of it that are there.
        if (held !== undefined && named !== undefined && !isItemGone(held))
          draftOf(sideOf(named)).parts.push({ type: part.type, ...namesOf(tx, part, held) })
      }
    }
    return [...drafts.values()]
      .toSorted((a, b) => (a.side.device < b.side.device ? -1 : 1))
      .map((draft) => ({ ...draft.side, value: valueOf(tx, { type, uid }, register, draft) }))
  }

  const judge = (tx: Tx, document: DocKey): void => {
    const register = docs.read(tx, { kind: 'metadata', ...document })?.register
    if (register === undefined) return
    const doc = formatDocName({ kind: 'metadata', ...document })
    const at = clock.iso()
    const ids = new Set<string>()
    const losers = losersOf(tx, document, register)
    if (losers.length > 0) {
      const winner = removalOf(tx, register)!.side
      const draft = { kind: 'delete_edit' as const, doc, object: '', recordId: '', field: '', winner, losers }
      openConflict(tx, draft, at)
      ids.add(conflictId(draft))
    }
    closeOthers(tx, { doc }, ['delete_edit'], ids, at)
  }
  const judgeAll = (documents: readonly { readonly tx: Tx; readonly document: DocKey }[]): void => {
    const { tx } = documents[0]!
    const byName = new Map(documents.map(({ document }) => [`${document.type}/${document.uid}`, document]))
    for (const document of byName.values()) judge(tx, document)
  }
  return (tx, { type, uid }) => tx.gather(judgeAll, { tx, document: { type, uid } })
}

function valueOf(tx: Tx, document: DocKey, register: Register, { entries, parts, records }: SideDraft): Json {
  const changes = entries
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, value]) => changeOf(register, key, value) ?? [])
    .slice(0, namedChanges)
  const value: WrittenItem | (WrittenItem & WrittenRecords) =
    document.type === 'object'
      ? { ...writtenRecords(tx, document.uid, register, records), changes, parts: parts.slice(0, namedChanges) }
      : { item: namesOf(tx, document, register), changes }
  return value as unknown as Json
}

/** Null for what people know nothing of: the place of a field among the others, and entries of a newer version. */
function changeOf(register: Register, key: string, value: Json): WrittenItem['changes'][number] | null {
  const entry = parseEntryKey(key)
  if (entry === null || entry.key === '_order' || entry.key === '_fields') return null
  const change = { property: entry.key.replace(/^_/, ''), value: fromEntry(value) ?? null }
  const isOfField = entry.kind === 'field' || entry.kind === 'own-field'
  return isOfField ? { field: docField(register, entry.uid)?.name ?? entry.uid, ...change } : change
}

function namesOf(tx: Tx, document: DocKey, register: Register): { name: string; label: string } {
  const { portable } = docItem('object', document.uid, register)
  const name = lastName(tx, document) ?? document.uid
  return { name, label: labelIn(portable.item) ?? name }
}
