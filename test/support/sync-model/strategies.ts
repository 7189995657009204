// What a machine of the model does where a mistake would be easy: the right way, and the mistakes the suite has to catch.
// Knows single decisions, no machine.
import type { HlcClock } from '../../../main/replication/core/hlc.ts'
import type { RegisterValue } from '../../../main/replication/core/types.ts'
import type { Hlc, RegisterEntry } from '../../../main/replication/core/types.ts'

/** Decisions of a machine. */
export interface Strategy {
  /** Which of the entries of a key is shown; `inOrder` are all of them as the array has them. */
  readonly winner: (value: RegisterValue, inOrder: readonly RegisterEntry[]) => RegisterEntry
  /** The stamp of an edit of a document whose greatest stamp is `seen`. */
  readonly stamp: (clock: HlcClock, seen: Hlc) => Hlc
  /** Whether the clock follows the stamps of others. */
  readonly receives: boolean
  /** The incarnation after an old copy of the database came back. */
  readonly incAfterRestore: (old: number, fresh: number) => number
  /** Whether a machine that lacks a text makes it from the row. */
  readonly seedsForOthers: boolean
  /** Whether an update with these keys is taken by a machine that knows `known`. */
  readonly accepts: (keys: ReadonlySet<string>, known: ReadonlySet<string>) => boolean
}

/** What the design asks for. */
export const faithful: Strategy = {
  winner: ({ winner }) => winner,
  stamp: (clock, seen) => clock.tick(seen),
  receives: true,
  incAfterRestore: (_old, fresh) => fresh,
  seedsForOthers: false,
  accepts: () => true,
}

/** Mistakes, each the design with one decision changed. @source sync.md section 19.2 */
export const mutants: Readonly<Record<string, Strategy>> = {
  'array order instead of stamps': { ...faithful, winner: (value, inOrder) => inOrder.at(-1) ?? value.winner },
  'no receive rule': { ...faithful, stamp: (clock) => clock.tick(), receives: false },
  'same incarnation after a restore': { ...faithful, incAfterRestore: (old) => old },
  'text seeded again': { ...faithful, seedsForOthers: true },
  'unknown fields rejected': {
    ...faithful,
    accepts: (keys, known) => [...keys].every((key) => known.has(key.split('\0')[0] ?? '')),
  },
}
