// The documents of refusals as a kind of documents beside the others, for both sides: the one that wrote lists them, takes
// back and asks to try again; the one that refused hears of that.
import type { Actor } from '#shared/events.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { DocName, RefusalName } from '#main/replication/core/doc-names.ts'
import type { Register } from '#main/replication/core/register.ts'
import type { DocKindHandler } from '../engine/docs.ts'
import type { LocalDocs } from '../write/doc-writer.ts'
import type { Refusal } from './refusal-doc.ts'
import { AGAIN_KEY, readAgain, readRefusal } from './refusal-doc.ts'
import { isOwnWrite, listRefusal } from './refused-list.ts'
import type { RefusedListParts } from './refused-list.ts'
import { takingBack } from './take-back.ts'

/** What the documents of refusals work with. */
export interface RefusedDocsParts extends RefusedListParts {
  readonly docs: Pick<LocalDocs, 'read' | 'editNow'>
  /** Tries again what this machine refused. @param asked the wish that is met by it */
  retry(name: RefusalName, asked: string): void
  /** Makes a row what its document says. @param by as documents name people */
  place(tx: Tx, name: DocName, by: Actor): void
}

/** Makes them. */
export function createRefusedDocs(parts: RefusedDocsParts) {
  const { docs } = parts
  const list = (tx: Tx, name: RefusalName, register: Register): void =>
    listRefusal(tx, parts, name, readRefusal(register), readAgain(register))
  const refusalAt = (tx: Pick<Tx, 'get'>, name: RefusalName): Refusal | null => {
    const found = docs.read(tx, name)
    return found === null ? null : readRefusal(found.register)
  }

  return {
    handler: {
      kind: 'refusal',
      project(tx, _ctx, { name, document }) {
        if (name.kind !== 'refusal') return 'done'
        const { register } = document
        if (name.writer === parts.device) list(tx, name, register)
        const asked = readAgain(register)
        const isAsked = name.by === parts.device && asked !== undefined && readRefusal(register)?.tried !== asked
        if (isAsked) tx.afterCommit(() => parts.retry(name, asked))
        return 'done'
      },
    } satisfies DocKindHandler as DocKindHandler,
    /** Makes the documents of this machine say what those of the other one do, and the rows with them. */
    takeBack(tx: Tx, ctx: RequestContext, name: RefusalName, author: string): void {
      const refusal = refusalAt(tx, name)
      if (refusal === null || !isOwnWrite(tx, parts, name, refusal)) return
      for (const { name: doc, edit } of takingBack(refusal, name.target, parts.isOwn)) {
        docs.editNow(tx, author, doc, edit)
        parts.place(tx, doc, {
          type: 'user',
          id: author,
          ...(ctx.actor.name === undefined ? {} : { name: ctx.actor.name }),
        })
      }
    },
    /** Asks the machine that refused to try again; it does when it hears of it. @param at now, ISO 8601 */
    ask(tx: Tx, name: RefusalName, at: string): void {
      docs.editNow(tx, parts.author(), name, (place) => place.set({ [AGAIN_KEY]: at }))
      const asked = docs.read(tx, name)
      if (asked !== null) list(tx, name, asked.register)
    },
  }
}
