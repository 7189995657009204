// Owns a field of files on the page of a record: they are looked at, added and taken out in place, without an editor.
import { useMemo, useRef } from 'react'
import type { GridRecord } from '../../components/grid/index.ts'
import { ChosenFiles, FileDrop, PickButton, UploadList } from '../../components/files/index.ts'
import { acceptOf, filesIn, shownFile } from '../../fields/file-text.ts'
import type { NamedFile } from '../../fields/file-text.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import type { FileReference } from '../../lib/file-uploads.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { useUploads } from '../../lib/use-uploads.ts'
import { createSerialWrites } from '../records/index.ts'
import type { RecordEdits } from './use-record-edits.ts'
import classes from './record.module.css'

/** The files; what is on its way is put into the record also when the page is left. */
export function RecordFiles(props: {
  field: FieldDefinition
  label: string
  record: GridRecord
  editable: boolean
  save: RecordEdits['save']
}) {
  const { field, record, editable, save } = props
  const isMultiple = field.multiple === true
  const files = filesIn(record[field.name])
  const base = useRef(record)
  base.current = record
  const latest = useRef(save)
  latest.current = save
  const write = useMemo(() => createSerialWrites(() => latest.current), [])

  const change = (name: string, make: (before: readonly NamedFile[]) => readonly NamedFile[]): void => {
    write(
      () => base.current,
      field.name,
      (before) => {
        const next = make(filesIn(before))
        return isMultiple && next.length > 0 ? next : (next[0] ?? null)
      },
    ).catch((error: unknown) => {
      const problem = error instanceof Error ? error.message : problemText(error)
      showToast({ message: t('files.attach.problem', { name, problem }), tone: 'bad' })
    })
  }
  const uploads = useUploads((file) => change(file.name, (before) => (isMultiple ? [...before, file] : [file])), true)
  const add = (given: readonly File[]): void => uploads.add(isMultiple ? given : given.slice(0, 1))
  if (!editable && files.length === 0) return <span className={classes.none}>{t('record.empty')}</span>
  return (
    <FileDrop onFiles={editable ? add : undefined} className={classes.files}>
      <ChosenFiles
        files={files.map(shownFile)}
        label={props.label}
        {...(editable
          ? {
              onRemove: ({ fileId, name }: FileReference) =>
                change(name, (before) => before.filter((file) => file.fileId !== fileId)),
            }
          : {})}
      />
      <UploadList uploads={uploads} />
      {editable && (
        <PickButton
          label={t(isMultiple ? 'files.choose.other' : files.length > 0 ? 'files.replace' : 'files.choose.one')}
          multiple={isMultiple}
          accept={acceptOf(field)}
          onFiles={add}
        />
      )}
    </FileDrop>
  )
}
