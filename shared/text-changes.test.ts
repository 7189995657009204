// Changes of a text, and two sets of them together.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changedText, mergedChanges, textChanges } from './text-changes.ts'

/** Texts of few words, so that they have much in common. */
const words = fc
  .array(fc.constantFrom('a', 'b', 'word', ' ', '\n', '😀', 'é', 'x-y', '.'), { maxLength: 30 })
  .map((parts) => parts.join(''))

const merged = (base: string, current: string, other: string): string =>
  changedText(current, mergedChanges(base, current, other))

describe('the changes of a text', () => {
  it('make the second of the first', () => {
    fc.assert(
      fc.property(words, words, (a, b) => changedText(a, textChanges(a, b)) === b),
      { numRuns: 2_000 },
    )
  })

  it('are the words that differ', () => {
    expect(textChanges('one two three four', 'one 2 three 4')).toEqual([
      { at: 4, remove: 3, insert: '2' },
      { at: 14, remove: 4, insert: '4' },
    ])
  })

  it('never cut a character outside of the basic plane', () => {
    const changes = textChanges('a😀b', 'a😁b')
    expect(changes).toEqual([{ at: 1, remove: 2, insert: '😁' }])
  })

  it('are found quickly in texts that have nothing in common', () => {
    const [a, b] = ['a', 'b'].map((letter) => Array.from({ length: 12_000 }, (_, at) => `${letter}${at} `).join(''))
    const began = performance.now()
    expect(changedText(a!, textChanges(a!, b!))).toBe(b)
    expect(performance.now() - began).toBeLessThan(2_000)
  })
})

describe('changes of two together', () => {
  it('are both there', () => {
    expect(merged('one two three', 'ONE two three', 'one two three four')).toBe('ONE two three four')
    expect(merged('one two three', 'one and two three', 'one three')).toBe('one and three')
    expect(merged('keep', 'keep typed', '')).toBe(' typed')
  })

  it('that are alike are made once, also where one is the beginning of the other', () => {
    expect(merged('base', 'base new', 'base new')).toBe('base new')
    expect(merged('', 'hello', 'hel')).toBe('hello')
    expect(merged('', 'hel', 'hello')).toBe('hello')
  })

  it('are nothing when one of them changed nothing', () => {
    fc.assert(
      fc.property(words, words, (a, b) => merged(a, b, a) === b && merged(a, a, b) === b && merged(a, b, b) === b),
      { numRuns: 2_000 },
    )
  })

  it('stay within the text', () => {
    fc.assert(
      fc.property(words, words, words, (base, current, other) => {
        let last = 0
        for (const { at, remove } of mergedChanges(base, current, other)) {
          expect(at).toBeGreaterThanOrEqual(last)
          last = at + remove
        }
        expect(last).toBeLessThanOrEqual(current.length)
      }),
      { numRuns: 2_000 },
    )
  })
})
