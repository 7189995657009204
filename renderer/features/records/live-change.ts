// Owns what an event of an object means for rows on screen: values to put in place, or rows to ask for again. Pure.
import type { GridRecord } from '../../components/grid/index.ts'
import { linkedRecord } from '../../fields/linked-records.ts'
import type { RealtimeEvent } from '../../lib/realtime/index.ts'
import { plainValue, sameContent } from './record-values.ts'

/** What rows on screen depend on. */
export interface LiveView {
  /** Fields shown as linked records, which events carry as ids. */
  expand: readonly string[]
  /** Fields the rows are ordered by. */
  sort: readonly string[]
  /** Whether rows are chosen by a filter or a search. */
  narrowed: boolean
  /** Whether there are headings or totals. */
  figured: boolean
}

const recordEvents = new Set(['record.created', 'record.updated', 'record.deleted', 'record.restored', 'record.purged'])

/** Whether an event is about records. */
export function isRecordEvent({ type }: RealtimeEvent): boolean {
  return recordEvents.has(type)
}

/** Whether rows may come, go or stand elsewhere after an event, so that they have to be asked for again. */
export function movesRows({ type, payload }: RealtimeEvent, view: LiveView): boolean {
  if (type !== 'record.updated' || payload['left'] === true) return true
  if (view.narrowed || view.figured) return true
  const changes = payload['changes']
  const changed = typeof changes === 'object' && changes !== null ? Object.keys(changes) : undefined
  if (!changed || typeof payload['record'] !== 'object') return true
  // Every change moves a record among those ordered by the time of their change.
  const order = view.sort.includes('updated_at') ? changed : changed.filter((name) => view.sort.includes(name))
  return order.length > 0 || changed.some((name) => view.expand.includes(name))
}

/** Whether an event is of a change the row shows already. */
export function saysNothingNew(row: GridRecord, { type, payload }: RealtimeEvent): boolean {
  const record = payload['record']
  if (type !== 'record.updated' || typeof record !== 'object' || record === null) return false
  const told = record as GridRecord
  return told['id'] === row['id'] && String(told['updated_at']) <= String(row['updated_at'])
}

/** The row with what an event says of it: the same object when it says nothing newer. */
export function rowAfter(row: GridRecord, { type, payload }: RealtimeEvent, expand: readonly string[]): GridRecord {
  const record = payload['record']
  if (type !== 'record.updated' || typeof record !== 'object' || record === null) return row
  const told = record as GridRecord
  if (told['id'] !== row['id'] || String(told['updated_at']) <= String(row['updated_at'])) return row
  const next: Record<string, unknown> = { ...row, ...told }
  // Linked records stay as they are shown: the event has their ids only.
  for (const field of expand) next[field] = row[field]
  return next
}

/** Puts records as they were written in the place of older ones, keeping linked records that are still the ones linked. */
export function afterWrite(records: readonly GridRecord[], expand: readonly string[]): (row: GridRecord) => GridRecord {
  const byId = new Map(records.map((record) => [record.id, record]))
  return (row) => {
    const record = byId.get(row.id)
    if (!record || String(record['updated_at']) < String(row['updated_at'])) return row
    const next: Record<string, unknown> = { ...record }
    for (const field of expand) if (isSameLink(row[field], record[field])) next[field] = row[field]
    return next
  }
}

function isSameLink(shown: unknown, id: unknown): boolean {
  if (Array.isArray(shown) || shown === null || shown === undefined) return sameContent(plainValue(shown), id)
  return linkedRecord(shown, { name: '', type: 'lookup' }).id === id
}
