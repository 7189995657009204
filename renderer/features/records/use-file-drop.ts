// Owns files that are dropped on cells of the grid: which cell they meet, sending them, and putting them into the record.
import { useMemo, useRef } from 'react'
import type { DragEvent } from 'react'
import { positionOf } from '../../components/grid/aria.ts'
import type { GridRecord } from '../../components/grid/index.ts'
import { findFieldType, isEditable } from '../../fields/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { startUpload } from '../../lib/file-uploads.ts'
import type { FileReference } from '../../lib/file-uploads.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import type { RecordWrites } from './record-writes.ts'
import { createSerialWrites } from './serial-writes.ts'

/** What the dropping needs of the view. */
interface DropPort {
  readonly columns: readonly FieldDefinition[]
  getRow(index: number): GridRecord | undefined
  save: RecordWrites['save']
}

/** Handlers for the place the grid stands in. The keyboard twin is the editor of the cell. */
export function useFileDrop(port: DropPort): Pick<React.HTMLAttributes<HTMLElement>, 'onDragOver' | 'onDrop'> {
  const latest = useRef(port)
  latest.current = port
  const write = useMemo(() => createSerialWrites(() => latest.current.save), [])

  const meets = (event: DragEvent): { row: number; field: FieldDefinition } | undefined => {
    if (!event.dataTransfer.types.includes('Files')) return undefined
    const at = positionOf(event.target)
    const field = at === null ? undefined : latest.current.columns[at.column]
    if (at === null || at.row < 0 || !field || !isEditable(field)) return undefined
    return findFieldType(field.type)?.files === true ? { row: at.row, field } : undefined
  }
  const put = async (id: unknown, row: number, field: FieldDefinition, file: FileReference): Promise<void> => {
    const dropped = (): GridRecord => {
      const record = latest.current.getRow(row)
      // Rows may have moved meanwhile: only the record it was dropped on gets it.
      if (record === undefined || record['id'] !== id) throw new Error(t('files.problem.gone'))
      return record
    }
    await write(dropped, field.name, (before) =>
      field.multiple === true ? [...(Array.isArray(before) ? (before as unknown[]) : []), file] : file,
    )
  }
  const send = (row: number, field: FieldDefinition, files: readonly File[]): void => {
    const id = latest.current.getRow(row)?.['id']
    if (id === undefined) return
    for (const file of field.multiple === true ? files : files.slice(0, 1)) {
      const failed = (problem: unknown): void =>
        void showToast({
          message: t('files.attach.problem', { name: file.name, problem: problemText(problem) }),
          tone: 'bad',
        })
      const upload = startUpload(file, (state) => {
        if (state.status !== 'failed') return
        failed(state.problem)
        upload.cancel()
      })
      upload.done.then(
        async (stored) =>
          put(id, row, field, stored).then(
            () => showToast({ message: t('files.attached', { name: stored.name }), tone: 'good' }),
            failed,
          ),
        () => undefined,
      )
    }
  }
  return {
    onDragOver(event) {
      if (event.dataTransfer.types.includes('Files')) {
        // Beside a cell for files nothing is taken, and the browser does not leave the page for the file either.
        event.preventDefault()
        event.dataTransfer.dropEffect = meets(event) ? 'copy' : 'none'
      }
    },
    onDrop(event) {
      if (!event.dataTransfer.types.includes('Files')) return
      event.preventDefault()
      const met = meets(event)
      if (met) send(met.row, met.field, [...event.dataTransfer.files])
    },
  }
}
