// The words for how sync stands: exactly those of the design, and "up to date" only where it was proved.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatBytes } from '../../lib/format.ts'
import type { SyncStatus } from './sync-queries.ts'
import {
  clockText,
  countdownText,
  groupDigits,
  groupFingerprint,
  reasonText,
  refusalText,
  shortMoment,
  stateText,
  stepTexts,
  toneOf,
} from './sync-words.ts'

// Times without a zone are of the zone the test runs in, as they are for a person.
const now = new Date('2026-11-22T15:00:00')
const at = (text: string): string => new Date(text).toISOString()

const base: SyncStatus = {
  state: 'up_to_date',
  workspaceId: 'a',
  epoch: 1,
  device: { id: 'd', name: 'Desk', fingerprint: 'f', inc: 1, role: 'admin' },
  outgoing: { waiting: 0 },
  incoming: { remaining: 0, total: 0, partial: false },
  counts: { conflicts: 0, refused: 0, keptHere: 0, parked: 0, quarantined: 0, waiting: 0, repairs: 0 },
  logBytes: 0,
}
const proof = {
  at: at('2026-11-22T14:02:00'),
  with: [
    { id: 'a', name: 'Laptop' },
    { id: 'relay', name: 'Relay' },
  ],
  without: [],
  digest: 'd',
}
const lines: readonly [string, Partial<SyncStatus>][] = [
  ['Off', { state: 'off' }],
  ['Preparing 3,100 of 12,000', { state: 'preparing', progress: { done: 3_100, total: 12_000 } }],
  ['Preparing', { state: 'preparing' }],
  ['Local only', { state: 'local_only' }],
  ['Up to date (proved 14:02 with Laptop, Relay)', { proof }],
  ['Up to date (proved Nov 21, 14:02 with Laptop, Relay)', { proof: { ...proof, at: at('2026-11-21T14:02:00') } }],
  [
    'Up to date (proved 14:02 with Laptop, Relay); Tablet away since Nov 20, 09:10',
    { proof: { ...proof, without: [{ id: 't', name: 'Tablet', lastSeenAt: at('2026-11-20T09:10:00') }] } },
  ],
  [
    'Up to date (proved 14:02 with Laptop, Relay); 2 devices away',
    {
      proof: {
        ...proof,
        without: [
          { id: 't', name: 'Tablet', lastSeenAt: null },
          { id: 'p', name: 'Phone', lastSeenAt: null },
        ],
      },
    },
  ],
  ['Up to date (proved 14:02)', { proof: { ...proof, with: [] } }],
  ['Connected, not proved yet', {}],
  ['Sending 12', { state: 'sending', outgoing: { waiting: 12 } }],
  ['Checking', { state: 'sending', reason: 'checking' }],
  ['Receiving 340 of 2,100', { state: 'receiving', incoming: { remaining: 1_760, total: 2_100, partial: false } }],
  [
    'Offline, 5 changes waiting since 09:10',
    { state: 'offline', outgoing: { waiting: 5, oldestAt: at('2026-11-22T09:10:00') } },
  ],
  [
    'Offline, 1 change waiting since Dec 31, 2025, 09:10',
    { state: 'offline', outgoing: { waiting: 1, oldestAt: at('2025-12-31T09:10:00') } },
  ],
  ['Offline, 5 changes waiting', { state: 'offline', outgoing: { waiting: 5 } }],
  ['Offline', { state: 'offline' }],
  [
    'Attention (4)',
    {
      state: 'attention',
      counts: { conflicts: 2, refused: 0, keptHere: 0, parked: 1, quarantined: 1, waiting: 0, repairs: 9 },
    },
  ],
  [
    '2 changes not accepted',
    { state: 'attention', reason: 'not_accepted', counts: { ...base.counts, refused: 2, conflicts: 1 } },
  ],
  [
    '1 change on this device only',
    { state: 'attention', reason: 'kept_here', counts: { ...base.counts, keptHere: 1 } },
  ],
  ['Attention: this device was removed from the workspace', { state: 'attention', reason: 'unpaired' }],
  ['Attention', { state: 'attention' }],
  ['Stalled: the disk is full', { state: 'stalled', reason: 'disk_full' }],
  ['Stalled: whatever_this_is', { state: 'stalled', reason: 'whatever_this_is' }],
]

