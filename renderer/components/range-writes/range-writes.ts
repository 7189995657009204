// Owns writing a range: clear, fill down, series, paste, and copying rows that are not loaded. A range of any size becomes one step:
// its rows are read first, in the grid's order, then written; whatever is left out is told with its number and reason.
// Loaded when a range is written for the first time.
import { writeHtmlTable, writeTsv } from '../grid/clipboard.ts'
import { cellKey } from '../grid/edit.ts'
import type { ParkedText } from '../grid/edit.ts'
import type { GridCore, LoadedCell } from '../grid/grid-core.ts'
import { rowKeyOf, rowTexts, shownValue, skipHeadings, tell } from '../grid/grid-core.ts'
import type { GridRecord } from '../grid/grid-types.ts'
import type { CellRange } from '../grid/selection.ts'
import { extendTo, isSingleCell, selectCell } from '../grid/selection.ts'
import { sameValue } from '../grid/use-cell-actions.ts'
import type { CellChange } from '../grid/use-cell-edits.ts'
import { rangeLabels as labels } from './range-labels.ts'
import { parseHtmlTable, parseTsv } from './read-clipboard.ts'
import { seriesValue } from './series.ts'
import type { SeriesKind } from './series.ts'

/** Cells that may be changed one by one when the screen offers no writing in groups. */
const singleLimit = 200
/** Cells that may be changed in one step at all. */
const groupLimit = 50_000
/** Cells shown as pending while they are saved; more of them are written with a bar instead. */
const shownLimit = 1_000
/** Rows read between two words on progress. */
const readStep = 1_000

type TextAt = (row: number, column: number) => string | undefined

interface RangeWrite {
  area: CellRange
  /** Text of a cell by row and column of the area; undefined leaves the cell alone. */
  textAt: TextAt
  /** Rows to add below the last one; their texts follow those of the area. */
  adds?: number
  /** What has been left out already. */
  left?: readonly string[]
}

interface Row {
  row: GridRecord
  rowIndex: number
  /** Place among the rows of the area. */
  at: number
}

/** What becomes of the cells of a range. */
interface Sorted {
  changes: CellChange[]
  refused: (ParkedText & { row: GridRecord })[]
  /** Labels of columns that cannot be edited. */
  readonly: Set<string>
}

/** Empties the editable cells of ranges. */
export function clearRanges(core: GridCore, areas: readonly CellRange[]): void {
  const writes = areas.map((area): RangeWrite => ({ area, textAt: () => '' }))
  const number = areas.reduce((sum, area) => sum + cellsOf(area), 0)
  if (number <= shownLimit && writes.every((write) => isLoaded(core, write))) return writeShown(core, writes)
  for (const write of writes) writeRange(core, write)
}

/** Gives all rows of a range the values of its first one. */
export async function fillDown(core: GridCore, area: CellRange): Promise<void> {
  const { props, columns } = core
  const first = skipHeadings(props, area.top, false) ?? area.top
  const row = props.getRow(first) ?? (await props.loadRows?.(first, first + 1).catch(() => []))?.[0]
  if (!row) return tell(core, { text: labels.notLoaded(area.bottom - first), partly: true })
  const texts = columns.columns.slice(area.left, area.right + 1).map((column) => {
    const cell = { column, row, rowIndex: first, rowKey: rowKeyOf(props, row, first) }
    return column.type.toText(shownValue(core, cell), column.field, props.fieldContext)
  })
  writeRange(core, { area: { ...area, top: first + 1 }, textAt: (_row, column) => texts[column] })
}

/** Goes on with the series of a range's columns in the rows below it, down to a line. */
export async function fillSeries(core: GridCore, seeds: CellRange, bottom: number): Promise<void> {
  const { props, columns } = core
  const rows = await seedRows(core, seeds)
  if (!rows) return tell(core, { text: labels.notLoaded(bottom - seeds.bottom), partly: true })
  const asked = columns.columns.slice(seeds.left, seeds.right + 1).map((column) => ({
    column,
    kind: kindOf(column),
    values: rows.map((row, at) => {
      const rowIndex = seeds.top + at
      return shownValue(core, { column, row, rowIndex, rowKey: rowKeyOf(props, row, rowIndex) }) ?? null
    }),
  }))
  writeRange(core, {
    area: { ...seeds, top: seeds.bottom + 1, bottom },
    textAt: (row, at) => {
      const series = asked[at]
      if (!series) return undefined
      const { column, kind, values } = series
      return column.type.toText(seriesValue(values, kind, row), column.field, props.fieldContext)
    },
  })
}

