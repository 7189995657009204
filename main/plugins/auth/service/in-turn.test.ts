import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createTurns } from './in-turn.ts'

describe('createTurns', () => {
  it('runs work of one key in order, also after a failure, and others beside it', async () => {
    const inTurn = createTurns()
    const said: string[] = []
    const work =
      (name: string, ms: number, fails = false) =>
      async (): Promise<string> => {
        await pause(ms)
        said.push(name)
        if (fails) throw new Error(name)
        return name
      }
    const all = [
      inTurn('a', work('a1', 30, true)),
      inTurn('a', work('a2', 1)),
      inTurn('b', work('b1', 10)),
      inTurn('a', work('a3', 1)),
    ]
    const results = await Promise.allSettled(all)
    expect(said).toEqual(['b1', 'a1', 'a2', 'a3'])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled'])
  })
})
