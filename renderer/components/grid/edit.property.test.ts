// Proves that edits never lose typed text and that late answers to older writes change nothing.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cellKey, initialEditState, reduceEdit } from './edit.ts'
import type { EditEvent, EditState } from './edit.ts'

const cellArb = fc.record({ rowKey: fc.constantFrom('r1', 'r2', 'r/3'), field: fc.constantFrom('title', 'amount') })
const textArb = fc.string({ maxLength: 8 })
const eventArb: fc.Arbitrary<EditEvent> = fc.oneof(
  fc.record({
    type: fc.constant('open' as const),
    cell: cellArb,
    rowIndex: fc.nat(9),
    text: textArb,
    replace: fc.boolean(),
  }),
  fc.record({ type: fc.constant('draft' as const), text: textArb }),
  fc.record({ type: fc.constant('reject' as const), message: textArb }),
  fc.constant({ type: 'cancel' as const }),
  fc.record({ type: fc.constant('write' as const), cell: cellArb, rowIndex: fc.nat(9), text: textArb, value: textArb }),
  fc.record({ type: fc.constant('saved' as const), cell: cellArb, ticket: fc.nat(12) }),
  fc.record({ type: fc.constant('failed' as const), cell: cellArb, ticket: fc.nat(12), message: textArb }),
  fc.record({ type: fc.constant('retry' as const), cell: cellArb }),
  fc.record({ type: fc.constant('discard' as const), cell: cellArb }),
)

const title = { rowKey: 'r1', field: 'title' }
const after = (...events: EditEvent[]): EditState => events.reduce(reduceEdit, initialEditState)

describe('reduceEdit', () => {
  it('keeps the text of the last write of a cell until that write is saved or discarded', () => {
    fc.assert(
      fc.property(fc.array(eventArb, { maxLength: 60 }), (events) => {
        const expected = new Map<string, { text: string; ticket: number }>()
        let state = initialEditState
        for (const event of events) {
          state = reduceEdit(state, event)
          if (event.type === 'write') expected.set(cellKey(event.cell), { text: event.text, ticket: state.lastTicket })
          if (event.type === 'retry') {
            const kept = expected.get(cellKey(event.cell))
            const ticket = state.writes.get(cellKey(event.cell))?.ticket
            if (kept && ticket !== undefined) kept.ticket = ticket
          }
          if (event.type === 'saved' && expected.get(cellKey(event.cell))?.ticket === event.ticket) {
            expected.delete(cellKey(event.cell))
          }
          if (event.type === 'discard' && !state.writes.has(cellKey(event.cell))) expected.delete(cellKey(event.cell))
          const texts = new Map([...state.writes].map(([key, write]) => [key, write.text]))
          expect(texts).toEqual(new Map([...expected].map(([key, { text }]) => [key, text])))
        }
      }),
    )
  })

  it('has an error message exactly on failed writes and never changes an older state', () => {
    fc.assert(
      fc.property(fc.array(eventArb, { maxLength: 40 }), (events) => {
        let state = initialEditState
        for (const event of events) {
          const frozen = JSON.stringify([state.editor, [...state.writes]])
          const next = reduceEdit(state, event)
          expect(JSON.stringify([state.editor, [...state.writes]])).toBe(frozen)
          for (const write of next.writes.values()) {
            expect(write.message !== null).toBe(write.status === 'failed')
          }
          state = next
        }
      }),
    )
  })

  it('goes from edit over pending to saved', () => {
    const editing = after(
      { type: 'open', cell: title, rowIndex: 4, text: 'old', replace: false },
      { type: 'draft', text: 'new' },
    )
    expect(editing.editor).toMatchObject({ draft: 'new', rowIndex: 4 })
    const pending = reduceEdit(editing, { type: 'write', cell: title, rowIndex: 4, text: 'new', value: 'new' })
    expect(pending.editor).toBeNull()
    expect(pending.writes.get(cellKey(title))).toMatchObject({ status: 'pending', text: 'new' })
    expect(reduceEdit(pending, { type: 'saved', cell: title, ticket: 1 }).writes.size).toBe(0)
  })

  it('opens a failed cell with the text that could not be saved and the reason', () => {
    const failed = after(
      { type: 'write', cell: title, rowIndex: 0, text: 'typed', value: 'typed' },
      { type: 'failed', cell: title, ticket: 1, message: 'Conflict' },
      { type: 'open', cell: title, rowIndex: 0, text: 'stored', replace: false },
    )
    expect(failed.editor).toMatchObject({ draft: 'typed', error: 'Conflict' })
    const cancelled = reduceEdit(failed, { type: 'cancel' })
    expect(cancelled.writes.get(cellKey(title))).toMatchObject({ status: 'failed', text: 'typed' })
  })

  it('ignores the answer to a write that a newer one has replaced', () => {
    const twice = after(
      { type: 'write', cell: title, rowIndex: 0, text: 'one', value: 'one' },
      { type: 'write', cell: title, rowIndex: 0, text: 'two', value: 'two' },
    )
    expect(reduceEdit(twice, { type: 'saved', cell: title, ticket: 1 })).toBe(twice)
    expect(reduceEdit(twice, { type: 'failed', cell: title, ticket: 1, message: 'late' })).toBe(twice)
    expect(reduceEdit(twice, { type: 'saved', cell: title, ticket: 2 }).writes.size).toBe(0)
  })
})
