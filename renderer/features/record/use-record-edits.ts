// Owns writing fields of the record on screen: as cells of the table are written, with the same conflicts and undo steps.
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef } from 'react'
import type { GridRecord } from '../../components/grid/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { onRecordsWritten, tellRecordsChanged } from '../../lib/record-changes.ts'
import { afterWrite, createRecordWrites, useConflictQuestion } from '../records/index.ts'
import type { OpenConflict, RecordWrites, RecordWritesPort } from '../records/index.ts'

/** Writing one record. */
export interface RecordEdits {
  /** Saves one field of the record as it was read; rejects with words for the field. */
  save: RecordWrites['save']
  /** Saves several fields at once, as one step of the undo list; one message per field, null for saved. */
  saveMany: (values: Readonly<Record<string, unknown>>, row: GridRecord) => Promise<(string | null)[]>
  /** A conflict that waits for an answer. */
  conflict: OpenConflict | undefined
}

/** The edits of a record; what is written is put into everything that shows the object. */
export function useRecordEdits(
  object: string,
  fields: readonly FieldDefinition[],
  expand: readonly string[],
): RecordEdits {
  const client = useQueryClient()
  const { conflict, ask } = useConflictQuestion()
  const port = useRef<RecordWritesPort>(undefined)
  port.current = {
    object,
    expand,
    ask,
    labelOf: (name) => fields.find((field) => field.name === name)?.label ?? name,
    reload: () => undefined,
    written: () => {
      tellRecordsChanged(object)
      void client.invalidateQueries({ queryKey: ['changelog', object] })
      void client.invalidateQueries({ queryKey: ['feed', object] })
      void client.invalidateQueries({ queryKey: ['record-links', object] })
    },
  }
  useEffect(
    () =>
      onRecordsWritten(object, (records) => {
        client.setQueriesData<GridRecord>({ queryKey: ['record', object] }, (before) =>
          before === undefined ? before : afterWrite(records, expand)(before),
        )
      }),
    [client, object, expand],
  )
  const writes = useMemo(
    () =>
      createRecordWrites(() => {
        if (!port.current) throw new Error('The record is not mounted.')
        return port.current
      }),
    [],
  )
  const saveMany = useCallback<RecordEdits['saveMany']>(
    async (values, row) =>
      writes.saveMany(Object.entries(values).map(([field, value]) => ({ rowIndex: 0, row, field, value }))),
    [writes],
  )
  return { save: writes.save, saveMany, conflict }
}
