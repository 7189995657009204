// What waits, on a real database file: everything has its turn, however much there is that nothing fits.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TestDatabase } from '../../../../test/support/open-test-database.ts'
import { openTestDatabase } from '../../../../test/support/open-test-database.ts'
import { chainStart } from '#main/replication/wire/chain.ts'
import { encodeBody } from '#main/replication/wire/envelope-codec.ts'
import { syncMigrations } from '../migrations/index.ts'
import { insertEnvelope, putIncarnation } from '../store/log-store.ts'
import { countProblems, putProblem, readProblem } from '../store/problem-store.ts'
import type { Read } from './calls.ts'
import { createRetrying } from './retrying.ts'

describe('what waits', () => {
  let test: TestDatabase
  beforeEach(async () => {
    test = await openTestDatabase([{ id: 'sync', migrations: syncMigrations }])
  })
  afterEach(() => test.close())

  /** Parks so many envelopes of a log, each about another document. */
  const park = (inc: number, count: number): Promise<void> =>
    test.database.write('test.park', (tx) => {
      const common = { inc, device: 'a', chain: chainStart().hash, headSeq: 0, headBytes: 0 }
      putIncarnation(tx, { ...common, storedSeq: count, appliedSeq: count })
      for (let seq = 1; seq <= count; seq += 1) {
        const body = encodeBody({
          ...{ doc: `r/a/${inc}-${seq}`, kind: 'update', hlc: { ms: 1, ctr: 0 }, group: { first: seq, count: 1 } },
          ...{ author: 'ada', aclRev: 0, schemaRev: 0, update: new Uint8Array([0, 0]), facts: [] },
        })
        insertEnvelope(tx, { inc, seq, epoch: 1, seal: 0, body })
        const problem = {
          inc,
          seq,
          kind: 'parked',
          reason: 'missing_dep',
          detail: '',
          doc: `r/a/${inc}-${seq}`,
        } as const
        putProblem(tx, { ...problem, since: '2026-01-31T08:15:30.123Z' })
      }
    })

  it('has its turn, and is left alone once all of it had', async () => {
    const { read, write } = test.database
    await park(1, 1_200)
    await park(2, 1)
    const tried: number[] = []
    let rounds = 0
    const retrying = createRetrying({
      read,
      write,
      state: { problems: () => countProblems(read) },
      refusing: { retry: () => undefined },
      applyPart(_tx, _device, part: readonly Read[]) {
        tried.push(...part.map(({ envelope }) => envelope.inc))
        return part.filter(({ envelope }) => envelope.inc === 2)
      },
      recount: () => undefined,
      again: () => void (rounds += 1),
    })
    try {
      expect(await retrying.parked(true)).toBe(false)
      expect(tried.length).toBeLessThan(1_200)
      expect(new Set(tried)).toEqual(new Set([1]))
      await expect.poll(() => rounds, { timeout: 20_000 }).toBe(1)
      expect(await retrying.parked(false)).toBe(true)
      expect(readProblem(read, 2, 1)).toBeUndefined()
      // Nothing is new: nobody asks for another round.
      tried.length = 0
      expect(await retrying.parked(false)).toBe(false)
      expect(tried).toEqual([])
    } finally {
      retrying.stop()
    }
  })
})
