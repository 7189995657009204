// Whether a machine that starts may act under its leases yet: it waits for what the others have to say.
import { expect, it } from 'vitest'
import { createManualClock } from '#main/kernel/clock.ts'
import { createLogger } from '#main/kernel/logger.ts'
import { createLeases } from './leases.ts'
import type { RosterDevice } from './roster-entries.ts'
import { createRoster } from './roster.ts'

const machine = (letter: string): RosterDevice => ({
  ...{ device: letter.repeat(32), name: letter, user: 'u', userName: 'U', addedAt: '', revokedAt: null },
  ...{ signKey: `${'A'.repeat(43)}=`, fingerprint: letter.repeat(64) },
  role: 'admin',
})

it('is waited for however the clock is set meanwhile', () => {
  const clock = createManualClock(Date.UTC(1970, 0, 2))
  const [own, other] = [machine('a'), machine('b')]
  const read = { get: () => undefined, all: () => [] }
  const leases = createLeases({
    host: { clock, log: createLogger(), write: () => Promise.reject(new Error()), ids: {} as never },
    roster: createRoster({ read, log: createLogger(), known: [own, other] }),
    docs: {} as never,
    device: own.device,
    isConnected: () => false,
    hasHeard: () => false,
    clockOffset: () => undefined,
  })
  expect([leases.isMine(''), leases.isWaiting('')]).toEqual([true, true])
  clock.set(Date.UTC(2026, 0, 1))
  expect(leases.isWaiting('')).toBe(true)
})
