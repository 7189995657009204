// What leaves over a link: in order, words before the log, bounded when nobody reads, and in slices.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { decodeFrame } from '#main/replication/wire/frame-codec.ts'
import type { Frame } from '#main/replication/wire/frames.ts'
import { createOutgoing } from './outgoing.ts'

const big = (id: number): Frame => ({ kind: 'LIVE', doc: `d${id}`, update: new Uint8Array(100_000) })

/** A network that takes a message only when told. */
function slowNetwork() {
  const sent: Frame[] = []
  const waiting: (() => void)[] = []
  return {
    sent,
    waiting,
    link: {
      queuedBytes: () => 0,
      offer: () => false,
      send: (message: Uint8Array) =>
        new Promise<boolean>((resolve) => {
          waiting.push(() => {
            sent.push(decodeFrame(message))
            resolve(true)
          })
        }),
    },
    async pass(): Promise<void> {
      waiting.shift()?.()
      await nextTurn()
    },
  }
}

describe('what leaves over a link', () => {
  it('leaves in order, and words leave before what is left of the log', async () => {
    const network = slowNetwork()
    const log: Frame[] = [1, 2, 3].map((id) => ({ kind: 'PING', id }))
    const outgoing = createOutgoing({ link: network.link, next: () => log.shift(), failed: () => undefined })
    outgoing.wake()
    outgoing.say({ kind: 'PONG', id: 8 }, { kind: 'PONG', id: 9 })
    // Between its slices, which a busy machine makes short, nothing waits for a moment.
    while (network.sent.length < 5) await (network.waiting.length > 0 ? network.pass() : nextTurn())
    expect(network.sent).toEqual([
      { kind: 'PING', id: 1 },
      { kind: 'PONG', id: 8 },
      { kind: 'PONG', id: 9 },
      { kind: 'PING', id: 2 },
      { kind: 'PING', id: 3 },
    ])
  })

  it('holds the peer off while it does not read, and hears it again when it does', async () => {
    const network = slowNetwork()
    const outgoing = createOutgoing({ link: network.link, next: () => undefined, failed: () => undefined })
    let said = 0
    while (outgoing.untilLow() === undefined) outgoing.say(big((said += 1)))
    expect(outgoing.waiting()).toBeLessThan(4.5 * 1024 * 1024)
    let isLow = false
    void outgoing.untilLow()?.then(() => (isLow = true))
    await nextTurn()
    expect(isLow).toBe(false)
    while (outgoing.waiting() > 0) await network.pass()
    expect(isLow).toBe(true)
  })

  it('leaves the event loop free between its slices', async () => {
    const frames = Array.from({ length: 3_000 }, (_, id) => big(id))
    let longest = 0
    let last = performance.now()
    let isDone = false
    const watch = (): void => {
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
      if (!isDone) setImmediate(watch)
    }
    watch()
    const link = { queuedBytes: () => 0, offer: () => true, send: () => Promise.resolve(true) }
    const outgoing = createOutgoing({ link, next: () => frames.shift(), failed: () => undefined })
    const from = performance.now()
    outgoing.wake()
    while (frames.length > 0) await nextTurn()
    const whole = performance.now() - from
    isDone = true
    expect(longest).toBeLessThan(Math.max(60, whole / 2))
  })

  it('ends when the link does, and tells what cannot be sent', async () => {
    const failures: unknown[] = []
    const gone = createOutgoing({
      link: { queuedBytes: () => 0, offer: () => false, send: () => Promise.resolve(false) },
      next: () => ({ kind: 'PING', id: 1 }),
      failed: (error) => void failures.push(error),
    })
    gone.wake()
    await nextTurn()
    gone.say({ kind: 'PONG', id: 1 })
    expect([gone.waiting(), failures]).toEqual([0, []])
    const failing = createOutgoing({
      link: { queuedBytes: () => 0, offer: () => true, send: () => Promise.resolve(true) },
      next: () => {
        throw new Error('unreadable')
      },
      failed: (error) => void failures.push(error),
    })
    failing.wake()
    expect(failures).toEqual([new Error('unreadable')])
  })
})
