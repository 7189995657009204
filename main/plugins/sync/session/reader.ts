// Whether the peer may have what is here: a machine whose person may not read everything is sent nothing of the log and the
// documents, is told so, and learns what was refused of its own writes all the same. Knows frames, no link.
import { DocError } from '#main/replication/core/doc-error.ts'
import type { Frame } from '#main/replication/wire/frames.ts'
import { cutPieces } from '#main/replication/wire/pieces.ts'
import type { Replica } from '../engine/replica.ts'

/** What a machine is told that is sent nothing, and what its status and that of the sender say. */
export const narrowedCode = 'rights'

/** The state vector of an empty document. */
const emptyVector = new Uint8Array([0])

/** What it works with. */
export interface ReaderParts {
  readonly replica: Pick<Replica, 'refusalsOf' | 'difference'>
  readonly peer: string
  readonly isDevice: boolean
  /** Whether the peer may have everything; asked before each frame. */
  readonly mayHave: () => boolean
  readonly say: (...frames: readonly Frame[]) => void
  /** The peer may have everything again: what it lacks goes on. */
  readonly resume: () => void
}

/** Makes one that has told nothing yet. */
export function createReader({ replica, peer, isDevice, mayHave, say, resume }: ReaderParts) {
  let hadAll = true
  /** What of its own writes was refused, as it was told, by the name of the document. */
  let told = new Map<string, string>()

  function tellRefusals(): void {
    for (const [doc, hash] of replica.refusalsOf(peer)) {
      if (told.get(doc) === hash) continue
      told.set(doc, hash)
      try {
        const { update, isLast } = replica.difference(doc, emptyVector)
        if (isLast) say(...cutPieces(update).map((piece): Frame => ({ kind: 'DOCSYNC', doc, step: 2, ...piece })))
      } catch (error) {
        // Damaged here: it comes with the log once the peer may have that.
        if (!(error instanceof DocError)) throw error
      }
    }
  }

  return {
    /** To be called while the session is open, whenever rights, the log or the documents may have changed. */
    look(): void {
      const has = mayHave()
      if (has !== hadAll) {
        hadAll = has
        if (has) {
          told = new Map()
          resume()
        } else if (isDevice) say({ kind: 'ERR', code: narrowedCode })
      }
      if (!has && isDevice) tellRefusals()
    },
  }
}
