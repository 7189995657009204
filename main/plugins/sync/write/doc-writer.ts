// Writes documents within the job of the rows they belong to: gathers the changes of a job, makes them at its end, one
// envelope per document or many new ones in one, all of them one group. Knows no kind of document.
import type * as Y from 'yjs'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import type { DocName } from '#main/replication/core/doc-names.ts'
import { formatDocName } from '#main/replication/core/doc-names.ts'
import { bucketOf } from '#main/replication/core/digest.ts'
import type { HlcClock } from '#main/replication/core/hlc.ts'
import { ZERO_HLC } from '#main/replication/core/hlc.ts'
import {
  emptyRegister,
  encodeChange,
  encodeLinear,
  entriesIn,
  readLinear,
  setLinear,
} from '#main/replication/core/linear-register.ts'
import { hashEntries, hashText, logicalHash } from '#main/replication/core/logical-hash.ts'
import { editDoc, loadDoc } from '#main/replication/core/record-doc.ts'
import { readRegister, registerHlc, registerOf } from '#main/replication/core/register.ts'
import { encodeText } from '#main/replication/core/text-doc.ts'
import type { Register } from '#main/replication/core/register.ts'
import { replacedEntries, replacedFacts } from '#main/replication/core/replaced.ts'
import type { EnvelopeKind, Fact, Hlc } from '#main/replication/core/types.ts'
import type { DocWriter, EditPlace } from '../engine/docs.ts'
import type { LogState } from '../engine/log-state.ts'
import { putDoc, readDoc } from '../store/doc-store.ts'
import type { StoredDoc } from '../store/doc-store.ts'
import { placeIn } from './edit-place.ts'
import type { AppendOwn } from './own-log.ts'
import { packNew } from './pack-new.ts'
import type { WrittenDraft } from './pack-new.ts'

/** What the writer works with. */
export interface DocWriterParts {
  readonly inc: number
  readonly clock: HlcClock
  readonly state: LogState
  readonly append: AppendOwn
  /** Revision of the metadata here. */
  schemaRev(): number
  /** The id a person who writes here has in documents; as here when left out. */
  authorOf?(id: string): string
  /** Hears of every document that was changed here, within the transaction. */
  changed?(tx: Tx, name: DocName): void
}

/** The writer, and the edit of one document that others build on. */
export interface LocalDocs extends DocWriter {
  /**
   * Changes one document now and stores it; null when the change changed nothing.
   * @throws DocError `damaged_state`
   */
  write(tx: Tx, name: DocName, edits: readonly ((place: EditPlace) => void)[]): WrittenDoc | null
  /**
   * Changes one document now, as an envelope of its own: for what has to be seen before the job ends.
   * @param author as documents name people
   * @throws DocError `damaged_state`
   */
  editNow(tx: Tx, author: string, name: DocName, edit: (place: EditPlace) => void): void
}

/** What a change made of a document. */
export interface WrittenDoc {
  readonly name: string
  readonly isNew: boolean
  readonly update: Uint8Array
  readonly hlc: Hlc
  /** What its register lost by it. */
  readonly facts: readonly Fact[]
}

interface Change {
  readonly tx: Tx
  readonly author: string
  readonly name: DocName
  readonly edit: (place: EditPlace) => void
}

const kinds: Record<DocName['kind'], EnvelopeKind> = {
  record: 'update',
  text: 'text',
  feed: 'feed',
  metadata: 'update',
  workspace: 'control',
  refusal: 'control',
}

/** Documents of a call that is applied as a whole where it arrives. */
const wholeCall = 1_000