/**
 * Goes on with what the first two rows of a range begin, or the first one where the second is empty, in the rest of the
 * range.
 */
export async function continueSeries(core: GridCore, area: CellRange): Promise<void> {
  const first = skipHeadings(core.props, area.top, false) ?? area.top
  const second = skipHeadings(core.props, first + 1, false) ?? first
  const rows = second <= area.bottom ? await seedRows(core, { ...area, top: second, bottom: second }) : []
  const isSeed = core.columns.columns
    .slice(area.left, area.right + 1)
    .some(({ name }) => (rows?.[0]?.[name] ?? null) !== null)
  const seeds = { ...area, top: first, bottom: isSeed && second < area.bottom ? second : first }
  if (seeds.bottom < area.bottom) await fillSeries(core, seeds, area.bottom)
}

/** Rows of a range, headings left out; undefined when one cannot be read. */
async function seedRows({ props }: GridCore, { top, bottom }: CellRange): Promise<readonly GridRecord[] | undefined> {
  const lines = Array.from({ length: bottom - top + 1 }, (_, at) => top + at).filter(
    (line) => !props.groups?.headingAt(line),
  )
  const loaded = lines.map((line) => props.getRow(line))
  if (loaded.every((row) => row !== undefined)) return loaded
  return props.loadRows?.(top, bottom + 1).catch(() => undefined)
}

function kindOf({ field, type }: LoadedCell['column']): SeriesKind {
  if (field.options !== undefined || field.reference !== undefined || type.link !== undefined) return 'fixed'
  if (type.dated) return 'dated'
  return type.measured ? 'number' : type.toggle || type.chips ? 'fixed' : 'text'
}

/** Pastes a table with its first cell at the beginning of a range; one cell fills the whole range. */
export function pasteInto(core: GridCore, range: CellRange, copied: { html: string; text: string }): void {
  const { props, bounds, selection, select } = core
  const table = (copied.html && parseHtmlTable(copied.html)) || parseTsv(copied.text)
  const height = table.length
  const width = table.reduce((most, row) => Math.max(most, row.length), 0)
  if (height === 0 || width === 0) return
  const top = Math.max(0, range.top)
  if (height === 1 && width === 1 && !isSingleCell(selection)) {
    return writeRange(core, { area: range, textAt: () => table[0]?.[0] })
  }
  // Headings between the rows take nothing of what is pasted.
  let bottom = top - 1
  let rows = 0
  while (rows < height && bottom + 1 < bounds.rowCount) {
    bottom++
    if (!props.groups?.headingAt(bottom)) rows++
  }
  const right = Math.min(range.left + width, bounds.columnCount) - 1
  const below = height - rows
  const adds = props.growing && props.onWriteMany ? below : 0
  const beyond = width - (right - range.left + 1)
  writeRange(core, {
    area: { top, left: range.left, bottom, right },
    textAt: (row, column) => table[row]?.[column],
    adds,
    left: [
      ...(beyond > 0 ? [labels.columnsBeyond(beyond)] : []),
      ...(below > adds ? [labels.rowsBeyond(below - adds)] : []),
    ],
  })
  if (rows === 0) return
  const start = selectCell({ row: top, column: range.left }, bounds)
  select(extendTo(start, { row: bottom, column: right }, bounds))
}

/** Copies a range with rows that are not loaded; answers whether it is on the clipboard. */
export async function copyUnloaded(core: GridCore, range: CellRange): Promise<boolean> {
  const { loadRows } = core.props
  try {
    if (!loadRows) throw new Error('There is nothing to read rows with.')
    const read = loadRows(range.top, range.bottom + 1).then((rows) =>
      rows.map((row, index) => rowTexts(core, range, row, range.top + index)),
    )
    const as = async (type: string, write: (table: string[][]) => string): Promise<Blob> =>
      new Blob([write(await read)], { type })
    // Handed over as promises: a browser takes them only while it remembers the key that was pressed.
    await navigator.clipboard.write([
      new ClipboardItem({ 'text/plain': as('text/plain', writeTsv), 'text/html': as('text/html', writeHtmlTable) }),
    ])
    core.announce(labels.copied((await read).length * (range.right - range.left + 1)))
    return true
  } catch {
    tell(core, { text: labels.copyFailed, partly: true })
    return false
  }
}

