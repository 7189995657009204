import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createTurns } from './turns.ts'

describe('turns', () => {
  it('begin one piece of work per turn of the event loop, in their order', async () => {
    const inTurn = createTurns()
    const seen: string[] = []
    for (const name of ['first', 'second', 'third']) inTurn(() => seen.push(name))
    setImmediate(() => seen.push('other'))
    while (seen.length < 4) await nextTurn()
    expect(seen).toEqual(['first', 'other', 'second', 'third'])
  })

  it('begin again once they were empty', async () => {
    const inTurn = createTurns()
    const begun = (name: string): Promise<string> => new Promise((resolve) => inTurn(() => resolve(name)))
    expect(await begun('one')).toBe('one')
    expect(await Promise.all([begun('two'), begun('three')])).toEqual(['two', 'three'])
  })
})