/** Makes the writer. */
export function createDocWriter(parts: DocWriterParts): LocalDocs {
  const { inc, clock, state } = parts

  /** Changes a register without a document; undefined where that is not possible, and nothing was done. */
  const writeLinear = (
    tx: Tx,
    name: string,
    before: StoredDoc | undefined,
    edits: readonly ((place: EditPlace) => void)[],
  ): WrittenDoc | null | undefined => {
    const stored = before === undefined ? emptyRegister : readLinear(before.state)
    if (stored === null) return undefined
    let register = stored
    let read: Register | undefined
    const registerNow = (): Register => (read ??= registerOf(entriesIn(register)))
    const first = registerNow()
    const hlc = clock.tick(registerHlc(first))
    const place: EditPlace = {
      get doc(): never {
        throw new NeedsDocument()
      },
      hlc,
      inc,
      isNew: before === undefined,
      register: registerNow,
      seedText(): never {
        throw new NeedsDocument()
      },
      set(patch) {
        register = setLinear(register, patch, { hlc, inc })
        read = undefined
      },
    }
    try {
      for (const edit of edits) edit(place)
    } catch (error) {
      if (error instanceof NeedsDocument) return undefined
      throw error
    }
    if (register === stored) return null
    const encoded = encodeLinear(register)
    const lhash = hashEntries(name, entriesIn(register))
    store(tx, state, name, before, { state: encoded, lhash, flags: before?.flags ?? 0 })
    const update = before === undefined ? encoded : encodeChange(stored, register)
    return { name, isNew: place.isNew, update, hlc, facts: replacedFacts(replacedEntries(first, registerNow())) }
  }

  /** Makes a long text without a document, of the one edit that seeds it; undefined where there is more to do. */
  const writeNewText = (
    tx: Tx,
    name: string,
    edits: readonly ((place: EditPlace) => void)[],
  ): WrittenDoc | undefined => {
    const hlc = clock.tick(ZERO_HLC)
    let seed = ''
    const needsDocument = (): never => {
      throw new NeedsDocument()
    }
    const place: EditPlace = {
      get doc(): never {
        return needsDocument()
      },
      hlc,
      inc,
      isNew: true,
      register: needsDocument,
      set: needsDocument,
      seedText(text) {
        if (seed !== '' || text === '') return needsDocument()
        seed = text.toWellFormed()
        return true
      },
    }
    try {
      for (const edit of edits) edit(place)
    } catch (error) {
      if (error instanceof NeedsDocument) return undefined
      throw error
    }
    if (seed === '') return undefined
    const state = encodeText(seed, inc)
    store(tx, parts.state, name, undefined, { state, lhash: hashText(name, seed), flags: 0 })
    return { name, isNew: true, update: state, hlc, facts: [] }
  }

  const write: LocalDocs['write'] = (tx, name, edits) => {
    const text = formatDocName(name)
    const before = readDoc(tx, text)
    const quick =
      name.kind === 'record'
        ? writeLinear(tx, text, before, edits)
        : name.kind === 'text' && before === undefined
          ? writeNewText(tx, text, edits)
          : undefined
    if (quick !== undefined) return quick
    const hasRegister = name.kind !== 'text'
    let hlc: Hlc = ZERO_HLC
    let lhash: Uint8Array | undefined
    let facts: readonly Fact[] = []
    const edited = editDoc(before?.state ?? null, inc, (doc) => {
      const register = hasRegister ? readRegister(doc) : null
      hlc = clock.tick(register === null ? ZERO_HLC : registerHlc(register))
      const place = placeIn(doc, { hlc, inc, isNew: before === undefined })
      for (const edit of edits) edit(place)
      lhash = logicalHash(text, doc)
      if (register !== null) facts = replacedFacts(replacedEntries(register, readRegister(doc)))
    })
    if (edited.update === null) return null
    store(tx, state, text, before, { state: edited.state, lhash: lhash!, flags: before?.flags ?? 0 })
    return { name: text, isNew: before === undefined, update: edited.update, hlc, facts }
  }

  const draftOf = (name: DocName, author: string, { name: doc, ...written }: WrittenDoc): WrittenDraft => ({
    doc,
    isNew: written.isNew,
    kind: kinds[name.kind],
    hlc: written.hlc,
    author,
    aclRev: 0,
    schemaRev: parts.schemaRev(),
    update: written.update,
    facts: written.facts,
  })

  const flush = (changes: readonly Change[]): void => {
    const { tx } = changes[0]!
    const byName = new Map<string, Change[]>()
    for (const change of changes) {
      const key = `${formatDocName(change.name)} ${change.author}`
      const list = byName.get(key)
      if (list === undefined) byName.set(key, [change])
      else list.push(change)
    }
    const drafts: WrittenDraft[] = []
    // Texts first: who takes over a record has its texts by then, and a deletion says which texts were seen.
    const isText = (list: readonly Change[]): number => (list[0]!.name.kind === 'text' ? 0 : 1)
    for (const list of [...byName.values()].toSorted((a, b) => isText(a) - isText(b))) {
      const { name, author } = list[0]!
      const written = write(
        tx,
        name,
        list.map(({ edit }) => edit),
      )
      if (written === null) continue
      parts.changed?.(tx, name)
      drafts.push(draftOf(name, author, written))
    }
    // A large call is applied an envelope at a time: as a whole it would hold its receivers for too long.
    parts.append(tx, packNew(drafts), drafts.length <= wholeCall)
  }

  return {
    isRecording: (ctx: RequestContext) => ctx.source !== 'sync',
    edit(tx, ctx, name, edit) {
      tx.gather<Change>(flush, { tx, author: parts.authorOf?.(ctx.actor.id) ?? ctx.actor.id, name, edit })
    },
    read<T>(reads: Pick<Reads, 'get'>, name: DocName, read: (doc: Y.Doc) => T): T | null {
      const found = readDoc(reads, formatDocName(name))
      return found === undefined ? null : read(loadDoc(found.state))
    },
    write,
    editNow(tx, author, name, edit) {
      const written = write(tx, name, [edit])
      if (written !== null) parts.append(tx, packNew([draftOf(name, author, written)]), false)
    },
  }
}

/** Thrown by an edit that asks for the document itself: it is begun anew with one. */
class NeedsDocument extends Error {}

/** Stores a document and counts it in the digest once it is committed. */
export function store(
  tx: Tx,
  state: LogState,
  name: string,
  before: StoredDoc | undefined,
  next: Pick<StoredDoc, 'state' | 'lhash' | 'flags'>,
): void {
  putDoc(tx, name, before, next)
  const bucket = bucketOf(name)
  tx.afterCommit(() => {
    if (before !== undefined) state.digest.toggle(bucket, before.lhash)
    state.digest.toggle(bucket, next.lhash)
  })
}