function writeRange(core: GridCore, write: RangeWrite): void {
  const { props } = core
  const number = cellsOf(write.area, write.adds)
  const limit = props.onWriteMany || props.onEditMany ? groupLimit : singleLimit
  if (number > limit) return tell(core, { text: labels.tooMany(number, limit), partly: true })
  const isShown = number <= shownLimit && !write.adds && isLoaded(core, write)
  if (isShown || !props.onWriteMany || !props.loadRows) return writeShown(core, [write])
  // One after the other: the second reads what the first has written.
  running = running.then(async () => writeAll(core, write))
}

let running: Promise<void> = Promise.resolve()

function cellsOf({ top, bottom, left, right }: CellRange, adds = 0): number {
  return (bottom - top + 1 + adds) * (right - left + 1)
}

const isLoaded = (core: GridCore, { area }: RangeWrite): boolean => rowsOf(core, area).every((row) => row !== undefined)

/** Rows of an area in order, headings left out; undefined where one is not loaded. */
function rowsOf({ props }: GridCore, { top, bottom }: CellRange): (Row | undefined)[] {
  const rows: (Row | undefined)[] = []
  for (let rowIndex = top; rowIndex <= bottom; rowIndex++) {
    if (props.groups?.headingAt(rowIndex)) continue
    const row = props.getRow(rowIndex)
    rows.push(row && { row, rowIndex, at: rows.length })
  }
  return rows
}

/** Writes what is loaded: every cell shows its new value at once. A cell of two ranges is written once. */
function writeShown(core: GridCore, writes: readonly RangeWrite[]): void {
  const changes = new Map<string, CellChange>()
  const left: string[] = []
  for (const write of writes) {
    const rows = rowsOf(core, write.area)
    const loaded = rows.filter((row) => row !== undefined)
    const sorted = sort(core, write, loaded)
    for (const change of sorted.changes) changes.set(cellKey(change), change)
    core.edits.park(sorted.refused)
    const missing = rows.length - loaded.length
    left.push(...leftOut(write, sorted), ...(missing > 0 ? [labels.notLoaded(missing)] : []))
  }
  core.edits.write([...changes.values()])
  const text = [labels.changed(changes.size), ...new Set(left)].join(' ')
  if (left.length > 0) tell(core, { text, partly: true })
  else core.announce(text)
}

/** Reads all rows of a range, then writes them and the rows that are added. Never rejects. */
async function writeAll(core: GridCore, write: RangeWrite): Promise<void> {
  const { props } = core
  window.addEventListener('beforeunload', holdPage)
  try {
    const { rows, missed } = await readRows(core, write.area)
    const sorted = sort(core, write, rows)
    const added = sortAdded(core, write, rows.length + missed)
    const total = new Set(sorted.changes.map(({ rowKey }) => rowKey)).size + added.length
    const onProgress = (done: number): void => props.onProgress?.({ phase: 'writing', done, total })
    onProgress(0)
    const written = await props.onWriteMany!({
      edits: sorted.changes.map(({ rowIndex, row, field, value }) => ({ rowIndex, row, field, value })),
      records: added.map(({ record }) => record),
      onProgress,
    })
    const failed = sorted.changes.flatMap((change, index) => {
      const message = written.messages[index] ?? null
      return message === null ? [] : [{ ...change, message }]
    })
    const newRows = written.added.flatMap((row, index) => (typeof row === 'string' ? [] : [{ row, index }]))
    const refused = newRows.flatMap(({ row, index }) => {
      const rowIndex = write.area.bottom + 1 + index
      const rowKey = rowKeyOf(props, row, rowIndex)
      return (added[index]?.refused ?? []).map((text) => ({ ...text, row, rowKey, rowIndex }))
    })
    core.edits.park([...failed, ...sorted.refused, ...refused])
    const notAdded = written.added.flatMap((row, index) => (typeof row === 'string' ? [{ row, index }] : []))
    const left = [
      ...leftOut(write, { ...sorted, refused: [...sorted.refused, ...refused] }),
      ...(failed.length > 0 ? [labels.failed(failed.map(({ message }) => message))] : []),
      ...(notAdded.length > 0
        ? [
            labels.notAdded(
              notAdded.map(({ index }) => (added[index]?.at ?? 0) + 1),
              notAdded.map(({ row }) => row),
            ),
          ]
        : []),
      ...(missed > 0 ? [labels.moved(missed)] : []),
    ]
    tell(core, {
      text: [
        labels.changed(sorted.changes.length - failed.length),
        ...(newRows.length > 0 ? [labels.added(newRows.length)] : []),
        ...left,
      ].join(' '),
      partly: left.length > 0,
      undo: written.undo,
    })
  } catch (error) {
    const reason = props.describeError?.(error) ?? (error instanceof Error ? error.message : String(error))
    tell(core, { text: labels.unread(reason), partly: true })
  } finally {
    window.removeEventListener('beforeunload', holdPage)
    props.onProgress?.(null)
  }
}

