// Owns the life of an edit: display -> edit -> pending -> saved or failed, for one editor and any number of writes.
// A pure reducer; knows no promises, no fields and no DOM. Text a person typed is held until it is saved or discarded.

/** A cell by identity, not by position: rows may move while a write is on its way. */
export interface CellAddress {
  rowKey: string
  field: string
}

/** The one open editor. `draft` is the text so far, `error` why it cannot be saved (null: nothing known). */
export interface OpenEditor extends CellAddress {
  rowIndex: number
  draft: string
  error: string | null
}

/** A write that has not been confirmed. `text` is what was typed, `message` the server's words when it failed. */
export interface CellWrite extends CellAddress {
  rowIndex: number
  status: 'pending' | 'failed'
  text: string
  value: unknown
  ticket: number
  message: string | null
}

/** Editing state of a grid; `writes` is keyed by {@link cellKey}. */
export interface EditState {
  editor: OpenEditor | null
  writes: ReadonlyMap<string, CellWrite>
  lastTicket: number
}

/** Text that stays in its cell, marked as not saved; a `value` can be sent once more, undefined cannot. */
export interface ParkedText extends CellAddress {
  rowIndex: number
  text: string
  value: unknown
  message: string
}

/** Everything that can happen to an edit. A `ticket` names one write, so late answers to older writes are ignored. */
export type EditEvent =
  | { type: 'open'; cell: CellAddress; rowIndex: number; text: string; replace: boolean }
  | { type: 'draft'; text: string }
  | { type: 'reject'; message: string }
  | { type: 'cancel' }
  | { type: 'write'; cell: CellAddress; rowIndex: number; text: string; value: unknown }
  | { type: 'saved'; cell: CellAddress; ticket: number }
  | { type: 'failed'; cell: CellAddress; ticket: number; message: string }
  | { type: 'park'; texts: readonly ParkedText[] }
  | { type: 'retry'; cell: CellAddress }
  | { type: 'discard'; cell: CellAddress }

/** State of a grid nobody has edited. */
export const initialEditState: EditState = { editor: null, writes: new Map(), lastTicket: 0 }

/** Key of a cell in `EditState.writes`; field names hold no slash, so the key is unambiguous. */
export function cellKey(cell: CellAddress): string {
  return `${cell.field}/${cell.rowKey}`
}

const sameCell = (a: CellAddress, b: CellAddress): boolean => a.rowKey === b.rowKey && a.field === b.field

const withWrite = (writes: ReadonlyMap<string, CellWrite>, write: CellWrite): ReadonlyMap<string, CellWrite> =>
  new Map(writes).set(cellKey(write), write)

const withoutWrite = (writes: ReadonlyMap<string, CellWrite>, key: string): ReadonlyMap<string, CellWrite> => {
  const next = new Map(writes)
  next.delete(key)
  return next
}

/**
 * Next state after an event; events that do not apply (answers to an older write, a draft without an editor) return
 * the same state. `write` closes the editor when it belongs to the written cell.
 */
export function reduceEdit(state: EditState, event: EditEvent): EditState {
  switch (event.type) {
    case 'open': {
      const failed = state.writes.get(cellKey(event.cell))
      const kept = failed?.status === 'failed' ? failed.text : event.text
      const error = !event.replace && failed?.status === 'failed' ? failed.message : null
      return {
        ...state,
        editor: { ...event.cell, rowIndex: event.rowIndex, draft: event.replace ? event.text : kept, error },
      }
    }
    case 'draft':
      if (!state.editor) return state
      return { ...state, editor: { ...state.editor, draft: event.text, error: null } }
    case 'reject':
      if (!state.editor) return state
      return { ...state, editor: { ...state.editor, error: event.message } }
    case 'cancel':
      return state.editor ? { ...state, editor: null } : state
    case 'write': {
      const ticket = state.lastTicket + 1
      const { cell, rowIndex, text, value } = event
      const write: CellWrite = { ...cell, rowIndex, status: 'pending', text, value, ticket, message: null }
      const closes = state.editor !== null && sameCell(state.editor, cell)
      return {
        editor: closes ? null : state.editor,
        writes: withWrite(state.writes, write),
        lastTicket: ticket,
      }
    }
    case 'saved': {
      const key = cellKey(event.cell)
      if (state.writes.get(key)?.ticket !== event.ticket) return state
      return { ...state, writes: withoutWrite(state.writes, key) }
    }
    case 'failed': {
      const write = state.writes.get(cellKey(event.cell))
      if (write?.ticket !== event.ticket) return state
      return { ...state, writes: withWrite(state.writes, { ...write, status: 'failed', message: event.message }) }
    }
    case 'park': {
      // One copy for all of them: a large paste may be refused as a whole.
      const writes = new Map(state.writes)
      let { editor, lastTicket } = state
      for (const { rowKey, field, rowIndex, text, value, message } of event.texts) {
        const cell = { rowKey, field }
        writes.set(cellKey(cell), { ...cell, rowIndex, status: 'failed', text, value, ticket: ++lastTicket, message })
        if (editor && sameCell(editor, cell)) editor = null
      }
      return { editor, writes, lastTicket }
    }
    case 'retry': {
      const write = state.writes.get(cellKey(event.cell))
      if (write?.status !== 'failed') return state
      const ticket = state.lastTicket + 1
      const again: CellWrite = { ...write, status: 'pending', ticket, message: null }
      return { ...state, writes: withWrite(state.writes, again), lastTicket: ticket }
    }
    case 'discard': {
      const key = cellKey(event.cell)
      if (state.writes.get(key)?.status !== 'failed') return state
      return { ...state, writes: withoutWrite(state.writes, key) }
    }
  }
}
