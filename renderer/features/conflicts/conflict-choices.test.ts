// What can be done about a conflict, by its kind.
import { describe, expect, it } from 'vitest'
import { byRecord, isForMany, otherWays, sidesOf, whoseIs } from './conflict-choices.ts'
import type { Conflict, ConflictSide } from './conflict-queries.ts'

const side = (value: unknown, device = 'laptop'): ConflictSide => ({
  value,
  actor: { type: 'user', id: 'ada' },
  device: { id: device, name: device },
  at: '2026-01-31T08:15:30.123Z',
})
const conflict = (rest: Partial<Conflict> = {}): Conflict => ({
  id: '1',
  kind: 'field',
  object: 'book',
  recordId: 'r1',
  field: 'pages',
  winner: side(1),
  losers: [side(2, 'desk'), side(3, 'tablet')],
  sides: '1',
  state: 'open',
  foundAt: '2026-01-31T08:15:30.123Z',
  ...rest,
})

describe('the sides of a conflict', () => {
  it('are what stands and each value it won against, with the way to take it', () => {
    expect(sidesOf(conflict()).map(({ choice }) => choice?.decision)).toEqual([
      { choice: 'winner' },
      { choice: 'loser', loser: 0 },
      { choice: 'loser', loser: 1 },
    ])
  })

  it('are a deletion and an edit', () => {
    const sides = sidesOf(conflict({ kind: 'delete_edit', winner: side(null), losers: [side({ pages: 2 })] }))
    expect(sides.map(({ choice }) => choice?.decision.choice)).toEqual(['delete', 'restore'])
    const back = sidesOf(conflict({ kind: 'delete_edit', winner: side({}), losers: [side(null)] }))
    expect(back.map(({ choice }) => choice?.decision.choice)).toEqual(['restore', 'delete'])
    const gone = conflict({ kind: 'delete_edit', winner: side(null), losers: [side({ pages: 2 })], isGone: true })
    expect(sidesOf(gone).map(({ choice }) => choice?.decision.choice)).toEqual(['delete', undefined])
    expect(isForMany(gone, 'newest')).toBe(false)
  })

  it('show what does not fit without offering it', () => {
    const sides = sidesOf(conflict({ kind: 'type', winner: side(null), losers: [side('many')] }))
    expect(sides.map((one) => [one.side.value, one.choice])).toEqual([['many', undefined]])
  })

  it('are the links of a ring: the last one is kept, or taken back where it is known what was before', () => {
    const choices = (one: Conflict) => sidesOf(one).map(({ choice }) => choice?.decision.choice)
    expect(choices(conflict({ kind: 'cycle', losers: [side(2)], base: null }))).toEqual(['winner', 'loser'])
    expect(choices(conflict({ kind: 'cycle', losers: [side(2)], baseUnknown: true }))).toEqual(['winner', undefined])
  })

  it('say how it was once it is decided', () => {
    expect(sidesOf(conflict({ state: 'resolved' }))[0]?.heading).toBe('conflicts.side.then')
  })
})

describe('other ways to end a conflict', () => {
  it('write a value only where there is a field', () => {
    expect(otherWays(conflict()).value?.choice).toBe('value')
    expect(otherWays({ ...conflict({ kind: 'validation' }), field: undefined }).value).toBeUndefined()
    expect(otherWays(conflict({ kind: 'orphan' })).value?.choice).toBe('adopt')
  })

  it('are those of the kind', () => {
    const ways = (kind: Conflict['kind']) =>
      otherWays(conflict({ kind })).actions.map(({ decision }) => decision.choice)
    expect([ways('text'), ways('orphan'), ways('unique'), ways('type'), ways('field')]).toEqual([
      ['both'],
      ['adopt', 'delete'],
      ['merge'],
      ['winner'],
      [],
    ])
  })
})

it('knows whose a side is, and says nothing while this device is not known', () => {
  expect(whoseIs(side(1), 'laptop')).toBe('mine')
  expect(whoseIs(side(1, 'desk'), 'laptop')).toBe('theirs')
  expect(whoseIs(side(1), undefined)).toBe('unknown')
})

it('decides together only what one word decides', () => {
  const kinds = ['field', 'text', 'delete_edit', 'fork', 'orphan', 'unique', 'type', 'validation'] as const
  expect(kinds.filter((kind) => isForMany(conflict({ kind }), 'newest'))).toEqual([
    'field',
    'text',
    'delete_edit',
    'fork',
  ])
})

it('offers the ways out of a refusal, and to take many back by one word', () => {
  const refusal = (winner: unknown, choices: ('winner' | 'retry' | 'keep')[]) =>
    conflict({
      ...{ kind: 'refused', winner: side(winner, 'desk'), losers: [side({ pages: 2 })] },
      refusal: { code: 'edit', message: 'No.', fields: ['pages'], closed: [], choices },
    })
  const edited = refusal({ pages: 1 }, ['winner', 'retry'])
  expect(sidesOf(edited).map(({ heading }) => heading)).toEqual(['conflicts.refused.mine', 'conflicts.refused.theirs'])
  expect(otherWays(edited).actions.map(({ label }) => label)).toEqual(['conflicts.refused.takeBack', 'word.tryAgain'])
  expect(isForMany(edited, 'theirs')).toBe(true)
  expect(isForMany(edited, 'mine')).toBe(false)
  const made = refusal(null, ['winner', 'retry', 'keep'])
  expect(otherWays(made).actions[0]?.label).toBe('conflicts.refused.remove')
})

it('puts conflicts under their record in the order they came', () => {
  const list = [conflict({ id: 'a' }), conflict({ id: 'b', recordId: 'r2' }), conflict({ id: 'c' })]
  expect(byRecord(list).map(({ key, list: group }) => [key, group.map(({ id }) => id)])).toEqual([
    ['book/r1', ['a', 'c']],
    ['book/r2', ['b']],
  ])
})
