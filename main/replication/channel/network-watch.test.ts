import { describe, expect, it } from 'vitest'
import { createManualClock } from '#main/kernel/clock.ts'
import { watchNetwork } from './network-watch.ts'
import { createManualTimers } from './timers.ts'

function watch(): {
  pass(ms: number, slept?: number): void
  be(...now: string[]): void
  calls(): number
  stop(): void
} {
  const timers = createManualTimers()
  const clock = createManualClock(0)
  let addresses = ['eth0 192.0.2.1']
  let calls = 0
  const { stop } = watchNetwork({ timers, clock, addresses: () => addresses, back: () => void (calls += 1) })
  return {
    pass(ms, slept = 0) {
      clock.advance(ms + slept)
      timers.advance(ms)
    },
    be: (...now) => void (addresses = now),
    calls: () => calls,
    stop,
  }
}

describe('watchNetwork', () => {
  it('calls when an address comes, not when the last one goes', () => {
    const network = watch()
    network.pass(2_000)
    expect(network.calls()).toBe(0)
    network.be()
    network.pass(2_000)
    expect(network.calls()).toBe(0)
    network.be('eth0 192.0.2.1')
    network.pass(2_000)
    expect(network.calls()).toBe(1)
    network.be('eth0 192.0.2.1', 'wlan0 198.51.100.7')
    network.pass(2_000)
    expect(network.calls()).toBe(2)
    network.be('wlan0 198.51.100.7', 'eth0 192.0.2.1')
    network.pass(2_000)
    expect(network.calls()).toBe(2)
  })

  it('calls after the machine slept, not after a busy moment', () => {
    const network = watch()
    network.pass(2_000, 3_000)
    expect(network.calls()).toBe(0)
    network.pass(2_000, 60_000)
    expect(network.calls()).toBe(1)
    network.pass(2_000)
    expect(network.calls()).toBe(1)
  })

  it('ends', () => {
    const network = watch()
    network.stop()
    network.be('eth0 203.0.113.5')
    network.pass(10_000)
    expect(network.calls()).toBe(0)
  })
})
