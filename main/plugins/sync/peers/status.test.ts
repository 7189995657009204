// The status that follows from facts: what outranks what, and when a proof is shown.
import { describe, expect, it } from 'vitest'
import type { SyncSummary } from '../session/session-summary.ts'
import type { LifeState } from './lifecycle.ts'
import type { StatusFacts } from './status.ts'
import { statusOf } from './status.ts'

const proof = { at: '2026-01-31T08:15:30.123Z', with: ['laptop'], digest: 'ab' }
const sessions: SyncSummary = {
  knownPeers: 2,
  connectedPeers: 1,
  backlog: { waiting: 0, parked: 0, quarantined: 0 },
  unprojected: { waiting: 0, isTrying: false },
  outgoing: { waiting: 0 },
  incoming: { remaining: 0, total: 0, partial: false },
  proof,
}
const peer = { kind: 'device', state: 'connected', lastSeenAt: null } as const
const counts = { conflicts: 0, refused: 0, keptHere: 0, parked: 0, quarantined: 0, waiting: 0, repairs: 0 }
const facts: StatusFacts = {
  workspaceId: 'f0',
  epoch: 1,
  device: null,
  counts,
  logBytes: 7,
  progress: { done: 3, total: 9 },
  isDeaf: false,
  isPaused: false,
  isFull: false,
  stuck: 0,
  sessions,
  peers: [
    { ...peer, id: 'laptop', name: 'Laptop' },
    { ...peer, id: 'desk', name: 'Desk' },
    { ...peer, id: 'old', name: 'Old', state: 'unpaired' },
  ],
}
const { proof: _proof, ...unproved } = sessions

const verdict = (changes: Partial<StatusFacts>, life: LifeState = 'running'): string => {
  const { state, reason } = statusOf(life, undefined, { ...facts, ...changes })
  return reason === undefined ? state : `${state} ${reason}`
}
const ofSessions = (changes: Partial<SyncSummary>): string => verdict({ sessions: { ...sessions, ...changes } })

describe('the status', () => {
  it('is off, or says why sync is not on, while nothing takes part', () => {
    expect(statusOf('off', undefined, undefined)).toMatchObject({ state: 'off', workspaceId: null, logBytes: 0 })
    const stuck = statusOf('not_started', 'keys_unreadable', undefined)
    expect(stuck).toMatchObject({ state: 'attention', reason: 'keys_unreadable', device: null })
  })

  it('names whom a proof speaks of, and whom of the others not', () => {
    const shown = statusOf('running', undefined, facts)
    expect(shown).toMatchObject({ state: 'up_to_date', workspaceId: 'f0', logBytes: 7 })
    expect(shown.proof).toMatchObject({ with: [{ id: 'laptop', name: 'Laptop' }] })
    expect(shown.proof?.without).toEqual([{ id: 'desk', name: 'Desk', lastSeenAt: null }])
    expect(shown).not.toHaveProperty('progress')
  })

  it('says first what the machine itself knows', () => {
    expect(verdict({ isDeaf: true }, 'unpaired')).toBe('attention unpaired')
    expect(verdict({ isDeaf: true }, 'preparing')).toBe('attention listen_failed')
    expect(verdict({ isDeaf: true, isFull: true })).toBe('attention disk_full')
    expect(verdict({}, 'preparing')).toBe('preparing')
    expect(statusOf('preparing', undefined, facts).progress).toEqual({ done: 3, total: 9 })
  })

  it('follows what the sessions come to, the worst first', () => {
    expect(ofSessions({ knownPeers: 0, trouble: 'fork' })).toBe('local_only')
    expect(ofSessions({ trouble: 'fork', connectedPeers: 0 })).toBe('attention fork')
    expect(ofSessions({ backlog: { waiting: 0, parked: 1, quarantined: 0 }, connectedPeers: 0 })).toBe(
      'attention problems',
    )
    expect(ofSessions({ connectedPeers: 0, stalled: 'not_answered' })).toBe('offline unreachable')
    expect(verdict({ isPaused: true, sessions: { ...sessions, connectedPeers: 0 } })).toBe('offline paused')
    expect(ofSessions({ stalled: 'not_answered', outgoing: { waiting: 1 } })).toBe('stalled not_answered')
    const incoming = { remaining: 1, total: 2, partial: true }
    expect(ofSessions({ incoming, outgoing: { waiting: 1 } })).toBe('receiving')
    expect(ofSessions({ outgoing: { waiting: 1 }, unprojected: { waiting: 1, isTrying: false } })).toBe('sending')
    expect(ofSessions({ unprojected: { waiting: 1, isTrying: true } })).toBe('receiving')
    expect(ofSessions({ unprojected: { waiting: 1, isTrying: false } })).toBe('attention not_projected')
    expect(verdict({ sessions: unproved })).toBe('sending checking')
  })

  it('never says that all is equal while something was not accepted, or stays here on purpose', () => {
    const refused = { ...counts, refused: 2, keptHere: 1 }
    expect(verdict({ counts: refused })).toBe('attention not_accepted')
    expect(verdict({ counts: refused, sessions: { ...sessions, connectedPeers: 0 } })).toBe('attention not_accepted')
    const kept = { ...counts, keptHere: 1 }
    expect(verdict({ counts: kept })).toBe('attention kept_here')
    expect(verdict({ counts: kept, sessions: unproved })).toBe('attention kept_here')
    expect(verdict({ counts: kept, sessions: { ...unproved, stalled: 'not_proved' } })).toBe('attention kept_here')
    expect(verdict({ counts: kept, sessions: { ...sessions, outgoing: { waiting: 1 } } })).toBe('sending')
  })

  it('leaves what people have to do to the moment in which nothing moves any more, and keeps the proof', () => {
    const conflicts = { ...counts, conflicts: 2 }
    expect(verdict({ counts: conflicts, stuck: 1 })).toBe('attention conflicts')
    expect(verdict({ stuck: 1 })).toBe('attention waiting')
    expect(statusOf('running', undefined, { ...facts, counts: conflicts }).proof).toBeDefined()
    expect(verdict({ counts: conflicts, sessions: { ...sessions, outgoing: { waiting: 1 } } })).toBe('sending')
    const unprojected = { waiting: 1, isTrying: false }
    expect(verdict({ stuck: 1, sessions: { ...sessions, unprojected } })).toBe('attention waiting')
    expect(statusOf('running', undefined, { ...facts, sessions: { ...sessions, unprojected } }).proof).toBeUndefined()
  })
})
