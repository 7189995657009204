// The send window against a plain list of what is on the way.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSendWindow } from './credit.ts'
import { windowLimit } from './limits.ts'

type Step =
  | { readonly do: 'send'; readonly inc: number; readonly seq: number; readonly bytes: number }
  | { readonly do: 'ack'; readonly inc: number; readonly seq: number }
  | { readonly do: 'withdraw'; readonly inc: number; readonly from: number; readonly to: number }
  | { readonly do: 'reset' }

const inc = fc.integer({ min: 1, max: 3 })
const seq = fc.integer({ min: 1, max: 12 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('send' as const), inc, seq, bytes: fc.nat(500) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('ack' as const), inc, seq }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('withdraw' as const), inc, from: seq, to: seq }) },
  { weight: 1, arbitrary: fc.constant({ do: 'reset' as const }) },
)

describe('the send window', () => {
  it('counts what is on the way as a plain list does, after any steps', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const window = createSendWindow(1000)
        let model: { inc: number; seq: number; bytes: number }[] = []
        const sum = (): number => model.reduce((total, { bytes }) => total + bytes, 0)
        const drop = (goes: (one: { inc: number; seq: number }) => boolean): number => {
          const before = sum()
          model = model.filter((one) => !goes(one))
          return before - sum()
        }
        for (const one of steps) {
          if (one.do === 'send') {
            if (!model.some((sent) => sent.inc === one.inc && sent.seq === one.seq)) model.push(one)
            window.sent(one, one.bytes)
          } else if (one.do === 'ack') {
            const freed = window.acknowledged(new Map([[one.inc, one.seq]]))
            expect(freed).toBe(drop((sent) => sent.inc === one.inc && sent.seq <= one.seq))
          } else if (one.do === 'withdraw') {
            const freed = window.withdrawn(one)
            expect(freed).toBe(drop((sent) => sent.inc === one.inc && sent.seq >= one.from && sent.seq <= one.to))
          } else {
            window.reset()
            model = []
          }
          expect(window.inFlight()).toBe(sum())
          expect(window.admits(200)).toBe(sum() === 0 || sum() + 200 <= 1000)
        }
      }),
    )
  })

  it('is 1 MiB, and lets through what is larger only alone', () => {
    const window = createSendWindow()
    expect(window.admits(windowLimit + 1)).toBe(true)
    window.sent({ inc: 1, seq: 1 }, windowLimit - 10)
    expect([window.admits(10), window.admits(11)]).toEqual([true, false])
    expect(window.acknowledged(new Map([[1, 5]]))).toBe(windowLimit - 10)
    expect(window.inFlight()).toBe(0)
  })
})
