// Finds the documents in which this machine and a peer differ although both have the same log, and fetches what is
// missing of each: buckets, then state vectors, then differences. Knows the replica and frames, not when it is time.
import { compareBuckets } from '#main/replication/core/digest.ts'
import { DocError } from '#main/replication/core/doc-error.ts'
import { parseDocName } from '#main/replication/core/doc-names.ts'
import type { DocumentPart } from '#main/replication/core/document-part.ts'
import type { Replica } from '../engine/replica.ts'
import type { Frame, FrameOf } from '#main/replication/wire/frames.ts'
import { frameLimit } from '#main/replication/wire/limits.ts'
import { createJoiner, cutPieces } from '#main/replication/wire/pieces.ts'
import { wholeLimit } from '#main/replication/wire/frames.ts'

/** Buckets that are asked for at once. */
const openBucketLimit = 16

/** What the peer may ask for after each digest it was sent. */
const bucketBudget = 1024
const documentBudget = 4096

/** Documents it may ask for without a digest, because they are damaged where it is. */
const mendBudget = 256

/** Documents that are remembered as repaired. */
const triedLimit = 65_536

/** Entries that fit into one frame. */
const entryLimit = (frameLimit - 64) / 16

/** Answers that say a document does not come: it is too large to travel whole, or damaged where it is asked for. */
const tooLargeCode = 'repair_too_large'
const damagedCode = 'document_damaged'

/** Codes of answers that a document does not come; their detail is its name. */
export const notSentCodes: ReadonlySet<string> = new Set([tooLargeCode, damagedCode])

/** The state vector of an empty document: whoever asks with it is sent all there is. */
const emptyVector = new Uint8Array([0])

/** What repairs work with. */
export interface RepairParts {
  readonly replica: Pick<
    Replica,
    'identity' | 'bucket' | 'namesIn' | 'stateVector' | 'difference' | 'repair' | 'noteFork'
  >
  readonly peer: string
  readonly say: (...frames: readonly Frame[]) => void
  /** The peer sent what nobody asked for, or what cannot be used. */
  readonly bad: (code: string) => void
  /** Whether what the peer asks about is what it was sent the digest of. */
  readonly mayAnswer: () => boolean
  /** Whether the peer may have what documents hold. */
  readonly mayHave: () => boolean
  readonly repaired: () => void
  readonly moved: () => void
  readonly finished: () => void
}

