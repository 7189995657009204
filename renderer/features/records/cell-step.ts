// Owns the steps of the undo list that change cells of records and add records: taking them back and doing them again, part
// by part, without overwriting what was changed since. Knows no screen: it works after a restart too.
import { randomId } from '@mantine/hooks'
import { call } from '../../lib/api-client.ts'
import { ApiError } from '../../lib/api-error.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { whileWriting } from '../../lib/own-writes.ts'
import { refreshRecords, tellRecordsWritten } from '../../lib/record-changes.ts'
import { t, tn } from '../../lib/strings.ts'
import { defineUndo } from '../../lib/undo.ts'
import type { UndoResult } from '../../lib/undo.ts'
import { bringBack, partRows, removeAdded } from './record-batches.ts'
import type { AddedRecord } from './record-batches.ts'
import { NamedLink, withNames } from './named-links.ts'
import { recordVersions } from './record-versions.ts'
import { plainValue, sameContent } from './record-values.ts'

/** A record of a step: its cells before and after, and the version the step led to. */
export interface StepRow {
  id: string
  version: string
  before: Readonly<Record<string, unknown>>
  after: Readonly<Record<string, unknown>>
}

/** What a step changed; `labels` names its fields. */
export interface CellStep {
  object: string
  rows: readonly StepRow[]
  added: readonly AddedRecord[]
  labels: Readonly<Record<string, string>>
}

/** A cell that holds neither what the step wrote nor what it is to hold. */
interface StaleCell {
  row: StepRow
  field: string
  now: unknown
  version: string
}

/** How often a record is tried again when somebody writes it at the same moment. */
const maxRounds = 3
/** Stale cells that are named before the rest is only counted. */
const namedCells = 4
/** Characters of a value that are shown. */
const shownLength = 40

type Side = 'before' | 'after'

/** Adds a step of changed cells and added records. */
export const rememberCells = defineUndo<CellStep>('records.cells', {
  async undo(step) {
    const result = await bring(step, 'before')
    const left = await removeAdded(step.object, step.added).finally(() => refreshRecords(step.object))
    return left === undefined ? result : { ...result, left: [result.left, left].filter(Boolean).join(' ') }
  },
  async redo(step) {
    const result = await bring(step, 'after')
    const added = await bringBack(step.object, step.added).finally(() => refreshRecords(step.object))
    return { ...result, data: { ...(result.data ?? step), added } }
  },
})

/** Writes one side of a step; asks what is to become of cells that were changed since. @throws ApiError */
async function bring(step: CellStep, side: Side): Promise<UndoResult<CellStep>> {
  const { object } = step
  const versions = new Map<string, string>()
  try {
    const outcome = await write(object, step.rows, side, versions)
    let { stale } = outcome
    if (stale.length > 0 && (await asksToOverwrite(step, stale, side))) {
      await write(object, overwriting(stale, side), side, versions)
      stale = []
    }
    const data = {
      ...step,
      rows: step.rows.map((row) => ({ ...row, version: versions.get(row.id) ?? row.version })),
    }
    const label = t('records.edit.cells', { count: cellCount(step) })
    if (stale.length > 0) return { data, left: tn('undo.left', stale.length, { label }) }
    if (outcome.gone > 0) return { data, left: tn('undo.gone', outcome.gone, { label }) }
    return { data }
  } finally {
    refreshRecords(object)
  }
}

function cellCount({ rows }: CellStep): number {
  return rows.reduce((sum, { after }) => sum + Object.keys(after).length, 0)
}

/** The stale cells as rows that expect what is there now. */
function overwriting(stale: readonly StaleCell[], side: Side): StepRow[] {
  const rows = new Map<string, StepRow>()
  for (const { row, field, now, version } of stale) {
    const known = rows.get(row.id) ?? { id: row.id, version, before: {}, after: {} }
    const wanted = { ...known[side], [field]: row[side][field] }
    const current = { ...known[side === 'before' ? 'after' : 'before'], [field]: now }
    rows.set(row.id, {
      ...known,
      ...(side === 'before' ? { before: wanted, after: current } : { before: current, after: wanted }),
    })
  }
  return [...rows.values()]
}

