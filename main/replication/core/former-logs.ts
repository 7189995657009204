// Which logs a machine wrote before the one that an envelope begins. It travels beside the update of the first envelope, so that
// every machine can tell which of them is the later one: stamps tell it only where no clock was set. Knows no log.
import type { Fact } from './types.ts'

const KIND = 'former'

/** The facts of the first envelope of a log. @param former incarnations of its machine that were there before; none: nothing is told */
export function withFormer(facts: readonly Fact[], former: readonly number[]): readonly Fact[] {
  // What another machine's envelope said that goes on here is no word about this log.
  const others = facts.filter(({ kind }) => kind !== KIND)
  return former.length === 0 ? others : [...others, { id: 'f', kind: KIND, value: former }]
}

/** Reads it; empty where nothing says it. */
export function readFormer(facts: readonly Fact[]): readonly unknown[] {
  const value = facts.find(({ kind }) => kind === KIND)?.value
  return Array.isArray(value) ? value : []
}
