// Owns keeping rows on screen true while others write: values in place at once, rows asked for again at most five times a
// second, and never under an open editor.
import { useCallback, useEffect, useMemo, useRef } from 'react'
import { isBeingWritten } from '../../lib/own-writes.ts'
import { onRecordsWritten } from '../../lib/record-changes.ts'
import { createCoalescer, useChannel } from '../../lib/realtime/index.ts'
import { afterWrite, isRecordEvent, movesRows, rowAfter, saysNothingNew } from './live-change.ts'
import type { LiveView } from './live-change.ts'
import type { RecordRows } from './use-record-rows.ts'

/** What is kept true. */
export interface LiveRows {
  object: string
  view: LiveView
  rows: Pick<RecordRows, 'patch'>
  /** Asks for rows and figures again. */
  reload(): unknown
  /** Whether anything is on screen yet. */
  isShown: boolean
}

/** How long after its first rows a view still counts as opening, in milliseconds. */
const openingMs = 2_000

/** Follows an object; answers what to call when a cell begins or stops being edited. */
export function useLiveRows(input: LiveRows): (editing: boolean) => void {
  const latest = useRef(input)
  latest.current = input
  const editing = useRef(false)
  const held = useRef(false)
  /** Whether rows moved before there were any: those on their way may be from before. */
  const early = useRef(false)
  const shownAt = useRef(Number.POSITIVE_INFINITY)
  const { isShown: isThere } = input
  const reload = useMemo(
    () =>
      createCoalescer(async () => {
        if (editing.current) {
          held.current = true
          return
        }
        await latest.current.reload()
      }),
    [],
  )
  useEffect(() => () => reload.stop(), [reload])
  useEffect(() => {
    if (!isThere) return
    shownAt.current = Math.min(shownAt.current, performance.now())
    if (early.current) reload.ask()
    early.current = false
  }, [isThere, reload])
  const { object } = input
  useEffect(
    () =>
      onRecordsWritten(object, (records) => {
        const { view, rows } = latest.current
        rows.patch(afterWrite(records, view.expand))
      }),
    [object],
  )

  useChannel(`object:${input.object}`, (message) => {
    const { view, rows, isShown } = latest.current
    if (message.kind === 'open') {
      // Headings and figures cost the host more than a block of rows: they are not asked for twice as a view opens.
      if (isShown && (!view.figured || performance.now() - shownAt.current > openingMs)) reload.ask()
    }
    if (message.kind !== 'event' || !isRecordEvent(message.event)) return
    const { event } = message
    let isKnown = false
    rows.patch((row) => {
      const next = rowAfter(row, event, view.expand)
      isKnown ||= next === row && saysNothingNew(row, event)
      return next
    })
    // What this window writes itself it shows itself; an edited record stays in its place until something else moves it.
    if (isKnown || isBeingWritten(event.recordId) || !movesRows(event, view)) return
    if (isShown) reload.ask()
    else early.current = true
  })

  return useCallback(
    (isEditing: boolean): void => {
      editing.current = isEditing
      if (isEditing || !held.current) return
      held.current = false
      reload.ask()
    },
    [reload],
  )
}
