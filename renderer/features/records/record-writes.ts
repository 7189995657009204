// Owns writing cells of records: with the version they were edited from, told to all that shows them, undoable.
// Knows no components; conflicts are handed to whoever asks the person.
import { randomId } from '@mantine/hooks'
import type { GridEdit, GridRecord, GridWrite, GridWritten } from '../../components/grid/index.ts'
import { call } from '../../lib/api-client.ts'
import { ApiError, hasCode } from '../../lib/api-error.ts'
import { whileWriting } from '../../lib/own-writes.ts'
import { fieldProblemText, problemText } from '../../lib/problem-text.ts'
import { tellRecordsWritten } from '../../lib/record-changes.ts'
import { t, tn } from '../../lib/strings.ts'
import { awaitForUndo } from '../../lib/undo.ts'
import { undoAndTell } from '../../lib/undo-told.ts'
import { rememberCells } from './cell-step.ts'
import { withNames } from './named-links.ts'
import { createRecords, partRows } from './record-batches.ts'
import type { AddedRecord } from './record-batches.ts'
import { plainValue as plain, sameContent as equal } from './record-values.ts'
import { recordVersions as versions } from './record-versions.ts'

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
  /** Told which fields were written, after the rows show it. */
  written(fields: readonly string[]): void
  /** Asks for the rows again: some have come or gone, or show links. */
  reload(): void
  /** Fields whose values are shown as linked records. */
  expand: readonly string[]
  labelOf(field: string): string
  ask(conflict: Conflict): Promise<Decision>
}

/** Writing cells of one view. */
export interface RecordWrites {
  /** Saves one cell; rejects with words for the cell. */
  save(field: string, value: unknown, row: GridRecord): Promise<GridRecord>
  /** Saves many cells in one request; one message per edit, null for saved. */
  saveMany(edits: readonly GridEdit[]): Promise<(string | null)[]>
  /** Saves cells and adds records, 500 rows a request, as one step of the undo list. Never rejects. */
  saveRange(write: GridWrite): Promise<GridWritten>
}

/** Thrown to a cell: its message is shown there and the typed text stays. */
class CellProblem extends Error {}

/** A record of which cells are written. */
interface RowWrite {
  id: string
  /** The version the cells were read from; after a write, the one it led to. */
  version: string
  before: Record<string, unknown>
  data: Record<string, unknown>
}

const idOf = (row: GridRecord): string => String(row.id)
const versionOf = (row: GridRecord): string => String(row.updated_at)

