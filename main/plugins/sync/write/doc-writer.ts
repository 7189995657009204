// Writes documents within the job of the rows they belong to: gathers the changes of a job, makes them at its end, one
// envelope per document or many new ones in one, all of them one group. Knows no kind of document.
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Steps, Tx } from '#main/kernel/database.ts'
import type { DocName } from '#main/replication/core/doc-names.ts'
import { formatDocName } from '#main/replication/core/doc-names.ts'
import { bucketOf } from '#main/replication/core/digest.ts'
import type { HlcClock } from '#main/replication/core/hlc.ts'
import { replacedEntries, replacedFacts } from '#main/replication/core/replaced.ts'
import { openDocument } from '#main/replication/core/sync-document.ts'
import type { Edit, SyncDocument } from '#main/replication/core/sync-document.ts'
import type { EnvelopeKind, Fact, Hlc } from '#main/replication/core/types.ts'
import type { DocWriter } from '../engine/docs.ts'
import type { LogState } from '../engine/log-state.ts'
import { putDoc, readDoc, readDocument } from '../store/doc-store.ts'
import type { StoredDoc } from '../store/doc-store.ts'
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
  write(tx: Tx, name: DocName, edits: readonly Edit[]): WrittenDoc | null
  /**
   * Changes one document now, as an envelope of its own: for what has to be seen before the job ends.
   * @param author as documents name people
   * @returns whether it changed anything
   * @throws DocError `damaged_state`
   */
  editNow(tx: Tx, author: string, name: DocName, edit: Edit): boolean
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
  readonly edit: Edit
  readonly order: 'after' | undefined
}

const kinds: Record<DocName['kind'], EnvelopeKind> = {
  record: 'update',
  text: 'text',
  feed: 'feed',
  workflow: 'update',
  file: 'update',
  metadata: 'update',
  workspace: 'control',
  refusal: 'control',
}

/** Documents of a call that is applied as a whole where it arrives. */
const wholeCall = 1_000

/** Envelopes of a larger one that are written in one step. */
const appendedAtOnce = 64

/** Makes the writer. */
export function createDocWriter(parts: DocWriterParts): LocalDocs {
  const { inc, clock, state } = parts

  const write: LocalDocs['write'] = (tx, name, edits) => {
    const text = formatDocName(name)
    const before = readDoc(tx, text)
    const opened = openDocument(text, before?.state ?? null)
    const edited = opened.edit({ inc, clock }, edits)
    if (edited === null) return null
    const { document, update, hlc } = edited
    const isNew = before === undefined
    store(tx, state, text, before, document, before?.flags ?? 0)
    const replaced = isNew ? [] : replacedEntries(opened.register, document.register)
    return { name: text, isNew, update, hlc, facts: name.kind === 'text' ? [] : replacedFacts(replaced) }
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

  const flush = function* (changes: readonly Change[]): Steps<void> {
    const { tx } = changes[0]!
    const byName = new Map<string, Change[]>()
    for (const change of changes) {
      const key = `${formatDocName(change.name)} ${change.author}`
      const list = byName.get(key)
      if (list === undefined) byName.set(key, [change])
      else list.push(change)
    }
    const drafts: WrittenDraft[] = []
    for (const list of inOrder([...byName.values()])) {
      const { name, author } = list[0]!
      const written = write(
        tx,
        name,
        list.map(({ edit }) => edit),
      )
      if (written === null) continue
      parts.changed?.(tx, name)
      yield
      drafts.push(draftOf(name, author, written))
    }
    const packed = packNew(drafts)
    if (drafts.length <= wholeCall) return parts.append(tx, packed)
    // A large call is applied an envelope at a time: others would wait too long for its receivers to apply it as a whole.
    for (let at = 0; at < packed.length; at += appendedAtOnce) {
      parts.append(tx, packed.slice(at, at + appendedAtOnce), false)
      yield
    }
  }

  return {
    isRecording: (ctx: RequestContext) => ctx.source !== 'sync',
    edit(tx, ctx, name, edit, order) {
      tx.gather<Change>(flush, { tx, author: parts.authorOf?.(ctx.actor.id) ?? ctx.actor.id, name, edit, order })
    },
    read: (reads: Pick<Reads, 'get'>, name: DocName) => readDocument(reads, formatDocName(name)) ?? null,
    write,
    editNow(tx, author, name, edit) {
      const written = write(tx, name, [edit])
      if (written !== null) parts.append(tx, packNew([draftOf(name, author, written)]), false)
      return written !== null
    },
  }
}

/**
 * Texts right before their record: who takes it over has them by then, and a deletion says which texts were seen. Those that
 * are emptied with it right behind: who brings it back still has them when it hears of that.
 */
function inOrder(lists: readonly (readonly Change[])[]): readonly (readonly Change[])[] {
  if (lists.length === 1) return lists
  const targetIn = (list: readonly Change[]): string => {
    const { name } = list[0]!
    return name.kind === 'text' ? `r/${name.object}/${name.record}` : formatDocName(name)
  }
  const isText = ([first]: readonly Change[]): boolean => first!.name.kind === 'text' && first!.order !== 'after'
  return [...Map.groupBy(lists, targetIn).values()].flatMap((of) =>
    of.toSorted((a, b) => Number(isText(b)) - Number(isText(a))),
  )
}

/** Stores a document and counts it in the digest once it is committed. */
export function store(
  tx: Tx,
  state: LogState,
  name: string,
  before: StoredDoc | undefined,
  document: Pick<SyncDocument, 'state' | 'hash'>,
  flags: number,
): void {
  const lhash = document.hash
  putDoc(tx, name, before, { state: document.state, lhash, flags })
  const bucket = bucketOf(name)
  tx.afterCommit(() => {
    if (before !== undefined) state.digest.toggle(bucket, before.lhash)
    state.digest.toggle(bucket, lhash)
  })
}