function holdPage(event: BeforeUnloadEvent): void {
  event.preventDefault()
}

/** Rows of an area, page by page; `missed` counts those that were moved or deleted while the others were read. */
async function readRows({ props }: GridCore, { top, bottom }: CellRange): Promise<{ rows: Row[]; missed: number }> {
  const rows: Row[] = []
  const seen = new Set<string>()
  let at = 0
  for (let from = top; from <= bottom; from += readStep) {
    const end = Math.min(bottom + 1, from + readStep)
    props.onProgress?.({ phase: 'reading', done: from - top, total: bottom - top + 1 })
    const read = (await props.loadRows?.(from, end)) ?? []
    let next = 0
    for (let rowIndex = from; rowIndex < end; rowIndex++) {
      if (props.groups?.headingAt(rowIndex)) continue
      const row = read[next++]
      const place = at++
      const rowKey = row && rowKeyOf(props, row, rowIndex)
      if (!row || rowKey === undefined || seen.has(rowKey)) continue
      seen.add(rowKey)
      rows.push({ row, rowIndex, at: place })
    }
  }
  return { rows, missed: at - rows.length }
}

/** Parts the texts of rows into values that change something, texts that are no values, and what cannot be edited. */
function sort(core: GridCore, { area, textAt }: RangeWrite, rows: readonly Row[]): Sorted {
  const { props, columns } = core
  const sorted: Sorted = { changes: [], refused: [], readonly: new Set() }
  const asked = columns.columns.slice(area.left, area.right + 1)
  for (const { row, rowIndex, at } of rows) {
    const rowKey = rowKeyOf(props, row, rowIndex)
    asked.forEach((column, index) => {
      const text = textAt(at, index)
      if (text === undefined) return
      const cell: LoadedCell = { column, row, rowIndex, rowKey }
      if (!column.editable) {
        sorted.readonly.add(column.label)
        return
      }
      const base = { rowKey, field: column.name, rowIndex, row, text }
      const read = column.type.parse(text, column.field, props.fieldContext)
      if (!read.ok) sorted.refused.push({ ...base, value: undefined, message: read.message })
      else if (!sameValue(read.value, shownValue(core, cell))) sorted.changes.push({ ...base, value: read.value })
    })
  }
  return sorted
}

/** The rows to add: their values, and the texts that are none. Empty rows are no rows. */
function sortAdded(core: GridCore, { area, textAt, adds = 0 }: RangeWrite, first: number) {
  const asked = core.columns.columns.slice(area.left, area.right + 1)
  return Array.from({ length: adds }, (_, index) => {
    const record: Record<string, unknown> = {}
    const refused: Pick<ParkedText, 'field' | 'text' | 'value' | 'message'>[] = []
    asked.forEach((column, at) => {
      const text = textAt(first + index, at) ?? ''
      if (text === '' || !column.editable) return
      const read = column.type.parse(text, column.field, core.props.fieldContext)
      if (read.ok) record[column.name] = read.value
      else refused.push({ field: column.name, text, value: undefined, message: read.message })
    })
    return { record, refused, at: first + index }
  }).filter(({ record, refused }) => Object.keys(record).length > 0 || refused.length > 0)
}

function leftOut({ left = [] }: RangeWrite, { refused, readonly }: Pick<Sorted, 'refused' | 'readonly'>): string[] {
  return [
    ...(refused.length > 0 ? [labels.refused(refused.length)] : []),
    ...(readonly.size > 0 ? [labels.readonly([...readonly])] : []),
    ...left,
  ]
}
