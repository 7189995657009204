// Remembers reads that looked dear by their plan and were quick all the same: a list of a person with row rules ends after
// a few rows when most of them may be seen. Such a read, with the same values, runs on the main thread from then on.
import type { Statement } from '#main/kernel/database.ts'
import { statementKey } from '#main/kernel/database.ts'

/** The memory of one host. */
export interface CostFeedback {
  has(statement: Statement): boolean
  /** Notes how long a read took, wherever it ran, in milliseconds. */
  note(statement: Statement, tookMs: number): void
  clear(): void
}

/** A read this short delays nobody; in the reader process it also waited for the processor. */
const quickMs = 5

/** A read that took this long on the main thread is no longer trusted. */
const slowMs = 15

const maxRemembered = 1_000
const maxKeyLength = 16_000

/** Makes the memory. */
export function createCostFeedback(): CostFeedback {
  const quick = new Set<string>()
  /** Those that turned out slow are not tried again before everything is forgotten. */
  const slow = new Set<string>()
  return {
    has: (statement) => quick.size > 0 && quick.has(statementKey(statement)),
    note(statement, tookMs) {
      if (tookMs >= quickMs && quick.size === 0) return
      const key = statementKey(statement)
      if (tookMs >= slowMs && quick.delete(key)) {
        if (slow.size >= maxRemembered) slow.clear()
        slow.add(key)
      }
      if (tookMs >= quickMs || key.length > maxKeyLength || slow.has(key)) return
      if (quick.size >= maxRemembered) quick.clear()
      quick.add(key)
    },
    clear() {
      quick.clear()
      slow.clear()
    },
  }
}
