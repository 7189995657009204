import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textChanges } from './text-changes.ts'
import type { TextChange } from './text-changes.ts'

function patched(before: string, changes: readonly TextChange[]): string {
  return changes
    .toReversed()
    .reduce((text, { at, remove, insert }) => text.slice(0, at) + insert + text.slice(at + remove), before)
}

const word = fc.constantFrom(
  'one',
  'two',
  'three',
  'für',
  '\u{1f600}',
  '\u{1f601}',
  '\u{1f600}\u{1f601}',
  ',',
  'e\u0301',
  '<b>',
)
const prose = fc.array(word, { maxLength: 40 }).map((words) => words.join(' '))
const dense = fc
  .array(fc.constantFrom('a', 'b', '\u{1f600}', '\u{1f601}', ' '), { maxLength: 30 })
  .map((all) => all.join(''))
const any = fc.oneof(prose, dense, fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }))

describe('textChanges', () => {
  it('turns one text into the other, in order, without overlaps', () => {
    fc.assert(
      fc.property(any, any, (before, after) => {
        const changes = textChanges(before, after)
        expect(patched(before, changes)).toBe(after)
        let end = -1
        for (const { at, remove, insert } of changes) {
          expect(at).toBeGreaterThan(end)
          expect(remove + insert.length).toBeGreaterThan(0)
          end = at + remove
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it('never cuts a surrogate pair', () => {
    fc.assert(
      fc.property(fc.oneof(prose, dense), fc.oneof(prose, dense), (before, after) => {
        for (const { at, remove, insert } of textChanges(before, after)) {
          expect(insert.isWellFormed()).toBe(true)
          expect(before.slice(0, at).isWellFormed()).toBe(true)
          expect(before.slice(at + remove).isWellFormed()).toBe(true)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it('touches the words that changed and no others', () => {
    const before = 'the quick brown fox jumps over the lazy dog and sleeps'
    const after = 'the slow brown fox jumps over a lazy dog and snores'
    expect(textChanges(before, after)).toEqual([
      { at: 4, remove: 5, insert: 'slow' },
      { at: 31, remove: 3, insert: 'a' },
      { at: 49, remove: 4, insert: 'nore' },
    ])
  })

  it.each<[string, string, readonly TextChange[]]>([
    ['same', 'same', []],
    ['', 'new', [{ at: 0, remove: 0, insert: 'new' }]],
    ['gone', '', [{ at: 0, remove: 4, insert: '' }]],
    ['ab', 'axb', [{ at: 1, remove: 0, insert: 'x' }]],
    ['aaa', 'aa', [{ at: 2, remove: 1, insert: '' }]],
    ['\u{1f600}', '\u{1f601}', [{ at: 0, remove: 2, insert: '\u{1f601}' }]],
    ['x\u{1f600}', 'x\u{1fa00}', [{ at: 1, remove: 2, insert: '\u{1fa00}' }]],
  ])('of %j and %j is as small as it can be', (before, after, expected) => {
    expect(textChanges(before, after)).toEqual(expected)
  })

  it('replaces what is long or has little in common as a whole', () => {
    const long = Array.from({ length: 14_000 }, (_, i) => `w${i}`).join(' ')
    expect(textChanges(`a ${long} b`, `c ${long} d`)).toHaveLength(1)
    const words = (prefix: string) => Array.from({ length: 2_000 }, (_, i) => `${prefix}${i}`).join(' ')
    expect(textChanges(words('a'), words('b'))).toHaveLength(1)
  })
})
