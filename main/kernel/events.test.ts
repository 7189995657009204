import { describe, expect, it } from 'vitest'
import type { PlatformEvent } from '#shared/events.ts'
import { createManualClock } from './clock.ts'
import { internalContext } from './context.ts'
import type { Tx } from './database.ts'
import { createEventBus } from './events.ts'
import { createLogger } from './logger.ts'

const ctx = internalContext('request-1')
const tx = {} as Tx

function makeBus() {
  const lines: string[] = []
  const log = createLogger({ destination: { write: (line) => lines.push(line) } })
  return { bus: createEventBus({ clock: createManualClock(1_000), log }), lines }
}

describe('createEventBus', () => {
  it('runs in-transaction listeners by priority, then in order of registration, exact names and * together', () => {
    const { bus } = makeBus()
    const seen: string[] = []
    bus.on('a', () => seen.push('late'), 200)
    bus.on('*', () => seen.push('all'), 100)
    bus.on('a', () => seen.push('early'), 50)
    bus.on('a', () => seen.push('middle'), 100)
    bus.on('b', () => seen.push('other'), 1)
    bus.emit(tx, ctx, { type: 'a', payload: {} })
    expect(seen).toEqual(['early', 'all', 'middle', 'late'])
  })

  it('lets a listener veto by throwing', () => {
    const { bus } = makeBus()
    bus.on(
      'a',
      () => {
        throw new Error('no')
      },
      100,
    )
    expect(() => bus.emit(tx, ctx, { type: 'a', payload: {} })).toThrow('no')
  })

  it('gives events rising ids and fills in who, where and when', () => {
    const { bus } = makeBus()
    const first = bus.emit(tx, ctx, { type: 'a', object: 'task', recordId: 'x', payload: { n: 1 } })
    const second = bus.emit(tx, ctx, { type: 'a', payload: {} })
    expect(second.eventId).toBeGreaterThan(first.eventId)
    expect(first).toMatchObject({
      type: 'a',
      object: 'task',
      recordId: 'x',
      actor: { type: 'system', id: 'system' },
      source: 'system',
      requestId: 'request-1',
      depth: 0,
      timestamp: '1970-01-01T00:00:01.000Z',
    })
  })

  it('calls after-commit listeners in event order; one that throws is logged, counted and stops nobody', () => {
    const { bus, lines } = makeBus()
    const seen: number[] = []
    bus.onCommitted('a', () => {
      throw new Error('broken listener')
    })
    const stop = bus.onCommitted('a', (event) => seen.push(event.eventId))
    const events: PlatformEvent[] = [1, 2].map(() => bus.emit(tx, ctx, { type: 'a', payload: {} }))
    bus.committed(events)
    expect(seen).toEqual(events.map((event) => event.eventId))
    expect(bus.failures()).toBe(2)
    expect(lines.join('')).toContain('broken listener')
    stop()
    bus.committed(events)
    expect(seen).toHaveLength(2)
  })
})
