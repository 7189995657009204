// Owns who else is editing which cell of a table, and telling others which one is edited here.
import { useCallback, useMemo, useRef } from 'react'
import type { GridOther, GridOthers } from '../../components/grid/index.ts'
import { hueOf, initialsOf } from '../../components/presence-avatars.tsx'
import { useOwnId } from '../../lib/me.ts'
import { cellsOf, usePresence } from '../../lib/realtime/index.ts'

/** Presence on the table of an object. */
export function useEditedCells(object: string) {
  const ownId = useOwnId()
  const { others, members, sayCell } = usePresence(`object:${object}`, ownId)
  const before = useRef<GridOthers>(new Map())
  const cells = useMemo(() => {
    const byRow = new Map<string, Map<string, GridOther>>()
    for (const { recordId, field, name, userId } of cellsOf(members, ownId)) {
      const row = byRow.get(recordId) ?? new Map<string, GridOther>()
      byRow.set(recordId, row.set(field, { name, initials: initialsOf(name), hue: hueOf(userId) }))
    }
    // Rows where nothing changed are not drawn again.
    const steady = new Map<string, ReadonlyMap<string, GridOther>>()
    for (const [row, next] of byRow) {
      const last = before.current.get(row)
      steady.set(row, last && textOf(last) === textOf(next) ? last : next)
    }
    before.current = steady
    return steady
  }, [members, ownId])
  const onEditing = useCallback(
    (cell: { rowKey: string; field: string } | null): void =>
      sayCell(cell && { recordId: cell.rowKey, field: cell.field }),
    [sayCell],
  )
  return { present: others, cells, onEditing }
}

function textOf(row: ReadonlyMap<string, GridOther>): string {
  return JSON.stringify([...row])
}
