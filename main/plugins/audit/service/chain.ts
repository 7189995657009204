// Adds entries to the chain. The end as it was last committed is remembered here and in the anchor: a table whose end was
// cut off or changed behind the host's back is not continued as if nothing had been, its break stays visible.
import type { Steps, Tx } from '#main/kernel/database.ts'
import type { Logger } from '#main/kernel/logger.ts'
import { insertEntry, readHead } from '../store.ts'
import type { Anchor } from './anchor.ts'
import type { EntryFacts, Head } from './entry.ts'
import { entryHash } from './entry.ts'

/** The chain of one host. */
export interface Chain {
  /** Adds an entry inside a transaction. */
  append(tx: Tx, facts: EntryFacts): void
  /** Adds an entry at the end of the job, in its transaction. */
  appendAtEnd(tx: Tx, facts: EntryFacts): void
  /** The end of what is committed. */
  head(): Head
}

/** What a chain works with. */
export interface ChainParts {
  readonly key: Buffer
  readonly anchor: Pick<Anchor, 'write'>
  /** Where the chain ends at the start. */
  readonly head: Head
  readonly log: Logger
}

/** Makes the chain. */
export function createChain({ key, anchor, head, log }: ChainParts): Chain {
  let committed = head
  let isDue = false

  /** Once per group of commits, and before the answers leave: microtasks run in the order in which they were asked for. */
  const writeAnchor = (): void => {
    isDue = false
    try {
      anchor.write(committed)
    } catch (error) {
      log.error({ err: error }, 'The end of the audit could not be noted outside of the database.')
    }
  }

  const append: Chain['append'] = (tx, facts) => {
    const last = readHead(tx)
    const before = last.seq > committed.seq ? last : committed
    const entry = { seq: before.seq + 1, ...facts, prev: before.hash }
    const next = { ...entry, hash: entryHash(key, entry) }
    insertEntry(tx, next)
    tx.afterCommit(() => {
      committed = { seq: next.seq, hash: next.hash }
      if (isDue) return
      isDue = true
      queueMicrotask(writeAnchor)
    })
  }

  const appendAll = function* (gathered: readonly { tx: Tx; facts: EntryFacts }[]): Steps<void> {
    for (const { tx, facts } of gathered) {
      append(tx, facts)
      yield
    }
  }

  return {
    append,
    appendAtEnd: (tx, facts) => tx.gather(appendAll, { tx, facts }),
    head: () => committed,
  }
}
