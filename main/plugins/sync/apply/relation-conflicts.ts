// Conflicts of records with each other: unique values that two of them hold, details whose master is gone, records that
// stand above each other in a ring. Judged at the end of a job, for every record that what was written may concern, so that
// all machines with the same records list the same ones, in whatever order the changes came.
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { Steps, Tx } from '#main/kernel/database.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { ConflictDraft, ConflictKind } from '../conflicts/conflict-store.ts'
import { createEntryHistory } from '../conflicts/base-value.ts'
import { closeOthers, conflictId, mayBeOpen, openConflict, readNaming } from '../conflicts/conflict-store.ts'
import { formatDocName } from '#main/replication/core/doc-names.ts'
import type { Register } from '#main/replication/core/register.ts'
import { compareEntries } from '#main/replication/core/register.ts'
import { nameOfEntry } from '#main/replication/core/replaced.ts'
import type { RegisterEntry } from '#main/replication/core/types.ts'
import { readDocument } from '../store/doc-store.ts'
import type { WriterOf } from './record-conflicts.ts'
import { sideOf } from './record-conflicts.ts'

/** What judging works with. */
export interface RelationParts {
  readonly data: Pick<DataService, 'detailsOf' | 'relationsOf'>
  readonly metadata: Pick<MetadataService, 'objectSchema'>
  readonly clock: Clock
  schemaOf(uid: string): ObjectSchema | undefined
  writerOf(tx: Tx): WriterOf
}

/** A record that was written. */
export interface WrittenRecord {
  /** Uid of the object. */
  readonly object: string
  readonly record: string
  /**
   * By a peer. What is written here passed the rules: it can only end conflicts, or hand a value on to another record.
   */
  readonly isRemote: boolean
}

/** Hears of written records within their job. */
export type NoteWritten = (tx: Tx, written: WrittenRecord) => void

interface Judged {
  readonly schema: ObjectSchema
  readonly record: string
}

const kinds: readonly ConflictKind[] = ['unique', 'orphan', 'cycle']

