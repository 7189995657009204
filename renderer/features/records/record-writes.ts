// Owns writing cells of records: with the version they were edited from, merged back into what is shown, undoable.
// Knows no components; conflicts are handed to whoever asks the person.
import type { BlockCache, GridEdit, GridRecord } from '../../components/grid/index.ts'
import { linkedRecord } from '../../fields/linked-records.ts'
import { call } from '../../lib/api-client.ts'
import { ApiError, hasCode } from '../../lib/api-error.ts'
import { whileWriting } from '../../lib/own-writes.ts'
import { fieldProblemText, problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { awaitForUndo, pushUndo } from '../../lib/undo.ts'
import { createRecordVersions } from './record-versions.ts'

/** A value that was changed elsewhere while it was being edited. */
export interface Conflict {
  field: string
  base: unknown
  mine: unknown
  theirs: unknown
}

/** What a person decided about a conflict; `later` keeps the text in its cell. */
export type Decision = 'mine' | 'theirs' | 'later'

/** What writing needs. */
export interface RecordWritesPort {
  object: string
  rows: Pick<BlockCache<GridRecord>, 'patch'>
  /** Told which fields were written, after the rows show it. */
  written(fields: readonly string[]): void
  /** Fields whose values are shown as linked records. */
  expand: readonly string[]
  labelOf(field: string): string
  ask(conflict: Conflict): Promise<Decision>
}

/** Writing cells of one view. */
export interface RecordWrites {
  /** Saves one cell; rejects with words for the cell. */
  save(field: string, value: unknown, row: GridRecord): Promise<void>
  /** Saves many cells in one request; one message per edit, null for saved. */
  saveMany(edits: readonly GridEdit[]): Promise<(string | null)[]>
}

/** Thrown to a cell: its message is shown there and the typed text stays. */
class CellProblem extends Error {}

const idOf = (row: GridRecord): string => String(row.id)
const versionOf = (row: GridRecord): string => String(row.updated_at)

/** Creates the writes of one mounted view. */
export function createRecordWrites(port: () => RecordWritesPort): RecordWrites {
  const versions = createRecordVersions()

  /** Puts an answered record into the rows, keeping linked records that are still the ones shown. */
  const show = (record: GridRecord): void => {
    const { rows, expand } = port()
    rows.patch((row) => {
      if (row.id !== record.id) return row
      const next: Record<string, unknown> = { ...record }
      for (const field of expand) if (sameLink(row[field], record[field])) next[field] = row[field]
      return next
    })
  }

  const patch = async (id: string, data: Record<string, unknown>, version: string | undefined): Promise<GridRecord> => {
    const { object, expand } = port()
    const body = version === undefined ? data : { ...data, expectedVersion: version }
    const answer = await whileWriting([id], async () => call('updateRecord', { params: { object, id }, body }))
    if (version !== undefined) versions.wrote(id, version, versionOf(answer.record))
    if (expand.some((field) => field in data)) {
      const expanded = await call('getRecord', { params: { object, id }, query: { expand: expand.join(',') } })
      show(expanded.record)
      port().written(Object.keys(data))
      return expanded.record
    }
    show(answer.record)
    port().written(Object.keys(data))
    return answer.record
  }

  const undoable = (field: string, id: string, before: unknown, after: unknown, written: GridRecord): void => {
    let version = versionOf(written)
    const set = async (value: unknown): Promise<void> => {
      version = versionOf(await patch(id, { [field]: value }, versions.expected(id, version)))
    }
    pushUndo({
      label: t('records.edit.step', { field: port().labelOf(field) }),
      undo: async () => set(before),
      redo: async () => set(after),
    })
  }

  const save = async (field: string, value: unknown, row: GridRecord): Promise<void> => {
    const id = idOf(row)
    const before = plain(row[field])
    try {
      const written = await patch(id, { [field]: value }, versions.expected(id, versionOf(row)))
      undoable(field, id, before, value, written)
    } catch (error) {
      if (hasCode(error, 'resource_not_found')) throw new CellProblem(t('conflict.gone'))
      if (!hasCode(error, 'CONCURRENT_UPDATE')) throw new CellProblem(cellMessage(error, field))
      await settle(error, field, value, row)
    }
  }

  const settle = async (error: ApiError, field: string, value: unknown, row: GridRecord): Promise<void> => {
    const current = error.details.currentRecord as GridRecord | undefined
    if (!current) throw new CellProblem(t('conflict.pending'))
    const theirs = current[field]
    const base = plain(row[field])
    // Another field of the record was changed: both changes stand.
    const decision = equal(plain(theirs), base) ? 'mine' : await port().ask({ field, base, mine: value, theirs })
    if (decision === 'later') throw new CellProblem(t('conflict.pending'))
    if (decision === 'theirs') {
      show(current)
      return
    }
    const written = await patch(idOf(row), { [field]: value }, versionOf(current)).catch((again: unknown) => {
      throw new CellProblem(hasCode(again, 'CONCURRENT_UPDATE') ? t('conflict.pending') : cellMessage(again, field))
    })
    undoable(field, idOf(row), plain(theirs), value, written)
  }

  const saveMany = async (edits: readonly GridEdit[]): Promise<(string | null)[]> => {
    const { object } = port()
    const byRow = new Map<string, { row: GridRecord; data: Record<string, unknown> }>()
    for (const edit of edits) {
      const entry = byRow.get(idOf(edit.row)) ?? { row: edit.row, data: {} }
      entry.data[edit.field] = edit.value
      byRow.set(idOf(edit.row), entry)
    }
    const rows = [...byRow.entries()]
    const messages = new Map<string, string>()
    const before = new Map(rows.map(([id, { row, data }]) => [id, pick(row, Object.keys(data))]))
    for (let at = 0; at < rows.length; at += 500) {
      await writePart(object, rows.slice(at, at + 500), messages)
    }
    const saved = rows.filter(([id]) => !messages.has(id))
    if (saved.length > 0) {
      const write = async (values: (id: string) => Record<string, unknown>): Promise<void> => {
        const failed = new Map<string, string>()
        const again = saved.map(([id]) => [id, { row: undefined, data: values(id) }] as const)
        for (let at = 0; at < again.length; at += 500) await writePart(object, again.slice(at, at + 500), failed)
        const first = [...failed.values()][0]
        if (first !== undefined) throw new CellProblem(first)
      }
      pushUndo({
        label: t('records.edit.cells', { count: edits.length }),
        undo: async () => write((id) => before.get(id) ?? {}),
        redo: async () => write((id) => byRow.get(id)?.data ?? {}),
      })
    }
    return edits.map((edit) => messages.get(`${idOf(edit.row)} ${edit.field}`) ?? messages.get(idOf(edit.row)) ?? null)
  }

  const writePart = async (
    object: string,
    rows: readonly (readonly [string, { row: GridRecord | undefined; data: Record<string, unknown> }])[],
    messages: Map<string, string>,
  ): Promise<void> => {
    const body = {
      records: rows.map(([id, { row, data }]) => ({
        id,
        data,
        ...(row ? { expectedVersion: versions.expected(id, versionOf(row)) } : {}),
      })),
      options: { atomic: false, continueOnError: true, returnRecords: true },
    }
    const ids = rows.map(([id]) => id)
    const answer = await whileWriting(ids, async () => call('updateManyRecords', { params: { object }, body }))
    for (const result of answer.results) {
      const entry = rows[result.index]
      if (!entry) continue
      const [id, { row }] = entry
      if (result.record) {
        if (row) versions.wrote(id, versions.expected(id, versionOf(row)), versionOf(result.record))
        show(result.record)
      } else if (!result.success) {
        const error = result.errors?.[0]
        const problem = error ? new ApiError(error) : undefined
        messages.set(id, hasCode(problem, 'CONCURRENT_UPDATE') ? t('conflict.pending') : problemText(problem))
        for (const field of problem?.fieldErrors ?? [])
          messages.set(`${id} ${field.field}`, fieldProblemText(field, true))
      }
    }
    port().written([...new Set(rows.flatMap(([, { data }]) => Object.keys(data)))])
  }

  return {
    save: async (...cell) => awaitForUndo(save(...cell)),
    saveMany: async (edits) => awaitForUndo(saveMany(edits)),
  }
}

function cellMessage(error: unknown, field: string): string {
  if (error instanceof ApiError) {
    const own = error.fieldErrors.find((problem) => problem.field === field || problem.field.startsWith(`${field}.`))
    if (own) return fieldProblemText(own, true)
  }
  return problemText(error)
}

/** A stored value without the linked records it was expanded to. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === 'object' && value !== null && 'id' in value && 'updated_at' in value) return value.id
  return value ?? null
}

function pick(row: GridRecord, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field, plain(row[field])]))
}

function sameLink(shown: unknown, id: unknown): boolean {
  if (Array.isArray(shown) || shown === null || shown === undefined) return equal(plain(shown), id ?? null)
  return linkedRecord(shown, { name: '', type: 'lookup' }).id === id
}

function equal(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null)
}