/** Makes one that has nothing to do. */
export function createRepairs(parts: RepairParts) {
  const { replica, peer, say, bad } = parts
  const joiner = createJoiner()
  /** The document and step the open pieces belong to. */
  let joined = ''
  let isBusy = false
  let buckets: number[] = []
  const openBuckets = new Set<number>()
  let documents: string[] = []
  /** Asked for in this round, and of these not answered yet. */
  const asked = new Set<string>()
  const open = new Set<string>()
  /** Changed by parts of which the last has not come yet. */
  const changing = new Set<string>()
  /** Asked for since the log last changed. */
  const tried = new Set<string>()
  /** What the peer may still answer, given up or not. */
  const bucketsDue = new Set<number>()
  const documentsDue = new Set<string>()
  let bucketsLeft = 0
  let documentsLeft = mendBudget

  function clear(): void {
    isBusy = false
    buckets = []
    documents = []
    openBuckets.clear()
    asked.clear()
    open.clear()
  }

  function ask(doc: string): void {
    const vector = stateVectorOf(doc)
    asked.add(doc)
    if (tried.size < triedLimit) tried.add(doc)
    if (vector.length > wholeLimit) return
    open.add(doc)
    documentsDue.add(doc)
    say(...cutPieces(vector).map((piece): Frame => ({ kind: 'DOCSYNC', doc, step: 1, ...piece })))
  }

  function stateVectorOf(doc: string): Uint8Array {
    try {
      return replica.stateVector(doc)
    } catch (error) {
      if (error instanceof DocError) return emptyVector
      throw error
    }
  }

  function step(): void {
    if (!isBusy) return
    while (openBuckets.size < openBucketLimit && buckets.length > 0) {
      const bucket = buckets.pop()!
      openBuckets.add(bucket)
      bucketsDue.add(bucket)
      say({ kind: 'BUCKET', bucket })
    }
    // One at a time: an answer may have a megabyte, and waits in the memory of the peer.
    while (open.size === 0 && documents.length > 0) ask(documents.pop()!)
    if (openBuckets.size > 0 || open.size > 0 || documents.length > 0) return
    clear()
    parts.finished()
  }

  function answerBucket(bucket: number): void {
    bucketsLeft -= 1
    if (bucketsLeft < 0) return bad('bucket_unexpected')
    if (!parts.mayAnswer()) return
    const entries = replica.bucket(bucket)
    if (entries.length > entryLimit) say({ kind: 'ERR', code: tooLargeCode })
    else say({ kind: 'BUCKET', bucket, entries })
  }

  function compare({ bucket, entries = [] }: FrameOf<'BUCKET'>): void {
    if (!bucketsDue.delete(bucket)) return bad('bucket_unexpected')
    if (!openBuckets.delete(bucket)) return
    const { different, onlyMine } = compareBuckets(replica.bucket(bucket), entries)
    const names = replica.namesIn(bucket)
    for (const hash of [...different, ...onlyMine]) {
      const doc = names.get(Buffer.from(hash).toString('hex'))
      if (doc === undefined) continue
      if (tried.has(doc)) replica.noteFork(doc, peer)
      else documents.push(doc)
    }
    parts.moved()
    step()
  }

  function answerDocument(doc: string, stateVector: Uint8Array): void {
    documentsLeft -= 1
    if (documentsLeft < 0) return bad('document_unexpected')
    let difference: DocumentPart
    try {
      difference = replica.difference(doc, stateVector)
    } catch (error) {
      // Yjs tells of a state vector that is none in errors of many kinds; a document that is damaged here is no fault of
      // the peer.
      if (error instanceof DocError && error.reason === 'damaged_state')
        return say({ kind: 'ERR', code: damagedCode, detail: doc })
      return bad('state_vector_invalid')
    }
    // The peer differs in a document that this side did not find, or lacks: what it has is asked for first, so that its
    // answer comes before the digest that follows its own repair.
    if (!asked.has(doc) && documentsDue.size < documentBudget) ask(doc)
    const { update, isLast } = difference
    const answer = isLast ? 2 : 3
    if (update.length > wholeLimit) say({ kind: 'ERR', code: tooLargeCode, detail: doc })
    else say(...cutPieces(update).map((piece): Frame => ({ kind: 'DOCSYNC', doc, step: answer, ...piece })))
  }

  /** What the peer refused of this machine's writes comes by itself where its person may not read everything. */
  function isToldUnasked(doc: string): boolean {
    const name = parseDocName(doc)
    return name?.kind === 'refusal' && name.by === peer && name.writer === replica.identity().device
  }

  async function repair(doc: string, update: Uint8Array, isLast: boolean): Promise<void> {
    if (!documentsDue.delete(doc) && !isToldUnasked(doc)) return bad('document_unexpected')
    let isChanged = false
    try {
      isChanged = await replica.repair(doc, update, { peer, isLast })
    } catch (error) {
      if (!(error instanceof DocError)) throw error
      bad(`document_${error.reason}`)
    }
    if (isChanged) changing.add(doc)
    parts.moved()
    const isGivenUp = !open.delete(doc)
    // A part that brings nothing would be followed by itself.
    if (!isLast && isChanged && !isGivenUp) return ask(doc)
    if (changing.delete(doc)) parts.repaired()
    step()
  }

  return {
    /** Looks into buckets that differ; `finished` is called when everything was asked and answered. */
    start(found: readonly number[]): void {
      clear()
      isBusy = true
      buckets = [...found]
      step()
    },
    /** Asks for all of a document that is damaged here; nothing is known of it that could be compared. */
    mend(doc: string): void {
      if (!documentsDue.has(doc) && documentsDue.size < mendBudget) ask(doc)
    },
    isBusy: (): boolean => isBusy || open.size > 0,
    /** Gives up what goes on. */
    abandon: clear,
    /** Forgets which documents were repaired: the next difference is a new one. */
    forget(): void {
      tried.clear()
    },
    /** The peer was sent a digest: it may ask again. */
    refill(): void {
      bucketsLeft = bucketBudget
      documentsLeft = documentBudget
    },
    bucket(frame: FrameOf<'BUCKET'>): void {
      if (frame.entries === undefined) answerBucket(frame.bucket)
      else compare(frame)
    },
    /** A promise: the next frame may come once it resolves. */
    docSync(frame: FrameOf<'DOCSYNC'>): Promise<void> | undefined {
      const { doc, step: number } = frame
      if (joiner.isOpen() && joined !== `${number} ${doc}`) {
        bad('document_mixed')
        return undefined
      }
      joined = `${number} ${doc}`
      const whole = joiner.add(frame)
      if (whole === undefined) return undefined
      if (number !== 1) return repair(doc, whole, number === 2)
      if (parts.mayHave()) answerDocument(doc, whole)
      return undefined
    },
    /** The peer cannot send a document. */
    notSent(doc: string): void {
      documentsDue.delete(doc)
      if (open.delete(doc)) step()
    },
  }
}