describe('one line about sync', () => {
  it.each(lines)('%s', (line, change) => {
    expect(stateText({ ...base, ...change }, now)).toBe(line)
  })

  it('says "up to date" and turns green only with the state and a proof with its time', () => {
    const states = ['off', 'preparing', 'local_only', 'up_to_date', 'sending', 'receiving', 'offline'] as const
    const status = fc.record({
      state: fc.constantFrom(...states, 'attention' as const, 'stalled' as const),
      proof: fc.option(fc.record({ ...fixed(proof), at: fc.constantFrom('', proof.at) }), { nil: undefined }),
      outgoing: fc.record({ waiting: fc.nat(9) }),
    })
    fc.assert(
      fc.property(status, (change) => {
        const given = { ...base, ...change }
        const isProved = given.state === 'up_to_date' && given.proof !== undefined && given.proof.at !== ''
        expect(stateText(given, now).toLowerCase().includes('up to date')).toBe(isProved)
        expect(toneOf(given) === 'good').toBe(isProved)
      }),
    )
  })
})

/** The values of an object as constants, for generators that change a few of them. */
function fixed<T extends object>(value: T): { [K in keyof T]: fc.Arbitrary<T[K]> } {
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fc.constant(each)])) as {
    [K in keyof T]: fc.Arbitrary<T[K]>
  }
}

describe('words about other devices', () => {
  it('warn of a clock that is wrong and say nothing of one that is right', () => {
    expect(clockText({ clockOffsetMs: null })).toBeUndefined()
    expect(clockText({ clockOffsetMs: -1_900 })).toBeUndefined()
    expect(clockText({ clockOffsetMs: 3_600_000 })).toBe('Its clock is ahead by 1 hour')
    expect(clockText({ clockOffsetMs: -180_000 })).toBe('Its clock is behind by 3 minutes')
  })

  it('say how far both are apart', () => {
    expect(stepTexts({ behindThem: null, behindUs: null })).toEqual(['Not known'])
    expect(stepTexts({ behindThem: 0, behindUs: 0 })).toEqual(['In step'])
    expect(stepTexts({ behindThem: 1, behindUs: 14 })).toEqual(['1 change ahead of us', '14 changes behind us'])
  })

  it('give a reason in words, and the code where there are none', () => {
    expect(reasonText('timeout')).toBe('the answer took too long')
    expect(reasonText('envelope_forbidden')).toContain('did not accept a change')
    expect(reasonText('something_new')).toBe('something_new')
    expect(refusalText('rights')).toContain('may not read everything')
    expect(refusalText('workspace_not_empty')).toContain('Only an empty one can join')
    expect(refusalText('version')).toContain('too far apart')
    expect(refusalText('something_new')).toBe('It was refused (something_new).')
  })
})

describe('figures', () => {
  it('are written so that they can be read off a screen', () => {
    expect(groupDigits('4093127')).toBe('409 3127')
    expect(groupDigits('482913')).toBe('482 913')
    expect(groupFingerprint('3F:9a:41c0:7be2')).toBe('3F9a 41c0 7be2')
    expect([299_001, 60_000, 900, 0, -5].map(countdownText)).toEqual(['5:00', '1:00', '0:01', '0:00', '0:00'])
    expect([900, 18_400_000, 2_500_000_000].map(formatBytes)).toEqual(['0.9 kB', '18 MB', '2.5 GB'])
    expect(shortMoment(at('2026-11-22T00:05:00'), now)).toBe('00:05')
  })
})
