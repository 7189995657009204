// Counting decisions against an oracle that tries every way the open ones may still turn out.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { verdictOf } from './approval-verdict.ts'

type Vote = 'approve' | 'reject'
const behaviors = ['first_response', 'unanimous', 'majority'] as const

/** Whether an approval is given when everybody has decided. */
function isGiven(behavior: (typeof behaviors)[number], votes: readonly Vote[]): boolean {
  const approved = votes.filter((vote) => vote === 'approve').length
  return behavior === 'unanimous' ? approved === votes.length : approved * 2 > votes.length
}

it('ends as soon as the rest cannot change it, and not before', () => {
  const votes = fc.array(fc.constantFrom<Vote | null>('approve', 'reject', null), { minLength: 1, maxLength: 7 })
  fc.assert(
    fc.property(votes, fc.constantFrom('unanimous', 'majority'), (given, behavior) => {
      const ids = given.map((_, at) => `u${at}`)
      const decided = new Map(given.flatMap((vote, at) => (vote === null ? [] : [[`u${at}`, vote] as const])))
      const known = given.filter((vote): vote is Vote => vote !== null)
      const rest = given.length - known.length
      const best = isGiven(behavior, [...known, ...Array<Vote>(rest).fill('approve')])
      const worst = isGiven(behavior, [...known, ...Array<Vote>(rest).fill('reject')])
      expect(verdictOf(behavior, ids, decided)).toBe(worst ? 'approved' : best ? null : 'rejected')
    }),
  )
})

it('counts only those who decide, and the first answer where that is asked for', () => {
  const ids = ['a', 'b']
  for (const behavior of behaviors) {
    expect(verdictOf(behavior, ids, new Map())).toBeNull()
    expect(verdictOf(behavior, ids, new Map([['c', 'approve']]))).toBeNull()
  }
  expect(verdictOf('first_response', ids, new Map([['b', 'approve']]))).toBe('approved')
  expect(verdictOf('first_response', ids, new Map([['a', 'reject']]))).toBe('rejected')
})
