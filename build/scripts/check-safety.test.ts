import { describe, expect, it } from 'vitest'
import { describeTarget, meetsTarget, skipCheck } from '../../test/safety/registry.ts'
import type { CheckContext, CheckTarget, SafetyCheck } from '../../test/safety/registry.ts'
import { gravestExit, runCheck } from './check-safety.ts'

const logged: string[] = []
const context: CheckContext = { size: 'commit', seed: 1, log: (line) => logged.push(line) }

function check(target: CheckTarget, value: number, twin = value): SafetyCheck {
  return {
    id: 'X0',
    file: 'meta',
    unit: 'violations',
    target,
    tier: 'c',
    stage: 1,
    module: 'checks/meta.ts',
    run: () => Promise.resolve(value),
    twin: () => Promise.resolve(twin),
  }
}

describe('safety check runner', () => {
  it('exits 0 at the target only', async () => {
    expect(await runCheck(check(0, 0), context)).toEqual({ value: '0', exitCode: 0 })
    expect(await runCheck(check(0, 2), context)).toEqual({ value: '2', exitCode: 1 })
    expect(await runCheck(check({ atLeast: 500 }, 499), context)).toEqual({ value: '499', exitCode: 1 })
    expect(await runCheck(check(0, Number.NaN), context)).toEqual({ value: 'NaN', exitCode: 1 })
  })

  it('exits 2 for a skipped check and says why', async () => {
    const skipped = { ...check(0, 0), run: () => Promise.resolve(skipCheck('no strace here')) }
    expect(await runCheck(skipped, context)).toEqual({ value: 'skipped', exitCode: 2 })
    expect(logged.join()).toContain('no strace here')
  })

  it('exits 3 when the harness throws', async () => {
    const broken = { ...check(0, 0), run: () => Promise.reject(new Error('no server')) }
    expect(await runCheck(broken, context)).toEqual({ value: 'error', exitCode: 3 })
  })

  it('accepts a twin that misses the target and refuses one that meets it', async () => {
    expect((await runCheck(check(0, 0, 4), context, true)).exitCode).toBe(0)
    expect((await runCheck(check(0, 0, 0), context, true)).exitCode).toBe(1)
  })

  it('lets an error outweigh a miss, a miss a skip, a skip a success', () => {
    expect(gravestExit([0, 2, 1, 3])).toBe(3)
    expect(gravestExit([0, 2, 1])).toBe(1)
    expect(gravestExit([0, 2])).toBe(2)
    expect(gravestExit([0])).toBe(0)
  })
})

describe('targets of safety checks', () => {
  it('are exact, at most or at least', () => {
    expect([meetsTarget(3, 3), meetsTarget(3, 2)]).toEqual([true, false])
    expect([meetsTarget({ atMost: 5 }, 5), meetsTarget({ atMost: 5 }, 6)]).toEqual([true, false])
    expect([meetsTarget({ atLeast: 5 }, 5), meetsTarget({ atLeast: 5 }, 4)]).toEqual([true, false])
    expect([3, { atMost: 5 }, { atLeast: 5 }].map(describeTarget)).toEqual(['3', '<= 5', '>= 5'])
  })
})