/** Makes the judge of one host. */
export function createRelationJudge(parts: RelationParts): NoteWritten {
  const { data, metadata, clock, schemaOf } = parts

  const registerOf = (tx: Tx, judged: Judged): Register | undefined => readDocument(tx, docOf(judged))?.register

  /** Records with open conflicts that name a record, or are its own. */
  const namedWith = (tx: Tx, record: string): Judged[] => {
    if (!mayBeOpen(tx)) return []
    return readNaming(tx, record).flatMap(({ object, record: named }) => placed(schemaOf(object), named))
  }

  /** Live details of a master. */
  const detailsOf = (tx: Tx, { schema, record }: Judged): Judged[] =>
    data.detailsOf(tx, { object: schema.name, id: record }).flatMap(({ object, id }) => {
      const detail = metadata.objectSchema(object)
      return detail?.enable.sync === true ? [{ schema: detail, record: id }] : []
    })

  /** The conflicts of one record with others; `rivals` hears of the records that may have them in its place. */
  const draftsOf = (tx: Tx, judged: Judged, rivals: (record: string) => void): ConflictDraft[] => {
    const { schema, record } = judged
    const found = data.relationsOf(tx, { object: schema.name, id: record })
    // Nearly all records share nothing with others: their documents need not be read for that.
    if (found === null || [found.duplicates, found.orphans, found.rings].every(({ length }) => length === 0)) return []
    const register = registerOf(tx, judged)
    if (register === undefined) return []
    const writerOf = parts.writerOf(tx)
    const drafts: ConflictDraft[] = []
    const draft = { doc: docOf(judged), object: schema.uid, recordId: record }
    const entryOf = (of: Register | undefined, uid: string): RegisterEntry | undefined => of?.get(uid)?.winner
    const groups = new Map<string, Map<string, RegisterEntry>>()
    for (const { fields, record: rival } of found.duplicates) {
      rivals(rival)
      const uid = schema.byName.get(fields[0] ?? '')?.uid ?? ''
      const entry = entryOf(registerOf(tx, { schema, record: rival }), uid)
      if (entry !== undefined) groups.set(uid, (groups.get(uid) ?? new Map()).set(rival, entry))
    }
    for (const [uid, group] of groups) {
      const own = entryOf(register, uid)
      if (own === undefined) continue
      // Who had the value first owns it; every machine says the same.
      const [owner] = [...group].toSorted(([a, one], [b, other]) => compareEntries(one, other) || (a < b ? -1 : 1))
      if (owner === undefined || compareEntries(own, owner[1]) < 0) continue
      const winner = { ...sideOf(owner[1], writerOf), record: owner[0] }
      drafts.push({ ...draft, kind: 'unique', field: uid, winner, losers: [{ ...sideOf(own, writerOf), record }] })
    }
    for (const { field, id } of found.orphans) {
      const uid = schema.byName.get(field)?.uid ?? ''
      const own = entryOf(register, uid)
      if (own === undefined) continue
      const [winner, loser] = [sideOf(own, writerOf, null), sideOf(own, writerOf, id)]
      drafts.push({ ...draft, kind: 'orphan', field: uid, winner, losers: [loser] })
    }
    for (const { field, ids } of found.rings) {
      const uid = schema.byName.get(field)?.uid ?? ''
      const links = ids.flatMap((id) => {
        const entry = id === record ? entryOf(register, uid) : entryOf(registerOf(tx, { schema, record: id }), uid)
        return entry === undefined ? [] : [{ id, entry }]
      })
      // It is that of whoever was placed last; every machine says the same.
      const [last] = links.toSorted((a, b) => compareEntries(b.entry, a.entry) || (a.id < b.id ? -1 : 1))
      if (last === undefined) continue
      if (last.id !== record) {
        rivals(last.id)
        continue
      }
      const [winner, ...losers] = links.map(({ id, entry }) => ({ ...sideOf(entry, writerOf), record: id }))
      const own = nameOfEntry(last.entry)
      const base = createEntryHistory(tx).lastBefore(draft.doc, own, (name) => name !== own)
      const known = base === null ? {} : { base: base.value }
      drafts.push({ ...draft, kind: 'cycle', field: uid, winner: winner!, losers, ...known })
    }
    return drafts
  }

  const judge = (tx: Tx, judged: Judged, rivals: (record: string) => void): void => {
    const drafts = draftsOf(tx, judged, rivals)
    const at = clock.iso()
    for (const draft of drafts) openConflict(tx, draft, at)
    closeOthers(tx, { doc: docOf(judged) }, kinds, new Set(drafts.map(conflictId)), at)
  }

  const judgeAll = function* (items: readonly { readonly tx: Tx; readonly written: WrittenRecord }[]): Steps<void> {
    const { tx } = items[0]!
    const todo = new Map<string, Judged>()
    const add = (judged: Judged): void => {
      todo.set(docOf(judged), judged)
    }
    for (const { written } of items) {
      yield
      const schema = schemaOf(written.object)
      if (schema === undefined) continue
      for (const named of namedWith(tx, written.record)) add(named)
      if (!written.isRemote) continue
      add({ schema, record: written.record })
      for (const detail of detailsOf(tx, { schema, record: written.record })) add(detail)
    }
    const done = new Set<string>()
    const rivals = new Map<string, Judged>()
    for (const [doc, judged] of todo) {
      yield
      done.add(doc)
      judge(tx, judged, (record) => {
        const rival = { schema: judged.schema, record }
        rivals.set(docOf(rival), rival)
      })
    }
    for (const [doc, rival] of rivals) if (!done.has(doc)) judge(tx, rival, () => undefined)
  }

  return (tx, written) => tx.gather(judgeAll, { tx, written })
}

function docOf({ schema, record }: Judged): string {
  return formatDocName({ kind: 'record', object: schema.uid, record })
}

function placed(schema: ObjectSchema | undefined, record: string): Judged[] {
  return schema === undefined ? [] : [{ schema, record }]
}
