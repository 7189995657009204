// Owns running edits: the reducer of edit.ts, the draft of the open editor, and writes in order per row.
// Knows promises and React state; knows no elements and no keys.

import { useCallback, useLayoutEffect, useMemo, useReducer, useRef } from 'react'
import { cellKey, initialEditState, reduceEdit } from './edit.ts'
import type { CellAddress, CellWrite, EditEvent, EditState, ParkedText } from './edit.ts'
import type { GridEdit, GridRecord } from './grid-types.ts'

/** A cell value that is to be saved, with the text it came from. */
export interface CellChange extends GridEdit {
  rowKey: string
  text: string
}

/** How to save. */
export interface EditPort {
  save(change: GridEdit): Promise<unknown>
  saveMany?(changes: readonly GridEdit[]): Promise<readonly (string | null)[] | void>
  describe(error: unknown): string
  /** Told once per write that failed. */
  onFailed(change: CellAddress & { rowIndex: number }, message: string): void
}

/** Editing as the grid uses it. */
export interface CellEdits {
  state: EditState
  /** Writes by row key, then by field; maps of untouched rows keep their identity only while nothing is written. */
  writesByRow: ReadonlyMap<string, ReadonlyMap<string, CellWrite>>
  /** Text of the open editor, newer than the state while an event is being handled. */
  draft(): string
  /** Record the open editor belongs to. */
  editedRow(): GridRecord | undefined
  open(cell: CellAddress, row: GridRecord, rowIndex: number, text: string, replace: boolean): void
  setDraft(text: string): void
  reject(message: string): void
  cancel(): void
  write(changes: readonly CellChange[]): void
  /** Keeps texts in their cells, marked as not saved; an open editor of one of them is closed. */
  park(texts: readonly (ParkedText & { row: GridRecord })[]): void
  retry(cell: CellAddress): void
  discard(cell: CellAddress): void
}

/** Runs edits against a port; the port may change with every rendering. */
export function useCellEdits(port: EditPort): CellEdits {
  const [state, dispatchState] = useReducer(reduceEdit, initialEditState)
  const current = useRef(state)
  const draftText = useRef('')
  const rows = useRef(new Map<string, GridRecord>())
  const queues = useRef(new Map<string, Promise<unknown>>())
  const ports = useRef(port)
  useLayoutEffect(() => {
    ports.current = port
  }, [port])

  // The reducer is pure, so it can run here as well: tickets are needed at once, not after rendering.
  const dispatch = useCallback((event: EditEvent): EditState => {
    current.current = reduceEdit(current.current, event)
    dispatchState(event)
    return current.current
  }, [])

  /** Writes of one row wait for each other: two answers out of order would leave the older value on the server. */
  const queued = useCallback((rowKeys: readonly string[], run: () => Promise<unknown>): void => {
    const before = rowKeys.map((key) => queues.current.get(key)).filter((queue) => queue !== undefined)
    const done = before.length > 0 ? Promise.all(before).then(run) : run()
    for (const key of rowKeys) {
      queues.current.set(key, done)
      void done.finally(() => {
        if (queues.current.get(key) === done) queues.current.delete(key)
      })
    }
  }, [])

  const run = useCallback(
    (changes: readonly CellChange[], tickets: readonly number[]): void => {
      const settle = (change: CellChange, index: number, message: string | null): void => {
        const cell = { rowKey: change.rowKey, field: change.field }
        const ticket = tickets[index] ?? 0
        if (message === null) {
          dispatch({ type: 'saved', cell, ticket })
          return
        }
        const isCurrent = current.current.writes.get(cellKey(cell))?.ticket === ticket
        dispatch({ type: 'failed', cell, ticket, message })
        if (isCurrent) ports.current.onFailed({ ...cell, rowIndex: change.rowIndex }, message)
      }
      const { saveMany } = ports.current
      const bare = changes.map(({ rowIndex, row, field, value }): GridEdit => ({ rowIndex, row, field, value }))
      if (saveMany && changes.length > 1) {
        queued([...new Set(changes.map(({ rowKey }) => rowKey))], async () => {
          try {
            const messages = (await saveMany(bare)) ?? []
            changes.forEach((change, index) => settle(change, index, messages[index] ?? null))
          } catch (error) {
            const message = ports.current.describe(error)
            changes.forEach((change, index) => settle(change, index, message))
          }
        })
        return
      }
      changes.forEach((change, index) => {
        queued([change.rowKey], async () => {
          try {
            await ports.current.save(bare[index] ?? change)
            settle(change, index, null)
          } catch (error) {
            settle(change, index, ports.current.describe(error))
          }
        })
      })
    },
    [dispatch, queued],
  )

  const actions = useMemo(() => {
    const write = (changes: readonly CellChange[]): void => {
      const tickets = changes.map(({ rowKey, field, rowIndex, text, value, row }) => {
        rows.current.set(rowKey, row)
        return dispatch({ type: 'write', cell: { rowKey, field }, rowIndex, text, value }).lastTicket
      })
      run(changes, tickets)
    }
    return {
      draft: () => draftText.current,
      editedRow: () => {
        const { editor } = current.current
        return editor ? rows.current.get(editor.rowKey) : undefined
      },
      open: (cell: CellAddress, row: GridRecord, rowIndex: number, text: string, replace: boolean) => {
        rows.current.set(cell.rowKey, row)
        draftText.current = dispatch({ type: 'open', cell, rowIndex, text, replace }).editor?.draft ?? ''
      },
      setDraft: (text: string) => {
        draftText.current = text
        dispatch({ type: 'draft', text })
      },
      reject: (message: string) => void dispatch({ type: 'reject', message }),
      cancel: () => void dispatch({ type: 'cancel' }),
      write,
      park: (texts: readonly (ParkedText & { row: GridRecord })[]) => {
        for (const { rowKey, row } of texts) rows.current.set(rowKey, row)
        dispatch({ type: 'park', texts })
      },
      retry: (cell: CellAddress) => {
        const failed = current.current.writes.get(cellKey(cell))
        const row = rows.current.get(cell.rowKey)
        if (failed?.status !== 'failed' || failed.value === undefined || !row) return
        const { lastTicket } = dispatch({ type: 'retry', cell })
        run([{ ...cell, row, rowIndex: failed.rowIndex, text: failed.text, value: failed.value }], [lastTicket])
      },
      discard: (cell: CellAddress) => void dispatch({ type: 'discard', cell }),
    }
  }, [dispatch, run])

  const writesByRow = useMemo(() => {
    const byRow = new Map<string, Map<string, CellWrite>>()
    for (const write of state.writes.values()) {
      const ofRow = byRow.get(write.rowKey) ?? new Map<string, CellWrite>()
      byRow.set(write.rowKey, ofRow.set(write.field, write))
    }
    return byRow
  }, [state.writes])

  return useMemo(() => ({ ...actions, state, writesByRow }), [actions, state, writesByRow])
}
