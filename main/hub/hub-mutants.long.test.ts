// The model of a hub is worth what it catches: each mistake, put in place of the right way, is found by its schedules
// within a minute.
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { WorldMistakes } from '../../test/support/hub-model.ts'

const limitMs = 60_000

/** A mistake of the world, or one that replaces a part of the program. */
interface Mutant {
  readonly world?: WorldMistakes
  readonly replace?: () => void
}

function swap<Module extends object>(path: string, change: (right: Module) => Partial<Module>): void {
  vi.doMock(path, async (original) => {
    const right = await original<Module>()
    return { ...right, ...change(right) }
  })
}

type Chains = typeof import('./row-chain.ts')
type Rules = typeof import('./follow-rules.ts')
type Leases = typeof import('./lease.ts')

const mutants: Readonly<Record<string, Mutant>> = {
  'a fence that does not look at the epoch': { world: { noFence: true } },
  'a lease that a row found stored renews': { world: { foundRenews: true } },
  'an answer before the row is stored': {
    replace: () =>
      swap<Chains>('./row-chain.ts', (right) => ({
        createRowChain(options) {
          const chain = right.createRowChain(options)
          return {
            ...chain,
            settled() {
              chain.settled().catch(() => undefined)
              return Promise.resolve()
            },
          }
        },
      })),
  },
  'a position that is written with the group after': {
    replace: () =>
      swap<Chains>('./row-chain.ts', (right) => ({
        createRowChain(options) {
          const chain = right.createRowChain(options)
          return { ...chain, next: () => chain.stored() }
        },
      })),
  },
  'a leader that has not read the log to its end': {
    replace: () =>
      swap<Rules>('./follow-rules.ts', () => ({
        isAtEnd: (at, end) => at.seq >= end - 1,
        mayTake: (head) => head.leaseLeftMs < 0,
      })),
  },
  'rows applied past a gap': { replace: () => swap<Rules>('./follow-rules.ts', () => ({ followsOn: () => true })) },
  'a file kept whose last row is of another epoch': {
    replace: () => swap<Rules>('./follow-rules.ts', () => ({ isOfTheLog: (_, row) => row !== null })),
  },
  'a lease counted from the answer': {
    replace: () =>
      swap<Leases>('./lease.ts', (right) => ({
        createLease(time, leaseMs, begun) {
          const lease = right.createLease(time, leaseMs, begun)
          return {
            ...lease,
            async during(call, isRenewed) {
              const answer = await call()
              return lease.during(() => Promise.resolve(answer), isRenewed)
            },
          }
        },
      })),
  },
  'a lease kept while the workspace is handed over': {
    replace: () =>
      swap<Leases>('./lease.ts', (right) => ({
        createLease: (...parts) => ({ ...right.createLease(...parts), drop: () => undefined }),
      })),
  },
}

afterEach(() => {
  vi.doUnmock('./row-chain.ts')
  vi.doUnmock('./follow-rules.ts')
  vi.doUnmock('./lease.ts')
  vi.resetModules()
})

describe('the model finds', () => {
  it.each(Object.entries(mutants))('%s', { timeout: limitMs + 5_000 }, async (_, { world, replace }) => {
    replace?.()
    const { runWorld } = await import('../../test/support/hub-model.ts')
    const began = performance.now()
    let found: readonly string[] = []
    for (let seed = 1; found.length === 0 && performance.now() - began < limitMs; seed += 1)
      found = (await runWorld(seed, world)).broken
    expect(found).not.toEqual([])
  })
})
