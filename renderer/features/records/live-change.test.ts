// What an event of an object means for rows on screen.
import { describe, expect, it } from 'vitest'
import type { RealtimeEvent } from '../../lib/realtime/index.ts'
import { afterWrite, movesRows, rowAfter, saysNothingNew } from './live-change.ts'
import type { LiveView } from './live-change.ts'

const plain: LiveView = { expand: ['author'], sort: ['name'], narrowed: false, figured: false }
const updated = (record: Record<string, unknown>, changed: readonly string[]): RealtimeEvent =>
  ({
    type: 'record.updated',
    payload: { record, changes: Object.fromEntries(changed.map((name) => [name, {}])) },
  }) as unknown as RealtimeEvent
const row = { id: '1', name: 'a', pages: 1, author: { id: '9', name: 'Ada' }, updated_at: '2026-01-01T00:00:00.001Z' }
const later = { id: '1', name: 'a', pages: 2, author: '9', updated_at: '2026-01-01T00:00:00.002Z' }

describe('a changed record', () => {
  it('is put in its place with its links as they are shown', () => {
    expect(rowAfter(row, updated(later, ['pages']), ['author'])).toEqual({
      ...row,
      pages: 2,
      updated_at: later.updated_at,
    })
  })

  it('changes no other row and none that is newer', () => {
    expect(rowAfter({ ...row, id: '2' }, updated(later, ['pages']), [])).toMatchObject({ id: '2', pages: 1 })
    const newer = { ...row, updated_at: '2026-01-01T00:00:00.003Z' }
    expect(rowAfter(newer, updated(later, ['pages']), [])).toBe(newer)
    expect([newer, row].map((one) => saysNothingNew(one, updated(later, ['pages'])))).toEqual([true, false])
  })

  it('is shown as a write left it, with the links that are still the ones shown, and over nothing newer', () => {
    const show = afterWrite([later], ['author'])
    expect(show(row)).toEqual({ ...later, author: row.author })
    expect(afterWrite([{ ...later, author: '8' }], ['author'])(row)).toEqual({ ...later, author: '8' })
    const newer = { ...row, updated_at: '2026-01-01T00:00:00.003Z' }
    const other = { ...row, id: '2' }
    expect([show(newer), show(other)]).toEqual([newer, other])
  })

  it('moves rows only where order, links, choice or figures depend on it', () => {
    expect(movesRows(updated(later, ['pages']), plain)).toBe(false)
    expect(movesRows(updated(later, ['name']), plain)).toBe(true)
    expect(movesRows(updated(later, ['author']), plain)).toBe(true)
    expect(movesRows(updated(later, ['pages']), { ...plain, sort: ['updated_at'] })).toBe(true)
    expect(movesRows(updated(later, ['pages']), { ...plain, narrowed: true })).toBe(true)
    expect(movesRows(updated(later, ['pages']), { ...plain, figured: true })).toBe(true)
  })

  it.each(['record.created', 'record.deleted', 'record.restored', 'record.purged'])('%s moves rows', (type) => {
    expect(movesRows({ type, payload: { record: { id: '1' } } } as unknown as RealtimeEvent, plain)).toBe(true)
  })
})
