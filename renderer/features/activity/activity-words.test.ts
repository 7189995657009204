// Small words of the activity: reactions, times, initials, people.
import { describe, expect, it } from 'vitest'
import { initialsOf } from '../../components/presence-avatars.tsx'
import { howLongAgo } from '../../components/moment.tsx'
import { isReaction } from './reactions.tsx'
import { matchingPeople } from './use-people.ts'

describe('a reaction', () => {
  it.each(['👍', '❤️', '👩‍👩‍👧', '🇪🇺', ':party:', ':+1:', '!'])('is %s', (text) => {
    expect(isReaction(text)).toBe(true)
  })
  it.each(['', ' ', 'a', '7', '👍👍', ':Party:', ':a b:', 'word'])('is not %j', (text) => {
    expect(isReaction(text)).toBe(false)
  })
})

describe('how long ago', () => {
  const now = Date.parse('2026-05-20T12:00:00Z')
  it.each([
    ['2026-05-20T11:59:50Z', 'now'],
    ['2026-05-20T11:57:10Z', '2 min. ago'],
    ['2026-05-20T09:00:00Z', '3 hr. ago'],
    ['2026-05-19T11:00:00Z', 'yesterday'],
  ])('%s is said as %s', (at, words) => {
    expect(howLongAgo(at, now)).toBe(words)
  })
  it('is the day itself after a week', () => {
    expect(howLongAgo('2026-05-01T00:00:00Z', now)).toContain('2026')
  })
})

describe('people', () => {
  it('are found by the beginning of any of their names, first names first', () => {
    const people = ['Grace Hopper', 'Hope Grant', 'Alan Turing'].map((name) => ({ id: name, name }))
    expect(matchingPeople(people, 'ho').map(({ name }) => name)).toEqual(['Hope Grant', 'Grace Hopper'])
    expect(matchingPeople(people, 'ing')).toEqual([])
    expect(matchingPeople(people, '')).toHaveLength(3)
  })
  it('have initials', () => {
    expect(['Ada Lovelace', 'owner', '  Jean  Luc  Picard ', '𝒳 y', ''].map(initialsOf)).toEqual([
      'AL',
      'O',
      'JP',
      '𝒳Y',
      '?',
    ])
  })
})
