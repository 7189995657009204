// Owns finding a text in the cells of a view as they are read on screen: row by row from a cell on, over rows that are not
// loaded too, and around the end. Knows rows by line; changes nothing.
import type { GridRecord } from '../../components/grid/index.ts'
import { fieldTypeOf } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'

/** Lines read at once. */
const stepLines = 500

/** A cell that shows the text. */
export interface Hit {
  line: number
  field: string
}

/** What is searched. */
export interface FindInput {
  /** Trimmed, not empty. */
  text: string
  columns: readonly FieldDefinition[]
  context: FieldContext
  rowCount: number
  /** Rows of a range of lines in order, headings left out. */
  loadRows(first: number, end: number): Promise<readonly GridRecord[]>
  isHeading(line: number): boolean
  /** Cell to start after; the hit may be this cell when there is no other. */
  from: { row: number; column: number }
  back: boolean
  signal: AbortSignal
  /** Told the line the search has come to. */
  onLine(line: number): void
}

/** The nearest hit in a direction; undefined for none, or when it was given up. @throws ApiError */
export async function findHit(input: FindInput): Promise<Hit | undefined> {
  const { rowCount, from, back, signal } = input
  const start = Math.min(Math.max(from.row, 0), rowCount - 1)
  if (rowCount === 0) return undefined
  // The rest of the start line, the lines beyond it, those before it, and at last the whole start line.
  const first = await searchLines(input, start, start + 1, (column) =>
    back ? column < from.column : column > from.column,
  )
  if (first || signal.aborted) return first
  const spans: [number, number][] = back
    ? [
        [0, start],
        [start + 1, rowCount],
      ]
    : [
        [start + 1, rowCount],
        [0, start],
      ]
  for (const [low, high] of spans) {
    for (let done = 0; done < high - low && !signal.aborted; done += stepLines) {
      const at = back ? Math.max(low, high - done - stepLines) : low + done
      const end = back ? high - done : Math.min(high, at + stepLines)
      input.onLine(at)
      const hit = await searchLines(input, at, end, () => true)
      if (hit) return hit
    }
  }
  return signal.aborted ? undefined : searchLines(input, start, start + 1, () => true)
}

async function searchLines(
  { text, columns, context, loadRows, isHeading, back, signal }: FindInput,
  first: number,
  end: number,
  isAsked: (column: number) => boolean,
): Promise<Hit | undefined> {
  const rows = await loadRows(first, end)
  if (signal.aborted) return undefined
  const wanted = text.toLowerCase()
  let next = 0
  const hits: Hit[] = []
  for (let line = first; line < end; line++) {
    if (isHeading(line)) continue
    const row = rows[next++]
    if (!row) continue
    columns.forEach((field, column) => {
      if (isAsked(column) && shown(row[field.name], field, context).toLowerCase().includes(wanted)) {
        hits.push({ line, field: field.name })
      }
    })
    if (hits.length > 0 && !back) return hits[0]
  }
  return hits.at(-1)
}

function shown(value: unknown, field: FieldDefinition, context: FieldContext): string {
  if (value === null || value === undefined) return ''
  const type = fieldTypeOf(field)
  const chips = type.chips?.(value, field, context)
  return chips ? chips.map(({ text }) => text).join(' ') : type.format(value, field, context)
}
