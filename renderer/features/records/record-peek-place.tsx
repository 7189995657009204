// Owns the place beside the table where a record is shown: which one by the address, the next and the previous one by the
// rows of the table. What it looks like is given from outside.
import { useCallback, useRef } from 'react'
import type { ReactNode } from 'react'
import { navigate } from '../../lib/hash-location.ts'
import { readRecordAddress, tablePath } from '../../lib/record-address.ts'
import type { ObjectItem } from '../objects/index.ts'
import type { RecordRows } from './use-record-rows.ts'

/** What a record beside its table is given. */
export interface RecordPeekProps {
  object: ObjectItem
  id: string
  /** Part that is open. */
  tab: string | undefined
  /** What the table shows, for the address of the record's page. */
  view: string
  onTab: (tab: string) => void
  /** Shows the next record of the table, or the one before. */
  onStep: (step: 1 | -1) => void
  onClose: () => void
}

/** Shows a record beside its table. */
export type RenderPeek = (props: RecordPeekProps) => ReactNode

/** Rows that are looked through for a record the address names. */
const looked = 1_000
/** Headings in a row that are stepped over. */
const maxSteps = 50

/** The record beside a table, and how to open one. */
export function useRecordPeek(input: {
  object: ObjectItem
  address: string
  rows: Pick<RecordRows, 'getRow' | 'loadRows' | 'rowCount' | 'follow'>
  render: RenderPeek | undefined
  /** Told which row is shown, or undefined when none is any more. */
  onShown: (line: number | undefined) => void
}): { open: ((line: number, id: string) => void) | undefined; peek: ReactNode } {
  const { object, address, render } = input
  const { rec, tab, view } = readRecordAddress(address)
  const latest = useRef(input)
  latest.current = input
  const place = useRef<{ id: string; line: number }>(undefined)

  const show = useCallback(
    (id: string | undefined, part: string | undefined): void => {
      const now = readRecordAddress(latest.current.address)
      navigate(tablePath(object.name, { view: now.view, rec: id, tab: part }), { replace: now.rec !== undefined })
    },
    [object.name],
  )
  const open = useCallback(
    (line: number, id: string): void => {
      place.current = { id, line }
      show(id, readRecordAddress(latest.current.address).tab)
    },
    [show],
  )

  if (!render) return { open: undefined, peek: null }
  if (rec === undefined) return { open, peek: null }

  const step = async (by: 1 | -1): Promise<void> => {
    const { rows, onShown } = latest.current
    let line = lineOf(rows, rec, place.current)
    for (let tries = 0; tries < maxSteps; tries++) {
      line += by
      if (line < 0 || line >= rows.rowCount) return
      // Not loaded yet, or a heading: asking for it tells.
      const row = rows.getRow(line) ?? (await rows.loadRows(line, line + 1))[0]
      if (row?.['id'] === undefined || row['id'] === rec) continue
      open(line, String(row['id']))
      onShown(line)
      return
    }
  }
  const close = (): void => {
    const line = place.current?.line
    place.current = undefined
    show(undefined, undefined)
    input.onShown(line)
  }
  return {
    open,
    peek: render({
      object,
      id: rec,
      tab,
      view,
      onTab: (part) => show(rec, part),
      // Rows that cannot be loaded are the table's to tell.
      onStep: (by) => void step(by).catch(() => undefined),
      onClose: close,
    }),
  }
}

function lineOf(
  rows: Pick<RecordRows, 'getRow' | 'rowCount' | 'follow'>,
  id: string,
  place: { id: string; line: number } | undefined,
): number {
  if (place?.id === id) return rows.follow(id, place.line) ?? place.line
  for (let line = 0; line < Math.min(rows.rowCount, looked); line++) if (rows.getRow(line)?.['id'] === id) return line
  return -1
}