/** Creates the writes of one mounted view. */
export function createRecordWrites(port: () => RecordWritesPort): RecordWrites {
  const show = (...records: readonly GridRecord[]): void => tellRecordsWritten(port().object, records)

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
    const { object, labelOf } = port()
    const label = labelOf(field)
    rememberCells(t('records.edit.step', { field: label }), {
      object,
      rows: [
        {
          id,
          version: versionOf(written),
          before: { [field]: before },
          after: { [field]: asStored(written, field, after) },
        },
      ],
      added: [],
      labels: { [field]: label },
    })
  }

  const save = async (field: string, value: unknown, row: GridRecord): Promise<GridRecord> => {
    const id = idOf(row)
    const before = plain(row[field])
    try {
      const written = await patch(id, { [field]: value }, versions.expected(id, versionOf(row)))
      undoable(field, id, before, value, written)
      return written
    } catch (error) {
      if (hasCode(error, 'resource_not_found')) throw new CellProblem(t('conflict.gone'))
      if (!hasCode(error, 'CONCURRENT_UPDATE')) throw new CellProblem(cellMessage(error, field))
      return settle(error, field, value, row)
    }
  }

  const settle = async (error: ApiError, field: string, value: unknown, row: GridRecord): Promise<GridRecord> => {
    const current = error.details.currentRecord as GridRecord | undefined
    if (!current) throw new CellProblem(t('conflict.pending'))
    const theirs = current[field]
    // Both say the same, as when the answer to this very write was lost.
    if (field in current && equal(plain(theirs), plain(value))) {
      show(current)
      return current
    }
    const base = plain(row[field])
    // Another field of the record was changed: both changes stand.
    const decision = equal(plain(theirs), base) ? 'mine' : await asked(field, base, value, theirs)
    if (decision === 'later') throw new CellProblem(t('conflict.pending'))
    if (decision === 'theirs') {
      show(current)
      return current
    }
    const written = await patch(idOf(row), { [field]: value }, versionOf(current)).catch((again: unknown) => {
      throw new CellProblem(cellMessage(again, field))
    })
    undoable(field, idOf(row), plain(theirs), value, written)
    return written
  }

  const asked = async (
    field: string,
    ...values: [base: unknown, mine: unknown, theirs: unknown]
  ): Promise<Decision> => {
    const { object, ask } = port()
    const [base, mine, theirs] = await withNames(object, field, values)
    return ask({ field, base, mine, theirs })
  }

  const saveRange = async ({ edits, records, onProgress }: GridWrite): Promise<GridWritten> => {
    const { object, expand } = port()
    const byRow = new Map<string, RowWrite>()
    for (const { row, field, value } of edits) {
      const id = idOf(row)
      const entry = byRow.get(id) ?? { id, version: versionOf(row), before: {}, data: {} }
      byRow.set(id, entry)
      entry.before[field] = plain(row[field])
      entry.data[field] = value
    }
    const rows = [...byRow.values()]
    const problems = await updateRecords(rows, onProgress)
    const added = await createRecords(object, records, (done) => onProgress(rows.length + done))
    const saved = rows.filter(({ id }) => !problems.has(id))
    const made = added.flatMap((record, index) =>
      typeof record === 'string'
        ? []
        : [
            {
              id: idOf(record),
              data: records[index] ?? {},
              version: record.updated_at ? versionOf(record) : undefined,
            },
          ],
    )
    const showsLinks = saved.some(({ data }) => expand.some((field) => field in data))
    if (made.length > 0 || showsLinks) port().reload()
    return {
      messages: edits.map(({ row, field }) => {
        const problem = problems.get(idOf(row))
        return problem === undefined ? null : cellMessage(problem, field)
      }),
      added,
      undo: saved.length + made.length === 0 ? undefined : undoableRange(saved, made),
    }
  }

  /** Makes what was written one step; answers how to take it back at once. */
  const undoableRange = (saved: readonly RowWrite[], made: readonly AddedRecord[]): (() => void) => {
    const { object, labelOf } = port()
    const cells = saved.flatMap(({ data }) => Object.keys(data))
    const fields = new Set(cells)
    const { id } = rememberCells(
      made.length === 0 ? t('records.edit.cells', { count: cells.length }) : tn('records.edit.pasted', made.length),
      {
        object,
        rows: saved.map(({ id: row, version, before, data }) => ({ id: row, version, before, after: data })),
        added: made,
        labels: Object.fromEntries([...fields].map((field) => [field, labelOf(field)])),
      },
    )
    return () => void undoAndTell(id)
  }

  /** Writes rows in parts; answers by record id what went wrong. */
  const updateRecords = async (
    rows: readonly RowWrite[],
    onProgress: (done: number) => void,
  ): Promise<Map<string, unknown>> => {
    const problems = new Map<string, unknown>()
    // One act, whatever its number of requests: whoever follows the records hears of it once (D-177).
    const headers = { 'X-Request-Id': randomId('range-') }
    for (let at = 0; at < rows.length; at += partRows) {
      const part = rows.slice(at, at + partRows)
      try {
        await updatePart(part, headers, problems)
      } catch (error) {
        // What follows would fail the same way.
        for (const { id } of rows.slice(at)) problems.set(id, error)
        break
      }
      onProgress(at + part.length)
    }
    return problems
  }

  const updatePart = async (
    rows: readonly RowWrite[],
    headers: Record<string, string>,
    problems: Map<string, unknown>,
  ): Promise<void> => {
    const body = {
      records: rows.map((row) => ({
        id: row.id,
        data: row.data,
        expectedVersion: versions.expected(row.id, row.version),
      })),
      options: { atomic: false, continueOnError: true, returnRecords: true },
    }
    const ids = rows.map(({ id }) => id)
    const answer = await whileWriting(ids, async () =>
      call('updateManyRecords', { params: { object: port().object }, body, headers }),
    )
    const records: GridRecord[] = []
    for (const { index, record, errors } of answer.results) {
      const row = rows[index]
      if (!row) continue
      if (record) {
        versions.wrote(row.id, versions.expected(row.id, row.version), versionOf(record))
        row.version = versionOf(record)
        for (const field of Object.keys(row.data)) row.data[field] = asStored(record, field, row.data[field])
        records.push(record)
      } else problems.set(row.id, errors?.[0] && new ApiError(errors[0]))
    }
    show(...records)
    port().written([...new Set(rows.flatMap(({ data }) => Object.keys(data)))])
  }

  return {
    save: async (...cell) => awaitForUndo(save(...cell)),
    saveMany: async (edits) =>
      awaitForUndo(
        saveRange({ edits, records: [], onProgress: () => undefined }).then(({ messages }) => [...messages]),
      ),
    saveRange: async (write) => awaitForUndo(saveRange(write)),
  }
}

function cellMessage(error: unknown, field: string): string {
  if (hasCode(error, 'CONCURRENT_UPDATE')) return t('conflict.pending')
  if (error instanceof ApiError) {
    const own = error.fieldErrors.find((problem) => problem.field === field || problem.field.startsWith(`${field}.`))
    if (own) return fieldProblemText(own, true)
  }
  return problemText(error)
}

/** A written value as the record has it now: the host may round or trim. What is never read back is as it was written. */
function asStored(record: GridRecord, field: string, written: unknown): unknown {
  return plain(record[field]) ?? written
}
