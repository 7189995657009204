// Notices that the network may have come back: the addresses of this machine changed, or the machine slept. Asks every
// two seconds, since Node is told of neither. Knows no link.
import { networkInterfaces } from 'node:os'
import { systemClock } from '#main/kernel/clock.ts'
import type { Clock } from '#main/kernel/clock.ts'
import { systemTimers } from './timers.ts'
import type { Timers } from './timers.ts'

/** What a watch works with. */
export interface NetworkWatchOptions {
  /** Called when links should be tried at once. */
  back(): void
  readonly timers?: Timers
  readonly clock?: Clock
  /** The addresses of this machine; for machines that tell otherwise. */
  addresses?(): readonly string[]
}

const everyMs = 2_000
/** A look that comes this much too late was held up by more than a busy process. */
const sleptMs = 10_000

/** Begins to watch. */
export function watchNetwork(options: NetworkWatchOptions): { stop(): void } {
  const { timers = systemTimers, clock = systemClock, addresses = ownAddresses } = options
  let known = signature(addresses())
  let lookedAt = clock.now()
  let cancel = timers.after(everyMs, look)

  function look(): void {
    cancel = timers.after(everyMs, look)
    const now = clock.now()
    const current = signature(addresses())
    const isBack = (current !== known && current !== '') || now - lookedAt > everyMs + sleptMs
    known = current
    lookedAt = now
    if (isBack) options.back()
  }

  return { stop: () => cancel() }
}

/** Loopback is always there and says nothing. */
function ownAddresses(): string[] {
  return Object.entries(networkInterfaces()).flatMap(([name, found = []]) =>
    found.filter(({ internal }) => !internal).map(({ address }) => `${name} ${address}`),
  )
}

function signature(addresses: readonly string[]): string {
  return [...addresses].sort().join('\n')
}
