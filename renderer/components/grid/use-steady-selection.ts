// Owns keeping the selection at its row while rows come and go around it: a record that leaves its group, or one that
// somebody else adds or deletes, moves the ones after it, and the next key would act on another record than the one the
// person sees marked.

import { useLayoutEffect, useRef } from 'react'
import { rowKeyOf } from './grid-core.ts'
import type { DataGridProps } from './grid-types.ts'
import { activeCell } from './selection.ts'
import type { GridSelection } from './selection.ts'

/** Moves the selection with its active row, where the screen says how rows are followed. */
export function useSteadySelection(
  props: DataGridProps,
  rowsVersion: number,
  selection: GridSelection,
  setSelection: (selection: GridSelection) => void,
): void {
  const known = useRef<Known>(undefined)
  const { groups, followRow, queryKey } = props
  useLayoutEffect(() => {
    const follow = groups?.follow ?? followRow
    if (!follow) {
      known.current = undefined
      return
    }
    // Another filter or order: the selection begins anew, wherever its record went.
    if (known.current?.queryKey !== queryKey) known.current = undefined
    const { row: line } = activeCell(selection)
    const heading = groups?.headingAt(line)
    const row = heading || line < 0 ? undefined : props.getRow(line)
    const key = heading?.key ?? (row && rowKeyOf(props, row, line))
    const last = known.current
    if (last?.selection === selection && last.key !== undefined && last.key !== key) {
      const now = last.isHeading ? groups?.lineOf(last.key) : follow(last.key, line)
      if (now !== undefined && now !== line) {
        const next = moved(selection, now - line)
        known.current = { ...last, selection: next }
        setSelection(next)
        return
      }
      // Its row is on its way: it may be found when it is there.
      if (key === undefined) return
    }
    known.current = { selection, key, isHeading: heading !== undefined, queryKey }
    // The rows are told apart by their version.
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- props is another object on every rendering
  }, [groups, followRow, queryKey, rowsVersion, selection])
}

interface Known {
  selection: GridSelection
  key: string | undefined
  isHeading: boolean
  queryKey: string | undefined
}

function moved({ ranges }: GridSelection, lines: number): GridSelection {
  return {
    ranges: ranges.map(({ anchor, head }) => ({
      anchor: { ...anchor, row: Math.max(0, anchor.row + lines) },
      head: { ...head, row: Math.max(0, head.row + lines) },
    })),
  }
}
