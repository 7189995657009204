// Owns what the selection does as a whole: copy, cut, paste, clear, fill down, series. What writes is loaded when it is wanted.

import type { ClipboardEvent } from 'react'
import { writeHtmlTable, writeTsv } from './clipboard.ts'
import type { GridCore } from './grid-core.ts'
import { rowTexts, tell } from './grid-core.ts'
import { currentRange, extendTo, rangeOf, selectCell } from './selection.ts'

/** Actions on the selected range. */
export interface RangeActions {
  onCopy(event: ClipboardEvent): void
  onCut(event: ClipboardEvent): void
  onPaste(event: ClipboardEvent): void
  clear(): void
  fillDown(): void
  /** Goes on, in the rest of the selection, with what its first rows begin. */
  continueSeries(): void
  /** Goes on with the series of the selection down to a line. */
  fillTo(line: number): void
  /** Gets the writing ready, so that it is there when the host is not. */
  prepare(): void
}

type RangeWrites = typeof import('../range-writes/range-writes.ts')

let writes: Promise<RangeWrites> | undefined

async function loadWrites(): Promise<RangeWrites> {
  writes ??= import('../range-writes/range-writes.ts').catch((error: unknown) => {
    writes = undefined
    throw error
  })
  return writes
}

/** Builds the actions for this rendering. */
export function useRangeActions(core: GridCore): RangeActions {
  const { props, bounds, labels, selection, announce } = core
  const range = currentRange(selection)
  const inRows = range.top >= 0

  const act = (run: (module: RangeWrites) => unknown): void =>
    void loadWrites().then(run, () => tell(core, { text: labels.notReady, partly: true }))

  const copy = (event: ClipboardEvent, isCut: boolean): void => {
    if (!inRows) return
    event.preventDefault()
    const clear = (module: RangeWrites): void => {
      if (isCut && props.onEdit) module.clearRanges(core, [range])
    }
    const table: string[][] = []
    for (let index = range.top; index <= range.bottom; index++) {
      if (props.groups?.headingAt(index)) continue
      const row = props.getRow(index)
      if (!row) return act(async (module) => (await module.copyUnloaded(core, range)) && clear(module))
      table.push(rowTexts(core, range, row, index))
    }
    event.clipboardData.setData('text/plain', writeTsv(table))
    event.clipboardData.setData('text/html', writeHtmlTable(table))
    announce(labels.copied(table.length * (range.right - range.left + 1)))
    if (isCut) act(clear)
  }

  return {
    onCopy: (event) => copy(event, false),
    onCut: (event) => copy(event, true),
    onPaste: (event) => {
      if (!props.onEdit || (!inRows && bounds.rowCount > 0)) return
      event.preventDefault()
      const { clipboardData: data } = event
      const copied = { html: data.getData('text/html'), text: data.getData('text/plain') }
      act((module) => module.pasteInto(core, range, copied))
    },
    clear: () => {
      const areas = selection.ranges.map(rangeOf)
      if (inRows) act((module) => module.clearRanges(core, areas))
    },
    fillDown: () => {
      if (inRows && range.bottom > range.top) act(async (module) => module.fillDown(core, range))
    },
    continueSeries: () => {
      if (inRows && range.bottom > range.top) act(async (module) => module.continueSeries(core, range))
    },
    fillTo: (line) => {
      if (!inRows || line <= range.bottom) return
      act(async (module) => module.fillSeries(core, range, line))
      const start = selectCell({ row: range.top, column: range.left }, bounds)
      core.select(extendTo(start, { row: line, column: range.right }, bounds))
    },
    prepare: () => {
      if (props.onEdit) void loadWrites().catch(() => undefined)
    },
  }
}