/** Writes rows in parts. Cells that hold something else than the other side are left and answered. @throws ApiError */
async function write(
  object: string,
  rows: readonly StepRow[],
  side: Side,
  versions: Map<string, string>,
): Promise<{ stale: StaleCell[]; gone: number }> {
  const stale: StaleCell[] = []
  let gone = 0
  let problem: ApiError | undefined
  // One act, whatever its number of requests: whoever follows the records hears of it once (D-177).
  const headers = { 'X-Request-Id': randomId('range-') }
  for (let from = 0; from < rows.length; from += partRows) {
    let waiting = rows.slice(from, from + partRows).map((row) => ({
      row,
      version: recordVersions.expected(row.id, row.version),
      data: row[side],
    }))
    for (let round = 0; waiting.length > 0; round++) {
      const asked = waiting
      waiting = []
      const ids = asked.map(({ row }) => row.id)
      const body = {
        records: asked.map(({ row, version, data }) => ({ id: row.id, data, expectedVersion: version })),
        options: { atomic: false, continueOnError: true, returnRecords: true },
      }
      const { results } = await whileWriting(ids, async () =>
        call('updateManyRecords', { params: { object }, body, headers }),
      )
      tellRecordsWritten(
        object,
        results.flatMap(({ record }) => (record ? [record] : [])),
      )
      for (const { index, record, errors } of results) {
        const entry = asked[index]
        if (!entry) continue
        const { row } = entry
        const error = errors?.[0] && new ApiError(errors[0])
        if (record) {
          const version = String(record.updated_at)
          recordVersions.wrote(row.id, entry.version, version)
          versions.set(row.id, version)
        } else if (error?.code === 'resource_not_found') gone++
        else if (error?.code === 'CONCURRENT_UPDATE' && round < maxRounds && error.details.currentRecord) {
          const current = error.details.currentRecord as Record<string, unknown>
          const next = remaining(row, side, current)
          stale.push(...next.stale)
          if (Object.keys(next.data).length > 0) {
            waiting.push({ row, version: String(current.updated_at), data: next.data })
          }
        } else problem ??= error
      }
    }
  }
  if (problem) throw problem
  return { stale, gone }
}

/** What of a row is still to be written over a newer record, and what of it was changed since. */
function remaining(row: StepRow, side: Side, current: Record<string, unknown>) {
  const other = row[side === 'before' ? 'after' : 'before']
  const data: Record<string, unknown> = {}
  const stale: StaleCell[] = []
  for (const [field, wanted] of Object.entries(row[side])) {
    const now = plainValue(current[field])
    if (sameContent(now, wanted)) continue
    if (sameContent(now, other[field])) data[field] = wanted
    else stale.push({ row, field, now, version: String(current.updated_at) })
  }
  return { data, stale }
}

/** Asks whether cells that were changed since are overwritten; leaving them is the safe answer. */
async function asksToOverwrite(
  { object, labels }: CellStep,
  stale: readonly StaleCell[],
  side: Side,
): Promise<boolean> {
  const told = stale.slice(0, namedCells).map(async ({ row, field, now: current }) => {
    const other = row[side === 'before' ? 'after' : 'before'][field]
    const [now, then] = await withNames(object, field, [current, other])
    return t('undo.stale.cell', { field: labels[field] ?? field, now: shortText(now), then: shortText(then) })
  })
  const cells = await Promise.all(told)
  if (stale.length > namedCells) cells.push(t('undo.stale.more', { count: stale.length - namedCells }))
  return confirmAction({
    title: t('undo.stale.title'),
    body: tn('undo.stale.body', stale.length, { cells: cells.join(' ') }),
    confirmLabel: t('undo.stale.overwrite'),
    cancelLabel: t('undo.stale.leave'),
  })
}

function shortText(value: unknown): string {
  const text = textOf(value)
  return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  if (value instanceof NamedLink) return value.name
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
