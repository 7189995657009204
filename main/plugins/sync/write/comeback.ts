// Brings back what was removed for good by somebody who did not know that it was restored: the machine that restored it has
// all of it, and writes it once more (D-412). Knows documents, no rows.
import { createHash } from 'node:crypto'
import type { Tx } from '#main/kernel/database.ts'
import type { DocName } from '#main/replication/core/doc-names.ts'
import { formatDocName } from '#main/replication/core/doc-names.ts'
import { DELETED_KEY } from '#main/replication/core/register-keys.ts'
import type { Register } from '#main/replication/core/register.ts'
import { compareEntries, markAt } from '#main/replication/core/register.ts'
import { nameOfEntry } from '#main/replication/core/replaced.ts'
import type { Edit } from '#main/replication/core/sync-document.ts'
import { encodeText } from '#main/replication/core/text-doc.ts'
import type { RegisterEntry } from '#main/replication/core/types.ts'
import type { MergedDocument } from '../engine/docs.ts'
import { readDocument, readTexts } from '../store/doc-store.ts'
import { isSeen } from './deletion-mark.ts'
import type { DeletionMark } from './deletion-mark.ts'
import { feedNames } from './purge-capture.ts'
import { PURGED_KEY } from './record-edits.ts'
import type { NamedEdit } from './record-edits.ts'

/** What bringing back works with. */
export interface ComebackParts {
  /** Whether an incarnation is one of this machine's. */
  isOwn(inc: number): boolean
  /** Gathers an edit in the name of whose machine this is. */
  edit(tx: Tx, edit: NamedEdit): void
  /** Gathers what the rows of a record's feed have and its documents have not, in the names of those who said it. */
  editFeed(tx: Tx, record: { readonly object: string; readonly record: string }): void
  /** Makes the rows of a document what it says. */
  place(tx: Tx, doc: string): void
}

/** A record whose removal is being merged. */
type Merged = Pick<MergedDocument, 'document'> & { readonly name: Extract<DocName, { kind: 'record' }> }

type Gathered = NamedEdit & { readonly tx: Tx }

/** The restore of a record that whoever removed it for good did not know of; undefined where there is none. */
export function unseenRestore(register: Register): RegisterEntry | undefined {
  const mark = markAt(register, PURGED_KEY) as DeletionMark | null
  const restored = register.get(DELETED_KEY)?.winner
  // Marks of versions that said nothing of what was seen tell of no restore either.
  if (mark?.seen === undefined || restored === undefined) return undefined
  return restored[1] === null && !isSeen(nameOfEntry(restored), mark) ? restored : undefined
}

/** Makes what brings records back. */
export function createComebacks({ isOwn, edit, editFeed, place }: ComebackParts) {
  const placed = (edited: readonly Gathered[]): void => {
    for (const { tx, name } of edited) place(tx, formatDocName(name))
  }
  /** At the end of the job: what was removed along with the record is merged by then. */
  const write = (edits: readonly Gathered[]): void => {
    for (const { tx, ...one } of edits) {
      edit(tx, one)
      // Its documents may have been emptied before: the mark of the record may have had to wait for something.
      if (one.name.kind === 'record') editFeed(tx, one.name)
      tx.gather(placed, { tx, ...one })
    }
  }
  /** Whether this machine restored the record of a register, and whoever removed it for good did not know. */
  const isContested = (register: Register): boolean => {
    const restored = unseenRestore(register)
    return restored !== undefined && isOwn(restored[4])
  }
  return {
    isContested,
    /** Writes a record once more whose removal is being merged, where that is for this machine to do. @returns whether it is */
    bringsBack(tx: Tx, merged: Merged): boolean {
      const edits = isContested(merged.document.register) ? comebackEdits(tx, merged) : []
      for (const one of edits) tx.gather(write, { tx, ...one })
      return edits.length > 0
    },
  }
}

/** What writes all of a record once more; nothing where it was gone before. */
function comebackEdits(tx: Tx, { name, document }: Merged): NamedEdit[] {
  // Stored as it was: the removal is merged and not yet stored, and comes before what empties the other documents.
  const before = readDocument(tx, formatDocName(name))?.register
  if (before === undefined || markAt(before, PURGED_KEY) !== null) return []
  const { object, record } = name
  const texts = readTexts(tx, { object, record }).filter((one) => one.document.text !== '')
  const feeds = feedNames(tx, object, record)
  return [
    ...texts.map((one): NamedEdit => {
      const of = { kind: 'text', object, record, field: one.field } as const
      const letters = lettersOf(formatDocName(of), one.document.text, document.register.get(PURGED_KEY)!.winner)
      return {
        name: of,
        edit({ text }) {
          // Anew, whether or not it was emptied yet.
          text.change('')
          text.put(letters)
        },
      }
    }),
    {
      name,
      edit(at) {
        writeAgain(before)(at)
        at.set({ [PURGED_KEY]: null })
      },
    },
    ...feeds.map((of) => ({ name: of, edit: writeAgain(readDocument(tx, formatDocName(of))!.register) })),
  ]
}

/** Writes what a register said, but for what somebody wrote later by now. */
function writeAgain(before: Register): Edit {
  return (at) => {
    const now = at.register()
    const lost = [...before].filter(([key, { winner }]) => {
      const held = now.get(key)?.winner
      return key !== DELETED_KEY && (held === undefined || compareEntries(held, winner) <= 0)
    })
    at.set(Object.fromEntries(lost.map(([key, { winner }]) => [key, winner[1]])))
  }
}

/** The letters of a text: of one text after one removal the same wherever it is brought back, so that it stands there once. */
function lettersOf(doc: string, text: string, [, , ms, ctr, inc]: RegisterEntry): Uint8Array {
  const hash = createHash('sha256').update([doc, ms, ctr, inc, text].join(' ')).digest()
  return encodeText(text, hash.readUInt32BE(0))
}
